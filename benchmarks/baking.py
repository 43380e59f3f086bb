"""Baking, measured: whether it is what was seen, how long it takes, how few keys will do, whether anything flips.

Run: python -m posewright.benchmarks.baking [CLIP.bvh ...], in a Python with bpy. CMU's clips (POSEWRIGHT_DATA) drive a
MakeHuman body of other proportions by `posewright.follow_motion`. A figure of 70 bones whose six goals follow Empties
is baked for the time, against Blender's stepping through the same frames, before the bake and after it.
"""

import math
import os
import sys
import time
from typing import Any

import bpy  # first: it makes the next one importable

import addon_utils  # isort: skip
import numpy as np

from .. import bridge, register
from ..bridge.baking import job
from .figure import REACHING, character
from .live import add_followers, circle
from .robots import DATA, Floats

FRAMES = 300
MILLIMETRE, HALF_DEGREE = 0.001, math.radians(0.5)


def scene() -> Any:  # noqa: ANN401 - by its type, a context may have none
    """The scene there is."""
    return bpy.context.scene


def driven(clip: str) -> tuple[Any, Any]:
    """MakeHuman's body that follows a clip, and the clip's armature."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name in ("io_anim_bvh", "io_scene_gltf2"):
        addon_utils.enable(name)
    operators: Any = bpy.ops
    operators.import_scene.gltf(filepath=str(DATA / "characters" / "makehuman_game_engine.glb"))
    body = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    operators.import_anim.bvh(filepath=str(DATA / "bvh" / clip), global_scale=0.0564)
    source: Any = next(one for one in bpy.data.objects if one.type == "ARMATURE" and one != body)
    scene().frame_start, scene().frame_end = 2, int(source.animation_data.action.frame_range[1])
    scene().frame_set(2)  # these clips have a T-pose for their first frame
    context: Any = bpy.context
    context.view_layer.objects.active = body
    operators.posewright.set_up()
    operators.posewright.follow_motion(source=source.name)
    return body, source


def poses(body: Any, frames: range) -> tuple[Floats, float]:  # noqa: ANN401
    """Where Blender shows the bones on frames [F, B, 4, 4], and the seconds of stepping through them."""
    found, seconds = [], 0.0
    for frame in frames:
        began = time.perf_counter()
        scene().frame_set(frame)
        seconds += time.perf_counter() - began
        found.append(np.array([bone.matrix for bone in body.pose.bones], float))
    return np.array(found), seconds


def degrees(one: Floats, other: Floats) -> float:
    """The largest angle between rotations [..., 3, 3]."""
    sine = np.linalg.norm(one - other, axis=(-2, -1)) / math.sqrt(8.0)
    return float(np.degrees(2.0 * np.arcsin(np.minimum(1.0, sine))).max())


def keys_of(thing: Any) -> dict[tuple[str, int], tuple[tuple[float, ...], ...]]:  # noqa: ANN401
    """All keys of an object's action."""
    return {
        (curve.data_path, curve.array_index): tuple(tuple(point.co) for point in curve.keyframe_points)
        for curve in bridge.action_curves.of_action(thing.animation_data.action, thing)
    }


def walk(clip: str) -> str:
    """Bake 300 frames of a clip; hold what plays against what live posing showed."""
    body, source = driven(clip)
    scene().frame_end = FRAMES + 1
    frames, before = range(2, FRAMES + 2), keys_of(source)
    live, _ = poses(body, frames)
    bpy.ops.ed.undo_push(message="Before")
    found = job.finish(job.bake(bpy.context, body, job.stored(body)))
    bpy.ops.ed.undo_push(message="Bake")
    baked, _ = poses(body, frames)
    flips = _flips(body)
    moved = {path.split('"')[1] for path, _ in keys_of(body)}
    still = {bone.name for row, bone in enumerate(body.pose.bones) if not _turns(body, live, row)}
    name, same = body.name, keys_of(source) == before
    bpy.ops.ed.undo()
    body = bpy.data.objects[name]
    undone = body.animation_data is None or body.animation_data.action is None
    return (
        f"{clip}: bake against live {degrees(baked[..., :3, :3], live[..., :3, :3]):.6f} degrees, "
        f"{1000 * np.abs(baked - live)[..., :3, 3].max():.5f} mm; {found.words()}; still bones with keys: "
        f"{sorted(moved & still)}; source as it was: {same}; undone in one step: {undone and body.posewright_live}; "
        f"largest step of a key, in a quaternion or radians: {flips:.3f}"
    )


def _turns(body: Any, live: Floats, row: int) -> bool:  # noqa: ANN401
    """Whether a bone turns in its parent over the frames."""
    bone = body.pose.bones[row]
    own = live[:, row, :3, :3]
    if bone.parent:
        own = live[:, list(body.pose.bones).index(bone.parent), :3, :3].transpose(0, 2, 1) @ own
    rest = np.array(
        (bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local) if bone.parent else bone.bone.matrix_local
    )
    return bool(degrees(own, np.broadcast_to(rest[:3, :3], own.shape)) > 0.002)


