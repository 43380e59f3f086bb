"""At which height the ankles of a body are while it stands.

A rest pose stands on the ground, or it hangs anywhere, as those of BVH files do, with the hips at the origin. Then the
motion tells: the lower of both ankles is near the ground most of the time.
"""

import bpy
import numpy as np

from ..solvers.errors import PosewrightError
from ..solvers.rotation import Floats
from . import action_curves, channels, places
from .joints import from_action
from .proportions import Body

NEAR = 0.15  # of the leg: a rest pose whose lowest bone is nearer to the ground stands on it
LOW = 20.0  # percent of the frames have the lower ankle below this height: captured walks differ by 2 mm about it


def stands(body: Body) -> bool:
    """Whether a body at rest stands on its own origin, or on the ground of the scene."""
    return bool(min(abs(body.lowest - body.origin[2]), abs(body.lowest)) < NEAR * body.legs())


def ankles(body: Body) -> float:
    """The height of the ankles of a body that stands as at rest; on its origin, if its rest pose hangs in the air."""
    feet = body.middle("foot")
    assert feet is not None
    return float(feet[2] - (0.0 if stands(body) else body.lowest - body.origin[2]))


def ankles_in_motion(source: bpy.types.Object, body: Body, depsgraph: bpy.types.Depsgraph | None) -> float:
    """The same of a body that is animated, which tells more if its rest pose does not stand."""
    action = source.animation_data.action if source.animation_data else None
    if stands(body) or action is None:
        return ankles(body)
    try:
        heights = [_heights(source, action, body.bones[f"foot.{side}"], depsgraph) for side in "LR"]
    except PosewrightError:
        return ankles(body)
    return float(np.percentile(np.min(heights, axis=0), LOW))


def _heights(
    source: bpy.types.Object, action: bpy.types.Action, bone: str, depsgraph: bpy.types.Depsgraph | None
) -> Floats:
    """How high a bone's head is [F] in the frames of an action, by its curves: nothing is played."""
    frames = from_action.frames_of(action)
    turned = from_action.turns(source, action)
    curves = {(one.data_path, one.array_index): one for one in action_curves.of_action(action, source)}
    posed: Floats = np.tile(np.eye(4), (len(frames), 1, 1))
    here = channels.pose_bones(source)[bone]
    for one in (*reversed(here.parent_recursive), here):
        rest = one.bone.parent.matrix_local.inverted() @ one.bone.matrix_local if one.bone.parent else None
        own: Floats = np.tile(np.eye(4), (len(frames), 1, 1))
        own[:, :3, :3] = turned.get(one.name, np.array(one.matrix_basis.to_3x3()))
        if not one.bone.use_connect:
            for axis in range(3):
                curve = curves.get((f"{one.path_from_id()}.location", axis))
                own[:, axis, 3] = [curve.evaluate(frame) for frame in frames] if curve else one.location[axis]
        posed = posed @ np.array(one.bone.matrix_local if rest is None else rest) @ own
    if not len(turned):
        raise PosewrightError(f"The action {action.name!r} turns no bone of {source.name!r}")
    world = np.array(places.world_matrix(source, depsgraph))
    heights: Floats = (world @ posed)[:, 2, 3]
    return heights
