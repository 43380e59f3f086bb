"""Large bodies, loops and wires: LM-PFD's table I and its figure 3, and how time grows to 6,000 variables.

Run: `python -m posewright.benchmarks scaling`. One thread.

Chains and trees (table I). Balls 0.1 m apart, each body's place a target, that of a seeded pose: those of the paper, as
printed, contradict each other. A solve begins near that pose, without limits, and ends, as in the paper, when the
cost f is below 1e-6; that is solved, by f as slow code of its own sums it up. The time is that of the whole solve. Its
part of one iteration is in the note, and how that grows.

Loops. Two chains of balls side by side, held together by a `Loop` every fourth body, three rows each; targets for both
ends, from a seeded pose in which every loop is closed; from the rest pose to f < 1e-6. The error is of ends and loops.

Wires (fig. 3). 155 variables, 338 wires and 34 markers, made up as in wires.py; each frame begins where the same method
ended the last, and has 5 ms as in the paper. A method that is not done by then is stopped after the iteration that it
is in. The error is the paper's: of the 34 markers, how far the worst is from where the minimum has it (levenberg's, to
a gradient of 1e-10, from the last frame's minimum); solved is a frame within 3 mm.

The methods are

    pseudo_dynamics, levenberg     Posewright's, from Python: the plain cost (`levels=False`)
    LM, dense                      eqs 11 to 14 in numpy, with a compiled Jacobian
    LM-PFD (AVD)                   eqs 58 to 66 by avd.py: block by block in Python, so its time says little; one order
    BFGS, CG                       scipy's, with compiled cost and gradient in O(N). Its CG is Polak and Ribière's

Dense LM and AVD have the paper's damping, Sugihara's (f + N√ε), and its line search by Armijo. They, BFGS and CG know
no limits, and are given none: the wires' figure moves inside its own.
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from posewright import solvers as ik
from posewright.tests import naive

from . import avd
from .articulated import Bench
from .report import Report, Row
from .wires import MARKERS, Figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture
    from scipy.optimize import OptimizeResult

Floats = NDArray[np.float64]

SOLVED = 1e-6  # the cost at which the paper stops
ROUNDING = math.sqrt(float(np.finfo(float).eps))  # √ε of the paper's damping
FRAME = 0.005  # seconds
NEAR = 0.003  # metres: what the paper's own method is off by at most
LONGEST, LONGEST_QUICK = 30.0, 1.0  # seconds, after which a method is given up


class Found(NamedTuple):
    """What one solve came to."""

    q: Floats
    iterations: int
    seconds: float


# A problem, a start, the cost to stop at and the seconds to stop after.
Method = Callable[[ik.Problem, Floats, float, float], Found]


def cost_and_gradient(problem: ik.Problem, q: Floats) -> tuple[float, Floats]:
    """Both in one look at the goals."""
    gradient = problem.gradient(q)
    return 0.5 * float(problem.arrays.weight @ problem.evaluation.values.residual**2), gradient


# Baselines


def dense_steps(problem: ik.Problem) -> Callable[[Floats, Floats, float], Floats]:
    """A step of (14), for a pose, the gradient there and the damping."""
    everything = np.arange(len(problem.tree.variables))

    def step(q: Floats, gradient: Floats, damping: float) -> Floats:
        jacobian = problem.jacobian(q)  # the rows of slack wires are zero
        matrix = jacobian.T @ (problem.arrays.weight[:, None] * jacobian)
        matrix[everything, everything] += damping
        return np.asarray(np.linalg.solve(matrix, -gradient), float)

    return step


def avd_steps(problem: ik.Problem) -> Callable[[Floats, Floats, float], Floats]:
    """A step of (64) with μ = N√ε; the order of elimination is worked out once, as in the paper."""
    penalty, order = len(problem.tree.variables) * ROUNDING, list[int]()

    def step(q: Floats, gradient: Floats, damping: float) -> Floats:
        bodies = avd.bodies_of(problem, q)
        blocks = avd.matrix_of(bodies, np.full(len(q), damping), penalty)
        if not order:
            order[:] = avd.order_of(blocks)
        return avd.rates_of(bodies, avd.solve_blocks(blocks, order, avd.momentum_of(bodies, -gradient))[0])

    return step


def damped(steps: Callable[[ik.Problem], Callable[[Floats, Floats, float], Floats]]) -> Method:
    """The paper's loop (6), (7) with its damping, and Armijo's line search."""

    def solve(problem: ik.Problem, start: Floats, stop: float, most_seconds: float) -> Found:
        step, q, made, begun = steps(problem), start.copy(), 0, time.perf_counter()
        cost, gradient = cost_and_gradient(problem, q)
        while cost >= stop and time.perf_counter() - begun < most_seconds:
            way, length = step(q, gradient, cost + len(q) * ROUNDING), 1.0
            while length > 1e-8:
                there, slope = cost_and_gradient(problem, q + length * way)
                if there <= cost + 1e-4 * length * float(gradient @ way):
                    break
                length *= 0.5
            else:
                break  # no way down that numbers can tell
            q, cost, gradient = q + length * way, there, slope
            made += 1
            if stop == 0.0 and float(np.abs(gradient).max()) < 1e-7:
                break
        return Found(q, made, time.perf_counter() - begun)

    return solve


def scipys(method: str) -> Method:
    """A method of scipy's `minimize`."""

    def solve(problem: ik.Problem, start: Floats, stop: float, most_seconds: float) -> Found:
        from scipy.optimize import minimize

        begun = time.perf_counter()

        def watch(intermediate_result: "OptimizeResult") -> None:
            if intermediate_result.fun < stop or time.perf_counter() - begun > most_seconds:
                raise StopIteration

        with np.errstate(all="ignore"):
            found = minimize(
                lambda q: cost_and_gradient(problem, q),
                start,
                jac=True,
                method=method,
                callback=watch,
                options={"gtol": 1e-7 if stop == 0.0 else 1e-12, "maxiter": 50_000},
            )
        return Found(np.asarray(found.x, float), int(found.nit), time.perf_counter() - begun)

    return solve


