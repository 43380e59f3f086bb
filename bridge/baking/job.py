"""A bake from beginning to end, in small steps: whoever runs it may show how far it is, or stop it."""

import gc
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import bpy
import numpy as np

from ... import properties
from ...solvers.errors import PosewrightError
from .. import animated, channels, frame_ranges, live, pose, ready, together
from ..channels import Bools, Channels
from . import actions, playing, reducing, report, sampling, solving, writing
from .report import Report
from .spans import Span

N = TypeVar("N")
T = TypeVar("T")
SAMPLED, SOLVED = 0.45, 0.95  # parts of the whole: how far it is when all frames are sampled, and solved


class Settings(NamedTuple):
    """How to bake."""

    which: str = "SCENE"  # the range: SCENE, PREVIEW, ACTION, CUSTOM
    first: int = 1  # of CUSTOM
    last: int = 250
    step: int = 1
    where: str = "NEW"  # NEW, OVER, NLA
    interpolation: str = "BEZIER"
    carry_on: bool = False
    speed: float = 0.0  # radians a second that joints turn at most; 0 for any speed
    calm: float = 0.0  # metres that goals may be off for a smoother motion; 0 for none
    reduce: bool = False  # to the fewest keys
    metres: float = 0.001  # that goals may be off for that
    radians: float = 0.0087  # that each bone may


class Progress(NamedTuple):
    """How far a job is."""

    part: float  # 0 to 1
    words: str


Steps = Generator[Progress, None, Report]


class _Solved(NamedTuple):
    """One of the characters that are baked."""

    thing: bpy.types.Object
    parts: list[solving.Solved]
    report: Report


class _Ready(NamedTuple):
    """All that is to be written of one."""

    solved: _Solved
    keys: list[writing.Keys]
    moved: Bools  # [B], the bones that have keys


def stored(armature_object: bpy.types.Object) -> Settings:
    """The settings that are stored with a character."""
    character = properties.character(armature_object)
    return Settings(
        which=character.posewright_bake_range,
        first=character.posewright_bake_first,
        last=character.posewright_bake_last,
        step=character.posewright_bake_step,
        where=character.posewright_bake_where,
        interpolation=character.posewright_bake_interpolation,
        carry_on=character.posewright_bake_carry_on,
        speed=character.posewright_bake_speed,
        calm=character.posewright_bake_smooth_far if character.posewright_bake_smooth else 0.0,
        reduce=character.posewright_bake_reduce,
        metres=character.posewright_bake_reduce_far,
        radians=character.posewright_bake_reduce_turn,
    )


def bake(context: bpy.types.Context, armature_object: bpy.types.Object, settings: Settings) -> Steps:
    """Bake a character. Until the last step nothing is changed: closed before, it leaves everything as it was.

    Those that hold it, or that it holds, are baked with it: a hand that is held would not be there otherwise.

    Raises an error that says what is wrong with the request, at the first step or when all frames were seen.
    """
    character = properties.character(armature_object)
    if character.posewright_bake and not character.posewright_live:
        name = armature_object.name
        raise PosewrightError(
            f"{name!r} is baked: go back to live first, or switch Live on to bake above what it plays"
        )
    actions.refuse(armature_object, settings.where)
    with nothing_collected():
        return (yield from _bake(context, armature_object, settings))


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Meanwhile Python does not look for garbage: a bake makes none in circles, and a third of its time went there."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _bake(context: bpy.types.Context, armature_object: bpy.types.Object, settings: Settings) -> Steps:
    began, scene = time.perf_counter(), context.scene
    assert scene is not None
    every = yield from _solved(context, armature_object, settings)
    for one in every:
        actions.refuse(one.thing, settings.where)
    prepared = list[_Ready]()
    for one in every:
        prepared.append((yield from _ready(one, settings)))
    _write_all(prepared, settings)
    for one, _, moved in prepared:
        _put_still_bones(one.thing, one.parts[0].span.rests.at(0), moved)
        properties.character(one.thing).posewright_live = False
        live.forget(one.thing)
        one.report.seconds = time.perf_counter() - began
        report.store(one.thing, one.report)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return every[0].report


def _ready(solved: _Solved, settings: Settings) -> Generator[Progress, None, _Ready]:
    """The keys of one."""
    spans, found = [one.span for one in solved.parts], solved.report
    frames = [frame for span in spans for frame in span.frames]
    words = "leaving out keys" if settings.reduce else "writing keys"
    played, turning, moving = yield from shown(playing.play(solved.parts), lambda _: Progress(SOLVED, words))
    tracks = played.tracks(turning, moving)
    if settings.reduce:
        going = reducing.reduce(spans, played, tracks, settings.metres, settings.radians)
        keys, said = yield from shown(going, lambda count: Progress(SOLVED, f"{count} keys are tried"))
        found.notes += [said] * bool(said)
    else:
        keys = writing.on_every_frame(tracks, frames)
    found.every_frame = len(tracks) * len(frames)
    return _Ready(solved, keys, turning | moving)


def _write_all(prepared: Sequence[_Ready], settings: Settings) -> None:
    """Write the keys of all; if that fails for one, everything is as it was."""
    done = list[bpy.types.Object]()
    try:
        for solved, keys, _ in prepared:
            _write(solved.thing, settings, keys, solved.report)
            done.append(solved.thing)
    except Exception:  # whatever it is: one that is baked without its partner would be worse
        for thing in done:
            actions.go_back(thing)
        raise
    actions.share_former(done)
    names = [one.solved.thing.name for one in prepared]
    for one in prepared if len(prepared) > 1 else ():
        others = [name for name in names if name != one.solved.thing.name]
        actions.note_partners(one.solved.thing, others)
        one.solved.report.notes.append(f"Baked together with {', '.join(others)}")


