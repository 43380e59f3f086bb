"""What placing the feet of a character would come to, kept to be drawn. Needs no numpy: redraws ask for it."""

from typing import TYPE_CHECKING, NamedTuple

import bpy

if TYPE_CHECKING:
    from ...motion.feet.walk import Bools, Ints
    from ...solvers.rotation import Floats


class Footprint(NamedTuple):
    """Where a sole stands for a while."""

    foot: str  # the role
    first: int  # frames of the scene
    last: int
    outline: "Floats"  # [P, 3], in the world, in order around the sole
    kept: bool  # whether it stands where it did in the clip, because it could not be placed


class Way(NamedTuple):
    """A foot over F frames, before and after. In the world."""

    foot: str  # the role
    before: "Floats"  # [F, 3], the ball of the foot
    after: "Floats"  # [F, 3], as planned
    soles: "Floats"  # [F, P, 3], the whole sole as planned, in order around it
    contacts: "Bools"  # [F, 3], whether heel, ball and toe touch the ground
    height_before: "Floats"  # [F], the lowest point of the sole above the ground; NaN where there is none
    height_after: "Floats"  # [F]


class Trouble(NamedTuple):
    """Where the clip is kept as it was, and why."""

    frame: int  # of the scene
    foot: str  # for people: "left foot"
    words: str


class Preview(NamedTuple):
    """A clip of F frames."""

    frames: "Ints"  # [F], of the scene
    ways: list[Way]
    footprints: list[Footprint]
    troubles: list[Trouble]


_kept: dict[int, Preview] = {}  # by session_uid


def keep(armature_object: bpy.types.Object, found: Preview) -> None:
    """Have it drawn."""
    _kept[armature_object.session_uid] = found


def of(armature_object: bpy.types.Object) -> Preview | None:
    """What is kept of a character."""
    return _kept.get(armature_object.session_uid)


def forget(armature_object: bpy.types.Object | None = None) -> None:
    """Forget what is kept of one character, or of all: after undo, load, disable."""
    if armature_object is None:
        _kept.clear()
    else:
        _kept.pop(armature_object.session_uid, None)
