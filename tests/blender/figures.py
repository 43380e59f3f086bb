"""Small figures to pose in tests, and the words to talk about them. Kernels run interpreted there: few bones."""

from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Vector

Floats = Any

BONES = {  # name: parent, head, tail; metres
    "pelvis": ("", (0, 0, 1.0), (0, 0, 1.1)),
    "spine": ("pelvis", (0, 0, 1.1), (0, 0, 1.5)),
    "arm.L": ("spine", (0.2, 0, 1.45), (0.45, 0.02, 1.45)),
    "forearm.L": ("arm.L", (0.45, 0.02, 1.45), (0.7, 0, 1.45)),
    "hand.L": ("forearm.L", (0.7, 0, 1.45), (0.8, 0, 1.45)),
    "arm.R": ("spine", (-0.2, 0, 1.45), (-0.45, 0.02, 1.45)),
    "forearm.R": ("arm.R", (-0.45, 0.02, 1.45), (-0.7, 0, 1.45)),
    "hand.R": ("forearm.R", (-0.7, 0, 1.45), (-0.8, 0, 1.45)),
    "leg.L": ("pelvis", (0.1, 0, 1.0), (0.1, -0.02, 0.5)),
    "shin.L": ("leg.L", (0.1, -0.02, 0.5), (0.1, 0, 0.1)),
    "foot.L": ("shin.L", (0.1, 0, 0.1), (0.1, -0.15, 0.0)),
    "leg.R": ("pelvis", (-0.1, 0, 1.0), (-0.1, -0.02, 0.5)),
    "shin.R": ("leg.R", (-0.1, -0.02, 0.5), (-0.1, 0, 0.1)),
    "foot.R": ("shin.R", (-0.1, 0, 0.1), (-0.1, -0.15, 0.0)),
}


def update() -> None:
    context: Any = bpy.context
    context.view_layer.update()


def figure(only: str = "", name: str = "Figure") -> Any:
    """An armature object of the bones above; `only` those whose names end so, and the trunk."""
    context: Any = bpy.context
    found: Any = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (parent, head, tail) in BONES.items():
        if only and "." in bone and not bone.endswith(only):
            continue
        made = found.data.edit_bones.new(bone)
        made.head, made.tail = head, tail
        if parent:
            made.parent = found.data.edit_bones[parent]
            made.use_connect = made.parent.tail == made.head
    bpy.ops.object.mode_set(mode="POSE")
    for bone in ("shin.L", "shin.R", "forearm.L", "forearm.R"):
        if bone in found.pose.bones:
            hinge = found.pose.bones[bone]
            hinge.lock_ik_y = hinge.lock_ik_z = True
    update()
    return found


def goal(owner: Any, bone: str, **settings: Any) -> Any:
    """A new goal of a figure, idle if nothing else is said."""
    found = owner.posewright_goals.add()
    found.name = found.bone = bone
    for name, value in settings.items():
        setattr(found, name, value)
    return found


def pin(bridge: Any, owner: Any, bone: str, **settings: Any) -> int:
    """Pin a bone where it is; returns the goal's place in the list: references do not survive an undo."""
    made = goal(owner, bone, **({"orientation": 1.0} | settings))
    bridge.places.put(owner, made, bridge.places.on_bone(owner, made))
    made.state = "PINNED"
    return len(owner.posewright_goals) - 1


def drag(bridge: Any, owner: Any, bone: str, by: Any = (0, 0, 0)) -> Any:
    """Begin to drag a bone, or go on with it: its goal is where the bone was at first, and so far from there."""
    made = next((one for one in owner.posewright_goals if one.bone == bone), None) or goal(owner, bone)
    if not made.dragged:
        bridge.places.put(owner, made, bridge.places.on_bone(owner, made))
        made["begun"] = made.place[:]
        made.dragged = True
        update()
    made.place = Vector(made["begun"]) + Vector(by)
    update()
    return made


def off(bridge: Any, owner: Any, index: int) -> float:
    """How far a goal's point is from where it is to be, metres of the world, by what Blender shows."""
    made = owner.posewright_goals[index]
    return float((bridge.places.on_bone(owner, made).place - bridge.places.target(owner, made).place).length)


def shown(owner: Any) -> Floats:
    """Where Blender shows the bones [bones, 4, 4]."""
    return np.array([bone.matrix for bone in owner.pose.bones], float)


def channels(owner: Any) -> bytes:
    """All that the bones store of the pose, to the last bit."""
    names = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}
    found = b""
    for name, width in names.items():
        buffer = np.zeros(len(owner.pose.bones) * width, np.float32)
        owner.pose.bones.foreach_get(name, buffer)
        found += buffer.tobytes()
    return found


def turn(owner: Any, bone: str, *degrees: float) -> None:
    """Turn a bone by hand, as R does: its own rotation is set."""
    owner.pose.bones[bone].rotation_quaternion = Euler(np.radians(degrees).tolist()).to_quaternion()
