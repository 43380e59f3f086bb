"""A step of a drag inside Blender, and playback: by itself, with its own IK on the whole body, and with Posewright.

Run: python -m posewright.benchmarks live [--quick], in a Python with bpy. Characters of 20 to 700 bones: 20 of them are
spine, neck, head, arms and legs, the others hang on hands, head and trunk in chains of three, as fingers, hair and
cloth do. Six goals: hands, feet, head and pelvis, each an Empty; a step moves the one of the left hand by 1 cm along a
circle within reach or, in one case, half a metre out of it. Times are from Python and include the move and Blender's
update of the scene.

- bare update: one bone is turned, nothing solves. No add-on can be faster.
- Blender's IK: constraints up to the root (chain length 0) on hands, feet and head, Copy Location on the pelvis, all
  other settings Blender's own. It moves the bones of the body only: the others are below the goals.

- Posewright: the same Empties are followed by goals of the add-on, which solves in its handler, with all settings as
  they come. The pose is solved to the end at every step, and the result is read from Blender's evaluated pose.

Playback is 100 frames of `frame_set`, with a mesh of 100,000 vertices skinned to the character of 70 bones, two bones
to a vertex: keys on the bones alone, and keys on the goals with IK or Posewright. (A pose that is written when the
frame has changed makes Blender evaluate the mesh twice.)
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import bpy
import numpy as np

from .. import register, unregister
from .puppet import context
from .report import Report, Row

SIZES = (20, 70, 150, 700)  # bones
STEPS, QUICK_STEPS = 200, 20
STEP, RADIUS = 0.01, 0.08  # metres: along a circle in front of the hand
AWAY = 0.5  # metres
FRAMES, SKINNED = 100, 70
ACROSS, ALONG = 400, 250  # vertices of the mesh: 100,000
LONGEST = 20.0  # seconds for one row: then it has to do with fewer steps
BARE, IK, OURS = "blender, bare update", "blender, whole-tree IK", "posewright"

Vector = tuple[float, float, float]
Step = Callable[[int], object]
# name: parent, head, tail; in metres, elbows and knees a little bent
CORE: dict[str, tuple[str | None, Vector, Vector]] = {
    "hips": (None, (0, 0, 1.0), (0, 0, 1.1)),
    "spine1": ("hips", (0, 0, 1.1), (0, 0.01, 1.2)),
    "spine2": ("spine1", (0, 0.01, 1.2), (0, 0.02, 1.3)),
    "spine3": ("spine2", (0, 0.02, 1.3), (0, 0.01, 1.45)),
    "neck": ("spine3", (0, 0.01, 1.45), (0, 0, 1.55)),
    "head": ("neck", (0, 0, 1.55), (0, 0, 1.75)),
} | {
    name + side: (parent if parent in {"hips", "spine3"} else parent + side, (x * hx, hy, hz), (x * tx, ty, tz))
    for side, x in ((".L", 1), (".R", -1))
    for name, parent, (hx, hy, hz), (tx, ty, tz) in (
        ("collar", "spine3", (0.02, 0, 1.42), (0.16, 0, 1.42)),
        ("arm", "collar", (0.16, 0, 1.42), (0.44, 0.03, 1.42)),
        ("forearm", "arm", (0.44, 0.03, 1.42), (0.69, 0, 1.42)),
        ("hand", "forearm", (0.69, 0, 1.42), (0.79, 0, 1.42)),
        ("thigh", "hips", (0.1, 0, 1.0), (0.1, -0.03, 0.55)),
        ("shin", "thigh", (0.1, -0.03, 0.55), (0.1, 0, 0.1)),
        ("foot", "shin", (0.1, 0, 0.1), (0.1, -0.15, 0.02)),
    )
}
CARRIERS = ("hand.L", "hand.R", "head", "spine3", "hips")  # what the other bones hang on
REACHING = {"hand.L": "forearm.L", "hand.R": "forearm.R", "foot.L": "shin.L", "foot.R": "shin.R", "head": "neck"}


def run(report: Report, quick: bool) -> None:
    """Drags of characters of every size, then playback."""
    register()
    try:
        _run(report, quick)
    finally:
        unregister()


def _run(report: Report, quick: bool) -> None:
    steps = QUICK_STEPS if quick else STEPS
    for bones in SIZES[:2] if quick else SIZES:
        case = f"drag, {bones} bones"
        report.add(_timed(report, Row(case=case, method=BARE), _turns(character(bones)), steps))
        for method in (IK, OURS):
            _drag(report, case, method, bones, 0.0, steps)
            if bones == SKINNED:
                _drag(report, f"{case}, {AWAY:g} m out of reach", method, bones, AWAY, steps)
    case = f"playback, {SKINNED} bones, {ACROSS * ALONG:,} vertices"
    for method in (BARE, IK, OURS):
        report.add(_timed(report, Row(case=case, method=method), _plays(method), FRAMES // 5 if quick else FRAMES))


def _drag(report: Report, case: str, method: str, bones: int, away: float, steps: int) -> None:
    row, off, figure = Row(case=case, method=method), list[float](), character(bones)
    _timed(report, row, _drags(figure, ADDING[method](figure), away, off), steps)
    row.goal_error_cm, row.worst_error_cm = 100 * float(np.mean(off)), 100 * max(off)
    report.add(row)


def character(bones: int) -> Any:  # noqa: ANN401 - by their types, parts of an Object may be None
    """An armature of so many bones, in a scene of its own."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    figure: Any = bpy.data.objects.new("character", bpy.data.armatures.new("character"))
    context.scene.collection.objects.link(figure)
    context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    made = figure.data.edit_bones
    for name, (parent, head, tail) in CORE.items():
        bone = made.new(name)
        bone.head, bone.tail, bone.parent = head, tail, made[parent] if parent else None
    for index in range(bones - len(CORE)):
        bone, turn = made.new(f"more{index}"), 2.4 * (index // 3)  # radians: chains go off in all directions
        bone.parent = made[CARRIERS[index // 3 % len(CARRIERS)]] if index % 3 == 0 else made[f"more{index - 1}"]
        bone.head = bone.parent.tail
        bone.tail = bone.head + type(bone.head)((0.03 * math.cos(turn), 0.03 * math.sin(turn), 0.01))
    bpy.ops.object.mode_set(mode="OBJECT")
    context.view_layer.update()
    return figure


def add_empties() -> dict[str, Any]:
    """Six Empties where the bones are."""
    goals = {}
    for bone in ("hips", *REACHING):
        goals[bone] = bpy.data.objects.new(f"goal {bone}", None)
        goals[bone].location = CORE[bone][1]
        context.scene.collection.objects.link(goals[bone])
    return goals


def add_followers(figure: Any) -> dict[str, Any]:  # noqa: ANN401
    """The Empties, and goals of the add-on that follow them."""
    goals = add_empties()
    for bone, target in goals.items():
        goal = figure.posewright_goals.add()
        goal.name = goal.bone = bone
        goal.target, goal.state = target, "FOLLOWING"
    context.view_layer.update()
    return goals


def add_constraints(figure: Any) -> dict[str, Any]:  # noqa: ANN401
    """The Empties, and the constraints that follow them."""
    goals = add_empties()
    figure.pose.bones["hips"].constraints.new("COPY_LOCATION").target = goals["hips"]
    for goal, bone in REACHING.items():
        constraint = figure.pose.bones[bone].constraints.new("IK")
        constraint.target, constraint.chain_count = goals[goal], 0
    context.view_layer.update()
    return goals


ADDING = {IK: add_constraints, OURS: add_followers}


def circle(step: int, away: float = 0.0) -> Vector:
    """Where the left hand's goal is at a step: in front of the body, in reach or that much farther away."""
    x, y, z = CORE["hand.L"][1]
    angle = step * STEP / RADIUS
    return x - 0.12 + away + RADIUS * math.cos(angle), y - 0.15, z + RADIUS * math.sin(angle)


def _turns(figure: Any) -> Step:  # noqa: ANN401
    def step(index: int) -> None:
        figure.pose.bones["arm.L"].rotation_quaternion = (1.0, 0.01 * math.sin(index), 0.0, 0.0)
        context.view_layer.update()

    return step


def _drags(figure: Any, goals: dict[str, Any], away: float, off: list[float]) -> Step:  # noqa: ANN401
    def step(index: int) -> None:
        place = circle(index, away)
        goals["hand.L"].location = place
        context.view_layer.update()
        off.append(math.dist(figure.pose.bones["hand.L"].head, place))

    return step


def _plays(method: str) -> Step:
    figure = character(SKINNED)
    skin(figure)
    if method in ADDING:
        goals = ADDING[method](figure)
        for frame in range(1, FRAMES + 2):
            goals["hand.L"].location = circle(frame)
            goals["hand.L"].keyframe_insert("location", frame=frame)
    else:
        for frame, angle in ((1, 0.0), (FRAMES + 1, 0.3)):
            for bone in figure.pose.bones:
                bone.rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
    return lambda index: context.scene.frame_set(index + 1)


def skin(figure: Any) -> None:  # noqa: ANN401
    """Give the character a mesh of 100,000 vertices, each with two of its bones."""
    across, along = np.meshgrid(np.linspace(-0.8, 0.8, ACROSS), np.linspace(0.0, 1.8, ALONG))
    places = np.stack([across, np.zeros_like(across), along], axis=-1).reshape(-1, 3)
    corner = (np.arange(ALONG - 1)[:, None] * ACROSS + np.arange(ACROSS - 1)).ravel()
    faces = np.stack([corner, corner + 1, corner + ACROSS + 1, corner + ACROSS], axis=-1)
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(places.tolist(), [], faces.tolist())
    skinned: Any = bpy.data.objects.new("skin", mesh)
    context.scene.collection.objects.link(skinned)
    names = [bone.name for bone in figure.data.bones]
    groups = [skinned.vertex_groups.new(name=name) for name in names]
    for index, part in enumerate(np.array_split(np.arange(len(places)), len(names))):
        for bone in (index, (index + 1) % len(names)):
            groups[bone].add(part.tolist(), 0.5, "REPLACE")
    skinned.modifiers.new("armature", "ARMATURE").object = figure


def _timed(report: Report, row: Row, step: Step, steps: int) -> Row:
    """Time the steps into the row. Returns the row."""
    step(0)
    begun, seconds = time.perf_counter(), list[float]()
    for index in report.each(range(1, steps + 1), f"{row.case}, {row.method}"):
        began = time.perf_counter()
        step(index)
        seconds.append(time.perf_counter() - began)
        if time.perf_counter() - begun > LONGEST:
            break
    row.n = len(seconds)
    return row.time(seconds)


def _is_plain(row: Row) -> bool:
    return row.case.startswith("drag") and "out of reach" not in row.case


def draw(figure: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401 - matplotlib has no types
    """Times of a drag over the number of bones, and bars for playback."""
    drag, play = figure.subplots(1, 2, width_ratios=(2, 1))
    for method in (BARE, IK, OURS):
        shown = [row for row in rows if row.method == method and _is_plain(row)]
        bones = [int(row.case.split()[1]) for row in shown]
        (line,) = drag.loglog(bones, [row.median_ms for row in shown], "o-", label=method)
        for row in rows:
            if row.method == method and "out of reach" in row.case:
                drag.loglog(SKINNED, row.median_ms, "x", color=line.get_color(), label="the same, a goal out of reach")
        played = [row for row in rows if row.method == method and row.case.startswith("playback")]
        play.bar(method.split(", ")[-1], [row.median_ms for row in played], color=line.get_color())
    sizes = [int(row.case.split()[1]) for row in rows if row.method == BARE and _is_plain(row)]
    drag.set_xticks(sizes, [str(size) for size in sizes], minor=False)
    drag.minorticks_off()
    drag.set_xlabel("bones")
    drag.set_ylabel("a step of a drag, ms (median)")
    drag.grid(alpha=0.3)
    play.set_ylabel("a frame of playback, ms (median)")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    play.set_title(f"{SKINNED} bones, {ACROSS * ALONG:,} vertices", fontsize=10)
