"""A person of 23 bones, and how the mouse takes hold of it. What the scenarios of posing share."""

import math
import sys
from typing import Any

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

ADD_ON = "bl_ext.user_default.posewright"
BODY = "Body"
PINNED = ("foot.L", "foot.R", "hand.R")
HINGES = {"forearm.L": (-2.5, 0.05), "forearm.R": (-2.5, 0.05), "shin.L": (-0.05, 2.5), "shin.R": (-0.05, 2.5)}

# Name, parent, head, tail, connected; metres, Z up, the character looks along -Y. Left has its mirror image.
MIDDLE: list[tuple[str, str, Any, Any, bool]] = [
    ("hips", "", (0, 0, 0.95), (0, 0, 1.05), False),
    ("spine", "hips", (0, 0, 1.05), (0, -0.01, 1.22), True),
    ("chest", "spine", (0, -0.01, 1.22), (0, 0.01, 1.45), True),
    ("neck", "chest", (0, 0.01, 1.47), (0, 0, 1.57), False),
    ("head", "neck", (0, 0, 1.57), (0, -0.02, 1.78), True),
]
LEFT: list[tuple[str, str, Any, Any, bool]] = [
    ("shoulder", "chest", (0.03, 0, 1.43), (0.17, 0.02, 1.43), False),
    ("upper_arm", "shoulder", (0.18, 0.02, 1.42), (0.36, 0.04, 1.20), False),
    ("forearm", "upper_arm", (0.36, 0.04, 1.20), (0.52, -0.04, 1.00), True),
    ("hand", "forearm", (0.52, -0.04, 1.00), (0.58, -0.08, 0.90), True),
    ("thumb", "hand", (0.53, -0.08, 0.98), (0.53, -0.13, 0.94), False),
    ("thigh", "hips", (0.10, 0, 0.93), (0.12, -0.02, 0.50), False),
    ("shin", "thigh", (0.12, -0.02, 0.50), (0.13, 0.02, 0.09), True),
    ("foot", "shin", (0.13, 0.02, 0.09), (0.14, -0.11, 0.02), True),
    ("toe", "foot", (0.14, -0.11, 0.02), (0.14, -0.18, 0.02), True),
]


def package() -> Any:
    return sys.modules[ADD_ON]


def session() -> Any:
    return bpy.context.window_manager


def body(name: str = BODY) -> Any:
    return bpy.data.objects[name]


def make_body(hand: Any) -> Any:
    """A new file with a person of 23 bones in Pose Mode, with goals at hands and feet, seen from the front."""
    yield from make_room(hand)
    context: Any = bpy.context
    with context.temp_override(window=hand.window, area=hand.area(), region=view_region(hand)):
        thing = build_bones()
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        bpy.ops.wm.tool_set_by_id(name="posewright.pose")
    limit(thing)
    for name in ("hand.L", *PINNED):
        add_goal(thing, name, "PINNED" if name in PINNED else "IDLE")
    package().bridge.watch.allow(1000.0)  # on a busy machine too, every move of the mouse is to be solved
    bpy.ops.ed.undo_push(message="A person")
    yield from hand.rest()


def make_room(hand: Any) -> Any:
    """A new file with nothing in it, and the solvers compiled."""
    bpy.ops.wm.read_homefile(app_template="")
    yield from hand.rest()
    yield from hand.compiled(lambda: session().posewright_solvers == "COMPILED")
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def build_bones() -> Any:
    """The person's armature object, active in Object Mode."""
    data = bpy.data.armatures.new(BODY)
    thing = bpy.data.objects.new(BODY, data)
    context: Any = bpy.context
    context.scene.collection.objects.link(thing)
    context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail, connected in MIDDLE:
        add_bone(data, name, parent, head, tail, connected)
    for side, sign in ((".L", 1.0), (".R", -1.0)):
        for name, parent, head, tail, connected in LEFT:
            above = parent if parent in {"chest", "hips"} else parent + side
            begin, end = (Vector((sign * x, y, z)) for x, y, z in (head, tail))
            add_bone(data, name + side, above, begin, end, connected)
    bpy.ops.object.mode_set(mode="OBJECT")
    return thing


def add_bone(data: Any, name: str, parent: str, head: Any, tail: Any, connected: bool) -> None:
    bone = data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    bone.align_roll((0.0, -1.0, 0.0))
    if parent:
        bone.parent, bone.use_connect = data.edit_bones[parent], connected


