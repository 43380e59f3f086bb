"""Random drags on characters that somebody else made: set-up, then each goal to where a random pose would have it.

Run: python -m posewright.benchmarks.random_drags [count], in a Python with bpy. For each character of the data folder
that is a biped, and a BVH import: set-up as it comes; then `count` times (500 if nothing is said) the character is put
back to rest, one of its goals is chosen, a pose is drawn from inside its limits, and the goal is dragged in one go to
where that pose has its bone. Told are goals that are farther than a millimetre on a person of 1.7 m, limits that are
broken by more than 0.01°, and elbows and knees bent backward by more than half a degree, beyond what rest had.
"""

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Quaternion, Vector

import posewright
from posewright import bridge

from .capture import Floats
from .robots import DATA

BIPEDS = (
    "characters/KayKit_Knight.glb",
    "characters/RiggedFigure.glb",
    "characters/cryptovoxels.vrm",
    "characters/makehuman_game_engine.glb",
    "characters/makehuman_default.rig.json",
    "characters/makehuman_cmu_mb.rig.json",
    "bvh/07_01.bvh",
)
HINGES = ("forearm.L", "forearm.R", "shin.L", "shin.R")
operators: Any = bpy.ops


def load(path: Path) -> Any:  # noqa: ANN401 - an object with our properties
    """A character by itself in a file, at rest and set up."""
    operators.wm.read_homefile(use_empty=True)
    if path.suffix == ".bvh":
        operators.import_anim.bvh(filepath=str(path), global_scale=0.05644)
    elif path.suffix == ".json":
        _build(json.loads(path.read_text(encoding="utf-8"))["bones"])
    else:
        operators.import_scene.gltf(filepath=str(path))
    owner: Any = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    owner.animation_data_clear()
    for bone in owner.pose.bones:
        bone.matrix_basis.identity()
    context.view_layer.update()
    operators.posewright.set_up()
    return owner


def _build(bones: list[Any]) -> None:
    """An armature of listed bones."""
    context: Any = bpy.context
    owner: Any = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    context.scene.collection.objects.link(owner)
    context.view_layer.objects.active = owner
    operators.object.mode_set(mode="EDIT")
    made = [owner.data.edit_bones.new(bone["name"]) for bone in bones]
    for bone, listed in zip(made, bones, strict=True):
        bone.head, bone.tail = listed["head"], listed["tail"]
        bone.parent = made[listed["parent"]] if listed["parent"] >= 0 else None
    operators.object.mode_set(mode="OBJECT")


def drawn(rig: Any, rng: np.random.Generator) -> Floats:  # noqa: ANN401 - a Rig
    """A pose inside the limits, anywhere between rest and their ends; the body hardly moves away."""
    tree = rig.tree
    low, high = np.maximum(tree.lower, -math.pi), np.minimum(tree.upper, math.pi)
    found: Floats = rig.q + rng.uniform() * (rng.uniform(low, high) - rig.q)
    lengths = np.array([variable.unit == "m" for variable in tree.variables])
    found[lengths] = rig.q[lengths] + rng.uniform(-0.1, 0.1, lengths.sum())
    return found


class Drags:
    """Random drags on one character.

    Attributes:
        off: how far the dragged goals were, in millimetres on a person.
        broken, backward: how many limits did not hold, and how many elbows and knees were bent backward.
    """

    def __init__(self, owner: Any) -> None:  # noqa: ANN401 - an object with our properties
        self.owner, self.rest = owner, bridge.channels.read(owner)
        movers = bridge.pelvis.movers(owner)
        self.rig = bridge.armature.read(owner, movers.translating)
        self.stays = np.array([variable.joint in movers.staying for variable in self.rig.tree.variables])
        self.wide = {one.bone: one.by for one in self.rig.widened}
        self.joints = bridge.own_joints.read(owner)
        self.hinges = {role.bone for role in owner.posewright_roles if role.name in HINGES}
        self.off: list[float] = []
        self.broken = self.backward = 0

    def one(self, rng: np.random.Generator) -> None:
        """Put the character back, and drag a goal."""
        owner, rig = self.owner, self.rig
        bridge.pose.put(owner, bridge.channels.read(owner), self.rest)
        owner.posewright_anchor = ""
        bridge.live.forget(owner)
        q = drawn(rig, rng)
        q[self.stays] = rig.q[self.stays]
        placed, goal = rig.tree.pose(q), owner.posewright_goals[int(rng.integers(len(owner.posewright_goals)))]
        body = rig.tree.index(rig.frame_names[goal.bone])
        turn = Quaternion(placed.rotations[body].tolist())
        point = Vector(placed.positions[body].tolist()) + turn @ (rig.scale * bridge.places.point_of(owner, goal))
        goal.position, goal.orientation, goal.dragged = 1.0, 0.0, True
        bridge.places.put(owner, goal, bridge.places.Frame(owner.matrix_world @ (point / rig.scale), turn), None)
        outcome = bridge.live.update(owner)
        goal.dragged = False
        unit = rig.scale / owner.matrix_world.median_scale
        self.off += [1000.0 * one.metres * unit for one in outcome.goals.values()]
        self._look()

    def _look(self) -> None:
        now = bridge.joints.anatomical.own_turns(self.owner)
        for bone, joint in self.joints.items():
            angles = bridge.joints.anatomical.angles(joint.before, joint.axes, now[bone][None])[0]
            beyond = np.where(joint.free, np.maximum(joint.lower - angles, angles - joint.upper), 0.0).max()
            self.broken += bool(beyond > self.wide.get(bone, 0.0) + math.radians(0.01))
            if bone in self.hinges:
                self.backward += bool(angles[0] < -self.wide.get(bone, 0.0) - math.radians(0.5))


def main(count: int) -> None:
    """All characters; a line each."""
    posewright.register()
    for name in BIPEDS:
        drags, rng = Drags(load(DATA / name)), np.random.default_rng(2026)
        for _ in range(count):
            drags.one(rng)
        off = np.array(drags.off)
        sys.stdout.write(
            f"{name}: {count} drags, {int((off > 1.0).sum())} farther than 1 mm, worst {off.max():.3f} mm; "
            f"{drags.broken} limits broken, {drags.backward} elbows or knees backward\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    os._exit(0)  # with anything registered, some Blenders crash while the interpreter shuts down
