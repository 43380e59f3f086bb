"""What is stored on the armature object of a character, all of it overridable.

Collections and flat properties directly on the object: behind a pointer to one group, linked rigs lose them in
Blender 5.0 to 5.2.
"""

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .baking import BAKING
from .body_shapes import SHAPES, POSEWRIGHT_PG_shape
from .bones import POSEWRIGHT_PG_bones, POSEWRIGHT_PG_chosen, POSEWRIGHT_PG_muted
from .copied import POSEWRIGHT_PG_copied
from .feet import FEET, POSEWRIGHT_PG_contact, POSEWRIGHT_PG_sole
from .goals import POSEWRIGHT_PG_goal, asks
from .joints import POSEWRIGHT_PG_joint
from .kept import KEPT, KEPT_LIST, begin_anew, tell
from .relations import KIND_NUMBERS, RELATIONS, POSEWRIGHT_PG_relation
from .roles import POSEWRIGHT_PG_role

if TYPE_CHECKING:
    pass


class Character(bpy.types.Object):
    """An armature object with our properties."""

    posewright_live: bool
    posewright_goals: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_goal]"
    posewright_active_goal: int
    posewright_relations: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_relation]"
    posewright_active_relation: int
    posewright_shapes: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_shape]"
    posewright_active_shape: int
    posewright_show_shapes: bool
    posewright_mode: str
    posewright_chosen: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_chosen]"
    posewright_joints: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_joint]"
    posewright_copied: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_copied]"
    posewright_roles: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_role]"
    posewright_active_role: int
    posewright_set_up_done: str
    posewright_reference: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_bones]"
    posewright_muted: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_muted]"
    posewright_anchor: str
    posewright_solver: str
    posewright_iterations: int
    posewright_posture: float
    posewright_habit: float
    posewright_soft: bool
    posewright_habits: str
    posewright_play: bool
    posewright_bake: str
    posewright_bake_range: str
    posewright_bake_first: int
    posewright_bake_last: int
    posewright_bake_step: int
    posewright_bake_where: str
    posewright_bake_interpolation: str
    posewright_bake_carry_on: bool
    posewright_bake_speed: float
    posewright_bake_smooth: bool
    posewright_bake_smooth_far: float
    posewright_bake_reduce: bool
    posewright_bake_reduce_far: float
    posewright_bake_reduce_turn: float
    posewright_before_bake: bpy.types.Action | None
    posewright_baked: bpy.types.Action | None
    posewright_bake_report: str
    posewright_feet_ground: str
    posewright_feet_object: bpy.types.Object | None
    posewright_feet_collection: bpy.types.Collection | None
    posewright_feet_own_height: bool
    posewright_feet_own_slope: bool
    posewright_feet_height: float
    posewright_feet_range: str
    posewright_feet_first: int
    posewright_feet_last: int
    posewright_feet_whole_body: bool
    posewright_feet_tilt: float
    posewright_feet_shift: float
    posewright_feet_step: float
    posewright_feet_clearance: float
    posewright_feet_blend: float
    posewright_contacts: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_contact]"
    posewright_contact_index: int
    posewright_soles: "bpy.types.bpy_prop_collection_idprop[POSEWRIGHT_PG_sole]"
    posewright_feet_report: str
    posewright_feet_placed: bpy.types.Action | None
    posewright_feet_before: bpy.types.Action | None
    posewright_feet_was: str


