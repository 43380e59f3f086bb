"""The first steps, in a box of the sidebar until a character is pinned, follows something, or has an action."""

from ..properties import Character
from .tab import Layout, spoken, write

STEPS = (
    "Press Set Up Character below: nothing moves",
    "In Pose Mode select both feet, press P and choose Pin Place and Turn",
    "Take the tool Posewright from the toolbar and drag a hand",
    "Key the pose, or bake what goals do over time",
)


def draw_quick_start(layout: Layout, character: Character) -> None:
    """The steps that are still to be done; nothing for whoever has found the way."""
    goals = [goal for goal in character.posewright_goals if not goal.temporary]
    done = 1 if goals or len(character.posewright_roles) else 0
    animated = character.animation_data is not None and character.animation_data.action is not None
    if done and (animated or any(goal.state != "IDLE" for goal in goals)):
        return
    box = layout.box()
    box.label(text="The First Pose", icon="INFO")
    for number, step in enumerate(STEPS[done:], 1 + done):
        write(box, f"{number}. {spoken(step)}")
