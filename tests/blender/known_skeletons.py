"""Skeletons of well-known programs, with what is no part of a body: names as they are published.

Held against lists of bones in public repositories and documents, for each at least two that do not depend on one
another: Mixamo's X Bot; Unreal's mannequins of 4 and 5; VRoid Studio's export; the humanoid bones of the VRM
specification, 0 and 1; the hierarchy of CMU's ASF files; Daz's Genesis 3 and 8, and 9. Of Daz's the lists have names
and few parents. Places are our own, and of face, hair and correctives there are only some.
"""

from typing import NamedTuple

from .characters import FINGERS, Bones, body, renamed

SIDES = ("L", "R")
JOINTS = (1, 2, 3)
Point = tuple[float, float, float]


class Known(NamedTuple):
    """A skeleton and what set-up is to find in it."""

    bones: Bones
    roles: dict[str, str]


def sided(text: str, left: str, right: str) -> dict[str, str]:
    """`role name` in lines, `{s}` for the side in the names."""
    pairs = [line.split() for line in text.strip().splitlines()]
    words = {"L": left, "R": right}
    return {f"{role}.{side}": name.format(s=words[side]) for role, name in pairs for side in SIDES}


def fingers(pattern: str, left: str, right: str, **words: str) -> dict[str, str]:
    """Names of three joints of five fingers, by `{s}` for the side, `{f}` for the finger, `{n}` for the joint."""
    sides = {"L": left, "R": right}
    return {
        f"{finger}.{joint}.{side}": pattern.format(s=sides[side], f=words[finger], n=joint)
        for finger in FINGERS
        for joint in JOINTS
        for side in SIDES
    }


def middle(**names: str) -> dict[str, str]:
    return {role.replace("_", "."): name for role, name in names.items()}


def between(bones: Bones, child: str, new: str) -> None:
    """Put a bone between another and its parent."""
    parent, head, tail = bones[child]
    above = bones[parent][1]
    bones[new] = (parent, _part(above, head, 0.5), head)
    bones[child] = (new, head, tail)


def hang(bones: Bones, parent: str, *names: str) -> None:
    """Hang bones on another that end nowhere: at its tail, each a little farther on."""
    for number, name in enumerate(names, start=1):
        tail = bones[parent][2]
        bones[name] = (parent, tail, (tail[0], tail[1] - 0.02, tail[2] + 0.01 * number))


def along(bones: Bones, parent: str, *names: str) -> None:
    """Hang bones on another that lie along it: twists."""
    for number, name in enumerate(names, start=1):
        _, head, tail = bones[parent]
        begin = number / (len(names) + 1)
        bones[name] = (parent, _part(head, tail, begin), _part(head, tail, begin + 0.2))


def on_the_ground(bones: Bones, root: str, pelvis: str = "pelvis") -> Bones:
    """The same below a root on the ground."""
    _, head, tail = bones[pelvis]
    return {root: ("", (0, 0, 0), (0, 0.2, 0)), **bones, pelvis: (root, head, tail)}


def _part(begin: Point, end: Point, part: float) -> Point:
    x, y, z = (a + part * (b - a) for a, b in zip(begin, end, strict=True))
    return x, y, z


def known(bones: Bones, roles: dict[str, str]) -> Known:
    return Known(renamed(bones, roles), roles)


def longer(spines: int, necks: int) -> Bones:
    """A body with so many bones from the pelvis to the chest, and of the neck."""
    bones = body()
    for number in range(3, spines + 1):
        between(bones, "chest", f"spine.{number}")
    for number in range(2, necks + 1):
        between(bones, "head", f"neck.{number}")
    return bones


def mixamo(prefix: str) -> Known:
    names = middle(pelvis="Hips", spine_1="Spine", spine_2="Spine1", chest="Spine2", neck_1="Neck", head="Head")
    names |= sided(
        """
        shoulder {s}Shoulder
        upper_arm {s}Arm
        forearm {s}ForeArm
        hand {s}Hand
        thigh {s}UpLeg
        shin {s}Leg
        foot {s}Foot
        toe {s}ToeBase
        """,
        "Left",
        "Right",
    )
    names |= fingers(
        *("{s}Hand{f}{n}", "Left", "Right"), thumb="Thumb", index="Index", middle="Middle", ring="Ring", little="Pinky"
    )
    bones = body()
    hang(bones, "head", f"{prefix}HeadTop_End", f"{prefix}LeftEye", f"{prefix}RightEye")
    for side, word in (("L", "Left"), ("R", "Right")):
        hang(bones, f"toe.{side}", f"{prefix}{word}Toe_End")
        for finger in FINGERS:
            hang(bones, f"{finger}.3.{side}", prefix + names[f"{finger}.3.{side}"].replace("3", "4"))
    return known(bones, {role: prefix + name for role, name in names.items()})


