"""Couplings: joints that follow joints, by expressions that a stranger may have written."""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from . import characters
from .figures import drag, figure, off, pin, update
from .test_bake import FIRST, moving_hand, same, seen
from .test_relations import MILLIMETRE, TENTH, angle, elbow_as_knee, relation

operators: Any = bpy.ops
call = operators.posewright
EVIL = {
    "import": "__import__('os').system('touch {mark}')",
    "call": "open('{mark}', 'w')",
    "attribute": "a.__class__.__bases__",
    "attribute of a name": '"a".real',
    "loop": "[1 for b in iter(int, 1)]",
    "power": "9 ** 9 ** 9 ** 9",
    "lambda": "(lambda: a)()",
    "statement": "import os; a",
    "walrus": "(a := 2)",
    "string": "'x' * 1000000000",
    "brackets": "(" * 400 + "a" + ")" * 400,
    "long": "a + " * 400 + "a",
    "nothing": "   ",
    "unknown": "a + b",
    "half": "a +",
}


EVENTS = {"compile", "exec", "import", "open", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn"}


@pytest.fixture
def standing(bridge: Any) -> Any:
    owner = figure(".L")
    pin(bridge, owner, "foot.L")
    update()
    return owner


@contextmanager
def heard() -> Iterator[list[str]]:
    """What Python compiles, runs, imports or opens meanwhile, as it tells those who audit it."""
    found, on = list[str](), [True]
    sys.addaudithook(lambda event, _given: found.append(event) if on and event in EVENTS else None)
    try:
        eval("1")
        assert found.count("exec") == 1, "nothing is heard"
        found.clear()
        yield found
    finally:
        on.clear()  # the hook itself cannot be taken away


def troubles(bridge: Any, owner: Any) -> list[str]:
    found = bridge.outcome.of(owner).relations
    return [found[row].trouble for row in sorted(found)]


def test_a_blend_whose_expressions_try_to_run_something(bridge: Any, standing: Any, tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    for name, text in EVIL.items():
        elbow_as_knee(standing, name=name, expression=text.format(mark=mark))
    elbow_as_knee(standing, name="honest", bone="hand.L")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "evil.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    warm = figure(".L")  # what is loaded at first use is loaded now
    elbow_as_knee(warm, expression="a *")
    elbow_as_knee(warm, bone="hand.L")
    drag(bridge, warm, "hand.L", (-0.2, -0.1, 0.1))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "evil.blend"))
    update()
    owner: Any = bpy.data.objects["Figure"]
    with heard() as ran:
        drag(bridge, owner, "hand.L", (-0.2, -0.1, 0.1))
    assert ran == []
    said = troubles(bridge, owner)
    assert len(said) == len(EVIL) + 1
    assert [name for name, one in zip(EVIL, said, strict=False) if not one] == []
    assert not said[-1]
    assert not mark.exists()
    assert off(bridge, owner, 1) < MILLIMETRE
    assert owner.posewright_live


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5 * a", lambda a: 0.5 * a),
        ("-a", lambda a: -a),
        ("max(a, 0.3) - pi / 20", lambda a: max(a, 0.3) - math.pi / 20),
        ("sin(a) / 2", lambda a: math.sin(a) / 2),
        ("0.2", lambda _: 0.2),
    ],
)
def test_a_joint_has_the_value_of_its_expression(bridge: Any, standing: Any, text: str, value: Any) -> None:
    elbow_as_knee(standing, expression=text)
    drag(bridge, standing, "pelvis", (0, 0, -0.2))
    assert troubles(bridge, standing) == [""]
    assert abs(angle(standing, "shin.L")) > 0.2
    assert angle(standing, "forearm.L") == pytest.approx(value(angle(standing, "shin.L")), abs=TENTH)


def test_a_bone_may_have_the_name_of_a_variable_and_a_name_with_quotes(bridge: Any, standing: Any) -> None:
    standing.data.bones["forearm.L"].name = "a"
    standing.data.bones["shin.L"].name = 'it\'s "odd" (x)'
    relation(standing, "COUPLING", ['it\'s "odd" (x)'], bone="a", axis="X", expression="0.5 * a")
    drag(bridge, standing, "pelvis", (0, 0, -0.2))
    assert troubles(bridge, standing) == [""]
    assert angle(standing, "a") == pytest.approx(0.5 * angle(standing, 'it\'s "odd" (x)'), abs=TENTH)
    assert abs(angle(standing, "a")) > 0.1


def test_circles_are_named_and_left_out(bridge: Any, standing: Any) -> None:
    relation(standing, "COUPLING", ["forearm.L"], name="one", bone="shin.L", axis="X", expression="a")
    relation(standing, "COUPLING", ["shin.L"], name="two", bone="forearm.L", axis="X", expression="a")
    relation(standing, "COUPLING", ["forearm.L"], name="three", bone="hand.L", axis="X", expression="a")
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    one, two, three = troubles(bridge, standing)
    assert one == "it follows itself: shin.L X → forearm.L X → shin.L X"
    assert "follows itself" in two
    assert not three
    assert off(bridge, standing, 1) < MILLIMETRE


def test_what_turns_about_no_such_axis_or_follows_twice_says_so(bridge: Any, standing: Any) -> None:
    elbow_as_knee(standing, name="locked", axis="Y")
    elbow_as_knee(standing, name="first")
    elbow_as_knee(standing, name="second")
    elbow_as_knee(standing, name="itself", bone="shin.L")
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    locked, first, second, itself = troubles(bridge, standing)
    assert locked == "'forearm.L' does not turn about Y: it turns about X only"
    assert not first
    assert second == "'forearm.L' follows 'first' about X already"
    assert "follows itself" in itself


