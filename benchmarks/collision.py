"""Collision of a body with itself, measured inside Blender: 1,000 hand goals on a body of MakeHuman.

Run: `python -m posewright.benchmarks.collision [count] [seed]`, in a Python with bpy and numba. The character is set up
as it comes, its pelvis is pinned, place and turn, and shapes are fitted to its skin: one click each. Poses are drawn
from inside the limits, each joint by itself; those in which shapes meet are left out. Each of the others says where a
hand, the left and the right in turn, is to be: so every goal is in reach, though perhaps not in one go. The second set
are only those in which that hand is within 3 cm of another part of the body that is not of its own arm; there all but
that arm goes three tenths of the way only. The third set is places inside the body, on the middle lines of shapes at
rest that are not of that arm: those cannot be had, and it counts how deep hands get.
From rest the hand is dragged there at once, and solved as live posing does. What is off by more than 1 mm is dragged
once more as an animator would, from rest along a straight line in steps; and what is still off then gets Find Another
Way, up to so many times. Told are, for each way and without collision: how many goals are within 1 mm, how many end
with shapes more than 1 mm inside each other and how deep, by the pose that Blender has, and the time of a solve.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Quaternion, Vector

import posewright
from posewright import bridge

from .capture import Floats
from .random_drags import load
from .robots import DATA

BODY = "characters/makehuman_game_engine.glb"
NEAR = 1e-3  # metres
STEPS, WAYS = 40, 5
SAMPLES = 33  # points along each shape
BESIDE = 0.03  # metres
CALM = 0.3  # of the way to a random pose: what else than the arm turns, where its hand is beside the body
context: Any = bpy.context


@dataclass
class Tally:
    """What came of many goals."""

    off: list[float] = field(default_factory=list)  # metres
    deep: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)  # milliseconds

    def line(self, name: str) -> str:
        """The figures in words."""
        reached, inside = sum(one <= NEAR for one in self.off), sum(one > NEAR for one in self.deep)
        return (
            f"{name:34} {100.0 * reached / len(self.off):5.1f} % of {len(self.off)} within 1 mm; {inside} deeper than "
            f"1 mm, deepest {1000.0 * max(self.deep):.3f} mm; median {statistics.median(self.took):.2f} ms, "
            f"95 % {sorted(self.took)[int(0.95 * len(self.took))]:.2f} ms\n"
        )


class Body:
    """The character, and what is looked at."""

    def __init__(self) -> None:
        self.owner = load(DATA / BODY)
        sys.stdout.write(f"{BODY}: {bridge.collision.editing.collide(self.owner, None, 'SELF')}, ")
        self.rest = bridge.channels.read(self.owner)
        bones = {role.name: role.bone for role in self.owner.posewright_roles}
        by_bone = {goal.bone: goal for goal in self.owner.posewright_goals}
        self.hands = [by_bone[bones[f"hand.{side}"]] for side in "LR"]
        pelvis = by_bone[bones["pelvis"]]
        bridge.places.put(self.owner, pelvis, bridge.places.on_bone(self.owner, pelvis))
        pelvis.position = pelvis.orientation = 1.0
        pelvis.state = "PINNED"
        for hand in self.hands:
            hand.position, hand.orientation = 1.0, 0.0
        movers = bridge.pelvis.movers(self.owner)
        self.rig = bridge.armature.read(self.owner, movers.translating)
        still = {*movers.staying, bones["pelvis"]}
        self.stays = np.array([variable.joint in still for variable in self.rig.tree.variables])
        shapes = bridge.collision.shapes.stored(self.owner)
        self.pairs = bridge.collision.pairs.find(self.owner, shapes, self.owner.posewright_relations[0].softness)
        self.bones = sorted({shape.bone for pair in self.pairs for shape in pair})
        self.bodies = [self.rig.tree.index(self.rig.frame_names[bone]) for bone in self.bones]
        self.carrier = np.array([[self.bones.index(shape.bone) for shape in pair] for pair in self.pairs])
        self.ends = np.array([[(shape.start, shape.end) for shape in pair] for pair in self.pairs])
        self.thick = np.array([pair.first.radius + pair.second.radius for pair in self.pairs])
        sys.stdout.write(f"{len(self.pairs)} pairs, {int((~self.stays).sum())} variables\n")

    def put_back(self) -> None:
        """The rest pose, and nothing known of any other."""
        owner = self.owner
        bridge.pose.put(owner, bridge.channels.read(owner), self.rest)
        owner.posewright_anchor = ""
        context.view_layer.update()

    def draw(self, rng: np.random.Generator, hand: Any, beside: bool) -> Vector:  # noqa: ANN401 - a goal
        """Where a pose without collisions has a hand, in the world; only one that has it beside the body, if asked."""
        owner, rig = self.owner, self.rig
        low, high = np.maximum(rig.tree.lower, -np.pi), np.minimum(rig.tree.upper, np.pi)
        arm = {hand.bone, *(bone.name for bone in owner.pose.bones[hand.bone].parent_recursive[:2])}
        others = [
            hand.bone in (bones := {pair.first.bone, pair.second.bone}) and len(bones & arm) == 1 for pair in self.pairs
        ]
        own = np.array([variable.joint in arm for variable in rig.tree.variables])
        while True:
            q = np.where(self.stays, rig.q, rng.uniform(low, high))
            if beside:  # or one in thousands would be
                q = np.where(own, q, rig.q + CALM * (q - rig.q))
            placed = rig.tree.pose(q)
            turns = bridge.rotations.matrices(placed.rotations[self.bodies])
            apart = self.apart(placed.positions[self.bodies] / rig.scale, turns)
            if apart.min() >= 0.0 and (not beside or (apart[others] <= BESIDE).any()):
                break
        body = rig.tree.index(rig.frame_names[hand.bone])
        turn = Quaternion(placed.rotations[body].tolist())
        point = Vector(placed.positions[body].tolist()) + turn @ (rig.scale * bridge.places.point_of(owner, hand))
        place: Vector = owner.matrix_world @ (point / rig.scale)
        return place

    def inside(self, rng: np.random.Generator, hand: Any) -> Vector:  # noqa: ANN401 - a goal
        """A place in the middle of a part of the body at rest, not of the hand's own arm, in the world."""
        bones = self.owner.data.bones
        arm = {hand.bone, *(bone.name for bone in bones[hand.bone].parent_recursive[:2])}
        others = [one for one in bridge.collision.shapes.stored(self.owner) if one.bone not in arm]
        one = others[int(rng.integers(len(others)))]
        local = Vector(one.start).lerp(Vector(one.end), float(rng.uniform()))
        place: Vector = self.owner.matrix_world @ bones[one.bone].matrix_local @ local
        return place

    def depth(self) -> float:
        """How deep the worst two shapes are inside each other, metres; negative if none are."""
        return -float(self.apart().min())

    def apart(self, places: Floats | None = None, turns: Floats | None = None) -> Floats:
        """How far the two of each pair are from each other [pairs], metres: from points of the one to the other.

        With the bones that have shapes at places [B, 3], turned by [B, 3, 3], in armature space; as Blender has them.
        """
        if places is None or turns is None:
            frames = np.array([self.owner.pose.bones[name].matrix for name in self.bones], float)
            places, turns = frames[:, :3, 3], frames[:, :3, :3]
        ends = np.einsum("pskj,psij->pski", self.ends, turns[self.carrier]) + places[self.carrier][:, :, None]
        one, one_end, other, other_end = (ends[:, side, end, None] for side in (0, 1) for end in (0, 1))
        points = one + np.linspace(0.0, 1.0, SAMPLES)[:, None] * (one_end - one)
        way = other_end - other
        along = ((points - other) * way).sum(-1) / np.maximum((way * way).sum(-1), 1e-12)
        off = np.linalg.norm(points - other - np.clip(along, 0.0, 1.0)[..., None] * way, axis=-1).min(axis=1)
        found: Floats = (off - self.thick) * float(self.owner.matrix_world.median_scale)
        return found

    def drag(self, hand: Any, place: Vector, steps: int, tally: Tally) -> None:  # noqa: ANN401 - a goal
        """From rest, drag a hand to a place, and take down what comes of it."""
        self.put_back()
        begin = bridge.places.on_bone(self.owner, hand)
        hand.dragged, took = True, list[float]()
        for step in range(steps + 1):  # a drag begins where the hand is
            there = bridge.places.Frame(begin.place.lerp(place, step / steps), begin.turn)
            bridge.places.put(self.owner, hand, there, None)
            begun = time.perf_counter()
            bridge.live.update(self.owner)
            took.append(1000.0 * (time.perf_counter() - begun))
            context.view_layer.update()
        hand.dragged = False
        self.note(hand, place, statistics.median(took[1:]), tally)

    def elsewhere(self, hand: Any, place: Vector, tally: Tally) -> None:  # noqa: ANN401 - a goal
        """Find Another Way, until one of them does."""
        hand.dragged, begun = True, time.perf_counter()
        for seed in range(1, WAYS + 1):
            bridge.live.solve_once(self.owner, None, bridge.searching.Elsewhere(seed))
            context.view_layer.update()
            bridge.live.update(self.owner)
            context.view_layer.update()
            if self.off(hand, place) <= NEAR and self.depth() <= NEAR:
                break
        hand.dragged = False
        self.note(hand, place, 1000.0 * (time.perf_counter() - begun), tally)

    def off(self, hand: Any, place: Vector) -> float:  # noqa: ANN401 - a goal
        """How far a hand is from a place, metres, by the pose that Blender has."""
        return float((bridge.places.on_bone(self.owner, hand).place - place).length)

    def note(self, hand: Any, place: Vector, took: float, tally: Tally) -> None:  # noqa: ANN401 - a goal
        """Take down what came of a drag."""
        tally.off.append(self.off(hand, place))
        tally.deep.append(self.depth())
        tally.took.append(took)


