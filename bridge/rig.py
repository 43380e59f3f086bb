"""An armature, read: its bones as a tree, and what leads from channels to the tree's variables and back.

Constraints that limit a bone change what is seen of it, not what its channels hold; a rig's pose is what is seen.
"""

import functools
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ..solvers.errors import PosewrightError
from ..solvers.joints import Joint
from ..solvers.rotation import Floats
from ..solvers.tree import Tree
from . import rotations
from .channels import Bools, Channels
from .limits import Widened
from .rotations import Ints

FITS = 1e-4  # radians, or metres on a person: nearer than this, a pose is the one that the rig shows


@dataclass(frozen=True, eq=False)
class EulerJoints:
    """Bones whose variables are Euler angles, or whose rotation a constraint clamps. E of them."""

    bone: Ints  # [E], row of the bone
    order: Ints  # [E]
    limits: Floats  # [E, 3, 2], of the constraint, infinite where there is none
    circular: Ints  # [E], 1 where an angle outside goes to the nearest end on the circle
    raw: Ints  # [E], 1 where the angles are the bone's own channels, with no constraint on them
    held: Floats  # [E, 3], the angles when it was read, which those of locked axes stay
    variables: Ints  # [n, 3]: a variable of the tree, the row here and the axis of the angle that it is


@dataclass(frozen=True, eq=False)
class Rig:
    """An armature, read. It holds no reference to Blender's data. B bones, in the order of `pose.bones`.

    Attributes:
        joints: what the tree was made of.
        tree: the bones as joints of the same names, parents first, in armature space, as large as a person.
        scale: the tree's units (metres, were it a person) for a unit of armature space.
        bones: their names.
        q: the pose that was read [variables]; inside the tree's limits.
        body: [B] each bone's index in the tree, -1 where it has no part in it. (Some bodies are no bone's.)
        shown: [B] the body in the bone's own frame: the same, but where the joint turns about axes of its own.
        before, axes: [B, 4] what a bone's own rotation R is counted by in the tree: M = before⁻¹ R axes.
        mover: [B] the body whose translation is the bone's location; -1 where the bone does not translate.
        unit: [B] how much the body moves for a unit of location: `scale`, times that of what is above.
        turns: [B] 1 where the bone has a variable that turns it.
        location_limits: [B, 3, 2] of constraints, in units of the location; infinite where there is none.
        euler: the bones whose rotation goes by Euler angles.
        frozen: why a bone is taken as it stands, by name.
        inexact: bones that are right in the pose that was read and may be off in others, with the reason, by name.
        watched: rows of those among them that carry bones which turn.
        widened: the limits that gave way to the pose that was read.
        habits: [variables] the values to which joints tend, NaN for those that have no habit.
    """

    joints: tuple[Joint, ...]
    tree: Tree
    scale: float
    bones: tuple[str, ...]
    q: Floats
    body: Ints
    shown: Ints
    before: Floats
    axes: Floats
    mover: Ints
    unit: Floats
    turns: Ints
    location_limits: Floats
    euler: EulerJoints
    frozen: dict[str, str]
    inexact: dict[str, str]
    watched: Ints
    widened: tuple[Widened, ...]
    habits: Floats

    @functools.cached_property
    def turning(self) -> tuple[Ints, Ints]:
        """The rows of the bones that have variables which turn them [n], and their bodies [n]."""
        rows = np.flatnonzero(self.turns == 1)
        return rows, self.body[rows]

    @functools.cached_property
    def turned_rows(self) -> Ints:
        """The rows of the bones whose joints turn about axes of their own [n]."""
        return np.flatnonzero(self.shown != self.body)

    @functools.cached_property
    def turning_axes(self) -> tuple[Floats, Floats]:
        """Of `turning`, what leads from the tree's rotations to the bones' own: R = before M axes⁻¹ [n, 4] each."""
        rows, _ = self.turning
        return self.before[rows], rotations.inverse(self.axes[rows])

    def counted(self, turned: Floats) -> Floats:
        """The bones' own rotations [..., B, 4] as the tree's joints count them."""
        if not len(self.turned_rows):
            return turned
        rows, counted = self.turned_rows, turned.copy()
        back = rotations.product(rotations.inverse(self.before[rows]), turned.take(rows, axis=-2))
        counted[..., rows, :] = rotations.product(back, self.axes[rows])
        return counted

    def own_turns(self, q: Floats) -> Floats:
        """The own rotations [..., n, 4] of the bones that turn, at the variables `q` [..., variables]."""
        _, body = self.turning
        turned: Floats = self.tree.own_rotations(q).take(body, axis=-2)
        if not len(self.turned_rows):
            return turned
        before, back = self.turning_axes
        return rotations.product(rotations.product(before, turned), back)

    @functools.cached_property
    def frame_names(self) -> dict[str, str]:
        """By bone, the tree's name for the body that has the bone's own frame: where goals take hold."""
        return {
            bone: self.tree.names[body] for bone, body in zip(self.bones, self.shown.tolist(), strict=True) if body >= 0
        }

    def body_of(self, bone: str) -> int:
        """The body of a bone's joint. Raises an error where the bone has no part in the tree."""
        body = int(self.body[self.bones.index(bone)]) if bone in self.bones else -1
        if body < 0:
            raise PosewrightError(f"{bone!r} has no part in this rig")
        return body

    @functools.cached_property
    def moving(self) -> tuple[Ints, Ints, Ints]:
        """What leads from variables to locations: rows of bones [n], axes [n] and the variables [n]."""
        rows, slots = np.arange(len(self.mover)), self.tree.arrays.slot[self.mover, :3]
        row, axis = np.nonzero((self.mover >= 0)[:, None] & (slots >= 0))
        return rows[row], axis, slots[row, axis]


