"""The character of the benchmark `live`: 20 bones of a body, and as many more as are wanted; its skin; poses for it.

Needs bpy. It looks along -y.
"""

import math
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from .capture import captures
from .puppet import context

ACROSS, ALONG = 400, 250  # vertices of the mesh: 100,000

Place = tuple[float, float, float]
# name: parent, head, tail; in metres, elbows and knees a little bent
CORE: dict[str, tuple[str | None, Place, Place]] = {
    "hips": (None, (0, 0, 1.0), (0, 0, 1.1)),
    "spine1": ("hips", (0, 0, 1.1), (0, 0.01, 1.2)),
    "spine2": ("spine1", (0, 0.01, 1.2), (0, 0.02, 1.3)),
    "spine3": ("spine2", (0, 0.02, 1.3), (0, 0.01, 1.45)),
    "neck": ("spine3", (0, 0.01, 1.45), (0, 0, 1.55)),
    "head": ("neck", (0, 0, 1.55), (0, 0, 1.75)),
} | {
    name + side: (parent if parent in {"hips", "spine3"} else parent + side, (x * hx, hy, hz), (x * tx, ty, tz))
    for side, x in ((".L", 1), (".R", -1))
    for name, parent, (hx, hy, hz), (tx, ty, tz) in (
        ("collar", "spine3", (0.02, 0, 1.42), (0.16, 0, 1.42)),
        ("arm", "collar", (0.16, 0, 1.42), (0.44, 0.03, 1.42)),
        ("forearm", "arm", (0.44, 0.03, 1.42), (0.69, 0, 1.42)),
        ("hand", "forearm", (0.69, 0, 1.42), (0.79, 0, 1.42)),
        ("thigh", "hips", (0.1, 0, 1.0), (0.1, -0.03, 0.55)),
        ("shin", "thigh", (0.1, -0.03, 0.55), (0.1, 0, 0.1)),
        ("foot", "shin", (0.1, 0, 0.1), (0.1, -0.15, 0.02)),
    )
}
CARRIERS = ("hand.L", "hand.R", "head", "spine3", "hips")  # what the other bones hang on
REACHING = {"hand.L": "forearm.L", "hand.R": "forearm.R", "foot.L": "shin.L", "foot.R": "shin.R", "head": "neck"}

# Where goals are in poses away from rest, all in reach; those that are not named are where the bones are at rest.
CROUCHING: dict[str, Place] = {  # 35 cm down and 10 cm back, hands and head in front
    "hips": (0.0, 0.1, 0.65),
    "head": (0.0, -0.15, 1.1),
    "hand.L": (0.3, -0.45, 0.95),
    "hand.R": (-0.3, -0.45, 0.95),
}
SITTING: dict[str, Place] = {
    "hips": (0.0, 0.15, 0.5),
    "head": (0.0, 0.05, 1.02),
    "hand.L": (0.25, -0.3, 0.65),
    "hand.R": (-0.2, -0.2, 0.6),
    "foot.L": (0.12, -0.3, 0.1),
    "foot.R": (-0.12, -0.3, 0.1),
}
LUNGING: dict[str, Place] = {  # the left foot in front, the right one behind
    "hips": (0.0, 0.0, 0.78),
    "head": (0.0, -0.12, 1.28),
    "hand.L": (0.3, -0.5, 1.1),
    "hand.R": (-0.35, 0.15, 0.85),
    "foot.L": (0.1, -0.45, 0.1),
    "foot.R": (-0.1, 0.45, 0.12),
}
CAPTURED = {
    "hips": "Hips",
    "head": "Head",
    "hand.L": "LeftHand",
    "hand.R": "RightHand",
    "foot.L": "LeftFoot",
    "foot.R": "RightFoot",
}
SMALLER = 0.9  # so that what is not proportioned alike is in reach


def captured(poses: int = 5) -> Iterator[dict[str, Place]]:
    """Where goals are in so many poses of each test clip; as large as this character, and turned as it is."""
    for capture in captures("test"):
        at = dict(zip(capture.names, capture.positions.transpose(1, 0, 2), strict=True))  # name: [F, 3]
        rest = dict(zip(capture.names, capture.heads, strict=True))
        leg = rest["Hips"][2] - rest["LeftFoot"][2]
        size = SMALLER * (CORE["hips"][1][2] - CORE["foot.L"][1][2]) / leg
        for frame in np.linspace(0, len(capture.local) - 1, poses).astype(int):
            across = at["LeftUpLeg"][frame] - at["RightUpLeg"][frame]
            turn = complex(across[0], -across[1]) / math.hypot(across[0], across[1])
            ground = min(at["LeftFoot"][frame, 2], at["RightFoot"][frame, 2])
            found = {}
            for bone, name in CAPTURED.items():
                x, y, z = at[name][frame] - [*at["Hips"][frame, :2], ground]
                flat = size * turn * complex(x, y)
                found[bone] = (flat.real, flat.imag, CORE["foot.L"][1][2] + size * z)
            yield found


def character(bones: int) -> Any:  # noqa: ANN401 - by their types, parts of an Object may be None
    """An armature of so many bones, in a scene of its own."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    figure: Any = bpy.data.objects.new("character", bpy.data.armatures.new("character"))
    context.scene.collection.objects.link(figure)
    context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    made = figure.data.edit_bones
    for name, (parent, head, tail) in CORE.items():
        bone = made.new(name)
        bone.head, bone.tail, bone.parent = head, tail, made[parent] if parent else None
    for index in range(bones - len(CORE)):
        bone, turn = made.new(f"more{index}"), 2.4 * (index // 3)  # radians: chains go off in all directions
        bone.parent = made[CARRIERS[index // 3 % len(CARRIERS)]] if index % 3 == 0 else made[f"more{index - 1}"]
        bone.head = bone.parent.tail
        bone.tail = bone.head + type(bone.head)((0.03 * math.cos(turn), 0.03 * math.sin(turn), 0.01))
    bpy.ops.object.mode_set(mode="OBJECT")
    context.view_layer.update()
    return figure


def skin(figure: Any) -> None:  # noqa: ANN401
    """Give the character a mesh of 100,000 vertices, each with two of its bones."""
    across, along = np.meshgrid(np.linspace(-0.8, 0.8, ACROSS), np.linspace(0.0, 1.8, ALONG))
    places = np.stack([across, np.zeros_like(across), along], axis=-1).reshape(-1, 3)
    corner = (np.arange(ALONG - 1)[:, None] * ACROSS + np.arange(ACROSS - 1)).ravel()
    faces = np.stack([corner, corner + 1, corner + ACROSS + 1, corner + ACROSS], axis=-1)
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(places.tolist(), [], faces.tolist())
    skinned: Any = bpy.data.objects.new("skin", mesh)
    context.scene.collection.objects.link(skinned)
    names = [bone.name for bone in figure.data.bones]
    groups = [skinned.vertex_groups.new(name=name) for name in names]
    for index, part in enumerate(np.array_split(np.arange(len(places)), len(names))):
        for bone in (index, (index + 1) % len(names)):
            groups[bone].add(part.tolist(), 0.5, "REPLACE")
    skinned.modifiers.new("armature", "ARMATURE").object = figure
