"""Table II of the memetic paper: Valkyrie with one to five goals at once; then TALOS and the Shadow hand.

Run: python -m posewright.benchmarks humanoid [--quick]. One thread, one query at a time from Python. A query is the
goals that a random pose meets, and another random pose to start from. It is solved where every goal is within 1e-4 m
and 1e-3 rad, all joints inside their limits, within 10 ms, judged by `robots.meets_each`, which no solver uses. All
methods get the same queries; slow ones the first of them.

| method | settings |
|---|---|
| auto, memetic | `solve` with the targets swapped in place, until reached, no levels (there are no pins) |
| memetic, 100 / 3 | the same with a population of the paper's size, 100 individuals and 3 elites, instead of 12 and 3 |
| pink, mink | see `peers`: one descent of up to 100 steps, Gauss-Newton inside the limits, DAQP |

The pelvis is fixed, as in all set-ups but the paper's two largest: those have three variables more, see the page.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from posewright import solvers as ik

from . import own
from .peers import attempt, mink, pink
from .queries import TOO_LONG, Method, random_poses, row_of
from .report import Report, Row
from .robots import queries as set_ups
from .robots import robot

SEED = 2026


class Contender(NamedTuple):
    """A method and how many queries it gets, in a full and in a quick run."""

    method: Method
    full: int
    quick: int


CONTENDERS = {
    "auto": Contender(own.by("auto"), 10_000, 100),
    "memetic": Contender(own.by("memetic"), 10_000, 100),
    "memetic, 100 / 3": Contender(own.by("memetic", options=ik.MemeticOptions(population=100, elites=3)), 1_000, 20),
    "pink": Contender(pink.method, 100, 5),
    "mink": Contender(mink.method, 100, 5),
}

# Table II: mean milliseconds and per cent solved within 10 ms, with the better of its two losses (RMSE).
TABLE_2 = {
    "right_wrist": (0.87, 99.96),
    "right_leg": (0.63, 99.98),
    "both_wrists": (2.07, 98.31),
    "right_wrist_elbow_lookat": (2.23, 98.82),
    "both_wrists_lookat": (2.67, 97.98),
    "right_wrist_orientation_fingers": (3.24, 97.69),
    "both_wrists_both_feet": (5.64, 95.29),
    "both_wrists_both_feet_lookat": (6.22, 94.56),
}
FEW = 50  # queries for `memetic` where it takes 0.15 s each


class Case(NamedTuple):
    """A set-up: which robot, from which link on, and what is wanted."""

    name: str
    file: str
    base: str
    goals: list[dict[str, Any]]
    paper: str | None = None
    few: bool = False  # hard for `memetic`: it gets `FEW` queries


def cases() -> list[Case]:
    """Valkyrie's eight set-ups, then two robots that the paper's table does not have."""
    asked = set_ups()
    valkyrie, found = asked["valkyrie_table2"], []
    for setup in valkyrie["setups"]:
        name = f"Valkyrie, {setup['name'].replace('_', ' ')}"
        paper = "{} ms, {} %".format(*TABLE_2[setup["name"]])
        found.append(Case(name, valkyrie["file"], setup["base"], setup["goals"], paper))
    talos, hand = ({one["robot"]: one for one in asked["extra"]}[name] for name in ("talos", "shadow_hand"))
    head = {"type": "look_at", "link": "head_2_link", "axis": [1.0, 0.0, 0.0]}
    found.append(Case("TALOS, both hands both feet lookat", talos["file"], talos["base"], [*_all(talos, "pose"), head]))
    found.append(Case("Shadow hand, five tips' positions", hand["file"], hand["base"], _all(hand, "position")))
    found.append(Case("Shadow hand, five tips' poses", hand["file"], hand["base"], _all(hand, "pose"), few=True))
    return found


def _all(setup: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """A goal of one kind for every tip of a set-up."""
    return [{"type": kind, "link": tip} for tip in setup["tips"]]


def run(report: Report, quick: bool) -> None:
    """All set-ups by all methods."""
    for case in cases():
        model = robot(case.file, case.base, [goal["link"] for goal in case.goals])
        label = f"{case.name} ({len(model.tree.variables)} DOF)"
        most = max(one.quick if quick else one.full for one in CONTENDERS.values())
        queries = random_poses(model, case.goals, most, SEED)
        for name, one in report.each(list(CONTENDERS.items()), label):
            count = one.quick if quick else one.full
            if case.few and name.startswith("memetic"):
                count = 5 if quick else min(count, FEW)
            asked = queries.first(count)
            answers = attempt(report, label, name, one.method, asked)
            if answers is None:
                continue
            row, _ = row_of(label, name, asked, answers)
            row.paper = case.paper if name == "memetic" else None
            report.add(row)


def draw(figure: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401 - matplotlib has no types
    """Solved and time of each method, a line for each set-up, with the paper's figures."""
    figure.set_size_inches(13, 6.5)
    solved, took = figure.subplots(1, 2, sharey=True)
    labels = list(dict.fromkeys(row.case for row in rows if row.success is not None))
    shift = np.linspace(-0.3, 0.3, len(CONTENDERS) + 1)
    for index, name in enumerate(CONTENDERS):
        found = [row for row in rows if row.method == name and row.success is not None]
        lines = [labels.index(row.case) + shift[index] for row in found]
        solved.plot([100.0 * (row.success or 0.0) for row in found], lines, "o", color=f"C{index}", label=name)
        took.plot([row.mean_ms for row in found], lines, "o", color=f"C{index}", label=name)
    lines = [index + shift[-1] for index in range(len(TABLE_2))]
    solved.plot([one[1] for one in TABLE_2.values()], lines, "kx", label="Bio-IK (paper, its own machine)")
    took.plot([one[0] for one in TABLE_2.values()], lines, "kx", label="Bio-IK (paper, its own machine)")
    took.axvline(1e3 * TOO_LONG, color="grey", linestyle="--", linewidth=1)
    solved.set_yticks(range(len(labels)), labels)
    solved.invert_yaxis()
    solved.set(xlabel="solved within 10 ms, %", xlim=(-3, 103))
    took.set(xscale="log", xlabel="mean time of a query, ms (dashed: the limit)")
    for axes in (solved, took):
        axes.grid(axis="x", alpha=0.3)
        for line in range(len(labels) - 1):
            axes.axhline(line + 0.5, color="lightgrey", linewidth=0.8)
    figure.legend(*solved.get_legend_handles_labels(), loc="outside upper center", ncols=6, fontsize="small")
