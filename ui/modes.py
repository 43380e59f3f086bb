"""The row of three that says how much of the body moves: in the sidebar, in the tool's settings, in the pie."""

from ..operators.mode import POSEWRIGHT_OT_mode
from ..properties import Character
from .tab import Layout, press, spoken

MODES = {
    "FULL": ("Full Body", "OUTLINER_OB_ARMATURE"),
    "PART": ("Body Part", "GROUP_BONE"),
    "SELECTION": ("Selection", "BONE_DATA"),
}


def draw_modes(layout: Layout, character: Character) -> None:
    """A button for each mode; that of the selection says how many bones were chosen."""
    row = layout.row(align=True)
    for mode in MODES:
        draw_mode(row, character, mode)


def draw_mode(layout: Layout, character: Character, mode: str) -> None:
    """The button of one mode."""
    text, icon = MODES[mode]
    present = character.posewright_mode == mode
    if present and mode == "SELECTION":
        text = spoken(text) + f" ({sum(one.moves for one in character.posewright_chosen)})"
    press(layout, POSEWRIGHT_OT_mode.bl_idname, text=text, icon=icon, depress=present, mode=mode)
