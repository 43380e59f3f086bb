"""Table I of the memetic paper: six arms, random poses to reach from random starts; and its figures 9 and 10.

Run: python -m posewright.benchmarks arms [--quick]. One thread, one query at a time from Python. A query is a pose that
random joint values reach, and other random joint values to start from. It is solved where the tip is within 1e-4 m and
1e-3 rad, all joints inside their limits, within 10 ms, judged by `robots.meets_each`, which no solver uses. All methods
get the same queries; slow ones the first of them.

| method | settings |
|---|---|
| auto, memetic | `solve` with the targets swapped in place, until reached, no levels (there are no pins) |
| auto, batch | one `solve_many` for all queries; its time is the mean |
| multi-start L-BFGS | the memetic solver's descents from random poses, without a population |
| roboticstoolbox, ikpy, quik | see `peers` |
| DLS, L-BFGS-B, SGA, DE | the paper's baselines, see `baselines`; the last two may take 1 s, as in the paper |

Figure 9 is the memetic solver's own count of generations in the same run. Figure 10 is arms of 6 to 120 hinges and 1 m
in all (`robots.redundant_arm`); the paper does not say what its arms were like. Their limit of time is 1 s.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import baselines, own
from .peers import attempt, ikpy, quik, roboticstoolbox
from .queries import TOO_LONG, Answers, Method, Queries, random_poses, row_of
from .report import Report, Row
from .robots import queries as set_ups
from .robots import redundant_arm, robot

SEED = 2026
GENERATIONS = 100  # of figure 9
DEGREES = (6, 12, 30, 60, 90, 120)  # of figure 10
PATIENT = 1.0  # seconds, for figure 10


class Contender(NamedTuple):
    """A method, how many queries it gets in a full and in a quick run, and which column of the paper's table it is."""

    method: Method
    full: int
    quick: int
    column: str = ""


CONTENDERS = {
    "auto": Contender(own.by("auto"), 10_000, 200),
    "auto, batch": Contender(own.batch, 10_000, 200),
    "memetic": Contender(own.by("memetic"), 10_000, 200, "Bio-IK"),
    "multi-start L-BFGS": Contender(own.multi_start, 10_000, 200),
    "roboticstoolbox": Contender(roboticstoolbox.method, 10_000, 200),
    "quik": Contender(quik.method, 200, 20),
    "ikpy": Contender(ikpy.method, 100, 5),
    "DLS": Contender(baselines.damped_least_squares, 300, 20, "Jacobian-DLS"),
    "L-BFGS-B": Contender(baselines.lbfgsb, 500, 50, "L-BFGS-B"),
    "SGA": Contender(baselines.genetic, 16, 1, "SGA"),
    "DE": Contender(baselines.differential, 16, 1, "DE"),
}

# Table I: mean milliseconds and per cent solved, by arm. SGA and DE had 1 s, Bio-IK 10 ms; the other two ended where
# they left the limits.
COLUMNS = ("Bio-IK", "Jacobian-DLS", "L-BFGS-B", "SGA", "DE")
TABLE_1 = {
    "PR2 right arm": ((0.91, 99.47), (0.34, 28.61), (0.36, 37.68), (334.53, 36.24), (197.65, 66.89)),
    "Baxter right arm": ((1.12, 99.16), (0.59, 9.78), (0.44, 43.19), (362.18, 39.22), (171.39, 56.84)),
    "KUKA LBR iiwa 14": ((0.74, 99.93), (0.49, 68.64), (0.41, 74.33), (297.87, 61.14), (129.42, 87.39)),
    "KUKA KR120 R2500 pro": ((1.09, 99.21), (0.36, 59.62), (0.39, 67.74), (398.49, 52.21), (231.87, 77.17)),
    "Universal Robots UR5": ((0.91, 99.38), (0.79, 77.81), (0.36, 86.97), (323.84, 68.53), (159.11, 89.75)),
    "Fanuc M-10iA": ((1.07, 98.96), (1.34, 55.83), (0.35, 49.66), (416.81, 42.67), (203.64, 76.91)),
}


def run(report: Report, quick: bool) -> None:
    """All arms by all methods, then the two figures' curves."""
    for setup in set_ups()["table1"]:
        arm, tip = setup["label"], setup["tip"]
        model = robot(setup["file"], setup["base"], [tip])
        most = max(one.quick if quick else one.full for one in CONTENDERS.values())
        queries = random_poses(model, [{"type": "pose", "link": tip}], most, SEED)
        for name, one in report.each(list(CONTENDERS.items()), arm):
            asked = queries.first(one.quick if quick else one.full)
            answers = attempt(report, arm, name, one.method, asked)
            if answers is not None:
                report.add(_row(arm, name, one.column, asked, answers))
    for planar in (True, False):
        for name, method in REDUNDANT.items():
            report.add(_redundant(report, name, method, planar, 5 if quick else 100))