def part(rig: Rig, bones: Collection[str]) -> Rig:
    """The rig with only those joints in its tree that move one of some bones: their own and all above them.

    No goal on these bones pulls on the others: on a body with fingers that is two of three.
    """
    above, wanted = {joint.name: joint.parent for joint in rig.joints}, set[str]()
    for bone in bones:
        name: str | None = rig.frame_names[bone]
        while name is not None and name not in wanted:
            wanted.add(name)
            name = above[name]
    joints = tuple(joint for joint in rig.joints if joint.name in wanted)
    tree = Tree(joints)
    tree.size = rig.tree.size  # what is near and what is far goes by the whole body, whatever is dragged of it
    place = np.full(len(rig.joints) + 1, -1)  # one more, for those that are -1 already
    place[[rig.tree.index(joint.name) for joint in joints]] = np.arange(len(joints))
    body, stays = place[rig.body], place[rig.tree.arrays.body] >= 0
    variables = rig.euler.variables[stays[rig.euler.variables[:, 0]]]
    variables[:, 0] = (np.cumsum(stays) - 1)[variables[:, 0]]
    return replace(
        rig,
        joints=joints,
        tree=tree,
        q=rig.q[stays],
        body=body,
        shown=place[rig.shown],
        habits=rig.habits[stays],
        mover=place[rig.mover],
        turns=np.where(body >= 0, rig.turns, 0),
        euler=replace(rig.euler, variables=variables),
        watched=rig.watched[body[rig.watched] >= 0],
    )


def values(rig: Rig, now: Channels) -> Floats:
    """The poses that channels hold as variables of the rig's tree [..., variables], inside its limits."""
    return _inside(rig, free_values(rig, now, *effective_rotation(rig.euler, now)))


def fitted(rig: Rig, now: Channels) -> tuple[Floats, Bools]:
    """The same, and whether the rig can show each pose [...]: not one beyond limits, nor about locked axes."""
    turned, angles = effective_rotation(rig.euler, now)
    q, (rows, _) = _inside(rig, free_values(rig, now, turned, angles)), rig.turning
    # One less the cosine of half the angle: half the square of that, an eighth of the angle's.
    off = 1.0 - np.abs((rig.own_turns(q) * turned.take(rows, axis=-2)).sum(axis=-1))
    fits: Bools = ~(off > 0.125 * FITS**2).any(axis=-1)
    return q, fits


def free_values(rig: Rig, now: Channels, turned: Floats, angles: Floats) -> Floats:
    """The poses as variables, of rotations [..., B, 4] and angles [..., E, 3] as `effective_rotation` says them.

    They may be beyond the limits.
    """
    many, bodies = turned.shape[:-2], len(rig.tree.names)
    moved_by, turned_by = np.zeros((*many, bodies, 3)), np.zeros((*many, bodies, 4))
    turned_by[..., 0] = 1.0
    has_part, moves = np.flatnonzero(rig.body >= 0), np.flatnonzero(rig.mover >= 0)
    turned_by[..., rig.body[has_part], :] = rig.counted(turned).take(has_part, axis=-2)
    moved = effective_location(rig.location_limits, now) * rig.unit[:, None]
    moved_by[..., rig.mover[moves], :] = moved.take(moves, axis=-2)
    q = rig.tree.values(moved_by, turned_by)
    variable, row, axis = rig.euler.variables.T
    q[..., variable] = angles[..., row, axis]  # known as angles, which a rotation alone would not tell
    return q


def _inside(rig: Rig, q: Floats) -> Floats:
    inside: Floats = np.clip(q, rig.tree.lower, rig.tree.upper)
    return inside


def variables_of(rig: Rig, bones: Bools) -> Bools:
    """The variables [variables] that turn or move some bones [B]."""
    found: Bools = np.zeros(len(rig.tree.names) + 1, np.bool_)
    found[rig.body[bones]] = True
    found[rig.mover[bones]] = True  # -1, where a bone does not translate, is the one place too many
    found[-1] = False
    return found[rig.tree.arrays.body]


def effective_location(clamps: Floats, now: Channels) -> Floats:
    """Locations [..., B, 3] as Limit Location constraints let them through."""
    clamped: Floats = np.clip(now.location.astype(float), clamps[..., 0], clamps[..., 1])
    return clamped


def effective_rotation(euler: EulerJoints, now: Channels) -> tuple[Floats, Floats]:
    """Rotations [..., B, 4] as Limit Rotation constraints let them through, and angles [..., E, 3] of Euler joints."""
    turned = now.turned
    if not len(euler.bone):
        return turned, np.zeros((*turned.shape[:-2], 0, 3))
    turned = turned.copy()
    raw, low, high = euler.raw == 1, euler.limits[..., 0], euler.limits[..., 1]
    angles = rotations.shortest_euler(turned.take(euler.bone, axis=-2), euler.order)
    circle = np.isfinite(low) & (euler.circular == 1)[:, None]
    angles[..., circle] = rotations.nearest(angles[..., circle], 0.5 * (low[circle] + high[circle]))
    angles = np.clip(angles, low, high)
    angles[..., raw, :] = now.euler.take(euler.bone[raw], axis=-2)
    turned[..., euler.bone[~raw], :] = rotations.from_euler(angles, euler.order)[..., ~raw, :]
    return turned, angles


def angles_at(euler: EulerJoints, q: Floats) -> Floats:
    """The angles [..., E, 3] of Euler joints when the tree's variables are `q` [..., variables]."""
    angles = np.broadcast_to(euler.held, (*q.shape[:-1], *euler.held.shape)).copy()
    variable, row, axis = euler.variables.T
    angles[..., row, axis] = q[..., variable]
    return angles
