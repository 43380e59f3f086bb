"""Whether an object can be posed. Needs no numpy: buttons ask at every redraw."""

import bpy


def why_not(armature_object: bpy.types.Object | None) -> str:
    """Why an object cannot be posed; empty if it can."""
    if armature_object is None:
        return "There is no active object"
    data, why = armature_object.data, ""
    if not isinstance(data, bpy.types.Armature):
        why = "is no armature"
    elif armature_object.library is not None:
        why = "is linked: make a library override of it first"
    elif data.is_editmode:
        why = "is in Edit Mode: press Tab to leave it"
    elif not data.bones:
        why = "has no bones"
    elif armature_object.pose is None:
        why = "was never shown: it has no pose yet"
    elif data.pose_position == "REST":
        why = "shows its rest position: switch its armature to Pose Position"
    return f"{armature_object.name!r} {why}" if why else ""
