"""A figure of a memetic search that Blender has saved (Save Search): costs over generations, and the elites' ways.

Run: python -m posewright.benchmarks.search_figure SEARCH.json [FIGURE.png], where matplotlib is. Beside the file's own
name if no other is said. Left: what elites cost before and after they descend, and the best so far. Right: how they
carried the point of each goal from where they were born, in millimetres from its target.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

FORMAT = "posewright search 1"
BEGUN, ENDED, BEST = "#e08a1e", "#3d7edb", "#1aa7b8"
LEAST = 1e-12  # of a cost, and millimetres: less is drawn as that


def read(path: Path) -> dict[str, Any]:
    """A saved search. Ends the program with a sentence where it is none."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{path} cannot be read: {error}")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        sys.exit(f"{path} is no search that Posewright has saved")
    if not found["generations"]:
        sys.exit(f"{path} has no generation: the search had nothing to do")
    return found


def draw(figure: Figure, found: dict[str, Any]) -> None:
    """Put costs and ways onto a figure."""
    costs, ways = figure.subplots(1, 2)
    _draw_costs(costs, found)
    _draw_ways(ways, found)
    figure.suptitle(
        f"{found['character']}, seed {found['seed']}: {found['solutions_found'][-1]} distinct poses in "
        f"{found['generations']} generations, begun anew {found['wipe_outs'][-1]} times"
    )


def _draw_costs(axes: Any, found: dict[str, Any]) -> None:  # noqa: ANN401 - matplotlib's
    before, after = (np.array(found[f"elite_costs_{when}_descent"]) for when in ("before", "after"))
    generation = np.repeat(np.arange(len(before)) + 1, before.shape[1])
    moved = (before != after).ravel()  # the others had not their turn: enough was found
    axes.plot(generation, np.maximum(before, LEAST).ravel(), "o", color=BEGUN, label="elites, begun")
    axes.plot(generation[moved], np.maximum(after, LEAST).ravel()[moved], "o", color=ENDED, label="elites, descended")
    best = np.maximum(found["best_cost"], LEAST)
    axes.plot(np.arange(len(best)) + 1, best, color=BEST, linewidth=1.8, label="best so far")
    axes.set(yscale="log", xlabel="generation", ylabel="cost, ½ Σ w r²")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(fontsize=8)


def _draw_ways(axes: Any, found: dict[str, Any]) -> None:  # noqa: ANN401 - matplotlib's
    for number, goal in enumerate(found["goals"]):
        off = [
            1000.0 * np.linalg.norm(np.array(goal[f"elites_{when}_descent"]) - goal["target"], axis=-1)
            for when in ("before", "after")
        ]
        begun, ended = (np.maximum(one, LEAST) for one in off)
        for row in range(len(begun)):
            for elite in range(begun.shape[1]):
                named = goal["name"] if row == elite == 0 else None
                ends = [begun[row, elite], ended[row, elite]]
                axes.plot(
                    [row + 0.6, row + 1.4], ends, "o-", color=f"C{number}", markersize=3, linewidth=1, label=named
                )
    axes.set(yscale="log", xlabel="generation: begun, descended", ylabel="goal's point from its target, mm")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(fontsize=8)


def main() -> None:
    """Make it."""
    if len(sys.argv) not in {2, 3}:
        sys.exit((__doc__ or "").split("\n\n")[1])
    path = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) == 3 else path.with_suffix(".png")
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    draw(figure, read(path))
    figure.savefig(target, dpi=110)
    sys.stdout.write(f"{target}\n")


if __name__ == "__main__":
    main()
