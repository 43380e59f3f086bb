"""The 2009 experiment of Engell-Nørregård and Erleben: a captured motion followed inside joint limits, 15 ms a frame.

Run: python -m posewright.benchmarks line_search [--quick], in a Python with bpy. A gymnast's hands, feet, pelvis and
head are the goals, positions alone, sampled every 0.05, 0.7 and 1.0 s: the less often, the farther the goals leap. The
first pose is the captured one; every later one is sought from where the last one ended. Of the long steps six runs are
made, begun at different frames, because the clip has few.

The body has 78 variables; all but the six of the hips have limits, the range of the clips marked `statistics` widened
by 0.5 rad at both ends: in swing and twist, as Blender's IK has them, so that Blender and Posewright search the same
poses. A fifth of the gymnast's own poses are outside of them, but hardly any goal is out of reach. The paper's body had
71 variables, and no word of where its limits are from. The error is the sum of the six squared distances,
as in its figures 8 to 10, read from the pose that Blender evaluated. Jitter is the mean acceleration over the clip's.

- Jacobian transpose: numpy around Posewright's gradient, with the paper's step of 0.005 in its units of 0.2 m (eq. 27),
  projected into the limits, until 15 ms are over. That is the paper's own best; longer steps diverged there.
- Blender's IK: chains up to the root with the limits on every bone, the hips by Copy Location, 500 iterations at most,
  from the last pose, which is written back after each frame (left alone, Blender begins each time at the rest pose:
  the second row). It cannot be stopped by the clock; its times are in the table.
- Posewright's solvers, `Budget(seconds=0.015)` and no posture, as in the paper: without levels, which only matter where
  something is to give way. `auto` begins anew from random poses where it ends short of the goals, as it does outside
  live posing; one row has what live posing has, no restarts and Displacement toward the rest pose.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Motion

from .blender_ik import WHOLE_TREE, BlenderIK
from .capture import Capture, Floats, captures, quaternions
from .clip_statistics import Habits, read_habits
from .likeness import accelerations
from .puppet import Puppet, context
from .report import Report, Row

CLIP = "49_02"
INTERVALS = (0.05, 0.7, 1.0)  # seconds
RUNS = {0.05: 1, 0.7: 6, 1.0: 6}
SLOT = 0.015  # seconds a frame
MARGIN = 0.5  # radians
PAPERS_UNIT, PAPERS_STEP = 0.2, 0.005  # metres; the step is one of radians per squared unit, and of units
FLOOR = 1e-9  # cm²: less is the rounding of Blender's 32-bit numbers; for the plot
SOLVERS = ("line_search", "line_search_paper", "mirror", "levenberg", "pseudo_dynamics", "memetic", "auto")

TRANSPOSE, BLENDER, BLENDER_REST = "Jacobian transpose", "blender", "blender, from rest"
POSED = "auto, live, with posture"
METHODS = (TRANSPOSE, BLENDER, BLENDER_REST, *SOLVERS, POSED)
PAPER = {
    BLENDER: "higher and wider; jitters (figs 8 to 11)",
    TRANSPOSE: "higher; far outliers at 1.0 s (fig. 10)",
    "line_search_paper": "lowest median, most compact (figs 8 to 10)",
}

Step = Callable[[int], float]  # solves and shows a frame; returns the seconds it took


def run(report: Report, quick: bool) -> None:
    """Every interval by every method."""
    habits = read_habits()
    whole = next(capture for capture in captures("test") if capture.name == CLIP)
    for interval in INTERVALS:
        case = f"every {interval:g} s"
        for method in METHODS:
            row = Row(case=case, method=method, paper=PAPER.get(method))
            for clip in _sampled(whole, interval, quick):
                _follow(report, row, clip, habits)
            report.add(_summed(row))


def _sampled(whole: Capture, interval: float, quick: bool) -> Iterator[Capture]:
    """The clip at every so many seconds, begun at different frames."""
    step = round(interval / whole.seconds)
    runs = 1 if quick else RUNS[interval]
    for run_index in range(runs):
        clip = whole.after(run_index * step // runs).every(step)
        yield clip.first(12) if quick else clip


def limits_of(habits: Habits, index: int) -> list[tuple[float, float]]:
    """Of a joint that is not the hips: swing about x, twist, swing about z. Blender wants zero to be inside."""
    own = slice(3 * index - 3, 3 * index)
    lower, upper = np.minimum(habits.lower[own] - MARGIN, 0.0), np.maximum(habits.upper[own] + MARGIN, 0.0)
    half = np.pi
    return [(max(low, -half), min(high, half)) for low, high in zip(lower.tolist(), upper.tolist(), strict=True)]


def limited_tree(puppet: Puppet, habits: Habits) -> ik.Tree:
    """The puppet's tree with limits on all joints but the hips."""
    motions: dict[str, Motion] = {}
    for index, name in enumerate(puppet.capture.names[1:], start=1):
        swing_x, twist, swing_z = limits_of(habits, index)
        motions[name] = ik.Ball(swing_x, swing_z, twist)
    joints = puppet.joints(motions)
    return ik.Tree([replace(joints[0], stiffness=0.0), *joints[1:]])


