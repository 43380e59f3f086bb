"""A moving hand to be followed inside limits of position and velocity: MD-IK's figure 3, on TALOS, TIAGo and UR5.

Run: `python -m posewright.benchmarks tracking`. One thread.

The experiment is that of the paper and of the code that its authors publish: the hand's place and its three angles
swing, each at a frequency of its own of up to 0.5 Hz, through a box and a range of angles for each robot, for 12.5 s in
2,500 control steps of 5 ms. In a step no joint may leave its limits or be faster than its velocity limit (eqs 5 to 7),
and a method has 1 ms. Each trial begins at one pose that has the hand at its first target; the paper lets each method
go there by itself in 2.5 s.

The paper has 500 trials a robot; by all methods here they would take more than an hour. `levenberg`, the fastest, has
all 500, in rows of its own. All methods have the first 60 of them but clamped LM, the slowest, which has the first 20.

All six numbers of the pose are followed: metres, and radians of the rotation vector, each with weight 1. The errors of
a row are of the place alone, those of the orientation are in the note. Solved is, as published, a trial whose mean
error over all six is below 0.1; a trial that no method solves is left out of a robot's rows ("difficult to follow with
any"), but none of the 500. Jitter is the mean acceleration of the hand over that of its target; in the note is the
paper's own measure of smoothness, the longest step of a trial in joint space, as a mean over the trials. All this is
measured by numpy's forward kinematics at the end of each step.

    levenberg, line_search, mirror   Posewright's, as `solve_many` follows a clip with `carry_on` and `frame_seconds`, a
                                     step a call, until within 1e-5 m and 1e-5 rad (δ of table 1) or for 300 iterations,
                                     20 of `levenberg`. `auto` is `levenberg` with restarts, and would leap
    mirror_paper                     the same with the paper's own rules, momentum over steps included (SAMD)
    OSQP, DAQP, ProxQP               min ½|J dq - e|² + ½λ|dq|² in the box of the step, once a step, λ = 1e-3 (table 1);
                                     built by numpy, set up once, then updated and started warm. OSQP with its own
                                     tolerance of 1e-3, as in the paper, and with 1e-6, as ProxQP; DAQP is exact
    LM, clamped                      (JᵀJ + (E + λ) 1) dq = Jᵀe with each step clamped to the box, until E < 1e-10 or
                                     for 25 iterations, which in numpy are about 1 ms

A step's time has all in it: the new target, kinematics (compiled, for all of them), building, solving. The 500 trials
are packed as whole arrays and solved in one call each; their time is a mean over all steps. The robots' files have no
velocity limits; those here are of the URDF files that the paper used.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik
from posewright.solvers.goals.pose import ROTATION
from posewright.solvers.tree import quaternion_of
from posewright.tests import naive

from .capture import quaternions
from .frame_by_frame import frame_by_frame
from .report import Report, Row
from .robots import DATA, Robot, rest_of, robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

STEP = 0.005  # seconds, dt
LONGEST = 0.001  # seconds, ζ dt
STEPS = 2500
TRIALS, MANY = 60, 500
FEWER = {"LM, clamped": 20}
FASTEST = 0.5  # Hz, of a swing
DAMPING = 1e-3  # λ
CLOSE = 1e-10  # δ, of the cost
FOLLOWED = 0.1  # metres and radians
QUARTER = math.pi / 2.0
PATIENCE = {"levenberg": 20, "line_search": 300, "mirror": 300, "mirror_paper": 300}  # iterations a step
FASTEST_SOLVER = "levenberg"
CLAMPED = 25  # iterations of clamped LM; with a limit of time its errors would depend on the machine


class Setup(NamedTuple):
    """A robot of the paper: what moves, how fast, and where its hand goes."""

    name: str
    file: str
    base: str
    tip: str
    velocity: tuple[float, ...]  # rad/s or m/s of each variable, base first
    low: tuple[float, ...]  # metres, then roll, pitch, yaw in radians
    high: tuple[float, ...]
    grip: Floats = np.eye(4)  # from the frame that these are published for to the tip's


ARM = (2.7, 3.66, 4.58, 4.58, 1.95, 1.76, 1.76)  # rad/s, of the arms of both TALOS and TIAGo

SETUPS = (
    Setup(
        "TALOS",
        "talos.json",
        "base_link",
        "gripper_left_motor_double_link",
        (5.4, 5.4, *ARM, 1.0),
        (0.3, -0.2, -0.2, -0.3, -0.3 - QUARTER, -0.3 - QUARTER),  # 1 m lower than published, where the base is
        (0.9, 0.4, 0.4, 0.3, 0.3 - QUARTER, 0.3 - QUARTER),
    ),
    Setup(
        "TIAGo",
        "tiago.json",
        "base_footprint",
        "arm_7_link",
        (0.07, *ARM),
        (0.3, -0.3, 0.5, -0.25, -0.25 - QUARTER, -0.25 - QUARTER),
        (0.8, 0.2, 1.0, 0.25, 0.25 - QUARTER, 0.25 - QUARTER),
    ),
    Setup(
        "UR5",
        "ur5.json",
        "base_link",
        "tool0",
        (3.15, 3.15, 3.15, 3.2, 3.2, 3.2),
        (0.4, -0.2, 0.2, -0.2, -0.2 - QUARTER, -0.2 - QUARTER),
        (0.8, 0.2, 0.6, 0.2, 0.2 - QUARTER, 0.2 - QUARTER),
        rest_of([0.0, 0.0823, 0.0], [-QUARTER, 0.0, 0.0]),  # wrist_3_link lies otherwise in newer files; tool0 does not
    ),
)


@dataclass
class Task:
    """A robot, the poses of its hand that are wanted, and where to begin."""

    model: Robot
    tip: str
    targets: list[Floats]  # of each trial [steps, 4, 4]
    first: ik.Goal  # which the start meets
    start: Floats  # [V]

    made: dict[int, list[ik.Goal]] = field(default_factory=dict, init=False)

    def goals(self, trial: int) -> list[ik.Goal]:
        """The goal of each step, made once for all methods."""
        if trial not in self.made:
            self.made[trial] = [
                ik.Pose(self.tip, target[:3, 3], quaternion_of(target[:3, :3]), metres=1e-5, radians=1e-5)
                for target in self.targets[trial]
            ]
        return self.made[trial]


def swing(setup: Setup, steps: int, rng: np.random.Generator) -> Floats:
    """Where the hand is to be [steps, 4, 4]."""
    return poses_of(setup, np.arange(1, steps + 1)[:, None] * STEP * rng.uniform(-FASTEST, FASTEST, 6))


def poses_of(setup: Setup, turns: Floats) -> Floats:
    """The hand's poses [S, 4, 4] after so many turns of each of its six swings [S, 6]."""
    low, high = np.array(setup.low), np.array(setup.high)
    numbers = low + 0.5 * (1.0 + np.sin(2.0 * math.pi * turns)) * (high - low)
    poses = np.tile(np.eye(4), (len(turns), 1, 1))
    poses[:, :3, 3] = numbers[:, :3]
    roll, pitch, yaw = (rotations(np.eye(3)[axis], numbers[:, 3 + axis]) for axis in range(3))
    poses[:, :3, :3] = yaw @ pitch @ roll
    return np.asarray(poses @ setup.grip)


