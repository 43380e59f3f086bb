"""What live posing promises of a drag, measured inside Blender: pins, limits, closed paths, ten thousand updates.

Run: `python -m posewright.benchmarks.dragging [character.glb]`, in a Python with bpy. Without a file the character is
that of `live`, with 70 bones. Both feet and the right hand are pinned, place and turn, and the left hand is dragged:
40 cm in ten moves, 1 m out of reach, and around a circle of 200 steps and back. Errors are read from the pose that
Blender evaluated. Then ten thousand updates, of each of which the left hand moves by 1 cm: what they take, and what
they leave behind in memory.
"""

import math
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from .. import bridge, register, unregister
from .figure import character
from .puppet import context

NAMES = {"hand": ("hand.L", "hand_l"), "pins": ("hand.R", "foot.L", "foot.R", "hand_r", "foot_l", "foot_r")}
BONES = 70
MOVES, ALONG = 10, (-0.2, -0.3, 0.17)  # metres in all: 40 cm forwards, up and across
AWAY = (1.0, -0.3, 0.2)  # metres
STEPS, RADIUS = 200, 0.1  # of the closed path
UPDATES, PART = 10_000, 1_000
KIB = 1024.0


def said(line: str) -> None:
    """One figure."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Drag:
    """A character with its pins, and a hand that is dragged."""

    def __init__(self, path: str | None) -> None:
        self.owner = _imported(path) if path else character(BONES)
        there = set(self.owner.pose.bones.keys())
        self.hand = next(name for name in NAMES["hand"] if name in there)
        self.pins = [self._goal(name, orientation=1.0, state="PINNED") for name in NAMES["pins"] if name in there]
        self.begun = Vector(self.owner.posewright_goals[self._goal(self.hand, dragged=True)].place)
        context.view_layer.update()
        self.at_first = self.turns()

    def _goal(self, bone: str, **settings: object) -> int:
        """A goal where the bone is; returns its place in the list."""
        goal = self.owner.posewright_goals.add()
        goal.name = goal.bone = bone
        bridge.places.put(self.owner, goal, bridge.places.on_bone(self.owner, goal))
        for name, value in settings.items():
            setattr(goal, name, value)
        return len(self.owner.posewright_goals) - 1

    def move(self, by: Sequence[float]) -> None:
        """Drag the hand to so far from where it was at first."""
        self.owner.posewright_goals[-1].place = self.begun + Vector(by)
        context.view_layer.update()

    def off(self, index: int) -> float:
        """How far a goal's bone is from where it is to be, millimetres."""
        goal = self.owner.posewright_goals[index]
        there, wanted = bridge.places.on_bone(self.owner, goal), bridge.places.target(self.owner, goal)
        return float(1000.0 * (there.place - wanted.place).length)

    def turns(self) -> NDArray[np.float64]:
        """The rotation of every bone as Blender shows it [B, 3, 3]."""
        matrices = [np.array(bone.matrix.to_3x3().normalized(), float) for bone in self.owner.pose.bones]
        return np.array(matrices)

    def turned_away(self) -> float:
        """By how much the bone is turned that is turned most from where it was at first, degrees."""
        change = np.einsum("bij,bik->bjk", self.at_first, self.turns())
        sines = np.linalg.norm(change - change.transpose(0, 2, 1), axis=(1, 2)) / math.sqrt(8.0)
        cosines = 0.5 * (np.einsum("bii->b", change) - 1.0)
        return float(np.degrees(np.arctan2(sines, cosines).max()))


def _imported(path: str) -> Any:  # noqa: ANN401 - by their types, parts of an Object may be None
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")


def _pins(drag: Drag, path: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The worst error of a pin and of the hand along a path, millimetres."""
    worst = hand = 0.0
    for by in path:
        drag.move(by)
        worst = max(worst, *(drag.off(index) for index in drag.pins))
        hand = max(hand, drag.off(len(drag.pins)))
    return worst, hand


def _resident() -> float:
    """Memory of this process now, MiB."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
        return int(pages[1]) * resource.getpagesize() / KIB**2
    except OSError:  # no Linux: then the most that it ever had
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB


def main(path: str | None = None) -> None:
    """Print the figures."""
    register()
    try:
        _measure(Drag(path))
    finally:
        unregister()


def _measure(drag: Drag) -> None:
    bones, version = len(drag.owner.pose.bones), bpy.app.version_string
    said(f"{drag.owner.name}, {bones} bones, {len(drag.pins)} pins, Blender {version}")
    pins, hand = _pins(drag, [[(i + 1) / MOVES * one for one in ALONG] for i in range(MOVES)])
    said(f"40 cm in {MOVES} moves: a pin is off by {pins:.4f} mm at most, the hand by {hand:.4f} mm")
    pins, hand = _pins(drag, [[(i + 1) / MOVES * one for one in AWAY] for i in range(MOVES)])
    said(f"1 m away in {MOVES} moves: a pin is off by {pins:.4f} mm at most, the hand by {hand:.1f} mm")
    drag.move((0.0, 0.0, 0.0))
    drag.at_first = drag.turns()
    angles = [2.0 * math.pi * (i + 1) / STEPS for i in range(STEPS)]
    circle = [(RADIUS * (math.cos(one) - 1.0), -RADIUS * math.sin(one), 0.0) for one in angles]
    pins, hand = _pins(drag, circle)
    said(f"closed path of {STEPS} steps: pins {pins:.4f} mm, hand {hand:.4f} mm, turned away {drag.turned_away():.4f}°")
    _pins(drag, circle[::-1])
    drag.move((0.0, 0.0, 0.0))
    said(f"and back again: turned away {drag.turned_away():.4f}°")
    _many(drag)


def _many(drag: Drag) -> None:
    """Ten thousand updates: memory, handlers and time, after a thousand that nobody counts."""
    before, took, handlers = 0.0, list[float](), bpy.app.handlers.depsgraph_update_post
    for index in range(PART + UPDATES):
        if index == PART:
            before = _resident()
        angle = 0.1 * index
        began = time.perf_counter()
        drag.move((RADIUS * (math.cos(angle) - 1.0), -RADIUS * math.sin(angle), 0.0))
        took.append(1000.0 * (time.perf_counter() - began))
    first, last = took[PART : 2 * PART], took[-PART:]
    said(
        f"{UPDATES} updates: {_resident() - before:.2f} MiB more, {len(handlers)} handler(s) of updates, "
        f"median {statistics.median(first):.3f} ms in the first {PART}, {statistics.median(last):.3f} ms in the last"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
