"""The panels: what they say of a character, in every state that it can be in.

Without a window Blender never draws. So the panels are drawn on paper here: a layout that takes down what is put on it
and holds it against what Blender has: properties, operators, icons, menus, lists.
"""

import math
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Vector

from .figures import figure, goal, pin, update
from .test_registration import in_a_fresh_blender

operators: Any = bpy.ops
call = operators.posewright
rna: Any = bpy.types.UILayout.bl_rna
ICONS = set(rna.functions["label"].parameters["icon"].enum_items.keys())
PLAIN = {"row", "column", "box", "split", "separator"}


class Paper:
    """A layout, and what was put on it: texts, and for each whether it is red."""

    by_group = False  # how lists are sorted

    def __init__(self, notes: list[tuple[str, bool]] | None = None, above: "Paper | None" = None) -> None:
        self.notes: list[tuple[str, bool]] = [] if notes is None else notes
        self.alert, self.above = False, above

    def red(self) -> bool:
        return self.alert or (self.above is not None and self.above.red())

    def note(self, text: str, icon: str = "NONE") -> None:
        assert isinstance(text, str)
        assert icon in ICONS, icon
        self.notes.append((text, self.red()))

    def __getattr__(self, name: str) -> Any:
        assert name in PLAIN, f"the layout has no {name}"
        return lambda **_given: Paper(self.notes, self)

    def label(self, text: str = "", icon: str = "NONE", translate: bool = True) -> None:
        assert translate in {True, False}
        self.note(text, icon)

    def progress(self, factor: float, text: str) -> None:
        assert 0.0 <= factor <= 1.0
        self.note(text)

    def prop(self, data: Any, name: str, text: str | None = None, icon: str = "NONE", **_given: Any) -> None:
        assert name in data.bl_rna.properties, f"{data} has no {name}"
        self.note(f"{name}: {text or ''}", icon)

    def prop_search(self, data: Any, name: str, source: Any, items: str, **_given: Any) -> None:
        assert items in source.bl_rna.properties
        self.prop(data, name)

    def operator(self, name: str, text: str | None = None, icon: str = "NONE", **_given: Any) -> Any:
        module, _, function = name.partition(".")
        rna = getattr(getattr(bpy.ops, module), function).get_rna_type()
        self.note(rna.name if text is None else text, icon)
        return Given({found.identifier for found in rna.properties})

    def operator_menu_enum(self, name: str, _property: str, text: str = "", icon: str = "NONE") -> None:
        self.operator(name, text, icon)

    def menu(self, name: str, text: str = "", icon: str = "NONE") -> None:
        assert hasattr(bpy.types, name)
        self.note(text, icon)

    def template_list(self, kind: str, _name: str, data: Any, items: str, active: Any, index: str, rows: int) -> None:
        assert rows
        assert index in active.bl_rna.properties
        found: Any = getattr(bpy.types, kind)
        row = SimpleNamespace(filter_name="", group="", use_filter_sort_alpha=self.by_group, use_filter_invert=False)
        every: Any = [1] * len(getattr(data, items)), []  # what Blender shows of lists without a filter of their own
        flags, _ = found.filter_items(row, bpy.context, data, items) if hasattr(found, "filter_items") else every
        for place, item in enumerate(getattr(data, items)):
            if flags[place]:
                found.draw_item(row, bpy.context, Paper(self.notes, self), data, item, 0, active, index, place, 0)


class Given:
    """The properties of a button's operator: only those that it has can be set."""

    def __init__(self, known: set[str]) -> None:
        self.__dict__["known"] = known

    def __setattr__(self, name: str, value: object) -> None:
        assert name in self.__dict__["known"], name


def panels() -> list[Any]:
    found: list[Any] = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("POSEWRIGHT_PT_")]
    assert found
    return found


def drawn() -> dict[str, list[tuple[str, bool]]]:
    """What each panel of the tab that is there shows now."""
    shown = {}
    for panel in panels():
        if getattr(panel, "poll", lambda _context: True)(bpy.context):
            paper = Paper()
            panel.draw(SimpleNamespace(layout=paper), bpy.context)
            shown[panel.bl_label] = paper.notes
    return shown


def said(panel: str) -> str:
    """The texts of a panel as one."""
    return " ".join(text for text, _ in drawn()[panel])


def red(panel: str) -> str:
    """Those of them that are red."""
    return " ".join(text for text, is_red in drawn()[panel] if is_red)


def test_without_a_character_one_panel_says_what_to_do(bridge: Any) -> None:
    assert bridge
    context: Any = bpy.context
    assert context.object is None
    assert set(drawn()) == {"Character"}
    assert "Select the armature" in said("Character")
    context.scene.collection.objects.link(thing := bpy.data.objects.new("Prop", None))
    context.view_layer.objects.active = thing
    assert "Select the armature" in said("Character")


