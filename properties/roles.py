"""What is stored of a role: which bone is what in the body."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from .kept import KEPT, begin_anew, tell


def _by_hand(role: "POSEWRIGHT_PG_role", context: bpy.types.Context) -> None:
    """Whoever changes a role's bone has decided: set-up keeps it. Set-up itself says afterwards where its came from."""
    role.source, role.reason, role.doubtful = "HAND", "", False
    if role.name == "pelvis":
        begin_anew(role, context)
    else:
        tell(role, context)


class POSEWRIGHT_PG_role(bpy.types.PropertyGroup):
    """What a bone is in the body; its name is the role: `pelvis`, `spine.2`, `hand.L`, `index.1.R`."""

    if TYPE_CHECKING:
        bone: str
        source: str
        reason: str
        doubtful: bool


POSEWRIGHT_PG_role.__annotations__ = {
    "bone": StringProperty(
        name="Bone",
        description="The bone that has this role. What is chosen or cleared by hand stays when set-up is run again",
        update=_by_hand,
        override=KEPT,
    ),
    "source": EnumProperty(
        name="Source",
        description="Where the role came from",
        items=(
            ("NONE", "Not Found", "No bone has this role"),
            ("NAME", "By Name", "The bone is called so"),
            ("SHAPE", "By Geometry", "The bone's place in the skeleton says so"),
            ("HAND", "By Hand", "Somebody has decided it"),
        ),
        override=KEPT,
    ),
    "reason": StringProperty(
        name="Reason", description="Why no bone has the role, or why it is doubtful", override=KEPT
    ),
    "doubtful": BoolProperty(
        name="Doubtful", description="Name and geometry do not agree; choose a bone to settle it", override=KEPT
    ),
}
