"""The mannequin: a wooden figure as draughtsmen use it, in bones and turned parts. Dedicated to the public: CC0.

Metres, of a figure 1.75 m tall that faces -Y and stands on z = 0, arms hanging out at 45°. Of pairs, the left.
`bridge/mannequin/` makes a character of it.
"""

from typing import NamedTuple

Place = tuple[float, float, float]

HEIGHT = 1.75
WOOD, JOINT, WAIST = range(3)
MATERIALS = {  # in this order; name: colour (linear RGB), roughness
    "Mannequin Wood": ((0.58, 0.345, 0.165), 0.40),
    "Mannequin Joints": ((0.10, 0.052, 0.030), 0.38),
    "Mannequin Waist": ((0.27, 0.14, 0.065), 0.42),
}

UP = (0.0, 0.0, 1.0)
FRONT = (0.0, -1.0, 0.0)


class Bone(NamedTuple):
    """A bone at rest."""

    name: str
    parent: str
    head: Place
    tail: Place
    z_axis: Place = FRONT  # where its Z axis points, as far as it can


class Station(NamedTuple):
    """A cross-section of a part: how far it reaches to four sides of its middle."""

    at: float  # along the part's axis
    out: float
    inward: float
    front: float
    back: float
    square: float = 2.0  # exponent of the superellipse: 2 is round, more is squarer
    to_front: float = 0.0  # where its middle is, beside the axis
    to_out: float = 0.0


class Part(NamedTuple):
    """A closed surface through stations along an axis, with a dome at either end."""

    material: int
    bones: tuple[tuple[str, float], ...]  # who moves it, and where along the axis each begins to
    stations: tuple[Station, ...]
    domes: tuple[float, float]  # how far the ends stand out
    axis: tuple[Place, Place] | None = None  # a place and a direction; None: along the first of its bones
    front: Place = FRONT
    paired: bool = True
    sides: int = 28


MIDDLE = (
    Bone("pelvis", "", (0, 0.005, 0.955), (0, 0.0, 1.045)),
    Bone("spine.1", "pelvis", (0, 0.0, 1.045), (0, 0.002, 1.125)),
    Bone("spine.2", "spine.1", (0, 0.002, 1.125), (0, 0.008, 1.215)),
    Bone("chest", "spine.2", (0, 0.008, 1.215), (0, 0.028, 1.455)),
    Bone("neck", "chest", (0, 0.028, 1.455), (0, 0.012, 1.545)),
    Bone("head", "neck", (0, 0.012, 1.545), (0, 0.0, 1.75)),
)
LEFT = (
    Bone("shoulder", "chest", (0.022, -0.012, 1.415), (0.158, 0.018, 1.412)),
    Bone("upper_arm", "shoulder", (0.178, 0.018, 1.398), (0.3815, 0.030, 1.1945)),
    Bone("forearm", "upper_arm", (0.3815, 0.030, 1.1945), (0.562, -0.004, 1.014)),
    Bone("hand", "forearm", (0.562, -0.004, 1.014), (0.622, -0.006, 0.954)),
    Bone("thigh", "pelvis", (0.093, 0.005, 0.925), (0.103, -0.008, 0.495)),
    Bone("shin", "thigh", (0.103, -0.008, 0.495), (0.112, 0.024, 0.082)),
    Bone("foot", "shin", (0.112, 0.024, 0.082), (0.122, -0.112, 0.020), UP),
    Bone("toe", "foot", (0.122, -0.112, 0.020), (0.127, -0.178, 0.014), UP),
)


class Finger(NamedTuple):
    """A finger in the axes of its hand: along it, to the thumb's side, to its back."""

    begins: Place
    points: Place
    lengths: tuple[float, float, float]
    thick: float  # its radius where it begins


FINGERS = {
    "index": Finger((0.090, 0.0315, 0.001), (0.985, 0.09, -0.14), (0.042, 0.026, 0.021), 0.0094),
    "middle": Finger((0.094, 0.0105, 0.002), (0.988, 0.02, -0.15), (0.046, 0.029, 0.022), 0.0097),
    "ring": Finger((0.091, -0.0105, 0.001), (0.986, -0.05, -0.16), (0.043, 0.027, 0.021), 0.0092),
    "little": Finger((0.083, -0.0305, -0.001), (0.975, -0.12, -0.18), (0.034, 0.020, 0.018), 0.0081),
    "thumb": Finger((0.020, 0.026, -0.010), (0.74, 0.62, -0.27), (0.044, 0.033, 0.026), 0.0120),
}
CURL = 0.16  # radians that each bone of a finger is bent against the one before
TAPER = 0.9  # of a finger's thickness from joint to joint

