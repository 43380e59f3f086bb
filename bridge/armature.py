"""An armature as a kinematic tree in armature space, and what it takes to write a pose of the tree back.

With R a bone's rest matrix and B its own location and rotation, Blender poses an unscaled bone at P = P_parent O B with
O = R_parent⁻¹ R: a joint with O for its rest transform. Roots translate, and so do bones that the caller names; the
location of any other bone is taken as it stands, as a part of its rest transform, so that rigs with unconnected bones
do not come apart.

The tree is rigid, scale is not: below anything scaled, a joint's rest transform is what leads from its parent to where
Blender shows the bone now. While the body moves that stays exact where a parent is scaled alike along all its axes or
the bone does not inherit its scale in a way that shears. A bone that would be sheared in another way in every pose is
taken as it stands: by a tree that is only right in the present pose, pins were 7 cm off after one step of a drag.

A bone that does not inherit rotation is carried along by its parent and does not turn with it: P has the place of
P_parent O B and the rotation of R B, a steady joint. Its location goes along the parent's axes nonetheless.

A bone with limits of our own turns about axes that need not be its own: B = before · M · axes⁻¹. Its joint has
O · before for its rest transform and M for its motion; a second body, fixed to it by axes⁻¹, is the bone as Blender has
it.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ..properties import NO_TURN
from ..solvers.joints import FREE, ORDERS, EulerBall, Fixed, Joint
from ..solvers.rotation import Floats
from ..solvers.tree import Tree
from . import channels, limits, obstacles, own_joints, rig, rotations
from .channels import Channels
from .limits import NO_TRANSLATION, Settings, Translation, Turning
from .obstacles import Obstacles
from .own_joints import OwnJoint
from .rig import EulerJoints, Rig

FULL, FIX_SHEAR, AVERAGE, NONE, NONE_LEGACY, ALIGNED = range(6)  # Bone.inherit_scale as a number
PERSON = 1.7  # metres; trees are made this large, because solvers weigh metres against radians
HEAVY = 20.0  # how unwilling a body is to go elsewhere, a metre against a radian: limbs reach before it does
STEADY = 5.0  # how many times as unwilling it is to turn as a whole: legs that nobody holds would swing with it
_ALIKE = 1e-4  # scales that differ by less are the same: Blender's rest matrices are up to 2e-5 from rigid ones
_UNSCALED = 2e-6  # a scale of one is that far from it after a matrix was assigned to a bone
REMEDY = "set its Inherit Scale to Aligned, Average or None to have it move"
_FLAT = 1e-9  # a bone scaled to less has no rotation left in its matrix


def read(armature_object: bpy.types.Object, pelvis: Collection[str] = ()) -> Rig:
    """Read an armature in its present pose, as Blender evaluated it last.

    Args:
        armature_object: an object with a pose, not in its rest position; in a render, its evaluated copy.
        pelvis: names of bones that translate, besides the roots; connected bones cannot, missing ones are passed over.
    """
    return _Reading(armature_object, pelvis).rig()


@dataclass
class _Made:
    """What was found out bone by bone."""

    joints: list[Joint] = field(default_factory=list)
    body: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    own: list[OwnJoint | None] = field(default_factory=list)
    mover: list[int] = field(default_factory=list)
    unit: list[float] = field(default_factory=list)
    turning: list[Turning] = field(default_factory=list)
    placed: list[Floats] = field(default_factory=list)  # [4, 4], where the tree has the bone now
    stretched: list[bool] = field(default_factory=list)
    frozen: dict[str, str] = field(default_factory=dict)
    inexact: dict[str, str] = field(default_factory=dict)


class _Reading:
    """One reading of an armature: all that is read in bulk, then the bones one by one, parents first."""

    def __init__(self, armature_object: bpy.types.Object, pelvis: Collection[str]) -> None:
        pose, data = channels.pose_bones(armature_object), armature_object.data
        assert isinstance(data, bpy.types.Armature)
        rows = {bone.name: row for row, bone in enumerate(data.bones)}
        self.names = tuple(rows)
        self.parent = [rows[bone.parent.name] if bone.parent else -1 for bone in data.bones]
        self.pelvis = frozenset(pelvis)
        self.rest = channels.square_matrices(data.bones, "matrix_local")
        self.offset = self._offsets()
        self.level = _nearest_rotations(self.rest[:, :3, :3])
        self.length = PERSON / self._size(data)
        self.shown = channels.square_matrices(pose, "matrix")
        self.scale = channels.floats(pose, "scale", 3)
        self.connected = channels.bools(data.bones, "use_connect")[:, 0].tolist()
        turned = channels.bools(data.bones, "use_inherit_rotation")[:, 0].tolist()
        self.steady = [parent >= 0 and not by_it for parent, by_it in zip(self.parent, turned, strict=True)]
        self.local_location = channels.bools(data.bones, "use_local_location")[:, 0].tolist()
        scale_mode = np.zeros(len(rows), np.int32)
        data.bones.foreach_get("inherit_scale", scale_mode)
        self.scale_mode = scale_mode.tolist()
        self.now: Channels = channels.read(armature_object)
        self.settings: Settings = limits.settings(armature_object)
        self.own = own_joints.read(armature_object)
        self.obstacles: Obstacles = obstacles.find(armature_object)
        for name in self.obstacles.rotation:
            if (self.scale[rows[name]] < 0.0).any():  # Blender takes other angles from a matrix that mirrors
                reason = "a constraint limits its rotation, and its scale mirrors: make that positive"
                self.obstacles.frozen.setdefault(name, reason)
        self.euler = self._euler_joints()
        self.clamps = np.tile([-math.inf, math.inf], (len(rows), 3, 1))
        for name, limit in self.obstacles.location.items():
            self.clamps[rows[name]] = limit.limits
        self.turned, self.angles = rig.effective_rotation(self.euler, self.now)
        self.turned_matrices = rotations.matrices(self.turned)
        self.location = rig.effective_location(self.clamps, self.now)
        self.made = _Made(frozen=dict(self.obstacles.frozen))

    def _size(self, data: bpy.types.Armature) -> float:
        """The armature's largest extent at rest, in its own units."""
        ends = np.concatenate([self.rest[:, :3, 3], channels.floats(data.bones, "tail_local", 3)])
        return float(np.ptp(ends, axis=0).max(initial=0.0)) or PERSON if len(ends) else PERSON

    def _offsets(self) -> Floats:
        """From the rest frame of the parent to that of the bone [B, 4, 4].

        Blender's float32 rest matrices drift from rigid ones along a chain; here each offset is the nearest that is.
        """
        parent = np.array(self.parent, np.int64)
        above = np.where(parent[:, None, None] >= 0, self.rest[parent], np.eye(4))
        offset: Floats = np.linalg.inv(above) @ self.rest
        offset[:, :3, :3] = _nearest_rotations(offset[:, :3, :3])
        return offset

    def _euler_joints(self) -> EulerJoints:
        """The bones whose rotation goes by Euler angles; their variables are not known yet."""
        found: list[tuple[int, int, Floats, bool, bool]] = []
        free = np.tile([-math.inf, math.inf], (3, 1))
        for row, name in enumerate(self.names):
            own = int(self.now.order[row])
            limit = self.obstacles.rotation.get(name)
            if limit is not None:
                order = own if limit.order is None else ORDERS.index(limit.order)
                found.append((row, order, np.array(limit.limits), limit.circular, False))
            elif self._keeps_channels(row):
                found.append((row, own, free, False, True))
        columns = [np.array(column) for column in zip(*found, strict=True)] if found else [np.zeros(0)] * 5
        whole = [columns[i].astype(np.int64) for i in (0, 1, 3, 4)]
        ends = columns[2].reshape(-1, 3, 2)
        return EulerJoints(whole[0], whole[1], ends, whole[2], whole[3], np.zeros((0, 3)), np.zeros((0, 3), np.int64))

    def _keeps_channels(self, row: int) -> bool:
        """Whether locked rotation means Euler channels here: in such a mode, where no IK limit asks for another."""
        euler = self.now.mode[row] >= channels.FIRST_EULER
        return bool(euler and self.settings.locked[row].any() and not self.settings.limited[row].any())

    def rig(self) -> Rig:
        """Make the joints, then the tree, then what leads back from it."""
        made = self.made
        for row in range(len(self.names)):
            self._add(row)
        tree = Tree(made.joints)
        body = np.array(made.body, np.int64)
        turns = np.array([bool(turning.motion and turning.axes) for turning in made.turning], np.int64)
        found = Rig(
            joints=tuple(made.joints),
            tree=tree,
            scale=self.length,
            bones=self.names,
            q=np.zeros(len(tree.variables)),
            body=body,
            shown=np.array(made.shown, np.int64),
            before=np.array([one.before if one else NO_TURN for one in made.own], float).reshape(-1, 4),
            axes=np.array([one.axes if one else NO_TURN for one in made.own], float).reshape(-1, 4),
            mover=np.array(made.mover, np.int64),
            unit=np.array(made.unit, float),
            turns=turns,
            location_limits=self.clamps,
            euler=replace(
                self.euler,
                held=self.angles,
                variables=np.array(list(self._euler_variables(tree)), np.int64).reshape(-1, 3),
            ),
            frozen=made.frozen,
            inexact=made.inexact,
            watched=np.array(self._watched(), np.int64),
            widened=tuple(one for turning in made.turning for one in turning.widened),
            habits=self._habits(tree),
        )
        found.q[:] = rig.values(found, self.now)
        found.q.flags.writeable = False
        return found

    def _habits(self, tree: Tree) -> Floats:
        """The values to which variables tend [variables], NaN where nobody says."""
        found = np.full(len(tree.variables), np.nan)
        for row, own in enumerate(self.made.own):
            if own is not None and own.natural:
                first = tree.arrays.first[self.made.body[row]]
                for place, axis in enumerate(self.made.turning[row].axes):
                    found[first + place] = own.rest[axis]
        return found

    def _watched(self) -> list[int]:
        """The rows of inexact bones that carry a bone which turns; where the others are is of no consequence."""
        carries = [False] * len(self.names)
        for row in reversed(range(len(self.names))):
            turning, parent = self.made.turning[row], self.parent[row]
            carries[row] |= bool(turning.motion and turning.axes)
            if parent >= 0:
                carries[parent] |= carries[row]
        return [row for row, name in enumerate(self.names) if carries[row] and name in self.made.inexact]

    def _euler_variables(self, tree: Tree) -> Iterator[tuple[int, int, int]]:
        for row, bone in enumerate(self.euler.bone.tolist()):
            turning, name = self.made.turning[bone], self.names[bone]
            if turning.motion is not None:
                hinge = len(turning.motion.slots) == 1
                for axis in turning.axes:
                    yield tree.variable(name, "angle" if hinge else "xyz"[axis]), row, axis

    def _add(self, row: int) -> None:
        """Make the joint of a bone, or two of them, and note what is to be known about it."""
        made, name, parent = self.made, self.names[row], self.parent[row]
        if parent >= 0 and made.stretched[parent] and self._shears(row):
            said = f"it would be sheared by the uneven scale of {self.names[parent]!r}: {REMEDY}"
            made.frozen.setdefault(name, said)
        frozen, steady = name in made.frozen, self.steady[row]
        above = made.placed[parent] if parent >= 0 else np.eye(4)
        by_pose = frozen or (parent >= 0 and made.stretched[parent])
        rest = self._rest(row, above, by_pose, frozen)
        unit = self._unit(row, rest, above) if self._may_translate(row, frozen) else 0.0
        translation, held = self._translation(row, unit * self.length)
        own_axes = self.local_location[row] and not steady  # it translates along the axes that it turns in
        by_own = self._by_own(row, frozen or bool(unit))
        turning = Turning(None) if frozen else self._turning(row, translation if own_axes else NO_TRANSLATION, by_own)
        own = np.eye(4)
        if not frozen:
            own[:3, :3] = self.turned_matrices[row]
        there = rest.copy()  # with its present location; as a variable, that is no part of the rest transform
        axes = rest[:3, :3] if own_axes else self.offset[row, :3, :3] if self.local_location[row] else np.eye(3)
        if by_pose:
            rest[:3, 3] -= axes @ (unit * self.location[row])
        elif parent < 0 or not self.connected[row]:
            there[:3, 3] += axes @ self.location[row]
        made.placed.append(above @ there @ own)
        if steady:
            made.placed[row][:3, :3] = there[:3, :3] @ own[:3, :3]
        if not unit:
            rest = there
        joint_parent = made.joints[made.shown[parent]].name if parent >= 0 else None
        made.mover.append(-1)
        if unit and not own_axes:  # a joint of its own, because it translates along axes that its parent turns
            joint_parent = self._carrier(name, joint_parent, axes, rest[:3, 3], translation, held)
            made.mover[row], rest = len(made.joints) - 1, rest.copy()
            rest[:3, 3] = 0.0
        elif unit:
            made.mover[row] = len(made.joints)
            turning.held |= held
        if turning.motion is None:
            rest, turning.held = rest @ own, {}
            if not frozen and not unit:
                made.frozen[name] = "all its axes are locked"
            by_own = None
        self._add_joint(row, joint_parent, rest, turning, by_own, translation if own_axes and unit else ())
        made.turning.append(turning)
        made.unit.append(unit * self.length)
        self._note_scale(row, by_pose)

    def _add_joint(
        self,
        row: int,
        parent: str | None,
        rest: Floats,
        turning: Turning,
        own: OwnJoint | None,
        translation: Translation,
    ) -> None:
        """Add the joint that turns a bone, and translates it along the axes that it turns in."""
        made = self.made
        axes, name, steady = list(turning.axes), self.names[row], self.steady[row]
        if own is not None:
            rest = rest.copy()
            rest[:3, :3] = rest[:3, :3] @ rotations.matrices(own.before[None])[0]
        stiffness = [HEAVY] * sum(ends is not None for ends in translation)
        if own is None:
            stiffness += (self.settings.stiffness[row, axes] * (STEADY if made.mover[row] >= 0 else 1.0)).tolist()
        else:
            stiffness += own.stiffness[axes].tolist() if own.natural else [1.0] * len(axes)
        motion, stiff = turning.motion or Fixed(), stiffness if turning.motion else 1.0
        made.body.append(len(made.joints))
        made.joints.append(Joint(name, parent, self._sized(rest), motion, stiff, held=turning.held, steady=steady))
        if own is not None:  # a body in the frame that Blender has the bone in
            back = np.eye(4)
            back[:3, :3] = rotations.matrices(own.axes[None])[0].T
            made.joints.append(Joint(self._unused(f"{name} (axes)"), name, back, Fixed()))
        made.own.append(own)
        made.shown.append(len(made.joints) - 1)

    def _by_own(self, row: int, bound: bool) -> OwnJoint | None:
        """The limits of our own for a bone, where they count: constraints and locks are about its own axes."""
        own = self.own.get(self.names[row])
        locked = (self.settings.locked[row] | self.settings.locked_ik[row]).any()
        if own is None or bound or locked or (self.euler.bone == row).any():
            return None
        return own

    def _sized(self, matrix: Floats) -> Floats:
        """A rigid transform [4, 4] of armature space in the tree's units."""
        sized = matrix.copy()
        sized[:3, 3] *= self.length
        return sized

    def _rest(self, row: int, above: Floats, by_pose: bool, frozen: bool) -> Floats:
        """From the parent [4, 4] to the bone before it turns; by its pose, that is with its present location.

        The rotation of a steady bone is in armature space.
        """
        rest: Floats = self.offset[row].copy()
        if self.steady[row]:
            rest[:3, :3] = self.level[row]
        if by_pose:
            turned = np.eye(3) if frozen else self.turned_matrices[row]
            own = (
                1.0 if frozen else np.where(self.scale[row] < 0.0, -1.0, 1.0)
            )  # mirrored by its own scale, it turns as if not
            if (rigid := rigid_part(self.shown[row, :3, :3] * own)) is not None:
                rest[:3, :3] = (np.eye(3) if self.steady[row] else above[:3, :3].T) @ rigid @ turned.T
            rest[:3, 3] = above[:3, :3].T @ (self.shown[row, :3, 3] - above[:3, 3])
        return rest

    def _may_translate(self, row: int, frozen: bool) -> bool:
        if frozen or self.settings.locked_location[row].all():
            return False
        return self.parent[row] < 0 or (self.names[row] in self.pelvis and not self.connected[row])

    def _unit(self, row: int, rest: Floats, above: Floats) -> float:
        """How far the bone moves for a unit of location, or 0 where that depends on the direction."""
        parent = self.parent[row]
        if parent < 0 or not self.made.stretched[parent]:
            return 1.0
        by_location = above[:3, :3].T @ self.shown[parent, :3, :3]
        if self.local_location[row] and not self.steady[row]:
            by_location = rest[:3, :3].T @ by_location @ self.offset[row, :3, :3]
        unit = float(np.trace(by_location)) / 3.0
        return unit if np.abs(by_location - unit * np.eye(3)).max() < _ALIKE * abs(unit) else 0.0

    def _translation(self, row: int, unit: float) -> tuple[Translation, dict[str, float]]:
        """Limits along each axis, and the values of locked ones."""
        if not unit:
            return NO_TRANSLATION, {}
        locked, place = self.settings.locked_location[row], unit * self.location[row]
        ends = np.sort(unit * self.clamps[row], axis=1).tolist()
        translation = [None if lock else (low, high) for lock, (low, high) in zip(locked, ends, strict=True)]
        held = {
            name: value for name, value, lock in zip(("tx", "ty", "tz"), place.tolist(), locked, strict=True) if lock
        }
        return translation, held

    def _turning(self, row: int, translation: Translation, own: OwnJoint | None) -> Turning:
        if own is not None:
            back = rotations.product(rotations.inverse(own.before[None]), self.turned[row][None])
            return limits.by_own(self.names[row], own, rotations.product(back, own.axes[None])[0])
        name, locked = self.names[row], (self.settings.locked[row] | self.settings.locked_ik[row]).tolist()
        place = np.flatnonzero(self.euler.bone == row)
        if not len(place):
            return limits.swinging(name, row, self.settings, self.turned[row], translation)
        one = int(place[0])
        ends = [(low, high) if (low, high) != FREE else FREE for low, high in self.euler.limits[one].tolist()]
        if limits.reaches_other_angles(ends):
            self.made.inexact[name] = (
                "its Limit Rotation allows more than Euler angles can tell: narrow it to 270° in all"
            )
        order = ORDERS[int(self.euler.order[one])]
        return limits.by_angles(name, order, ends, locked, self.angles[one], translation)

    def _carrier(
        self,
        name: str,
        parent: str | None,
        axes: Floats,
        place: Floats,
        translation: Translation,
        held: dict[str, float],
    ) -> str:
        """A joint that only translates, along `axes` [3, 3] from `place` [3]. Returns its name, which no bone has."""
        own = self._unused(f"{name} (location)")
        rest = np.eye(4)
        rest[:3, :3], rest[:3, 3] = axes, place
        self.made.joints.append(
            Joint(own, parent, self._sized(rest), EulerBall("XYZ", None, None, None, translation), HEAVY, held=held)
        )
        return own

    def _unused(self, name: str) -> str:
        """A name that no bone has."""
        while name in self.names:
            name += "'"
        return name

    def _note_scale(self, row: int, by_pose: bool) -> None:
        """Note whether what is below sees a scale, and whether the bone stays right while the body moves."""
        made, name, parent = self.made, self.names[row], self.parent[row]
        stretch = made.placed[row][:3, :3].T @ self.shown[row, :3, :3]
        scaled = bool((np.abs(self.scale[row] - 1.0) > _UNSCALED).any())
        made.stretched.append(scaled or (by_pose and bool(np.abs(stretch - np.eye(3)).max() > _ALIKE)))
        if parent >= 0 and self.names[parent] in made.inexact:
            made.inexact.setdefault(name, f"it hangs on {self.names[parent]!r}")
        elif name in self.obstacles.frozen:
            made.inexact[name] = made.frozen[name]

    def _shears(self, row: int) -> bool:
        """Whether a bone that turns is sheared by its parent's scale, which then is another in every pose."""
        mode, above = self.scale_mode[row], self.shown[self.parent[row], :3, :3]
        lengths = above.T @ above
        largest = float(lengths.max())
        if mode in {FULL, FIX_SHEAR}:
            return bool(np.abs(lengths - np.trace(lengths) / 3.0 * np.eye(3)).max() > _ALIKE * largest)
        if mode == NONE_LEGACY and not self.steady[row]:
            return bool(np.abs(lengths - np.diag(np.diag(lengths))).max() > _ALIKE * largest)
        return False


def _nearest_rotations(turn: Floats) -> Floats:
    """The rotations nearest to matrices [B, 3, 3] that are almost some: Newton's iteration, which squares the error."""
    for _ in range(2):
        turn = 0.5 * (turn + np.linalg.inv(turn).transpose(0, 2, 1))
    return turn


def rigid_part(matrix: Floats) -> Floats | None:
    """The rotation [3, 3] in a bone's matrix [3, 3], along the bone exactly; None where the scale leaves none.

    A mirrored matrix is turned inside out: so a bone below mirroring has the same rest transform as without it.
    """
    x, y = matrix[:, 0], matrix[:, 1]
    if np.linalg.det(matrix) < 0.0:
        x, y = -x, -y
    length = float(np.linalg.norm(y))
    if length < _FLAT:
        return None
    y = y / length
    x = x - y * (x @ y)
    width = float(np.linalg.norm(x))
    if width < _FLAT:
        return None
    x = x / width
    return np.stack([x, y, np.cross(x, y)], axis=1)
