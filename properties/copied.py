"""What is stored of a bone that holds itself as one of another body does."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, PointerProperty, StringProperty

from .kept import KEPT, NO_TURN, tell

if TYPE_CHECKING:
    from mathutils import Quaternion


class POSEWRIGHT_PG_copied(bpy.types.PropertyGroup):
    """Whom a bone takes after, and how: `bridge/source_posture.py` has the formula. Its name is the bone's."""

    if TYPE_CHECKING:
        target: bpy.types.Object | None
        target_bone: str
        target_above: str
        target_next: str
        bone_axes: Quaternion
        above_axes: Quaternion
        next_axes: Quaternion
        neutral: Quaternion
        before: Quaternion
        after: Quaternion
        hinge: float
        share: float


POSEWRIGHT_PG_copied.__annotations__ = {
    "target": PointerProperty(
        name="Target", description="The armature it takes after", type=bpy.types.Object, update=tell, override=KEPT
    ),
    "target_bone": StringProperty(
        name="Target Bone", description="The bone of the target that it takes after", update=tell, override=KEPT
    ),
    "target_above": StringProperty(
        name="Bone Above", description="The bone of the target that carries this one", update=tell, override=KEPT
    ),
    "target_next": StringProperty(
        name="Next Bone",
        description="Of an upper arm or a thigh: the bone after it, which shows where it bends",
        update=tell,
        override=KEPT,
    ),
    "bone_axes": FloatVectorProperty(
        name="Axes",
        description="The anatomical axes of the target's bone, in its own",
        size=4,
        default=NO_TURN,
        update=tell,
        override=KEPT,
    ),
    "above_axes": FloatVectorProperty(
        name="Axes Above",
        description="The anatomical axes of the bone above",
        size=4,
        default=NO_TURN,
        update=tell,
        override=KEPT,
    ),
    "next_axes": FloatVectorProperty(
        name="Next Axes",
        description="The anatomical axes of the next bone",
        size=4,
        default=NO_TURN,
        update=tell,
        override=KEPT,
    ),
    "neutral": FloatVectorProperty(
        name="Neutral",
        description="How the target's bone is turned against the one above in the neutral pose",
        size=4,
        default=NO_TURN,
        update=tell,
        override=KEPT,
    ),
    "before": FloatVectorProperty(
        name="Before",
        description="From the neutral pose to the rest of the character's bone",
        size=4,
        default=NO_TURN,
        update=tell,
        override=KEPT,
    ),
    "after": FloatVectorProperty(
        name="After",
        description="The character's bone in its anatomical axes",
        size=4,
        default=NO_TURN,
        update=tell,
        override=KEPT,
    ),
    "hinge": FloatProperty(
        name="Hinge", description="1 for arms, -1 for legs, 0 where nothing bends about one axis", override=KEPT
    ),
    "share": FloatProperty(
        name="Share",
        description="How much of the target's turn this bone has: backs have any number",
        min=0.0,
        max=1.0,
        override=KEPT,
    ),
}
