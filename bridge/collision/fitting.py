"""Shapes for the bones of a body: by its skin, where there is one, else by bones and roles.

A vertex belongs to the deforming bone that has most of its weight. Bones with little or thin skin, as those of fingers
and faces, leave theirs to the bone above, unless they were asked for by name. A capsule is along a principal axis of
its vertices, weighted by the skin's area, or along the bone: the one that is nearest to all of them.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import channels, places
from ..roles import stored as roles
from .shapes import Shape

Ints = NDArray[np.int64]
WITHIN = (0.35, 0.5, 0.65)  # of the skin's area may be within the radius; what fits best is taken
STICKS_OUT = 2.0  # how much worse it is that a shape sticks out of the skin than that the skin sticks out of it
ENDS = 0.02  # of the area lies beyond each end
THIN = 0.01  # of the body's size: a radius below it is one of fingers, not of a limb
FEW = 12  # vertices, with fewer of which the skin tells nothing
# Radii by role, of the body's size: those of a person of 1.7 m, where there is no skin.
RADII = {
    "pelvis": 0.075,
    "spine": 0.07,
    "chest": 0.08,
    "neck": 0.034,
    "head": 0.055,
    "shoulder": 0.03,
    "upper_arm": 0.027,
    "forearm": 0.022,
    "hand": 0.02,
    "thigh": 0.045,
    "shin": 0.03,
    "foot": 0.024,
    "toe": 0.018,
}
SHARE = 0.15  # of its length: the radius of a bone of which nothing is known
SHORT = 0.03  # of the body's size: shorter ones of these get no shape


def fit(armature_object: bpy.types.Object, only: Collection[str] = ()) -> list[Shape]:
    """A shape for each bone that deserves one, or for some bones only. Raises an error where there are none."""
    skin = _skin(armature_object)
    found = _by_skin(armature_object, skin, only) if skin else _by_bones(armature_object, only)
    if not found:
        raise PosewrightError(
            "The skin has too few vertices on these bones"
            if skin
            else "No bone is long enough for a shape: set up the character, or give it a skin"
        )
    return found


def _skin(armature_object: bpy.types.Object) -> dict[str, tuple[Floats, Floats]]:
    """By bone, the vertices [n, 3] that hang mostly on it, at rest in armature space, and their areas [n]."""
    data: Any = armature_object.data
    deforming, parts = {bone.name for bone in data.bones if bone.use_deform}, dict[str, list[tuple[Floats, Floats]]]()
    inverse = np.array(places.inverse(armature_object.matrix_world, repr(armature_object.name)), float)
    for thing, mesh in _meshes(armature_object):
        to_armature = inverse @ np.array(thing.matrix_world, float)
        points = channels.floats(mesh.vertices, "co", 3) @ to_armature[:3, :3].T + to_armature[:3, 3]
        if not np.isfinite(points).all():
            raise PosewrightError(f"{thing.name!r} has vertices whose place is no number: mend it")
        areas, owner = _areas(mesh), _owners(mesh, thing, deforming)
        for group in np.unique(owner[owner >= 0]).tolist():
            mine = owner == group
            parts.setdefault(thing.vertex_groups[group].name, []).append((points[mine], areas[mine]))
    return {
        bone: (np.concatenate([one[0] for one in some]), np.concatenate([one[1] for one in some]))
        for bone, some in parts.items()
    }


def _meshes(armature_object: bpy.types.Object) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
    """All meshes that the armature deforms."""
    for thing in armature_object.users_scene[0].objects if armature_object.users_scene else ():
        mesh: Any = thing.data
        modifiers: Any = thing.modifiers
        by_modifier = any(one.type == "ARMATURE" and one.object == armature_object for one in modifiers)
        by_parent = thing.parent == armature_object and thing.parent_type == "ARMATURE"
        if isinstance(mesh, bpy.types.Mesh) and (by_modifier or by_parent) and len(thing.vertex_groups):
            yield thing, mesh


def _areas(mesh: bpy.types.Mesh) -> Floats:
    """The skin around each vertex [n]: of dense parts, as of faces, each vertex counts for less."""
    found = np.full(len(mesh.vertices), 1e-12)  # loose ones have next to none
    counts, area = np.zeros(len(mesh.polygons), np.int32), np.zeros(len(mesh.polygons), np.float32)
    corners = np.zeros(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_total", counts)
    mesh.polygons.foreach_get("area", area)
    mesh.loops.foreach_get("vertex_index", corners)
    np.add.at(found, corners, np.repeat(area / np.maximum(counts, 1), counts))
    return found


def _owners(mesh: bpy.types.Mesh, thing: bpy.types.Object, deforming: Collection[str]) -> Ints:
    """The vertex group [n] of the bone that has most of each vertex's weight; -1 where none has any."""
    bones = {group.index for group in thing.vertex_groups if group.name in deforming}
    found = np.full(len(mesh.vertices), -1)
    for index, vertex in enumerate(mesh.vertices):
        best = 0.0
        for one in vertex.groups:
            if one.weight > best and one.group in bones:
                best, found[index] = one.weight, one.group
    return found