def task_of(setup: Setup, trials: int, steps: int, seed: int) -> Task:
    """The robot with its velocity limits, and its trials."""
    joints, speeds = [], iter(setup.velocity)
    for joint in robot(setup.file, setup.base, [setup.tip]).joints:
        moves = bool(joint.motion.slots)
        joints.append(replace(joint, velocity=next(speeds)) if moves else joint)
    model, rng = Robot(joints, ik.Tree(joints)), np.random.default_rng(seed)
    middle = poses_of(setup, np.zeros((1, 6)))[0]
    goal = ik.Pose(setup.tip, middle[:3, 3], quaternion_of(middle[:3, :3]))
    start = ik.solve(ik.Problem(model.tree, [goal]), budget=ik.Budget(levels=False, gradient=1e-12)).q
    return Task(model, setup.tip, [swing(setup, steps, rng) for _ in range(trials)], goal, start)


# Forward kinematics of a whole trial, to judge by


def rotations(axis: Floats, angles: Floats) -> Floats:
    """Rodrigues' formula for many angles [S] about one axis [3]: [S, 3, 3]."""
    k = naive.cross_matrix(axis)
    return np.asarray(np.eye(3) + np.sin(angles)[:, None, None] * k + (1.0 - np.cos(angles))[:, None, None] * (k @ k))


