"""What a benchmark found: rows for people (a table), for programs (JSON) and for the eye (a plot)."""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

PACKAGES = ("numpy", "numba", "scipy", "bpy")
BAR = 24  # characters

# A row's figures: the heading over each, and how it is written.
HEADINGS = {
    "n": ("n", "d"),
    "success": ("solved", ".2%"),
    "mean_ms": ("mean ms", ".3f"),
    "median_ms": ("median ms", ".3f"),
    "p99_ms": ("p99 ms", ".3f"),
    "goal_error_cm": ("goals off, cm", ".4f"),
    "worst_error_cm": ("worst, cm", ".3f"),
    "joint_distance_cm": ("joints off, cm", ".2f"),
    "jitter": ("jitter, ×", ".2f"),
    "pops": ("pops", "d"),
    "gradient": ("gradient", ".1e"),
    "iterations": ("iterations", ".1f"),
    "paper": ("paper", "s"),
    "note": ("", "s"),
}


@dataclass(kw_only=True)
class Row:
    """One case by one method. What does not apply is None and left out.

    Attributes:
        n: how many queries, frames or trials.
        success: part of them that were solved, 0 to 1.
        mean_ms, median_ms, p99_ms: of one of them.
        goal_error_cm, worst_error_cm: mean and worst distance of a goal to its target.
        joint_distance_cm: mean distance of the joints to the captured ones.
        jitter: mean acceleration over the source's.
        pops: jumps from frame to frame beyond the source's.
        gradient: the projected gradient where it ended.
        paper: what the paper reports for this row, in its own words and unit.
        note: what a reader must know, such as why a peer has no figures.
        series: curves for the plot, by name.
    """

    case: str
    method: str
    n: int = 0
    success: float | None = None
    mean_ms: float | None = None
    median_ms: float | None = None
    p99_ms: float | None = None
    goal_error_cm: float | None = None
    worst_error_cm: float | None = None
    joint_distance_cm: float | None = None
    jitter: float | None = None
    pops: int | None = None
    gradient: float | None = None
    iterations: float | None = None
    paper: str | None = None
    note: str | None = None
    series: dict[str, list[float]] = field(default_factory=dict)

    def time(self, seconds: Sequence[float] | np.ndarray[Any, Any]) -> "Row":
        """Fill in the times from those of each query, in seconds. Returns the row."""
        took = 1e3 * np.asarray(seconds, float)
        self.mean_ms, self.median_ms = float(took.mean()), float(np.median(took))
        self.p99_ms = float(np.percentile(took, 99))
        return self


@dataclass
class Report:
    """The rows of one benchmark, and a line on the terminal that says how far it is."""

    name: str
    rows: list[Row] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)

    def add(self, row: Row) -> None:
        """Take a row, and show it at once."""
        self.rows.append(row)
        figures = ", ".join(f"{heading} {text}".strip() for heading, text in written(row).items())
        self._line(f"{row.case}  {row.method}: {figures}", end="\n")

    def missing(self, case: str, method: str, why: object) -> None:
        """A row that says why there are no figures, as for a peer that is not installed."""
        self.add(Row(case=case, method=method, note=f"not run: {why}"))

    def each(self, items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
        """The items one by one, with a progress bar while they last."""
        listed = items if total is not None else list(items)
        count = total if total is not None else len(listed)  # type: ignore[arg-type]
        shown = 0.0
        for index, item in enumerate(listed):
            if time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                full = BAR * index // max(count, 1)
                self._line(f"[{'#' * full}{'.' * (BAR - full)}] {index}/{count} {label}")
            yield item
        self._line("")

    def _line(self, text: str, end: str = "") -> None:
        if end or sys.stderr.isatty():
            clear = "\r\x1b[K" if sys.stderr.isatty() else ""
            sys.stderr.write(f"{clear}{text}{end}")
            sys.stderr.flush()

    def write(self, folder: Path) -> None:
        """NAME.json into the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        kept = [{key: value for key, value in asdict(row).items() if value not in (None, {})} for row in self.rows]
        found = {
            "name": self.name,
            "machine": machine(),
            "versions": versions(),
            "seconds": round(time.monotonic() - self.begun, 1),
            "rows": kept,
        }
        (folder / f"{self.name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    def picture(self, folder: Path, draw: Callable[[Any, Sequence[Row]], None]) -> None:
        """NAME.png into the folder; `draw` puts the rows onto a figure of matplotlib's."""
        from matplotlib.figure import Figure  # not every reader of this module has it

        figure = Figure(figsize=(10, 5), layout="constrained")
        draw(figure, self.rows)
        figure.savefig(folder / f"{self.name}.png", dpi=110)


def written(row: Row) -> dict[str, str]:
    """A row's figures as text, by heading."""
    found = {}
    for key, (heading, form) in HEADINGS.items():
        value = getattr(row, key)
        if value is not None and not (key == "n" and value == 0):
            found[heading] = format(value, form)
    return found


def table(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown, with the columns that any of them has."""
    cells = [written(row) for row in rows]
    headings = [heading for heading, _ in HEADINGS.values() if any(heading in cell for cell in cells)]
    lines = ["| " + " | ".join(["case", "method", *headings]) + " |", "|---|---|" + "--:|" * len(headings)]
    for row, cell in zip(rows, cells, strict=True):
        lines.append("| " + " | ".join([row.case, row.method, *(cell.get(heading, "") for heading in headings)]) + " |")
    return "\n".join(lines)


def machine() -> str:
    """The processor and how many of its cores there are."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def versions() -> dict[str, str]:
    """Python and the packages that the figures depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
