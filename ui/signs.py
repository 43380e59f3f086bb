"""What an overlay is made of: marks, lines, curves and words, each with a role; and what is seen of a character.

Everything is in the world.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import bpy
from mathutils import Matrix, Vector

if TYPE_CHECKING:
    from ..bridge.limit_shapes import Curve
    from ..bridge.outcome import Outcome

REACHED = 1e-3  # metres: how near is there, where no solve has said so
SKIN = 0.1  # of a character's size: less deep inside something, a sign counts as in front of it, as in its own body


class Role(Enum):
    """What something drawn says; the theme gives each its colour."""

    IDLE = "its handle rides on the bone"
    PINNED = "holds, and is where it should be"
    FOLLOWING = "follows its target, and is there"
    DRAGGED = "is being dragged, and is there"
    OUT_OF_REACH = "cannot be where it should be"
    STOPPED = "a joint's limit keeps it from where it should be"
    LIMIT = "how far a joint goes"
    SLACK = "a wire that could be longer"
    TAUT = "a wire that is as long as it may be"
    HELD = "two bones are held together, or joints follow one another"
    BODY = "a part of the body as collisions see it"
    TOUCHES = "the same, where it touches another"
    STANDS = "a foot that is put onto the ground"
    KEPT = "a foot that stays as it was in the clip"
    BEFORE = "a foot in the clip"
    AFTER = "a foot as it will be"
    HEEL = "the heel touches the ground"
    BALL = "the ball of the foot does"
    TOE = "the toes do"
    GHOST = "another pose that meets the goals"
    SHOWN = "the pose among them that is on the character"
    BEGUN = "where an elite of a search began to descend"
    ENDED = "where it ended"


class Sign(Enum):
    """What a goal or a joint is marked with; the size is on the screen."""

    RING = "an idle or following goal"
    DIAMOND = "a pin"
    TARGET = "a goal that is being dragged"
    DOT = "the point of the bone, where it is not at its goal"
    JOINT = "a joint that stops a goal"


class Mark(NamedTuple):
    """A sign at a place, facing the viewer."""

    sign: Sign
    place: Vector
    role: Role
    skin: float  # metres: less deep behind a surface, it counts as in front
    active: bool = False  # the goal whose settings are shown


class Line(NamedTuple):
    """From one place to another."""

    begin: Vector
    end: Vector
    role: Role
    dashed: bool = False


class Strand(NamedTuple):
    """A line through several places."""

    places: tuple[Vector, ...]
    role: Role


class Arc(NamedTuple):
    """A limit's curve, in a frame that has a bone's size."""

    curve: "Curve"
    frame: Matrix
    role: Role


class Words(NamedTuple):
    """A few words beside a place."""

    place: Vector
    words: str
    role: Role
    away_from: Vector | None = None  # on the side of the place that looks away from this one


@dataclass
class Shapes:
    """All that is shown of the characters in a view."""

    marks: list[Mark] = field(default_factory=list)
    strands: list[Strand] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)


class Seen(NamedTuple):
    """What all goals of a character have in common."""

    character: bpy.types.Object
    last: "Outcome"
    skin: float
    units: bpy.types.UnitSettings

    def stops(self, roots: set[str]) -> Iterator[tuple[bpy.types.PoseBone, str]]:
        """The bones and axes that stop the pose, of the bodies that hang on some roots; the hardest pressed first."""
        for name, axis in self.last.stopped_by:
            bone = bone_of(self.character, name)
            if bone is not None and root_of(bone) in roots:
                yield bone, axis


def distance(metres: float, units: bpy.types.UnitSettings) -> str:
    """A distance for people, in the units of the scene."""
    there = metres * units.scale_length
    if units.system == "METRIC":
        return f"{100.0 * there:.1f} cm" if there < 1.0 else f"{there:.2f} m"
    if units.system == "IMPERIAL":
        return bpy.utils.units.to_string("IMPERIAL", "LENGTH", there, precision=3)
    return f"{metres:.3g}"


def bone_of(armature_object: bpy.types.Object, name: str) -> bpy.types.PoseBone | None:
    """A bone as it is posed, if there is one of that name."""
    return armature_object.pose.bones.get(name) if armature_object.pose else None


def root_of(bone: bpy.types.PoseBone) -> str:
    """The name of the bone on which it hangs in the end."""
    above = bone
    while above.parent is not None:
        above = above.parent
    return above.name
