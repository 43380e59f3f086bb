"""What the panels of our tab have in common: where they are, when they are there, how they put things."""

import math
import textwrap
from typing import TYPE_CHECKING, Any, TypeAlias

import bpy
from bpy.app.translations import pgettext_iface

from .. import bridge
from ..properties import Character, Session, character, is_linked

if TYPE_CHECKING:
    from ..bridge.outcome import GoalOutcome, Outcome

    Base = bpy.types.Panel
else:
    Base = object  # a mixin: Blender knows the panels themselves only

Layout: TypeAlias = Any  # a UILayout: the stubs take icons for literals, and know no operator's properties
SHOWN = 1 << 30  # what Blender wants for an item of a list that the filter lets through
WIDTH = 34  # letters in a line of the sidebar at its first width
_NOTHING = "0.0"  # centimetres or degrees, as they are written


class InTab(Base):
    """A panel of the tab "Posewright"."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Posewright"


class OfCharacter(InTab):
    """A panel that is there while an armature is active."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"


def active_character(context: bpy.types.Context) -> Character:
    """The active armature; only where a panel is there for it."""
    assert context.object is not None
    return character(context.object)


def last_outcome(armature_object: bpy.types.Object) -> "Outcome | None":
    """What the last solve of a character came to."""
    return bridge.outcome.of(armature_object)


def bones_as_they_stand(armature_object: bpy.types.Object) -> dict[str, str] | None:
    """Why bones are taken as they stand, by name; None if nobody has looked yet."""
    return bridge.outcome.frozen_of(armature_object)


def has_preview(armature_object: bpy.types.Object) -> bool:
    """Whether a preview of placed feet is shown of a character."""
    return bridge.feet.preview.of(armature_object) is not None


def moves(armature_object: bpy.types.Object, bone: bpy.types.PoseBone) -> bool:
    """Whether goals may move a bone, and not only turn it."""
    return bridge.pelvis.moves(armature_object, bone.bone)


def why_not(armature_object: bpy.types.Object) -> str:
    """Why an object cannot be posed; empty if it can."""
    return bridge.ready.why_not(armature_object)


def how_far(goal: "GoalOutcome") -> str:
    """What a goal lacks, in centimetres and degrees, in as few letters as will do: names are beside it in lists.

    Of a goal with place and turn, the one that is off by nothing is not mentioned.
    """
    parts = []
    if goal.metres or not goal.radians:
        parts.append(f"{_few_digits(100.0 * goal.metres)} cm")
    if goal.radians:
        parts.append(f"{_few_digits(math.degrees(goal.radians))}°")
    return " ".join([part for part in parts if not part.startswith(_NOTHING)] or parts[:1])


def _few_digits(number: float) -> str:
    return f"{number:.1f}" if number < 9.95 else f"{number:.0f}"


def axes_of(order: str) -> tuple[str, str, str]:
    """What a joint's axes are called, by how its angles are counted: anatomical ones by what a limb does about them."""
    return ("Bend", "Twist", "Side") if order in {"SWING", "ELLIPSE"} else ("X", "Y", "Z")


def press(
    layout: Layout,
    operator: str,
    text: str | None = None,
    icon: str = "NONE",
    depress: bool = False,
    emboss: bool = True,
    **given: object,
) -> None:
    """A button for an operator, with some of its properties given."""
    button = layout.operator(operator, text=text, icon=icon, depress=depress, emboss=emboss)
    for name, value in given.items():
        setattr(button, name, value)


def spoken(text: str, **given: object) -> str:
    """A text in the user's language, its gaps filled in: `spoken("Off by {far}", far=...)`.

    Blender translates what a button or label is given, but knows no text that was put together at run time.
    """
    return pgettext_iface(text).format(**given) if given else pgettext_iface(text)


def show(layout: Layout, text: str, icon: str = "NONE") -> None:
    """A label of what is no word of ours: a name, a number, or what `spoken` gave. Blender leaves it as it is."""
    layout.label(text=text, icon=icon, translate=False)


def write(layout: Layout, text: str, icon: str = "NONE", alert: bool = False) -> None:
    """A text that may need several lines; in red where something is wrong."""
    column = layout.column(align=True)
    column.alert = alert
    for number, line in enumerate(textwrap.wrap(spoken(text), WIDTH) or [""]):
        blank = "BLANK1" if icon != "NONE" else "NONE"
        column.label(text=line, icon=icon if number == 0 else blank, translate=False)


def draw_name(layout: Layout, armature_object: bpy.types.Object, item: Any, icon: str) -> None:  # noqa: ANN401
    """The name of a goal or a relation, to be changed where it is not a library's."""
    if is_linked(armature_object, item):
        show(layout, item.name, icon=icon)
    else:
        layout.prop(item, "name", text="", emboss=False, icon=icon)


def draw_eye(layout: Layout, item: Any) -> None:  # noqa: ANN401 - of any list
    """The eye that leaves an item of a list out."""
    quiet = layout.row(align=True)
    quiet.emboss = "NONE"
    quiet.prop(item, "mute", text="", icon="HIDE_ON" if item.mute else "HIDE_OFF")


def draw_progress(layout: Layout, stored: Session) -> None:
    """How far a job is."""
    layout.progress(factor=stored.posewright_progress, text=stored.posewright_progress_words)
    layout.label(text="Esc stops it", icon="INFO")