def _flips(body: Any) -> float:  # noqa: ANN401
    """The largest step from key to key."""
    keyed = (points for (path, _), points in keys_of(body).items() if "rotation" in path)
    return max(float(np.abs(np.diff([value for _, value in points])).max(initial=0.0)) for points in keyed)


def turning(clip: str) -> str:
    """Bake a clip with Euler angles: the largest step of an angle, and of the bone itself."""
    body, _ = driven(clip)
    for bone in body.pose.bones:
        bone.rotation_mode = "XYZ"
    job.finish(job.bake(bpy.context, body, job.stored(body)))
    angles = _flips(body)
    shown, _ = poses(body, range(scene().frame_start, scene().frame_end + 1))
    return f"{clip}: XYZ, largest step of an angle {math.degrees(angles):.2f} degrees, of a bone in the world " + (
        f"{degrees(shown[1:, :, :3, :3], shown[:-1, :, :3, :3]):.2f}"
    )


def fewest(clip: str) -> str:
    """Bake a whole clip to the fewest keys for 1 mm and 0.5°; hold every frame against a key on each."""
    body, _ = driven(clip)
    frames = range(scene().frame_start, scene().frame_end + 1)
    job.finish(job.bake(bpy.context, body, job.stored(body)))
    dense, _ = poses(body, frames)
    operators: Any = bpy.ops
    operators.posewright.bake_back()
    found = job.finish(job.bake(bpy.context, body, job.stored(body)._replace(reduce=True)))
    few, _ = poses(body, frames)
    rows = {bone.name: row for row, bone in enumerate(body.pose.bones)}
    goals = [rows[goal.bone] for goal in body.posewright_goals if goal.state == "FOLLOWING" and goal.position]
    parents = [rows[bone.parent.name] if bone.parent else -1 for bone in body.pose.bones]
    off = 1000.0 * np.linalg.norm(few[:, goals, :3, 3] - dense[:, goals, :3, 3], axis=2).max()
    turned = degrees(_own(few, parents), _own(dense, parents))
    return (
        f"{clip}: {found.keys} of {found.every_frame} keys, {100 * found.keys / found.every_frame:.1f} %, goals off "
        f"{off:.3f} mm, joints {turned:.3f} degrees, {len(frames)} frames in {found.seconds:.1f} s"
    )


def _own(shown: Floats, parents: list[int]) -> Floats:
    """Rotations in the parents' frames."""
    turns = shown[..., :3, :3]
    above = np.where(np.array(parents)[:, None, None] >= 0, turns[:, parents], np.eye(3))
    found: Floats = above.swapaxes(-1, -2) @ turns
    return found


def times() -> str:
    """Bake a figure of 70 bones on 300 frames; step through the frames without us, and through what was baked."""
    return "\n".join(_times(keyed) for keyed in (False, True))


def _times(keyed: bool) -> str:
    figure = character(70)
    goals = add_followers(figure)
    for frame in range(1, FRAMES + 1, 10) if keyed else ():
        for row, bone in enumerate(figure.pose.bones):
            turn = 0.1 * frame + row
            bone.rotation_quaternion = (1.0, 0.02 * math.sin(turn), 0.02 * math.cos(turn), 0.01)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    for frame in range(1, FRAMES + 1):
        goals["hand.L"].location = circle(frame)
        goals["hand.L"].keyframe_insert("location", frame=frame)
    scene().frame_start, scene().frame_end = 1, FRAMES
    spent: dict[str, list[float]] = {"bare": [], "bake": [], "baked": [], "alone": []}
    for _ in range(5):
        with bridge.watch.undisturbed():
            spent["bare"].append(poses(figure, range(1, FRAMES + 1))[1])
        began = time.perf_counter()
        job.finish(job.bake(bpy.context, figure, job.stored(figure)))
        spent["bake"].append(time.perf_counter() - began)
        spent["baked"].append(poses(figure, range(1, FRAMES + 1))[1])
        with bridge.watch.undisturbed():
            spent["alone"].append(poses(figure, range(1, FRAMES + 1))[1])
            bridge.baking.actions.go_back(figure)
        scene().frame_set(1)
    bare, bake, baked, alone = (1000.0 * float(np.median(each)) for each in spent.values())
    what = f"{FRAMES} frames, 70 bones, {'all' if keyed else 'none'} keyed, {1 + len(REACHING)} goals"
    return (
        f"{what}: bake {bake:.0f} ms; stepping without us {bare:.0f} ms, through what was baked {baked:.0f} ms with "
        f"the add-on and {alone:.0f} ms without: {bake / baked:.2f} and {bake / alone:.2f} times that"
    )


def main() -> None:
    """Write a line for each."""
    register()
    clips = sys.argv[1:] or sorted(path.name for path in (DATA / "bvh").glob("*.bvh"))
    sys.stdout.write(f"Blender {bpy.app.version_string}\n{times()}\n{walk('07_01.bvh')}\n{turning('05_02.bvh')}\n")
    for clip in clips:
        sys.stdout.write(f"{fewest(clip)}\n")
        sys.stdout.flush()
    os._exit(0)  # Blender's own end crashes now and then


if __name__ == "__main__":
    main()
