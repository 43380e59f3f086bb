"""Which shapes of a body touch each other as posed: for the overlay."""

from typing import Any

import bpy
import numpy as np

from ... import properties
from ...solvers.rotation import Floats
from . import pairs, shapes
from .pairs import Pair

ALONG = 5  # points along a shape from which it is looked at the other: enough to be seen


def of(armature_object: bpy.types.Object) -> set[str]:
    """The bones whose shapes touch others, of a body that keeps off itself; within its softness."""
    found, body = set[str](), list[shapes.Shape]()
    for one in properties.character(armature_object).posewright_relations:
        if one.kind == "COLLISION" and one.against == "SELF" and not one.mute:
            body = body or shapes.stored(armature_object)
            both = pairs.find(armature_object, body, max(one.gap + one.softness, 0.0))
            near = _apart(armature_object, both) < one.gap + 0.5 * one.softness if both else np.zeros(0, np.bool_)
            for place in np.flatnonzero(near).tolist():
                found |= {shape.bone for shape in both[place]}
    return found


def _apart(armature_object: bpy.types.Object, both: tuple[Pair, ...]) -> Floats:
    """How far the two of each pair [n] are from each other, in units of the armature."""
    pose: Any = armature_object.pose
    frames = {name: np.array(pose.bones[name].matrix) for name in {shape.bone for pair in both for shape in pair}}
    ends = np.array([[_ends(frames[shape.bone], shape) for shape in pair] for pair in both])  # [n, 2, 2, 3]
    thick = np.array([pair.first.radius + pair.second.radius for pair in both])
    nearest = np.minimum(_off_lines(ends[:, 0], ends[:, 1]), _off_lines(ends[:, 1], ends[:, 0]))
    found: Floats = nearest - thick
    return found


def _ends(frame: Floats, shape: shapes.Shape) -> Floats:
    found: Floats = np.array([shape.start, shape.end]) @ frame[:3, :3].T + frame[:3, 3]
    return found


def _off_lines(one: Floats, other: Floats) -> Floats:
    """How far points along lines [n, 2, 3] are at least from other lines [n, 2, 3]."""
    share = np.linspace(0.0, 1.0, ALONG)[None, :, None]
    points = one[:, None, 0] + share * (one[:, None, 1] - one[:, None, 0])
    way = other[:, 1] - other[:, 0]
    square = np.maximum((way * way).sum(-1), 1e-12)[:, None]
    along = np.clip(((points - other[:, None, 0]) * way[:, None]).sum(-1) / square, 0.0, 1.0)
    off = points - other[:, None, 0] - along[..., None] * way[:, None]
    found: Floats = np.linalg.norm(off, axis=-1).min(axis=1)
    return found
