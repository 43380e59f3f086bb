"""What a joint can do: the kinds of motion between a body and its parent, and a joint with its place in the tree.

A motion translates along the axes of the joint's rest frame, then rotates. All angles are in radians, all lengths in
metres. A locked axis is no variable; it keeps a fixed value, zero unless said otherwise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .errors import PosewrightError

Limits: TypeAlias = tuple[float, float]
FREE: Limits = (-math.inf, math.inf)
HALF_TURN: Limits = (-math.pi, math.pi)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


class Kind(IntEnum):
    """How the rotation variables become a rotation; what the kernels switch on."""

    NONE = 0
    HINGE = 1  # about any axis
    SLIDE = 2  # along any axis
    EULER = 3  # three angles in one of six orders
    SWING_ELLIPSE = 4  # swing inside an ellipse per quadrant, then twist
    SWING_X_FIRST = 5  # swing inside a box, x held exactly as Blender's IK does; then twist
    SWING_Z_FIRST = 6
    VECTOR = 7  # rotation vector: no limits, no singularity short of a full turn


@dataclass(frozen=True)
class Slot:
    """One of the six axes of a motion: a variable with its limits or, with `limits` None, a fixed value."""

    name: str
    limits: Limits | None
    held: float = 0.0


@dataclass(frozen=True)
class Motion:
    """What the kernels need of a motion; made by the functions below."""

    kind: Kind
    slots: tuple[Slot, ...] = ()  # the rotation's axes; of HINGE and SLIDE, the one
    translation: tuple[Slot, ...] = ()  # along x, y, z of the rest frame
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    order: int = 0


def _slot(name: str, limits: Limits | None, widest: Limits) -> Slot:
    """A variable; missing ends of its limits are those of `widest`."""
    if limits is None:
        return Slot(name, None)
    return Slot(name, (max(limits[0], widest[0]), min(limits[1], widest[1])))


def Fixed() -> Motion:  # noqa: N802 - these functions are named like the kinds of joint that they make
    """No motion at all."""
    return Motion(Kind.NONE)


def Hinge(axis: str | Sequence[float] = "x", limits: Limits = FREE) -> Motion:  # noqa: N802
    """One angle about an axis: "x", "y", "z" or a vector in the rest frame."""
    return Motion(Kind.HINGE, (Slot("angle", limits),), axis=_unit(axis))


def Prismatic(axis: str | Sequence[float] = "x", limits: Limits = FREE) -> Motion:  # noqa: N802
    """One distance along an axis: "x", "y", "z" or a vector in the rest frame."""
    return Motion(Kind.SLIDE, (Slot("distance", limits),), axis=_unit(axis))


def EulerBall(  # noqa: N802
    order: str = "XYZ",
    x: Limits | None = FREE,
    y: Limits | None = FREE,
    z: Limits | None = FREE,
    translation: Sequence[Limits | None] = (None, None, None),
) -> Motion:
    """Three angles; "XYZ" turns about x first, as Blender's rotation modes do. None locks an axis."""
    if order not in ORDERS:
        raise PosewrightError(f"unknown rotation order {order!r}; the orders are {', '.join(ORDERS)}")
    slots = (Slot("x", x), Slot("y", y), Slot("z", z))
    return Motion(Kind.EULER, slots, _translation(translation), order=ORDERS.index(order))


def TwoAxis(axes: str = "XZ", first: Limits = FREE, second: Limits = FREE) -> Motion:  # noqa: N802
    """Two angles: "XZ" turns about x, then about z; any two different axes."""
    if len(axes) != 2 or not set(axes) < set("XYZ") or axes[0] == axes[1]:
        raise PosewrightError(f"two different axes out of X, Y and Z, please, such as 'XZ'; not {axes!r}")
    limits = {axes[0].lower(): first, axes[1].lower(): second}
    order = next(order for order in ORDERS if order.startswith(axes))
    return EulerBall(order, limits.get("x"), limits.get("y"), limits.get("z"))


