"""Several clearly different poses for the same goals: browse them, take one."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty

from .. import bridge
from .on_character import OnGoals

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    from ..bridge.channels import Channels
    from ..bridge.variations.browsing import Browsing
    from ..bridge.variations.search import Variations, Wanted

KEYS = "Wheel, arrows: other pose    Enter, click: take it    A: add to pose library    M: more    Esc: as before"
STEPS = {"WHEELUPMOUSE": -1, "WHEELDOWNMOUSE": 1, "UP_ARROW": -1, "LEFT_ARROW": -1, "DOWN_ARROW": 1, "RIGHT_ARROW": 1}
TAKE = {"RET", "NUMPAD_ENTER", "SPACE", "LEFTMOUSE"}
CANCEL = {"ESC", "RIGHTMOUSE"}
VIEW = {"MIDDLEMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "NDOF_MOTION", "HOME"}  # these look around
AT_ONCE, SLICE = 0.5, 0.04  # seconds of search before anything is shown, and between two looks at the keyboard


class POSEWRIGHT_OT_vary(OnGoals, bpy.types.Operator):
    """In a window poses are browsed; from a script one of them is taken."""

    bl_idname = "posewright.vary"
    bl_label = "Variations"
    bl_description = (
        "Find several clearly different poses that meet the same goals, and browse them with the wheel or the arrow "
        "keys. Enter takes one, A adds it to the pose library, M finds more, Esc leaves everything as it was"
    )
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}

    if TYPE_CHECKING:
        count: int
        difference: float
        seed: int
        keep_feet: bool
        pose: int
        library: bool
        _browsing: Browsing
        _timer: bpy.types.Timer | None

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        found = bridge.variations.search.find(character, context.evaluated_depsgraph_get(), self._wanted())
        if self.pose > len(found.poses):
            raise bridge.errors.PosewrightError(f"There is no pose {self.pose}: {found.words}")
        before = bridge.channels.read(character)
        bridge.variations.browsing.show(character, found, self.pose - 1)
        added = bridge.variations.browsing.add_to_library(character, found, self.pose - 1) if self.library else ""
        self._taken(context, character, before)
        return f"Pose {self.pose} of {found.words}" + (f". {added}" if added else "")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        assert context.object is not None
        assert context.window_manager is not None
        if context.window is None:
            return self.execute(context)
        rooms, thing, self._timer = bridge.variations.browsing, context.object, None
        self._browsing = rooms.begin(thing, context.evaluated_depsgraph_get(), self._wanted())
        try:
            done = rooms.go_on(thing, self._browsing, AT_ONCE)
        except bridge.errors.PosewrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not done:
            self._wait(context)
        context.window_manager.modal_handler_add(self)
        self._tell(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        try:
            return self._modal(context, event)
        except Exception as error:  # noqa: BLE001 - whatever it is, the character must not stay as it is
            self._end(context, put_back=True)
            self.report({"ERROR"}, f"Variations were broken off: {bridge.live.told(error)}")
            return {"CANCELLED"}

    def cancel(self, context: bpy.types.Context) -> None:
        self._end(context, put_back=True)

    def _modal(self, context: bpy.types.Context, event: bpy.types.Event) -> "set[OperatorReturnItems]":
        thing, browsing = bridge.variations.browsing.find(self._browsing), self._browsing
        if thing is None:
            self._end(context, put_back=True)
            self.report({"WARNING"}, "Variations were broken off: the character has changed")
            return {"CANCELLED"}
        if event.type in CANCEL and event.value == "PRESS":
            self._end(context, put_back=True)
            return {"CANCELLED"}
        if event.type in VIEW or (event.type.startswith("NUMPAD_") and event.type not in TAKE):
            return {"PASS_THROUGH"}
        if event.ctrl and event.type in STEPS:
            return {"PASS_THROUGH"}
        if browsing.work is not None:
            if event.type == "TIMER":
                self._search(context, thing)
        elif event.value == "PRESS":
            if event.type in TAKE:
                self._end(context, put_back=False)
                return {"FINISHED"}
            self._pressed(context, event.type, thing)
        return {"RUNNING_MODAL"}

    def _pressed(self, context: bpy.types.Context, key: str, thing: bpy.types.Object) -> None:
        rooms, browsing = bridge.variations.browsing, self._browsing
        if key in STEPS:
            rooms.browse(thing, browsing, browsing.index + STEPS[key])
        elif key == "A":
            self.report({"INFO"}, rooms.to_library(thing, browsing))
        elif key == "M":
            rooms.more(thing, browsing, context.evaluated_depsgraph_get())
            self._wait(context)
            self._search(context, thing, AT_ONCE)
        else:
            return
        self._tell(context)

    def _search(self, context: bpy.types.Context, thing: bpy.types.Object, seconds: float = SLICE) -> None:
        """Go on with a search. Where it finds nothing, the poses of the last one are shown again."""
        rooms, browsing = bridge.variations.browsing, self._browsing
        try:
            rooms.go_on(thing, browsing, seconds)
        except bridge.errors.PosewrightError as error:
            if browsing.found is None:
                raise
            self.report({"WARNING"}, str(error))
            browsing.work, browsing.wanted = None, browsing.found.wanted
            rooms.browse(thing, browsing, browsing.index)
        if browsing.work is None:
            self._wait_no_more(context)
        self._tell(context)

    def _wanted(self) -> "Wanted":
        return bridge.variations.search.Wanted(self.count, self.difference, self.seed, self.keep_feet)

    def _wait(self, context: bpy.types.Context) -> None:
        assert context.window_manager is not None
        if self._timer is None:
            self._timer = context.window_manager.event_timer_add(0.001, window=context.window)

    def _wait_no_more(self, context: bpy.types.Context) -> None:
        if self._timer is not None and context.window_manager is not None:
            context.window_manager.event_timer_remove(self._timer)
        self._timer = None

    def _tell(self, context: bpy.types.Context) -> None:
        if context.area is not None:
            context.area.header_text_set(bridge.variations.browsing.told(self._browsing))
        if context.workspace is not None:
            context.workspace.status_text_set(KEYS)
        _redraw(context)

    def _end(self, context: bpy.types.Context, put_back: bool) -> None:
        """Take the pose that is shown, or put everything back."""
        self._wait_no_more(context)
        if context.area is not None:
            context.area.header_text_set(None)
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        browsing = self._browsing
        bridge.variations.shown.forget_ghosts(browsing.uid)
        _redraw(context)
        thing = bridge.variations.browsing.find(browsing)
        if thing is None:
            return
        if put_back or browsing.found is None:
            bridge.variations.browsing.put_back(thing, browsing)
            assert context.view_layer is not None
            context.view_layer.update()
            if browsing.added:
                bpy.ops.ed.undo_push(message="Add to Pose Library")
            return
        self.seed, self.pose = browsing.found.wanted.seed, browsing.index + 1
        bridge.variations.browsing.browse(thing, browsing, browsing.index)
        bridge.variations.shown.forget_ghosts(browsing.uid)
        self._taken(context, thing, browsing.before.channels)
        self._say(browsing.found)

    def _taken(self, context: bpy.types.Context, thing: bpy.types.Object, before: "Channels") -> None:
        """A pose was taken: have it shown, and keyed if keys insert themselves."""
        assert context.view_layer is not None
        assert context.scene is not None
        context.view_layer.update()
        bridge.keying.after_drag(thing, before, context.scene)

    def _say(self, found: "Variations") -> None:
        self.report({"INFO"}, f"Pose {self.pose} of {found.words}")


POSEWRIGHT_OT_vary.__annotations__ = {
    "count": IntProperty(
        name="Number",
        description="How many poses to look for",
        default=6,
        min=1,
        max=50,
    ),
    "difference": FloatProperty(
        name="Difference",
        description="In any two of the poses, some shoulder, elbow, knee or joint of the spine is so far apart: on a "
        "character as large as a person of 1.7 m",
        default=0.1,
        min=0.01,
        soft_max=0.5,
        max=2.0,
        subtype="DISTANCE",
    ),
    "seed": IntProperty(
        name="Seed", description="Each number finds other poses, and always the same", default=1, min=0
    ),
    "keep_feet": BoolProperty(
        name="Keep Feet",
        description="Feet without a goal stay where they are, too, wherever the goals can be had so",
        default=True,
    ),
    "pose": IntProperty(
        name="Pose",
        description="Which of the poses to take; the first is the most natural",
        default=1,
        min=1,
        max=50,
        options={"SKIP_SAVE"},
    ),
    "library": BoolProperty(
        name="Add to Pose Library",
        description="Add the pose to the pose library, too",
        options={"SKIP_SAVE"},
    ),
}


def _redraw(context: bpy.types.Context) -> None:
    """Have every 3D view drawn anew: ghosts come and go."""
    for window in context.window_manager.windows if context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