def limit(thing: Any) -> None:
    """Elbows and knees are hinges, the spine is stiff, one shoulder's angles are of Euler's kind."""
    for name, (low, high) in HINGES.items():
        bone = thing.pose.bones[name]
        bone.lock_ik_y = bone.lock_ik_z = bone.use_ik_limit_x = True
        bone.ik_min_x, bone.ik_max_x = low, high
    for name in ("spine", "chest", "neck"):
        bone = thing.pose.bones[name]
        bone.use_ik_limit_x = bone.use_ik_limit_y = bone.use_ik_limit_z = True
        bone.ik_min_x = bone.ik_min_y = bone.ik_min_z = -0.5
        bone.ik_max_x = bone.ik_max_y = bone.ik_max_z = 0.5
    thing.pose.bones["shoulder.L"].rotation_mode = "XYZ"


def add_goal(thing: Any, bone: str, state: str) -> None:
    goal = thing.posewright_goals.add()
    goal.name = goal.bone = bone
    goal.place = thing.matrix_world @ thing.pose.bones[bone].head
    goal.state = state


def view_region(hand: Any) -> Any:
    return next(region for region in hand.area().regions if region.type == "WINDOW")


def pixel(hand: Any, place: Vector) -> tuple[int, int]:
    """Where in the window a place is seen."""
    region = view_region(hand)
    seen: Any = view3d_utils.location_3d_to_region_2d(region, hand.area().spaces.active.region_3d, place)
    return region.x + round(seen.x), region.y + round(seen.y)


def head_of(bone: str, name: str = BODY) -> Vector:
    """Where a bone is, by Blender's own evaluation."""
    thing = body(name).evaluated_get(bpy.context.evaluated_depsgraph_get())
    found: Vector = thing.matrix_world @ thing.pose.bones[bone].head
    return found


def channels(rig: str = BODY) -> list[tuple[float, ...]]:
    """All that the bones store of their pose."""
    names = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    return [tuple(getattr(bone, name)) for bone in body(rig).pose.bones for name in names]


def goals() -> list[tuple[Any, ...]]:
    return [(goal.name, goal.state, goal.dragged, tuple(goal.place)) for goal in body().posewright_goals]


def worst_pin() -> float:
    """How far the worst pin is off, in metres; one that is let go for a moment is none."""
    pins = [goal for goal in body().posewright_goals if goal.state == "PINNED" and not goal.loose]
    return max((float((head_of(goal.bone) - goal.place).length) for goal in pins), default=0.0)


def beyond_limits() -> float:
    """By how much the worst hinge is beyond its limits or beside its axis, in radians."""
    worst = 0.0
    for name, (low, high) in HINGES.items():
        turn = body().pose.bones[name].rotation_quaternion.normalized()
        angle = math.remainder(2.0 * math.atan2(turn.x, turn.w), 2.0 * math.pi)
        beside = 2.0 * math.asin(min(1.0, math.hypot(turn.y, turn.z)))
        worst = max(worst, low - angle, angle - high, beside)
    return worst


def drag(hand: Any, bone: str, way: Vector, steps: int = 10) -> Any:
    """Press on a bone's head and move the mouse; the button stays down. Returns the worst pin of all steps."""
    worst = yield from drag_from(hand, head_of(bone), way, steps)
    return worst


def drag_from(hand: Any, place: Vector, way: Vector, steps: int = 10) -> Any:
    """The same from any place."""
    begin, end = pixel(hand, place), pixel(hand, place + way)
    yield from hand.move(begin[0] + 60, begin[1] + 60)
    yield from hand.move(*begin)
    yield from hand.press("F13")  # means nothing, but a drag is given the Shift and Ctrl of the last simulated key
    yield from hand.rest()
    yield from hand.event("LEFTMOUSE", "PRESS")
    worst = 0.0
    for step in range(1, steps + 1):
        part = step / steps
        x, y = (round(a + part * (b - a)) for a, b in zip(begin, end, strict=True))
        yield from hand.move(x, y)
        worst = max(worst, worst_pin())
    return worst


def release(hand: Any) -> Any:
    yield from hand.event("LEFTMOUSE", "RELEASE")
    yield from hand.rest()


def running(hand: Any) -> list[str]:
    return [one.bl_idname for one in hand.window.modal_operators]
