"""Anatomical axes: the same words for the joints of every skeleton, whatever its rest pose, bone roll or proportions.

Each bone with a role has a frame of its own: y along the limb, x the axis about which it bends, z = x × y. Of hips,
spine and head it is the body's: left, up, forward. A joint is measured from the *neutral* pose: standing upright, feet
flat, arms hanging out at 45°, elbows and knees straight, thumbs forward. There its swing and twist are zero:

    M = Nᵀ (frame of the bone above)ᵀ (frame of the bone)

with N the same product in the neutral pose. Bending is positive for flexion, of ankles and toes for lifting them.

A right limb's frame is a left one's in the mirror, with x turned round so that it stays right-handed. So what is (bend,
twist, side) on the left is (bend, -twist, -side) on the right.

The rest pose is taken to stand upright with its feet flat and its trunk straight; arms may be anywhere. Where an elbow
or a knee is bent at rest, that shows its axis; where it is straight, arms bend forward and shins backward.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..solvers.errors import PosewrightError

Floats = NDArray[np.float64]

LEFT, UP, FORWARD = np.eye(3)  # the body's own axes; left × up = forward
MIRROR = np.array([1.0, -1.0, -1.0])  # of bend, twist and side
BENT = math.radians(10.0)  # a joint that is bent by more at rest shows its axis
SPLAYED = math.radians(15.0)  # legs that are spread by more at rest stand on no ground: their feet go with them
FINGERS = ("thumb", "index", "middle", "ring", "little")
TRUNK = ("pelvis", "spine", "chest", "neck", "head")
NEXT = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot", "foot": "toe"}
_MIDDLE_FIRST = ("middle", "ring", "index", "little")


def _columns(x: Floats, y: Floats) -> Floats:
    """The frame [3, 3] with y along `y` and x as near to `x` as can be."""
    y = y / np.linalg.norm(y)
    x = x - y * (x @ y)
    x = x / np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)


_ARM, _LEG = (LEFT - UP) / math.sqrt(2.0), (FORWARD - UP) / math.sqrt(2.0)
_NEUTRAL = {  # of the left side, in the body's axes
    **dict.fromkeys(TRUNK, np.eye(3)),
    "shoulder": _columns(FORWARD, LEFT),
    "upper_arm": _columns(np.cross(_ARM, FORWARD), _ARM),
    "forearm": _columns(np.cross(_ARM, FORWARD), _ARM),
    "hand": _columns(-FORWARD, _ARM),
    **dict.fromkeys(FINGERS, _columns(-FORWARD, _ARM)),
    "thigh": _columns(-LEFT, _LEG),
    "shin": _columns(LEFT, _LEG),
    "foot": _columns(-LEFT, FORWARD + UP),
    "toe": _columns(-LEFT, FORWARD + UP),
}


_KNOWN = re.compile(
    r"pelvis|chest|head|(spine|neck)\.\d{1,3}"
    r"|(shoulder|upper_arm|forearm|hand|thigh|shin|foot|toe|(thumb|index|middle|ring|little)\.\d)\.[LR]"
)


@dataclass(frozen=True)
class Bones:
    """A skeleton at rest, with its roles.

    Attributes:
        names: of the bones.
        parents: the place of each bone's parent, -1 for a root.
        heads, tails: [B, 3], where they are.
        turns: [B, 3, 3], their rest rotations.
        roles: the bone's name by its role: `pelvis`, `spine.2`, `upper_arm.L`.
    """

    names: Sequence[str]
    parents: Sequence[int]
    heads: Floats
    tails: Floats
    turns: Floats
    roles: Mapping[str, str]
    hinges: Mapping[str, Floats] = field(default_factory=dict)  # axes [3] of elbows and knees by role, where known


@dataclass(frozen=True)
class Axes:
    """How a bone's joint is measured: with R its own rotation out of rest, R = before · M · axesᵀ.

    Attributes:
        bone: its name.
        role: what it is.
        before: [3, 3].
        axes: [3, 3], the anatomical axes in the bone's own.
    """

    bone: str
    role: str
    before: Floats
    axes: Floats


def part(role: str) -> str:
    """`index.2.L` is an `index`."""
    return role.partition(".")[0]


def side(role: str) -> int:
    """1 for a left role, -1 for a right one, 0 for the middle."""
    return 1 if role.endswith(".L") else -1 if role.endswith(".R") else 0


def mirrored(role: str) -> Floats:
    """What bend, twist and side [3] of the left are to be multiplied by for this role's side."""
    return MIRROR if side(role) < 0 else np.ones(3)


