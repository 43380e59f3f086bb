"""A captured skeleton as an armature of Blender's and, bone by bone, as a tree: what one solves, the other shows.

Needs bpy. Positions and rotations are always read from the pose that Blender evaluated, in world metres.
"""

from typing import Any

import bpy
import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Motion

from .capture import Capture, Floats, inverse, product, quaternions, rotated


def _any(thing: Any) -> Any:  # noqa: ANN401 - by their types, parts of Blender's things may be None; not here
    return thing


context = _any(bpy.context)


class Puppet:
    """An armature in a scene of its own. B bones, those of the clip's joints.

    Attributes:
        object: the armature; its place is the world's origin.
        rest: [B, 4, 4], the bones' rest matrices in the world.
    """

    def __init__(self, capture: Capture) -> None:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.capture = capture
        data = bpy.data.armatures.new(capture.name)
        self.object = _any(bpy.data.objects.new(capture.name, data))
        context.scene.collection.objects.link(self.object)
        context.view_layer.objects.active = self.object
        bpy.ops.object.mode_set(mode="EDIT")
        for name, parent, head, tail in zip(capture.names, capture.parents, capture.heads, capture.tails, strict=True):
            bone = data.edit_bones.new(name)
            bone.head, bone.tail = head, tail
            if parent >= 0:
                bone.parent = data.edit_bones[capture.names[parent]]
        bpy.ops.object.mode_set(mode="OBJECT")
        assert tuple(bone.name for bone in self.object.pose.bones) == capture.names, "Blender put the bones in order"
        count = len(capture.names)
        self._read, self._turned = np.empty(16 * count, np.float32), np.zeros((count, 4), np.float32)
        self._moved = np.zeros((count, 3), np.float32)
        self.rest = np.array([bone.matrix_local for bone in data.bones])
        self._rest_turn = quaternions(self.rest[:, :3, :3])
        self._parents = np.array(capture.parents)
        above = np.where(self._parents[:, None] >= 0, self._rest_turn[self._parents], [[1.0, 0.0, 0.0, 0.0]])
        self._between = product(inverse(above), self._rest_turn)  # a bone's rest frame in that of its parent
        self.write(np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros(3))

    def write(self, turned: Floats, moved: Floats) -> None:
        """Give the bones their own rotations [B, 4] and the hips its own translation [3], and let Blender evaluate."""
        bones = self.object.pose.bones
        self._turned[:], self._moved[0] = turned, moved
        bones.foreach_set("rotation_quaternion", self._turned.ravel())
        bones.foreach_set("location", self._moved.ravel())
        self.object.update_tag(refresh={"OBJECT"})  # enough for the pose, and a third faster than all
        context.view_layer.update()

    def places(self) -> Floats:
        """Where the bones are [B, 4, 4], in the world, by the pose that Blender evaluated last."""
        shown = self.object.evaluated_get(context.evaluated_depsgraph_get())
        shown.pose.bones.foreach_get("matrix", self._read)
        matrices = self._read.reshape(-1, 4, 4).transpose(0, 2, 1).astype(float)
        world: Floats = np.array(shown.matrix_world) @ matrices
        return world

    def turns(self) -> Floats:
        """How the bones are turned in each frame of the clip [F, B, 4], in the world."""
        return product(self.capture.rotations, self._rest_turn)

    def captured(self) -> tuple[Floats, Floats]:
        """The bones' own rotations [F, B, 4] and the hips' own translations [F, 3] in each frame of the clip."""
        own = product(product(inverse(self._rest_turn), self.capture.local), self._rest_turn)
        moved = self.capture.positions[:, 0] - self.rest[0, :3, 3]
        return own, rotated(inverse(self._rest_turn[0]), moved)

    def values(self, tree: ik.Tree) -> Floats:
        """The variables [F, V] of every frame of the clip."""
        turned, moved = self.captured()
        places = np.zeros((len(self.capture.names), 3))
        found = []
        for turns, place in zip(turned, moved, strict=True):
            places[0] = place
            found.append(tree.values(places, turns))
        return np.array(found)

    def joints(self, motions: dict[str, Motion] | None = None) -> list[ik.Joint]:
        """The bones as joints: the hips free, the others balls without limits unless `motions` says otherwise."""
        found = []
        for index, (name, parent) in enumerate(zip(self.capture.names, self.capture.parents, strict=True)):
            rest = self.rest[index] if parent < 0 else np.linalg.inv(self.rest[parent]) @ self.rest[index]
            motion = ik.Free() if parent < 0 else ik.Ball()
            motion = (motions or {}).get(name, motion)
            found.append(ik.Joint(name, None if parent < 0 else self.capture.names[parent], rest, motion))
        return found

    def own_turns(self, turned: Floats) -> Floats:
        """The bones' own rotations [B, 4], from how they are turned in the world [B, 4]."""
        above = turned[self._parents]
        above[0] = 1.0, 0.0, 0.0, 0.0  # the only root
        return product(inverse(product(above, self._between)), turned)

    def pose(self, tree: ik.Tree, q: Floats) -> None:
        """Show a pose of the tree: `write`, from its variables [V], the first three of which move the hips."""
        self.write(self.own_turns(tree.pose(q).rotations), q[:3])


def agreement(puppet: Puppet, tree: ik.Tree, poses: int = 20, seed: int = 1) -> float:
    """How far, in metres, tree and Blender differ at most about a bone's place, over random poses."""
    rng, worst = np.random.default_rng(seed), 0.0
    low, high = np.maximum(tree.lower, -1.5), np.minimum(tree.upper, 1.5)
    for _ in range(poses):
        q = rng.uniform(low, high)
        puppet.pose(tree, q)
        worst = max(worst, float(np.abs(puppet.places()[:, :3, 3] - tree.pose(q).positions).max()))
    return worst
