"""Compile the solvers again, after whatever kept them from it was put right."""

from typing import TYPE_CHECKING

import bpy

from .. import bridge

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class POSEWRIGHT_OT_compile_solvers(bpy.types.Operator):
    """The button below the reason why the solvers run interpreted."""

    bl_idname = "posewright.compile_solvers"
    bl_label = "Compile Solvers Again"
    bl_description = "Try once more to compile the solvers, in the background; posing goes on meanwhile"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> "set[OperatorReturnItems]":
        bridge.compilation.again()
        return {"FINISHED"}