# Of each toe from the great one on: where it begins and ends, its radius.
TOES: tuple[tuple[Place, Place, float], ...] = (
    ((0.100, -0.135, 0.015), (0.101, -0.182, 0.0145), 0.0150),
    ((0.122, -0.140, 0.012), (0.124, -0.180, 0.0110), 0.0105),
    ((0.139, -0.134, 0.011), (0.142, -0.170, 0.0100), 0.0097),
    ((0.154, -0.126, 0.010), (0.158, -0.157, 0.0095), 0.0092),
    ((0.167, -0.116, 0.010), (0.172, -0.143, 0.0090), 0.0088),
)

# Joints that are seen as balls: the bone that begins there, and the radius.
BALLS = {"forearm": 0.0355, "hand": 0.0245, "shin": 0.0475, "foot": 0.0345}

_VERTICAL = ((0.0, 0.0, 0.0), UP)
_FOOT = ((0.118, 0.080, 0.0), FRONT)


def _even(at: float, wide: float, front: float, back: float, square: float = 2.0, to_front: float = 0.0) -> Station:
    return Station(at, wide, wide, front, back, square, to_front)


PARTS = {
    "head": Part(
        WOOD,
        (("head", 0.0),),
        (
            _even(1.535, 0.036, 0.034, 0.050, 2.2, 0.052),
            _even(1.552, 0.048, 0.048, 0.072, 2.3, 0.042),
            _even(1.578, 0.059, 0.068, 0.090, 2.3, 0.024),
            _even(1.612, 0.068, 0.086, 0.102, 2.2, 0.010),
            _even(1.650, 0.0745, 0.094, 0.107, 2.1, 0.003),
            _even(1.676, 0.0755, 0.094, 0.108, 2.0),
        ),
        (0.014, 0.074),
        _VERTICAL,
        paired=False,
        sides=64,
    ),
    "neck": Part(
        JOINT,
        (("chest", 1.40), ("neck", 1.465), ("head", 1.55)),
        (
            _even(1.43, 0.062, 0.056, 0.060, 2.0, -0.022),
            _even(1.465, 0.053, 0.051, 0.054, 2.0, -0.020),
            _even(1.51, 0.0485, 0.049, 0.051, 2.0, -0.012),
            _even(1.57, 0.050, 0.050, 0.053, 2.0, -0.004),
        ),
        (0.02, 0.02),
        _VERTICAL,
        paired=False,
    ),
    "chest": Part(
        WOOD,
        (("chest", 0.0),),
        (
            _even(1.175, 0.112, 0.078, 0.076, 2.3, -0.004),
            _even(1.215, 0.129, 0.098, 0.090, 2.4, -0.006),
            _even(1.285, 0.149, 0.116, 0.104, 2.5, -0.010),
            _even(1.350, 0.166, 0.118, 0.110, 2.5, -0.014),
            _even(1.398, 0.172, 0.102, 0.106, 2.4, -0.018),
            _even(1.430, 0.150, 0.080, 0.094, 2.2, -0.022),
            _even(1.456, 0.102, 0.062, 0.076, 2.0, -0.024),
            _even(1.484, 0.062, 0.055, 0.062, 2.0, -0.021),
        ),
        (0.020, 0.010),
        _VERTICAL,
        paired=False,
        sides=40,
    ),
    "belly": Part(
        WAIST,
        (("pelvis", 0.99), ("spine.1", 1.06), ("spine.2", 1.13), ("chest", 1.20)),
        (
            _even(1.00, 0.122, 0.085, 0.085, 2.2),
            _even(1.05, 0.115, 0.089, 0.077, 2.2),
            _even(1.11, 0.1035, 0.083, 0.070, 2.2),
            _even(1.16, 0.1035, 0.079, 0.071, 2.2, -0.004),
            _even(1.22, 0.108, 0.082, 0.076, 2.2, -0.006),
        ),
        (0.02, 0.02),
        _VERTICAL,
        paired=False,
        sides=40,
    ),
    "pelvis": Part(
        WOOD,
        (("pelvis", 0.0),),
        (
            _even(0.862, 0.060, 0.066, 0.080, 2.2, -0.006),
            _even(0.890, 0.130, 0.086, 0.108, 2.4, -0.006),
            _even(0.930, 0.160, 0.096, 0.120, 2.4, -0.006),
            _even(0.975, 0.161, 0.098, 0.112, 2.4, -0.003),
            _even(1.015, 0.145, 0.094, 0.094, 2.3),
            _even(1.040, 0.129, 0.086, 0.084, 2.3),
        ),
        (0.020, 0.016),
        _VERTICAL,
        paired=False,
        sides=40,
    ),
    "upper_arm": Part(
        WOOD,
        (("upper_arm", 0.0),),
        (
            Station(0.000, 0.053, 0.050, 0.053, 0.053),
            Station(0.050, 0.054, 0.048, 0.055, 0.053),
            Station(0.120, 0.047, 0.044, 0.052, 0.048),
            Station(0.205, 0.039, 0.039, 0.044, 0.042),
            Station(0.255, 0.035, 0.035, 0.039, 0.038),
        ),
        (0.052, 0.009),
    ),
    "forearm": Part(
        WOOD,
        (("forearm", 0.0),),
        (
            Station(0.032, 0.036, 0.036, 0.038, 0.037),
            Station(0.080, 0.041, 0.039, 0.042, 0.041),
            Station(0.150, 0.034, 0.033, 0.038, 0.037),
            Station(0.215, 0.024, 0.024, 0.031, 0.030),
            Station(0.236, 0.023, 0.023, 0.029, 0.028),
        ),
        (0.009, 0.007),
    ),
    "hand": Part(
        WOOD,
        (("hand", 0.0),),
        (
            Station(0.016, 0.0155, 0.0150, 0.026, 0.024, 2.4),
            Station(0.040, 0.0155, 0.0175, 0.036, 0.034, 2.6),
            Station(0.070, 0.0140, 0.0150, 0.0405, 0.038, 2.8),
            Station(0.090, 0.0110, 0.0110, 0.0395, 0.036, 2.8),
        ),
        (0.008, 0.007),
        sides=24,
    ),
    "thigh": Part(
        WOOD,
        (("thigh", 0.0),),
        (
            Station(0.000, 0.080, 0.076, 0.084, 0.086),
            Station(0.060, 0.083, 0.079, 0.089, 0.090),
            Station(0.140, 0.079, 0.076, 0.088, 0.083),
            Station(0.250, 0.066, 0.064, 0.076, 0.068),
            Station(0.345, 0.053, 0.054, 0.059, 0.055),
            Station(0.388, 0.048, 0.048, 0.051, 0.049),
        ),
        (0.080, 0.012),
    ),
    "shin": Part(
        WOOD,
        (("shin", 0.0),),
        (
            Station(0.040, 0.046, 0.046, 0.046, 0.047),
            Station(0.090, 0.052, 0.050, 0.046, 0.060),
            Station(0.150, 0.051, 0.048, 0.046, 0.064),
            Station(0.240, 0.040, 0.038, 0.041, 0.048),
            Station(0.330, 0.031, 0.031, 0.034, 0.036),
            Station(0.378, 0.031, 0.031, 0.033, 0.034),
        ),
        (0.012, 0.009),
    ),
    "foot": Part(  # from the heel on; its front is up
        WOOD,
        (("foot", 0.0),),
        (
            Station(0.030, 0.030, 0.029, 0.037, 0.036, 2.2, 0.030),
            Station(0.058, 0.034, 0.033, 0.041, 0.040, 2.4, 0.030),
            Station(0.085, 0.036, 0.034, 0.044, 0.040, 2.5, 0.028),
            Station(0.130, 0.042, 0.040, 0.036, 0.036, 2.5, 0.022, 0.004),
            Station(0.172, 0.047, 0.045, 0.026, 0.028, 2.6, 0.016, 0.008),
            Station(0.186, 0.046, 0.044, 0.022, 0.024, 2.6, 0.014, 0.009),
        ),
        (0.030, 0.012),
        _FOOT,
        UP,
    ),
    "toe": Part(
        WOOD,
        (("toe", 0.0),),
        (
            Station(0.194, 0.046, 0.044, 0.020, 0.022, 2.6, 0.013, 0.010),
            Station(0.212, 0.046, 0.042, 0.015, 0.020, 2.6, 0.012, 0.011),
            Station(0.226, 0.038, 0.036, 0.011, 0.018, 2.6, 0.010, 0.008),
        ),
        (0.014, 0.008),
        _FOOT,
        UP,
    ),
    "ear": Part(
        WOOD,
        (("head", 0.0),),
        (
            Station(-0.014, 0.006, 0.010, 0.010, 0.010),
            Station(0.004, 0.009, 0.012, 0.015, 0.015),
            Station(0.018, 0.009, 0.012, 0.015, 0.017),
        ),
        (0.012, 0.012),
        ((0.0725, 0.014, 1.628), UP),
        sides=16,
    ),
}


class Bump(NamedTuple):
    """How a face is formed: its front comes forward (or goes back) about a place."""

    x: float
    z: float
    wide: float
    high: float
    by: float


FACE = (
    Bump(0.0, 1.612, 0.0080, 0.016, 0.014),  # nose
    Bump(0.0, 1.601, 0.0105, 0.0075, 0.011),
    Bump(0.029, 1.640, 0.014, 0.010, -0.0085),  # eyes
    Bump(-0.029, 1.640, 0.014, 0.010, -0.0085),
    Bump(0.0, 1.664, 0.040, 0.007, 0.0035),  # brow
    Bump(0.0, 1.574, 0.017, 0.005, 0.0035),  # mouth
    Bump(0.0, 1.563, 0.016, 0.0035, -0.003),
    Bump(0.0, 1.548, 0.016, 0.008, 0.004),  # chin
)
# Where the chest begins to go with the shoulders, and where it does no more: from the middle, and up.
SHOULDERS = ((0.075, 0.175), (1.33, 1.43))