def steps() -> list[str]:
    """The numbers of the first steps that are told."""
    return re.findall(r"(\d)\. ", said("Character"))


def test_the_first_steps_are_told_until_something_follows_or_is_keyed(bridge: Any) -> None:
    owner = figure(".L")
    assert "1. Press Set Up Character" in said("Character")
    goal(owner, "hand.L", temporary=True, state="PINNED")
    assert steps() == ["1", "2", "3", "4"], "a drag's own goal is none of the character's"
    goal(owner, "foot.L")
    assert steps() == ["2", "3", "4"]
    owner.posewright_goals[-1].state = "FOLLOWING"
    assert not steps()
    owner.posewright_goals.clear()
    owner.posewright_roles.add().name = "pelvis"
    assert steps() == ["2", "3", "4"]
    pin(bridge, owner, "foot.L")
    assert steps() == ["3", "4"], "pins hold, and nobody has said yet how to drag"
    owner.pose.bones["hand.L"].keyframe_insert("location", frame=1)
    assert not steps()


def test_the_first_steps_are_told_of_a_clip_that_was_imported_until_it_is_set_up(bridge: Any) -> None:
    assert bridge
    owner = figure(".L")
    owner.pose.bones["hand.L"].keyframe_insert("location", frame=1)
    assert steps() == ["1", "2", "3", "4"]
    owner.posewright_roles.add().name = "pelvis"
    assert not steps()


def test_an_armature_that_cannot_be_posed_says_why_in_red(bridge: Any) -> None:
    context: Any = bpy.context
    owner: Any = bpy.data.objects.new("Bare", bpy.data.armatures.new("Bare"))
    context.scene.collection.objects.link(owner)
    context.view_layer.objects.active = owner
    assert "'Bare' has no bones" in red("Character")
    assert {"Goals", "Joints", "Solver"} <= set(drawn())
    owner = figure(".L")
    assert not red("Character")
    owner.data.pose_position = "REST"
    assert bridge.ready.why_not(owner) in red("Character")


def test_an_error_that_switched_live_off_is_said(bridge: Any) -> None:
    owner = figure(".L")
    bridge.outcome.note(owner, bridge.outcome.Outcome(error="the sky fell"))
    owner.posewright_live = False
    assert "the sky fell" in red("Character")
    assert "the sky fell" in red("Solver")


def test_the_overlay_has_a_switch_and_what_switched_it_off_is_said_until_it_is_on_again(bridge: Any) -> None:
    assert bridge
    context: Any = bpy.context
    manager = context.window_manager
    for thing in (None, figure(".L")):
        context.view_layer.objects.active = thing
        assert "posewright_overlay: Overlay" in said("Character")
        assert "switched off" not in said("Character")
        manager.posewright_overlay, manager.posewright_overlay_note = False, "ValueError: no paint"
        assert "Overlay switched off: ValueError: no paint" in red("Character")
        manager.posewright_overlay = True
        assert not red("Character")


