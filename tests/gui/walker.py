"""The person of `person` with a body of boxes and a walk made in code, and stairs to walk onto.

All rotations of the walk are about the world's X: a leg is then two links in a plane, solved by the law of cosines, and
a bone's own rotation is rest⁻¹ · Rx(angle - the parent's angle) · rest.
"""

import math
from typing import Any

import bmesh
import bpy
from mathutils import Matrix, Quaternion, Vector

from .person import body, build_bones, make_room, view_region

operators: Any = bpy.ops
CYCLE = 26  # frames from step to step of the same foot, at 24 a second
STRIDE = 1.1  # metres in that time
STANCE = 0.62  # of a cycle: so long a foot is on the ground
HEEL, BALL = Vector((0.07, 0.0)), Vector((-0.11, 0.0))  # y and z of the sole's points at rest, metres
ANKLE = Vector((0.02, 0.09))
LAND, LEAVE = 0.32, -0.75  # radians: how the foot is turned when it lands on its heel, and leaves over its ball
SINK = 0.035  # metres: so much lower are the hips than at rest, to reach both feet
SIDES = (("L", 0.0), ("R", 0.5))  # at which part of its cycle each leg begins
STEP_HEIGHT, STEP_DEPTH, STEPS = 0.17, 0.30, 7  # of the stairs
STAIRS_BEGIN = -0.95  # y: the person walks along -Y


def turned(vector: Vector, angle: float) -> Vector:
    """A vector of the plane of y and z, turned about x."""
    return Vector(
        (
            math.cos(angle) * vector.x - math.sin(angle) * vector.y,
            math.sin(angle) * vector.x + math.cos(angle) * vector.y,
        )
    )


def smooth(part: float) -> float:
    part = min(max(part, 0.0), 1.0)
    return part * part * (3.0 - 2.0 * part)


def foot_at(frame: float, begins: float) -> tuple[Vector, float, float]:
    """Where the ankle is (y, z), and how foot and toe are turned."""
    cycles = frame / CYCLE + begins
    number, part = math.floor(cycles), cycles - math.floor(cycles)
    if part < STANCE:
        return on_ground(number, part / STANCE, begins)
    swing = (part - STANCE) / (1.0 - STANCE)
    (begin, first, toe), (end, last, _) = on_ground(number, 1.0, begins), on_ground(number + 1, 0.0, begins)
    place = begin.lerp(end, smooth(swing))
    place.y += 0.075 * math.sin(math.pi * swing) ** 2
    turn = first + (last - first) * smooth(swing)
    return place, turn, toe + (turn - toe) * smooth(2.0 * swing)


def on_ground(number: int, part: float, begins: float) -> tuple[Vector, float, float]:
    """On its heel, then flat, then over its ball."""
    spot = Vector((-STRIDE * (number - begins + 0.5 * STANCE), 0.0))
    angle = LAND * (1.0 - smooth(part / 0.18)) + LEAVE * smooth((part - 0.55) / 0.45)
    pivot = HEEL if angle > 0.0 else BALL
    return (
        spot + pivot + turned(ANKLE - pivot, -angle),
        -angle,
        -max(angle, 0.0),
    )


def leg_angles(hip: Vector, ankle: Vector, thigh: Vector, shin: Vector) -> tuple[float, float]:
    """How thigh and shin are turned from rest, the knee forward, to reach from hip to ankle."""
    way = ankle - hip
    a, b, c = thigh.length, shin.length, min(way.length, 0.9995 * (thigh.length + shin.length))
    bend = math.acos((a * a + c * c - b * b) / (2.0 * a * c))
    along = math.atan2(way.y, way.x)
    first = along - bend
    knee = Vector((math.cos(first), math.sin(first))) * a
    second = math.atan2((way - knee).y, (way - knee).x)
    return first - math.atan2(thigh.y, thigh.x), second - math.atan2(shin.y, shin.x)