def _follow(report: Report, row: Row, clip: Capture, habits: Habits) -> None:
    """Go through a clip and put what was found into the row's series."""
    puppet = Puppet(clip)
    tree = limited_tree(puppet, habits)
    start = np.clip(puppet.values(tree), tree.lower, tree.upper)[0]
    step = _step(row.method, puppet, tree, start, habits)
    goals, places = clip.goals(), []
    for frame in report.each(range(1, len(clip.local)), f"{row.case}, {row.method}"):
        row.series.setdefault("ms", []).append(1e3 * step(frame))
        places.append(puppet.places()[:, :3, 3])
    found, captured = np.array(places), clip.positions[1:]
    off = 100.0 * np.linalg.norm(found - captured, axis=-1)  # cm
    row.series.setdefault("squared_cm2", []).extend((off[:, goals] ** 2).sum(axis=1).tolist())
    row.series.setdefault("goals_cm", []).extend(off[:, goals].ravel().tolist())
    row.series.setdefault("joints_cm", []).extend(off.mean(axis=1).tolist())
    row.series.setdefault("jitter", []).append(accelerations(found) / accelerations(captured))


def _summed(row: Row) -> Row:
    squared = np.array(row.series["squared_cm2"])
    row.n = len(squared)
    row.goal_error_cm, row.worst_error_cm = float(np.mean(row.series["goals_cm"])), max(row.series["goals_cm"])
    row.joint_distance_cm, row.jitter = float(np.mean(row.series["joints_cm"])), float(np.mean(row.series["jitter"]))
    median, most = np.percentile(squared, [50, 95])
    row.note = f"Σe² median {median:.2g} cm², 95 % below {most:.2g}"
    row.time(1e-3 * np.array(row.series["ms"]))
    row.series = {"squared_cm2": row.series["squared_cm2"]}
    return row


def _step(method: str, puppet: Puppet, tree: ik.Tree, start: Floats, habits: Habits) -> Step:
    if method in {BLENDER, BLENDER_REST}:
        return _blender(puppet, tree, start, habits, carry_on=method == BLENDER)
    return _posewright(puppet, tree, start, method)


def _posewright(puppet: Puppet, tree: ik.Tree, start: Floats, method: str) -> Step:
    clip, q = puppet.capture, start
    posture: list[ik.Goal] = [ik.Displacement()] if method == POSED else []
    problem = ik.Problem(tree, [*_goals_at(clip, 0), *posture])
    budget = ik.Budget(
        iterations=1_000_000, seconds=SLOT, levels=method == POSED, restarts=0 if method == POSED else 100
    )
    solver = "auto" if method == POSED else method
    if method == TRANSPOSE:
        problem.gradient(start)  # compiles, where nothing was compiled yet
    else:
        ik.solve(problem, start, solver, replace(budget, iterations=1))  # makes its room

    def step(frame: int) -> float:
        nonlocal q
        began = time.perf_counter()
        for index, goal in enumerate(_goals_at(clip, frame)):
            problem.change(index, goal)
        if method == TRANSPOSE:
            q = jacobian_transpose(problem, q, began + SLOT)
        else:
            q = ik.solve(problem, q, solver, budget).q
        took = time.perf_counter() - began
        puppet.pose(tree, q)
        return took

    return step


def _goals_at(clip: Capture, frame: int) -> list[ik.Goal]:
    return [ik.Position(clip.names[joint], clip.positions[frame, joint]) for joint in clip.goals()]


def jacobian_transpose(problem: ik.Problem, q: Floats, until: float) -> Floats:
    """Steps of fixed length down the gradient (eq. 27), inside the limits, until that `time.perf_counter()`.

    The paper's f is the sum of squares, without Posewright's ½, in units of 0.2 m. A step of angles is therefore
    2 · 0.005 / 0.2² = 0.25 times Posewright's gradient; one of the hips' place, itself in those units, 2 · 0.005.
    """
    tree = problem.tree
    metres = np.array([variable.unit == "m" for variable in tree.variables])
    step = 2.0 * PAPERS_STEP * np.where(metres, 1.0, PAPERS_UNIT**-2)
    while time.perf_counter() < until:
        q = np.clip(q - step * problem.gradient(q), tree.lower, tree.upper)
    return q


def _blender(puppet: Puppet, tree: ik.Tree, start: Floats, habits: Habits, carry_on: bool) -> Step:
    driven = BlenderIK(puppet, WHOLE_TREE, orientations=False, hips="LOCATION")
    for index, name in enumerate(puppet.capture.names[1:], start=1):
        driven.limit(name, limits_of(habits, index))
    driven.move(0)
    if carry_on:
        driven.begin_at(puppet.own_turns(tree.pose(start).rotations))

    def step(frame: int) -> float:
        driven.move(frame)
        began = time.perf_counter()
        context.view_layer.update()
        return time.perf_counter() - began

    def step_on(frame: int) -> float:
        # Of the last frame: what is shown there is read only after this returns.
        if frame > 1:
            driven.begin_at(puppet.own_turns(quaternions(puppet.places()[:, :3, :3])))
        return step(frame)

    return step_on if carry_on else step


def draw(figure: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401 - matplotlib has no types
    """A panel an interval, a box a method, as in the paper's figures 8 to 10 but on a logarithmic axis."""
    cases = list(dict.fromkeys(row.case for row in rows))
    for panel, case in zip(figure.subplots(1, len(cases), sharey=True), cases, strict=True):
        shown = [row for row in rows if row.case == case]
        panel.boxplot(
            [np.maximum(row.series["squared_cm2"], FLOOR) for row in shown],
            whis=(5, 95),
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "C3"},
        )
        panel.set_yscale("log")
        panel.set_title(case)
        panel.set_xticks(range(1, len(shown) + 1), [row.method for row in shown], rotation=60, ha="right", fontsize=8)
        panel.grid(axis="y", alpha=0.3)
    figure.axes[0].set_ylabel("sum of the six squared errors, cm²")
