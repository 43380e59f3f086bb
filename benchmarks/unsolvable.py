"""Targets in and out of reach, by Sugihara's two experiments: his arm (figs 3 to 6) and his walk on stretched knees.

Run: `python -m posewright.benchmarks unsolvable`. One thread.

The arm has four balls and 12 variables, lies along z at the start, which is singular, and reaches 0.5 m. Its hand is
asked to a place at x on the x axis, turned by a quarter about y (eq. 23): in reach up to 0.5 m, at full stretch there,
out of reach beyond. What cannot be avoided is known: max(x - 0.5, 0) metres, with no error of the orientation. A row's
error is the length of the six numbers (metres and radians, as in the paper) beyond that; at the minimum, and solved, is
what is within 1e-6 of it, measured by the slow twin of the kinematics.

The walk is of a lower body with 18 variables and 30 rows, those of table I: centre of mass, attitude of the waist, and
the four corners of each sole with the paper's weights. Its centre of mass is kept at 0.28 m, which it can hold while
standing (at most 0.29 m) and not in a stride. The robot and its trajectory are not given in the paper: a body of such a
height with masses of our own takes four steps of seeded lengths, 50 frames a second, each frame begun where the same
method ended the last, with at most 500 iterations. Its hinges have limits, so that
knees do not bend backwards. The error is √(Σ w e²) beyond the
least that any method found for the frame; jitter is the mean acceleration of the nine points (centre of mass and
corners) over that of their targets.

Methods, all with the paper's ends: no variable moves by 1e-12, the error changes by less than 1e-12, or 10,000
iterations; of Posewright's, a projected gradient of 1e-12 instead, and the plain cost (`levels=False`).

    steepest descent     eq. 22, with its sign put right
    Gauss-Newton         eqs 12, 13 by the pseudo-inverse, which is what they come to where J is singular
    damping 0.001 ...    eqs 14, 15 with a constant
    Nakamura-Hanafusa    eqs 14, 15 with 0.1 (1 - m/m₀)² where the manipulability m = √det(J Jᵀ) is below m₀ = 0.01; the
                         walk has more rows than variables, and so no manipulability
    Chan-Lawrence        eq. 17
    BFGS                 scipy's, with Moré and Thuente's line search: VM(MT) in the paper; in the walk L-BFGS-B

These are numpy on top of Posewright's compiled kinematics, with the paper's Jacobian (eq. 7: angular velocities, and
not the derivative of the rotation vector). The paper knows no limits: in the walk each step of theirs is clamped.
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik
from posewright.tests import naive

from .report import Report, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

MOST = 10_000  # iterations, as in the paper
LEAST_MOVE = LEAST_CHANGE = 1e-12  # where the paper stops
AT_MINIMUM = 1e-6  # metres and radians beyond the least error
REACH = 0.5  # metres
QUARTER = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)  # about y, of (23)
# Of Nakamura and Hanafusa's damping: the best of λ₀ in 0.001, 0.01, 0.1 and m₀ in 1e-4, 1e-3, 1e-2 by the mean error at
# x = 0.13, 0.37, 0.63 and 0.87 m, none of which is in the sweep.
NH_DAMPING, NH_THRESHOLD = 0.1, 1e-2
OURS = ("auto", "levenberg", "pseudo_dynamics", "line_search", "mirror", "levenberg_sugihara")
MOST_WALK = 500  # iterations a frame: more, for methods that never end, would take more than four minutes in all


class Task(NamedTuple):
    """A problem, and where its one orientation goal is, for the paper's Jacobian."""

    problem: ik.Problem
    turn: slice  # the rows of the orientation
    moving: int  # so many of the first variables turn its body
    target: Floats  # [3, 3], the rotation that is wanted


class Found(NamedTuple):
    """What one solve came to."""

    q: Floats
    iterations: int
    seconds: float


Method = Callable[[Task, Floats, int], Found]


# Baselines