def test_the_active_bone_follows_the_other_selected_ones(bridge: Any, standing: Any) -> None:
    for bone in standing.pose.bones:
        bridge.selection._holder(bone).select = bone.name in {"forearm.L", "shin.L", "hand.L"}
    standing.data.bones.active = standing.data.bones["forearm.L"]
    assert call.couple("EXEC_DEFAULT", axis="X") == {"FINISHED"}
    (made,) = standing.posewright_relations
    assert (made.bone, made.axis, made.expression) == ("forearm.L", "X", "(a + b) / 2")
    assert {part.bone for part in made.parts} == {"shin.L", "hand.L"}


def test_fingers_curl_as_one_and_the_back_bends_evenly(bridge: Any, tmp_path: Path) -> None:
    owner = characters.load("makehuman_default.rig.json", tmp_path)
    with pytest.raises(RuntimeError, match="Set Up"):
        call.couple_preset("EXEC_DEFAULT", which="FINGERS")
    call.set_up("EXEC_DEFAULT")
    roles = {one.name: one.bone for one in owner.posewright_roles}
    assert call.couple_preset("EXEC_DEFAULT", which="FINGERS") == {"FINISHED"}
    assert len(owner.posewright_relations) == 2 * (4 * 2 + 1)
    with pytest.raises(RuntimeError, match="already"):
        call.couple_preset("EXEC_DEFAULT", which="FINGERS")
    assert call.couple_preset("EXEC_DEFAULT", which="SPINE") == {"FINISHED"}
    fingers = [one for one in owner.posewright_relations if one.bone == roles["index.2.L"]]
    assert [part.bone for one in fingers for part in one.parts] == [roles["index.1.L"]]
    rig = bridge.armature.read(owner)
    related = bridge.relations.taking_part.of(owner)
    made = related.made(bridge.asked.setting(owner, None, rig, rig.q))
    assert not made.troubles
    errors = bridge.searching.Problem(rig.tree, made.goals).errors(rig.q)
    assert max(one.radians for one in errors) < 1e-4  # as posed they hold: nothing moves


def test_a_dragged_finger_tip_curls_the_finger(bridge: Any, tmp_path: Path) -> None:
    owner = characters.load("makehuman_default.rig.json", tmp_path)
    call.set_up("EXEC_DEFAULT")
    call.couple_preset("EXEC_DEFAULT", which="FINGERS")
    roles = {one.name: one.bone for one in owner.posewright_roles}
    finger = [roles[f"index.{number}.L"] for number in (1, 2, 3)]
    bridge.modes.choose(owner, finger)
    owner.posewright_mode = "SELECTION"
    start = angles(bridge, owner, finger)
    drag(bridge, owner, finger[2], (0, 0, -0.01 * owner.dimensions.z))
    first, middle, last = (after - before for before, after in zip(start, angles(bridge, owner, finger), strict=True))
    assert abs(first) > 0.05
    assert middle == pytest.approx(first, abs=TENTH)
    assert last == pytest.approx(2 / 3 * middle, abs=TENTH)


def test_a_back_that_is_coupled_bends_evenly_in_a_drag(bridge: Any, tmp_path: Path) -> None:
    owner = characters.load("makehuman_default.rig.json", tmp_path)
    call.set_up("EXEC_DEFAULT")
    call.couple_preset("EXEC_DEFAULT", which="SPINE")
    couplings = [(one.parts[0].bone, one.bone, one.axis) for one in owner.posewright_relations]
    trunk = [bone.name for bone in owner.data.bones if any(bone.name in pair[:2] for pair in couplings)]
    bridge.modes.choose(owner, trunk)
    owner.posewright_mode = "SELECTION"
    before = {axis: angles(bridge, owner, trunk, axis) for axis in "XYZ"}
    drag(bridge, owner, trunk[-1], Vector((0.03, -0.06, -0.02)) * owner.dimensions.z)
    bent = {axis: np.subtract(angles(bridge, owner, trunk, axis), before[axis]) for axis in "XYZ"}
    assert np.abs(bent["X"]).min() > 0.05
    for below, above, axis in couplings:
        there = bent[axis][[trunk.index(below), trunk.index(above)]]
        assert there[0] == pytest.approx(there[1], abs=TENTH), (below, above, axis)


def angles(bridge: Any, owner: Any, bones: list[str], axis: str = "X") -> list[float]:
    """How far joints are bent, radians."""
    rig = bridge.armature.read(owner)
    return [float(rig.q[bridge.relations.couplings.variable_of(rig, bone, axis)]) for bone in bones]


def test_a_bake_is_what_was_seen_of_a_coupling_whose_axes_are_keyed(bridge: Any) -> None:
    owner = moving_hand(bridge, figure(".L"))
    made = relation(owner, "COUPLING", ["spine"], bone="arm.L", axis="X", expression="a + 0.3")
    for what, keyed in ((made, {FIRST: "X", 4: "Z"}), (made.parts[0], {FIRST: "X", 6: "Y"})):
        for frame, axis in keyed.items():
            what.axis = axis
            what.keyframe_insert("axis", frame=frame)
    update()
    live = seen(owner)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner), live)
