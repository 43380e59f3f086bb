"""Captured people from six goals: hands, feet, head and pelvis of the clips marked `test`, frame by frame.

Run: python -m posewright.benchmarks motion [--quick], in a Python with bpy. Two cases a clip: positions, with the
pelvis as a pose (position and orientation), and orientations at all six.

Every method drives the same armature in the same process, and every figure is read from the pose that Blender
evaluated, in world metres. A pop is a step of a joint from one frame to the next that is longer than its longest in the
clip by more than 2 cm; jitter is the mean acceleration of all joints over the clip's.

Posewright solves each frame from the reference pose, by `auto` with no restarts, with the hips set down at the pelvis
goal, and Displacement toward it with its usual weight. The reference is the rest pose (a T-pose) with the same
stiffness everywhere and no limits; or mean and variance of each variable of this very skeleton in the clips marked
`statistics`, without limits; or the human preset as set-up gives it to any character: limits and habits by role. With
soft goals no multipliers hold them, and a stretched spine does not shiver; smoothed, the solved clip is calmed
afterwards, with goals within half a millimetre (motion/smoothing.py). The preset also drives the same clips on
MakeHuman's skeleton (retarget.py).

The preset's clips are solved whole, as a bake can be (whole_clip.py): a frame's time is its share of packing all goals
and of making channels of all poses, its solve, writing the pose and Blender's update. No frame depends on another. The
other two are solved as live posing does it, a call a frame: new targets, checked by Python, the solve, writing the pose
and Blender's update.

Blender's IK is set up as an animator would (blender_ik.py): a chain for each limb and one for the spine, its fastest
way, or arms and spine as one tree, so that the trunk gives way to a hand as Posewright's does. (Chains up to the root
turn the pelvis by degrees: they cannot hold a pose there.) It starts each frame from the rest pose or from the mean
pose of the statistics. A frame's time is Blender's update alone; moving the Empties is not counted.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import posewright
from posewright import bridge
from posewright import solvers as ik

from .blender_ik import LIMBS, UPPER_BODY, BlenderIK
from .capture import Capture, Floats, captures
from .clip_statistics import Habits, read_habits, swing_and_twist
from .habits import ROLES
from .likeness import judge
from .puppet import Puppet, agreement, context
from .report import Report, Row
from .retarget import on_makehuman
from .whole_clip import WholeClip

LIVE = ik.Budget(restarts=0)
QUICK_FRAMES = 60
AGREE = 1e-5  # metres: the tree and Blender must put every bone at the same place

Step = Callable[[int], float]  # solves and shows a frame; returns the seconds it took
UNIFORM, LEARNT = "posewright, uniform stiffness", "posewright, statistics"
HUMAN, SOFT = "posewright, human preset", "posewright, human preset, soft goals"
CALM = "posewright, human preset, smoothed"
OURS = (HUMAN, SOFT, CALM)
METHODS = (
    UNIFORM,
    LEARNT,
    *OURS,
    "blender, limbs, from rest",
    "blender, limbs, from mean",
    "blender, arms and spine as one, from mean",
)


def run(report: Report, quick: bool) -> None:
    """Every test clip, with and without orientations, by every method."""
    habits = read_habits()
    for capture in captures("test"):
        clip = capture.first(QUICK_FRAMES) if quick else capture
        for orientations in (False, True):
            case = f"{clip.name} {clip.description}, {'orientations' if orientations else 'positions'}"
            for method in METHODS:
                puppet = Puppet(clip)
                if method in OURS:
                    step = _human(puppet, orientations, method)
                else:
                    made = _posewright if method.startswith("posewright") else _blender
                    step = made(puppet, method, orientations, habits)
                follow(report, case, method, puppet, step, orientations)
        other = on_makehuman(clip)
        for orientations in (False, True):
            case = f"{other.name}, {'orientations' if orientations else 'positions'}"
            for method in OURS:
                puppet = Puppet(other)
                follow(report, case, method, puppet, _human(puppet, orientations, method), orientations)


def follow(report: Report, case: str, method: str, puppet: Puppet, step: Step, orientations: bool) -> None:
    """Go through the clip and add its row."""
    capture, places, seconds = puppet.capture, [], []
    step(0)  # makes room, and what Blender builds once
    for frame in report.each(range(len(capture.local)), f"{case}, {method}"):
        seconds.append(step(frame))
        places.append(puppet.places())
    goals = capture.goals()
    oriented = goals if orientations else goals[-1:]
    report.add(judge(Row(case=case, method=method), capture, np.array(places), puppet.turns(), oriented).time(seconds))


def goals_at(capture: Capture, turns: Floats, frame: int, orientations: bool) -> list[ik.Goal]:
    """The six goals of a frame."""
    found: list[ik.Goal] = []
    for joint in capture.goals():
        name, place = capture.names[joint], capture.positions[frame, joint]
        posed = orientations or name == "Hips"
        found.append(ik.Pose(name, place, turns[frame, joint]) if posed else ik.Position(name, place))
    return found


def _posewright(puppet: Puppet, method: str, orientations: bool, habits: Habits) -> Step:
    capture, turns = puppet.capture, puppet.turns()
    learnt = method == LEARNT
    joints = puppet.joints(swing_and_twist(capture.names) if learnt else None)
    joints = habits.applied(joints) if learnt else joints
    tree = ik.Tree([replace(joints[0], stiffness=0.0), *joints[1:]])
    apart = agreement(puppet, tree)
    assert apart < AGREE, f"tree and armature differ by {apart} m"
    problem = ik.Problem(tree, [*goals_at(capture, turns, 0, orientations), ik.Displacement()])
    reference, stands = tree.start(), puppet.values(tree)[:, :6]

    def step(frame: int) -> float:
        began = time.perf_counter()
        for index, goal in enumerate(goals_at(capture, turns, frame, orientations)):
            problem.change(index, goal)
        reference[:6] = stands[frame]
        puppet.pose(tree, ik.solve(problem, reference, "auto", LIVE).q)
        return time.perf_counter() - began

    return step


def _human(puppet: Puppet, orientations: bool, method: str) -> Step:
    """As set-up leaves a character, limits and habits by the roles of its bones, its clip solved whole."""
    clip = WholeClip(puppet, set_up(puppet), orientations, method == SOFT, method == CALM)
    clip.solve(1)  # compiles, and makes room
    found = clip.solve(len(puppet.capture.local))

    def step(frame: int) -> float:
        began = time.perf_counter()
        puppet.write(found.turned[frame], found.moved[frame])
        return time.perf_counter() - began + float(found.seconds[frame])

    return step


def set_up(puppet: Puppet) -> Any:  # noqa: ANN401 - a Rig; its room is loaded when it is first used
    """Give a puppet roles, limits and habits, and read it as live posing does; the add-on is gone again after that."""
    posewright.register()
    try:
        for role, name in ROLES.items():
            item = puppet.object.posewright_roles.add()
            item.name, item.bone = role, name
        bridge.joints.human.apply(puppet.object)
        rig = bridge.armature.read(puppet.object)
    finally:
        posewright.unregister()
    places = rig.tree.pose(rig.q).positions[rig.shown] / rig.scale
    apart = float(np.abs(places - puppet.places()[:, :3, 3]).max())
    assert apart < AGREE, f"tree and armature differ by {apart} m"
    return rig


def _blender(puppet: Puppet, method: str, orientations: bool, habits: Habits) -> Step:
    driven = BlenderIK(puppet, LIMBS if "limbs" in method else UPPER_BODY, orientations)
    if method.endswith("mean"):
        tree = ik.Tree(puppet.joints(swing_and_twist(puppet.capture.names)))
        mean = tree.pose(np.concatenate([np.zeros(6), habits.mean]))
        driven.begin_at(puppet.own_turns(mean.rotations))

    def step(frame: int) -> float:
        driven.move(frame)
        began = time.perf_counter()
        context.view_layer.update()
        return time.perf_counter() - began

    return step


PANELS = (
    ("goal_error_cm", "goals off, cm (mean)"),
    ("joint_distance_cm", "joints off, cm (mean)"),
    ("jitter", "jitter, × the clip's"),
    ("median_ms", "a frame, ms (median)"),
)


def draw(figure: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401 - matplotlib has no types
    """One panel a figure, one mark a method, one column a case."""
    cases = list(dict.fromkeys(row.case for row in rows))
    for panel, (key, label) in zip(figure.subplots(2, 2, sharex=True).flat, PANELS, strict=True):
        for index, method in enumerate(METHODS):
            shown = {row.case: getattr(row, key) for row in rows if row.method == method}
            places = [cases.index(case) + 0.1 * (index - 3) for case in shown]
            marker = "o" if method.startswith("posewright") else "x"
            panel.plot(places, list(shown.values()), marker, label=method if key == "jitter" else None)
        if key == "goal_error_cm":
            panel.set_yscale("log")
        else:
            panel.margins(y=0.15)
            panel.set_ylim(bottom=0)
        panel.set_ylabel(label)
        panel.grid(axis="y", alpha=0.3)
        for between in range(1, len(cases)):
            panel.axvline(between - 0.5, color="0.9")
        panel.set_xticks(range(len(cases)), [_short(case) for case in cases], fontsize=6)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)


def _short(case: str) -> str:
    """A case in three short lines: clip, skeleton, goals."""
    skeleton = "MH" if "MakeHuman" in case else ""
    return f"{case.split(maxsplit=1)[0]}\n{skeleton}\n{'orient.' if case.endswith('orientations') else 'pos.'}"
