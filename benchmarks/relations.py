"""What relations cost in a drag, measured inside Blender: straps, loops and couplings on a body of MakeHuman.

Run: `python -m posewright.benchmarks.relations [steps] [seed] [two]`, in a Python with bpy and numba. The body is
MakeHuman's default rig after Set Up Character, with human limits. Both feet are pinned, place and turn; the left hand
is dragged along a circle of 8 cm by steps of 1 cm. Straps run through 2 to 5 bones from one upwards, one in five on
into another branch, by points near the bones; half of them are as long as in the pose before the drag, less up to 1 %,
the others 5 to 30 % longer. Clasped hands are held together by a loop, with their turn. Couplings are those of the
presets. Two that hold hands are such bodies side by side, all four feet pinned, solved as one.

Times are of the solve in the handler, as the panel shows them, without Blender's own update of the scene. `held` is the
level of pins, `like goals` that of goals, `soft` without levels at all (Soft Goals). Off are the worst strap, the worst
pin and the hand, over all steps.
"""

import json
import math
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from .. import bridge, register, unregister
from .puppet import context
from .robots import DATA

BODY = Path("characters") / "makehuman_default.rig.json"
STEPS, STEP, RADIUS = 100, 0.01, 0.08  # metres
SHORT, FORKING, NEAR = 0.5, 0.2, 0.02  # parts of the straps; how far points are from the bones, metres on a person
COUNTS = (0, 40, 338)


class Manner(NamedTuple):
    """How relations are held."""

    name: str
    level: str = "PIN"
    soft: bool = False


MANNERS = (Manner("held"), Manner("like goals", "GOAL"), Manner("soft", "GOAL", soft=True))


def said(line: str) -> None:
    """One figure."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def body() -> Any:  # noqa: ANN401 - by their types, parts of an Object may be None
    """MakeHuman's body, set up."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    listed = json.loads((DATA / BODY).read_text(encoding="utf-8"))["bones"]
    found: Any = bpy.data.objects.new("Body", bpy.data.armatures.new("Body"))
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    bpy.ops.object.mode_set(mode="EDIT")
    made = [found.data.edit_bones.new(bone["name"]) for bone in listed]
    for one, bone in zip(made, listed, strict=True):
        one.head, one.tail = bone["head"], bone["tail"]
        one.parent = made[bone["parent"]] if bone["parent"] >= 0 else None
    bpy.ops.object.mode_set(mode="OBJECT")
    bridge.roles.stored.set_up(found, depsgraph=context.evaluated_depsgraph_get())
    found.posewright_goals.clear()
    context.view_layer.update()
    return found


class Drag:
    """A body with pinned feet, and a hand that is dragged."""

    def __init__(self) -> None:
        self.owner = body()
        self.roles = {one.name: one.bone for one in self.owner.posewright_roles}
        self.pins = [self._goal(self.roles[role], orientation=1.0, state="PINNED") for role in ("foot.L", "foot.R")]
        self.hand = self._goal(self.roles["hand.L"], state="PINNED")

    def _goal(self, bone: str, **settings: object) -> int:
        goal = self.owner.posewright_goals.add()
        goal.name = goal.bone = bone
        bridge.places.put(self.owner, goal, bridge.places.on_bone(self.owner, goal))
        for name, value in settings.items():
            setattr(goal, name, value)
        return len(self.owner.posewright_goals) - 1

    def begin(self) -> None:
        """Bring the hand forward, where it is dragged."""
        goal = self.owner.posewright_goals[self.hand]
        for _ in range(10):
            goal.place += Vector((-0.02, -0.025, 0.0))
            context.view_layer.update()
        goal.state, goal.dragged = "IDLE", True
        context.view_layer.update()
        self.begun = Vector(goal.place)

    def move(self, index: int) -> Any:  # noqa: ANN401 - an Outcome
        """A step; returns what came of it."""
        angle = index * STEP / RADIUS
        by = Vector((RADIUS * (math.cos(angle) - 1.0), RADIUS * math.sin(angle), 0.0))
        self.owner.posewright_goals[self.hand].place = self.begun + by
        context.view_layer.update()
        return bridge.outcome.of(self.owner)


def straps(owner: Any, count: int, rng: np.random.Generator) -> None:  # noqa: ANN401
    """Add straps near the bones."""
    bones = list(owner.data.bones)
    for number in range(count):
        path = _route(bones, rng)
        made = owner.posewright_relations.add()
        made.name, made.kind = f"strap {number}", "WIRE"
        for index, bone in enumerate(path):
            part = made.parts.add()
            part.name, part.bone, part.point = str(index), bone.name, "OFFSET"
            part.offset = rng.normal(scale=NEAR / 1.7 * owner.dimensions.z, size=3)
        change = -rng.uniform(0.0, 0.01) if rng.random() < SHORT else rng.uniform(0.05, 0.3)
        made.length = bridge.relations.wires.length_now(owner, made) * (1.0 + change)


def _route(bones: Sequence[Any], rng: np.random.Generator) -> list[Any]:
    """From a bone upwards, and sometimes on into another branch."""
    while True:
        path = [bones[int(rng.integers(len(bones)))]]
        while path[-1].parent is not None and len(path) < int(rng.integers(2, 5)):
            path.append(path[-1].parent)
        others = [bone for bone in path[-1].children if bone not in path]
        if others and rng.random() < FORKING:
            path.append(others[int(rng.integers(len(others)))])
        if len(path) > 1:
            return path


