"""How a character stands before a solve: its rig, its pose and its reference, as they are or as they were kept.

What is kept from solve to solve only saves time: all of it can be made again of what is stored.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np

from .. import properties
from ..properties import Character
from ..solvers import Problem
from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import animated, armature, channels, modes, outcome, pelvis, pose, reference, signature
from . import rig as rigs
from .asked import Wish
from .channels import Bools, Channels
from .facing import Carried
from .habit import Leaning
from .outcome import Outcome
from .pelvis import Movers
from .places import Frame
from .reference import Reference
from .relations import taking_part
from .relations.taking_part import Related
from .rig import Rig
from .signature import Signature

ALONE = "relations"  # what asks, where relations are solved on request and no goal asks for anything


@dataclass(eq=False)
class Kept:
    """What is kept of a character from solve to solve; all of it can be made again."""

    signature: Signature
    moves: Movers
    whole: Rig
    rig: Rig  # of it, what can move the bones that have goals or relations
    bones: frozenset[str] = frozenset()  # those
    free: frozenset[str] | None = None  # the bones that the mode lets move; None for all
    related: Related = taking_part.NONE
    left: tuple[Channels, Floats] | None = None  # the pose that was written last, and the same as variables
    problem: Problem | None = None
    leaning: Leaning | None = None
    carried: Carried | None = None
    aim: Reference | None = None  # what is stored
    settles: Floats = field(default_factory=lambda: np.zeros(0))  # [variables], the same in the rig's terms
    frames: list[tuple[int, Frame]] = field(default_factory=list)  # where the goals wanted to be at the last solve
    solved: tuple[object, ...] = field(default_factory=tuple)  # what was asked last, to which the pose is the answer
    answers: tuple[Outcome, ...] = ()  # what that came to, for each who was solved
    from_reference: bool = False  # whether that was solved from the reference on, as every new frame is
    together: object = None  # of the first of characters that hold each other: what `bridge.together` keeps

    @functools.cached_property
    def stays(self) -> Bools:
        """The variables [variables] of bones that are not to move, though they could: no goal is on them."""
        names = self.moves.staying - self.bones
        return rigs.variables_of(self.rig, np.array([name in names for name in self.rig.bones], np.bool_))

    @functools.cached_property
    def outside(self) -> Bools:
        """The bones [B] that the mode does not let move."""
        free = self.free
        return np.array([free is not None and name not in free for name in self.rig.bones], np.bool_)

    @functools.cached_property
    def fixed(self) -> Bools:
        """The variables [variables] of those: unlike held ones they never give way."""
        return rigs.variables_of(self.rig, self.outside)


_kept: dict[int, Kept] = {}  # by session_uid


def forget(armature_object: bpy.types.Object | None = None) -> None:
    """Forget what is kept of one character, or of all: after undo, load, disable."""
    if armature_object is None:
        _kept.clear()
        animated.forget()
    else:
        _kept.pop(armature_object.session_uid, None)


def last_said(kept: Kept, things: Sequence[bpy.types.Object]) -> tuple[Outcome, ...]:
    """What the last solve came to for each, if nothing else was said of them since; else nothing."""
    last = tuple(outcome.of(thing) for thing in things)
    same = len(last) == len(kept.answers) and all(one is two for one, two in zip(last, kept.answers, strict=True))
    return kept.answers if same else ()


class Standing(NamedTuple):
    """A character before a solve."""

    kept: Kept
    now: Channels
    start: Floats  # [variables], the same in the rig's terms
    aim: Reference
    edited: Bools  # [B], what somebody else has changed since the last solve


def stand(
    armature_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None,
    wishes: Sequence[Wish],
    key: str,
    new_frame: bool,
    trusting: bool,
    pulled: frozenset[str] = frozenset(),
) -> Standing:
    """Rig, pose and reference of a character, as they are or as they were kept.

    Args:
        armature_object: the original object.
        depsgraph: through which it is read in a render.
        wishes: what its goals ask for.
        key: which goals ask, of all that are solved as one.
        new_frame: the animation has set the pose anew.
        trusting: nobody can have changed more of it than its pose, if the key is the same.
        pulled: bones by which other characters hold it.
    """
    character = properties.character(armature_object)
    before = _kept.get(character.session_uid)
    render = depsgraph is not None and depsgraph.mode == "RENDER"
    source = armature_object.evaluated_get(depsgraph) if render and depsgraph else armature_object
    now = channels.read(source)
    same = character.posewright_anchor == key and not new_frame
    trusted = before if same and trusting else None
    if trusted and trusted.left and len(trusted.left[0].mode) != len(now.mode):
        trusted = None  # in Edit Mode, of another object with the same armature
    if trusted and trusted.aim and trusted.left and not len(trusted.rig.watched) and now.same(trusted.left[0]):
        now, start = trusted.left  # nobody but us has touched it: what was made of it is still right
        return Standing(trusted, now, start, trusted.aim, np.zeros(len(now.mode), np.bool_))
    _refuse_endless(character, now)
    aim, edited = _reference(character, key, now, new_frame, trusted)
    related = trusted.related if trusted else taking_part.of(armature_object, before.related if before else None)
    free = trusted.free if trusted else modes.free(armature_object, wishes, related.bones, pulled)
    bones = frozenset(bones_of(wishes)) | related.bones | pulled
    kept, start = rig_of(character, source, now, edited, trusted, bones, free)
    kept.related = related
    return Standing(kept, now, start, aim, edited)


def _refuse_endless(armature_object: bpy.types.Object, now: Channels) -> None:
    """Raise an error that names a bone whose pose is no number."""
    bad = np.flatnonzero(~np.isfinite(now.turned).all(axis=-1) | ~np.isfinite(now.location).all(axis=-1))
    if len(bad):
        bone = channels.pose_bones(armature_object)[int(bad[0])].name
        raise PosewrightError(f"the pose of {bone!r} is no number: clear it with Alt G and Alt R")


def settle(kept: Kept, aim: Reference, now: Channels, changed: bool) -> None:
    """Have the reference in the rig's terms: the same object, while it is the same."""
    if aim is not kept.aim or changed:
        kept.settles = rigs.values(kept.rig, aim.channels(now))
    kept.aim = aim


