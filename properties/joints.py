"""What is stored of a bone's joint: whether it moves, its limits about axes of their own, and its habit."""

import math
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatVectorProperty

from .kept import KEPT, NO_TURN, begin_anew, tell

if TYPE_CHECKING:
    from mathutils import Quaternion, Vector


def _by_hand(joint: "POSEWRIGHT_PG_joint", context: bpy.types.Context) -> None:
    """Whoever changes a limit has decided. What sets limits in bulk says afterwards where they came from."""
    joint.source = "HAND"
    tell(joint, context)


_ROTATION = 1e-3  # how far the length of a stored quaternion may be from one
# As in solvers.joints, which is not loaded when an add-on is enabled: that would cost 0.1 s.
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


class POSEWRIGHT_PG_joint(bpy.types.PropertyGroup):
    """What is set for a bone; its name is the bone's. Bones without one are taken as they are.

    With R the bone's own rotation, M = before⁻¹ R axes is what has limits: swing and twist, or Euler angles.
    """

    if TYPE_CHECKING:
        translates: bool
        source: str
        order: str
        before: Quaternion
        axes: Quaternion
        free: list[bool]
        lower: Vector
        upper: Vector
        natural: bool
        rest: Vector
        stiffness: Vector


POSEWRIGHT_PG_joint.__annotations__ = {
    "translates": BoolProperty(
        name="Moves",
        description="The bone may also be moved, not only turned. The pelvis may by itself; a root that carries it "
        "stays",
        update=begin_anew,
        override=KEPT,
    ),
    "source": EnumProperty(
        name="Limits",
        description="Where the limits of the joint came from",
        items=(
            ("BONE", "Of the Bone", "IK limits and Limit Rotation constraints, as Blender stores them"),
            ("HUMAN", "Human", "How far people bend, by the bone's role"),
            ("GENERIC", "Generic", "The same for every joint of a creature"),
            ("ACTION", "From Action", "How far an action bends the joint, and a margin"),
            ("IK", "From IK Limits", "Taken over from the bone's IK limits"),
            ("CONSTRAINT", "From Constraint", "Taken over from a Limit Rotation constraint"),
            ("HAND", "By Hand", "Changed by hand"),
        ),
        update=tell,
        override=KEPT,
    ),
    "order": EnumProperty(
        name="Angles",
        description="How the joint's angles are counted",
        items=(
            ("SWING", "Swing and Twist", "Bending and side by themselves, then the twist about the limb"),
            (
                "ELLIPSE",
                "Swing in an Ellipse",
                "As Blender's own IK has it: the farther it bends, the less to the side",
            ),
            *((order, f"{order} Euler", f"Euler angles in the order {order}") for order in ORDERS),
        ),
        update=_by_hand,
        override=KEPT,
    ),
    "before": FloatVectorProperty(
        name="Neutral",
        description="The neutral rotation of the joint, out of rest",
        size=4,
        default=NO_TURN,
        override=KEPT,
    ),
    "axes": FloatVectorProperty(
        name="Axes", description="The joint's axes in those of its bone", size=4, default=NO_TURN, override=KEPT
    ),
    "free": BoolVectorProperty(
        name="Free",
        description="Whether the joint turns about this axis; if not, it keeps the angle that it has",
        default=(True, True, True),
        update=_by_hand,
        override=KEPT,
    ),
    "lower": FloatVectorProperty(
        name="Lower",
        description="The least angle, counted from the neutral pose; half a turn for no limit",
        subtype="EULER",
        unit="ROTATION",
        default=(-math.pi,) * 3,
        min=-math.pi,
        max=math.pi,
        step=100,
        update=_by_hand,
        override=KEPT,
    ),
    "upper": FloatVectorProperty(
        name="Upper",
        description="The greatest angle, counted from the neutral pose; half a turn for no limit",
        subtype="EULER",
        unit="ROTATION",
        default=(math.pi,) * 3,
        min=-math.pi,
        max=math.pi,
        step=100,
        update=_by_hand,
        override=KEPT,
    ),
    "natural": BoolProperty(
        name="Natural",
        description="The joint has a habit: an angle to which it tends, and a stiffness",
        update=tell,
        override=KEPT,
    ),
    "rest": FloatVectorProperty(
        name="Tends To",
        description="The angle to which the joint tends where goals leave it free",
        subtype="EULER",
        unit="ROTATION",
        update=tell,
        override=KEPT,
    ),
    "stiffness": FloatVectorProperty(
        name="Stiffness",
        description="How unwilling the joint is to leave that angle: 1 for one that usually strays by 11°",
        default=(1.0, 1.0, 1.0),
        min=0.0,
        soft_max=100.0,
        update=tell,
        override=KEPT,
    ),
}


def joint_trouble(joint: POSEWRIGHT_PG_joint) -> str:
    """Why what is stored of a joint is passed over, for people; empty if it is not."""
    turns = joint.before[:], joint.axes[:]
    lower, upper = joint.lower[:], joint.upper[:]
    numbers = (*turns[0], *turns[1], *lower, *upper, *joint.rest[:], *joint.stiffness[:])
    if not all(map(math.isfinite, numbers)):
        return "a stored limit is no number: reset its limits"
    if any(abs(math.hypot(*turn) - 1.0) > _ROTATION for turn in turns):
        return "its stored axes are no rotation: reset its limits"
    if any(low > high for low, high in zip(lower, upper, strict=True)):
        return "a lower limit is above the upper one: correct or reset them"
    return ""
