"""What is stored of a goal."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
    StringProperty,
)

from .kept import KEPT, NO_TURN, tell
from .names import apart_in

if TYPE_CHECKING:
    from mathutils import Quaternion, Vector


POINTS = (
    ("HEAD", "Head", "Where the bone begins"),
    ("TAIL", "Tail", "Where the bone ends"),
    ("OFFSET", "Any Point", "A point of your own, in the bone's axes"),
)


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
        loose: bool
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
        target_fitted: bool
        target_scale: float
        target_origin: Vector
        target_shift: Vector
        target_heading: float
        target_from: str
        target_from_offset: Vector
        target_limb_scale: float
        group: str


POSEWRIGHT_PG_goal.__annotations__ = {
    "name": StringProperty(
        name="Name",
        description="The goal's name; no two goals share one",
        update=apart_in("posewright_goals"),
        override=KEPT,
    ),
    "kind": EnumProperty(
        name="Kind",
        description="What the goal asks of its bone",
        items=(
            ("POSE", "Place and Turn", "A point of the bone is to be somewhere, the bone turned some way, or both"),
            ("LOOK_AT", "Look At", "The bone is to point at a place: a head that looks, an arm that points"),
        ),
        update=tell,
        override=KEPT,
    ),
    "bone": StringProperty(name="Bone", description="The bone that the goal moves", update=tell, override=KEPT),
    "point": EnumProperty(
        name="Point",
        description="Which point of the bone is to be at the goal's place",
        items=POINTS,
        update=tell,
        override=KEPT,
    ),
    "offset": FloatVectorProperty(
        name="Offset",
        description="The point of the bone, from its head, along its own axes",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "weight": FloatProperty(
        name="Weight",
        description="How much the goal counts against other goals that cannot be had together",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        max=1000.0,
        update=tell,
        override=KEPT,
    ),
    "use_axis": BoolVectorProperty(
        name="Axes",
        description="Along which axes of its space the place counts",
        default=(True, True, True),
        subtype="XYZ",
        update=tell,
        override=KEPT,
    ),
    "use_turn_axis": BoolVectorProperty(
        name="Turn Axes",
        description="About which axes of the handle the turn counts",
        default=(True, True, True),
        subtype="XYZ",
        update=tell,
        override=KEPT,
    ),
    "position": FloatProperty(
        name="Place Influence",
        description="How strongly the goal asks where the point is",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=tell,
        override=KEPT,
    ),
    "orientation": FloatProperty(
        name="Turn Influence",
        description="How strongly the goal asks how the bone is turned",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=tell,
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
        update=tell,
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
        update=tell,
        override=KEPT,
    ),
    "dragged": BoolProperty(name="Dragged", description="The goal is being dragged", options={"HIDDEN"}, update=tell),
    "loose": BoolProperty(
        name="Let Go", description="The pin is let go while a key is held in a drag", options={"HIDDEN"}, update=tell
    ),
    "temporary": BoolProperty(
        name="Temporary", description="Made by a drag, and gone when it ends", options={"HIDDEN"}, override=KEPT
    ),
    "mute": BoolProperty(name="Off", description="Leave this goal out", update=tell, override=KEPT),
    "space": EnumProperty(
        name="Space",
        description="In what the goal's place stays put",
        items=(
            ("WORLD", "World", "The place stays where it is in the scene"),
            ("CHARACTER", "Character", "The place moves with the armature object"),
            ("OBJECT", "Object", "The place moves with another object, or one of its bones"),
        ),
        update=tell,
        override=KEPT,
    ),
    "space_object": PointerProperty(
        name="Space Object",
        description="The object with which the goal's place moves",
        type=bpy.types.Object,
        update=tell,
        override=KEPT,
    ),
    "space_bone": StringProperty(
        name="Space Bone",
        description="The bone of that object with which the goal's place moves",
        update=tell,
        override=KEPT,
    ),
    "place": FloatVectorProperty(
        name="Place",
        description="Where the point is to be, in the goal's space",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "turn": FloatVectorProperty(
        name="Turn",
        description="How the bone is to be turned, in the goal's space",
        size=4,
        default=NO_TURN,
        subtype="QUATERNION",
        update=tell,
        override=KEPT,
    ),
    "target": PointerProperty(
        name="Target",
        description="The object that the goal follows",
        type=bpy.types.Object,
        update=tell,
        override=KEPT,
    ),
    "target_bone": StringProperty(
        name="Target Bone", description="The bone of the target that the goal follows", update=tell, override=KEPT
    ),
    "target_offset": FloatVectorProperty(
        name="Offset from Target",
        description="Where the goal is as seen from its target",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "target_turn": FloatVectorProperty(
        name="Turn from Target",
        description="How the goal is turned as seen from its target",
        size=4,
        default=NO_TURN,
        subtype="QUATERNION",
        update=tell,
        override=KEPT,
    ),
    "target_fitted": BoolProperty(
        name="Fit Proportions",
        description="Follow a body of another size: the target's way is scaled, limbs by their own lengths",
        update=tell,
        override=KEPT,
    ),
    "target_scale": FloatProperty(
        name="Scale",
        description="The target's way through the scene is scaled by this: by how much longer the legs are",
        default=1.0,
        min=0.0001,
        soft_min=0.1,
        soft_max=10.0,
        max=10000.0,
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "target_origin": FloatVectorProperty(
        name="Origin",
        description="The place in the scene about which the target's way is scaled: where its ankles stand",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "target_shift": FloatVectorProperty(
        name="Shift",
        description="From that place to where this character has it. None of it: both go over the same ground",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "target_heading": FloatProperty(
        name="Heading",
        description="The target's way is turned by this about the vertical: the character goes another way",
        subtype="ANGLE",
        update=tell,
        override=KEPT,
    ),
    "target_from": StringProperty(
        name="Limb From",
        description="The bone of the target with which the limb begins: an upper arm. From its head on the limb's "
        "scale counts. Empty for no limb",
        update=tell,
        override=KEPT,
    ),
    "target_from_offset": FloatVectorProperty(
        name="Limb Offset",
        description="From the scaled place of that joint to where this character has it, along the axes of the bone "
        "that carries the limb: broader shoulders, a longer back",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=tell,
        override=KEPT,
    ),
    "target_limb_scale": FloatProperty(
        name="Limb Scale",
        description="The part of the way from there to the target is scaled by this: by how much longer the arm is",
        default=1.0,
        min=0.0001,
        soft_min=0.1,
        soft_max=10.0,
        max=10000.0,
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "group": StringProperty(name="Group", description="Goals of one group are listed together", override=KEPT),
}


def asks(goal: POSEWRIGHT_PG_goal) -> bool:
    """Whether a goal asks for anything now."""
    return (goal.dragged or (goal.state != "IDLE" and not goal.loose)) and not goal.mute
