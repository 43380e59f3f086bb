"""The first minute with a character: it is imported, set up by one click, and its hand is dragged by the next."""

import math
from typing import Any

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from .person import (
    BODY,
    body,
    build_bones,
    channels,
    head_of,
    make_room,
    package,
    pixel,
    release,
    running,
    view_region,
)

ANGLE = 1.7e-4  # radians, 0.01 degrees
THICK = {"hips": 0.16, "spine": 0.15, "chest": 0.17, "head": 0.1, "thigh": 0.08, "upper_arm": 0.05, "toe": 0.04}
ROLES = {
    *("pelvis", "chest", "neck.1", "head"),
    *(
        f"{part}.{side}"
        for part in ("shoulder", "upper_arm", "forearm", "hand", "thumb.1", "thigh", "shin", "foot", "toe")
        for side in "LR"
    ),
}


def add_skin(thing: Any) -> Any:
    """A mesh with a box around each bone, which goes with that bone."""
    corners: list[Vector] = []
    faces: list[tuple[int, ...]] = []
    boxes = {}
    for bone in thing.data.bones:
        wide = THICK.get(bone.name.partition(".")[0], 0.045)
        around = ((-wide, -wide), (wide, -wide), (wide, wide), (-wide, wide))
        first = len(corners)
        for along in (0.0, bone.length):
            corners += [bone.matrix_local @ Vector((x, along, z)) for x, z in around]
        sides = [(i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i) for i in range(4)]
        faces += [tuple(first + corner for corner in face) for face in ((3, 2, 1, 0), (4, 5, 6, 7), *sides)]
        boxes[bone.name] = list(range(first, first + 8))
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([corner[:] for corner in corners], [], faces)
    skin: Any = bpy.data.objects.new("Skin", mesh)
    context: Any = bpy.context
    context.scene.collection.objects.link(skin)
    for bone, rows in boxes.items():
        skin.vertex_groups.new(name=bone).add(rows, 1.0, "REPLACE")
    skin.parent = thing
    skin.modifiers.new("Armature", "ARMATURE").object = thing
    return skin


def import_person(hand: Any) -> Any:
    """An empty file into which the person was imported from a .glb, seen as Blender shows a new file, framed."""
    yield from make_room(hand)
    context: Any = bpy.context
    path = hand.folder / "person.glb"
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        add_skin(build_bones())
        bpy.ops.export_scene.gltf(filepath=str(path))
    yield from make_room(hand)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    assert not bpy.data.armatures
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        bpy.ops.import_scene.gltf(filepath=str(path))
        bpy.ops.view3d.view_all()
    path.unlink()
    package().bridge.watch.allow(1000.0)
    bpy.ops.ed.undo_push(message="Import")
    yield from hand.rest()


def bone_matrices() -> list[Any]:
    """Where bones are, by Blender's own evaluation."""
    thing = body().evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [thing.matrix_world @ bone.matrix for bone in thing.pose.bones]


def most_moved(before: list[Any]) -> tuple[float, float]:
    """By how much the bone that turned most has turned, radians, and the one that went farthest went, metres."""
    pairs = list(zip(before, bone_matrices(), strict=True))
    turns = [a.to_quaternion().rotation_difference(b.to_quaternion()).angle for a, b in pairs]
    ways = [(a.translation - b.translation).length for a, b in pairs]
    return max(min(turn, math.tau - turn) for turn in turns), max(ways)


def asked_by(hand: Any, begin: tuple[int, int], end: tuple[int, int], start: Vector) -> Vector:
    """Where a place is to go that the mouse takes along from one pixel to another."""
    region, view = view_region(hand), hand.area().spaces.active.region_3d
    at = [
        view3d_utils.region_2d_to_location_3d(region, view, (x - region.x, y - region.y), start)
        for x, y in (begin, end)
    ]
    found: Vector = start + at[1] - at[0]
    return found


def test_an_imported_character_is_set_up_and_its_hand_dragged_within_two_clicks(hand: Any) -> Any:
    yield from import_person(hand)
    yield from hand.sidebar("Posewright")
    yield from hand.picture("first-imported")
    before, stored, clicks = bone_matrices(), channels(), hand.clicks
    yield from hand.find_button("posewright.set_up")
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    found = {role.name for role in body().posewright_roles if role.bone}
    assert found >= ROLES, f"not found: {sorted(ROLES - found)}"
    assert not [role.name for role in body().posewright_roles if role.doubtful]
    assert len(body().posewright_goals) == 7
    assert {goal.state for goal in body().posewright_goals} == {"IDLE"}
    assert channels() == stored
    assert max(most_moved(before)) < ANGLE
    yield from hand.picture("first-set-up")

    start = head_of("hand.L")
    begin = pixel(hand, start)
    end = begin[0] - 60, begin[1] + 120
    asked = asked_by(hand, begin, end, start)
    yield from hand.move(begin[0] + 30, begin[1] + 30)
    yield from hand.move(*begin)
    yield from hand.rest()
    yield from hand.event("LEFTMOUSE", "PRESS")
    for step in range(1, 11):
        yield from hand.move(begin[0] - 6 * step, begin[1] + 12 * step)
    assert running(hand) == ["POSEWRIGHT_OT_drag"]
    yield from hand.picture("first-dragging")
    yield from release(hand)
    assert hand.clicks - clicks == 2
    off = (head_of("hand.L") - asked).length
    hand.notes["first drag of an imported hand: way, cm"] = round(100 * (asked - start).length, 1)
    hand.notes["off where the mouse asked, mm"] = round(1000 * off, 4)
    assert (asked - start).length > 0.1
    assert off < 1e-3
    yield from hand.picture("first-dragged")

    yield from hand.undo()
    assert most_moved(before)[0] < ANGLE
    assert channels() == stored
    assert len(body().posewright_goals) == 7, "one undo took the set-up, too"
    assert body().name == BODY
