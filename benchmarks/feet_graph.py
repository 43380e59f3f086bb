"""A picture for docs/feet.md: heights and contacts of feet on stairs over time, as the 3D view draws them.

Run: python -m posewright.benchmarks.feet_graph [CLIP.bvh [GROUND]], in a Python with bpy. It takes what a preview is
made of, on a body of `feet`, and puts the picture into docs/pictures/.
"""

import os
import sys
from typing import Any

import bpy  # first: it makes the next one importable
import numpy as np
from matplotlib.figure import Figure

from .. import register
from ..bridge.feet import job
from ..bridge.feet.preview import Preview
from ..bridge.roles import stored as roles
from ..motion.feet.contacts import runs
from .feet import GROUNDS, path_of, run, walking
from .page import PICTURES

BEFORE, AFTER = "0.6", "#1aa7b8"
PARTS = {"heel": "#e0b000", "ball": "#3d7edb", "toe": "#c44fa0"}
CUT = 0.5  # of the height that feet reach: so far under the ground the picture goes


def draw(figure: Figure, preview: Preview, fps: float) -> None:
    """Put a lane for each foot onto a figure."""
    seconds = (preview.frames - preview.frames[0]) / fps
    high = max(100.0 * float(np.nanmax(way.height_after)) for way in preview.ways)
    lanes: Any = figure.subplots(len(preview.ways), sharex=True, squeeze=False)
    for (lane,), way in zip(lanes, preview.ways, strict=True):
        lane.axhline(0.0, color="0.3", linewidth=0.8)
        lane.plot(seconds, 100.0 * way.height_before, color=BEFORE, linewidth=1.0, label="before")
        lane.plot(seconds, 100.0 * way.height_after, color=AFTER, linewidth=1.8, label="after")
        for row, (name, colour) in enumerate(PARTS.items()):
            spans = [(seconds[first], seconds[last] - seconds[first]) for first, last in runs(way.contacts[:, row])]
            low = -CUT * high * (1.0 + 0.12 * (row + 1))
            lane.broken_barh(spans, (low, 0.1 * CUT * high), color=colour, label=name)
        lane.set(ylim=(-CUT * high * 1.4, 1.15 * high), ylabel=f"{roles.in_words(way.foot)}, cm")
    lanes[0][0].legend(loc="upper right", ncols=5, fontsize=8)
    lanes[-1][0].set_xlabel("seconds; how high the lowest point of the sole is above the ground")


def main() -> None:
    """Make it."""
    register()
    name, what = (*sys.argv[1:3], *("07_01.bvh", "stairs")[len(sys.argv) - 1 :])
    body, make = walking(name), GROUNDS[what]
    thing = make(path_of(body)) if make else None
    body.posewright_feet_ground, body.posewright_feet_object = ("OBJECT", thing) if thing else ("FLAT", None)
    figure = Figure(figsize=(10, 5), layout="constrained")
    scene: Any = bpy.context.scene
    draw(figure, run(job.preview(bpy.context, body)), scene.render.fps / scene.render.fps_base)
    figure.suptitle(f"{name} on {what}")
    PICTURES.mkdir(exist_ok=True)
    figure.savefig(PICTURES / "feet_graph.png", dpi=110)
    sys.stdout.write(f"{PICTURES / 'feet_graph.png'}\n")
    sys.stdout.flush()
    os._exit(0)  # Blender's own end crashes now and then


if __name__ == "__main__":
    main()
