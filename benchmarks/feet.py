"""Feet put onto grounds, measured: whether they sink, float, slide, stretch or shake, and how long it takes.

Run: python -m posewright.benchmarks.feet [CLIP.bvh ...], in a Python with bpy. CMU's clips (POSEWRIGHT_DATA) are baked
on a MakeHuman body by `posewright.follow_motion`, then put onto grounds that are made in code (grounds.py). All figures
are of the poses that Blender shows when it plays what was made.
"""

import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import bpy  # first: it makes the next one importable
import numpy as np

from .. import bridge, register
from ..bridge.baking import job as baking_job
from ..bridge.baking import sampling
from ..bridge.feet import clip as clips
from ..bridge.feet import ground as grounds_of
from ..bridge.feet import job, stored, switching
from ..bridge.feet.clip import Clip, Parts
from ..motion.feet import floor, measure
from ..motion.feet.ground import Ground
from ..motion.feet.walk import PARTS, Bools
from . import grounds
from .baking import driven, poses, scene
from .grounds import Path
from .robots import Floats

FRAMES = 300
BOUND = 0.005  # metres: that a sole may be under the ground, above it in contact, and slide
SAME, TURNED = 0.001, 0.2  # metres and degrees: less is no change
SHOWN = 5e-4  # metres: slides that differ by less are the same


class Seen(NamedTuple):
    """What Blender plays."""

    clip: Clip
    ground: Ground
    shown: Floats  # [F, B, 4, 4]


def run(steps: Any) -> Any:  # noqa: ANN401 - a generator, and what it returns
    """Do all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def walking(name: str) -> Any:  # noqa: ANN401
    """A MakeHuman body with a clip of its own, at the clip's own speed."""
    body, source = driven(name)
    scene().render.fps = 120
    baking_job.finish(baking_job.bake(bpy.context, body, baking_job.stored(body)))
    bpy.data.objects.remove(source)
    body.posewright_feet_range = "SCENE"
    return body


def look(body: Any) -> Seen:  # noqa: ANN401
    """Step through the frames and see what is played, and on what."""
    frames = range(scene().frame_start, scene().frame_end + 1)
    parts = Parts(body, whole_body=True)
    things = grounds_of.wanted(body)
    watching = grounds_of.Watching(body, things) if things else None
    with sampling.stepping(body, scene()):
        found = run(clips.read(bpy.context, body, frames, parts, stored.soles(body, parts.legs), watching))
        shown, _ = poses(body, frames)
    if watching is not None:
        return Seen(found, watching.ground(found.walk.size), shown)
    held = stored.held(stored.rows(body), found.legs, found.frames)
    return Seen(found, floor.own(found.walk, held, body.posewright_feet_own_slope), shown)


def path_of(body: Any) -> Path:  # noqa: ANN401
    """The way that a body goes, from its first frame on, on its own ground, taken as level."""
    body.posewright_feet_own_slope = False
    run(job.analyse(bpy.context, body))
    seen = look(body)
    places = seen.clip.walk.pelvis.places
    ground: Any = seen.ground
    return Path(places[0], places[-1] - places[0], ground.height)


def _platform(path: Path) -> Any:  # noqa: ANN401
    return grounds.platform(path, scene().frame_start, scene().frame_end)


GROUNDS: dict[str, Callable[[Path], Any] | None] = {
    "flat": None,
    "own floor": None,
    "ramp": grounds.ramp,
    "across": grounds.across,
    "stairs": grounds.stairs,
    "terrain": grounds.terrain,
    "platform": _platform,
}


def placed(name: str, what: str, body: Any, path: Path, make: Callable[[Path], Any] | None) -> str:  # noqa: ANN401
    """Put a clip onto a ground and measure it."""
    thing = make(path) if make else None
    body.posewright_feet_ground, body.posewright_feet_object = ("OBJECT", thing) if thing else ("FLAT", None)
    body.posewright_feet_own_slope = what == "own floor"
    drawn = run(job.preview(bpy.context, body))
    found = stored.rows(body)
    before = look(body)
    report = run(job.place(bpy.context, body))
    after = look(body)
    line = f"{name} {what}: {figures(before, after, [one.contacts for one in drawn.ways])}"
    line += f"; {report.frames} frames in {report.seconds:.1f} s; pops {len(report.pops)}"
    if report.troubles:
        line += f"; {len(report.troubles)} troubles, first: {report.troubles[0]}"
    if thing is None:
        held = stored.held(found, before.clip.legs, before.clip.frames)
        line += f"; {unchanged(before, after)}; {within(body, before, after, held)}; {again(body, before.ground)}"
    else:
        switching.back(body)
        bpy.data.objects.remove(thing)
    return line


