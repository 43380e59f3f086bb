"""Characters from elsewhere, and bodies made of numbers: what set-up is tested on."""

import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

RIGIFY = {"Rigify metarig", "Rigify rig"}
NO_RIGIFY = 9  # exit code
Bones = dict[str, tuple[str, tuple[float, float, float], tuple[float, float, float]]]  # name: parent, head, tail
FINGERS = ("thumb", "index", "middle", "ring", "little")


def data_folder() -> Path:
    given = os.environ.get("POSEWRIGHT_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[3] / "shared" / "data"


def load(name: str, scratch: Path) -> Any:
    """The armature object of a character, the active object; the test is skipped where the file is not there."""
    if name in RIGIFY:
        return _rigify(name)
    path = data_folder() / ("bvh" if name.endswith(".bvh") else "characters") / name
    if not path.exists():
        pytest.skip(f"{name} is not below {data_folder()}; POSEWRIGHT_DATA says where the characters are")
    operators: Any = bpy.ops
    if name.endswith(".rig.json"):
        return build(_bones_of(json.loads(path.read_text(encoding="utf-8"))["bones"]))
    if name.endswith(".bvh"):
        operators.import_anim.bvh(filepath=str(path))
    else:  # a .vrm is a .glb within
        copy = scratch / "character.glb"
        shutil.copyfile(path, copy)
        operators.import_scene.gltf(filepath=str(copy))
    return activate(next(item for item in bpy.data.objects if item.type == "ARMATURE"))


MAKE_RIGIFY = """
import os, sys, bpy
bpy.ops.wm.read_homefile(use_empty=True)
bpy.ops.preferences.addon_enable(module="rigify")  # not by addon_utils: the operator makes its parameters
if "rigify" not in bpy.context.preferences.addons:
    os._exit(9)  # NO_RIGIFY
bpy.ops.object.armature_human_metarig_add()
if sys.argv[1] == "Rigify rig":
    bpy.ops.pose.rigify_generate()
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2])
sys.stdout.flush()
os._exit(0)
"""


@functools.cache
def _rigify_file(name: str) -> Path | None:
    """A file with a rig of Rigify's, which comes with Blender; None where it does not.

    Made by a process of its own: once Rigify was enabled, 4.2 crashes in every fourth process or so that imports glTF
    files after it.
    """
    path = Path(os.environ["BLENDER_USER_RESOURCES"]) / f"{name}.blend"  # conftest.py removes that folder
    made = subprocess.run([sys.executable, "-c", MAKE_RIGIFY, name, str(path)], check=False, capture_output=True)
    if made.returncode == NO_RIGIFY:
        return None
    assert path.exists(), made.stderr.decode(errors="replace")
    return path


def _rigify(name: str) -> Any:
    path = _rigify_file(name)
    if path is None:
        pytest.skip("this Blender comes without Rigify")
    bpy.ops.wm.open_mainfile(filepath=str(path))
    armatures = [item for item in bpy.data.objects if item.type == "ARMATURE"]
    return activate(next(item for item in armatures if (item.name != "metarig") == (name == "Rigify rig")))


def activate(found: Any) -> Any:
    context: Any = bpy.context
    for item in context.view_layer.objects:
        item.select_set(item == found)
    context.view_layer.objects.active = found
    context.view_layer.update()
    return found


def _bones_of(listed: list[Any]) -> Bones:
    return {
        bone["name"]: (listed[bone["parent"]]["name"] if bone["parent"] >= 0 else "", bone["head"], bone["tail"])
        for bone in listed
    }


def build(bones: Bones, name: str = "Body") -> Any:
    """An armature object of bones, the active object."""
    context: Any = bpy.context
    found: Any = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    context.scene.collection.objects.link(found)
    context.view_layer.objects.active = found
    bpy.ops.object.mode_set(mode="EDIT")
    made = {bone: found.data.edit_bones.new(bone) for bone in bones}
    for bone, (parent, head, tail) in bones.items():
        made[bone].head, made[bone].tail = head, tail
        made[bone].parent = made[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return activate(found)


def rename_to_nonsense(owner: Any) -> dict[str, str]:
    """Give all bones names that say nothing. Returns the old names by the new ones."""
    old = {}
    for number, name in enumerate([bone.name for bone in owner.data.bones]):
        owner.data.bones[name].name = f"bone.{number:03}"
        old[f"bone.{number:03}"] = name
    return old


def body(fingers: bool = True) -> Bones:
    """A person who faces -Y, in metres; each bone is called by its role."""
    rows: dict[str, list[tuple[str, tuple[float, float, float]]]] = {
        "": [
            ("pelvis", (0, 0, 1.0)),
            ("spine.1", (0, 0, 1.1)),
            ("spine.2", (0, 0.01, 1.2)),
            ("chest", (0, 0.01, 1.32)),
            ("neck.1", (0, 0.02, 1.5)),
            ("head", (0, 0, 1.6)),
            ("", (0, 0, 1.8)),
        ]
    }
    for side, sign in (("L", 1), ("R", -1)):
        arm = [("shoulder", 0.03, 0, 1.45), ("upper_arm", 0.17, 0.01, 1.44), ("forearm", 0.45, 0.03, 1.44)]
        arm += [("hand", 0.7, 0, 1.44), ("", 0.8, 0, 1.44)]
        leg = [("thigh", 0.1, 0, 0.96), ("shin", 0.1, -0.02, 0.5), ("foot", 0.1, 0.01, 0.09), ("toe", 0.1, -0.13, 0.02)]
        leg += [("", 0.1, -0.2, 0.02)]
        for top, limb in (("chest", arm), ("pelvis", leg)):
            rows[f"{top}>{side}"] = [(f"{part}.{side}" if part else "", (sign * x, y, z)) for part, x, y, z in limb]
        for number, finger in enumerate(FINGERS if fingers else ()):
            x, y, step = (
                (0.74, -0.01, (0.02, -0.025)) if finger == "thumb" else (0.81, 0.03 * (number - 2), (0.03, 0.0))
            )
            rows[f"hand.{side}>{finger}"] = [
                (
                    f"{finger}.{joint + 1}.{side}" if joint < 3 else "",
                    (sign * (x + step[0] * joint), y + step[1] * joint, 1.44),
                )
                for joint in range(4)
            ]
    bones: Bones = {}
    for key, row in rows.items():
        parent = key.partition(">")[0]
        for (name, head), (_, tail) in itertools.pairwise(row):
            bones[name] = (parent, head, tail)
            parent = name
    return bones


def renamed(bones: Bones, names: dict[str, str]) -> Bones:
    """Bones under other names, those that have one."""
    return {names.get(bone, bone): (names.get(parent, parent), *places) for bone, (parent, *places) in bones.items()}  # type: ignore[misc]


def without(bones: Bones, *starts: str) -> Bones:
    """Bones without some, and without what hangs on them."""
    left: Bones = {}
    for bone, (parent, head, tail) in bones.items():
        if bone not in starts and (not parent or parent in left):
            left[bone] = (parent, head, tail)
    return left


def eight_legs() -> Bones:
    """A spider that faces +X: four pairs of legs of three bones, a head in front and higher, an abdomen behind."""
    bones: Bones = {
        "b0": ("", (0, 0, 0.5), (0.2, 0, 0.5)),
        "b1": ("b0", (0.3, 0, 0.55), (0.5, 0, 0.6)),
        "b2": ("b1", (0.5, 0, 0.75), (0.7, 0, 0.75)),
        "b3": ("b0", (-0.3, 0, 0.5), (-0.9, 0, 0.5)),
        "b4": ("b3", (-0.9, 0, 0.4), (-1.1, 0, 0.4)),
    }
    for pair, sign in itertools.product(range(4), (1, -1)):
        x = 0.2 - 0.15 * pair
        out = 0.4 - 0.25 * pair
        joints = [(x, 0.1 * sign, 0.5), (x + out, 0.5 * sign, 0.8), (x + 1.5 * out, 0.9 * sign, 0.3)]
        joints += [(x + 1.8 * out, 1.2 * sign, 0.0)]
        parent = "b0"
        for joint in range(3):
            name = f"leg{pair}{'+' if sign > 0 else '-'}{joint}"
            bones[name] = (parent, joints[joint], joints[joint + 1])
            parent = name
    return bones