def neutral(role: str) -> Floats:
    """The frame [3, 3] of a role in the neutral pose, in the body's axes."""
    left = _NEUTRAL[part(role)]
    return _other_side(left) if side(role) < 0 else left


def _other_side(frame: Floats) -> Floats:
    """A frame [3, 3] of the body's axes in the mirror, right-handed again."""
    return np.diag([-1.0, 1.0, 1.0]) @ frame @ np.diag([-1.0, 1.0, 1.0])


def measure(bones: Bones) -> list[Axes]:
    """The anatomical axes of every bone that has a role and hangs on another that has one.

    Raises an error where the skeleton does not show which way is up or left.
    """
    frames = _Rest(bones).frames()
    places = {name: place for place, name in enumerate(bones.names)}
    role_of = {bones.roles[role]: role for role in frames}
    found = []
    for role, frame in frames.items():
        place = places[bones.roles[role]]
        above = _above(bones, place, role_of)
        if above is not None:
            between = neutral(above).T @ neutral(role) if part(role) != "thumb" else frames[above].T @ frame
            before = bones.turns[place].T @ frames[above] @ between
            found.append(Axes(bones.roles[role], role, before, bones.turns[place].T @ frame))
    return found


def _above(bones: Bones, place: int, role_of: Mapping[str, str]) -> str | None:
    """The role of the nearest bone above that has one."""
    place = bones.parents[place]
    while place >= 0 and bones.names[place] not in role_of:
        place = bones.parents[place]
    return role_of[bones.names[place]] if place >= 0 else None


def _is_known(role: str) -> bool:
    """Whether a role is one of a body: the names in a stranger's file may be anything."""
    return bool(_KNOWN.fullmatch(role))