def look(context: bpy.types.Context, armature_object: bpy.types.Object, settings: Settings) -> Steps:
    """What a bake would come to; nothing is changed."""
    began = time.perf_counter()
    solved, *_ = yield from _solved(context, armature_object, settings)
    solved.report.seconds = time.perf_counter() - began
    return solved.report


def _solved(
    context: bpy.types.Context, armature_object: bpy.types.Object, settings: Settings
) -> Generator[Progress, None, list[_Solved]]:
    """Sample and solve all frames, of the character and those with it; afterwards frame and poses are as they were."""
    scene = context.scene
    assert scene is not None
    if reason := ready.why_not(armature_object):
        raise PosewrightError(reason)
    own = settings.first, settings.last
    frames = frame_ranges.frames_of(armature_object, scene, settings.which, own, settings.step)
    partners = [one for one in together.partners.group(armature_object, ever=True) if one != armature_object]
    samplers, count = together.baking.Samplers([armature_object, *partners]), len(frames)
    with sampling.stepping(armature_object, scene, *partners):
        depsgraph = context.evaluated_depsgraph_get()
        for done, frame in enumerate(frames, 1):
            samplers.look(scene, depsgraph, frame)
            yield Progress(SAMPLED * done / count, f"frame {frame}")
        looking = samplers.spans(scene, depsgraph)
        spans = yield from shown(looking, lambda _: Progress(SAMPLED, f"{count} frames were looked at"))
        baked = sorted(samplers.held() | {0})
        _refuse_empty([span for one in baked for span in spans[one]], samplers)
        part = (SOLVED - SAMPLED) / count / len(baked)
        solved = yield from shown(
            samplers.solve(spans, _manner(scene, settings)),
            lambda done: Progress(SAMPLED + part * done, f"{done:.0f} of {count} frames solved"),
        )
    found = list[_Solved]()
    for one in baked:
        said = report.measure(samplers.things[one], solved[one])
        said.left_out = samplers.each[one].troubles
        found.append(_Solved(samplers.things[one], solved[one], said))
    return found


def finish(steps: Steps) -> Report:
    """Do all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Report = end.value
            return found


def shown(going: Generator[N, None, T], told: Callable[[N], Progress]) -> Generator[Progress, None, T]:
    """A part of the job that tells in its own way how far it is."""
    while True:
        try:
            now = next(going)
        except StopIteration as end:
            found: T = end.value
            return found
        yield told(now)


def _refuse_empty(spans: list[Span], samplers: "together.baking.Samplers") -> None:
    if any(span.asks for span in spans):
        return
    if samplers.troubles:
        name, trouble = next(iter(samplers.troubles.items()))
        is_goal = any(name in one.character.posewright_goals for one in samplers.each)
        raise PosewrightError(f"The {'goal' if is_goal else 'relation'} {name!r}: {trouble}")
    first, last = spans[0].frames[0], spans[-1].frames[-1]
    raise PosewrightError(f"No goal is pinned or follows anything from frame {first} to {last}: nothing to bake")


def _manner(scene: bpy.types.Scene, settings: Settings) -> solving.Manner:
    seconds = settings.step * scene.render.fps_base / scene.render.fps
    return solving.Manner(settings.carry_on, settings.speed or math.inf, settings.calm, seconds)


def _write(armature_object: bpy.types.Object, settings: Settings, keys: list[writing.Keys], found: Report) -> None:
    """Write all keys into the action that they belong to; if that fails, everything is as it was."""
    animation = armature_object.animation_data
    if settings.where == "OVER" and animation is not None and animation.action is not None:
        for curves in actions.curves_of(armature_object):
            writing.refuse_locked(armature_object, curves, keys)
    place = actions.open_place(armature_object, settings.where)
    try:
        frames = np.unique(np.concatenate([one.frames for one in keys])) if keys else np.zeros(0)
        times = np.array([actions.to_action_time(armature_object, frame) for frame in frames.tolist()])
        interpolation = "BEZIER" if settings.reduce else settings.interpolation
        for one in keys:
            in_action = one._replace(frames=times[np.searchsorted(frames, one.frames)])
            writing.write(armature_object, place.bag, in_action, interpolation)
            found.keys += len(one.frames)
        actions.close_place(armature_object, settings.where, place, found.first)
    except Exception:  # whatever it is: half of the keys would be worse
        actions.go_back(armature_object)
        raise
    found.action, found.bones = place.action.name, len({one.row for one in keys})
    if not found.keys:
        found.notes.append(found.why_no_keys())
    above = actions.additive_above(armature_object, settings.where)
    if above:
        found.notes.append(f"NLA strips above change what was baked: {', '.join(above)}")


def _put_still_bones(armature_object: bpy.types.Object, rests: Channels, keyed: Bools) -> None:
    """Bones that goals did not move have no keys: where nothing else animates them, they go to their reference."""
    now, sets = channels.read(armature_object), animated.of(armature_object)
    moved = keyed.copy()
    if sets is not None:
        moved |= sets.rotation(now.mode) | sets.translation()
    pose.put(armature_object, now, rests.but_for(moved, now))