def anchor(character: Character, key: str) -> None:
    """Store which goals asked; nothing where relations were solved on request alone."""
    found = key if key != ALONE else ""
    if character.posewright_anchor != found:
        character.posewright_anchor = found


def key_of(wishes: Sequence[Wish]) -> str:
    """Which goals ask for something. When that changes, the pose that is there becomes the reference: none jumps."""
    return ";".join(
        f"{one.row}{'D' if one.goal.dragged else one.goal.state[0]}{one.goal.bone}" for one in wishes if not one.trouble
    )


def _reference(
    character: Character, key: str, now: Channels, new_frame: bool, trusted: Kept | None
) -> tuple[Reference, Bools]:
    """The reference for this solve, by what is stored and what has happened to the pose since; and to which bones."""
    aim = trusted.aim if trusted else None
    # Which goals ask may be animated: then the reference is the same on all frames.
    known = bool(character.posewright_anchor) if new_frame else character.posewright_anchor == key
    if aim is None and known:
        aim = reference.stored(character)
    if aim is None:
        aim = reference.of_pose(now)
        reference.store(character, aim)
        return aim, np.ones(len(now.mode), np.bool_)
    held = bool(aim.held.any())
    edited = aim.at_frame(now, animated.of(character)) if new_frame else aim.edited(now)
    if not new_frame and edited.any():
        aim.take(edited, now)
    if edited.any() or (held and new_frame):
        aim.leave(now)
        reference.store(character, aim)
    return aim, edited


def rig_of(
    character: Character,
    source: bpy.types.Object,
    now: Channels,
    edited: Bools,
    trusted: Kept | None,
    bones: frozenset[str],
    free: frozenset[str] | None,
) -> tuple[Kept, Floats]:
    """The rig as it was read before, if it still is right, else read anew; and the pose that is there, in its terms.

    Limits that gave way to a pose made by hand come back once that bone is turned again: they are read anew too.
    """
    kept = _kept.get(character.session_uid)
    moves = trusted.moves if trusted else pelvis.movers(character)
    sign = trusted.signature if trusted else signature.of(source, moves.translating)
    if kept is not None and kept.signature == sign and kept.moves == moves:
        if (kept.bones, kept.free) != (bones, free):
            rig = kept.rig if kept.bones == bones else rigs.part(kept.whole, bones)
            kept = _kept[character.session_uid] = Kept(sign, moves, kept.whole, rig, bones, free)
        start, gave_way = pose.fitting(kept.rig, source, now), {one.bone for one in kept.rig.widened}
        if start is not None and not any(kept.rig.bones[row] in gave_way for row in np.flatnonzero(edited)):
            return kept, start
    whole = armature.read(source, moves.translating)
    kept = _kept[character.session_uid] = Kept(sign, moves, whole, rigs.part(whole, bones), bones, free)
    outcome.note_frozen(character, whole.frozen)
    return kept, rigs.values(kept.rig, now)


def bones_of(wishes: Sequence[Wish]) -> list[str]:
    """The bones of which something is asked that can be done."""
    return [one.goal.bone for one in wishes if not one.trouble]