def Ball(  # noqa: N802
    swing_x: Limits | None = FREE,
    swing_z: Limits | None = FREE,
    twist: Limits | None = FREE,
    region: str = "ellipse",
    translation: Sequence[Limits | None] = (None, None, None),
) -> Motion:
    """Swing about x and z, after a twist about the bone (y): R = Swing(x, z) · Twist(y). None locks an axis.

    With region "ellipse" the swing stays in an ellipse per quadrant, in the sine of the half angle, where both its
    axes are limited: what `ik_min` and `ik_max` mean in Blender. With "box" each axis is limited by itself.
    """
    if region not in {"ellipse", "box"}:
        raise PosewrightError(f"unknown region {region!r}; the regions are ellipse, box")
    slots = (_slot("swing_x", swing_x, HALF_TURN), Slot("twist", twist), _slot("swing_z", swing_z, HALF_TURN))
    limited_x, limited_z = swing_x not in {None, FREE}, swing_z not in {None, FREE}
    if region == "ellipse" and limited_x and limited_z:
        kind = Kind.SWING_ELLIPSE
    elif limited_z and not limited_x:
        kind = Kind.SWING_Z_FIRST
    elif limited_x or twist != FREE or swing_x is None or swing_z is None:
        kind = Kind.SWING_X_FIRST
    else:
        return Free(translation)
    return Motion(kind, slots, _translation(translation))


def Free(translation: Sequence[Limits | None] = (FREE, FREE, FREE)) -> Motion:  # noqa: N802
    """Any rotation, and translation along the axes that are not None: the hips, a sliding root.

    The rotation is a rotation vector, so a character may turn right round; its variables have no limits.
    """
    slots = (Slot("rx", FREE), Slot("ry", FREE), Slot("rz", FREE))
    return Motion(Kind.VECTOR, slots, _translation(translation))


def _translation(limits: Sequence[Limits | None]) -> tuple[Slot, ...]:
    if len(limits) != 3:
        raise PosewrightError(f"translation takes three limits, for x, y and z; not {len(limits)}")
    return tuple(Slot(name, limit) for name, limit in zip(("tx", "ty", "tz"), limits, strict=True))


def _unit(axis: str | Sequence[float]) -> tuple[float, float, float]:
    if isinstance(axis, str):
        if axis not in AXES:
            raise PosewrightError(f"unknown axis {axis!r}; the axes are x, y, z, or a vector")
        return AXES[axis]
    vector = np.asarray(axis, float)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else math.nan
    if not (math.isfinite(length) and length > 0.0):
        raise PosewrightError(f"an axis is a vector of three finite numbers, not all zero; not {axis!r}")
    x, y, z = (vector / length).tolist()
    return x, y, z


@dataclass(frozen=True)
class Joint:
    """A body and how it hangs on its parent.

    Args:
        name: unique in the tree.
        parent: the parent's name; None for a root.
        rest: [4, 4] rigid transform of the joint's rest frame in its parent's frame (of a root, in the tree's space).
            Of a steady joint, the place is in its parent's frame, the rotation in the tree's space.
        motion: what it can do.
        stiffness: how unwilling each variable is to leave its rest value: one number for all, or one a variable.
        rest_values: where redundancy settles: one number for all, or one a variable; radians or metres.
        velocity: the fastest change a second, in clips: one number for all, or one a variable.
        held: fixed values of locked axes by name ("swing_x", "tz"), where they are not zero.
        steady: it is carried along by its parent, but not turned: only its own motion turns it.
    """

    name: str
    parent: str | None = None
    rest: ArrayLike = field(default_factory=lambda: np.eye(4))
    motion: Motion = field(default_factory=Ball)
    stiffness: float | Sequence[float] = 1.0
    rest_values: float | Sequence[float] = 0.0
    velocity: float | Sequence[float] = math.inf
    held: dict[str, float] = field(default_factory=dict)
    steady: bool = False
