"""Relations of one side of the body for the other."""

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from .figures import drag, figure, pin, turn, update
from .test_relations import MILLIMETRE, relation
from .test_together import hold

operators: Any = bpy.ops
call = operators.posewright


@pytest.fixture
def owner(bridge: Any) -> Any:
    found = figure()
    found.data.bones.active = found.data.bones["hand.L"]
    pin(bridge, found, "pelvis")
    update()
    return found


def points(bridge: Any, owner: Any, one: Any) -> list[Vector]:
    return [bridge.relations.points.in_world(owner, part) for part in one.parts]


def test_a_wire_is_mirrored_and_a_second_time_changes_its_twin(bridge: Any, owner: Any) -> None:
    made = relation(owner, "WIRE", ["pelvis", "arm.L", "hand.L"], length=0.9, exact=True, name="strap.L")
    made.parts[1].point, made.parts[1].offset = "OFFSET", (0.02, 0.1, 0.03)
    assert call.relation_mirror("EXEC_DEFAULT", index=0) == {"FINISHED"}
    one, other = owner.posewright_relations
    assert other.name == "strap.R"
    assert [part.bone for part in other.parts] == ["pelvis", "arm.R", "hand.R"]
    assert (other.length, other.exact, other.kind) == (one.length, True, "WIRE")
    for here, there in zip(points(bridge, owner, one), points(bridge, owner, other), strict=True):
        assert (Vector((-here.x, here.y, here.z)) - there).length < 1e-5
    one.length = 0.8
    assert call.relation_mirror("EXEC_DEFAULT", index=0) == {"FINISHED"}
    assert len(owner.posewright_relations) == 2
    assert owner.posewright_relations[1].length == pytest.approx(0.8)
    assert owner.posewright_active_relation == 1


def test_a_loop_in_the_mirror_holds_the_mirrored_turn(bridge: Any, owner: Any) -> None:
    turn(owner, "arm.L", 20, 30, 40)
    turn(owner, "hand.L", 10, -20, 30)
    update()
    made = relation(owner, "LOOP", ["hand.L", "pelvis"], turned=True, name="hip.L")
    made.turn = bridge.relations.loops.turn_now(owner, made)
    call.relation_mirror("EXEC_DEFAULT", index=0)
    for bone in ("arm", "hand"):
        here = owner.pose.bones[f"{bone}.L"]
        rest, theirs = (
            here.bone.matrix_local.to_quaternion(),
            owner.data.bones[f"{bone}.R"].matrix_local.to_quaternion(),
        )
        by = rest @ here.rotation_quaternion @ rest.inverted()
        by.y, by.z = -by.y, -by.z
        owner.pose.bones[f"{bone}.R"].rotation_quaternion = theirs.inverted() @ by @ theirs
    update()
    other = owner.posewright_relations[1]
    seen = bridge.relations.loops.turn_now(owner, other)
    assert seen.rotation_difference(other.turn).angle < 1e-3
    assert [part.bone for part in other.parts] == ["hand.R", "pelvis"]


@pytest.mark.parametrize(("name", "plain"), [("a", "a"), ("pi", '"pi"'), ("sin", "sin"), ("a b", "'a b'")])
def test_only_the_variable_of_a_coupling_changes_its_sign(bridge: Any, owner: Any, name: str, plain: str) -> None:
    text = "0.1 * sin({0} * 2) + pi * {1} / 10 - abs({2} / 9)"
    given = text.format(f'"{name}"', f"'{name}'", plain)
    made = relation(owner, "COUPLING", ["arm.L"], bone="hand.L", axis="Y", expression=given)
    made.parts[0].name, made.parts[0].axis = name, "Y"
    assert call.relation_mirror("EXEC_DEFAULT", index=0) == {"FINISHED"}
    other = owner.posewright_relations[1]
    turned = text.format(f'(-"{name}")', f"(-'{name}')", f"(-{plain})")
    assert other.expression == f"-({turned})"
    drag(bridge, owner, "hand.R", (0.1, -0.1, 0.1))
    assert not bridge.outcome.of(owner).relations[1].trouble


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_a_coupling_in_the_mirror_gives_the_mirrored_pose(owner: Any, axis: str) -> None:
    relation(owner, "COUPLING", ["arm.L"], bone="hand.L", axis=axis, expression="0.3 + 0.5 * a", name="curl.L")
    owner.posewright_relations[0].parts[0].axis = axis
    assert call.relation_mirror("EXEC_DEFAULT", index=0) == {"FINISHED"}
    other = owner.posewright_relations[1]
    assert (other.bone, other.parts[0].bone) == ("hand.R", "arm.R")
    signs = {}
    for bone in ("arm", "hand"):
        own, theirs = (owner.data.bones[f"{bone}.{side}"].matrix_local.to_quaternion() for side in "LR")
        vector = own @ Vector([float(each == axis) for each in "XYZ"])
        signs[bone] = np.sign(
            Vector((vector.x, -vector.y, -vector.z)) @ (theirs @ Vector([float(each == axis) for each in "XYZ"]))
        )
    assert eval(other.expression, {"a": 0.8 * signs["arm"]}) == pytest.approx(signs["hand"] * (0.3 + 0.5 * 0.8))


def test_what_has_no_twin_is_told(owner: Any) -> None:
    relation(owner, "WIRE", ["pelvis", "spine"], length=0.5)
    with pytest.raises(RuntimeError, match="no bone with a twin"):
        call.relation_mirror("EXEC_DEFAULT", index=0)
    relation(owner, "WIRE", ["pelvis", "gone.L"], length=0.5)
    with pytest.raises(RuntimeError, match=r"no bone 'gone\.L'"):
        call.relation_mirror("EXEC_DEFAULT", index=1)
    assert len(owner.posewright_relations) == 2
    assert call.balance("EXEC_DEFAULT") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="about the whole body"):
        call.relation_mirror("EXEC_DEFAULT", index=2)
    assert len(owner.posewright_relations) == 3


def test_two_that_hold_one_hand_take_the_other_too(bridge: Any, owner: Any) -> None:
    ben = figure("", "Ben")
    ben.location, ben.rotation_euler = (0, -0.9, 0), Euler((0, 0, np.pi))
    pin(bridge, ben, "pelvis")
    bpy.context.view_layer.objects.active = owner  # type: ignore[union-attr]
    hold(owner, "hand.L", ben, "hand.R")
    update()
    assert call.relation_mirror("EXEC_DEFAULT", index=0) == {"FINISHED"}
    update()
    drag(bridge, owner, "hand.L", (0, 0, 0.05))
    for one in owner.posewright_relations:
        first, second = points(bridge, owner, one)
        assert (first - second).length < MILLIMETRE
    assert [(part.bone, part.character) for part in owner.posewright_relations[1].parts] == [
        ("hand.R", None),
        ("hand.L", ben),
    ]