def look(task: Task, q: Floats) -> tuple[Floats, Floats, Floats]:
    """The error e of (3) [rows], J of (7) [rows, variables] and the weights W_e [rows]."""
    problem = task.problem
    jacobian = problem.jacobian(q)
    turning = problem.evaluation.pose.axis[: task.moving, :3].T
    jacobian[task.turn, : task.moving] = task.target.T @ turning  # as the target's frame sees it, like the residual
    return -problem.evaluation.values.residual, jacobian, problem.arrays.weight


Step = Callable[[Floats, Floats, Floats], Floats]


def descend(step: Step) -> Method:
    """A method that moves by `step(e, J, W_e)` until the paper's rules end it."""

    def solve(task: Task, start: Floats, most: int) -> Found:
        begun, q, before, made = time.perf_counter(), start.copy(), math.inf, 0
        lower, upper = task.problem.tree.lower, task.problem.tree.upper
        with np.errstate(all="ignore"):
            while made < most:
                error, jacobian, weight = look(task, q)
                size = math.sqrt(float(weight @ error**2))
                if abs(size - before) < LEAST_CHANGE:
                    break
                move = step(error, jacobian, weight)
                if not np.isfinite(move).all():
                    break
                before, last, q = size, q, np.clip(q + move, lower, upper)
                made += 1
                if np.abs(q - last).max() < LEAST_MOVE:
                    break
        return Found(q, made, time.perf_counter() - begun)

    return solve


def steepest(error: Floats, jacobian: Floats, weight: Floats) -> Floats:
    """(22): E / gᵀg · g, with + where it has -."""
    g = jacobian.T @ (weight * error)
    found: Floats = 0.5 * float(weight @ error**2) / float(g @ g) * g
    return found


def gauss_newton(error: Floats, jacobian: Floats, weight: Floats) -> Floats:
    """(12), (13) where JᵀWJ is regular, and the shortest step of all best ones where it is not."""
    root = np.sqrt(weight)
    return np.asarray(np.linalg.lstsq(root[:, None] * jacobian, root * error, rcond=None)[0], float)


def damped(damping: Callable[[float, Floats], float]) -> Step:
    """(14), (15) with W_n = damping(E, J) · 1."""

    def step(error: Floats, jacobian: Floats, weight: Floats) -> Floats:
        matrix = jacobian.T @ (weight[:, None] * jacobian)
        matrix[np.diag_indices_from(matrix)] += damping(0.5 * float(weight @ error**2), jacobian)
        try:
            return np.asarray(np.linalg.solve(matrix, jacobian.T @ (weight * error)), float)
        except np.linalg.LinAlgError:  # no damping, and no regular matrix: the method has no step
            return np.full(len(matrix), np.nan)

    return step


def nakamura_hanafusa(_energy: float, jacobian: Floats) -> float:
    """λ₀ (1 - m/m₀)² where the manipulability m is below m₀."""
    measure = math.sqrt(max(float(np.linalg.det(jacobian @ jacobian.T)), 0.0))
    return NH_DAMPING * (1.0 - measure / NH_THRESHOLD) ** 2 if measure < NH_THRESHOLD else 0.0


def chan_lawrence(energy: float, _jacobian: Floats) -> float:
    """(17): E."""
    return energy


def bfgs(task: Task, start: Floats, most: int) -> Found:
    """Scipy's BFGS on E; its gradient tolerance is as near to the paper's ends as its options come."""
    from scipy.optimize import minimize

    def evaluate(q: Floats) -> tuple[float, Floats]:
        error, jacobian, weight = look(task, q)
        return 0.5 * float(weight @ error**2), -jacobian.T @ (weight * error)

    tree, begun = task.problem.tree, time.perf_counter()
    options: dict[str, Any] = {"gtol": LEAST_CHANGE, "maxiter": most}
    bounds = None
    if np.isfinite(tree.lower).any():  # BFGS itself takes no limits
        bounds, options = list(zip(tree.lower, tree.upper, strict=True)), options | {"ftol": 0.0, "maxfun": 10 * most}
    with np.errstate(all="ignore"):
        method = "L-BFGS-B" if bounds else "BFGS"
        found = minimize(evaluate, start, jac=True, method=method, bounds=bounds, options=options)
    return Found(np.asarray(found.x, float), int(found.nit), time.perf_counter() - begun)