def ours(solver: str) -> Method:
    """A solver of Posewright's. It has no cost to stop at: how many iterations that takes is counted beforehand."""

    def solve(problem: ik.Problem, start: Floats, stop: float, most_seconds: float) -> Found:
        if stop == 0.0:
            budget = ik.Budget(iterations=500, seconds=most_seconds, levels=False)
        else:
            budget = ik.Budget(iterations=count(problem, start, solver, stop), levels=False, gradient=0.0)
        begun = time.perf_counter()
        found = ik.solve(problem, start, solver, budget)
        return Found(found.q, found.iterations, time.perf_counter() - begun)

    return solve


def count(problem: ik.Problem, start: Floats, solver: str, stop: float) -> int:
    """How many iterations bring the cost below `stop`; at most 200."""
    state, budget = ik.State(problem, start, solver), ik.Budget(iterations=200, levels=False, gradient=0.0)
    for made in range(1, 201):
        ik.step(problem, state, budget, 1)
        if cost_and_gradient(problem, state.frames.q[0])[0] < stop:
            return made
    return 200


METHODS: dict[str, Method] = {
    "pseudo_dynamics": ours("pseudo_dynamics"),
    "levenberg": ours("levenberg"),
    "LM-PFD (AVD)": damped(avd_steps),
    "LM, dense": damped(dense_steps),
    "BFGS": scipys("BFGS"),
    "CG": scipys("CG"),
}

# Table I: ms and iterations, on another machine. It does not say whether its manipulators are chains; they seem to be.
PAPER = {
    60: {"pseudo_dynamics": (0.7, 7), "LM-PFD (AVD)": (0.7, 7), "LM, dense": (6.6, 7), "BFGS": (3.6, 122)}
    | {"CG": (16.0, 934)},
    600: {"pseudo_dynamics": (8.3, 9), "LM-PFD (AVD)": (6.0, 8), "LM, dense": (1545.3, 9), "BFGS": (1259.1, 465)}
    | {"CG": (8503.7, 18002)},
}


# Who is asked for 6,000 variables: others would take minutes, as a full matrix of that size does.
LARGE = {"chain": {"pseudo_dynamics"}, "tree": {"pseudo_dynamics", "levenberg"}}


def measure(report: Report, row: Row, problem: ik.Problem, start: Floats, longest: float) -> Floats | None:
    """Fill in times and iterations of a solve to f < 1e-6: once, or of several if that is quick. Returns the pose."""
    method = METHODS[row.method]
    try:
        method(problem, start, math.inf, 0.0)  # makes room
        found = [method(problem, start, SOLVED, longest)]
    except ImportError as error:
        report.missing(row.case, row.method, error)
        return None
    while len(found) < 9 and sum(one.seconds for one in found) < 0.5:
        found.append(method(problem, start, SOLVED, longest))
    row.n, row.iterations = len(found), float(found[0].iterations)
    row.time([one.seconds for one in found])
    return found[0].q


