"""Drag a goal, or any point of a bone, with the mouse: the body follows, pins hold."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty, StringProperty
from mathutils import Euler, Vector

from .. import bridge, properties
from .on_character import OnCharacter

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    from ..bridge.dragging.drag import Drag
    from ..bridge.dragging.gesture import Gesture
    from ..bridge.dragging.view import View

DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
LETTERS = (
    {name: str(digit) for digit, name in enumerate(DIGITS)}
    | {f"NUMPAD_{digit}": str(digit) for digit in range(10)}
    | {"PERIOD": ".", "NUMPAD_PERIOD": ".", "COMMA": ".", "MINUS": "-", "NUMPAD_MINUS": "-"}
    | {"BACK_SPACE": "\b", "TAB": "\t"}
)
CONFIRM = {"RET", "NUMPAD_ENTER", "SPACE"}
CANCEL = {"ESC", "RIGHTMOUSE"}
AXES = {"X", "Y", "Z"}
LET_GO = "D"  # held: pins let go for a moment
MODIFIERS = {"LEFT_SHIFT", "RIGHT_SHIFT", "LEFT_CTRL", "RIGHT_CTRL"}


class POSEWRIGHT_OT_drag(OnCharacter, bpy.types.Operator):
    """Begins with a goal, with a point of a bone, or with the bone under the mouse."""

    bl_idname = "posewright.drag"
    bl_label = "Drag"
    bl_description = "Drag a goal, or any point of a bone: the body follows inside its limits, pins hold"
    bl_options = {"REGISTER", "UNDO", "BLOCKING", "GRAB_CURSOR"}

    if TYPE_CHECKING:
        goal: int
        bone: str
        point: Vector
        value: Vector
        turn: Euler
        free_pins: bool
        _gesture: Gesture
        _moved: bool
        _by_key: bool

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        """Lenient: the mouse may take another rig than the active one, and whoever takes one is told why not."""
        if context.object is None or context.object.type != "ARMATURE":
            return "The active object is no armature"
        return "" if context.object.mode in {"POSE", "OBJECT"} else "Only in Pose Mode and Object Mode"

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        drag = self._begin(character)
        if self.free_pins:
            bridge.dragging.drag.let_pins_go(character, drag)
        if any(self.turn[:]):
            bridge.dragging.drag.turn_too(character, drag)
        turned = Euler(self.turn[:]).to_quaternion() @ bridge.dragging.drag.now(character, drag).turn
        wanted = bridge.places.Frame(drag.start.place + self.value, turned)
        bridge.dragging.drag.move(character, drag, wanted)
        _finish(context, drag)
        return ""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        view = _view(context)
        if view is None or context.object is None or context.window_manager is None:
            self.report({"ERROR"}, "Drag with the mouse in a 3D view")
            return {"CANCELLED"}
        dragging = event.value == "CLICK_DRAG"
        at = (event.mouse_prev_press_x, event.mouse_prev_press_y) if dragging else (event.mouse_x, event.mouse_y)
        pixel = _pixel(context, *at)
        thing = context.object
        if self.goal < 0 and not self.bone:
            found = bridge.dragging.picking.bone_under(
                view, _in_pose_mode(context), pixel, bridge.dragging.picking.REACH * _scale(context)
            )
            if found is None:
                return {"PASS_THROUGH", "CANCELLED"}
            thing, self.bone, self.point = found
        try:
            drag = self._begin(thing)
        except bridge.errors.PosewrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self.goal < 0:
            _activate(context, thing, self.bone)
        self._gesture = bridge.dragging.gesture.begin(thing, drag, pixel)
        self._moved = False
        self._by_key = event.type != "LEFTMOUSE"
        context.window_manager.modal_handler_add(self)
        if dragging:
            self._follow(context, event, thing, view)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        try:
            return self._modal(context, event)
        except Exception as error:  # noqa: BLE001 - whatever it is, the character must not stay in the air
            self._end(context, put_back=True)
            self.report({"ERROR"}, f"The drag was broken off: {bridge.live.told(error)}")
            return {"CANCELLED"}

    def cancel(self, context: bpy.types.Context) -> None:
        self._end(context, put_back=True)

    def _modal(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        thing, view = bridge.dragging.drag.find(self._gesture.drag), _view(context)
        if thing is None or view is None:
            self._end(context, put_back=True)
            gone = "its character has changed" if thing is None else "its 3D view is gone"
            self.report({"WARNING"}, f"The drag was broken off: {gone}")
            return {"CANCELLED"}
        if event.type in CANCEL and event.value == "PRESS":
            self._end(context, put_back=True)
            return {"CANCELLED"}
        if self._confirms(event):
            self._end(context, put_back=not self._moved)
            if self._moved:
                return {"FINISHED"}
            self._click(thing, event)
            return {"CANCELLED"}
        if (
            (event.type == "MOUSEMOVE" and self._far_enough(context, event))
            or event.type in MODIFIERS
            or self._pins_change(event, thing)
            or self._pressed(context, event, thing, view)
        ):
            self._follow(context, event, thing, view)
        return {"RUNNING_MODAL"}

    def _begin(self, thing: bpy.types.Object) -> "Drag":
        if self.goal >= 0:
            return bridge.dragging.drag.begin_goal(thing, self.goal)
        return bridge.dragging.drag.begin_bone(thing, self.bone, Vector(self.point[:]))

    def _confirms(self, event: bpy.types.Event) -> bool:
        if event.type == "LEFTMOUSE":
            return event.value == ("PRESS" if self._by_key else "RELEASE")
        return event.type in CONFIRM and event.value == "PRESS"

    def _click(self, thing: bpy.types.Object, event: bpy.types.Event) -> None:
        """Select the bone of a handle that was only clicked, as the bone would be: the handle may cover all of it."""
        goals = properties.character(thing).posewright_goals
        if event.type != "LEFTMOUSE" or not 0 <= self.goal < len(goals):
            return
        if bridge.selection.click(thing, goals[self.goal].bone, beside=event.shift):
            bpy.ops.ed.undo_push(message="Select")  # by itself a drag that moved nothing is no step

    def _far_enough(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        """Whether the mouse is being dragged: a trembling click chooses a handle and moves nothing."""
        if self._moved or self._by_key or context.preferences is None:
            return True
        way = _pixel(context, event.mouse_x, event.mouse_y) - self._gesture.stroke.begun
        return way.length >= context.preferences.inputs.drag_threshold_mouse * _scale(context)

    def _pins_change(self, event: bpy.types.Event, thing: bpy.types.Object) -> bool:
        """The key for a moment without pins. Returns whether it was pressed or released."""
        drag, rooms = self._gesture.drag, bridge.dragging.drag
        if event.type != LET_GO or event.value not in {"PRESS", "RELEASE"}:
            return False
        if event.value == "PRESS":
            self.free_pins = True
            rooms.let_pins_go(thing, drag)
        elif drag.loose:
            rooms.take_pins_again(thing, drag)
        return True

    def _pressed(
        self, context: bpy.types.Context, event: bpy.types.Event, thing: bpy.types.Object, view: "View"
    ) -> bool:
        """A key that means something. Returns whether it did."""
        assert context.scene is not None
        # As in Blender's own transforms: whoever presses Ctrl Z, or Cmd Z, wants no axis.
        if event.value != "PRESS" or ((event.ctrl or event.oskey) and event.type in AXES):
            return False
        gesture, kinds = self._gesture, bridge.dragging.strokes.Kind
        if event.type in AXES:
            bridge.dragging.gesture.constrain(gesture, thing, context.scene, view, event.type, event.shift)
        elif event.type in {"R", "G"}:
            bridge.dragging.gesture.switch(gesture, thing, kinds.TURN if event.type == "R" else kinds.MOVE)
        elif event.type in LETTERS:
            gesture.stroke.typed.press(LETTERS[event.type])
        else:
            return False
        return True

    def _follow(
        self, context: bpy.types.Context, event: bpy.types.Event, thing: bpy.types.Object, view: "View"
    ) -> None:
        assert context.scene is not None
        assert context.view_layer is not None
        self._moved = True
        self._gesture.stroke.follow(view, _pixel(context, event.mouse_x, event.mouse_y), event.shift)
        snap = event.ctrl != context.scene.tool_settings.use_snap
        bridge.dragging.gesture.follow(self._gesture, thing, context, view, event.shift, snap)
        context.view_layer.update()  # live posing answers at once, and the header can tell how the goal stands
        if context.area is not None:
            context.area.header_text_set(bridge.dragging.gesture.told(self._gesture, thing, context.scene, view))

    def _end(self, context: bpy.types.Context, put_back: bool) -> None:
        """Let go, or put everything back."""
        if context.area is not None:
            context.area.header_text_set(None)
        drag = self._gesture.drag
        thing = bridge.dragging.drag.find(drag)
        if thing is None:
            bridge.dragging.temporary_goals.sweep()
            return
        if not put_back:
            self._remember(drag)
            _finish(context, drag)
            return
        bridge.dragging.drag.put_back(thing, drag)
        assert context.view_layer is not None
        context.view_layer.update()

    def _remember(self, drag: "Drag") -> None:
        """What would do the same again without a mouse."""
        wanted = self._gesture.wanted
        self.value = wanted.place - drag.start.place
        self.turn = (wanted.turn @ drag.start.turn.inverted()).to_euler() if drag.turning else Euler()


# Not remembered from one drag to the next: what was grabbed last must not be grabbed again.
POSEWRIGHT_OT_drag.__annotations__ = {
    "goal": IntProperty(
        name="Goal",
        description="Which goal to drag, counted from 0; -1 for the bone",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    ),
    "bone": StringProperty(
        name="Bone", description="Which bone to drag; empty for the one under the mouse", options={"SKIP_SAVE"}
    ),
    "point": FloatVectorProperty(
        name="Point",
        description="The grabbed point of the bone, from its head along its own axes",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    ),
    "value": FloatVectorProperty(
        name="Move",
        description="How far to drag, along the axes of the world",
        subtype="TRANSLATION",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    ),
    "turn": FloatVectorProperty(
        name="Turn",
        description="How far to turn, about the axes of the world",
        subtype="EULER",
        unit="ROTATION",
        options={"SKIP_SAVE"},
    ),
    "free_pins": BoolProperty(
        name="Let Pins Go",
        description="Pins do not hold during the drag, and hold afterwards where they have come to",
        options={"SKIP_SAVE"},
    ),
}


def _finish(context: bpy.types.Context, drag: "Drag") -> None:
    """Let go once what was asked last is solved and shown."""
    assert context.view_layer is not None
    assert context.scene is not None
    context.view_layer.update()
    thing = bridge.dragging.drag.find(drag)
    assert thing is not None
    bridge.dragging.drag.solve_last(thing)
    context.view_layer.update()
    bridge.dragging.drag.let_go(thing, drag)
    context.view_layer.update()
    bridge.keying.after_drag(thing, drag.before.channels, context.scene)


def _activate(context: bpy.types.Context, thing: bpy.types.Object, bone: str) -> None:
    """Make the grabbed bone the active one, and its rig the active object."""
    if context.view_layer is not None:
        context.view_layer.objects.active = thing
    bridge.selection.choose(thing, bone)


def _in_pose_mode(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The rigs that can be grabbed: all in Pose Mode, else the active one."""
    assert context.view_layer is not None
    found = [one for one in context.view_layer.objects if one.mode == "POSE" and one.visible_get()]
    return found or [one for one in (context.object,) if one is not None]


def _window(context: bpy.types.Context) -> bpy.types.Region | None:
    if context.area is None or context.area.type != "VIEW_3D":
        return None
    if context.region is not None and context.region.type == "WINDOW":
        return context.region
    return next((region for region in context.area.regions if region.type == "WINDOW"), None)


def _view(context: bpy.types.Context) -> "View | None":
    region = _window(context)
    space: Any = context.space_data
    if region is None or space is None:
        return None
    return bridge.dragging.view.of(region, context.region_data or space.region_3d)


def _pixel(context: bpy.types.Context, x: int, y: int) -> Vector:
    """A place of the window as pixels of the view's region."""
    region = _window(context)
    assert region is not None
    return Vector((x - region.x, y - region.y))


def _scale(context: bpy.types.Context) -> float:
    return context.preferences.system.ui_scale if context.preferences else 1.0
