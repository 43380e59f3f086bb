"""The first steps, in a box of the sidebar while a character has neither roles nor goals."""

from ..properties import Character
from .tab import Layout, spoken, write

STEPS = (
    "Press Set Up Character below: nothing moves",
    "In Pose Mode select both feet, press P and choose Pin Place and Turn",
    "Take the tool Posewright from the toolbar and drag a hand",
    "Key the pose, or bake what goals do over time",
)


def draw_quick_start(layout: Layout, character: Character) -> None:
    """Nothing for whoever has begun."""
    if len(character.posewright_roles) or not all(goal.temporary for goal in character.posewright_goals):
        return
    box = layout.box()
    box.label(text="The First Pose", icon="INFO")
    for number, step in enumerate(STEPS, 1):
        write(box, f"{number}. {spoken(step)}")
