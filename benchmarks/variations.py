"""Variations of a one-hand reach on MakeHuman's rigs: how many, how different, how exact, in what time.

Run: python -m posewright.benchmarks.variations [seed ...], in a Python with bpy and numba. Each character is set up as
it comes, its feet are pinned, and a hand is dragged half an arm forward and up and pinned there. For each seed (1 to 5
if nothing is said) six poses are looked for that differ by 10 cm on a person of 1.7 m. Told are, by the pose that
Blender has evaluated: the worst goal and pin, the least distance of two poses (the farthest of shoulders, elbows, knees
and joints of the spine counts) in centimetres of the world, limits that are broken by more than 0.01°, and the time of
the search. The last line of each is with the hand out of reach. POSEWRIGHT_SEARCH names a file for the last search
within reach, of which `search_figure` makes a figure.
"""

import itertools
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

import posewright
from posewright import bridge

from .capture import Floats
from .random_drags import load
from .robots import DATA

CHARACTERS = (
    "characters/makehuman_game_engine.glb",
    "characters/makehuman_default.rig.json",
    "characters/makehuman_cmu_mb.rig.json",
)
COUNT = 6
REACH = Vector((-0.1, -0.25, 0.2))  # of a person of 1.7 m, from where the left hand rests
context: Any = bpy.context


def reach(owner: Any) -> list[int]:  # noqa: ANN401 - an object with our properties
    """Pin the feet where they are and the left hand elsewhere. Returns the places of these goals in the list."""
    bones = {role.name: role.bone for role in owner.posewright_roles}
    size, found = max(owner.dimensions) / 1.7, list[int]()
    for index, goal in enumerate(owner.posewright_goals):
        if goal.bone in {bones["foot.L"], bones["foot.R"], bones["hand.L"]}:
            is_hand = goal.bone == bones["hand.L"]
            there = bridge.places.on_bone(owner, goal)
            place = there.place + size * REACH if is_hand else there.place
            bridge.places.put(owner, goal, bridge.places.Frame(place, there.turn))
            goal.position, goal.orientation, goal.state = 1.0, 0.0 if is_hand else 1.0, "PINNED"
            found.append(index)
    context.view_layer.update()
    return found


class Character:
    """One of them, and what is looked at."""

    def __init__(self, name: str) -> None:
        self.owner = load(DATA / name)
        self.goals = reach(self.owner)
        self.joints = bridge.own_joints.read(self.owner)
        movers = bridge.pelvis.movers(self.owner)
        self.wide = {one.bone: one.by for one in bridge.armature.read(self.owner, movers.translating).widened}
        parts = bridge.variations.niches.PARTS
        self.telling = [role.bone for role in self.owner.posewright_roles if role.name.partition(".")[0] in parts]

    def stretch(self) -> None:
        """Have the hand go where it cannot be: it follows something that is far away, and gives way to the pins."""
        far: Any = bpy.data.objects.new("Far", None)
        context.scene.collection.objects.link(far)
        hand = next(role.bone for role in self.owner.posewright_roles if role.name == "hand.L")
        goal = next(one for one in self.owner.posewright_goals if one.bone == hand)
        far.location = bridge.places.target(self.owner, goal).place + Vector((1.0, -0.5, 0.0))
        goal.target, goal.state = far, "FOLLOWING"
        context.view_layer.update()

    def off(self) -> float:
        """How far the worst goal is off, millimetres of the world, as Blender shows it."""
        worst = 0.0
        for index in self.goals:
            goal = self.owner.posewright_goals[index]
            there, wanted = bridge.places.on_bone(self.owner, goal), bridge.places.target(self.owner, goal)
            worst = max(worst, 1000.0 * float((there.place - wanted.place).length))
        return worst

    def places(self) -> Floats:
        """Where the joints are that tell poses apart [J, 3], in the world, as Blender shows them."""
        owner = self.owner
        return np.array([owner.matrix_world @ owner.pose.bones[name].head for name in self.telling if name])

    def broken(self) -> int:
        """How many joints are beyond their limits."""
        now, count = bridge.joints.anatomical.own_turns(self.owner), 0
        for bone, joint in self.joints.items():
            angles = bridge.joints.anatomical.angles(joint.before, joint.axes, now[bone][None])[0]
            beyond = np.where(joint.free, np.maximum(joint.lower - angles, angles - joint.upper), 0.0).max()
            count += bool(beyond > self.wide.get(bone, 0.0) + math.radians(0.01))
        return count


def measure(one: Character, seed: int) -> str:
    """A line of figures; the character has its last variation afterwards, and then its old pose."""
    before = bridge.dragging.snapshot.take(one.owner)
    wanted = bridge.variations.search.Wanted(COUNT, seed=seed)
    begun = time.perf_counter()
    found = bridge.variations.search.find(one.owner, context.evaluated_depsgraph_get(), wanted)
    seconds = time.perf_counter() - begun
    off, broken, there = 0.0, 0, list[Floats]()
    for index in range(len(found.poses)):
        bridge.variations.browsing.show(one.owner, found, index)
        context.view_layer.update()
        off, broken = max(off, one.off()), broken + one.broken()
        there.append(one.places())
    apart = [float(np.linalg.norm(a - b, axis=1).max()) for a, b in itertools.combinations(there, 2)]
    bridge.dragging.snapshot.put_back(one.owner, before)
    bridge.live.forget(one.owner)
    context.view_layer.update()
    return (
        f"seed {seed}: {len(found.poses)} poses in {1000.0 * seconds:.0f} ms; worst goal {off:.4f} mm, "
        f"least apart {100.0 * min(apart, default=0.0):.1f} cm, {broken} limits broken; {found.words}"
    )


def main(seeds: list[int]) -> None:
    """All characters; a line for each seed, after one that is not told, in which kernels are loaded."""
    posewright.register()
    for name in CHARACTERS:
        one = Character(name)
        measure(one, 0)
        size = max(one.owner.dimensions)
        sys.stdout.write(f"{name}, {len(one.owner.pose.bones)} bones, {size:.2f} m\n")
        for seed in seeds:
            sys.stdout.write(f"  {measure(one, seed)}\n")
            sys.stdout.flush()
        if path := os.environ.get("POSEWRIGHT_SEARCH"):
            bridge.variations.report.save(one.owner, Path(path))
        one.stretch()
        sys.stdout.write(f"  out of reach, {measure(one, seeds[0])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [1, 2, 3, 4, 5])
    os._exit(0)  # with anything registered, some Blenders crash while the interpreter shuts down