# Chains and trees


def judge(row: Row, off: Floats) -> None:
    """Fill in what is off by how much, given the metres [goals]."""
    row.success = float(0.5 * float(off @ off) < SOLVED)
    row.goal_error_cm, row.worst_error_cm = 100.0 * float(off.mean()), 100.0 * float(off.max())


def places_of(tree: ik.Tree, q: Floats) -> Floats:
    """Where the balls of a chain or tree are [bodies, 3], by slow code of its own."""
    turns, places = list[Floats](), list[Floats]()
    for body, parent in enumerate(tree.arrays.parent):
        turn, place = (turns[parent], places[parent]) if parent >= 0 else (np.eye(3), np.zeros(3))
        places.append(place + turn @ tree.arrays.rest_position[body])
        turns.append(turn @ naive.turn(q[3 * body : 3 * body + 3]))
    return np.array(places)


def grow(report: Report, shape: str, counts: Sequence[int], longest: float) -> None:
    """Table I for one shape: a row for each size and method."""
    each: dict[str, tuple[int, float]] = {}  # the smallest size of each method, and ms of one iteration there
    for variables in counts:
        bench = Bench(shape, variables)
        for name in METHODS:
            if variables > 1000 and name not in LARGE[shape]:
                continue
            said = PAPER.get(variables, {}).get(name) if shape == "chain" else None
            row = Row(case=f"{shape}, {variables:,} variables", method=name)
            if said:
                row.paper = f"{said[0]:g} ms, {said[1]} iterations"
            q = measure(report, row, bench.problem, bench.start, longest)
            if q is None:
                continue
            judge(row, np.asarray(np.linalg.norm(places_of(bench.tree, q) - bench.targets, axis=1), float))
            one = float(row.median_ms or 0.0) / max(float(row.iterations or 0.0), 1.0)
            row.note = f"{one:.3g} ms an iteration"
            if name in each:
                first, quick = each[name]
                power = math.log(one / quick) / math.log(variables / first)
                row.note += f", as N^{power:.2f} from {first}"
            else:
                each[name] = variables, one
            row.series = {"variables": [float(variables)], "ms": [float(row.median_ms or 0.0)], "each": [one]}
            report.add(row)


# Loops


def ladder(variables: int) -> tuple[ik.Problem, Floats, list[ik.Joint]]:
    """Two chains, loops between them at every fourth body, and goals for both ends; a start, and the joints."""
    length, joints, loops = variables // 6, list[ik.Joint](), list[ik.Goal]()
    for side, x in (("l", 0.05), ("r", -0.05)):
        for i in range(length):
            rest = np.eye(4)
            rest[:3, 3] = (0.0, 0.1, 0.0) if i else (x, 0.0, 0.0)
            joints.append(ik.Joint(f"{side}{i}", f"{side}{i - 1}" if i else None, rest, ik.Ball()))
    for i in range(3, length, 4):
        loops.append(ik.Loop(f"l{i}", f"r{i}", point=(-0.05, 0.05, 0.0), other=(0.05, 0.05, 0.0)))
    tree = ik.Tree(joints)
    bent = np.random.default_rng(1).normal(scale=0.3 / math.sqrt(length), size=variables)
    closed = ik.solve(ik.Problem(tree, loops), bent, "levenberg", ik.Budget(levels=False, gradient=1e-12)).q
    places = tree.pose(closed).positions
    ends: list[ik.Goal] = [ik.Position(name, places[tree.index(name)]) for name in (f"l{length - 1}", f"r{length - 1}")]
    return ik.Problem(tree, [*ends, *loops]), tree.start(), joints


def close(report: Report, counts: Sequence[int], longest: float) -> None:
    """A row for each size and method."""
    for variables in counts:
        problem, start, joints = ladder(variables)
        for name in METHODS:
            row = Row(case=f"{len(problem.goals) - 2} loops, {variables} variables", method=name)
            q = measure(report, row, problem, start, longest)
            if q is None:
                continue
            judge(row, gaps(problem, joints, q))
            report.add(row)


