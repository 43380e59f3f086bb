"""What the properties of a character have in common: linked rigs keep their own, and a change of one is reported."""

from typing import Any

import bpy

KEPT: Any = {"LIBRARY_OVERRIDABLE"}
KEPT_LIST: Any = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
NO_TURN = (1.0, 0.0, 0.0, 0.0)


def tell(changed: "bpy.types.bpy_struct[Any]", _context: bpy.types.Context) -> None:
    """Have Blender report a change of the object: by itself it does not when a script sets a property of ours."""
    owner = changed.id_data
    assert isinstance(owner, bpy.types.Object)
    owner.update_tag()


def begin_anew(changed: Any, context: bpy.types.Context) -> None:  # noqa: ANN401 - the object, or an item of it
    """What may move has changed: the pose that is there becomes the reference, so nothing jumps."""
    changed.id_data.posewright_anchor = ""
    tell(changed, context)
