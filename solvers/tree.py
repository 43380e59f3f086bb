"""The kinematic tree: joints, parents first, as read-only arrays that the kernels walk."""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import PosewrightError
from .joint_values import values_of
from .joints import Joint, Kind, Slot
from .kinematics import PoseArrays, TreeArrays, forward, new_pose, own_rotations
from .rotation import Floats, multiply, quaternion_at, rotate, vector_at

RIGID = 1e-5  # how far a rest matrix may be from a rigid one: float32 matrices from Blender are 1e-6 off


class Variable(NamedTuple):
    """One number of a pose."""

    joint: str
    axis: str
    lower: float
    upper: float
    stiffness: float
    rest: float
    velocity: float

    @property
    def unit(self) -> str:
        """What it is measured in."""
        return "m" if self.axis in {"tx", "ty", "tz", "distance"} else "rad"


@dataclass(frozen=True)
class Pose:
    """Where every body is, in the tree's space."""

    positions: Floats  # [bodies, 3]
    rotations: Floats  # [bodies, 4], unit quaternions (w, x, y, z)


class Tree:
    """An immutable kinematic tree.

    Attributes:
        names: the joints' names, in order; a joint's index is its body's index.
        variables: one `Variable` for each number of a pose, in order.
        lower, upper, rest, stiffness, velocity: [variables], what the variables say, read-only.
        arrays: what the kernels read.
        size: metres from a root to the farthest joint along the bones, in the rest pose; 1 if there is no length.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.names = tuple(joint.name for joint in joints)
        self._index: dict[str, int] = {}
        for index, joint in enumerate(joints):
            if joint.name in self._index:
                raise PosewrightError(f"two joints are called {joint.name!r}")
            if joint.parent is not None:
                self.index(joint.parent, f"joint {joint.name!r} has an unknown parent")
            self._index[joint.name] = index
        self.variables = tuple(variable for joint in joints for variable in _variables(joint))
        self.arrays = _arrays(joints, self._index)
        self.size = _size(self.arrays)
        _hang_on_moving(self.arrays)
        for array in self.arrays:
            array.flags.writeable = False
        columns = np.array([variable[2:] for variable in self.variables], float).reshape(-1, 5).T.copy()
        columns.flags.writeable = False
        self.lower, self.upper, self.stiffness, self.rest, self.velocity = columns

    def index(self, name: str, complaint: str = "unknown joint") -> int:
        """The index of a joint's body. Raises an error that lists the names where there is none of that name."""
        try:
            return self._index[name]
        except KeyError:
            raise PosewrightError(f"{complaint}: {name!r}; the joints are {_some(self._index)}") from None

    def variable(self, joint: str, axis: str | None = None) -> int:
        """The index of a joint's variable; its axis may be left out where the joint has only one variable."""
        self.index(joint)
        found = {one.axis: index for index, one in enumerate(self.variables) if one.joint == joint}
        if axis is None and len(found) == 1:
            return next(iter(found.values()))
        if axis not in found:
            raise PosewrightError(f"joint {joint!r} has no variable {axis!r}; its variables are {_some(found)}")
        return found[axis]

    def start(self) -> Floats:
        """The rest values [variables], inside the limits."""
        start: Floats = np.clip(self.rest, self.lower, self.upper)
        return start

    @functools.cached_property
    def translates(self) -> NDArray[np.bool_]:
        """Which variables [variables] are lengths; the others are angles."""
        return np.array([one.unit == "m" for one in self.variables], np.bool_)

    def check(self, q: ArrayLike, what: str = "the pose") -> Floats:
        """`q` as an array of this tree's variables. Raises an error if it has another length or is not finite."""
        values = np.array(q, float)
        if values.shape != (len(self.variables),):
            raise PosewrightError(f"{what} has shape {values.shape}; this tree has {len(self.variables)} variables")
        # The sum of squares tells in a third of the time; it may overflow where nothing is wrong.
        if not math.isfinite(values.dot(values)) and not np.isfinite(values).all():
            bad = self.variables[int(np.flatnonzero(~np.isfinite(values))[0])]
            raise PosewrightError(f"{what} is not finite at {bad.joint}.{bad.axis}")
        return values

    def pose(self, q: ArrayLike) -> Pose:
        """Where every body is when the variables are `q`."""
        pose: PoseArrays = new_pose(len(self.names), len(self.variables))
        forward(self.arrays, self.check(q), pose)
        return Pose(pose.position, pose.rotation)

    def own_rotations(self, q: ArrayLike) -> Floats:
        """Each joint's own rotation out of its rest frame [..., joints, 4], as unit quaternions (w, x, y, z).

        At the variables `q` of a pose, or of many [..., variables].
        """
        given = np.ascontiguousarray(q, float)
        many, count, joints = given.shape[:-1], len(self.variables), len(self.names)
        if given.shape != (*many, count) or not np.isfinite(given).all():
            for one in given.reshape(math.prod(many), -1):
                self.check(one)
        turned = np.zeros((math.prod(many), joints, 4))
        own_rotations(self.arrays, given.reshape(len(turned), count), np.zeros((count, 6)), turned)
        return turned.reshape(*many, joints, 4)

    def values(self, moved: ArrayLike, turned: ArrayLike) -> Floats:
        """The variables [..., variables] of joints that are so far from their rest frames: `pose` the other way round.

        Args:
            moved: [..., joints, 3], each joint's own translation along the axes of its rest frame.
            turned: [..., joints, 4], each joint's own rotation, as unit quaternions (w, x, y, z).

        A rotation that a joint cannot have gives the nearest that it can, not always inside the limits.
        """
        count, given = len(self.names), (np.ascontiguousarray(moved, float), np.ascontiguousarray(turned, float))
        many = given[0].shape[:-2]
        fit = given[0].shape == (*many, count, 3) and given[1].shape == (*many, count, 4)
        if not fit or not all(np.isfinite(one).all() for one in given):
            raise PosewrightError(f"finite translations [{count}, 3] and rotations [{count}, 4], please")
        values = np.zeros((math.prod(many), len(self.variables)))
        flat = given[0].reshape(len(values), count, 3), given[1].reshape(len(values), count, 4)
        values_of(self.arrays, self.lower, self.upper, *flat, values)
        return values.reshape(*many, len(self.variables))

    def __repr__(self) -> str:
        return f"Tree({len(self.names)} joints, {len(self.variables)} variables)"


