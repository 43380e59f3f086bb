"""What Blender stores for Posewright: on an armature object goals, joints and settings; in the session what is shown.

Every property is declared twice: to Blender in a table, to the type checker in a view. A view is what a data-block
looks like once the table is registered. Imports `registration` only.

What belongs to a character is kept in collections and flat properties directly on the object, all overridable: behind a
pointer to one group, linked rigs lose them in Blender 5.0 to 5.2.
"""

import re
from collections.abc import Container, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import registration

if TYPE_CHECKING:
    from mathutils import Quaternion, Vector

KEPT: Any = {"LIBRARY_OVERRIDABLE"}
KEPT_LIST: Any = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
NO_TURN = (1.0, 0.0, 0.0, 0.0)


def _tell(changed: "bpy.types.bpy_struct[Any]", _context: bpy.types.Context) -> None:
    """Have Blender report a change of the object: by itself it does not when a script sets a property of ours."""
    owner = changed.id_data
    assert isinstance(owner, bpy.types.Object)
    owner.update_tag()


def _keep_names_apart(goal: "POSEWRIGHT_PG_goal", _context: bpy.types.Context) -> None:
    """Give a goal that was renamed another name if it is taken: by names Blender knows the items of an override."""
    owner = goal.id_data
    assert isinstance(owner, bpy.types.Object)
    taken = [one.name for one in character(owner).posewright_goals]
    if taken.count(goal.name) > 1:
        goal.name = free_name(goal.name, taken)


def _redraw(session: "bpy.types.bpy_struct[Any]", _context: bpy.types.Context) -> None:
    """Show the change of a switch in every 3D view; whoever switches the overlay on has read why it was off."""
    stored = cast(Session, session)
    if stored.posewright_overlay:
        stored.posewright_overlay_note = ""
    for window in stored.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class POSEWRIGHT_PG_goal(bpy.types.PropertyGroup):
    """A goal of a character: a point of a bone that is to be somewhere, or a bone that is to look somewhere."""

    if TYPE_CHECKING:
        kind: str
        bone: str
        point: str
        offset: Vector
        weight: float
        use_axis: Any
        use_turn_axis: Any
        position: float
        orientation: float
        direction: str
        state: str
        dragged: bool
        temporary: bool
        mute: bool
        space: str
        space_object: bpy.types.Object | None
        space_bone: str
        place: Vector
        turn: Quaternion
        target: bpy.types.Object | None
        target_bone: str
        target_offset: Vector
        target_turn: Quaternion
        group: str


