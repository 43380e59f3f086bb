"""A step of a drag inside Blender, and playback: by itself, with its own IK on the whole body, and with Posewright.

Run: python -m posewright.benchmarks live [--quick], in a Python with bpy. Characters of 20 to 700 bones: 20 of them are
spine, neck, head, arms and legs, the others hang on hands, head and trunk in chains of three, as fingers, hair and
cloth do. Six goals: hands, feet, head and pelvis, each an Empty; a step moves the one of the left hand by 1 cm along a
circle. Times are from Python and include the move and Blender's update of the scene.

- bare update: one bone is turned, nothing solves. No add-on can be faster.
- Blender's IK: constraints up to the root (chain length 0) on hands, feet and head, Copy Location on the pelvis, all
  other settings Blender's own. It moves the bones of the body only: the others are below the goals.
- Posewright: the same Empties are followed by goals of the add-on, which solves in its handler, with all settings as
  they come. The pose is solved to the end at every step, and the result is read from Blender's evaluated pose.

At every size the drag begins in the rest pose, with the five other goals where the bones are. At 70 bones it also
begins where animators drag: in a crouch, on a chair, in a lunge, and in fifteen poses of the captured clips marked
`test`, made as large as this character. Goals are led there from the rest pose in 20 updates; all are in reach.

Blender's solver begins each update at the pose that the bones' own channels have, and writes nothing back: the farther
that pose is from the goals, the longer it takes, again at every step, up to 500 iterations. Posewright begins at the
pose of the last step. So the crouch is measured again with its pose put into the channels, as Apply Visual Transform
does it, which is Blender's best case. Neither has limits here: knees bend to either side.

Feet held as they are turned: IK constraints on the feet with Rotation on, goals with all influence on the turn; with
either, the whole body gives way to it. (Many rigs turn feet by Copy Rotation instead, after IK has placed them: that
takes no longer than not to turn them.) In one case the hand's goal is half a metre out of reach. Goals off is the mean
over all six at every step.

Playback is 100 frames of `frame_set`, with a mesh of 100,000 vertices skinned to the character of 70 bones, two bones
to a vertex: keys on the bones alone, and keys on the goals with IK or Posewright. (A pose that is written when the
frame has changed makes Blender evaluate the mesh twice.)
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from .. import register, unregister
from .figure import ACROSS, ALONG, CORE, CROUCHING, LUNGING, REACHING, SITTING, Place, captured, character, skin
from .puppet import context
from .report import Report, Row

SIZES = (20, 70, 150, 700)  # bones
STEPS, QUICK_STEPS = 200, 20
STEP, RADIUS = 0.01, 0.08  # metres: along a circle in front of the hand
AWAY = 0.5  # metres
LEAD = 20  # updates from the rest pose to the one in which a drag begins
FRAMES, SKINNED = 100, 70
LONGEST = 20.0  # seconds for one row: then it has to do with fewer steps
BARE, IK, OURS = "blender, bare update", "blender, whole-tree IK", "posewright"
FEET = ("foot.L", "foot.R")

Step = Callable[[int], object]
Look = Callable[[], None]


class Case(NamedTuple):
    """Where a drag begins, by the places of its goals; those that are not named are where the bones are at rest."""

    name: str
    places: dict[str, Place]
    circle: Place  # the middle of the left hand's
    feet: bool = False  # whether they are held as they are turned, too
    keyed: bool = False  # whether the bones have the pose in their own channels


FRONT = (0.57, -0.15, 1.42)  # in reach of the left hand at rest
REST = Case("", {}, FRONT)
TURNED = "feet held as turned"
CASES = (
    Case(TURNED, {}, FRONT, feet=True),
    *(
        Case(f"{name}{feet and ', '}{feet}", places, places["hand.L"], feet=bool(feet))
        for name, places in (("crouching", CROUCHING), ("sitting", SITTING), ("lunging", LUNGING))
        for feet in ("", TURNED)
    ),
    Case("crouching, the pose keyed", CROUCHING, CROUCHING["hand.L"], keyed=True),
    Case(f"{AWAY:g} m out of reach", {}, (FRONT[0] + AWAY, *FRONT[1:])),
)


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
        bare = Row(case=f"drag, {bones} bones", method=BARE)
        report.add(_filled(bare, _timed(report, bare, _turns(character(bones)), steps)))
        drags = {case.name: [case] for case in (REST, *(CASES if bones == SKINNED else ()))}
        if bones == SKINNED:
            drags["captured poses"] = [Case("", places, places["hand.L"]) for places in captured()]
        for name, cases in drags.items():
            theirs, ours = (_drag(report, name, cases, method, bones, steps) for method in (IK, OURS))
            ours.note = f"Blender's IK takes {(theirs.median_ms or 0.0) / (ours.median_ms or 1.0):.1f} times as long"
            report.add(theirs)
            report.add(ours)
    for method in (BARE, IK, OURS):
        played = Row(case=f"playback, {SKINNED} bones, {ACROSS * ALONG:,} vertices", method=method)
        report.add(_filled(played, _timed(report, played, _plays(method), FRAMES // 5 if quick else FRAMES)))


def add_empties(feet: bool = False) -> dict[str, Any]:
    """Six Empties where the bones are; those of feet that are held as they are turned are turned so, at their tips."""
    goals = {}
    for bone in ("hips", *REACHING):
        _, head, tail = CORE[bone]
        goals[bone] = bpy.data.objects.new(f"goal {bone}", None)
        goals[bone].location = tail if feet and bone in FEET else head
        goals[bone].rotation_mode = "QUATERNION"
        context.scene.collection.objects.link(goals[bone])
    return goals


def add_followers(figure: Any, feet: bool = False) -> dict[str, Any]:  # noqa: ANN401 - parts of an Object may be None
    """The Empties, and goals of the add-on that follow them."""
    goals = add_empties(feet)
    for bone, target in goals.items():
        goal = figure.posewright_goals.add()
        goal.name = goal.bone = bone
        if feet and bone in FEET:
            target.rotation_quaternion = figure.data.bones[bone].matrix_local.to_quaternion()
            goal.point, goal.orientation = "TAIL", 1.0
        goal.target, goal.state = target, "FOLLOWING"
    context.view_layer.update()
    return goals


def add_constraints(figure: Any, feet: bool = False) -> dict[str, Any]:  # noqa: ANN401
    """The Empties, and the constraints that follow them."""
    goals = add_empties(feet)
    figure.pose.bones["hips"].constraints.new("COPY_LOCATION").target = goals["hips"]
    for goal, bone in REACHING.items():
        turned = feet and goal in FEET
        constraint = figure.pose.bones[goal if turned else bone].constraints.new("IK")
        constraint.target, constraint.chain_count, constraint.use_rotation = goals[goal], 0, turned
        if turned:
            goals[goal].rotation_quaternion = figure.data.bones[goal].matrix_local.to_quaternion()
    context.view_layer.update()
    return goals


ADDING = {IK: add_constraints, OURS: add_followers}


def _drag(report: Report, name: str, cases: Sequence[Case], method: str, bones: int, steps: int) -> Row:
    """A row of drags, one after the other: so many steps in all, or a few more."""
    row, seconds, off = Row(case=f"drag, {bones} bones{name and ', '}{name}", method=method), [], list[float]()
    for case in cases:
        figure = character(bones)
        goals = ADDING[method](figure, case.feet)
        _lead(goals, case.places)
        if case.keyed and method == IK:  # Posewright writes what it finds
            _key(figure)
        step, look = _follows(figure, goals, case, off)
        seconds += _timed(report, row, step, -(-steps // len(cases)), look)
    row.goal_error_cm, row.worst_error_cm = 100 * float(np.mean(off)), 100 * max(off)
    return _filled(row, seconds)


def _follows(figure: Any, goals: dict[str, Any], case: Case, off: list[float]) -> tuple[Step, Look]:  # noqa: ANN401
    """A step of a drag, and what looks how far goals are off after it."""

    def step(index: int) -> None:
        goals["hand.L"].location = circle(index, case.circle)
        context.view_layer.update()

    def look() -> None:
        for name, target in goals.items():
            bone = figure.pose.bones[name]
            off.append(math.dist(bone.tail if case.feet and name in FEET else bone.head, target.location))

    return step, look


def _lead(goals: dict[str, Any], places: dict[str, Place]) -> None:
    """Move goals from where they are at rest by as much as bones have to move to other places, little by little."""
    if not places:
        return
    begun = {name: tuple(goals[name].location) for name in places}
    ways = {name: np.subtract(place, CORE[name][1]) for name, place in places.items()}
    for part in range(1, LEAD + 1):
        for name, way in ways.items():
            goals[name].location = begun[name] + part / LEAD * way
        context.view_layer.update()


def _key(figure: Any) -> None:  # noqa: ANN401
    """Put the pose that is seen into the bones' own channels."""
    own = {
        bone: figure.convert_space(pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL")
        for bone in figure.pose.bones
    }
    for bone, matrix in own.items():
        bone.matrix_basis = matrix
    context.view_layer.update()


def circle(step: int, middle: Place = FRONT) -> Place:
    """Where the left hand's goal is at a step."""
    angle = step * STEP / RADIUS
    return middle[0] + RADIUS * math.cos(angle), middle[1], middle[2] + RADIUS * math.sin(angle)


def _turns(figure: Any) -> Step:  # noqa: ANN401
    def step(index: int) -> None:
        figure.pose.bones["arm.L"].rotation_quaternion = (1.0, 0.01 * math.sin(index), 0.0, 0.0)
        context.view_layer.update()

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


def _timed(report: Report, row: Row, step: Step, steps: int, look: Look = lambda: None) -> list[float]:
    """The seconds of each step, after one that nobody counts; each is looked at when it is done."""
    step(0)
    begun, seconds = time.perf_counter(), list[float]()
    for index in report.each(range(1, steps + 1), f"{row.case}, {row.method}"):
        began = time.perf_counter()
        step(index)
        seconds.append(time.perf_counter() - began)
        look()
        if time.perf_counter() - begun > LONGEST:
            break
    return seconds


def _filled(row: Row, seconds: Sequence[float]) -> Row:
    row.n = len(seconds)
    return row.time(seconds)


def draw(figure: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401 - matplotlib has no types
    """Times of a drag over the number of bones, bars for poses away from rest, and bars for playback."""
    sized, posed, play = figure.subplots(1, 3, width_ratios=(3, 4, 2))
    plain = f"drag, {SKINNED} bones"
    cases = [plain, *dict.fromkeys(row.case for row in rows if row.case.startswith(f"{plain}, "))]
    for index, method in enumerate((BARE, IK, OURS)):
        own = {row.case: row.median_ms for row in rows if row.method == method}
        bones = {
            int(case.split()[1]): took
            for case, took in own.items()
            if case.startswith("drag, ") and case.endswith("bones")
        }
        (line,) = sized.loglog(list(bones), list(bones.values()), "o-", label=method)
        if method != BARE:
            heights = [own[case] for case in cases]
            places = [place + 0.4 * (index - 1.5) for place in range(len(cases))]
            posed.barh(places, heights, 0.4, color=line.get_color())
        played = [took for case, took in own.items() if case.startswith("playback")]
        play.bar(method.split(", ")[-1], played, color=line.get_color())
    sized.minorticks_off()
    sizes = [size for size in SIZES if any(row.case == f"drag, {size} bones" for row in rows)]
    sized.set_xticks(sizes, [str(size) for size in sizes], minor=False)
    sized.set_xlabel("bones")
    sized.set_ylabel("a step of a drag, ms (median)")
    sized.grid(alpha=0.3)
    posed.set_yticks(range(len(cases)), [case.removeprefix(plain).removeprefix(", ") or "at rest" for case in cases])
    posed.invert_yaxis()
    posed.set_xscale("log")
    posed.set_xlim(left=0.1)
    posed.set_xlabel("a step of a drag, ms (median)")
    posed.set_title(f"{SKINNED} bones", fontsize=10)
    posed.grid(axis="x", alpha=0.3)
    play.set_ylabel("a frame of playback, ms (median)")
    play.tick_params(axis="x", labelrotation=20, labelsize=8)
    play.set_title(f"{ACROSS * ALONG:,} vertices", fontsize=10)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
