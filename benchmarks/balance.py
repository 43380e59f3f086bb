"""Whether a body that reaches far keeps its balance, and what that costs in a drag, measured inside Blender.

Run: `python -m posewright.benchmarks.balance [steps]`, in a Python with bpy and numba. The body is MakeHuman's default
rig after Set Up Character, with human limits; both feet are pinned, place and turn. The left hand is dragged from where
it rests to 60 cm in front of the toes, at the height of the knees, or as far to the side, in equal steps. Masses are
those of people, by roles. Inside is how far the centre of mass is from the edge of the support, less than zero where it
has left it. Times are of the solve in the handler, as the panel shows them.
"""

import statistics
import sys

import bpy
from mathutils import Vector

from .. import bridge, register, unregister
from .puppet import context
from .relations import BODY, Drag, said

STEPS = 100
REACHES = {"to the front": Vector((0.0, -0.75, 0.45)), "to the side": Vector((0.95, -0.1, 0.6))}  # metres, of 1.7
MANNERS = ("off", "like goals", "held")


class Reach(Drag):
    """A body that reaches for something."""

    def __init__(self, place: Vector, manner: str) -> None:
        super().__init__()
        bridge.relations.balance.add(self.owner, "ROLES")
        (self.balance,) = self.owner.posewright_relations
        self.balance.mute, self.balance.level = manner == "off", "PIN" if manner == "held" else "GOAL"
        goal = self.owner.posewright_goals[self.hand]
        goal.state, goal.dragged = "IDLE", True
        context.view_layer.update()
        self.begun, self.end = goal.place.copy(), place * (self.owner.dimensions.z / 1.7)

    def go(self, share: float) -> tuple[bridge.outcome.Outcome, float]:
        """A part of the way; returns what came of it, and how far inside the centre of mass is, metres."""
        self.owner.posewright_goals[self.hand].place = self.begun.lerp(self.end, share)
        context.view_layer.update()
        found = bridge.outcome.of(self.owner)
        assert found is not None
        return found, bridge.relations.balance.seen(self.owner, self.balance).inside


def _measure(name: str, place: Vector, manner: str, steps: int) -> None:
    reach = Reach(place, manner)
    inside, took, off, pins, iterations = list[float](), list[float](), list[float](), list[float](), list[int]()
    for step in range(steps + 1):
        found, now = reach.go(step / steps)
        inside.append(now)
        if step > 2:  # the first ones build what the others use
            took.append(found.milliseconds)
            iterations.append(found.iterations)
        off.append(found.goals[reach.hand].metres)
        pins.append(max(found.goals[pin].metres for pin in reach.pins))
    variables = len(bridge.standing._kept[reach.owner.session_uid].rig.tree.variables)
    said(
        f"{name:13} balance {manner:10} {variables:4} variables  inside {100 * inside[0]:5.1f} cm at first, "
        f"{100 * min(inside):6.1f} at worst  hand off {100 * off[-1]:5.1f} cm at the end, "
        f"pins {1000 * max(pins):6.3f} mm  median {statistics.median(took):6.3f} ms, "
        f"p95 {sorted(took)[int(0.95 * len(took))]:6.3f}, {statistics.mean(iterations):5.1f} iterations"
    )


def main(steps: str = str(STEPS)) -> None:
    """Print the figures."""
    register()
    try:
        said(f"{BODY.name}, Blender {bpy.app.version_string}")
        for name, place in REACHES.items():
            for manner in MANNERS:
                _measure(name, place, manner, int(steps))
    finally:
        unregister()


if __name__ == "__main__":
    main(*sys.argv[1:])