def _size(arrays: TreeArrays) -> float:
    lengths = np.linalg.norm(arrays.rest_position, axis=1)
    reached = np.zeros(len(lengths))
    for body, parent in enumerate(arrays.parent):
        reached[body] = reached[parent] + lengths[body] if parent >= 0 else 0.0
    return float(reached.max(initial=0.0)) or 1.0


def _some(names: Sequence[str] | dict[str, int]) -> str:
    """Up to twenty names, for an error message."""
    listed = list(names)
    return ", ".join(listed[:20]) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "") or "none"


def _variables(joint: Joint) -> Iterator[Variable]:
    free = [slot for slot in (*joint.motion.translation, *joint.motion.slots) if slot.limits is not None]
    stiffness = _each(joint, "stiffness", joint.stiffness, len(free))
    rest = _each(joint, "rest_values", joint.rest_values, len(free))
    velocity = _each(joint, "velocity", joint.velocity, len(free))
    for slot, *settings in zip(free, stiffness, rest, velocity, strict=True):
        assert slot.limits is not None
        lower, upper = (float(end) for end in slot.limits)
        where = f"{joint.name}.{slot.name}"
        if math.isnan(lower) or math.isnan(upper) or lower > upper:
            raise PosewrightError(f"{where}: the lower limit {lower} is above the upper limit {upper}")
        if lower == math.inf or upper == -math.inf:
            raise PosewrightError(f"{where}: no finite value is between the limits {lower} and {upper}")
        if not (math.isfinite(settings[0]) and settings[0] >= 0.0):
            raise PosewrightError(f"{where}: a stiffness is a finite number, zero or more; not {settings[0]}")
        if not math.isfinite(settings[1]):
            raise PosewrightError(f"{where}: the rest value {settings[1]} is not finite")
        if not settings[2] > 0.0:
            raise PosewrightError(f"{where}: a velocity limit is above zero; not {settings[2]}")
        yield Variable(joint.name, slot.name, lower, upper, settings[0], settings[1], settings[2])


def _each(joint: Joint, what: str, value: float | Sequence[float], count: int) -> list[float]:
    values = np.asarray(value, float)
    if values.ndim and values.shape != (count,):
        raise PosewrightError(f"joint {joint.name!r} has {count} variables, but {what} has shape {values.shape}")
    return list(np.broadcast_to(values, count).tolist())