def hand_of(task: Task, q: Floats) -> Floats:
    """Where the hand is [S, 4, 4] in poses [S, V]."""
    places: dict[str | None, Floats] = {None: np.tile(np.eye(4), (len(q), 1, 1))}
    column = 0
    for joint in task.model.joints:
        place = places[joint.parent] @ np.asarray(joint.rest, float)
        if joint.motion.slots:
            own, axis = np.tile(np.eye(4), (len(q), 1, 1)), np.array(joint.motion.axis)
            if task.model.tree.variables[column].unit == "m":
                own[:, :3, 3] = q[:, column, None] * axis
            else:
                own[:, :3, :3] = rotations(axis, q[:, column])
            place = place @ own
            column += 1
        places[joint.name] = place
    return places[task.tip]


def errors_of(hand: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """How far the hand [S, 4, 4] is from its targets, in metres [S] and radians [S]."""
    metres = np.linalg.norm(hand[:, :3, 3] - targets[:, :3, 3], axis=1)
    off = targets[:, :3, :3].transpose(0, 2, 1) @ hand[:, :3, :3]
    twice = np.stack([off[:, 2, 1] - off[:, 1, 2], off[:, 0, 2] - off[:, 2, 0], off[:, 1, 0] - off[:, 0, 1]], axis=1)
    cosine = 0.5 * (np.trace(off, axis1=1, axis2=2) - 1.0)
    return np.asarray(metres, float), np.arctan2(0.5 * np.linalg.norm(twice, axis=1), cosine)


# Methods: a task and a trial's number in, the poses [S, V] and the seconds of each step [S] out

Method = Callable[[Task, int], tuple[Floats, Floats]]


def ours(solver: str) -> Method:
    """A solver of Posewright's, a step at a time."""

    def follow(task: Task, trial: int) -> tuple[Floats, Floats]:
        goals = task.goals(trial)
        begun = time.perf_counter()
        frames = ik.Clip(ik.Problem(task.model.tree, goals[:1]), [[task.first], *([goal] for goal in goals)])
        packed = (time.perf_counter() - begun) / len(goals)
        with frame_by_frame() as timed:
            budget = budget_of(solver)
            found = ik.solve_many(frames, task.start, solver, budget, carry_on=True, frame_seconds=STEP, progress=timed)
        return found.q[1:], timed.seconds()[1:] + packed  # the first frame, which has no velocity, is the start

    return follow


def budget_of(solver: str) -> ik.Budget:
    """Until the hand is within its tolerance."""
    return ik.Budget(iterations=PATIENCE[solver], until_reached=True, levels=False)


def many(task: Task, solver: str, trials: Sequence[int]) -> Iterator[tuple[int, Floats, Floats]]:
    """Follow many trials, each packed as whole arrays and solved in one call: as `ours`, but for the times."""
    steps = len(task.targets[0])
    goal = task.goals(0)[0]
    frames = ik.Clip(ik.Problem(task.model.tree, [goal]), [[task.first], *([[goal]] * steps)])
    for trial in trials:
        begun = time.perf_counter()
        targets, tables = task.targets[trial], frames.frames.floats[1:, 0]
        tables[:, 3:6], tables[:, ROTATION : ROTATION + 4] = targets[:, :3, 3], quaternions(targets[:, :3, :3])
        found = ik.solve_many(frames, task.start, solver, budget_of(solver), carry_on=True, frame_seconds=STEP)
        yield trial, found.q[1:], np.full(steps, (time.perf_counter() - begun) / steps)


Quadratic = Callable[[Floats, Floats, Floats, Floats], Floats]


def quadratic(make: Callable[[int], Quadratic]) -> Method:
    """One quadratic program a step, by a solver made for so many variables: (H, g, lower, upper) to dq."""

    def follow(task: Task, trial: int) -> tuple[Floats, Floats]:
        goals, tree = task.goals(trial), task.model.tree
        problem, solve, q = ik.Problem(tree, goals[:1]), make(len(task.start)), task.start.copy()
        fastest, damping = tree.velocity * STEP, DAMPING * np.eye(len(q))
        found, seconds = np.zeros((len(goals), len(q))), np.zeros(len(goals))
        for step, goal in enumerate(goals):
            begun = time.perf_counter()
            problem.change(0, goal)
            jacobian = problem.jacobian(q)
            off = problem.evaluation.values.residual
            low, high = np.maximum(tree.lower - q, -fastest), np.minimum(tree.upper - q, fastest)
            move = solve(jacobian.T @ jacobian + damping, jacobian.T @ off, low, high)
            q = q + np.clip(move, low, high)  # they hold the box to their tolerance
            seconds[step] = time.perf_counter() - begun
            found[step] = q
        return found, seconds

    return follow


def osqp(**settings: float) -> Callable[[int], Quadratic]:
    """OSQP by its own interface: the pattern of H stays, its upper half is updated."""

    def make(count: int) -> Quadratic:
        import osqp as library
        from scipy import sparse

        solver = library.OSQP()
        row, column = np.triu_indices(count)
        order = np.lexsort((row, column))  # column by column, as OSQP stores it
        row, column = row[order], column[order]
        begun = list[bool]()

        def solve(matrix: Floats, slope: Floats, low: Floats, high: Floats) -> Floats:
            if not begun:
                ends = np.cumsum(np.arange(count + 1))  # the whole half, also what happens to be zero now
                upper = sparse.csc_matrix((matrix[row, column], row, ends), shape=(count, count))
                one = sparse.identity(count, format="csc")
                solver.setup(upper, slope, one, low, high, verbose=False, **settings)
                begun.append(True)
            else:
                solver.update(Px=matrix[row, column], q=slope, l=low, u=high)
            return np.asarray(solver.solve(raise_error=False).x, float)

        return solve

    return make


def daqp(count: int) -> Quadratic:
    """DAQP by its `Model`, which begins with the last active set."""
    import daqp as library

    solver, nothing, begun = library.Model(), np.zeros((0, count)), list[bool]()

    def solve(matrix: Floats, slope: Floats, low: Floats, high: Floats) -> Floats:
        if not begun:
            solver.setup(matrix, slope, nothing, high, low)
            begun.append(True)
        else:
            solver.update(H=matrix, f=slope, bupper=high, blower=low)
        return np.asarray(solver.solve()[0], float)

    return solve


def proxqp(count: int) -> Quadratic:
    """ProxQP's dense solver with its box constraints, begun with the last result."""
    import proxsuite

    library = proxsuite.proxqp
    solver, begun = library.dense.QP(count, 0, 0, True), list[bool]()
    solver.settings.eps_abs = 1e-6
    solver.settings.initial_guess = library.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT

    def solve(matrix: Floats, slope: Floats, low: Floats, high: Floats) -> Floats:
        if not begun:
            solver.init(H=matrix, g=slope, l_box=low, u_box=high)
            begun.append(True)
        else:
            solver.update(H=matrix, g=slope, l_box=low, u_box=high)
        solver.solve()
        return np.asarray(solver.results.x, float)

    return solve


def clamped(task: Task, trial: int) -> tuple[Floats, Floats]:
    """Levenberg-Marquardt with Sugihara's damping, clamped to the box after each of its steps (eq. 8)."""
    goals, tree = task.goals(trial), task.model.tree
    problem, q, one = ik.Problem(tree, goals[:1]), task.start.copy(), np.eye(len(task.start))
    fastest, found, seconds = tree.velocity * STEP, np.zeros((len(goals), len(q))), np.zeros(len(goals))
    for step, goal in enumerate(goals):
        begun = time.perf_counter()
        problem.change(0, goal)
        low, high = np.maximum(tree.lower, q - fastest), np.minimum(tree.upper, q + fastest)
        for _ in range(CLAMPED):
            jacobian = problem.jacobian(q)
            off = problem.evaluation.values.residual
            cost = 0.5 * float(off @ off)
            if cost < CLOSE:
                break
            move = np.linalg.solve(jacobian.T @ jacobian + (cost + DAMPING) * one, -jacobian.T @ off)
            q = np.clip(q + move, low, high)
        seconds[step] = time.perf_counter() - begun
        found[step] = q
    return found, seconds


METHODS: dict[str, Method] = {name: ours(name) for name in PATIENCE} | {
    "OSQP, 1e-3": quadratic(osqp()),
    "OSQP, 1e-6": quadratic(osqp(eps_abs=1e-6, eps_rel=1e-6)),
    "DAQP": quadratic(daqp),
    "ProxQP": quadratic(proxqp),
    "LM, clamped": clamped,
}

SAYS = {
    "mirror_paper": "error as OSQP, smoother, within 1 ms",
    "OSQP, 1e-3": "small error, more than 1 ms",
    "LM, clamped": "large error",
}


class Outcome(NamedTuple):
    """Of one trial by one method."""

    metres: Floats  # [S]
    radians: Floats  # [S]
    seconds: Floats  # [S]
    longest: float  # of all steps in joint space, radians and metres
    jitter: float

    @property
    def both(self) -> float:
        """The paper's error: the mean length of the six numbers."""
        return float(np.hypot(self.metres, self.radians).mean())


def judge(task: Task, trial: int, q: Floats, seconds: Floats) -> Outcome:
    """Measure a trial; limits of position and velocity must hold to rounding."""
    tree, whole = task.model.tree, np.concatenate([task.start[None], q])
    moved = np.diff(whole, axis=0)
    assert (np.clip(q, tree.lower - 1e-9, tree.upper + 1e-9) == q).all(), "outside its limits"
    assert (np.abs(moved) <= tree.velocity * STEP + 1e-9).all(), "too fast"
    hand, target = hand_of(task, q), task.targets[trial]
    metres, radians = errors_of(hand, target)
    shaken = np.linalg.norm(np.diff(hand[:, :3, 3], 2, axis=0), axis=1).mean()
    wanted = np.linalg.norm(np.diff(target[:, :3, 3], 2, axis=0), axis=1).mean()
    longest = float(np.linalg.norm(moved, axis=1).max())
    return Outcome(metres, radians, seconds, longest, float(shaken / wanted))


def run(report: Report, quick: bool) -> None:
    """A row for each robot and method, and one for all 500 trials."""
    if not (DATA / "robots").exists():
        report.missing("all", "all", "no robots: set POSEWRIGHT_DATA to the folder that holds robots/")
        return
    trials, most, steps = (1, 3, 400) if quick else (TRIALS, MANY, STEPS)
    for setup in SETUPS:
        task = task_of(setup, most, steps, 1)
        found: dict[str, list[Outcome]] = {}
        for name, method in METHODS.items():
            try:
                method(replace(task, targets=[task.targets[0][:20]]), 0)  # compiles, and makes room
                found[name] = [
                    judge(task, trial, *method(task, trial))
                    for trial in report.each(range(min(trials, FEWER.get(name, trials))), f"{setup.name}, {name}")
                ]
            except ImportError as error:
                report.missing(setup.name, name, error)
        kept = [t for t in range(trials) if any(t < len(each) and each[t].both < FOLLOWED for each in found.values())]
        for name, each in found.items():
            own = [each[trial] for trial in kept if trial < len(each)]
            report.add(row_of(setup.name, name, own, len(each) - len(own)))
        solved = report.each(many(task, FASTEST_SOLVER, range(most)), f"{setup.name}, {most} trials", most)
        row = row_of(setup.name, f"{FASTEST_SOLVER}, {most} trials", [judge(task, *each) for each in solved], 0)
        row.median_ms = row.p99_ms = None  # what a single step took is not known
        report.add(row)


def row_of(case: str, name: str, each: Sequence[Outcome], left_out: int) -> Row:
    """A row out of the trials of one method."""
    metres, radians = (
        np.concatenate(one) for one in zip(*((each_.metres, each_.radians) for each_ in each), strict=True)
    )
    longest = float(np.mean([one.longest for one in each]))
    turned = f"turned off {1e3 * float(radians.mean()):.3g} mrad, worst {1e3 * float(radians.max()):.3g}"
    row = Row(
        case=case,
        method=name,
        n=len(each),
        success=float(np.mean([one.both < FOLLOWED for one in each])),
        goal_error_cm=100.0 * float(metres.mean()),
        worst_error_cm=100.0 * float(metres.max()),
        jitter=float(np.mean([one.jitter for one in each])),
        paper=SAYS.get(name),
        note=f"{turned}; longest step {longest:.4f}" + (f"; trials left out: {left_out}" if left_out else ""),
        series={
            "error": [one.both for one in each],
            "longest": [one.longest for one in each],
            "ms": np.percentile(1e3 * np.concatenate([one.seconds for one in each]), [5, 50, 95]).tolist(),
        },
    )
    return row.time(np.concatenate([one.seconds for one in each]))


def draw(figure: "Figure", rows: Sequence[Row]) -> None:
    """Error, smoothness and time of each method on each robot; a dot is a trial."""
    figure.set_size_inches(12, 5)
    panels: Any = figure.subplots(1, 3)
    robots, methods = list(dict.fromkeys(row.case for row in rows)), list(METHODS)
    for row in rows:
        if row.method not in methods or not row.series:
            continue
        index = methods.index(row.method)
        x = robots.index(row.case) + 0.8 * (index + 0.5) / len(methods) - 0.4
        look, label = {"color": f"C{index}"}, row.method if row.case == robots[0] else None
        for panel, key in ((panels[0], "error"), (panels[1], "longest")):
            values = row.series[key]
            panel.plot([x] * len(values), values, ".", markersize=4, **look)
            panel.plot(x, np.median(values), "_", markersize=11, markeredgewidth=2, label=label, **look)
        low, middle, high = row.series["ms"]
        panels[2].plot([x, x], [low, high], linewidth=1.5, **look)
        panels[2].plot(x, middle, "_", markersize=11, markeredgewidth=2, **look)
    panels[0].set(title="error (fig. 3a)", ylabel="mean of a trial, metres and radians", yscale="log")
    panels[1].set(title="smoothness (fig. 3b)", ylabel="longest step of a trial, radians and metres")
    panels[2].set(title="time", ylabel="ms a step: median, and 5 % to 95 %", yscale="log")
    panels[2].axhline(1e3 * LONGEST, color="black", linewidth=0.6)
    for panel in panels:
        panel.set_xticks(range(len(robots)), robots)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize="small")