POSEWRIGHT_PG_goal.__annotations__ = {
    "name": StringProperty(
        name="Name", description="The goal's name; no two goals share one", update=_keep_names_apart, override=KEPT
    ),
    "kind": EnumProperty(
        name="Kind",
        description="What the goal asks of its bone",
        items=(
            ("POSE", "Place and Turn", "A point of the bone is to be somewhere, the bone turned some way, or both"),
            ("LOOK_AT", "Look At", "The bone is to point at a place: a head that looks, an arm that points"),
        ),
        update=_tell,
        override=KEPT,
    ),
    "bone": StringProperty(name="Bone", description="The bone that the goal moves", update=_tell, override=KEPT),
    "point": EnumProperty(
        name="Point",
        description="Which point of the bone is to be at the goal's place",
        items=(
            ("HEAD", "Head", "Where the bone begins"),
            ("TAIL", "Tail", "Where the bone ends"),
            ("OFFSET", "Any Point", "A point of your own, in the bone's axes"),
        ),
        update=_tell,
        override=KEPT,
    ),
    "offset": FloatVectorProperty(
        name="Offset",
        description="The point of the bone, from its head, along its own axes",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=_tell,
        override=KEPT,
    ),
    "weight": FloatProperty(
        name="Weight",
        description="How much the goal counts against other goals that cannot be had together",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        max=1000.0,
        update=_tell,
        override=KEPT,
    ),
    "use_axis": BoolVectorProperty(
        name="Axes",
        description="Along which axes of its space the place counts",
        default=(True, True, True),
        subtype="XYZ",
        update=_tell,
        override=KEPT,
    ),
    "use_turn_axis": BoolVectorProperty(
        name="Turn Axes",
        description="About which axes of the handle the turn counts",
        default=(True, True, True),
        subtype="XYZ",
        update=_tell,
        override=KEPT,
    ),
    "position": FloatProperty(
        name="Place",
        description="Influence on where the point is",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_tell,
        override=KEPT,
    ),
    "orientation": FloatProperty(
        name="Turn",
        description="Influence on how the bone is turned",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_tell,
        override=KEPT,
    ),
    "direction": EnumProperty(
        name="Direction",
        description="Which axis of the bone looks at the place",
        items=(
            ("X", "X", "The bone's X axis"),
            ("Y", "Y", "Along the bone"),
            ("Z", "Z", "The bone's Z axis"),
            ("-X", "-X", "Against the bone's X axis"),
            ("-Y", "-Y", "Backwards along the bone"),
            ("-Z", "-Z", "Against the bone's Z axis"),
        ),
        default="Y",
        update=_tell,
        override=KEPT,
    ),
    "state": EnumProperty(
        name="State",
        description="What the goal does now",
        items=(
            ("IDLE", "Idle", "Its handle rides on the bone and asks for nothing", "RADIOBUT_OFF", 0),
            ("PINNED", "Pinned", "Holds its place, before every other goal", "PINNED", 1),
            ("FOLLOWING", "Following", "Follows its target", "CONSTRAINT", 2),
        ),
        update=_tell,
        override=KEPT,
    ),
    "dragged": BoolProperty(name="Dragged", description="The goal is being dragged", options={"HIDDEN"}, update=_tell),
    "temporary": BoolProperty(
        name="Temporary", description="Made by a drag, and gone when it ends", options={"HIDDEN"}, override=KEPT
    ),
    "mute": BoolProperty(name="Off", description="Leave this goal out", update=_tell, override=KEPT),
    "space": EnumProperty(
        name="Space",
        description="In what the goal's place stays put",
        items=(
            ("WORLD", "World", "The place stays where it is in the scene"),
            ("CHARACTER", "Character", "The place moves with the armature object"),
            ("OBJECT", "Object", "The place moves with another object, or one of its bones"),
        ),
        update=_tell,
        override=KEPT,
    ),
    "space_object": PointerProperty(
        name="Space Object",
        description="The object with which the goal's place moves",
        type=bpy.types.Object,
        update=_tell,
        override=KEPT,
    ),
    "space_bone": StringProperty(
        name="Space Bone",
        description="The bone of that object with which the goal's place moves",
        update=_tell,
        override=KEPT,
    ),
    "place": FloatVectorProperty(
        name="Place",
        description="Where the point is to be, in the goal's space",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=_tell,
        override=KEPT,
    ),
    "turn": FloatVectorProperty(
        name="Turn",
        description="How the bone is to be turned, in the goal's space",
        size=4,
        default=NO_TURN,
        subtype="QUATERNION",
        update=_tell,
        override=KEPT,
    ),
    "target": PointerProperty(
        name="Target",
        description="The object that the goal follows",
        type=bpy.types.Object,
        update=_tell,
        override=KEPT,
    ),
    "target_bone": StringProperty(
        name="Target Bone", description="The bone of the target that the goal follows", update=_tell, override=KEPT
    ),
    "target_offset": FloatVectorProperty(
        name="Offset from Target",
        description="Where the goal is as seen from its target",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=_tell,
        override=KEPT,
    ),
    "target_turn": FloatVectorProperty(
        name="Turn from Target",
        description="How the goal is turned as seen from its target",
        size=4,
        default=NO_TURN,
        subtype="QUATERNION",
        update=_tell,
        override=KEPT,
    ),
    "group": StringProperty(name="Group", description="Goals of one group are listed together", override=KEPT),
}


class POSEWRIGHT_PG_joint(bpy.types.PropertyGroup):
    """What was set by hand for a bone; its name is the bone's. Bones without one are taken as they are."""

    if TYPE_CHECKING:
        translates: bool


POSEWRIGHT_PG_joint.__annotations__ = {
    "translates": BoolProperty(
        name="Moves",
        description="The bone may also be moved, not only turned; roots always may",
        update=_tell,
        override=KEPT,
    ),
}


