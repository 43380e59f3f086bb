"""Habits from actions: mean and spread of what they do with each joint, stored with the character, shared as JSON."""

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ... import properties
from ...motion import anatomy, habits
from ...motion.habits import Table
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from . import anatomical, from_action, human

FEWEST = 10  # frames: from fewer nobody has a habit


def learn(armature_object: bpy.types.Object, source: str = "", action: str = "", every: bool = False) -> str:
    """Take the habits of a character, or of another one, from actions made for it. Returns what was learnt.

    Args:
        armature_object: who learns.
        source: the name of the character whose actions they are; empty for the same.
        action: the action's name.
        every: learn from all actions that turn its bones.

    Joints that these actions do not turn keep the habits of people.
    """
    other: bpy.types.Object | None = bpy.data.objects.get(source) if source else armature_object
    if other is None or other.pose is None:
        raise PosewrightError(f"There is no armature {source!r}")
    actions = list(bpy.data.actions) if every else [from_action.named(action)]
    actions = [one for one in actions if from_action.turns(other, one)]
    table = table_of(other, actions)
    about = f"Learnt from {', '.join(one.name for one in actions)}"
    if not human.habits_of(armature_object, human.table() | table):
        raise PosewrightError("No joint of the character is counted by its role: set it up, or give it human limits")
    properties.character(armature_object).posewright_habits = habits.written(table, about)
    count = human.put_habits(armature_object)
    armature_object.update_tag()
    return f"{about}: {len(table)} kinds of joints, {count} joints tend to them"


def table_of(source: bpy.types.Object, actions: Sequence[bpy.types.Action]) -> Table:
    """The habits that actions show, made for a character with roles."""
    bones = anatomical.bones_of(source)
    if not bones.roles:
        raise PosewrightError(f"{source.name!r} has no roles: set it up first")
    sampled: dict[str, list[Floats]] = {}
    for action in actions:
        for bone, turned in from_action.turns(source, action).items():
            sampled.setdefault(bone, []).append(turned)
    by_role = {role: np.concatenate(sampled[bone]) for role, bone in bones.roles.items() if bone in sampled}
    if not by_role or max(map(len, by_role.values())) < FEWEST:
        raise PosewrightError(
            f"These actions turn no bone of {source.name!r} that has a role, or have fewer than {FEWEST} frames"
        )
    bones = replace(bones, hinges=habits.hinges(bones, by_role))
    return habits.table_of(
        {one.role: habits.angles(one, by_role[one.role]) for one in anatomy.measure(bones) if one.role in by_role}
    )


def load(armature_object: bpy.types.Object, text: str) -> str:
    """Take habits from a preset. Raises an error where it is none."""
    table = habits.parsed(text)
    properties.character(armature_object).posewright_habits = text
    count = human.put_habits(armature_object)
    armature_object.update_tag()
    return f"{len(table)} kinds of joints were read, {count} joints tend to them"


def saved(armature_object: bpy.types.Object) -> str:
    """The character's habits as a preset: its own, or those of people."""
    own = properties.character(armature_object).posewright_habits
    return own or habits.written(human.table(), "The habits of people, as they come with Posewright")


def reset(armature_object: bpy.types.Object) -> str:
    """Have the habits of people again."""
    properties.character(armature_object).posewright_habits = ""
    count = human.put_habits(armature_object)
    armature_object.update_tag()
    return f"{count} joints have the habits of people"