def ours(solver: str) -> Method:
    """A solver of Posewright's."""

    def solve(task: Task, start: Floats, most: int) -> Found:
        budget = ik.Budget(iterations=most, gradient=LEAST_CHANGE, levels=False)
        begun = time.perf_counter()
        found = ik.solve(task.problem, start, solver, budget)
        return Found(found.q, found.iterations, time.perf_counter() - begun)

    return solve


def constant(damping: float) -> Step:
    """(14), (15) with a constant."""
    return damped(lambda _energy, _jacobian: damping)


METHODS: dict[str, Method] = {name: ours(name) for name in OURS} | {
    "Chan-Lawrence": descend(damped(chan_lawrence)),
    "Nakamura-Hanafusa": descend(damped(nakamura_hanafusa)),
    "damping 0.001": descend(constant(0.001)),
    "damping 0.01": descend(constant(0.01)),
    "damping 0.1": descend(constant(0.1)),
    "Gauss-Newton": descend(gauss_newton),
    "steepest descent": descend(steepest),
    "BFGS": bfgs,
}

# What the paper says of each (figs 3 to 6 have no numbers in print).
SAYS = {
    "levenberg_sugihara": "at the minimum everywhere, slow at 0.5 m",
    "Chan-Lawrence": "at the minimum, unstable near 0.5 m",
    "Nakamura-Hanafusa": "often fails out of reach",
    "damping 0.001": "often fails out of reach",
    "damping 0.01": "often fails out of reach",
    "damping 0.1": "often fails out of reach",
    "Gauss-Newton": "often fails out of reach",
    "steepest descent": "often fails out of reach",
    "BFGS": "caught in local minima",
}


# The arm


def moved(x: float, y: float = 0.0, z: float = 0.0) -> Floats:
    """A rest transform, so many metres from the parent."""
    rest = np.eye(4)
    rest[:3, 3] = x, y, z
    return rest


def arm() -> list[ik.Joint]:
    """Fig. 1: three links of 0.15 m and a hand of 0.05 m along z."""
    joints = [ik.Joint("0")]
    for i, length in enumerate((0.15, 0.15, 0.15, 0.05)):
        joints.append(ik.Joint(f"{i + 1}", f"{i}", moved(0, 0, length), ik.Ball() if i < 3 else ik.Fixed()))
    return joints


def beyond(joints: list[ik.Joint], x: float, q: Floats) -> float:
    """The error's length [metres and radians] beyond the least there is, by the slow twin."""
    if not np.isfinite(q).all():
        return math.inf
    hand = naive.forward(joints, q)[-1]
    off = naive.matrix_of(np.array(QUARTER)).T @ hand[:3, :3]
    sine = 0.5 * math.dist((off[2, 1], off[0, 2], off[1, 0]), (off[1, 2], off[2, 0], off[0, 1]))
    angle = math.atan2(sine, 0.5 * (float(np.trace(off)) - 1.0))
    metres = math.dist(hand[:3, 3], (x, 0.0, 0.0))
    return math.hypot(metres, angle) - max(x - REACH, 0.0)


def sweeps(quick: bool) -> dict[str, list[float]]:
    """The targets, in metres, by the case they are shown in."""
    wide, near = (7, 5) if quick else (37, 21)
    return {
        "arm, 0.1 to 1 m": np.linspace(0.1, 1.0, wide).round(4).tolist(),
        "arm, 0.49 to 0.51 m": np.linspace(0.49, 0.51, near).round(4).tolist(),
        "arm, 10 and 1,000 m": [10.0, 1000.0],
    }


