"""What bones are called: the words of known skeletons for the parts of a body.

Read from rigs at hand: MakeHuman (default, game engine, cmu_mb), Rigify's human metarig and the rig generated from it,
a VRM 0 file, CMU's motion as BVH. Held against published lists of bones, whole skeletons of which are in the tests
(known_skeletons.py): Mixamo, Unreal's mannequins of 4 and 5, VRoid, VRM 0 and 1, CMU's ASF, Daz Genesis 3, 8 and 9.

Words are small letters without gaps, numbers and side. They must fit as a whole: one more, as in `hand_ik`,
`thigh_twist` or `head_end`, and it is an extra bone.
"""

# Parts that come twice, left and right. The first words are certain; those after None hold if nothing better is there.
PAIRED: dict[str, tuple[str | None, ...]] = {
    "shoulder": ("clavicle", "collar", "collarbone", None, "shoulder"),
    "upper_arm": ("upperarm", "uparm", "humerus", "shldr", "armupper", None, "arm", "shoulder"),
    "forearm": ("forearm", "lowerarm", "lowarm", "elbow", "radius", "armlower", None, "arm"),
    "hand": ("hand", "wrist"),
    "thumb": ("thumb", "handthumb", "thumbfinger"),
    "index": ("index", "handindex", "indexfinger", "fingerindex"),
    "middle": ("middle", "handmiddle", "middlefinger", "mid", "fingermiddle"),
    "ring": ("ring", "handring", "ringfinger", "fingerring"),
    "little": ("little", "pinky", "handpinky", "littlefinger", "pinkyfinger", "fingerpinky"),
    "thigh": ("thigh", "upleg", "upperleg", "femur", "legupper", None, "leg", "hip"),
    "shin": ("shin", "calf", "lowerleg", "lowleg", "tibia", "knee", "leglower", None, "leg"),
    "foot": ("foot", "ankle"),
    "toe": ("toe", "toes", "toebase", "ball"),
}
# Parts in the middle. Which of the trunk's bones is the chest, the body's build says: the one that carries the arms.
MIDDLE: dict[str, tuple[str, ...]] = {
    "pelvis": ("pelvis", "hips", "hip"),
    "trunk": (
        *("spine", "chest", "upperchest", "lowerchest", "torso", "thorax", "abdomen", "back", "lowerback", "upperback"),
        *("abdomenlower", "abdomenupper", "chestlower", "chestupper", "waist", "ribcage"),
    ),
    "neck": ("neck", "lowerneck", "upperneck", "necklower", "neckupper"),
    "head": ("head", "skull"),
}
# MakeHuman counts fingers: finger1 is the thumb.
COUNTED_FINGERS = ("thumb", "index", "middle", "ring", "little")
FINGER_BONES = 3  # what comes behind marks the tip, whatever it is called: Mixamo's LeftHandIndex4

# Words that say nothing: prefixes of programs, and what stands behind any bone.
SILENT = {"mixamorig", "bip", "j", "b", "f", "c", "bone", "joint", "jnt", "bind", "def", "base", "sk", "cc", "bend"}
SILENT |= {"proximal", "intermediate", "distal", "finger"}

METACARPAL = "metacarpal"  # the first bone of a thumb, extra in a palm

# Rigs known by their very names: if all of these are there, the bones below have their roles whatever else names say.
KNOWN_BY: dict[str, tuple[str, ...]] = {
    "Rigify metarig": ("spine.003", "spine.006", "upper_arm.L", "thigh.L", "shoulder.L"),
    "MakeHuman default": ("root", "spine05", "pelvis.L", "upperleg01.L"),
}
BY_VERY_NAME: dict[str, dict[str, str]] = {
    "Rigify metarig": {
        "pelvis": "spine",
        "spine.1": "spine.001",
        "spine.2": "spine.002",
        "chest": "spine.003",
        "neck.1": "spine.004",
        "neck.2": "spine.005",
        "head": "spine.006",
    },
    "MakeHuman default": {"pelvis": "root"},
}

# A generated Rigify rig: limbs on their FK controls, the trunk on `torso` and the FK controls above it, which carry the
# arms and the head. `chest` and `hips` steer what those hang on, through constraints.
RIGIFY_KNOWN_BY = ("torso", "hips", "upper_arm_fk.L", "thigh_fk.L", "MCH-spine")
RIGIFY_MIDDLE = {
    "pelvis": "torso",
    "spine.1": "spine_fk.002",
    "chest": "spine_fk.003",
    "neck.1": "neck",
    "head": "head",
}
RIGIFY_PAIRED = {
    "shoulder": "shoulder",
    "upper_arm": "upper_arm_fk",
    "forearm": "forearm_fk",
    "hand": "hand_fk",
    "thigh": "thigh_fk",
    "shin": "shin_fk",
    "foot": "foot_fk",
    "toe": "toe_fk",
    **{f"thumb.{number}": f"thumb.0{number}" for number in (1, 2, 3)},
    **{f"index.{number}": f"f_index.0{number}" for number in (1, 2, 3)},
    **{f"middle.{number}": f"f_middle.0{number}" for number in (1, 2, 3)},
    **{f"ring.{number}": f"f_ring.0{number}" for number in (1, 2, 3)},
    **{f"little.{number}": f"f_pinky.0{number}" for number in (1, 2, 3)},
}
RIGIFY_STAYING = (
    *("chest", "hips", "spine_fk", "spine_fk.001"),
    *("tweak_spine", "tweak_spine.001", "tweak_spine.002", "tweak_spine.003"),
)
RIGIFY_LIMBS = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin", "foot", "toe")}