def _by_skin(
    armature_object: bpy.types.Object, skin: Mapping[str, tuple[Floats, Floats]], only: Collection[str]
) -> list[Shape]:
    data: Any = armature_object.data
    everything = np.concatenate([points for points, _ in skin.values()])
    thin = THIN * float(np.ptp(everything, axis=0).max())
    left, found = dict(skin), list[Shape]()
    for bone in reversed(data.bones):  # children before parents
        if bone.name not in left:
            continue
        points, areas = left[bone.name]
        local = (points - bone.matrix_local.translation) @ np.array(bone.matrix_local.to_3x3())
        shape = capsule(bone.name, local, areas) if len(points) >= FEW else None
        if only:
            if bone.name in only and shape is not None:
                found.append(shape)
        elif shape is not None and shape.radius >= thin:
            found.append(shape)
        elif bone.parent is not None:
            above = left.get(bone.parent.name, (np.zeros((0, 3)), np.zeros(0)))
            left[bone.parent.name] = np.concatenate([above[0], points]), np.concatenate([above[1], areas])
    return found[::-1]


def capsule(bone: str, points: Floats, areas: Floats) -> Shape | None:
    """The capsule that fits points [n, 3] with so much skin [n] around each; None where they have no extent."""
    share = areas / areas.sum()
    middle = share @ points
    apart = points - middle
    axes = [*np.linalg.eigh((share[:, None] * apart).T @ apart)[1].T, np.array([0.0, 1.0, 0.0])]
    best, least = None, np.inf
    for axis in axes:
        along = apart @ axis
        across = np.linalg.norm(apart - along[:, None] * axis, axis=1)
        low, high = _quantile(along, share, ENDS), _quantile(along, share, 1.0 - ENDS)
        for radius in (_quantile(across, share, part) for part in WITHIN):
            ends = [low + radius, high - radius] if high - low > 2.0 * radius else [0.5 * (low + high)] * 2
            off = np.hypot(across, along - np.clip(along, ends[0], ends[1])) - radius
            if radius > 0.0 and (misfit := float(share @ np.maximum(off, -STICKS_OUT * off))) < least:
                best, least = (axis, ends, radius), misfit
    if best is None:
        return None
    axis, ends, radius = best
    start, end = (tuple((middle + place * axis).tolist()) for place in ends)
    return Shape(bone, start, end, radius)


def _quantile(values: Floats, share: Floats, part: float) -> float:
    order = np.argsort(values)
    return float(np.interp(part, np.cumsum(share[order]) - 0.5 * share[order], values[order]))


def _by_bones(armature_object: bpy.types.Object, only: Collection[str]) -> list[Shape]:
    """Capsules along bones: as thick as people are there, where roles are known."""
    data: Any = armature_object.data
    known = {bone: role for role, bone in roles.known(armature_object).items() if bone}
    ends = np.array([(*bone.head_local, *bone.tail_local) for bone in data.bones]).reshape(-1, 3)
    size, found = float(np.ptp(ends, axis=0).max()), list[Shape]()
    for bone in data.bones:
        part = known.get(bone.name, "").partition(".")[0]
        if only and bone.name not in only:
            continue
        if part in RADII:
            radius, length = RADII[part] * size, bone.length
            if part == "hand":  # with its fingers
                tips = [(one.tail_local - bone.head_local).length for one in bone.children_recursive]
                length = max([length, *tips])
        elif only or (not known and bone.use_deform and bone.length > SHORT * size):
            radius, length = SHARE * bone.length, bone.length
        else:
            continue
        inset = min(radius, 0.5 * length)
        found.append(Shape(bone.name, (0.0, inset, 0.0), (0.0, length - inset, 0.0), radius))
    return found
