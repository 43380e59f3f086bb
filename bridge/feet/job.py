"""Feet found, previewed and placed, in small steps: whoever runs it may show how far it is, or stop it.

Until the last step nothing is changed: closed before, it leaves everything as it was. A character that was never set up
is set up at once, because its limits count; that is taken back as well.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np

from ... import properties
from ...motion.feet import contacts as contacts_of
from ...motion.feet import floor as floors
from ...motion.feet import plan as plans
from ...motion.feet.ground import Flat, Ground
from ...motion.feet.plan import Plan
from ...motion.feet.walk import BALL, Bools
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import frame_ranges, live, pose, ready
from ..baking import playing, sampling, writing
from ..baking.job import Progress, nothing_collected, shown
from ..channels import Channels
from ..roles import stored as roles
from . import clip as clips
from . import ground as grounds
from . import preview as previews
from . import report as reports
from . import setting_up, solving, stored, switching
from .clip import Clip, Parts
from .preview import Footprint, Preview, Trouble, Way
from .report import Report
from .sole import Shape
from .stored import Row

READ, PLANNED, SOLVED = 0.4, 0.55, 0.9  # parts of the whole


class Settings(NamedTuple):
    """How feet are placed."""

    which: str = "ACTION"  # the range: SCENE, PREVIEW, ACTION, CUSTOM
    first: int = 1  # of CUSTOM
    last: int = 250
    whole_body: bool = True
    own_height: bool = True  # of a level ground
    own_slope: bool = True  # and it may slope, as the clip's own floor does
    height: float = 0.0  # of another
    slope: tuple[float, float] = (0.0, 0.0)  # of that: how much it rises along x and y
    plan: plans.Settings = plans.Settings()


class _Analysed(NamedTuple):
    clip: Clip
    ground: Ground
    soles: list[Shape]
    rows: list[Row]
    held: list[Bools]  # [F, 3] for each foot


def settings(armature_object: bpy.types.Object) -> Settings:
    """The settings that are stored with a character."""
    character = properties.character(armature_object)
    return Settings(
        which=character.posewright_feet_range,
        first=character.posewright_feet_first,
        last=character.posewright_feet_last,
        whole_body=character.posewright_feet_whole_body,
        own_height=character.posewright_feet_own_height,
        own_slope=character.posewright_feet_own_slope,
        height=character.posewright_feet_height,
        plan=plans.Settings(
            tilt=character.posewright_feet_tilt,
            shift=character.posewright_feet_shift,
            step=character.posewright_feet_step,
            clearance=character.posewright_feet_clearance,
            blend=character.posewright_feet_blend,
        ),
    )


def analyse(
    context: bpy.types.Context, armature_object: bpy.types.Object, how: Settings | None = None
) -> Generator[Progress, None, str]:
    """Find soles and contacts and store them. Returns what to say."""
    with nothing_collected(), _begun(context, armature_object):
        found = yield from _analysed(context, armature_object, how or settings(armature_object), 1.0)
    _keep(armature_object, found)
    feet = [f"{roles.in_words(leg.role)} {_count(found.rows, leg.role)}" for leg in found.clip.legs]
    by_hand = sum(one.by_hand for one in found.rows)
    said = f"{len(found.rows)} contacts: {', '.join(feet)}"
    return said + (f"; {by_hand} of them by hand" if by_hand else "")


def preview(
    context: bpy.types.Context, armature_object: bpy.types.Object, how: Settings | None = None
) -> Generator[Progress, None, Preview]:
    """Plan, and keep what is to be drawn; contacts and soles are stored."""
    how = how or settings(armature_object)
    with nothing_collected(), _begun(context, armature_object):
        found = yield from _analysed(context, armature_object, how, PLANNED)
        yield Progress(PLANNED, "planning")
        plan = plans.plan(found.clip.walk, found.held, found.ground, how.plan)
        yield Progress(SOLVED, "what is to be drawn")
        drawn = _drawn(found, plan)
    _keep(armature_object, found)
    previews.keep(armature_object, drawn)
    return drawn


def place(
    context: bpy.types.Context, armature_object: bpy.types.Object, how: Settings | None = None
) -> Generator[Progress, None, Report]:
    """Put the feet of a clip onto its ground: into a new action, with keys for the bones that it moves."""
    began, how = time.perf_counter(), how or settings(armature_object)
    with nothing_collected(), _begun(context, armature_object):
        found = yield from _analysed(context, armature_object, how, READ)
        yield Progress(READ, "planning")
        plan = plans.plan(found.clip.walk, found.held, found.ground, how.plan)
        yield Progress(PLANNED, "planned")
        count, part = len(found.clip.frames), SOLVED - PLANNED
        going = solving.solve(found.clip, plan)
        q = yield from shown(going, lambda done: Progress(PLANNED + part * done / count, f"{done} of {count} solved"))
        yield Progress(SOLVED, "measuring")
        told = reports.of(found.clip, found.held, plan, q, found.ground)
        yield Progress(SOLVED, "writing keys")
        keys = _keys(found.clip, q)
    _keep(armature_object, found)
    _write(armature_object, keys, found.clip.poses.at(0), told)
    previews.forget(armature_object)
    live.forget(armature_object)
    told.seconds = time.perf_counter() - began
    reports.store(armature_object, told)
    scene = context.scene
    assert scene is not None
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return told


@contextmanager
def _begun(context: bpy.types.Context, armature_object: bpy.types.Object) -> Iterator[None]:
    """What comes before the first step: a look at what would not do, and a set-up where there is none."""
    _refuse(armature_object)
    with setting_up.for_now(armature_object, context.evaluated_depsgraph_get()):
        yield


def _analysed(
    context: bpy.types.Context, armature_object: bpy.types.Object, how: Settings, whole: float
) -> Generator[Progress, None, _Analysed]:
    """Step through the frames and find contacts; afterwards frame and poses are as they were."""
    scene = context.scene
    assert scene is not None
    with switching.source(armature_object):
        frames = frame_ranges.frames_of(armature_object, scene, how.which, (how.first, how.last), 1)
        parts, things = Parts(armature_object, how.whole_body), grounds.wanted(armature_object)
        shapes = stored.soles(armature_object, parts.legs)
        watching = grounds.Watching(armature_object, things) if things else None
        with sampling.stepping(armature_object, scene):
            going = clips.read(context, armature_object, frames, parts, shapes, watching)
            clip = yield from shown(
                going, lambda done: Progress(whole * done / len(frames), f"frame {frames[done - 1]}")
            )
    walk = clip.walk
    by_speed = [contacts_of.find(foot, walk.seconds, walk.size) for foot in walk.feet]
    rows = stored.merged(stored.rows(armature_object), clip.legs, clip.frames, by_speed)
    held = stored.held(rows, clip.legs, clip.frames)
    ground: Ground = floors.own(walk, held, how.own_slope) if how.own_height else Flat(how.height, how.slope)
    if watching is not None:
        ground = watching.ground(walk.size)
    return _Analysed(clip, ground, shapes, rows, held)


def _refuse(armature_object: bpy.types.Object) -> None:
    """Raise an error that says why the feet of a character cannot be placed, before anything is done."""
    if reason := ready.why_not(armature_object):
        raise PosewrightError(reason)
    character, name = properties.character(armature_object), armature_object.name
    if character.posewright_live and any(True for _ in properties.asking(armature_object)):
        raise PosewrightError(f"Goals of {name!r} are live: bake them first, or switch Live off")
    animation = armature_object.animation_data
    if animation is None or (animation.action is None and not len(animation.nla_tracks)):
        raise PosewrightError(f"{name!r} has no animation: give it the action of a clip first")
    if animation.use_tweak_mode:
        raise PosewrightError("An NLA strip is being tweaked: leave tweak mode first")
    if animation.use_nla and any(track.is_solo for track in animation.nla_tracks):
        raise PosewrightError("An NLA track is soloed: what is placed would not be seen; click its star off first")


def _keep(armature_object: bpy.types.Object, found: _Analysed) -> None:
    stored.keep_soles(armature_object, found.clip.legs, found.soles)
    stored.keep(armature_object, found.rows)


def _count(rows: Sequence[Row], role: str) -> int:
    return sum(one.foot == role for one in rows)


def _keys(clip: Clip, q: Floats) -> list[writing.Keys]:
    """The keys of all bones that are not as in the clip."""
    rig, own = clip.rig, np.zeros(len(clip.rig.bones), np.bool_)
    own[rig.euler.bone] = True
    after = pose.posed(rig, q, clip.poses)
    turning, moving = playing.differing(clip.poses, after, rig.scale)
    tracks = playing.played([after], own).tracks(turning, moving)
    return writing.on_every_frame(tracks, clip.frames.tolist())


def _write(armature_object: bpy.types.Object, keys: Sequence[writing.Keys], rests: Channels, told: Report) -> None:
    """Write keys into a new action; if that fails, everything is as it was."""
    place = switching.open_place(armature_object, keys, rests)
    try:
        for one in keys:
            writing.write(armature_object, place.bag, one, "BEZIER")
            told.keys += len(one.frames)
    except Exception:
        switching.back(armature_object)
        raise
    told.action, told.bones = place.action.name, len({one.row for one in keys})


def _drawn(found: _Analysed, plan: Plan) -> Preview:
    clip = found.clip
    frames, ways = clip.frames, list[Way]()
    for leg, foot, planned in zip(clip.legs, clip.walk.feet, plan.feet, strict=True):
        after = replace(foot, ankle=planned.ankle, toe=planned.toe)
        over = np.maximum(foot.soles()[..., 2], after.soles()[..., 2]).max(axis=1) + 1.0
        heights = [_heights(each.soles(), over, found.ground) for each in (foot, after)]
        soles = np.array([_around(one) for one in after.soles()])
        ways.append(Way(leg.role, foot.part(BALL), after.part(BALL), soles, planned.held, heights[0], heights[1]))
    prints = [
        Footprint(
            clip.legs[one.foot].role, int(frames[one.first]), int(frames[one.last]), _around(one.outline), one.thing < 0
        )
        for one in plan.stances
    ]
    troubles = [Trouble(int(frames[one.frame]), one.foot, one.words) for one in plan.troubles]
    return Preview(frames, ways, prints, troubles)


def _heights(soles: Floats, over: Floats, ground: Ground) -> Floats:
    """The lowest point of a sole [F, P, 3] above the ground that is seen from some height [F]; NaN where there is none.

    Before and after are held against the same ground: a clip deep inside of it sees none, or another, from where it is.
    Of points in the ground the way to the nearest surface counts: a toe a hair behind a riser is not a stair deep.
    """
    count, points, _ = soles.shape
    flat, at = soles.reshape(-1, 3), np.repeat(np.arange(count), points)
    starts = np.column_stack([flat[:, :2], np.repeat(over, points)])
    hits = ground.below(starts, at, float((starts[:, 2] - flat[:, 2]).max(initial=0.0)) + 2.0)
    above = np.where(hits.found, flat[:, 2] - hits.places[:, 2], np.inf)
    under = np.flatnonzero(above < 0.0)
    depth = ground.depth(flat[under], at[under])
    above[under] = np.where(depth > 0.0, np.maximum(above[under], -depth), above[under])
    lowest = above.reshape(count, points).min(axis=1)
    found: Floats = np.where(np.isfinite(lowest), lowest, np.nan)
    return found


def _around(outline: Floats) -> Floats:
    """The points of a sole [P, 3], which come in pairs from heel to toe, in order around it."""
    found: Floats = np.concatenate([outline[::2], outline[1::2][::-1]])
    return found