class _Rest:
    """A skeleton's frames in its rest pose."""

    def __init__(self, bones: Bones) -> None:
        places = {name: place for place, name in enumerate(bones.names)}
        self.place = {role: places[bone] for role, bone in bones.roles.items() if bone in places and _is_known(role)}
        self.bones = bones
        self.body = self._body()  # [3, 3], columns left, up, forward
        self.forward = self.body[:, 2]

    def frames(self) -> dict[str, Floats]:
        """By role, [3, 3] in the skeleton's space."""
        found = dict[str, Floats]()
        with np.errstate(invalid="ignore"):  # bones of no length have no direction, and then no frame
            for role in self.place:
                frame = self._frame(role)
                if frame is not None and np.isfinite(frame).all():
                    found[role] = frame
        return found

    def _head(self, role: str) -> Floats | None:
        return self.bones.heads[self.place[role]] if role in self.place else None

    def _body(self) -> Floats:
        pairs = ("thigh", "shin", "foot", "shoulder", "upper_arm")
        left: Floats = np.sum([self._between(f"{one}.R", f"{one}.L") for one in pairs], axis=0)
        low = self._middle(("thigh.L", "thigh.R"), ("pelvis",))
        high = self._middle(("upper_arm.L", "upper_arm.R"), ("head",), ("neck.1",), ("chest",))
        feet = self._middle(("foot.L", "foot.R"), ("shin.L", "shin.R"))
        up = np.zeros(3)
        for start, end in ((low, high), (feet, low)):
            if start is not None and end is not None:
                up = up + (end - start)
        if np.linalg.norm(np.cross(left, up)) <= 1e-6 * np.linalg.norm(up) ** 2:
            raise PosewrightError("No pair of legs or arms shows which way is left, or nothing shows which way is up")
        return _columns(left, up)

    def _between(self, start: str, end: str) -> Floats:
        one, other = self._head(start), self._head(end)
        return np.zeros(3) if one is None or other is None else other - one

    def _middle(self, *choices: Sequence[str]) -> Floats | None:
        for roles in choices:
            heads = [head for head in map(self._head, roles) if head is not None]
            if len(heads) == len(roles):
                middle: Floats = np.mean(heads, axis=0)
                return middle
        return None

    def _along(self, role: str) -> Floats:
        """From a bone's head to the next joint; to its tail where there is none."""
        place = self.place[role]
        start = self.bones.heads[place]
        after = self._head(self._next(role))
        if after is None and part(role) == "hand" and f"forearm{role[-2:]}" in self.place:
            return self._like(role, f"forearm{role[-2:]}")
        if after is None and part(role) in FINGERS and (before := self._joint_before(role)) in self.place:
            return self._like(role, before)
        way: Floats = self.bones.tails[place] - start if after is None else after - start
        return way if np.linalg.norm(way) > 0.0 else self.bones.turns[place][:, 1]

    def _joint_before(self, role: str) -> str:
        """Of a finger's joint, the one before it."""
        return f"{part(role)}.{int(role.split('.')[1]) - 1}{role[-2:]}"

    def _like(self, role: str, other: str) -> Floats:
        """Along the last bone of a limb, or along the one above where it points elsewhere, as importers let it."""
        arm = self._along(other)
        way: Floats = self.bones.tails[self.place[role]] - self.bones.heads[self.place[role]]
        return way if way @ arm > 0.7 * np.linalg.norm(way) * np.linalg.norm(arm) else arm

    def _next(self, role: str) -> str:
        """The role of the bone that begins where this one ends."""
        name, ending = part(role), role[-2:]
        if name == "hand":
            return next((f"{finger}.1{ending}" for finger in _MIDDLE_FIRST if f"{finger}.1{ending}" in self.place), "")
        if name in FINGERS:
            number = int(role.split(".")[1])
            return f"{name}.{number + 1}{ending}"
        return f"{NEXT.get(name, '')}{ending}"

    def _frame(self, role: str) -> Floats | None:
        name, sign = part(role), side(role)
        if name in TRUNK:
            return self.body
        if name == "shoulder":
            return self.body @ neutral(role)
        if name in {"foot", "toe"}:
            return self._foot(role)
        if name in FINGERS and f"hand{role[-2:]}" not in self.place:
            return None
        if name in {"hand", *FINGERS}:
            return _columns(self._across(role, sign), self._along(role))
        bends = "forearm" if name in {"upper_arm", "forearm"} else "shin"
        axis = self._hinge(f"{bends}{role[-2:]}")
        return _columns(-axis if name == "thigh" else axis, self._along(role))

    def _foot(self, role: str) -> Floats:
        along = self._along(role)
        flat = along - self.body[:, 1] * (along @ self.body[:, 1])
        if flat @ self.forward < 0.3 * np.linalg.norm(along):  # no toes ahead: importers let tails point anywhere
            flat = self.forward
        frame = _columns(np.cross(flat, self.body[:, 1]), flat)
        leg = f"thigh{role[-2:]}"
        if leg in self.place:
            way = self.body.T @ (self.bones.heads[self.place[role]] - self.bones.heads[self.place[leg]])
            splay = math.atan2(way[0], -way[1])
            if abs(splay) > SPLAYED:
                c, s = math.cos(splay), math.sin(splay)
                frame = self.body @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ self.body.T @ frame
        return frame

    def _hinge(self, role: str) -> Floats:
        """The axis about which an elbow or a knee bends: by the bend that it has at rest, or by what is usual."""
        upper = {"forearm": "upper_arm", "shin": "thigh"}[part(role)] + role[-2:]
        arm = part(role) == "forearm"
        lower = self._along(role) if role in self.place else self._along(upper)
        above = self._along(upper) if upper in self.place else lower
        sum_of_both = above / np.linalg.norm(above) + lower / np.linalg.norm(lower)
        usual = np.cross(sum_of_both, self.forward if arm else -self.forward)
        if np.linalg.norm(usual) < 0.2:  # arms that point forward bend upward; legs that do, downward
            usual = -self.body[:, 0] if arm else self.body[:, 0]
        if role in self.bones.hinges:
            known = self.bones.hinges[role]
            return known if known @ usual > 0.0 else -known
        bend = np.cross(above, lower) / (np.linalg.norm(above) * np.linalg.norm(lower))
        shown = np.linalg.norm(bend) > math.sin(BENT) and (bend @ usual) > 0.0
        return bend if shown else usual

    def _across(self, role: str, sign: int) -> Floats:
        """The axis about which wrist and fingers bend: across the palm, from the index to the little finger."""
        ending = role[-2:]
        if part(role) == "thumb":
            palm = _columns(self._across(f"hand{ending}", sign), self._along(f"hand{ending}"))[:, 2]
            return -sign * palm
        knuckles = [self._head(f"{finger}.1{ending}") for finger in FINGERS[1:]]
        there = [knuckle for knuckle in knuckles if knuckle is not None]
        if len(there) > 1 and np.linalg.norm(there[-1] - there[0]) > 0.0:
            return sign * (there[-1] - there[0])
        hand = f"hand{ending}" if f"hand{ending}" in self.place else role
        along, thumb = self._along(hand), self._head(f"thumb.1{ending}")
        start = self._head(hand)
        if thumb is not None and start is not None:
            way = self._along(f"thumb.1{ending}") + (thumb - start)
            off = way - along * (way @ along) / (along @ along)
            if np.linalg.norm(off) > 0.2 * np.linalg.norm(way):
                return -sign * off
        return np.cross(along, sign * np.cross(along, self.forward))  # no fingers: palms face down, or the thighs
