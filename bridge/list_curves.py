"""Keys and drivers of the items of a list, which know an item by its place: they go with it when that changes."""

import re
from collections.abc import Mapping
from typing import Any

import bpy

from ..solvers.errors import PosewrightError
from . import action_curves

Order = Mapping[int, int | None]  # by their old places, the new ones of items; None for one that is gone


def carry(armature_object: bpy.types.Object, name: str, order: Order) -> None:
    """Take curves and drivers of the items of a list to the items' new places.

    Its name is its path from the object, such as `posewright_goals` or `posewright_relations[2].parts`.
    """
    for curves, _ in action_curves.of(armature_object):
        for curve in list(curves):
            old = _item_of(name, curve.data_path)
            if old is not None and order.get(old, old) is None:
                curves.remove(curve)
            else:
                curve.data_path = _renumbered(name, curve.data_path, order)
    for source in _read_by_drivers(armature_object):
        source.data_path = _renumbered(name, source.data_path, order)


def refuse_linked(armature_object: bpy.types.Object, name: str, order: Order) -> None:
    """Raise an error if items are animated by what cannot be changed, before anything is."""
    for curves, owner in action_curves.of(armature_object):
        if owner.library is not None and any(_item_of(name, curve.data_path) in order for curve in curves):
            what = name.rpartition(".")[2].removeprefix("posewright_")
            raise PosewrightError(f"The action {owner.name!r} is linked, and it has keys of these {what}")


def _read_by_drivers(armature_object: bpy.types.Object) -> list[Any]:
    """What the object's own drivers read of the object itself."""
    animation = armature_object.animation_data
    return [
        source
        for curve in (animation.drivers if animation else ())
        if curve.driver is not None
        for variable in curve.driver.variables
        for source in variable.targets
        if source.id == armature_object and source.data_path
    ]


def _item(name: str, path: str) -> re.Match[str] | None:
    return re.fullmatch(rf"{re.escape(name)}\[(\d+)\](.*)", path, re.DOTALL)


def _item_of(name: str, path: str) -> int | None:
    found = _item(name, path)
    return int(found[1]) if found else None


def _renumbered(name: str, path: str, order: Order) -> str:
    found = _item(name, path)
    if found is None or (new := order.get(int(found[1]))) is None:
        return path
    return f"{name}[{new}]{found[2]}"