def make_walk(thing: Any, frames: int) -> None:
    """Key a walk along -Y, from frame 1."""
    rest = {bone.name: bone.matrix_local.to_quaternion() for bone in thing.data.bones}
    heads = {bone.name: bone.head_local.yz for bone in thing.data.bones}
    for bone in thing.pose.bones:
        bone.rotation_mode = "QUATERNION"
    for frame in range(1, frames + 1):
        time = float(frame - 1)
        phase = 2.0 * math.pi * time / CYCLE
        moved = Vector((-STRIDE * time / CYCLE, -SINK - 0.012 * math.cos(2.0 * phase)))
        angles: dict[str, float] = {"hips": 0.0}
        for side, begins in SIDES:
            thigh, shin, foot, toe = (f"{name}.{side}" for name in ("thigh", "shin", "foot", "toe"))
            ankle, foot_turn, toe_turn = foot_at(time, begins)
            lengths = heads[shin] - heads[thigh], heads[foot] - heads[shin]
            angles[thigh], angles[shin] = leg_angles(heads[thigh] + moved, ankle, *lengths)
            angles[foot], angles[toe] = foot_turn, toe_turn
            swing = 0.35 * math.cos(phase + 2.0 * math.pi * begins)
            angles[f"upper_arm.{side}"], angles[f"forearm.{side}"] = -swing, -swing - 0.25
        hips = thing.pose.bones["hips"]
        hips.location = rest["hips"].inverted() @ Vector((0.0, moved.x, moved.y))
        hips.keyframe_insert("location", frame=frame)
        for name, angle in angles.items():
            bone = thing.pose.bones[name]
            above = angles.get(bone.parent.name, 0.0) if bone.parent else 0.0
            own = Quaternion((1.0, 0.0, 0.0), angle - above)
            bone.rotation_quaternion = rest[name].inverted() @ own @ rest[name]
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def make_boxes(thing: Any) -> None:
    """A body of boxes, each carried by its bone; the feet have flat soles on the ground."""
    mesh, made = bpy.data.meshes.new("Boxes"), bmesh.new()
    groups: list[tuple[str, list[int]]] = []
    for bone in thing.data.bones:
        before = len(made.verts)
        wide = 0.055 if bone.name.partition(".")[0] in {"thigh", "chest", "hips", "spine", "head"} else 0.035
        if bone.name.startswith(("foot", "toe")):
            ends = (0.07, -0.11, 0.075) if bone.name.startswith("foot") else (-0.11, -0.2, 0.045)
            size = (0.085, abs(ends[0] - ends[1]), ends[2])
            middle = (0.135 if bone.name.endswith("L") else -0.135, 0.5 * (ends[0] + ends[1]), 0.5 * ends[2])
            placed = Matrix.Translation(middle) @ Matrix.Diagonal((*size, 1.0))
        else:
            sides = 3.0 if bone.name in {"chest", "hips", "spine"} else 2.0
            placed = bone.matrix_local @ Matrix.Translation((0.0, 0.5 * bone.length, 0.0))
            placed = placed @ Matrix.Diagonal((sides * wide, 0.94 * bone.length, 2.0 * wide, 1.0))
        bmesh.ops.create_cube(made, size=1.0, matrix=placed)
        groups.append((bone.name, list(range(before, len(made.verts)))))
    made.to_mesh(mesh)
    made.free()
    skin = bpy.data.objects.new("Boxes", mesh)
    context: Any = bpy.context
    context.scene.collection.objects.link(skin)
    for name, vertices in groups:
        skin.vertex_groups.new(name=name).add(vertices, 1.0, "REPLACE")
    skin.parent = thing
    deform: Any = skin.modifiers.new("Armature", "ARMATURE")
    deform.object = thing


def make_stairs() -> Any:
    """A floor and stairs that go up along -Y, as one object."""
    mesh, made = bpy.data.meshes.new("Stairs"), bmesh.new()
    for step in range(STEPS + 1):
        height = STEP_HEIGHT * step
        begin = 3.0 if step == 0 else STAIRS_BEGIN - STEP_DEPTH * (step - 1)
        end = STAIRS_BEGIN - STEP_DEPTH * step if step < STEPS else STAIRS_BEGIN - STEP_DEPTH * STEPS - 3.0
        size, middle = (1.6, begin - end, height + 0.2), (0.0, 0.5 * (begin + end), 0.5 * height - 0.1)
        bmesh.ops.create_cube(made, size=1.0, matrix=Matrix.Translation(middle) @ Matrix.Diagonal((*size, 1.0)))
    made.to_mesh(mesh)
    made.free()
    stairs = bpy.data.objects.new("Stairs", mesh)
    context: Any = bpy.context
    context.scene.collection.objects.link(stairs)
    return stairs


def make_walker(hand: Any, frames: int) -> Any:
    """A new file with a person that walks through stairs, its ground: the clip was made for a floor."""
    yield from make_room(hand)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        thing = build_bones()
        make_boxes(thing)
        make_walk(thing, frames)
        stairs = make_stairs()
        context.view_layer.objects.active = thing
        bpy.ops.object.mode_set(mode="POSE")
        # Knees with the limits of people are hinges, and this walk bends them about the world's X.
        operators.posewright.set_up(limits=False)
        thing.posewright_goals.clear()  # nothing of this is about goals, and their handles would hide feet
    thing.posewright_feet_ground, thing.posewright_feet_object = "OBJECT", stairs
    context.scene.render.fps = 24
    context.scene.frame_start, context.scene.frame_end = 1, frames
    context.scene.frame_set(40)
    bpy.ops.ed.undo_push(message="A walk")
    yield from hand.rest()


def look(hand: Any, at: Vector, about_x: float, about_z: float, distance: float) -> None:
    """See a place from somewhere; angles in degrees."""
    view = hand.area().spaces.active.region_3d
    view.view_perspective = "PERSP"
    view.view_location, view.view_distance = at, distance
    turn = Matrix.Rotation(math.radians(about_z), 3, "Z") @ Matrix.Rotation(math.radians(about_x), 3, "X")
    view.view_rotation = turn.to_quaternion()
    hand.area().tag_redraw()


def clip() -> Any:
    """The action that the person plays."""
    return body().animation_data.action
