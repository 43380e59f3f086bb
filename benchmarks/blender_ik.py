"""Blender's own IK on a puppet, with the same six goals.

Each goal is an Empty. The hips follow theirs by a Copy Transforms or Copy Location constraint, hands, feet and head by
IK constraints and, where orientations are asked for, by Copy Rotation too: the usual way to rig it. Blender's solver
starts every update from the pose that the bones have, the rest pose unless one was written, and writes nothing back: as
Posewright, it begins each frame anew. All settings of the constraints are Blender's own, 500 iterations at most.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from .capture import GOALS, Floats
from .puppet import Puppet, context

# The bones with an IK constraint (their tails are at the goals' joints), and how many bones it may move.
LIMBS = {"LeftForeArm": 3, "RightForeArm": 3, "LeftLeg": 2, "RightLeg": 2, "Neck1": 5}  # from collar bone, thigh, loin
UPPER_BODY = LIMBS | {"LeftForeArm": 6, "RightForeArm": 6}  # arms and head from the loin up: one tree, three goals
WHOLE_TREE = dict.fromkeys(LIMBS, 0)  # zero is all of them, up to the root; this turns the hips away from their goal
REACHED_BY = dict(zip(LIMBS, ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"), strict=True))


class BlenderIK:
    """A puppet that follows six Empties."""

    def __init__(self, puppet: Puppet, chains: dict[str, int], orientations: bool, hips: str = "TRANSFORMS") -> None:
        self.puppet, self._turns = puppet, puppet.turns()
        self.targets = {name: self._target(name) for name in GOALS}
        bones = puppet.object.pose.bones
        bones["Hips"].constraints.new(f"COPY_{hips}").target = self.targets["Hips"]
        for bone, count in chains.items():
            constraint = bones[bone].constraints.new("IK")
            constraint.target, constraint.chain_count = self.targets[REACHED_BY[bone]], count
            if orientations:
                goal = REACHED_BY[bone]
                bones[goal].constraints.new("COPY_ROTATION").target = self.targets[goal]

    def _target(self, name: str) -> bpy.types.Object:
        target = bpy.data.objects.new(f"goal {name}", None)
        target.rotation_mode = "QUATERNION"
        context.scene.collection.objects.link(target)
        return target

    def move(self, frame: int) -> None:
        """Put the goals where the clip has them in a frame."""
        capture = self.puppet.capture
        for joint, target in zip(capture.goals(), self.targets.values(), strict=True):
            target.location = capture.positions[frame, joint]
            target.rotation_quaternion = self._turns[frame, joint]

    def limit(self, bone: str, limits: Sequence[tuple[float, float]]) -> None:
        """Set a bone's limits of swing about x, twist about y and swing about z, in radians."""
        own = self.puppet.object.pose.bones[bone]
        for axis, (lower, upper) in zip("xyz", limits, strict=True):
            setattr(own, f"use_ik_limit_{axis}", True)
            setattr(own, f"ik_min_{axis}", lower)
            setattr(own, f"ik_max_{axis}", upper)

    def begin_at(self, turned: Floats) -> None:
        """Let every update start from these rotations of the bones [B, 4]."""
        self.puppet.write(turned, np.zeros(3))