def sweep(report: Report, case: str, targets: Sequence[float], most: int) -> None:
    """A row for each method over some targets."""
    joints = arm()
    tree = ik.Tree(joints)
    turn = naive.matrix_of(np.array(QUARTER))
    for name, method in METHODS.items():
        problem = ik.Problem(tree, [ik.Pose("4", (targets[0], 0.0, 0.0), QUARTER)])
        task, start = Task(problem, slice(3, 6), len(tree.variables), turn), np.zeros(len(tree.variables))
        found, off = [], []
        try:
            method(task, start, 2)  # makes room
            for x in report.each(targets, f"{case}, {name}"):
                problem.change(0, ik.Pose("4", (x, 0.0, 0.0), QUARTER))
                found.append(method(task, start, most))
                off.append(beyond(joints, x, found[-1].q))
        except ImportError as error:
            report.missing(case, name, error)
            continue
        row = Row(
            case=case,
            method=name,
            n=len(targets),
            success=float(np.mean(np.array(off) <= AT_MINIMUM)),
            goal_error_cm=100.0 * float(np.mean(off)),
            worst_error_cm=100.0 * float(np.max(off)),
            iterations=float(np.mean([one.iterations for one in found])),
            paper=SAYS.get(name) if max(targets) <= 1.0 else None,  # the paper has none beyond
            series={
                "x": [float(x) for x in targets],
                "beyond": [float(one) for one in off],
                "iterations": [float(one.iterations) for one in found],
                "ms": [1e3 * one.seconds for one in found],
            },
        )
        report.add(row.time([one.seconds for one in found]))


# The walk

RATE = 50  # frames a second
STEPS, STEP_SECONDS, STILL_SECONDS = 4, 0.8, 0.4
COM_HEIGHT = 0.28  # metres, as in the paper
HIP, THIGH, SHIN, ANKLE = 0.045, 0.12, 0.12, 0.04  # metres: half the hips' width, bones, sole to ankle
TOE, HEEL, HALF_WIDTH = 0.07, -0.04, 0.025  # of a sole, metres from the ankle forwards, and to either side
# kg and metres in each body's frame, so that it stands 0.29 m high by its centre of mass
MASSES = {"waist": (4.0, (0.0, 0.0, 0.105))} | {
    name + side: mass
    for side in (".L", ".R")
    for name, mass in {
        "hip_x": (0.5, (0.0, 0.0, -0.06)),
        "knee": (0.4, (0.0, 0.0, -0.06)),
        "ankle_x": (0.3, (0.02, 0.0, -0.02)),
    }.items()
}
# Table I: outer toe, inner toe, outer heel, inner heel
CORNERS = {"toe": ((1.0, 1.0, 1.0), TOE), "heel": ((0.1, 1.0, 0.001), HEEL)}


def legs() -> ik.Tree:
    """A waist that is free and two legs of six hinges, x forwards, z up: 18 variables."""
    joints = [ik.Joint("waist", None, moved(0, 0, ANKLE + SHIN + THIGH), ik.Free())]
    for side, y in ((".L", HIP), (".R", -HIP)):
        above = "waist"
        for name, place, axis, limits in (
            ("hip_z", moved(0, y, 0), "z", (-0.8, 0.8)),
            ("hip_y", moved(0), "y", (-1.8, 1.0)),
            ("hip_x", moved(0), "x", (-0.7, 0.7)),
            ("knee", moved(0, 0, -THIGH), "y", (0.0, 2.6)),
            ("ankle_y", moved(0, 0, -SHIN), "y", (-1.2, 1.2)),
            ("ankle_x", moved(0), "x", (-0.7, 0.7)),
        ):
            joints.append(ik.Joint(name + side, above, place, ik.Hinge(axis, limits)))
            above = name + side
    return ik.Tree(joints)