UNREAL = """
    shoulder clavicle_{s}
    upper_arm upperarm_{s}
    forearm lowerarm_{s}
    hand hand_{s}
    thigh thigh_{s}
    shin calf_{s}
    foot foot_{s}
    toe ball_{s}
"""
UNREAL_FINGERS = {"thumb": "thumb", "index": "index", "middle": "middle", "ring": "ring", "little": "pinky"}


def unreal(version: int) -> Known:
    new = version == 5
    names = middle(pelvis="pelvis", spine_1="spine_01", spine_2="spine_02", neck_1="neck_01", head="head")
    names |= middle(spine_3="spine_03", spine_4="spine_04", chest="spine_05", neck_2="neck_02") if new else {}
    names.setdefault("chest", "spine_03")
    names |= sided(UNREAL, "l", "r") | fingers("{f}_0{n}_{s}", "l", "r", **UNREAL_FINGERS)
    bones = longer(4 if new else 2, 2 if new else 1)
    for side, s in (("L", "l"), ("R", "r")):
        for part, word in (("upper_arm", "upperarm"), ("forearm", "lowerarm"), ("thigh", "thigh"), ("shin", "calf")):
            along(bones, f"{part}.{side}", *(f"{word}_twist_0{number}_{s}" for number in range(1, 3 if new else 2)))
        if new:
            for finger in FINGERS[1:]:
                between(bones, f"{finger}.1.{side}", f"{UNREAL_FINGERS[finger]}_metacarpal_{s}")
            hang(bones, f"shoulder.{side}", f"clavicle_out_{s}", f"clavicle_scap_{s}")
            hang(bones, f"hand.{side}", f"wrist_inner_{s}", f"wrist_outer_{s}")
    bones = on_the_ground(bones, "root")
    hang(bones, "root", "ik_foot_root", "ik_hand_root", *(("interaction", "center_of_mass") if new else ()))
    bones["ik_hand_gun"] = ("ik_hand_root", *bones["hand.R"][1:])
    for side, s in (("L", "l"), ("R", "r")):
        bones[f"ik_foot_{s}"] = ("ik_foot_root", *bones[f"foot.{side}"][1:])
        bones[f"ik_hand_{s}"] = ("ik_hand_gun", *bones[f"hand.{side}"][1:])
    return known(bones, names)


VRM = """
    shoulder {s}Shoulder
    upper_arm {s}UpperArm
    forearm {s}LowerArm
    hand {s}Hand
    thigh {s}UpperLeg
    shin {s}LowerLeg
    foot {s}Foot
    toe {s}Toes
"""
VRM_FINGERS = {"thumb": "Thumb", "index": "Index", "middle": "Middle", "ring": "Ring", "little": "Little"}


def vroid() -> Known:
    names = middle(pelvis="Hips", spine_1="Spine", spine_2="Chest", chest="UpperChest", neck_1="Neck", head="Head")
    names = {role: f"J_Bip_C_{name}" for role, name in names.items()}
    names |= sided(VRM.replace("Toes", "ToeBase").replace("{s}", "J_Bip_{s}_"), "L", "R")
    names |= fingers("J_Bip_{s}_{f}{n}", "L", "R", **VRM_FINGERS)
    bones = body()
    hang(bones, "head", "J_Adj_L_FaceEye", "J_Adj_R_FaceEye", "J_Sec_Hair1_01")
    hang(bones, "J_Sec_Hair1_01", "J_Sec_Hair2_01")
    hang(bones, "chest", "J_Sec_L_Bust1", "J_Sec_R_Bust1")
    return known(on_the_ground(bones, "Root"), names)


def vrm(version: int) -> Known:
    names = middle(pelvis="hips", spine_1="spine", spine_2="chest", chest="upperChest", neck_1="neck", head="head")
    names |= sided(VRM, "left", "right")
    thumb = ("Metacarpal", "Proximal", "Distal") if version == 1 else ("Proximal", "Intermediate", "Distal")
    for finger, word in VRM_FINGERS.items():
        joints = thumb if finger == "thumb" else ("Proximal", "Intermediate", "Distal")
        for joint, name in zip(JOINTS, joints, strict=True):
            names |= sided(f"{finger}.{joint} {{s}}{word}{name}", "left", "right")
    bones = body()
    hang(bones, "head", "leftEye", "rightEye", "jaw")
    return known(bones, names)


