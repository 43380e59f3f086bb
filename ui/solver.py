"""How the pose is found, and how the last solve went."""

import bpy

from ..operators.habits_load import POSEWRIGHT_OT_habits_load
from ..operators.habits_reset import POSEWRIGHT_OT_habits_reset
from ..operators.habits_save import POSEWRIGHT_OT_habits_save
from ..operators.learn import POSEWRIGHT_OT_learn
from ..operators.solve import POSEWRIGHT_OT_solve
from ..properties import Character
from .tab import Layout, OfCharacter, active_character, last_outcome, press, show, spoken, write
from .variations import draw_variations


class POSEWRIGHT_PT_solver(OfCharacter, bpy.types.Panel):
    """Solver, its settings, and what it came to."""

    bl_label = "Solver"
    bl_order = 5

    def draw(self, context: bpy.types.Context) -> None:
        assert self.layout is not None
        character = active_character(context)
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        column = self.layout.column()
        column.prop(character, "posewright_solver")
        column.prop(character, "posewright_iterations")
        column.prop(character, "posewright_posture")
        column.prop(character, "posewright_habit")
        column.prop(character, "posewright_soft")
        column.prop(character, "posewright_play")
        row = self.layout.row(align=True)
        press(row, POSEWRIGHT_OT_learn.bl_idname, text="Learn Habits", icon="ACTION")
        press(row, POSEWRIGHT_OT_habits_load.bl_idname, text="", icon="FILEBROWSER")
        press(row, POSEWRIGHT_OT_habits_save.bl_idname, text="", icon="FILE_TICK")
        press(row, POSEWRIGHT_OT_habits_reset.bl_idname, text="", icon="LOOP_BACK")
        buttons = self.layout.column(align=True)
        press(buttons, POSEWRIGHT_OT_solve.bl_idname, icon="PLAY")
        press(buttons, POSEWRIGHT_OT_solve.bl_idname, text="Find Another Way", icon="SHADERFX", elsewhere=True)
        draw_variations(buttons, context)
        draw_last(self.layout, character)


def draw_last(layout: Layout, character: Character) -> None:
    """The last solve in words and numbers."""
    outcome = last_outcome(character)
    if outcome is None:
        return
    if outcome.error:
        write(layout, outcome.error, icon="ERROR", alert=True)
        return
    met = all(one.reached for one in (*outcome.goals.values(), *outcome.relations.values()))
    write(layout, outcome.words, icon="CHECKMARK" if met else "ERROR", alert=not met)
    if outcome.goals:
        time, steps = outcome.milliseconds, outcome.iterations
        told = "{time:.2f} ms, {steps} iteration" if steps == 1 else "{time:.2f} ms, {steps} iterations"
        show(layout, spoken(told, time=time, steps=steps), icon="TIME")
    if outcome.slow:
        write(layout, "Slower than the preferences allow: solved when you let go", icon="SORTTIME")
