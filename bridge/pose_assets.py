"""Poses as assets: actions of one frame, as Blender's pose library has them."""

from typing import Any

import bpy
import numpy as np

from . import action_curves, channels
from .baking import writing
from .baking.writing import Keys
from .channels import AXIS_ANGLE, QUATERNION

FRAME = 1.0
TAG = "Posewright"


def add(armature_object: bpy.types.Object, name: str, description: str = "") -> bpy.types.Action:
    """Add the present pose of all bones to the library of this file. Returns the action; moves and plays nothing."""
    action: Any = bpy.data.actions.new(name)
    action.user_clear()  # being an asset is a user, too
    slot = action.slots.new("OBJECT", armature_object.name) if hasattr(action, "slots") else None
    bag = action_curves.bag_for(action, slot)
    now, bones = channels.read(armature_object), channels.pose_bones(armature_object)
    scale = channels.floats(bones, "scale", 3)
    turned = {
        QUATERNION: ("rotation_quaternion", now.quaternion),
        AXIS_ANGLE: ("rotation_axis_angle", now.axis_angle),
    }
    for row, mode in enumerate(now.mode.tolist()):
        rotation = turned.get(mode, ("rotation_euler", now.euler))
        for what, values in (("location", now.location), rotation, ("scale", scale)):
            keys = Keys(row, what, np.array([FRAME]), values[row][None].astype(float))
            writing.write(armature_object, bag, keys, "BEZIER")
    action.asset_mark()
    action.asset_data.description = description
    action.asset_data.tags.new(TAG, skip_if_exists=True)
    if not bpy.app.background:
        action.asset_generate_preview()
    made: bpy.types.Action = action
    return made