def smooth(part: float) -> float:
    """From 0 to 1 with no velocity nor acceleration at either end."""
    part = min(max(part, 0.0), 1.0)
    return part**3 * (10.0 - 15.0 * part + 6.0 * part**2)


def walk(seed: int) -> list[list[ik.Goal]]:
    """The 30 rows of each frame: ten goals as in table I."""
    rng = np.random.default_rng(seed)
    ahead = np.cumsum(np.append(0.0, rng.uniform(0.16, 0.20, STEPS - 1)))
    ahead = np.append(ahead, ahead[-1])  # the last step closes up
    seconds = 2.0 * STILL_SECONDS + STEPS * STEP_SECONDS
    frames = []
    for t in np.arange(0.0, seconds, 1.0 / RATE):
        at = (t - STILL_SECONDS) / STEP_SECONDS  # in steps
        place, lift, sway = {".L": 0.0, ".R": 0.0}, {".L": 0.0, ".R": 0.0}, 0.0
        for step in range(STEPS):
            side, part = (".L", ".R")[step % 2], (at - step) / 0.8  # a fifth of each step on both feet
            place[side] += smooth(part) * (ahead[step + 1] - place[side])
            lift[side] = max(lift[side], 0.025 * math.sin(math.pi * min(max(part, 0.0), 1.0)) ** 2)
        if 0.0 < at < STEPS:
            sway = -HIP * math.sin(math.pi * at) * smooth(2.0 * min(at, STEPS - at))
        forwards = 0.5 * (place[".L"] + place[".R"])
        goals: list[ik.Goal] = [
            ik.CentreOfMass((forwards, sway, COM_HEIGHT), MASSES, axes=(1.0, 1.0, 0.1)),
            ik.Orientation("waist", (1.0, 0.0, 0.0, 0.0)),
        ]
        for side, y in ((".L", HIP), (".R", -HIP)):
            for axes, x in CORNERS.values():
                for wide in (HALF_WIDTH, -HALF_WIDTH):
                    target = (place[side] + x, y + wide, lift[side])
                    goals.append(ik.Position("ankle_x" + side, target, point=(x, wide, -ANKLE), axes=axes))
        frames.append(goals)
    return frames


def points_of(residual: Floats) -> Floats:
    """The nine points [9, 3] out of the 30 rows."""
    return np.concatenate([residual[:3], residual[6:]]).reshape(-1, 3)


def shake(points: Floats) -> float:
    """The mean acceleration of points [frames, 9, 3], in metres per frame squared."""
    return float(np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).mean())


