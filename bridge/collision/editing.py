"""A body's shapes as a list: fitted, added, removed; and collisions made of them."""

from collections.abc import Collection

import bpy

from ... import properties
from ...solvers.errors import PosewrightError
from .. import item_lists, list_curves
from ..item_lists import SHAPES
from ..relations import editing as relations
from . import fitting, things
from .shapes import Shape

SELF = "Body"  # the name of a collision of the body with itself


def fit(armature_object: bpy.types.Object, only: Collection[str] = ()) -> str:
    """Put fitted shapes in the place of those that are there; with `only`, of those of some bones. Returns what to say.

    Linked shapes cannot be removed: those of bones that get new ones are muted, and the others stay. Keys and drivers
    go with their bones.
    """
    found = fitting.fit(armature_object, only)
    stored, bones = properties.character(armature_object).posewright_shapes, {one.bone for one in found}
    old = [index for index, one in enumerate(stored) if not only or one.bone in bones]
    goes = [index for index in old if not properties.is_linked(armature_object, stored[index])]
    stays = [index for index in range(len(stored)) if index not in goes]
    fresh = {one.bone: len(stays) + place for place, one in enumerate(found)}
    order = {
        index: stays.index(index) if index in stays else fresh.pop(stored[index].bone, None)
        for index in range(len(stored))
    }
    order = {index: place for index, place in order.items() if index != place}
    list_curves.refuse_linked(armature_object, SHAPES.items, order)
    for index in reversed(old):
        if index in goes:
            stored.remove(index)
        else:
            stored[index].mute = True
    for one in found:
        _add(armature_object, one)
    list_curves.carry(armature_object, SHAPES.items, order)
    changed(armature_object)
    return f"{len(found)} shapes"


def add(armature_object: bpy.types.Object, bone: str) -> str:
    """Add a shape to a bone: fitted to its skin, else along it. Returns what to say."""
    if armature_object.pose is None or bone not in armature_object.pose.bones:
        raise PosewrightError(
            f"{armature_object.name!r} has no bone {bone!r}" if bone else "Select a bone in Pose Mode"
        )
    try:
        found = fitting.fit(armature_object, [bone])
    except PosewrightError:
        length = armature_object.pose.bones[bone].bone.length
        found = [Shape(bone, (0.0, 0.0, 0.0), (0.0, length, 0.0), fitting.SHARE * length)]
    _add(armature_object, found[0])
    changed(armature_object)
    return f"A shape on {bone!r}"


def remove(armature_object: bpy.types.Object) -> str:
    """Remove the active shape. Returns its name."""
    name = item_lists.remove(armature_object, SHAPES, -1)
    changed(armature_object)
    return name


def collide(armature_object: bpy.types.Object, thing: bpy.types.Object | None, against: str) -> str:
    """Have the body keep off an object, or with None off itself. Shapes are fitted if there are none. Returns words."""
    refuse(armature_object, thing, against)
    said = ""
    if not len(properties.character(armature_object).posewright_shapes):
        said = f" with {fit(armature_object)}"
    found = relations.add(armature_object, "COLLISION", thing.name if thing is not None else SELF)
    found.against, found.thing = against if thing is not None else "SELF", thing
    return f"The body keeps off {'itself' if thing is None else repr(thing.name)}{said}"


def refuse(armature_object: bpy.types.Object, thing: bpy.types.Object | None, against: str) -> None:
    """Raise an error that says why a body cannot keep off an object, or with None off itself; or that it does."""
    if thing is not None:
        things.refuse(armature_object, thing, against)
    for _, one in properties.relations_of(armature_object, "COLLISION"):
        if (one.thing if one.against != "SELF" else None) == thing:
            what = "itself" if thing is None else repr(thing.name)
            raise PosewrightError(f"The body keeps off {what} already: change {one.name!r} in the list of relations")


def changed(armature_object: bpy.types.Object) -> None:
    """The list is another: adding alone reports nothing."""
    armature_object.update_tag()


def _add(armature_object: bpy.types.Object, shape: Shape) -> None:
    character = properties.character(armature_object)
    taken = {one.name for one in character.posewright_shapes}
    one = character.posewright_shapes.add()
    one.name, one.bone = properties.free_name(shape.bone, taken), shape.bone
    one.start, one.end, one.radius = shape.start, shape.end, shape.radius
    character.posewright_active_shape = len(character.posewright_shapes) - 1
