"""The first steps, in a box of the sidebar until a character follows something or has an action."""

from ..properties import Character
from .tab import Layout, spoken, write

STEPS = (
    "Press Set Up Character below: nothing moves",
    "In Pose Mode click the handle of one foot, Shift-click the other, press P and choose Pin Place and Turn",
    "Drag a hand by its handle, or any bone with the tool Posewright, below Transform",
    "Key the pose: Body in the panel Keys, below Active Goal",
)


def draw_quick_start(layout: Layout, character: Character) -> None:
    """The steps that are still to be done; nothing for whoever has found the way."""
    goals = [goal for goal in character.posewright_goals if not goal.temporary]
    states = {goal.state for goal in goals}
    done = 1 if goals or len(character.posewright_roles) else 0
    done += "PINNED" in states
    animated = character.animation_data is not None and character.animation_data.action is not None
    if done and (animated or "FOLLOWING" in states):
        return
    box = layout.box()
    box.label(text="The First Pose", icon="INFO")
    for number, step in enumerate(STEPS[done:], 1 + done):
        write(box, f"{number}. {spoken(step)}")