class POSEWRIGHT_PG_bone(bpy.types.PropertyGroup):
    """A bone's part of the reference, and its pose as live posing left it; in the order of the pose's bones."""

    if TYPE_CHECKING:
        reference_location: Vector
        reference_rotation: Quaternion
        left_location: Vector
        left_rotation: Quaternion
        held: bool


POSEWRIGHT_PG_bone.__annotations__ = {
    "reference_location": FloatVectorProperty(
        name="Reference Location", description="The bone's location in the reference pose", override=KEPT
    ),
    "reference_rotation": FloatVectorProperty(
        name="Reference Rotation",
        description="The bone's rotation in the reference pose",
        size=4,
        default=NO_TURN,
        override=KEPT,
    ),
    "left_location": FloatVectorProperty(
        name="Location Left Behind", description="The bone's location as live posing left it", override=KEPT
    ),
    "left_rotation": FloatVectorProperty(
        name="Rotation Left Behind",
        description="The bone's rotation as live posing left it",
        size=4,
        default=NO_TURN,
        override=KEPT,
    ),
    "held": BoolProperty(name="Held", description="Keeps the value that it was given by hand", override=KEPT),
}


class POSEWRIGHT_PG_muted(bpy.types.PropertyGroup):
    """A constraint or driver that was muted so that its bone can be posed."""

    if TYPE_CHECKING:
        bone: str
        constraint: str
        driver: str
        driver_index: int
        restored: bool


POSEWRIGHT_PG_muted.__annotations__ = {
    "bone": StringProperty(name="Bone", description="The bone that has the constraint", override=KEPT),
    "constraint": StringProperty(name="Constraint", description="The constraint that was muted", override=KEPT),
    "driver": StringProperty(name="Driver", description="Path of the channel whose driver was muted", override=KEPT),
    "driver_index": IntProperty(name="Index", description="Which number of that channel it drives", override=KEPT),
    "restored": BoolProperty(name="Restored", description="It was switched on again", override=KEPT),
}


class Character(bpy.types.Object):
    """An armature object with our properties."""

    posewright_live: bool
    posewright_goals: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_goal]"
    posewright_active_goal: int
    posewright_joints: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_joint]"
    posewright_bones: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_bone]"
    posewright_muted: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_muted]"
    posewright_anchor: str
    posewright_solver: str
    posewright_iterations: int
    posewright_posture: float
    posewright_play: bool


CHARACTER = {
    "posewright_live": BoolProperty(
        name="Live",
        description="Solve whenever something that concerns the character changes",
        default=True,
        update=_tell,
        override=KEPT,
    ),
    "posewright_goals": CollectionProperty(
        name="Goals", description="What the character is asked for", type=POSEWRIGHT_PG_goal, override=KEPT_LIST
    ),
    "posewright_active_goal": IntProperty(
        name="Active Goal", description="The goal whose settings are shown", min=0, override=KEPT
    ),
    "posewright_joints": CollectionProperty(
        name="Joints", description="What was set by hand for its bones", type=POSEWRIGHT_PG_joint, override=KEPT_LIST
    ),
    "posewright_bones": CollectionProperty(
        name="Reference",
        description="The pose toward which the character settles, bone by bone",
        type=POSEWRIGHT_PG_bone,
        override=KEPT_LIST,
    ),
    "posewright_muted": CollectionProperty(
        name="Muted",
        description="What Snap and Mute has muted, to be given back",
        type=POSEWRIGHT_PG_muted,
        override=KEPT_LIST,
    ),
    "posewright_anchor": StringProperty(
        name="Anchor",
        description="The goals for which the reference was taken; empty for none",
        options={"HIDDEN"},
        override=KEPT,
    ),
    "posewright_solver": EnumProperty(
        name="Solver",
        description="How the pose is found",
        items=(
            ("auto", "Automatic", "The one that measured best for posing"),
            ("levenberg", "Levenberg-Marquardt", "Damped Newton steps on the whole body at once: exact, few steps"),
            ("pseudo_dynamics", "Pseudo-Dynamics", "The same steps in time that grows with the number of joints only"),
            ("line_search", "Line Search", "Projected gradient: the cheapest steps, many of them"),
            ("mirror", "Mirror Descent", "Gradient steps that limits bend rather than cut off"),
            ("memetic", "Memetic Evolution", "Searches everywhere: slow, and poses may leap while dragging"),
        ),
        update=_tell,
        override=KEPT,
    ),
    "posewright_iterations": IntProperty(
        name="Iterations",
        description="The most steps of one solve. More of them settle difficult poses, and take longer",
        default=200,
        min=1,
        max=10000,
        update=_tell,
        override=KEPT,
    ),
    "posewright_posture": FloatProperty(
        name="Posture",
        description="How strongly joints keep to the reference pose where goals leave them free",
        default=0.001,
        min=1e-6,
        max=0.1,
        precision=4,
        update=_tell,
        override=KEPT,
    ),
    "posewright_play": BoolProperty(
        name="While Playing",
        description="Solve on every frame while the animation plays, not only while scrubbing",
        override=KEPT,
    ),
}