def stride(report: Report, quick: bool) -> None:
    """A row for each method over the walk."""
    case, tree, frames = "walk, 30 rows on 18 variables", legs(), walk(1)
    frames = frames[20:40] if quick else frames
    problem = ik.Problem(tree, frames[0])
    task = Task(problem, slice(3, 6), 6, np.eye(3))
    bent = tree.start()
    for side in (".L", ".R"):
        bent[[tree.variable(name + side) for name in ("hip_y", "knee", "ankle_y")]] = -0.2, 0.4, -0.2
    knees = [tree.variable("knee" + side) for side in (".L", ".R")]
    zero = [np.array(goal.target) for goal in frames[0] if isinstance(goal, ik.CentreOfMass | ik.Position)]
    found: dict[str, list[Found]] = {}
    sizes, points = {}, {}
    wanted = np.zeros((len(frames), len(zero), 3))
    for name, method in METHODS.items():
        if name == "Nakamura-Hanafusa":
            continue  # det(J Jᵀ) of 30 rows on 18 variables is always zero
        problem.change(0, frames[0][0])
        q, found[name] = bent, []
        sizes[name], points[name] = np.zeros(len(frames)), np.zeros((len(frames), len(zero), 3))
        try:
            for index, goals in enumerate(report.each(frames, f"walk, {name}")):
                for at, goal in enumerate(goals):
                    problem.change(at, goal)
                one = method(task, q, 300 if quick else MOST_WALK)
                q = one.q if np.isfinite(one.q).all() else bent
                found[name].append(one)
                residual = problem.residual(q)
                sizes[name][index] = math.sqrt(float(problem.arrays.weight @ residual**2))
                targets = [goal.target for goal in goals if isinstance(goal, ik.CentreOfMass | ik.Position)]
                wanted[index] = np.array(targets)
                points[name][index] = points_of(residual) + wanted[index]
        except ImportError as error:
            del found[name], sizes[name], points[name]
            report.missing(case, name, error)
    least = np.min(list(sizes.values()), axis=0)
    for name, each in found.items():
        off = sizes[name] - least
        row = Row(
            case=case,
            method=name,
            n=len(frames),
            success=float(np.mean(off <= AT_MINIMUM)),
            goal_error_cm=100.0 * float(off.mean()),
            worst_error_cm=100.0 * float(off.max()),
            jitter=shake(points[name]) / shake(wanted),
            iterations=float(np.mean([one.iterations for one in each])),
            paper="knees stretched, error not given" if name == "levenberg_sugihara" else None,
            series={
                "seconds": (np.arange(len(frames)) / RATE).tolist(),
                "height": points[name][:, 0, 2].tolist(),
                "knee": [math.degrees(float(one.q[knees[0]])) for one in each],
                "other knee": [math.degrees(float(one.q[knees[1]])) for one in each],
            },
        )
        report.add(row.time([one.seconds for one in each]))


def run(report: Report, quick: bool) -> None:
    """The arm's three sweeps, then the walk."""
    for case, targets in sweeps(quick).items():
        sweep(report, case, targets, 1000 if quick else MOST)
    stride(report, quick)


def draw(figure: "Figure", rows: Sequence[Row]) -> None:
    """Error and time over the target's distance, wide and near full stretch, and the walk's height and knees."""
    figure.set_size_inches(12, 7)
    panels = figure.subplots(2, 3)
    styles = {name: (f"C{i}", "-" if name in OURS else "--") for i, name in enumerate(OURS)}
    styles |= {name: (f"C{i % 10}", ":") for i, name in enumerate(name for name in METHODS if name not in OURS)}
    for column, (case, title) in enumerate(
        (("arm, 0.1 to 1 m", "arm (figs 3, 4)"), ("arm, 0.49 to 0.51 m", "near full stretch (figs 5, 6)"))
    ):
        for row in rows:
            if row.case == case and row.series:
                colour, line = styles[row.method]
                look_of = {"color": colour, "linestyle": line, "label": row.method, "linewidth": 1.3}
                off = np.maximum(row.series["beyond"], 1e-13)
                panels[0, column].semilogy(row.series["x"], off, **look_of)
                panels[1, column].semilogy(row.series["x"], row.series["ms"], **look_of)
        panels[0, column].axhline(AT_MINIMUM, color="black", linewidth=0.6)
        panels[0, column].set(title=title, ylabel="error beyond the least, m and rad", ylim=(5e-14, 1e1))
        panels[1, column].set(xlabel="target's distance, m", ylabel="ms a target")
        for panel in panels[:, column]:
            panel.axvline(REACH, color="black", linewidth=0.6)
    for row in rows:
        if row.case.startswith("walk") and row.method in {"levenberg", "levenberg_sugihara"}:
            colour, line = styles[row.method]
            for name in ("knee", "other knee"):
                panels[1, 2].plot(row.series["seconds"], row.series[name], color=colour, linewidth=1.0)
            panels[0, 2].plot(row.series["seconds"], row.series["height"], color=colour)
    panels[0, 2].axhline(COM_HEIGHT, color="black", linewidth=0.6)
    panels[0, 2].set(title="walk (figs 8, 9)", ylabel="centre of mass, m (black: wanted)")
    panels[1, 2].set(xlabel="seconds", ylabel="both knees, degrees")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize="small")