def clasp(drag: Drag) -> None:
    """Bring the hands together, and hold them so."""
    bridge.relations.editing.hold_together(drag.owner, [drag.roles["hand.R"], drag.roles["hand.L"]], "TAILS")


class Pair(Drag):
    """Two such bodies side by side that hold hands, the second with pinned feet as well; Ann's hand is dragged."""

    def __init__(self, turned: bool) -> None:
        super().__init__()
        ann, own = self.owner, self.pins
        self.owner = self.ben = another(ann)
        own_of_ben = [self._goal(self.roles[role], orientation=1.0, state="PINNED") for role in ("foot.L", "foot.R")]
        self.owner, self.pins, self.pins_of_ben = ann, own, own_of_ben
        hands = [ann.data.bones[self.roles[role]] for role in ("hand.L", "hand.R")]
        reach = hands[0].tail_local - hands[1].tail_local
        self.ben.location = reach - Vector((0.25, 0.0, 0.0))
        context.view_layer.update()
        for pin in own_of_ben:
            goal = self.ben.posewright_goals[pin]
            bridge.places.put(self.ben, goal, bridge.places.on_bone(self.ben, goal))
        bridge.relations.editing.hold_each_other(
            ann, self.roles["hand.L"], self.ben, self.roles["hand.R"], "TAILS", turned=turned
        )
        context.view_layer.update()

    def apart(self) -> float:
        """Metres between the hands, as Blender shows them."""
        ends = [
            one.matrix_world @ one.pose.bones[self.roles[role]].tail
            for one, role in ((self.owner, "hand.L"), (self.ben, "hand.R"))
        ]
        return float((ends[0] - ends[1]).length)


def another(body_of: Any) -> Any:  # noqa: ANN401
    """A second body like one, beside it in the scene."""
    found = body_of.copy()
    found.name = "Ben"
    found.posewright_goals.clear()
    context.scene.collection.objects.link(found)
    context.view_layer.update()
    return found


def _measure(drag: Drag, name: str, steps: int) -> None:
    drag.begin()
    took, off, stretched, iterations = list[float](), list[float](), list[float](), list[int]()
    pins, hands = list[float](), list[float]()
    for index in range(steps + 3):
        found = drag.move(index)
        if index < 3:  # the first ones build what the others use
            continue
        took.append(found.milliseconds)
        iterations.append(found.iterations)
        off.append(found.goals[drag.hand].metres)
        pins.append(max(found.goals[pin].metres for pin in drag.pins))
        stretched.append(max((one.metres for one in found.relations.values()), default=0.0))
        if isinstance(drag, Pair):
            hands.append(drag.apart())
            of_ben: Any = bridge.outcome.of(drag.ben)
            pins[-1] = max(pins[-1], *(of_ben.goals[pin].metres for pin in drag.pins_of_ben))
    kept: Any = bridge.standing._kept[drag.owner.session_uid]
    variables = len((kept.together.kept if isinstance(drag, Pair) else kept).rig.tree.variables)
    said(
        f"{name:38} {variables:4} variables  median {statistics.median(took):7.3f} ms  "
        f"p95 {sorted(took)[int(0.95 * len(took))]:7.3f}  {statistics.mean(iterations):6.1f} iterations  "
        f"worst off: relation {1000 * max(stretched):7.3f} mm, pin {1000 * max(pins):7.3f}, hand {1000 * max(off):7.3f}"
        + (f"; hands apart in the view {1000 * max(hands):.3f} mm" if hands else "")
    )


def main(steps: str = str(STEPS), seed: str = "1", only: str = "") -> None:
    """Print the figures; `only` "two" those of two that hold hands."""
    register()
    try:
        said(f"{BODY.name}, Blender {bpy.app.version_string}")
        for count in () if only else COUNTS:
            for manner in MANNERS[: 3 if count else 1]:
                drag = Drag()
                straps(drag.owner, count, np.random.default_rng(int(seed)))
                _hold(drag.owner, manner)
                _measure(drag, f"{count} straps, {manner.name}", int(steps))
        for name, add in (
            ()
            if only
            else (
                ("clasped hands", clasp),
                ("couplings of fingers", lambda drag: bridge.relations.presets.add(drag.owner, "FINGERS")),
                ("couplings of the back", lambda drag: bridge.relations.presets.add(drag.owner, "SPINE")),
            )
        ):
            for manner in MANNERS:
                drag = Drag()
                add(drag)
                _hold(drag.owner, manner)
                _measure(drag, f"{name}, {manner.name}", int(steps))
        for turned in (False, True):
            for manner in MANNERS:
                drag = Pair(turned)
                _hold(drag.owner, manner)
                _measure(drag, f"two hold hands{', turned' * turned}, {manner.name}", int(steps))
    finally:
        unregister()


def _hold(owner: Any, manner: Manner) -> None:  # noqa: ANN401
    owner.posewright_soft = manner.soft
    for one in owner.posewright_relations:
        one.level = manner.level


if __name__ == "__main__":
    main(*sys.argv[1:])