class Session(bpy.types.WindowManager):
    """The window manager with our properties: in no undo step, and gone with the next file (see handlers)."""

    posewright_solvers: str
    posewright_solvers_note: str
    posewright_overlay: bool
    posewright_overlay_note: str


SESSION = {
    "posewright_solvers": EnumProperty(
        name="Solvers",
        description="How the solvers run in this session",
        items=(
            ("UNKNOWN", "Not Looked at Yet", "Nothing is known yet"),
            ("COMPILING", "Compiling", "The solvers are being compiled in the background; posing works, slowly"),
            ("COMPILED", "Compiled", "The solvers run at full speed"),
            ("INTERPRETED", "Interpreted", "The solvers work, but about a thousand times slower"),
        ),
        options={"SKIP_SAVE"},
    ),
    "posewright_solvers_note": StringProperty(
        name="Solvers Note",
        description="Numba's version, or why the solvers do not run compiled",
        options={"SKIP_SAVE"},
    ),
    "posewright_overlay": BoolProperty(
        name="Posewright Overlay",
        description="Draw goals, what they lack, the joints that stop them, and the limits of the active bone",
        default=True,
        options={"SKIP_SAVE"},
        update=_redraw,
    ),
    "posewright_overlay_note": StringProperty(
        name="Overlay Note",
        description="Why the overlay was switched off by itself; empty if it was not",
        options={"SKIP_SAVE"},
    ),
}

CLASSES = (POSEWRIGHT_PG_goal, POSEWRIGHT_PG_joint, POSEWRIGHT_PG_bone, POSEWRIGHT_PG_muted)


def character(armature_object: bpy.types.Object) -> Character:
    """An armature object with our properties."""
    return cast(Character, armature_object)


def active_goal(armature_object: bpy.types.Object) -> POSEWRIGHT_PG_goal | None:
    """The goal whose settings are shown, if there is one."""
    goals, index = character(armature_object).posewright_goals, character(armature_object).posewright_active_goal
    return goals[index] if 0 <= index < len(goals) else None


def is_linked(armature_object: bpy.types.Object, goal: POSEWRIGHT_PG_goal) -> bool:
    """Whether a goal of a library override comes from the library: it cannot be removed, and must keep its name."""
    override: Any = armature_object.override_library
    return bool(override and override.reference and goal.name in character(override.reference).posewright_goals)


def free_name(wanted: str, taken: Container[str]) -> str:
    """A name that is not taken: the one wanted, or it with a number."""
    stem, number, name = re.sub(r"\.\d{3,}$", "", wanted), 0, wanted
    while name in taken:
        number += 1
        name = f"{stem}.{number:03}"
    return name


def asks(goal: POSEWRIGHT_PG_goal) -> bool:
    """Whether a goal asks for anything now."""
    return (goal.dragged or goal.state != "IDLE") and not goal.mute


def asking(armature_object: bpy.types.Object) -> Iterator[tuple[int, POSEWRIGHT_PG_goal]]:
    """The goals that ask for something now, with their places in the list."""
    return ((index, goal) for index, goal in enumerate(character(armature_object).posewright_goals) if asks(goal))


def session(context: bpy.types.Context) -> Session:
    """The window manager with our properties."""
    return cast(Session, context.window_manager)


def register(undo: ExitStack) -> None:
    """Add our properties to Blender's types."""
    registration.add_classes(CLASSES, undo)
    registration.add_properties(bpy.types.Object, CHARACTER, undo)
    registration.add_properties(bpy.types.WindowManager, SESSION, undo)
