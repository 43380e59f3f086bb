"""What the animator does during a drag: mouse, axis keys, numbers, Shift and Ctrl, as a place and turn of the goal."""

import math
from dataclasses import dataclass, field

import bpy
from mathutils import Vector

from ... import properties
from .. import modes, outcome
from ..places import Frame
from . import drag as drags
from . import mesh_snapping, orientations, strokes
from .drag import Drag
from .strokes import Kind, Stroke
from .view import View

AXES = {"X": 0, "Y": 1, "Z": 2}


@dataclass
class Gesture:
    """A drag and the stroke that is being made."""

    drag: Drag
    stroke: Stroke
    wanted: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.wanted = self.stroke.origin


def begin(armature_object: bpy.types.Object, drag: Drag, pixel: Vector) -> Gesture:
    """The mouse is at a pixel, the goal where its handle is. A goal that is only about the turn is turned."""
    gesture = Gesture(drag, Stroke(Kind.MOVE, drag.start, pixel))
    if drags.goal_of(armature_object, drag).position == 0.0:
        switch(gesture, armature_object, Kind.TURN)
    return gesture


def switch(gesture: Gesture, armature_object: bpy.types.Object, kind: Kind) -> None:
    """R and G: go on from here by turning or moving. The same key again begins the stroke anew, without constraint."""
    if kind is Kind.TURN and not drags.turn_too(armature_object, gesture.drag):
        return
    gesture.stroke = Stroke(kind, drags.now(armature_object, gesture.drag), gesture.stroke.last)


def constrain(
    gesture: Gesture, armature_object: bpy.types.Object, scene: bpy.types.Scene, view: View, key: str, plane: bool
) -> None:
    """X, Y, Z: along or about an axis of the scene's orientation; with Shift, in the plane across it."""
    stroke = gesture.stroke
    turning = stroke.kind is Kind.TURN
    bone, above = drags.grabbed(armature_object, gesture.drag)
    axes = orientations.of_scene(scene, turning, bone, above, view)
    other = orientations.besides(axes, bone)
    stroke.constraint = strokes.next_constraint(stroke.constraint, AXES[key], plane and not turning, axes, other)


def follow(
    gesture: Gesture,
    armature_object: bpy.types.Object,
    context: bpy.types.Context,
    view: View,
    precise: bool,
    snap: bool,
) -> None:
    """Have the goal be where mouse and keys want it now."""
    stroke = gesture.stroke
    if stroke.kind is Kind.TURN:
        gesture.wanted = stroke.turned(view, _angle(stroke, context, view, precise, snap))
    else:
        gesture.wanted = stroke.moved(_displacement(gesture, armature_object, context, view, precise, snap))
    drags.move(armature_object, gesture.drag, gesture.wanted)


def told(gesture: Gesture, armature_object: bpy.types.Object, scene: bpy.types.Scene, view: View) -> str:
    """The header's line: how far, along what, and how the goal stands."""
    stroke = gesture.stroke
    parts = [f"{stroke.kind.value}: {_amount(gesture, scene, view)}"]
    if stroke.constraint is not None:
        said = stroke.constraint.told()
        parts[0] += f" {said.replace('along', 'about')}" if stroke.kind is Kind.TURN else f" {said}"
    last = outcome.of(armature_object)
    stands = last.goals.get(gesture.drag.goal) if last is not None else None
    if stands is not None and not stands.reached:
        parts.append(f"out of reach by {_length(scene, stands.metres)}")
        mode = properties.character(armature_object).posewright_mode
        if mode != "FULL":
            parts.append(f"only {modes.WORDS[mode]} may move")
        if last is not None and last.stopped_by:
            parts.append(f"stopped by {last.stopped_by[0][0]}")
    if last is not None and last.slow:
        parts.append("slow character: solved on release")
    if gesture.drag.loose:
        parts.append("pins are let go, and hold where they are when D is released")
    parts.append("X/Y/Z: axis, R: turn, G: move, Shift: precise, Ctrl: snap, hold D: let pins go, Esc: back")
    return "    |    ".join(parts)


def _displacement(
    gesture: Gesture,
    armature_object: bpy.types.Object,
    context: bpy.types.Context,
    view: View,
    precise: bool,
    snap: bool,
) -> Vector:
    stroke, scene = gesture.stroke, context.scene
    assert scene is not None
    if stroke.typed:
        return stroke.typed_displacement() / _unit(scene)
    displacement = stroke.displacement(view)
    if not snap:
        return displacement
    elements = scene.tool_settings.snap_elements
    graph = context.evaluated_depsgraph_get()
    place = mesh_snapping.place_under(scene, graph, view, stroke.last, armature_object, elements)
    if place is not None:
        return stroke.held(place)
    return stroke.stepped(displacement, strokes.INCREMENT * (strokes.PRECISION if precise else 1.0) / _unit(scene))


def _angle(stroke: Stroke, context: bpy.types.Context, view: View, precise: bool, snap: bool) -> float:
    if stroke.typed:
        return math.radians(stroke.typed.numbers()[0])
    angle = stroke.turn_angle(view)
    if not snap or context.scene is None:
        return angle
    settings = context.scene.tool_settings
    step = settings.snap_angle_increment_3d_precision if precise else settings.snap_angle_increment_3d
    return round(angle / step) * step if step > 0.0 else angle


def _amount(gesture: Gesture, scene: bpy.types.Scene, view: View) -> str:
    stroke = gesture.stroke
    typed = f"[{stroke.typed.told()}] " if stroke.typed else ""
    if stroke.kind is Kind.TURN:
        angle = math.radians(stroke.typed.numbers()[0]) if stroke.typed else stroke.turn_angle(view)
        return f"{typed}{math.degrees(angle):.1f}°"
    return typed + _length(scene, (gesture.wanted.place - stroke.origin.place).length)


def _length(scene: bpy.types.Scene, length: float) -> str:
    """A length of the world in the scene's units."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return f"{length:.4f}"
    return str(bpy.utils.units.to_string(settings.system, "LENGTH", length * settings.scale_length, precision=4))


def _unit(scene: bpy.types.Scene) -> float:
    """Metres for one unit of the world."""
    settings = scene.unit_settings
    return settings.scale_length if settings.system != "NONE" and settings.scale_length > 0.0 else 1.0
