"""A relation of one side of the body for the other side, across the armature's YZ plane; `twins` has the geometry.

Bones in the middle of the body stay. With m the mirror, R a bone's rest rotation and R' that of its twin, a turn T of a
loop's first bone as seen from the second becomes R'₂⁻¹ m(R₂ T R₁⁻¹) R'₁. An angle keeps its sign where the mirror image
of its axis is the twin's own axis, and changes it where that is the opposite one.
"""

from typing import Any

import bpy
from mathutils import Matrix, Quaternion, Vector

from ... import properties
from ...properties import POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from ...solvers.errors import PosewrightError
from ...solvers.goals.expression import with_variables
from .. import own_joints, places, symmetry, twins
from . import editing, points
from .relation import UNKNOWN, refuse_missing

_SAME_POINT = 1e-4  # units of the armature, and of a point's distance from the head: nearer ones are the same
_ALIKE = 0.5  # the cosine between an axis in the mirror and the twin's own, below which they are not about the same
_SIDED = ("COUPLING", "WIRE", "LOOP")  # the kinds that are about some bones
_AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}
_SETTINGS = ("kind", "mute", "weight", "level", "length", "exact", "turned", "axis")
_OF_PART = ("name", "other", "character", "point", "axis")

Image = dict[str, Any]  # settings by name; "parts" has one such for each part


def mirror(armature_object: bpy.types.Object, index: int) -> str:
    """Make or change the relation of the other side so that it is the mirror image of one. Returns its name."""
    _, one = editing.at(armature_object, index)
    if one.kind not in _SIDED:
        raise PosewrightError(f"{one.name!r} is about the whole body: it has no other side")
    image = _image(armature_object, one)
    if _bones(one) == [image["bone"], *(part["bone"] for part in image["parts"])]:
        raise PosewrightError(f"{one.name!r} has no bone with a twin on the other side")
    name, there = one.name, _counterpart(armature_object, one, image)
    if there is None:
        flipped = symmetry.flipped(name)
        wanted = flipped if flipped != name else f"{name} mirrored"
        found = editing.add(armature_object, image["kind"], wanted)
        for _ in image["parts"]:
            editing.add_part(armature_object, found, "")
    else:
        found = there
    parts = image.pop("parts")
    for key, value in image.items():
        setattr(found, key, value)
    for part, settings in zip(found.parts, parts, strict=True):
        for key, value in settings.items():
            setattr(part, key, value)
    made = properties.character(armature_object).posewright_relations
    properties.character(armature_object).posewright_active_relation = made.find(found.name)
    editing.changed(armature_object)
    return found.name


def _bones(one: POSEWRIGHT_PG_relation) -> list[str]:
    return [one.bone, *(part.bone for part in one.parts)]


def _image(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> Image:
    """What a relation is in the mirror."""
    found = {name: getattr(one, name) for name in _SETTINGS}
    found["parts"] = [_image_of_part(armature_object, part) for part in one.parts]
    found["bone"] = _other(armature_object, one.bone) if one.bone else ""
    if one.kind == "COUPLING":
        found["expression"] = _expression(armature_object, one)
    if one.kind == "LOOP" and len(one.parts) == 2:
        found["turn"] = _turn(armature_object, one)
    return found


def _image_of_part(armature_object: bpy.types.Object, part: POSEWRIGHT_PG_relation_part) -> Image:
    owner = points.owner(armature_object, part)
    other = _other(owner, part.bone)
    offset = twins.across(owner, part.bone, other) @ part.offset
    return {name: getattr(part, name) for name in _OF_PART} | {"bone": other, "offset": offset}


def _other(armature_object: bpy.types.Object, bone: str) -> str:
    """A bone's twin, or itself in the middle of the body. Raises an error where it, or its twin, is missing."""
    data: Any = armature_object.data
    refuse_missing(data.bones, [bone])
    other = twins.twin(armature_object, bone)
    if not other and (named := symmetry.flipped(bone)) != bone:
        refuse_missing(data.bones, [named])
    return other or bone


def _turn(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> Quaternion:
    rests, theirs = list[Quaternion](), list[Quaternion]()
    for part in one.parts:
        owner = points.owner(armature_object, part)
        rests.append(_rest(owner, part.bone))
        theirs.append(_rest(owner, _other(owner, part.bone)))
    by = rests[1] @ one.turn.normalized() @ rests[0].inverted()
    return theirs[1].inverted() @ Quaternion((by.w, by.x, -by.y, -by.z)) @ theirs[0]


def _rest(armature_object: bpy.types.Object, bone: str) -> Quaternion:
    data: Any = armature_object.data
    rest: Matrix = data.bones[bone].matrix_local
    return places.turn_of(rest)


def _expression(armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation) -> str:
    """The same expression, where angles that change their sign in the mirror have the other one."""
    turning = {part.name for part in one.parts if _sign(armature_object, part.bone, part.axis) < 0.0}
    changes = turning | {f"{quote}{name}{quote}" for name in turning for quote in "\"'"}
    text = with_variables(one.expression, lambda name: f"(-{name})" if name in changes else name)
    return text if not text or _sign(armature_object, one.bone, one.axis) > 0.0 else f"-({text})"


def _sign(armature_object: bpy.types.Object, bone: str, axis: str) -> float:
    """Whether an angle about a bone's axis keeps its sign in the mirror, 1, or changes it, -1."""
    other, own = _other(armature_object, bone), own_joints.read(armature_object)
    there = _axis(armature_object, bone, axis, own)
    mirrored = Vector((there.x, -there.y, -there.z))  # of an axis of turning, what lies in the mirror changes its sign
    alike = mirrored.dot(_axis(armature_object, other, axis, own))
    if abs(alike) < _ALIKE:
        raise PosewrightError(
            f"{other!r} turns about another {axis} than {bone!r} does: set its bone roll, or couple it"
        )
    return 1.0 if alike > 0.0 else -1.0


def _axis(armature_object: bpy.types.Object, bone: str, axis: str, own: "dict[str, own_joints.OwnJoint]") -> Vector:
    """An axis of a joint at rest, in armature space."""
    if axis not in _AXES:
        raise PosewrightError(f"the axis of {bone!r} is {UNKNOWN}: choose it anew")
    before = Quaternion(own[bone].before.tolist()) if bone in own else Quaternion()
    found: Vector = _rest(armature_object, bone) @ (before @ _AXES[axis])
    return found


def _counterpart(
    armature_object: bpy.types.Object, one: POSEWRIGHT_PG_relation, image: Image
) -> POSEWRIGHT_PG_relation | None:
    """The other side's relation, if there is one: of the same kind, about the same points."""
    for other in properties.character(armature_object).posewright_relations:
        if other == one or other.kind != one.kind or len(other.parts) != len(image["parts"]):
            continue
        same = (other.bone, other.axis) == (image["bone"], image["axis"]) if one.kind == "COUPLING" else True
        if same and all(_is_same(part, its) for part, its in zip(other.parts, image["parts"], strict=True)):
            return other
    return None


def _is_same(part: POSEWRIGHT_PG_relation_part, image: Image) -> bool:
    if any(getattr(part, name) != image[name] for name in ("bone", "other", "character", "point", "axis")):
        return False
    far = (part.offset - image["offset"]).length
    return part.point != "OFFSET" or far <= _SAME_POINT * max(1.0, part.offset.length)
