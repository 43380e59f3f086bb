"""Couplings: the angle of a joint follows an expression of other joints' angles.

An animator names the angles in rows, as in Blender's drivers, and writes an expression over these names; bones' names
never stand in it. It is taken apart by `solvers.goals.expression`, which knows arithmetic and nothing else.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import bpy

from ...properties import POSEWRIGHT_PG_relation
from ...solvers import Goal, JointFunction
from ...solvers.errors import PosewrightError
from ...solvers.goals.expression import Reading, parse
from ...solvers.goals.tables import Packed
from ...solvers.joints import AXES
from ...solvers.tree import Tree, Variable
from ..asked import Setting
from ..rig import Rig
from .relation import UNKNOWN, Relation, lengths, level_of, refuse_missing

Angle = tuple[str, str]  # a bone and an axis: X, Y or Z
# What the solvers call the angle about an axis, by the kind of joint.
_NAMES = {"X": ("x", "swing_x", "rx"), "Y": ("y", "twist", "ry"), "Z": ("z", "swing_z", "rz")}

_FOLLOWER = "follower"  # stands for the axis of what follows: an expression cannot have it


def read(armature_object: bpy.types.Object, rows: Mapping[int, POSEWRIGHT_PG_relation]) -> dict[int, Relation | str]:
    """Couplings that can be had, by row; of the others, why not."""
    found, there = dict[int, Relation | str](), lengths(armature_object)
    follows = dict[Angle, tuple[str, list[Angle]]]()  # by what follows: the coupling's name, and what it follows
    for row, one in rows.items():
        try:
            angles = _angles(there, one)
            target = one.bone, one.axis
            if target in follows:
                raise PosewrightError(f"{one.bone!r} follows {follows[target][0]!r} about {one.axis} already")
            follows[target] = one.name, list(angles.values())
            found[row] = _relation(row, one, angles)
        except PosewrightError as error:
            found[row] = str(error)
    for row, one in rows.items():
        if isinstance(found[row], Relation) and (circle := _circle(follows, (one.bone, one.axis))):
            found[row] = f"it follows itself: {' → '.join(circle)}"
    return found


def _angles(there: Container[str], one: POSEWRIGHT_PG_relation) -> dict[str, Angle]:
    """The angles that are in the expression, by their names. Raises an error that says what is wrong with it."""
    named = {part.name: (part.bone, part.axis) for part in one.parts}
    used = dict[str, Angle]()

    def look_up(readings: list[Reading]) -> int:
        name, axis = readings[0]
        if name not in named or axis is not None:
            raise PosewrightError(f"there is no variable {name!r}; they are {', '.join(named) or 'none yet'}")
        used[name] = named[name]
        return 0

    if not one.expression.strip():
        raise PosewrightError("it has no expression")
    parse(one.expression, look_up)
    angles = [(one.bone, one.axis), *used.values()]
    refuse_missing(there, [bone for bone, _ in angles])
    for bone, axis in angles:
        if axis not in _NAMES:
            raise PosewrightError(f"the axis of {bone!r} is {UNKNOWN}: choose it anew")
    return used


def _relation(row: int, one: POSEWRIGHT_PG_relation, angles: dict[str, Angle]) -> Relation:
    target, text, weight, level = (one.bone, one.axis), one.expression, one.weight, level_of(one)

    def make(where: Setting) -> Sequence[Goal]:
        variables = tuple((name, variable_of(where.rig, *angle)) for name, angle in angles.items())
        follower = variable_of(where.rig, *target)
        return [Coupling(target[0], text, follower=follower, variables=variables, weight=weight, level=level)]

    return Relation(row, frozenset({one.bone, *(bone for bone, _ in angles.values())}), make)


def _circle(follows: Mapping[Angle, tuple[str, list[Angle]]], start: Angle) -> list[str]:
    """The way from an angle back to itself, in words; empty if there is none."""
    ways = [[start]]
    seen = set[Angle]()
    while ways:
        way = ways.pop()
        for one in follows.get(way[-1], ("", []))[1]:
            if one == start:
                return [f"{bone} {axis}" for bone, axis in (*way, one)]
            if one not in seen:
                seen.add(one)
                ways.append([*way, one])
    return []


def variable_of(rig: Rig, bone: str, axis: str) -> int:
    """The variable that is a bone's angle about an axis of its joint. Raises an error where the bone has none."""
    body = rig.body_of(bone)
    joint, first = rig.joints[body], int(rig.tree.arrays.first[body])
    own = rig.tree.variables[first : first + int(rig.tree.arrays.freedom[body])]
    for place, variable in enumerate(own):
        if _is_about(joint.motion.axis, variable, axis):
            return first + place
    free = [letter for letter in _NAMES if any(_is_about(joint.motion.axis, one, letter) for one in own)]
    why = f"it turns about {' and '.join(free)} only" if free else "it does not turn"
    raise PosewrightError(f"{bone!r} does not turn about {axis}: {rig.frozen.get(bone) or why}")


def _is_about(hinge: tuple[float, float, float], variable: Variable, letter: str) -> bool:
    return variable.axis in _NAMES[letter] or (variable.axis == "angle" and hinge == AXES[letter.lower()])


@dataclass(kw_only=True)
class Coupling(JointFunction):
    """A joint function whose variables have the names that an animator gave them."""

    follower: int  # the variable that follows
    variables: tuple[tuple[str, int], ...]  # names, and the variables that they stand for
    axis: str | None = _FOLLOWER

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        return super().pack(cast(Tree, _Named(tree, self)))


class _Named:
    """As much of a tree as a joint function asks of it, with other names."""

    def __init__(self, tree: Tree, coupling: Coupling) -> None:
        self.variables, self.names = tree.variables, dict(coupling.variables)
        self.coupling = coupling

    def variable(self, name: str, axis: str | None = None) -> int:
        """A variable by the name that it has in the expression, or the follower."""
        if axis == _FOLLOWER:
            return self.coupling.follower
        if name not in self.names:
            raise PosewrightError(f"there is no variable {name!r}")
        return self.names[name]
