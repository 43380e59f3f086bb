"""Live posing under whatever an animator may do, in any order: nothing breaks, nothing else moves, nothing is left."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import addon_utils
import bpy
import pytest

from .figures import BONES, channels, figure, goal, turn, update

HANDLERS = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_post")
SHORT, LONG = 15, 2000  # sequences in a run, and in a soak
STEPS = 12


class Animator:
    """Somebody who does one thing after another. Objects are looked up by name each time: they may be gone."""

    def __init__(self, seed: int, add_on: str, folder: Path) -> None:
        self.seed, self.rng = seed, random.Random(seed)
        self.add_on, self.folder, self.saved = add_on, folder, 0
        self.done: list[str] = []

    def act(self) -> None:
        action = self.rng.choice(ACTIONS)
        self.done.append(action.__name__)
        (self.folder / "trail.txt").write_text(f"{self.seed} {self.done}")  # what is left of it, should Blender crash
        action(self)
        interpret(self.add_on)  # disabling lets the kernels go
        if self.rng.random() < 0.8:
            update()
        if action not in {undo, redo}:  # as Blender's own operators do; without, undoing a change of mode crashes it
            remember()

    def characters(self) -> list[Any]:
        found: list[Any] = [one for one in bpy.data.objects if one.type == "ARMATURE" and one.name != "Witness"]
        return found

    def character(self) -> Any:
        found = self.characters()
        return self.rng.choice(found) if found else self.new_character()

    def new_character(self) -> Any:
        to_object_mode()
        return figure(".L", self.rng.choice(["Hero", "Hero", "Villain"]))

    def bone(self) -> str:
        return self.rng.choice([*(name for name in BONES if not name.endswith(".R")), "no such bone", ""])

    def place(self) -> tuple[float, ...]:
        far = self.rng.choice([0.3, 1.0, 30.0])
        return tuple(self.rng.uniform(-far, far) for _ in range(3))

    def a_goal(self) -> Any:
        owner = self.character()
        if not has_goals():
            return None
        return self.rng.choice(owner.posewright_goals) if len(owner.posewright_goals) else self.add()

    def add(self) -> Any:
        return goal(self.character(), self.bone()) if has_goals() else None


def interpret(add_on: str) -> None:
    """Have the kernels run interpreted: compiling them takes longer than all solves here."""
    sys.modules[f"{add_on}.compiled"].hold()


def has_goals() -> bool:
    return hasattr(bpy.types.Object, "posewright_goals")


def to_object_mode() -> None:
    context: Any = bpy.context
    if context.object and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def add_a_goal(animator: Animator) -> None:
    animator.add()


def remove_a_goal(animator: Animator) -> None:
    owner = animator.character()
    if has_goals() and len(owner.posewright_goals):
        owner.posewright_goals.remove(animator.rng.randrange(len(owner.posewright_goals)))


def pin_a_goal(animator: Animator) -> None:
    made = animator.a_goal()
    if made is not None:
        made.place, made.state, made.orientation = animator.place(), "PINNED", animator.rng.choice([0.0, 0.5, 1.0])


def drag_a_goal(animator: Animator) -> None:
    made = animator.a_goal()
    if made is not None:
        made.place, made.dragged = animator.place(), animator.rng.random() < 0.7


def follow_something(animator: Animator) -> None:
    made = animator.a_goal()
    if made is None:
        return
    things: list[Any] = [None, *bpy.data.objects]
    made.target, made.state = animator.rng.choice(things), "FOLLOWING"
    made.target_bone = animator.rng.choice(["", "", "hand.L", "no such bone"])


def change_a_goal(animator: Animator) -> None:
    made = animator.a_goal()
    if made is None:
        return
    choices: list[tuple[str, list[Any]]] = [
        ("kind", ["POSE", "LOOK_AT"]),
        ("point", ["HEAD", "TAIL", "OFFSET"]),
        ("space", ["WORLD", "CHARACTER", "OBJECT"]),
        ("weight", [0.0, 1.0, 1000.0]),
        ("position", [0.0, 0.3, 1.0]),
        ("use_axis", [(True, False, False), (False, False, False)]),
        ("mute", [True, False]),
        ("space_object", [*bpy.data.objects]),
        ("bone", [*BONES]),
        ("place", [(float("nan"), 0, 0), (float("inf"), 0, 0), (1e30, 0, 0)]),
    ]
    name, values = animator.rng.choice(choices)
    setattr(made, name, animator.rng.choice(values))


def add_something_to_follow(animator: Animator) -> None:
    scene: Any = bpy.context.scene
    made = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(made)
    made.location = animator.place()
    if animator.rng.random() < 0.3:
        made.parent = animator.character()


def delete_something(animator: Animator) -> None:
    to_object_mode()
    things = [one for one in bpy.data.objects if one.name != "Witness"]
    if things:
        bpy.data.objects.remove(animator.rng.choice(things))


def rename_a_bone(animator: Animator) -> None:
    owner = animator.character()
    if owner.mode != "EDIT":
        animator.rng.choice(list(owner.data.bones)).name = animator.rng.choice(["hand.L", "paw", "foot.L"])


def delete_a_bone(animator: Animator) -> None:
    owner = animator.character()
    to_object_mode()
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    bpy.ops.object.mode_set(mode="EDIT")
    if len(owner.data.edit_bones):
        owner.data.edit_bones.remove(animator.rng.choice(list(owner.data.edit_bones)))
    if animator.rng.random() < 0.8:
        bpy.ops.object.mode_set(mode="POSE")


def rename_the_object(animator: Animator) -> None:
    animator.character().name = animator.rng.choice(["Hero", "Somebody"])


def copy_the_object(animator: Animator) -> None:
    scene: Any = bpy.context.scene
    scene.collection.objects.link(animator.character().copy())  # both have the same armature


def switch_mode(animator: Animator) -> None:
    to_object_mode()
    context: Any = bpy.context
    context.view_layer.objects.active = animator.character()
    bpy.ops.object.mode_set(mode=animator.rng.choice(["OBJECT", "POSE", "EDIT"]))


def move_the_object(animator: Animator) -> None:
    owner = animator.character()
    owner.location, owner.scale = animator.place(), animator.rng.choice([(1, 1, 1), (0.01, 0.01, 0.01), (1, 0, 1)])


def turn_a_bone(animator: Animator) -> None:
    owner = animator.character()
    if len(owner.pose.bones) and owner.mode != "EDIT":
        turn(owner, animator.rng.choice(owner.pose.bones).name, *animator.place())


def switch_live(animator: Animator) -> None:
    if has_goals():
        animator.character().posewright_live ^= True


def change_the_frame(animator: Animator) -> None:
    scene: Any = bpy.context.scene
    scene.frame_set(animator.rng.randrange(1, 20))


def remember() -> None:
    bpy.ops.ed.undo_push(message="step")


def undo(_animator: Animator) -> None:
    operators: Any = bpy.ops
    if operators.ed.undo.poll():
        operators.ed.undo()


def redo(_animator: Animator) -> None:
    operators: Any = bpy.ops
    if operators.ed.redo.poll():
        operators.ed.redo()


def save(animator: Animator) -> None:
    animator.saved += 1
    bpy.ops.wm.save_as_mainfile(filepath=str(animator.folder / f"{animator.saved}.blend"))


def load(animator: Animator) -> None:
    if animator.saved:
        which = animator.rng.randint(1, animator.saved)
        bpy.ops.wm.open_mainfile(filepath=str(animator.folder / f"{which}.blend"))


def disable(animator: Animator) -> None:
    addon_utils.disable(animator.add_on)


def enable(animator: Animator) -> None:
    addon_utils.enable(animator.add_on)


ACTIONS: list[Callable[[Animator], None]] = [
    *(add_a_goal, pin_a_goal, pin_a_goal, drag_a_goal, follow_something, change_a_goal, remove_a_goal),
    *(add_something_to_follow, delete_something, rename_a_bone, delete_a_bone, rename_the_object, copy_the_object),
    *(switch_mode, move_the_object, turn_a_bone, switch_live, change_the_frame),
    *(undo, undo, undo, redo, redo, save, load, disable, enable, enable),
]


def test_nothing_breaks_and_nobody_else_moves(
    add_on: ModuleType, soak: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = add_on.__name__
    for seed in range(LONG if soak else SHORT):
        addon_utils.enable(name)
        interpret(name)
        bpy.ops.wm.read_homefile(use_empty=True)
        figure(".R", "Witness")
        turn(bpy.data.objects["Witness"], "arm.R", 10, 20, 30)
        to_object_mode()
        update()
        before = channels(bpy.data.objects["Witness"])
        remember()
        animator = Animator(seed, name, tmp_path)
        for _ in range(STEPS):
            animator.act()
        said = capfd.readouterr()
        assert "Traceback" not in said.out + said.err, (seed, animator.done, said)
        assert channels(bpy.data.objects["Witness"]) == before, (seed, animator.done)
        addon_utils.enable(name)
        ours = {
            hook: [one for one in getattr(bpy.app.handlers, hook) if one.__module__.startswith(name)]
            for hook in HANDLERS
        }
        assert {hook: len(found) for hook, found in ours.items()} == dict.fromkeys(HANDLERS, 1), (seed, animator.done)
    sys.modules[f"{name}.compiled"].release()
    addon_utils.disable(name)
    left = [one for hook in HANDLERS for one in getattr(bpy.app.handlers, hook) if one.__module__.startswith(name)]
    assert not left