def _row(arm: str, name: str, column: str, asked: Queries, answers: Answers) -> Row:
    row, met = row_of(arm, name, asked, answers)
    if column:
        row.paper = "{} ms, {} %".format(*TABLE_1[arm][COLUMNS.index(column)])
    row.series["if slower answers count"] = [float(met.mean())]
    if name == "auto, batch":  # only the mean is known
        row.median_ms = row.p99_ms = None
    if name == "memetic" and answers.iterations is not None:
        made = np.where(met, answers.iterations, np.inf)
        row.series["generations"] = [float(count) for count in range(1, GENERATIONS + 1)]
        row.series["solved"] = [float((made <= count).mean()) for count in range(1, GENERATIONS + 1)]
    return row


REDUNDANT: dict[str, Method] = {
    "auto": own.by("auto"),
    "memetic": own.by("memetic"),
    "L-BFGS-B": baselines.lbfgsb,
}


def _redundant(report: Report, name: str, method: Method, planar: bool, count: int) -> Row:
    """A method on arms of more and more hinges; the row's own figures are those of the longest."""
    kind, rows = "planar" if planar else "spatial", []
    for joints in report.each(DEGREES, f"{kind} arms, {name}"):
        asked = random_poses(redundant_arm(joints, planar), [{"type": "pose", "link": "tip"}], count, SEED)
        rows.append(row_of(f"{kind} arm, {joints} DOF", name, asked, method(asked), PATIENT)[0])
    rows[-1].series = {
        "degrees": [float(joints) for joints in DEGREES],
        "mean_ms": [row.mean_ms or 0.0 for row in rows],
        "solved": [row.success or 0.0 for row in rows],
    }
    return rows[-1]


def draw(figure: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401 - matplotlib has no types
    """Solved and time of each method, over the arms; solved over generations; time over degrees of freedom."""
    figure.set_size_inches(12, 9)
    (solved, took), (evolved, longer) = figure.subplots(2, 2)
    arms = [row for row in rows if row.case in TABLE_1 and row.success is not None]
    names = [name for name in CONTENDERS if any(row.method == name for row in arms)]
    _dots(solved, arms, names, lambda row: 100.0 * row.series["if slower answers count"][0], filled=False)
    _dots(solved, arms, names, lambda row: 100.0 * (row.success or 0.0))
    solved.set(xlabel="solved within 10 ms, % (rings: if slower answers count)", xlim=(-3, 103))
    solved.set_title("Table I: six arms, a dot each; bar: their mean")
    _dots(took, arms, names, lambda row: row.mean_ms or 0.0)
    took.axvline(1e3 * TOO_LONG, color="grey", linestyle="--", linewidth=1)
    took.set(xscale="log", xlabel="mean time of a query, ms (dashed: the limit)", title="Table I: time")
    for row in arms:
        if "generations" in row.series:
            unsolved = 100.0 * (1.0 - np.array(row.series["solved"]))
            unsolved[unsolved <= 0.0] = np.nan  # all solved: the curve ends, a log axis has no zero
            evolved.plot(row.series["generations"], unsolved, marker=".", label=row.case)
    evolved.set(
        xscale="log", yscale="log", xlabel="generations", ylabel="not yet solved, % (a curve ends where all are)"
    )
    evolved.set_title("Figure 9: memetic, by generations")
    evolved.legend(fontsize="small")
    for row in rows:
        if "degrees" in row.series:
            style = "-" if row.case.startswith("planar") else "--"
            colour, worst = f"C{list(REDUNDANT).index(row.method)}", min(row.series["solved"])
            label = f"{row.method}, {row.case.split()[0]}: {'all' if worst == 1.0 else f'{worst:.0%} or more'} solved"
            longer.plot(row.series["degrees"], row.series["mean_ms"], style, marker="o", color=colour, label=label)
    longer.set(yscale="log", xlabel="degrees of freedom", ylabel="mean time of a query, ms")
    longer.set_title("Figure 10: hyper-redundant arms, 1 s allowed")
    low, high = longer.get_ylim()
    longer.set_ylim(low, high * (high / low) ** 0.6)  # room for the legend above the curves
    longer.legend(fontsize="small", loc="upper left")
    for axes in (solved, took, evolved, longer):
        axes.grid(alpha=0.3)


def _dots(
    axes: Any,  # noqa: ANN401
    rows: Sequence[Row],
    names: Sequence[str],
    value: Callable[[Row], float],
    filled: bool = True,
) -> None:
    """A line of dots for each method, one for each arm, and a bar at their mean; or rings."""
    for line, name in enumerate(names):
        found, colour = [value(row) for row in rows if row.method == name], f"C{line % 10}"
        if filled:
            axes.plot(found, [line] * len(found), "o", alpha=0.6, color=colour)
            axes.plot(np.mean(found), line, "|", markersize=18, markeredgewidth=2, color=colour)
        else:
            axes.plot(found, [line] * len(found), "o", markersize=9, fillstyle="none", color=colour)
    if not axes.yaxis_inverted():
        axes.invert_yaxis()
    axes.set_yticks(range(len(names)), names)