def figures(before: Seen, after: Seen, held: list[Bools]) -> str:
    """The lines of what must be shown."""
    ground = before.ground
    was = measure.measure(before.clip.walk, held, ground)
    now = measure.measure(after.clip.walk, held, ground)
    worst, kept = 0.0, 0.0
    for one, other in zip(was.slides, now.slides, strict=True):
        worst = max(worst, other.metres)
        if other.metres > 0.001 and one.metres > SHOWN:
            kept = max(kept, other.metres / one.metres)
    said = [
        f"under the ground {100 * was.depth.max():.2f} -> {100 * now.depth.max():.3f} cm",
        f"above it in contact {_worst(was.gap):.2f} -> {_worst(now.gap):.3f} cm",
        f"slide {100 * max((one.metres for one in was.slides), default=0.0):.2f} -> {100 * worst:.3f} cm"
        f" (of {len(now.slides)} contacts; of those above 1 mm, at most {100 * kept:.0f} % is left)",
        f"leg {100 * (now.stretch.max() / was.stretch.max() - 1.0):+.2f} %",
        f"joint acceleration x {accelerations(after) / accelerations(before):.2f}",
        f"limits broken: {_broken(before.clip, after.clip) or 'none'}",
    ]
    deep = np.argwhere(now.depth > 0.005)
    if len(deep):
        frames = sorted({int(before.clip.frames[frame]) for _, frame in deep})
        said.append(f"deeper than 0.5 cm on {len(deep)} of {now.depth.size}, first on frame {frames[0]}")
    slid = [one for one in now.slides if one.metres > 0.005]
    if slid:
        said.append(
            "slid: "
            + ", ".join(
                f"{before.clip.walk.feet[one.foot].name} {PARTS[one.part]} {before.clip.frames[one.first]}-"
                f"{before.clip.frames[one.last]} {100 * one.metres:.2f}"
                for one in slid[:4]
            )
        )
    return ", ".join(said)


def _worst(gap: Floats) -> float:
    finite = gap[np.isfinite(gap)]
    return 100.0 * float(finite.max(initial=0.0))


def _broken(before: Clip, after: Clip) -> str:
    """Limits that give way to the result by more than to the source."""
    own = {(one.bone, one.axis): one.by for one in before.gave_way}
    found = [
        f"{one.bone} {one.axis} {math.degrees(one.by):.3f}"
        for one in after.gave_way
        if one.by > own.get((one.bone, one.axis), 0.0) + 1e-4
    ]
    return ", ".join(found)


def accelerations(seen: Seen) -> float:
    """The mean acceleration of all joints in the world, as the benchmark `motion` counts jitter: metres a frame² ."""
    places = np.einsum("fij,fbj->fbi", seen.clip.worlds[:, :3, :3], seen.shown[..., :3, 3])
    places += seen.clip.worlds[:, None, :3, 3]
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=-1).mean())


def again(body: Any, ground: Any) -> str:  # noqa: ANN401
    """Put what was placed onto the same floor once more, contacts found anew: nothing is to be changed."""
    action, rows = body.animation_data.action, stored.rows(body)
    seen = look(body)
    switching.back(body)
    former = body.animation_data.action
    _play(body, action)
    how = job.settings(body)._replace(own_height=False, height=ground.height, slope=ground.slope)
    stored.keep(body, [])
    run(job.analyse(bpy.context, body, how))
    run(job.place(bpy.context, body, how))
    found = f"placed again, it {unchanged(seen, look(body))}"
    switching.back(body)
    _play(body, former)
    stored.keep(body, rows)
    return found


def _play(body: Any, action: Any) -> None:  # noqa: ANN401
    body.animation_data.action = action
    if hasattr(body.animation_data, "action_slot") and len(action.slots):
        body.animation_data.action_slot = action.slots[0]


def unchanged(before: Seen, after: Seen) -> str:
    """How far the result is from the source on level ground, at the most and on the middle frame."""
    moved, turned = (each.max(axis=1) for each in changes(before, after))
    same = (moved < 0.001) & (turned < 0.2)
    return (
        f"differs by at most {1000 * moved.max():.2f} mm and {turned.max():.2f} degrees, on the middle frame by "
        f"{1000 * np.median(moved):.2f} and {np.median(turned):.2f}; {np.count_nonzero(same)} of {len(same)} frames "
        "within 1 mm and 0.2 degrees"
    )


def changes(before: Seen, after: Seen) -> tuple[Floats, Floats]:
    """How far bones are moved [F, B], metres, and turned [F, B], degrees."""
    moved = np.linalg.norm(after.shown[..., :3, 3] - before.shown[..., :3, 3], axis=-1)
    sine = np.linalg.norm(after.shown[..., :3, :3] - before.shown[..., :3, :3], axis=(-2, -1)) / math.sqrt(8.0)
    return moved, np.degrees(2.0 * np.arcsin(np.minimum(1.0, sine)))


