"""A character that was never set up is set up for its feet; stopped, or refused, it is as it was before."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ... import properties
from .. import live
from ..roles import stored as roles

_OURS = "posewright_"
_PASSES = 2  # setting one of our properties may change another, which comes before it


@contextmanager
def for_now(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[None]:
    """Meanwhile the character is set up, and stays so where this is left in good order."""
    if len(properties.character(armature_object).posewright_roles):
        yield
        return
    before = _values(armature_object)
    try:
        roles.set_up(armature_object, depsgraph=depsgraph)
        yield
    except BaseException:  # also where a generator is closed: Esc
        _put_back(armature_object, before)
        raise


def _values(armature_object: bpy.types.Object) -> dict[str, Any]:
    """What is stored of ours with an object: values, and of lists how long they are."""
    found = dict[str, Any]()
    for one in armature_object.bl_rna.properties:
        if not one.identifier.startswith(_OURS):
            continue
        value: Any = getattr(armature_object, one.identifier)
        if one.type == "COLLECTION":
            found[one.identifier] = len(value)
        else:
            found[one.identifier] = tuple(value) if getattr(one, "is_array", False) else value
    return found


def _put_back(armature_object: bpy.types.Object, before: dict[str, Any]) -> None:
    for name, length in before.items():
        if armature_object.bl_rna.properties[name].type == "COLLECTION":
            rows = getattr(armature_object, name)
            while len(rows) > length:
                rows.remove(len(rows) - 1)
    for _ in range(_PASSES):
        now = _values(armature_object)
        for name, value in before.items():
            if now[name] != value and armature_object.bl_rna.properties[name].type != "COLLECTION":
                setattr(armature_object, name, value)
    live.forget(armature_object)
