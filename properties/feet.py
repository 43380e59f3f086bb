"""How the feet of a character are put onto a ground, and what is known of them, as stored on its armature object."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .kept import KEPT, KEPT_LIST

if TYPE_CHECKING:
    from mathutils import Vector

_SOLID = {"MESH", "CURVE", "SURFACE", "FONT", "META", "EMPTY"}  # what has a surface, or makes copies of what has one


def _changed_by_hand(changed: Any, _context: bpy.types.Context) -> None:  # noqa: ANN401 - a contact or a sole
    """Whoever changes it has decided: a new analysis keeps it. The analysis itself says afterwards that it was it."""
    changed.by_hand = True


def _is_solid(_character: bpy.types.Object, thing: bpy.types.Object) -> bool:
    return thing.type in _SOLID


class POSEWRIGHT_PG_contact(bpy.types.PropertyGroup):
    """From one frame to another, a part of a sole touches the ground; no two share a name."""

    if TYPE_CHECKING:
        foot: str
        part: str
        first: int
        last: int
        mute: bool
        by_hand: bool


POSEWRIGHT_PG_contact.__annotations__ = {
    "foot": StringProperty(
        name="Foot",
        description="The role of the foot that touches the ground: foot.L",
        update=_changed_by_hand,
        override=KEPT,
    ),
    "part": EnumProperty(
        name="Part",
        description="Which part of the sole touches the ground",
        items=(
            ("HEEL", "Heel", "The heel"),
            ("BALL", "Ball", "The ball of the foot, where the toes begin"),
            ("TOE", "Toe", "The tip of the toes"),
        ),
        update=_changed_by_hand,
        override=KEPT,
    ),
    "first": IntProperty(
        name="First", description="The first frame of the contact", update=_changed_by_hand, override=KEPT
    ),
    "last": IntProperty(
        name="Last", description="The last frame of the contact", update=_changed_by_hand, override=KEPT
    ),
    "mute": BoolProperty(name="Off", description="Leave this contact out", update=_changed_by_hand, override=KEPT),
    "by_hand": BoolProperty(
        name="By Hand",
        description="It was made or changed by hand: finding contacts again keeps it, and finds no others of this part "
        "of the foot on its frames",
        override=KEPT,
    ),
}


class POSEWRIGHT_PG_sole(bpy.types.PropertyGroup):
    """A sole; its name is the role of its foot. Points along the axes of the bone that carries each, from its head.

    The toe's bone carries ball and toe, where there is one. Lengths in units of the armature.
    """

    if TYPE_CHECKING:
        heel: Vector
        ball: Vector
        toe: Vector
        width_heel: float
        width_ball: float
        width_toe: float
        by_hand: bool


POSEWRIGHT_PG_sole.__annotations__ = {
    "heel": FloatVectorProperty(
        name="Heel",
        description="The hindmost point of the sole, along the axes of the bone that carries it, from its head",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=_changed_by_hand,
        override=KEPT,
    ),
    "ball": FloatVectorProperty(
        name="Ball",
        description="The point of the sole below the joint of the toes, along the axes of the bone that carries it, "
        "from its head",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=_changed_by_hand,
        override=KEPT,
    ),
    "toe": FloatVectorProperty(
        name="Toe",
        description="The foremost point of the sole, along the axes of the bone that carries it, from its head",
        subtype="TRANSLATION",
        unit="LENGTH",
        update=_changed_by_hand,
        override=KEPT,
    ),
    "width_heel": FloatProperty(
        name="Width of the Heel",
        description="How wide the sole is at the heel",
        min=0.0,
        unit="LENGTH",
        precision=3,
        update=_changed_by_hand,
        override=KEPT,
    ),
    "width_ball": FloatProperty(
        name="Width of the Ball",
        description="How wide the sole is at the ball",
        min=0.0,
        unit="LENGTH",
        precision=3,
        update=_changed_by_hand,
        override=KEPT,
    ),
    "width_toe": FloatProperty(
        name="Width of the Toe",
        description="How wide the sole is at the tip of the toes",
        min=0.0,
        unit="LENGTH",
        precision=3,
        update=_changed_by_hand,
        override=KEPT,
    ),
    "by_hand": BoolProperty(
        name="By Hand", description="It was changed by hand: finding soles again keeps it", override=KEPT
    ),
}


FEET = {
    "posewright_feet_ground": EnumProperty(
        name="Ground",
        description="On what the feet are put",
        items=(
            ("FLAT", "Level", "An endless level ground"),
            (
                "OBJECT",
                "Object",
                "An object with a surface, as it is seen: with modifiers and instances, moving or not",
            ),
            ("COLLECTION", "Collection", "All objects of a collection that have a surface"),
        ),
        override=KEPT,
    ),
    "posewright_feet_object": PointerProperty(
        name="Ground",
        description="The object on which the feet are put",
        type=bpy.types.Object,
        poll=_is_solid,
        override=KEPT,
    ),
    "posewright_feet_collection": PointerProperty(
        name="Ground",
        description="The collection on whose objects the feet are put",
        type=bpy.types.Collection,
        override=KEPT,
    ),
    "posewright_feet_own_height": BoolProperty(
        name="Own Height",
        description="The ground is as high as the one on which the clip stands already. Feet are then only kept from "
        "sliding, sinking and floating",
        default=True,
        override=KEPT,
    ),
    "posewright_feet_own_slope": BoolProperty(
        name="Own Slope",
        description="The ground slopes by a few degrees where the floor does on which the clip stands already, as that "
        "of a capture may. Off, it is level",
        default=True,
        override=KEPT,
    ),
    "posewright_feet_height": FloatProperty(
        name="Height", description="How high the level ground is", unit="LENGTH", precision=3, override=KEPT
    ),
    "posewright_feet_range": EnumProperty(
        name="Range",
        description="On which frames the feet are placed",
        items=(
            ("SCENE", "Scene", "From the scene's first frame to its last"),
            ("PREVIEW", "Preview", "The preview range of the timeline"),
            ("ACTION", "Action", "From the first key of the character's action to its last"),
            ("CUSTOM", "Custom", "From one frame to another"),
        ),
        default="ACTION",
        override=KEPT,
    ),
    "posewright_feet_first": IntProperty(name="First", description="The first frame", default=1, override=KEPT),
    "posewright_feet_last": IntProperty(name="Last", description="The last frame", default=250, override=KEPT),
    "posewright_feet_whole_body": BoolProperty(
        name="Spine and Arms",
        description="Spine and arms take part. Off, only pelvis, legs and toes move",
        default=True,
        override=KEPT,
    ),
    "posewright_feet_tilt": FloatProperty(
        name="Steepest",
        description="How far a foot is turned at most to lie on a slope",
        default=0.52,
        min=0.0,
        max=1.5,
        subtype="ANGLE",
        override=KEPT,
    ),
    "posewright_feet_shift": FloatProperty(
        name="Shift",
        description="How far a step may be moved to stand better: on a stair, and not on its edge",
        default=0.16,
        min=0.0,
        soft_max=0.5,
        unit="LENGTH",
        precision=3,
        override=KEPT,
    ),
    "posewright_feet_step": FloatProperty(
        name="Highest Step",
        description="How much higher or lower the ground may be from step to step, as a part of the leg. What is "
        "beyond that is out of reach: the clip is kept there",
        default=0.7,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=KEPT,
    ),
    "posewright_feet_clearance": FloatProperty(
        name="Clearance",
        description="What a swinging foot keeps from the ground, where it does in the clip",
        default=0.01,
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=3,
        override=KEPT,
    ),
    "posewright_feet_blend": FloatProperty(
        name="Blend",
        description="In how many seconds a foot is let go of, or taken hold of",
        default=0.1,
        min=0.0,
        soft_max=1.0,
        override=KEPT,
    ),
    "posewright_contacts": CollectionProperty(
        name="Contacts",
        description="When which part of which sole touches the ground",
        type=POSEWRIGHT_PG_contact,
        override=KEPT_LIST,
    ),
    "posewright_contact_index": IntProperty(
        name="Active Contact", description="The contact whose settings are shown", min=0, override=KEPT
    ),
    "posewright_soles": CollectionProperty(
        name="Soles", description="The soles of the feet", type=POSEWRIGHT_PG_sole, override=KEPT_LIST
    ),
    "posewright_feet_report": StringProperty(
        name="Report", description="What the last placing came to, as JSON", options={"HIDDEN"}, override=KEPT
    ),
    "posewright_feet_placed": PointerProperty(
        name="Placed Action",
        description="The action that was made of the clip by placing its feet",
        type=bpy.types.Action,
        override=KEPT,
    ),
    "posewright_feet_before": PointerProperty(
        name="Action before Placing",
        description="The action that the character had before its feet were placed",
        type=bpy.types.Action,
        override=KEPT,
    ),
    "posewright_feet_was": StringProperty(
        name="Before Placing",
        description="How the animation was played before its feet were placed, to go back to it; empty for none",
        options={"HIDDEN"},
        override=KEPT,
    ),
}