CHARACTER = {
    "posewright_live": BoolProperty(
        name="Live",
        description="Solve whenever something that concerns the character changes",
        default=True,
        update=tell,
        override=KEPT,
    ),
    "posewright_goals": CollectionProperty(
        name="Goals", description="What the character is asked for", type=POSEWRIGHT_PG_goal, override=KEPT_LIST
    ),
    "posewright_active_goal": IntProperty(
        name="Active Goal", description="The goal whose settings are shown", min=0, override=KEPT
    ),
    "posewright_mode": EnumProperty(
        name="Mode",
        description="How much of the body moves",
        items=(
            ("FULL", "Full Body", "The whole body follows, pins hold", "OUTLINER_OB_ARMATURE", 0),
            ("PART", "Body Part", "Only the limb moves that is dragged: an arm, a leg, the spine", "GROUP_BONE", 1),
            (
                "SELECTION",
                "Selection",
                "Only the bones move that were selected when this mode was chosen",
                "BONE_DATA",
                2,
            ),
        ),
        options=set(),
        update=begin_anew,
        override=KEPT,
    ),
    "posewright_chosen": CollectionProperty(
        name="Chosen Bones",
        description="The bones that move in the mode Selection",
        type=POSEWRIGHT_PG_chosen,
        override=KEPT_LIST,
    ),
    "posewright_joints": CollectionProperty(
        name="Joints", description="Limits and habits of its bones", type=POSEWRIGHT_PG_joint, override=KEPT_LIST
    ),
    "posewright_copied": CollectionProperty(
        name="Posture",
        description="The bones that hold themselves as those of a source that is followed",
        type=POSEWRIGHT_PG_copied,
        override=KEPT_LIST,
    ),
    "posewright_roles": CollectionProperty(
        name="Roles", description="What each bone is in the body", type=POSEWRIGHT_PG_role, override=KEPT_LIST
    ),
    "posewright_active_role": IntProperty(
        name="Active Role", description="The role of which more is told below the list", min=0, override=KEPT
    ),
    "posewright_set_up_done": StringProperty(
        name="Done by Set-Up",
        description="What set-up has switched, and what it has left; a line for each",
        override=KEPT,
    ),
    "posewright_reference": CollectionProperty(
        name="Reference",
        description="The pose toward which the character settles, in blocks of bones",
        type=POSEWRIGHT_PG_bones,
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
            ("auto", "Automatic", "Right for nearly everything"),
            ("levenberg", "Levenberg-Marquardt", "Exact, in few steps; for bodies of up to some hundred joints"),
            (
                "pseudo_dynamics",
                "Pseudo-Dynamics",
                "The same answer as Levenberg-Marquardt; for creatures of hundreds of bones",
            ),
            ("line_search", "Line Search", "A rough answer at once, by many cheap steps"),
            ("mirror", "Mirror Descent", "As Line Search, but slows down toward limits"),
            ("memetic", "Memetic Evolution", "Searches everywhere: slow, and poses may leap while dragging"),
        ),
        update=tell,
        override=KEPT,
    ),
    "posewright_iterations": IntProperty(
        name="Iterations",
        description="The most steps of one solve. More of them settle difficult poses, and take longer",
        default=200,
        min=1,
        max=10000,
        update=tell,
        override=KEPT,
    ),
    "posewright_posture": FloatProperty(
        name="Posture",
        description="How strongly joints keep to the reference pose where goals leave them free",
        default=0.001,
        min=1e-6,
        max=0.1,
        precision=4,
        update=tell,
        override=KEPT,
    ),
    "posewright_habit": FloatProperty(
        name="Habit",
        description="How much a body that is dragged far takes the manner of its joints' habits: those of people, or "
        "learnt ones. 0 keeps to the reference pose alone",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=tell,
        override=KEPT,
    ),
    "posewright_habits": StringProperty(
        name="Habits",
        description="The character's own habits, learnt from actions or read from a preset; empty for those of people",
        options={"HIDDEN"},
        override=KEPT,
    ),
    "posewright_soft": BoolProperty(
        name="Soft Goals",
        description="Goals may be off by half a millimetre or so: a stretched spine or limb then does not shiver in "
        "clips. Pins hold a hundred times more firmly than goals",
        update=tell,
        override=KEPT,
    ),
    "posewright_play": BoolProperty(
        name="While Playing",
        description="Solve on every frame while the animation plays, not only while scrubbing",
        override=KEPT,
    ),
    "posewright_bake": StringProperty(
        name="Last Bake",
        description="How the animation was before the last bake, to go back to it; empty for none",
        options={"HIDDEN"},
        override=KEPT,
    ),
    "posewright_bake_report": StringProperty(
        name="Report", description="What the last bake came to, as JSON", options={"HIDDEN"}, override=KEPT
    ),
    "posewright_before_bake": PointerProperty(
        name="Action before the Bake",
        description="The action that the character had before it was baked",
        type=bpy.types.Action,
        override=KEPT,
    ),
    "posewright_baked": PointerProperty(
        name="Baked Action",
        description="The action that the last bake wrote its keys into",
        type=bpy.types.Action,
        override=KEPT,
    ),
} | (BAKING | FEET | RELATIONS | SHAPES)


def character(armature_object: bpy.types.Object) -> Character:
    """An armature object with our properties."""
    return cast(Character, armature_object)


def active_goal(armature_object: bpy.types.Object) -> POSEWRIGHT_PG_goal | None:
    """The goal whose settings are shown, if there is one; what a drag has made for itself is none."""
    goals, index = character(armature_object).posewright_goals, character(armature_object).posewright_active_goal
    return goals[index] if 0 <= index < len(goals) and not goals[index].temporary else None


def active_relation(armature_object: bpy.types.Object) -> POSEWRIGHT_PG_relation | None:
    """The relation whose settings are shown, if there is one."""
    owner = character(armature_object)
    relations, index = owner.posewright_relations, owner.posewright_active_relation
    return relations[index] if 0 <= index < len(relations) else None


def is_linked(
    armature_object: bpy.types.Object, item: POSEWRIGHT_PG_goal | POSEWRIGHT_PG_relation | POSEWRIGHT_PG_shape
) -> bool:
    """Whether an item of an override comes from the library: it cannot be removed, and must keep its name."""
    override: Any = armature_object.override_library
    if not (override and override.reference):
        return False
    library = character(override.reference)
    if isinstance(item, POSEWRIGHT_PG_goal):
        return item.name in library.posewright_goals
    if isinstance(item, POSEWRIGHT_PG_relation):
        return item.name in library.posewright_relations
    return item.name in library.posewright_shapes


def asking(armature_object: bpy.types.Object) -> Iterator[tuple[int, POSEWRIGHT_PG_goal]]:
    """The goals that ask for something now, with their places in the list."""
    return ((index, goal) for index, goal in enumerate(character(armature_object).posewright_goals) if asks(goal))


def relations_of(armature_object: bpy.types.Object, kind: str) -> Iterator[tuple[int, POSEWRIGHT_PG_relation]]:
    """The relations of a kind, with their places in the list. Asked in bulk: a body may have 338 wires."""
    stored = character(armature_object).posewright_relations
    if not len(stored):
        return
    kinds, wanted = array("i", bytes(4 * len(stored))), KIND_NUMBERS[kind]
    stored.foreach_get("kind", kinds)
    for row, number in enumerate(kinds):
        if number == wanted:
            yield row, stored[row]
