"""The axes along which a drag is constrained: those of the scene's transform orientation, and the ones besides."""

from typing import Any

import bpy
from mathutils import Matrix

from ..places import turn_of
from .view import View

Axes = tuple[Matrix, str]  # 3×3, the axes are its columns; their name
_MOVE, _TURN = 1, 2  # of the scene's slots; the first is that of all tools which have none of their own


def of_scene(scene: bpy.types.Scene, turning: bool, bone: Matrix, above: Matrix, view: View | None) -> Axes:
    """The axes that the scene's transform orientation names.

    Args:
        scene: whose orientation slots count.
        turning: those for turning instead of moving.
        bone: of the world: the grabbed bone's.
        above: of the world: its parent's, or the armature object's.
        view: what the animator looks at; None for nothing.
    """
    slots = scene.transform_orientation_slots
    slot = slots[_TURN if turning else _MOVE]
    slot = slot if slot.use else slots[0]
    custom: Any = slot.custom_orientation
    if custom is not None:
        return custom.matrix.normalized(), str(custom.name)
    match slot.type:
        case "LOCAL" | "NORMAL" | "GIMBAL":
            return _axes(bone), "local"
        case "PARENT":
            return _axes(above), "parent"
        case "CURSOR":
            return scene.cursor.matrix.to_3x3().normalized(), "cursor"
        case "VIEW" if view is not None:
            return view.turn(), "view"
    return Matrix.Identity(3), "global"


def besides(scene_axes: Axes, bone: Matrix) -> Axes:
    """The axes to which a second press on the same key goes: the bone's own, or the world's where it has those."""
    return (_axes(bone), "local") if scene_axes[1] == "global" else (Matrix.Identity(3), "global")


def _axes(matrix: Matrix) -> Matrix:
    return turn_of(matrix).to_matrix()