def main(count: int, seed: int) -> None:
    """All figures."""
    posewright.register()
    body = Body()
    body.owner.posewright_live = False  # solved here, and not by handlers
    for beside in (False, True):
        rng = np.random.default_rng(seed)
        hands = [body.hands[index % 2] for index in range(count)]
        goals = [(hand, body.draw(rng, hand, beside)) for hand in hands]
        sys.stdout.write("hands beside the body\n" if beside else "hands anywhere\n")
        body.drag(*goals[0], 1, Tally())  # in which kernels are loaded
        measure(body, goals)
    sys.stdout.write("hands into the body\n")
    rng = np.random.default_rng(seed)
    goals = [(hand, body.inside(rng, hand)) for hand in hands[: count // 5]]
    _each(goals, lambda goal, tally: body.drag(*goal, 1, tally), "at once")
    _each(goals, lambda goal, tally: body.drag(*goal, STEPS, tally), f"in {STEPS} steps")


def measure(body: Body, wanted: list["Goal"]) -> None:
    """The figures of a set of goals."""
    collision = body.owner.posewright_relations[0]
    collision.mute = True
    _each(wanted, lambda goal, tally: body.drag(*goal, 1, tally), "without collision, at once")
    collision.mute = False
    left = _each(wanted, lambda goal, tally: body.drag(*goal, 1, tally), "at once")
    left = _each(left, lambda goal, tally: body.drag(*goal, STEPS, tally), f"those left, in {STEPS} steps")
    left = _each(left, lambda goal, tally: body.elsewhere(*goal, tally), "those left, Find Another Way")
    sys.stdout.write(f"{100.0 * (1.0 - len(left) / len(wanted)):.1f} % of all within 1 mm and no deeper than that\n")


Goal = tuple[Any, Vector]


def _each(goals: list[Goal], act: Callable[[Goal, Tally], None], name: str) -> list[Goal]:
    """Do it with each, tell the figures, and return those that are left."""
    tally = Tally()
    for goal in goals:
        act(goal, tally)
    if goals:
        sys.stdout.write(tally.line(name))
        sys.stdout.flush()
    ends = zip(goals, tally.off, tally.deep, strict=True)
    return [goal for goal, off, deep in ends if off > NEAR or deep > NEAR]


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    main(*[*given, *(1000, 1)[len(given) :]])
    os._exit(0)  # with anything registered, some Blenders crash while the interpreter shuts down