def _arrays(joints: Sequence[Joint], index: dict[str, int]) -> TreeArrays:
    count = len(joints)
    arrays = TreeArrays(
        parent=np.full(count, -1),
        first=np.zeros(count, np.int64),
        freedom=np.zeros(count, np.int64),
        kind=np.zeros(count, np.int64),
        order=np.zeros(count, np.int64),
        slot=np.full((count, 6), -1),
        held=np.zeros((count, 6)),
        axis=np.zeros((count, 3)),
        reach=np.ones((count, 4)),
        rest_position=np.zeros((count, 3)),
        rest_rotation=np.zeros((count, 4)),
        steady=np.zeros(count, np.int64),
        body=np.zeros(sum(1 for joint in joints for _ in _variables(joint)), np.int64),
    )
    used = 0
    for row, joint in enumerate(joints):
        motion = joint.motion
        arrays.parent[row] = -1 if joint.parent is None else index[joint.parent]
        arrays.kind[row], arrays.order[row], arrays.axis[row] = motion.kind, motion.order, motion.axis
        arrays.rest_position[row], arrays.rest_rotation[row] = _rigid(joint)
        arrays.steady[row] = joint.steady and joint.parent is not None
        arrays.first[row] = used
        for place, slot in _places(motion.translation, motion.slots):
            if slot.limits is None:
                arrays.held[row, place] = slot.held
            else:
                arrays.slot[row, place] = used
                arrays.body[used] = row
                used += 1
        for name, value in joint.held.items():
            if not math.isfinite(value):
                raise PosewrightError(f"joint {joint.name!r}: the held value {value} of {name!r} is not finite")
            arrays.held[row, _place_of(joint, name)] = value
        arrays.freedom[row] = used - arrays.first[row]
        if motion.kind == Kind.SWING_ELLIPSE:
            x, z = motion.slots[0].limits, motion.slots[2].limits
            assert x is not None
            assert z is not None
            arrays.reach[row] = [math.sin(0.5 * abs(end)) for end in (*x, *z)]
    return arrays


def _hang_on_moving(arrays: TreeArrays) -> None:
    """Give every body the nearest one above it that moves for a parent, past those that are fixed to theirs.

    A steady one is not: it stays as it is turned while its parent turns.

    All bodies stay where they are, and sweeps have fewer levels to go through: Baxter's arm is seven joints and five
    fixed links, and a batch of it takes a twentieth less.
    """
    for body, parent in enumerate(arrays.parent.tolist()):
        if parent >= 0 and arrays.kind[parent] == Kind.NONE and arrays.steady[parent] == 0:
            turn = quaternion_at.function(arrays.rest_rotation, parent)
            moved = rotate.function(turn, vector_at.function(arrays.rest_position, body))
            arrays.rest_position[body] = arrays.rest_position[parent] + moved
            if arrays.steady[body] == 0:
                turned = np.array(multiply.function(turn, quaternion_at.function(arrays.rest_rotation, body)))
                arrays.rest_rotation[body] = turned / np.linalg.norm(turned)
            arrays.parent[body] = arrays.parent[parent]
            arrays.steady[body] = arrays.steady[body] and arrays.parent[body] >= 0


def _places(translation: Sequence[Slot], rotation: Sequence[Slot]) -> Iterator[tuple[int, Slot]]:
    """Translation has places 0 to 2, rotation 3 to 5."""
    yield from enumerate(translation)
    yield from enumerate(rotation, start=3)


def _place_of(joint: Joint, name: str) -> int:
    locked = {
        slot.name: place for place, slot in _places(joint.motion.translation, joint.motion.slots) if slot.limits is None
    }
    if name not in locked:
        raise PosewrightError(f"joint {joint.name!r} has no locked axis {name!r}; its locked axes are {_some(locked)}")
    return locked[name]


def _rigid(joint: Joint) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Position [3] and unit quaternion [4] of a joint's rest matrix."""
    matrix = np.asarray(joint.rest, float)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        raise PosewrightError(f"joint {joint.name!r}: the rest transform is a finite [4, 4] matrix")
    turn = matrix[:3, :3]
    off = max(np.abs(turn @ turn.T - np.eye(3)).max(), np.abs(matrix[3] - [0, 0, 0, 1]).max())
    if off > RIGID or np.linalg.det(turn) < 0.0:
        raise PosewrightError(f"joint {joint.name!r}: the rest transform is not rigid: it scales, shears or mirrors")
    return matrix[:3, 3], quaternion_of(turn)


def quaternion_of(matrix: Floats) -> Floats:
    """The unit quaternion [4] (w, x, y, z) of a rotation matrix [3, 3]: the eigenvector of Bar-Itzhack's K.

    Slower than the usual case distinction and precise for every rotation; used when a tree is built, never in a loop.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    k = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, zz - xx - yy],
        ]
    )
    found: Floats = np.linalg.eigh(k)[1][:, -1]
    return found if found[0] >= 0.0 else -found