def test_each_goal_has_a_row_with_what_it_lacks(bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = figure(".L")
    goal(owner, "spine")
    index = pin(bridge, owner, "hand.L", group="Arms")
    owner.posewright_goals[index].place = (3.0, 0.0, 1.45)
    pin(bridge, owner, "pelvis")
    update()
    outcome: Any = bridge.outcome.of(owner)
    lacks = outcome.goals[index]
    rows = said("Goals")
    assert not lacks.reached
    assert f"{100 * lacks.metres:.0f} cm" in rows
    assert "Arms" not in rows
    monkeypatch.setattr(Paper, "by_group", True)
    assert "Arms" in said("Goals")
    owner.posewright_active_goal = index
    assert f"Off by {100 * lacks.metres:.0f} cm" in said("Active Goal")
    assert "not met" in red("Solver").lower()
    assert f"{outcome.iterations} iterations" in said("Solver")
    outcome.iterations = 1
    assert ", 1 iteration" in said("Solver")
    assert "1 iterations" not in said("Solver")


def test_a_solve_that_did_not_meet_a_relation_is_red(bridge: Any) -> None:
    owner = figure(".L")
    outcome = bridge.outcome.Outcome(words="Stopped short", relations={0: bridge.outcome.GoalOutcome(reached=False)})
    bridge.outcome.note(owner, outcome)
    assert "Stopped short" in red("Solver")
    outcome.relations[0] = bridge.outcome.GoalOutcome()
    assert not red("Solver")


def test_the_joint_that_stops_a_solve_is_called_by_its_own_name(bridge: Any) -> None:
    owner = figure(".L")
    index = pin(bridge, owner, "hand.L")
    spine, elbow = owner.pose.bones["spine"], owner.pose.bones["forearm.L"]
    spine.lock_ik_x = spine.lock_ik_y = spine.lock_ik_z = elbow.use_ik_limit_x = True
    elbow.ik_min_x, elbow.ik_max_x = -0.1, 0.1
    owner.posewright_goals[index].place = (0.2, -0.3, 1.45)
    pin(bridge, owner, "pelvis")
    update()
    assert "stopped by forearm.L" in red("Solver")


def test_a_goal_that_a_bake_did_not_meet_is_told_with_how_far_it_is_off(bridge: Any) -> None:
    owner = figure(".L")
    index = pin(bridge, owner, "hand.L")
    owner.posewright_goals[index].place = (3.0, 0.0, 1.45)
    pin(bridge, owner, "pelvis")
    context: Any = bpy.context
    context.scene.frame_start, context.scene.frame_end = 1, 2
    update()
    assert call.bake() == {"FINISHED"}
    (report,) = [one for one in bridge.baking.report.stored(owner)["goals"] if one["name"] == "hand.L"]
    assert report["worst_cm"] > 100.0
    assert f"hand.L: not met on 2 frames, off by {report['worst_cm']:.2f} cm" in said("Bake")


def test_a_name_has_the_room_that_numbers_of_what_is_met_would_take(add_on: ModuleType, bridge: Any) -> None:
    turn = math.radians(3.0)
    for metres, radians, shown in (
        (1e-6, 1e-6, "0.0 cm"),
        (0.0, 1e-6, "0.0°"),
        (0.02, 1e-6, "2.0 cm"),
        (1e-6, turn, "3.0°"),
        (0.2, turn, "20 cm 3.0°"),
    ):
        found = add_on.ui.tab.how_far(bridge.outcome.GoalOutcome(metres=metres, radians=radians))
        assert found == shown, (metres, radians)
    owner = figure(".L")
    pin(bridge, owner, "hand.L")
    update()
    assert "0.0 cm" in said("Goals")
    assert "°" not in said("Goals")


def test_goals_in_trouble_are_red_and_say_why(bridge: Any) -> None:
    assert bridge
    owner = figure(".L")
    goal(owner, "tentacle")
    goal(owner, "hand.L", state="FOLLOWING")
    goal(owner, "foot.L", state="PINNED")
    goal(owner, "foot.L", state="PINNED")
    update()
    rows = red("Goals")
    assert "no bone 'tentacle'" in rows
    assert "no target" in rows
    assert "asks the same of 'foot.L'" in rows
    for index, text in enumerate(("no bone 'tentacle'", "no target")):
        owner.posewright_active_goal = index
        assert text in red("Active Goal")


@pytest.mark.parametrize("kind", ["POSE", "LOOK_AT"])
@pytest.mark.parametrize("state", ["IDLE", "PINNED", "FOLLOWING"])
@pytest.mark.parametrize("point", ["HEAD", "OFFSET"])
@pytest.mark.parametrize("space", ["WORLD", "OBJECT"])
def test_the_active_goal_is_shown_in_every_state(bridge: Any, kind: str, state: str, point: str, space: str) -> None:
    assert bridge
    leader = figure(".L", "Leader")
    owner = figure(".L")
    goal(owner, "hand.L", kind=kind, state=state, point=point, space=space, orientation=1.0, space_bone="spine")
    for target, bone in ((None, ""), (leader, ""), (leader, "hand.L"), (leader, "gone")):
        owner.posewright_goals[0].target, owner.posewright_goals[0].target_bone = target, bone
        owner.posewright_goals[0].space_object = target
        assert drawn()["Active Goal"]
    if state == "FOLLOWING":
        assert "target_offset: Offset " in said("Active Goal"), "longer labels are cut off"
    owner.posewright_goals[0].dragged = True
    assert "Dragged" in said("Active Goal")


def test_the_joints_panel_tells_who_else_moves_bones(bridge: Any) -> None:
    owner = figure(".L")
    owner.data.bones.active = owner.data.bones["arm.L"]
    assert "goals: unknown" in said("Joints")
    owner.pose.bones["hand.L"].constraints.new("COPY_ROTATION").target = figure(".L", "Leader")
    context: Any = bpy.context
    context.view_layer.objects.active = owner
    update()
    call.find_frozen()
    shown = said("Joints")
    assert "Not moved by goals: 1" in shown
    assert "'Copy Rotation' moves it" in shown
    assert "ik_max_x" in shown
    call.snap_and_mute()
    assert "Restore 1" in said("Joints")
    assert not bridge.outcome.frozen_of(owner)


def test_a_slow_character_is_said_to_be_solved_on_release(bridge: Any) -> None:
    owner = figure(".L")
    slow = bridge.outcome.Outcome(words="Every goal is met", slow=True)
    slow.goals[0] = bridge.outcome.GoalOutcome()
    bridge.outcome.note(owner, slow)
    assert "solved when you let go" in said("Solver").replace("  ", " ")


def test_the_list_is_filtered_by_name_bone_and_group_and_sorted_by_group(bridge: Any) -> None:
    assert bridge
    owner = figure(".L")
    for bone, group in (("hand.L", "Arms"), ("foot.L", "Legs"), ("arm.L", "Arms")):
        goal(owner, bone, group=group)
    found: Any = bpy.types.POSEWRIGHT_UL_goals  # type: ignore[attr-defined]

    def filtered(
        text: str = "", group: str = "", by_group: bool = False, inverted: bool = False
    ) -> tuple[list[bool], list[int]]:
        asked = SimpleNamespace(
            filter_name=text, group=group, use_filter_sort_alpha=by_group, use_filter_invert=inverted
        )
        flags, order = found.filter_items(asked, bpy.context, owner, "posewright_goals")
        return [(flag == 1 << 30) != inverted for flag in flags], order  # as Blender does

    assert filtered() == ([True] * 3, [])
    assert filtered("FOOT")[0] == [False, True, False]
    assert filtered("arms")[0] == [True, False, True]
    assert filtered(group="legs")[0] == [False, True, False]
    assert filtered(by_group=True)[1] == [1, 2, 0]
    assert filtered("FOOT", inverted=True)[0] == [True, False, True]
    owner.posewright_goals[0].temporary = True
    assert filtered()[0] == [False, True, True]
    assert filtered("FOOT", inverted=True)[0] == [False, False, True]


def test_a_goal_that_a_drag_made_for_itself_is_not_shown(bridge: Any) -> None:
    owner = figure(".L")
    before = drawn()
    taken = bridge.dragging.drag.begin_bone(owner, "hand.L", Vector((0.0, 0.05, 0.0)))
    assert owner.posewright_goals[0].temporary
    assert drawn()["Goals"] == before["Goals"]
    assert "Active Goal" not in drawn()
    bridge.dragging.drag.put_back(owner, taken)


def test_menus_show_operators_that_there_are(bridge: Any) -> None:
    assert bridge
    for name in ("POSEWRIGHT_MT_goals", "POSEWRIGHT_MT_pose"):
        paper = Paper()
        getattr(bpy.types, name).draw(SimpleNamespace(layout=paper), bpy.context)
        assert len(paper.notes) > 4


def test_keys_are_offered_once_there_is_an_operator_for_them(bridge: Any) -> None:
    assert bridge
    figure(".L")
    assert ("Keys" in drawn()) == hasattr(bpy.types, "POSEWRIGHT_OT_key")


def test_the_time_that_is_allowed_is_a_preference(bridge: Any, installed: str) -> None:
    context: Any = bpy.context
    preferences = context.preferences.addons[installed].preferences
    state = sys.modules[bridge.watch.__name__]._state
    assert (preferences.allowed, state.allowed) == (4.0, 4.0)
    preferences.allowed = 7.5
    assert state.allowed == 7.5
    paper = Paper()
    type(preferences).draw(SimpleNamespace(layout=paper, bl_rna=preferences.bl_rna), context)
    assert paper.notes
    preferences.allowed = 4.0


def test_drawing_without_goals_loads_no_numpy(installed: str) -> None:
    answer = in_a_fresh_blender(
        "from types import SimpleNamespace\n"
        "class Paper:\n"
        "    def __getattr__(self, name): return lambda *a, **b: Paper()\n"
        "before = set(sys.modules)\n"
        f"addon_utils.enable({installed!r})\n"
        "def draw():\n"
        "    for name in dir(bpy.types):\n"
        "        panel = getattr(bpy.types, name)\n"
        "        if name.startswith('POSEWRIGHT_PT_') and getattr(panel, 'poll', lambda _: True)(bpy.context):\n"
        "            panel.draw(SimpleNamespace(layout=Paper()), bpy.context)\n"
        "    for name in dir(bpy.ops.posewright):\n"
        "        getattr(bpy.ops.posewright, name).poll()\n"
        "draw()\n"
        "thing = bpy.data.objects.new('Rig', bpy.data.armatures.new('Rig'))\n"
        "bpy.context.scene.collection.objects.link(thing)\n"
        "bpy.context.view_layer.objects.active = thing\n"
        "draw()\n"
        "answer = sorted({name.split('.')[0] for name in set(sys.modules) - before})"
    )
    assert isinstance(answer, list)
    assert "bl_ext" in answer
    assert not {"numpy", "numba"} & set(answer)
