"""How far people bend: bend, twist and side of each joint in degrees, of the left side, with where each figure is from.

They are counted from the neutral pose (`motion/anatomy.py`): standing upright, arms hanging out at 45°, thighs 45°
forward, elbows and knees straight, thumbs forward. Positive: flexion of trunk, neck, arms, legs and fingers, lifting of
shoulders, feet and toes; twist inward, of the trunk to the left; side outward, of the trunk to the right, of hands to
the thumb.

    A  American Academy of Orthopaedic Surgeons: Joint Motion, Method of Measuring and Recording, 1965
    B  Boone, Azen: Normal Range of Motion of Joints in Male Subjects, J. Bone Joint Surg. 61-A, 1979
    K  Kapandji: The Physiology of the Joints
    C  captured people: what the clips behind human_habits.json do beyond that, 0.5 % of their frames at either end left
       out. Taken from that file, so not written here
    R  room for rigs: what models need that have fewer joints than people, or others

None is an axis about which the joint does not turn: it keeps the angle that it has.
"""

from typing import NamedTuple

Range = tuple[float, float]


class Joint(NamedTuple):
    """Degrees, and the sources of the lower and the upper ends."""

    bend: Range | None
    twist: Range | None
    side: Range | None
    sources: str


JOINTS = {
    # All bones from pelvis to chest together: flexion 80, extension 25, lateral 35, rotation 45.
    "spine": Joint((-25, 80), (-45, 45), (-35, 35), "bend A A, twist A A, side A A"),
    # All bones from chest to head together: flexion 45 (K: 50), extension 45 (K: 80), lateral 45, rotation 60 (K: 80).
    "neck": Joint((-60, 50), (-80, 80), (-45, 45), "bend K K, twist K K, side A A"),
    # Of the clavicle: up 40, down 10, forward 30, backward 30.
    "shoulder": Joint((-10, 40), None, (-30, 30), "bend K K, side K K"),
    # From 45° out: horizontal flexion 135, backward 45 and 15 more; abduction 180 (135 from there), adduction 45 from
    # the hanging arm, which is at -45; rotation inward 70, outward 90.
    "upper_arm": Joint((-60, 135), (-90, 70), (-90, 135), "bend R A, twist A A, side A A"),
    # Flexion 150; pronation and supination 80 each, shared with the hand.
    "forearm": Joint((0, 150), (-45, 45), None, "bend A A, twist A A"),
    # Flexion 80, extension 70, toward the thumb 20, the other way 30.
    "hand": Joint((-70, 80), (-45, 45), (-30, 20), "bend A A, twist A A, side A A"),
    # From 45° forward: flexion 120 active (A), 140 in a squat, the thigh on the belly (K: 145 when pushed), that is
    # 95 from there; extension 30; abduction 45, adduction 30; rotation 45 each.
    "thigh": Joint((-75, 95), (-45, 45), (-30, 45), "bend A K, twist A A, side A A"),
    # Flexion 135 active (A), 155 in a squat (K: 160 when pushed).
    "shin": Joint((0, 155), None, None, "bend A K"),
    # Lifting 20 (K: 30 with the knee bent), pointing 50; inversion 35, eversion 15; toes out and in 35 with the leg.
    "foot": Joint((-50, 30), (-35, 15), (-35, 35), "bend A K, twist A A, side K K"),
    # Of the great toe: up 70, down 45.
    "toe": Joint((-45, 70), None, None, "bend A A"),
    # Flexion 90, extension 45 (R: 30, most models have no such hands); apart 20.
    **{
        f"{finger}.1": Joint((-30, 90), None, (-20, 20), "bend R A, side A A")
        for finger in ("index", "middle", "ring", "little")
    },
    **{f"{finger}.2": Joint((0, 100), None, None, "bend A A") for finger in ("index", "middle", "ring", "little")},
    **{f"{finger}.3": Joint((0, 90), None, None, "bend A A") for finger in ("index", "middle", "ring", "little")},
    # Counted from rest. At the wrist flexion 15, extension 20, apart 70 in all; then 50 and 80.
    "thumb.1": Joint((-20, 30), (-20, 20), (-35, 35), "bend A R, twist R R, side A A"),
    "thumb.2": Joint((-10, 50), None, None, "bend R A"),
    "thumb.3": Joint((-15, 80), None, None, "bend R A"),
}

# Of a chain, one bone may take more than its share: captured people bend most in the small of the back.
UNEVEN = 2.0

# Of creatures, every joint from a foot or the head to the trunk, counted from rest.
GENERIC = Joint((-60, 60), (-30, 30), (-60, 60), "bend R R, twist R R, side R R")