def asf() -> Known:
    """Its hand has four bones; the first, the wrist, carries the others."""
    names = middle(pelvis="root", spine_1="lowerback", spine_2="upperback", chest="thorax")
    names |= middle(neck_1="lowerneck", neck_2="upperneck", head="head")
    names |= sided(
        """
        shoulder {s}clavicle
        upper_arm {s}humerus
        forearm {s}radius
        hand {s}wrist
        thumb.1 {s}thumb
        thigh {s}femur
        shin {s}tibia
        foot {s}foot
        toe {s}toes
        """,
        "l",
        "r",
    )
    full = longer(2, 2)
    bones = {name: bone for name, bone in full.items() if name.split(".")[0] not in FINGERS or name[:7] == "thumb.1"}
    for side, s in (("L", "l"), ("R", "r")):
        hang(bones, f"hand.{side}", f"{s}hand")
        hang(bones, f"{s}hand", f"{s}fingers")
        between(bones, f"thigh.{side}", f"{s}hipjoint")
    return known(bones, names)


def daz(generation: int) -> Known:
    """Below the hip is a pelvis that carries the legs alone. In 8, limbs bend in one bone and twist in the next."""
    new = generation == 9
    trunk = ("spine1", "spine2", "spine3", "spine4", "neck1", "neck2") if new else ()
    trunk = trunk or ("abdomenLower", "abdomenUpper", "chestLower", "chestUpper", "neckLower", "neckUpper")
    names = {"pelvis": "hip", "head": "head"}
    names |= dict(zip(("spine.1", "spine.2", "spine.3", "chest", "neck.1", "neck.2"), trunk, strict=True))
    old_limbs = "Collar ShldrBend ForearmBend Hand ThighBend Shin Foot Toe"
    new_limbs = "_shoulder _upperarm _forearm _hand _thigh _shin _foot _toes"
    parts = ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
    for part, name in zip(parts, (new_limbs if new else old_limbs).split(), strict=True):
        names |= sided(f"{part} {{s}}{name}", "l", "r")
    words = {"thumb": "Thumb", "index": "Index", "middle": "Mid", "ring": "Ring", "little": "Pinky"}
    words = {finger: f"_{word.lower()}" if new else word for finger, word in words.items()}
    names |= fingers("{s}{f}{n}", "l", "r", **words)
    bones = longer(3, 2)
    _, hip, _ = bones["pelvis"]
    bones["lower"] = ("pelvis", hip, (hip[0], hip[1], hip[2] - 0.1))
    for side, s in (("L", "l"), ("R", "r")):
        _, head, tail = bones[f"thigh.{side}"]
        bones[f"thigh.{side}"] = ("lower", head, tail)
        _daz_limbs(bones, side, s, new)
        for number, finger in enumerate(FINGERS[1:], start=1):
            palm = f"{s}{words[finger]}metacarpal" if new else f"{s}Carpal{number}"
            between(bones, f"{finger}.1.{side}", palm)
        between(bones, f"toe.{side}", f"{s}_metatarsal" if new else f"{s}Metatarsals")
        toes = ("bigtoe1", "indextoe1", "midtoe1", "ringtoe1", "pinkytoe1")
        old_toes = ("BigToe", "SmallToe1", "SmallToe2", "SmallToe3", "SmallToe4")
        hang(bones, f"toe.{side}", *(f"{s}_{toe}" for toe in toes) if new else (f"{s}{toe}" for toe in old_toes))
        hang(bones, "chest", f"{s}_pectoral" if new else f"{s}Pectoral")
        hang(bones, "head", f"{s}_eye" if new else f"{s}Eye", f"{s}_ear" if new else f"{s}Ear")
    return Known(renamed(bones, names | {"lower": "pelvis"}), names)


def _daz_limbs(bones: Bones, side: str, s: str, new: bool) -> None:
    for part, below, word in (
        ("upper_arm", "forearm", "Shldr"),
        ("forearm", "hand", "Forearm"),
        ("thigh", "shin", "Thigh"),
    ):
        if new:
            twist = f"{s}_{'upperarm' if word == 'Shldr' else word.lower()}twist"
            along(bones, f"{part}.{side}", f"{twist}1", f"{twist}2")
        else:
            between(bones, f"{below}.{side}", f"{s}{word}Twist")


KNOWN = {
    "Mixamo": mixamo("mixamorig:"),
    "Mixamo, a second character": mixamo("mixamorig1:"),
    "Mixamo, through programs that take the colon away": mixamo("mixamorig"),
    "Mixamo without its prefix": mixamo(""),
    "Unreal 4": unreal(4),
    "Unreal 5": unreal(5),
    "VRoid": vroid(),
    "VRM 0 humanoid": vrm(0),
    "VRM 1 humanoid": vrm(1),
    "CMU's ASF": asf(),
    "Daz Genesis 3 and 8": daz(8),
    "Daz Genesis 9": daz(9),
}