def gaps(problem: ik.Problem, joints: Sequence[ik.Joint], q: Floats) -> Floats:
    """How far each end is from its place and each loop from being closed [goals], in metres, by the slow twin."""
    places = dict(zip(problem.tree.names, naive.forward(list(joints), q), strict=True))
    found = []
    for goal in problem.goals:
        if isinstance(goal, ik.Loop):
            first, second = places[goal.first], places[goal.second]
            one = first[:3, 3] + first[:3, :3] @ np.asarray(goal.point)
            other = second[:3, 3] + second[:3, :3] @ np.asarray(goal.other)
        else:
            assert isinstance(goal, ik.Position)
            one, other = places[goal.joint][:3, 3], np.asarray(goal.target)
        found.append(math.dist(one, other))
    return np.array(found)


# Wires


def pull(report: Report, frames: int) -> None:
    """Figure 3: a row for each method over some frames."""
    case, body = "338 wires, 155 variables", Figure(frames + 1, 1, possible=True)
    markers = ik.Problem(body.tree, body.markers)

    def places(q: Floats) -> Floats:
        return markers.residual(q).reshape(MARKERS, 3)  # the targets of these are zero

    least, q = [], body.tree.start()
    for frame in range(frames + 1):
        body.put(frame)
        q = ik.solve(body.problem, q, "levenberg", ik.Budget(iterations=1000, gradient=1e-10, levels=False)).q
        least.append(q)
    for name, method in METHODS.items():
        q, found, off = least[0], [], []
        try:
            method(body.problem, q, math.inf, 0.0)  # makes room
            for frame in report.each(range(1, frames + 1), f"wires, {name}"):
                body.put(frame)
                found.append(method(body.problem, q, 0.0, FRAME))
                q = found[-1].q
                off.append(float(np.linalg.norm(places(q) - places(least[frame]), axis=1).max()))
        except ImportError as error:
            report.missing(case, name, error)
            continue
        row = Row(
            case=case,
            method=name,
            n=frames,
            success=float(np.mean(np.array(off) <= NEAR)),
            goal_error_cm=100.0 * float(np.mean(off)),
            worst_error_cm=100.0 * float(np.max(off)),
            iterations=float(np.mean([one.iterations for one in found])),
            paper={"LM-PFD (AVD)": "within 5 ms, at most 3 mm", "levenberg": None, "pseudo_dynamics": None}.get(
                name, "more than 2 cm off in 5 ms"
            ),
            series={"off": [max(one, 1e-9) for one in off]},
        )
        report.add(row.time([one.seconds for one in found]))


def run(report: Report, quick: bool) -> None:
    """Chains, trees, loops, wires."""
    longest = LONGEST_QUICK if quick else LONGEST
    for shape in ("chain", "tree"):
        grow(report, shape, (60, 600) if quick else (60, 600, 6000), longest)
    close(report, (60,) if quick else (60, 600), longest)
    pull(report, 5 if quick else 100)


def draw(figure: "Picture", rows: Sequence[Row]) -> None:
    """A solve and one iteration over the number of variables, and the markers' error over the frames."""
    figure.set_size_inches(12, 5)
    whole, each, wires = figure.subplots(1, 3)
    colours = {name: f"C{i}" for i, name in enumerate(METHODS)}
    for shape, line in (("chain", "-o"), ("tree", ":s")):
        for name, colour in colours.items():
            own = [row for row in rows if row.method == name and row.case.startswith(shape) and row.series]
            for panel, key in ((whole, "ms"), (each, "each")):
                points = [(row.series["variables"][0], row.series[key][0]) for row in own]
                panel.loglog(*zip(*points, strict=True), line, color=colour, markersize=4, label=f"{name}, {shape}s")
    for variables, said in PAPER.items():
        for name, (ms, iterations) in said.items():
            whole.loglog(variables, ms, "x", color=colours[name])
            each.loglog(variables, ms / iterations, "x", color=colours[name])
    whole.set(title="to f < 1e-6 (x: table I)", xlabel="variables", ylabel="ms a solve")
    each.set(title="one iteration", xlabel="variables", ylabel="ms an iteration")
    for row in rows:
        if "wires" in row.case and row.series:
            off = 1e3 * np.array(row.series["off"])
            wires.semilogy(np.arange(1, len(off) + 1), off, color=colours[row.method])
    wires.axhline(1e3 * NEAR, color="black", linewidth=0.6)
    wires.set(title="338 wires, 5 ms a frame (fig. 3)", xlabel="frame", ylabel="worst marker off the minimum, mm")
    handles, labels = whole.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize="small")
