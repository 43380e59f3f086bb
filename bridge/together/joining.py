"""Several rigs as one: their joints side by side in one tree, in the space and size of the first.

With W a rig's way from its tree to the world and L that of the first, a rig is put there by L⁻¹ W = T · R · f: turned
by R, moved by T, and with all its lengths f times as long, f the ratio of the two's metres in the world. So variables
that move a bone are f times those of its own rig, those that turn it are the same. Bones and joints have their
characters' names before their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mathutils import Matrix

from ...solvers.joints import Joint, Motion, Slot
from ...solvers.rotation import Floats
from ...solvers.tree import Tree
from .. import places, rotations
from ..channels import Bools
from ..rig import EulerJoints, Rig


def named(character: str, name: str) -> str:
    """What a bone or joint of a character is called in a joined rig."""
    return f"{character}: {name}"


@dataclass(frozen=True, eq=False)
class Joined:
    """Some rigs as one. B bones and V variables altogether.

    Attributes:
        names: whose rigs they are.
        parts: these rigs, each of its own tree.
        worlds: from each one's tree to the world.
        rig: the bones of all, in their order.
        views: of each, its own bones only, by their own names, as bodies of the joined tree: what goals are made by.
        sizes: [V] what a variable of a part is multiplied with.
        firsts: where each part's variables begin, and their number.
    """

    names: tuple[str, ...]
    parts: tuple[Rig, ...]
    worlds: tuple[Matrix, ...]
    rig: Rig
    views: tuple[Rig, ...]
    sizes: Floats
    firsts: tuple[int, ...]

    def fits(self, names: Sequence[str], parts: Sequence[Rig], worlds: Sequence[Matrix]) -> bool:
        """Whether it is made of these."""
        same = self.names == tuple(names) and len(self.parts) == len(parts)
        same = same and all(one is other for one, other in zip(self.parts, parts, strict=True))
        return same and self.worlds == tuple(worlds)

    def together(self, values: Sequence[Floats]) -> Floats:
        """The variables [..., V] of all, of each one's own [..., variables]."""
        found: Floats = np.concatenate(values, axis=-1) * self.sizes
        return found

    def own(self, q: Floats, index: int) -> Floats:
        """One's own variables [..., variables] out of those of all [..., V]."""
        mine = slice(*self.firsts[index : index + 2])
        found: Floats = q[..., mine] / self.sizes[mine]
        return found


def join(names: Sequence[str], parts: Sequence[Rig], worlds: Sequence[Matrix]) -> Joined:
    """Put rigs side by side. Each `world` leads from a rig's tree to the world, evenly scaled."""
    back, joints, sizes = places.inverse(worlds[0]), list[Joint](), list[float]()
    for name, part, world in zip(names, parts, worlds, strict=True):
        way = back @ world
        sizes.append(float(abs(way.to_3x3().determinant()) ** (1.0 / 3.0)))
        joints += [_put(joint, name, way, sizes[-1]) for joint in part.joints]
    tree = Tree(joints)
    tree.size = max(size * part.tree.size for size, part in zip(sizes, parts, strict=True))
    bodies = _begins([len(part.tree.names) for part in parts])
    variables = _begins([len(part.tree.variables) for part in parts])
    grown = np.concatenate([np.where(_moves(part), size, 1.0) for part, size in zip(parts, sizes, strict=True)])
    views = tuple(
        replace(
            part,
            joints=tuple(joints),
            tree=tree,
            scale=part.scale * size,
            body=_later(part.body, body),
            shown=_later(part.shown, body),
            mover=_later(part.mover, body),
            unit=part.unit * size,
        )
        for part, size, body in zip(parts, sizes, bodies, strict=False)
    )
    return Joined(
        tuple(names),
        tuple(parts),
        tuple(worlds),
        replace(_whole(names, parts, views, variables), q=np.concatenate([part.q for part in parts]) * grown),
        views,
        grown,
        tuple(variables),
    )


def _begins(counts: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(counts).tolist()]


def _moves(rig: Rig) -> Bools:
    """Which variables [variables] are lengths."""
    return np.array([one.unit == "m" for one in rig.tree.variables], np.bool_)


def _later(index: rotations.Ints, by: int) -> rotations.Ints:
    """Indices that begin later; -1 stays."""
    return np.where(index >= 0, index + by, -1)


def _put(joint: Joint, name: str, way: Matrix, size: float) -> Joint:
    """A joint of one tree in another: roots go the way there, all grow."""
    rest = np.array(joint.rest, float)
    rest[:3, 3] *= size
    turn = np.array(places.turn_of(way).to_matrix(), float)
    if joint.parent is None:
        rest[:3, 3] = turn @ rest[:3, 3] + np.array(way.translation)
    if joint.parent is None or joint.steady:
        rest[:3, :3] = turn @ rest[:3, :3]
    held = {axis: value * (size if axis in {"tx", "ty", "tz"} else 1.0) for axis, value in joint.held.items()}
    above = None if joint.parent is None else named(name, joint.parent)
    return replace(
        joint, name=named(name, joint.name), parent=above, rest=rest, motion=_grown(joint.motion, size), held=held
    )


def _grown(motion: Motion, size: float) -> Motion:
    slots = tuple(_longer(slot, size) for slot in motion.translation)
    return replace(motion, translation=slots)


def _longer(slot: Slot, size: float) -> Slot:
    ends = None if slot.limits is None else (slot.limits[0] * size, slot.limits[1] * size)
    return replace(slot, limits=ends, held=slot.held * size)


def _whole(names: Sequence[str], parts: Sequence[Rig], views: Sequence[Rig], variables: Sequence[int]) -> Rig:
    """The rig of all bones."""
    rows = _begins([len(part.bones) for part in parts])

    def all_of(what: str) -> Any:  # noqa: ANN401 - whole numbers or others
        return np.concatenate([getattr(view, what) for view in views])

    shifted = list(zip(names, parts, rows, variables, strict=False))
    euler = EulerJoints(
        bone=np.concatenate([part.euler.bone + row for _, part, row, _ in shifted]),
        order=np.concatenate([part.euler.order for part in parts]),
        limits=np.concatenate([part.euler.limits for part in parts]),
        circular=np.concatenate([part.euler.circular for part in parts]),
        raw=np.concatenate([part.euler.raw for part in parts]),
        held=np.concatenate([part.euler.held for part in parts]),
        variables=np.concatenate(_angles(parts, variables)),
    )
    return replace(
        views[0],
        bones=tuple(named(name, bone) for name, part, _, _ in shifted for bone in part.bones),
        body=all_of("body"),
        shown=all_of("shown"),
        before=all_of("before"),
        axes=all_of("axes"),
        mover=all_of("mover"),
        unit=all_of("unit"),
        turns=all_of("turns"),
        location_limits=all_of("location_limits"),
        euler=euler,
        frozen={named(name, bone): why for name, part, _, _ in shifted for bone, why in part.frozen.items()},
        inexact={named(name, bone): why for name, part, _, _ in shifted for bone, why in part.inexact.items()},
        watched=np.concatenate([part.watched + row for _, part, row, _ in shifted]),
        widened=(),
        habits=np.concatenate([part.habits for part in parts]),
    )


def _angles(parts: Sequence[Rig], variables: Sequence[int]) -> list[rotations.Ints]:
    """The variables that are Euler angles, of all."""
    found, rows = list[rotations.Ints](), 0
    for part, first in zip(parts, variables, strict=False):
        found.append(part.euler.variables + np.array([first, rows, 0]))
        rows += len(part.euler.bone)
    return found
