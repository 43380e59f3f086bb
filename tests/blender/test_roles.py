"""What each bone is: right by names, right without them, and where it is not clear nobody guesses."""

import json
import math
from pathlib import Path
from typing import Any

import bpy
import pytest
from mathutils import Matrix, Vector

from .characters import FINGERS, Bones, body, build, eight_legs, load, rename_to_nonsense, renamed, without
from .figures import channels
from .known_skeletons import KNOWN, middle, sided
from .known_skeletons import fingers as numbered

# Written out by set-up, then checked by eye: trunk and limbs on drawings from the front and the side, fingers and the
# generated Rigify rig by their names only.
TABLE: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_name("roles_of_characters.json").read_text(encoding="utf-8")
)
MAIN = ("pelvis", "chest", "head", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")
SIDES = ("L", "R")
call: Any = bpy.ops.posewright  # type: ignore[attr-defined]


def set_up(owner: Any) -> dict[str, str]:
    """Run set-up as a script does. Returns bones by role."""
    assert owner == bpy.context.object
    assert call.set_up() == {"FINISHED"}
    return roles(owner)


def roles(owner: Any) -> dict[str, str]:
    return {one.name: one.bone for one in owner.posewright_roles if one.bone}


def reasons(owner: Any) -> dict[str, str]:
    """Why roles have no bone."""
    return {one.name: one.reason for one in owner.posewright_roles if not one.bone}


def doubts(owner: Any) -> dict[str, str]:
    return {one.name: one.reason for one in owner.posewright_roles if one.doubtful}


def sources(owner: Any) -> set[str]:
    return {one.source for one in owner.posewright_roles if one.bone}


def goals(owner: Any) -> list[str]:
    return [one.bone for one in owner.posewright_goals]


def main(found: dict[str, str]) -> dict[str, str]:
    return {role: bone for role, bone in found.items() if role.partition(".")[0] in MAIN}


def fingers(found: dict[str, str]) -> dict[str, str]:
    return {role: bone for role, bone in found.items() if role.partition(".")[0] in FINGERS}


def turned(bones: Bones, turn: Matrix) -> Bones:
    def at(place: Any) -> Any:
        return (turn @ Vector(place)).to_tuple()

    return {name: (parent, at(head), at(tail)) for name, (parent, head, tail) in bones.items()}


# Characters.


@pytest.mark.parametrize("name", TABLE)
def test_a_character_gets_the_roles_that_were_checked_by_eye_and_no_bone_moves(
    bridge: Any, tmp_path: Path, name: str
) -> None:
    assert bridge
    owner = load(name, tmp_path)
    before, shown = channels(owner), [bone.matrix.copy() for bone in owner.pose.bones]
    assert set_up(owner) == TABLE[name]
    assert not doubts(owner)
    assert all(reasons(owner).values())
    bpy.context.view_layer.update()  # type: ignore[union-attr]
    assert channels(owner) == before
    if name == "Rigify rig":  # its limbs are switched from IK to FK: test_rigify
        assert len(owner.data.bones) == 706
    else:
        assert [bone.matrix for bone in owner.pose.bones] == shown
    dragged = ("pelvis", "chest", "head", "hand", "foot")
    assert sorted(goals(owner)) == sorted(
        bone for role, bone in TABLE[name].items() if role.partition(".")[0] in dragged
    )
    assert {one.state for one in owner.posewright_goals} == {"IDLE"}


@pytest.mark.parametrize("name", [name for name in TABLE if name != "Rigify rig"])
def test_without_names_a_character_gets_the_same_main_roles_by_geometry(bridge: Any, tmp_path: Path, name: str) -> None:
    assert bridge
    owner = load(name, tmp_path)
    old = rename_to_nonsense(owner)
    found = set_up(owner)
    assert main({role: old[bone] for role, bone in found.items()}) == main(TABLE[name])
    assert sources(owner) == {"SHAPE"}


@pytest.mark.parametrize("name", [name for name in TABLE if name != "Rigify rig"])
def test_without_names_a_hand_with_five_fingers_gets_the_same_ones_and_others_the_reason(
    bridge: Any, tmp_path: Path, name: str
) -> None:
    assert bridge
    owner = load(name, tmp_path)
    wanted = fingers(TABLE[name])
    old = rename_to_nonsense(owner)
    found = fingers({role: old[bone] for role, bone in set_up(owner).items()})
    if len(wanted) == 30:
        assert found == wanted
    else:  # four characters, with no fingers or two chains on a hand
        assert len(wanted) <= 4
        assert not found
        why = reasons(owner)["thumb.L"], reasons(owner)["little.R"]
        assert all("not five fingers" in one or "nothing hangs on the hand" in one for one in why)


@pytest.mark.parametrize("named", [True, False])
def test_a_fox_gets_a_head_and_four_feet(bridge: Any, tmp_path: Path, named: bool) -> None:
    assert bridge
    owner = load("Fox.glb", tmp_path)
    old = {bone.name: bone.name for bone in owner.data.bones} if named else rename_to_nonsense(owner)
    assert {role: old[bone] for role, bone in set_up(owner).items()} == {
        "head": "b_Head_05",
        "foot.1.L": "b_LeftHand_011",
        "foot.1.R": "b_RightHand_08",
        "foot.2.L": "b_LeftFoot02_018",
        "foot.2.R": "b_RightFoot02_022",
    }
    assert len(goals(owner)) == 5


def test_eight_legs_get_eight_feet_and_a_head(bridge: Any) -> None:
    assert bridge
    found = set_up(build(eight_legs()))
    assert found.pop("head") == "b2"
    assert found == {
        f"foot.{pair + 1}.{side}": f"leg{pair}{sign}2" for pair in range(4) for side, sign in (("L", "+"), ("R", "-"))
    }


def test_chains_that_only_steer_a_leg_are_no_legs(bridge: Any) -> None:
    assert bridge
    bones = eight_legs()
    for sign in (1, -1):
        foot = bones[f"leg0{'+' if sign > 0 else '-'}2"][1]
        bones[f"roll{sign}"] = ("b0", (foot[0] + 0.7, foot[1], 0.0), foot)
        bones[f"ik{sign}"] = (f"roll{sign}", foot, (foot[0], foot[1], foot[2] - 0.1))
    found = set_up(build(bones))
    assert len(found) == 9
    assert not [bone for bone in found.values() if bone.startswith(("roll", "ik"))]


# Names.


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_skeleton_is_found_by_its_names_with_all_that_is_no_part_of_a_body(bridge: Any, name: str) -> None:
    assert bridge
    bones, wanted = KNOWN[name]
    owner = build(bones)
    assert set_up(owner) == wanted
    assert not doubts(owner)
    by_shape = {one.name for one in owner.posewright_roles if one.bone and one.source != "NAME"}
    assert by_shape == ({"pelvis"} if wanted["pelvis"] == "root" else set())


CONVENTIONS = {
    "dots": middle(pelvis="hips", spine_1="spine", spine_2="spine.001", chest="chest", neck_1="neck", head="head")
    | sided(
        """
        shoulder shoulder.{s}
        upper_arm upper_arm.{s}
        forearm forearm.{s}
        hand hand.{s}
        thigh thigh.{s}
        shin shin.{s}
        foot foot.{s}
        toe toe.{s}
        """,
        "L",
        "R",
    )
    | numbered("f_{f}.0{n}.{s}", "L", "R", **{finger: finger for finger in FINGERS}),
    "words": middle(pelvis="Pelvis", spine_1="Spine", spine_2="Spine_2", chest="Chest", neck_1="Neck", head="Head")
    | sided(
        """
        shoulder {s}_Collar
        upper_arm {s}_UpperArm
        forearm {s}_LowerArm
        hand {s}_Wrist
        thigh {s}_UpperLeg
        shin {s}_Knee
        foot {s}_Ankle
        toe {s}_Toes
        """,
        "Left",
        "Right",
    )
    | numbered("{s}_{f}_{n}", "Left", "Right", **{finger: finger for finger in FINGERS}),
}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_bones_of_a_known_convention_are_found_by_their_names(bridge: Any, convention: str) -> None:
    assert bridge
    names = CONVENTIONS[convention]
    owner = build(renamed(body(), names))
    assert set_up(owner) == names
    assert sources(owner) == {"NAME"}
    assert not doubts(owner)


EXTRA = {
    "upper_arm_twist.L": ("upper_arm.L", (0.3, 0.02, 1.44)),
    "forearm_roll.L": ("forearm.L", (0.55, 0.02, 1.44)),
    "hand_ik.L": ("", (0.7, 0, 1.44)),
    "IK-foot.R": ("", (-0.1, 0.01, 0.09)),
    "knee_pole.R": ("", (-0.1, -0.6, 0.5)),
    "weapon.R": ("hand.R", (-0.78, 0, 1.4)),
    "hair_1": ("head", (0, 0.1, 1.75)),
    "skirt_1.L": ("pelvis", (0.15, 0.1, 0.95)),
    "skirt_1.R": ("pelvis", (-0.15, 0.1, 0.95)),
    "eye.L": ("head", (0.03, -0.09, 1.68)),
    "eye.R": ("head", (-0.03, -0.09, 1.68)),
    "jaw": ("head", (0, -0.03, 1.62)),
    "breast.L": ("chest", (0.08, -0.1, 1.35)),
    "head_end": ("head", (0, 0, 1.8)),
}


@pytest.mark.parametrize("named", [True, False])
def test_extra_bones_get_no_role(bridge: Any, named: bool) -> None:
    assert bridge
    bones = body() | {
        name: (parent, place, (place[0], place[1], place[2] + 0.1)) for name, (parent, place) in EXTRA.items()
    }
    owner = build(bones)
    old = {bone: bone for bone in bones} if named else rename_to_nonsense(owner)
    found = {role: old[bone] for role, bone in set_up(owner).items()}
    assert not set(found.values()) & set(EXTRA)
    assert main(found) == {role: role for role in main(dict.fromkeys(body(), ""))}


def test_names_that_lie_are_listed_with_the_reason_and_get_no_goals(bridge: Any) -> None:
    assert bridge
    owner = build(renamed(body(), {"hand.L": "foot.L", "foot.L": "hand.L"}))
    set_up(owner)
    assert "belongs to the left leg" in doubts(owner)["hand.L"]
    assert "belongs to the left arm" in doubts(owner)["foot.L"]
    assert not {"hand.L", "foot.L"} & set(goals(owner))
    assert {"hand.R", "foot.R", "head", "pelvis", "chest"} <= set(goals(owner))


def test_a_single_name_of_the_wrong_side_is_doubtful(bridge: Any) -> None:
    assert bridge
    owner = build(renamed(body(), {"hand.L": "hand.R", "hand.R": "hand.L"}))
    set_up(owner)
    assert set(doubts(owner)) >= {"hand.L", "hand.R"}


def test_where_all_names_say_the_other_side_they_are_believed_and_it_is_told(bridge: Any) -> None:
    assert bridge
    owner = build(turned(body(), Matrix.Scale(-1.0, 3, (1, 0, 0))))
    assert set_up(owner) == {role: role for role in body()}
    assert "by the feet it would be the other" in owner.posewright_roles["hand.L"].reason


# Fingers.


def nameless(bones: Bones) -> tuple[dict[str, str], Any]:
    """Fingers that are found without names, by the names that bones had; and the character."""
    owner = build(bones)
    old = rename_to_nonsense(owner)
    return fingers({role: old[bone] for role, bone in set_up(owner).items()}), owner


def test_fingers_without_names_are_those_that_names_say(bridge: Any) -> None:
    assert bridge
    found, _ = nameless(body())
    assert found == {role: role for role in fingers(dict.fromkeys(body(), ""))}
    assert len(found) == 30


def test_bones_inside_the_palm_and_at_the_ends_are_no_part_of_fingers(bridge: Any) -> None:
    assert bridge
    bones = body()
    for side, sign in (("L", 1), ("R", -1)):
        for finger in FINGERS[1:]:
            parent, head, tail = bones[f"{finger}.1.{side}"]
            bones[f"palm.{finger}.{side}"] = (parent, (sign * 0.73, 0.3 * head[1], 1.44), head)
            bones[f"{finger}.1.{side}"] = (f"palm.{finger}.{side}", head, tail)
            end = bones[f"{finger}.3.{side}"][2]
            bones[f"end.{finger}.{side}"] = (f"{finger}.3.{side}", end, (end[0] + sign * 0.01, *end[1:]))
    found, _ = nameless(dict(sorted(bones.items(), key=lambda item: item[0].startswith("end"))))
    assert found == {role: role for role in fingers(dict.fromkeys(body(), ""))}


def test_of_five_fingers_like_a_comb_none_is_the_thumb_and_that_is_said(bridge: Any) -> None:
    assert bridge
    bones = body()
    for side, sign in (("L", 1), ("R", -1)):
        for joint in (1, 2, 3):
            x = 0.78 + 0.03 * joint
            parent = bones[f"thumb.{joint}.{side}"][0]
            bones[f"thumb.{joint}.{side}"] = (parent, (sign * x, -0.06, 1.44), (sign * (x + 0.03), -0.06, 1.44))
    found, owner = nameless(bones)
    assert not found
    assert "no chain of the hand stands out" in reasons(owner)["thumb.L"]


def test_where_two_chains_could_be_the_thumb_neither_is(bridge: Any) -> None:
    assert bridge
    bones = body()
    for side, sign in (("L", 1), ("R", -1)):
        for joint in (1, 2, 3):  # begins as the others do, but points backward; and the thumb points as the others do
            parent = bones[f"little.{joint}.{side}"][0]
            bones[f"little.{joint}.{side}"] = (
                parent,
                (sign * 0.8, 0.03 + 0.03 * joint, 1.44),
                (sign * 0.8, 0.06 + 0.03 * joint, 1.44),
            )
            x = 0.71 + 0.03 * joint
            parent = bones[f"thumb.{joint}.{side}"][0]
            bones[f"thumb.{joint}.{side}"] = (parent, (sign * x, -0.06, 1.44), (sign * (x + 0.03), -0.06, 1.44))
    found, owner = nameless(bones)
    assert not found
    assert "could be the thumb" in reasons(owner)["index.R"]


@pytest.mark.parametrize("gone", [1, 2, 3, 4, 5])
def test_of_fewer_than_five_fingers_only_a_clear_thumb_is_told_and_the_reason_for_the_others(
    bridge: Any, gone: int
) -> None:
    assert bridge
    starts = [f"{finger}.1.{side}" for finger in FINGERS[5 - gone :] for side in SIDES]
    found, owner = nameless(without(body(), *starts))
    thumbs = {f"thumb.{joint}.{side}" for joint in (1, 2, 3) for side in SIDES}
    assert found == ({role: role for role in thumbs} if gone <= 2 else {})
    said = "nothing hangs on the hand" if gone == 5 else f"{5 - gone} chains" if gone < 4 else "one chain"
    assert said in reasons(owner)["index.L"]


def test_four_fingers_and_a_place_for_a_sword_are_not_five_fingers(bridge: Any) -> None:
    assert bridge
    bones = without(body(), "little.1.L", "little.1.R")
    for side, sign in (("L", 1), ("R", -1)):
        bones[f"slot.{side}"] = (f"hand.{side}", (sign * 0.76, 0.05, 1.44), (sign * 0.76, 0.05, 1.6))
    found, owner = nameless(bones)
    assert not [role for role in found if not role.startswith("thumb")]
    assert "5 chains" in reasons(owner)["index.L"]


def test_fingers_are_found_on_the_only_hand_that_there_is(bridge: Any) -> None:
    assert bridge
    bones = without(body(), "shoulder.R")
    names = {bone: f"Knochen {number}" for number, bone in enumerate(bones) if fingers({bone: bone})}
    found = set_up(build(renamed(bones, names)))
    assert fingers(found) == {role: names[role] for role in names}
    assert len(names) == 15


# Places, sizes, and what is not there.

TURNS = {
    "facing +Y": Matrix.Rotation(math.pi, 3, "Z"),
    "facing X": Matrix.Rotation(math.pi / 2, 3, "Z"),
    "facing askew": Matrix.Rotation(0.7, 3, "Z"),
    "lying on its side": Matrix.Rotation(math.pi / 2, 3, "Y"),
    "lying on its back": Matrix.Rotation(math.pi / 2, 3, "X"),
    "upside down": Matrix.Rotation(math.pi, 3, "X"),
    "as small as 0.01": Matrix.Scale(0.01, 3),
    "as large as 100": Matrix.Scale(100.0, 3),
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("named", [True, False])
def test_any_facing_any_way_up_and_any_size_is_the_same_body(bridge: Any, turn: str, named: bool) -> None:
    assert bridge
    owner = build(turned(body(), TURNS[turn]))
    old = {bone: bone for bone in body()} if named else rename_to_nonsense(owner)
    found = {role: old[bone] for role, bone in set_up(owner).items()}
    assert main(found) == {role: role for role in main(dict.fromkeys(body(), ""))}
    assert fingers(found) == {role: role for role in fingers(dict.fromkeys(body(), ""))}
    assert not doubts(owner)
    assert sources(owner) == {"NAME" if named else "SHAPE"}


def test_bones_whose_tails_point_anywhere_are_found_by_their_heads(bridge: Any) -> None:
    assert bridge
    bones = {name: (parent, head, (head[0], head[1] + 0.4, head[2])) for name, (parent, head, _) in body().items()}
    owner = build(bones)
    old = rename_to_nonsense(owner)
    assert main({role: old[bone] for role, bone in set_up(owner).items()}) == {
        role: role for role in main(dict.fromkeys(bones, ""))
    }


ARMS = {  # where elbow, wrist and end of the left hand are seen from its shoulder; the bones are as long as in `body`
    "hanging": ((0.03, 0.0, -0.281), (0.04, -0.02, -0.531), (0.04, -0.02, -0.631)),
    "raised": ((0.03, 0.0, 0.281), (0.04, -0.02, 0.531), (0.04, -0.02, 0.631)),
    "bent": ((0.19, 0.0, -0.21), (0.19, -0.25, -0.19), (0.19, -0.35, -0.19)),
}


def with_arms(bones: Bones, pose: str, *sides: str) -> Bones:
    """The same with some arms in another pose."""
    bones = dict(bones)
    for side in sides:
        x = {"L": 1, "R": -1}[side]
        start = bones[f"upper_arm.{side}"][1]
        joints = [start, *((start[0] + x * out, start[1] + y, start[2] + z) for out, y, z in ARMS[pose])]
        for part, head, tail in zip(("upper_arm", "forearm", "hand"), joints, joints[1:], strict=False):
            bones[f"{part}.{side}"] = (bones[f"{part}.{side}"][0], head, tail)
    return bones


@pytest.mark.parametrize("named", [True, False])
def test_arms_that_hang_down_are_arms(bridge: Any, named: bool) -> None:
    assert bridge
    bones = with_arms(body(fingers=False), "hanging", "L", "R")
    owner = build(bones)
    old = {bone: bone for bone in bones} if named else rename_to_nonsense(owner)
    assert main({role: old[bone] for role, bone in set_up(owner).items()}) == {role: role for role in main(bones)}  # type: ignore[arg-type]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("pose", ARMS)
def test_arms_in_different_poses_at_rest_are_arms(bridge: Any, named: bool, side: str, pose: str) -> None:
    assert bridge
    bones = with_arms(body(fingers=False), pose, side)
    owner = build(bones)
    old = {bone: bone for bone in bones} if named else rename_to_nonsense(owner)
    found = {role: old[bone] for role, bone in set_up(owner).items()}
    assert main(found) == {role: role for role in main(bones)}  # type: ignore[arg-type]
    assert not doubts(owner)


@pytest.mark.parametrize("first", ["shoulder.L", "upper_arm.R", "forearm.L", "hand.R"])
def test_where_an_arm_or_a_part_of_it_is_missing_the_rest_is_found(bridge: Any, first: str) -> None:
    assert bridge
    bones = without(body(fingers=False), first)
    owner = build(bones)
    assert main(set_up(owner)) == {role: role for role in main(bones)}  # type: ignore[arg-type]
    assert not doubts(owner)
    assert reasons(owner)[f"hand.{first[-1]}"]


@pytest.mark.parametrize("first", ["shoulder.L", "upper_arm.R", "forearm.L"])
def test_one_arm_without_names_is_no_pair_and_nobody_guesses(bridge: Any, first: str) -> None:
    assert bridge
    owner = build(without(body(fingers=False), first))
    old = rename_to_nonsense(owner)
    found = main({role: old[bone] for role, bone in set_up(owner).items()})
    assert {"pelvis", "thigh.L", "shin.R", "foot.L", "foot.R"} <= set(found)
    assert all(role == bone for role, bone in found.items())
    assert {"hand.L", "hand.R", "head"} <= set(reasons(owner))


def test_names_in_another_language_are_left_to_geometry(bridge: Any) -> None:
    assert bridge
    names = {"hand.L": "左手首", "hand.R": "右手首", "head": "頭", "pelvis": "下半身", "thigh.L": "Oberschenkel links"}
    names |= {bone: f"Knochen {number}" for number, bone in enumerate(body()) if bone not in names}
    owner = build(renamed(body(), names))
    found = set_up(owner)
    assert main(found) == {role: names[role] for role in main(dict.fromkeys(body(), ""))}
    assert fingers(found) == {role: names[role] for role in fingers(dict.fromkeys(body(), ""))}


@pytest.mark.parametrize("named", [True, False])
def test_a_chain_without_an_end_is_set_up_as_far_as_it_goes(bridge: Any, named: bool) -> None:
    assert bridge
    bones = without(body(), "hand.L", "hand.R")
    owner = build(bones)
    old = {bone: bone for bone in bones} if named else rename_to_nonsense(owner)
    found = {role: old[bone] for role, bone in set_up(owner).items()}
    assert "hand.L" not in found
    assert reasons(owner)["hand.L"]
    assert {"foot.L", "foot.R", "head", "pelvis", "thigh.L"} <= {role for role, bone in found.items() if role == bone}
    assert len(goals(owner)) == 5


def test_one_leg_is_one_leg(bridge: Any) -> None:
    assert bridge
    owner = build(without(body(), "thigh.R"))
    found = set_up(owner)
    assert {"foot.L", "hand.L", "hand.R", "head"} <= set(found)
    assert "foot.R" not in found
    assert reasons(owner)["foot.R"]
    assert "foot.L" in goals(owner)


def test_one_leg_without_names_is_no_pair_and_the_reason_is_listed(bridge: Any) -> None:
    assert bridge
    owner = build(without(body(), "thigh.R"))
    rename_to_nonsense(owner)
    set_up(owner)
    assert reasons(owner)["foot.L"]
    assert not any(role.startswith("foot") for role in roles(owner))


@pytest.mark.parametrize("named", [True, False])
def test_without_a_bone_for_the_pelvis_there_is_none_and_the_rest_is_found(bridge: Any, named: bool) -> None:
    assert bridge
    bones = body()
    del bones["pelvis"]
    bones = {
        bone: ("root" if parent == "pelvis" else parent, head, tail) for bone, (parent, head, tail) in bones.items()
    }
    bones = {"root": ("", (0, 0, 0), (0, 0.3, 0)), **bones}
    owner = build(bones)
    old = {bone: bone for bone in bones} if named else rename_to_nonsense(owner)
    found = {role: old[bone] for role, bone in set_up(owner).items()}
    assert "pelvis" not in found
    assert "lies on the ground" in reasons(owner)["pelvis"]
    assert {"hand.L", "hand.R", "foot.L", "foot.R", "head", "chest"} <= {
        role for role, bone in found.items() if role == bone
    }


def test_of_two_heads_neither_is_the_head(bridge: Any) -> None:
    assert bridge
    bones = without(body(), "neck.1")
    for name, x in (("head", 0.1), ("head.001", -0.1)):
        bones[name] = ("chest", (x, 0, 1.55), (x, 0, 1.75))
    owner = build(bones)
    found = set_up(owner)
    assert "head" not in found
    assert "'head' and 'head.001'" in reasons(owner)["head"]
    assert {"hand.L", "foot.R", "pelvis", "chest"} <= set(goals(owner))


@pytest.mark.parametrize("bones", [1, 2, 5])
def test_a_plain_chain_is_no_body_and_everything_is_listed(bridge: Any, bones: int) -> None:
    assert bridge
    owner = build({f"b{row}": (f"b{row - 1}" if row else "", (0, 0, row), (0, 0, row + 1)) for row in range(bones)})
    assert not set_up(owner)
    assert "no two chains" in reasons(owner)["foot.L"]
    assert not goals(owner)
