"""Solve once, or look for another pose that does the same."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty

from .. import bridge, properties
from .on_character import OnGoals

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_solve(OnGoals, bpy.types.Operator):
    """What live posing does by itself, on request; also the global search, which it never does by itself."""

    bl_idname = "posewright.solve"
    bl_label = "Solve"
    bl_description = "Find the pose for goals and relations as they are now, also while live posing is off"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        elsewhere: bool
        seed: int
        strength: float

    @classmethod
    def description(cls, _context: bpy.types.Context, given: bpy.types.OperatorProperties) -> str:
        if getattr(given, "elsewhere", False):
            return "Search everywhere for a pose that meets the same goals another way. Each time finds another"
        return cls.bl_description

    @classmethod
    def why_grey(cls, context: bpy.types.Context) -> str:
        if context.object and len(properties.character(context.object).posewright_relations):
            return super(OnGoals, cls).why_grey(context)
        return super().why_grey(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> "set[OperatorReturnItems]":
        if self.elsewhere:
            self.seed += 1  # the last one is remembered
        return self.execute(context)

    def act(self, context: bpy.types.Context, character: bpy.types.Object) -> str:
        elsewhere = bridge.searching.Elsewhere(self.seed, self.strength) if self.elsewhere else None
        return bridge.live.solve_once(character, context.evaluated_depsgraph_get(), elsewhere).words


POSEWRIGHT_OT_solve.__annotations__ = {
    "elsewhere": BoolProperty(
        name="Find Another Way", description="Search for another pose than the nearest", options={"SKIP_SAVE"}
    ),
    "seed": IntProperty(name="Seed", description="Each number finds another pose", default=1, min=0),
    "strength": FloatProperty(
        name="Difference",
        description="How far from the present posture to look, as a part of the joints' ranges",
        default=0.3,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    ),
}