def within(body: Any, before: Seen, after: Seen, held: list[Bools]) -> str:  # noqa: ANN401
    """What is changed on frames on which the source is within bounds: nothing, apart from its slide.

    All contacts of captured clips slide. A foot that is held goes aside, and about the upright; thigh, shin and toe
    follow. So of feet heights and tilts are held against the source, and of bones beside the legs everything.
    """
    was = measure.measure(before.clip.walk, held, before.ground)
    right = (was.depth.max(axis=0) <= BOUND) & (np.nan_to_num(was.gap).max(axis=0) <= BOUND)
    slides = np.zeros(len(right), np.bool_)
    for slide in was.slides:
        slides[slide.first : slide.last + 1] |= slide.metres > BOUND
    legs = {leg.hip for leg in before.clip.legs}
    bones = [{bone.name, *(above.name for above in bone.parent_recursive)} for bone in body.pose.bones]
    beside = np.array([not legs & each for each in bones])
    moved, turned = changes(before, after)
    high, tilted = np.zeros(len(right)), np.zeros(len(right))
    for one, other in zip(before.clip.walk.feet, after.clip.walk.feet, strict=True):
        high = np.maximum(high, np.abs((other.ankle.places - one.ankle.places)[:, 2]))
        lean = (other.ankle.turns @ one.ankle.turns.swapaxes(1, 2))[:, 2, 2]
        tilted = np.maximum(tilted, np.degrees(np.arccos(np.minimum(lean, 1.0))))
    if not right.any():
        return "on no frame the source is within bounds"
    body_moved, body_turned = moved[:, beside].max(axis=1), turned[:, beside].max(axis=1)
    same = (np.maximum(body_moved, high) <= SAME) & (np.maximum(body_turned, tilted) <= TURNED)
    quite = (moved.max(axis=1) <= SAME) & (turned.max(axis=1) <= TURNED)
    return (
        f"the source is within bounds on {right.sum()} of {len(right)} frames, without a contact that slides by more "
        f"on {(right & ~slides).sum()}; of these unchanged: all bones on {(right & quite).sum()} and "
        f"{(right & ~slides & quite).sum()}; but for slide on {(right & same).sum()} (beside the legs moved "
        f"{_spread(1000 * body_moved[right])} mm, turned {_spread(body_turned[right])} degrees; feet up or down "
        f"{_spread(1000 * high[right])} mm, tilted {_spread(tilted[right])} degrees)"
    )


def _spread(values: Floats) -> str:
    return f"{np.median(values):.2f}, at most {values.max():.2f}"


def times(body: Any) -> str:  # noqa: ANN401
    """300 frames over 100,352 triangles, against Blender's bare stepping through the same frames."""
    path = path_of(body)
    thing = grounds.terrain(path, cells=224)
    first, last = scene().frame_start, scene().frame_end
    scene().frame_end = min(last, first + FRAMES - 1)
    body.posewright_feet_ground, body.posewright_feet_object = "OBJECT", thing
    spent: dict[str, list[float]] = {"bare": [], "place": []}
    run(job.place(bpy.context, body))
    switching.back(body)
    for _ in range(5):
        with bridge.watch.undisturbed():
            began = time.perf_counter()
            for frame in range(first, scene().frame_end + 1):
                scene().frame_set(frame)
            spent["bare"].append(time.perf_counter() - began)
        began = time.perf_counter()
        run(job.place(bpy.context, body))
        spent["place"].append(time.perf_counter() - began)
        switching.back(body)
    count, faces = scene().frame_end + 1 - first, len(thing.data.polygons)
    scene().frame_end = last
    bpy.data.objects.remove(thing)
    body.posewright_feet_ground = "FLAT"
    bare, place = (float(np.median(spent[name])) for name in ("bare", "place"))
    ratios = ", ".join(f"{two / one:.2f}" for one, two in zip(spent["bare"], spent["place"], strict=True))
    return (
        f"{count} frames over {faces} triangles: {1000 * place:.0f} ms, bare stepping {1000 * bare:.0f} ms: "
        f"{place / bare:.2f} times that ({ratios})"
    )


def main() -> None:
    """Write a line for each."""
    register()
    sys.stdout.write(f"Blender {bpy.app.version_string}\n")
    for name in sys.argv[1:] or ("07_01.bvh", "36_01.bvh"):
        body = walking(name)
        if name == "07_01.bvh":
            sys.stdout.write(f"{times(body)}\n")
            sys.stdout.flush()
        path = path_of(body)
        for what, make in GROUNDS.items():
            sys.stdout.write(f"{placed(name, what, body, path, make)}\n")
            sys.stdout.flush()
    os._exit(0)  # Blender's own end crashes now and then


if __name__ == "__main__":
    main()
