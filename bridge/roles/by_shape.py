"""What bones are by how a skeleton is built: no names, any way up, any facing, any size.

Chains that come twice, one the mirror image of the other, are limbs. Of two pairs the legs are those that lead away
from the other pair along the trunk; where no pair does, all of them are legs, and it is a creature. The trunk says
which way is up, feet or knees which way is forward, both which side is left.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from . import limb_joints
from .skeleton import Floats, Skeleton

ALIKE = 0.7  # the least ratio of two reaches, and of two counts of bones, that are a pair
LEAST_REACH = 0.12  # of a limb, against the whole skeleton's size
DOUBLED = 0.4  # of the bones lie upon others in a control rig: 0.62 in Rigify's, at most 0.2 in characters
LEAST_BONES = 3  # of chains that are known for a pair by the lengths of their bones alone, and how near these are:
SAME = 0.05  # of the longest
ALONG = 0.7  # the cosine from which on something leads along something


class Plane(NamedTuple):
    """The body's mirror plane."""

    normal: Floats
    point: Floats


class Pair(NamedTuple):
    """Two chains, each the other's mirror image."""

    on: int  # the bone that carries both, -1 for none
    paths: tuple[list[int], list[int]]
    reach: float


@dataclass
class Shape:
    """What was found, and in words what was not."""

    roles: dict[str, int] = field(default_factory=dict)
    regions: dict[int, str] = field(default_factory=dict)  # bone: "arm.L", "leg.R", "trunk", "head"
    missing: dict[str, str] = field(default_factory=dict)  # role, or its part: why
    creature: bool = False


def find(skeleton: Skeleton, head: int | None = None) -> Shape:
    """Roles by how a skeleton is built; of creatures a head that is known says which way is forward."""
    shape = Shape()
    if skeleton.doubled > DOUBLED:
        shape.missing["all"] = "many bones lie upon others, as in a control rig: which of them to pose, only names say"
        return shape
    pairs = _sibling_pairs(skeleton)
    plane = _mirror_plane(skeleton, pairs)
    if plane is None:
        shape.missing["all"] = "no two chains of bones are alike, left and right"
        return shape
    limbs = _limbs(skeleton, pairs, plane)
    if not limbs:
        shape.missing["all"] = "no pair of chains is long enough for limbs"
        return shape
    legs, arms = _legs_and_arms(skeleton, plane, limbs)
    if legs is None and arms is None:
        _creature(skeleton, plane, limbs, head, shape)
    else:
        _biped(skeleton, plane, legs, arms, shape)
    return shape


# Pairs, and the plane between them.


def _sibling_pairs(skeleton: Skeleton) -> list[Pair]:
    """Chains that begin on one bone and reach about as far, or are built alike, the farthest first."""
    found = []
    for parent, children in enumerate(skeleton.children):
        on = parent if parent < len(skeleton.parents) else -1
        paths = {child: skeleton.longest_path(child) for child in children}
        for one, other in itertools.combinations(children, 2):
            near, far = sorted((_reach(skeleton, paths[one]), _reach(skeleton, paths[other])))
            few, many = sorted((len(skeleton.below(one)), len(skeleton.below(other))))
            alike = near > ALIKE * far or _built_alike(skeleton, (paths[one], paths[other]))
            if far > LEAST_REACH * skeleton.size and alike and few > ALIKE * many:
                found.append(Pair(on, (paths[one], paths[other]), near))
    return sorted(found, key=lambda pair: -pair.reach)


def _reach(skeleton: Skeleton, path: Sequence[int]) -> float:
    places = skeleton.points(path)
    return float(np.linalg.norm(places - places[0], axis=1).max())


def _centre(skeleton: Skeleton, path: Sequence[int]) -> Floats:
    """The middle of all that hangs on a chain's first bone: which of the fingers is the longest must not matter."""
    return np.asarray(skeleton.heads[skeleton.below(path[0])].mean(axis=0))


def _mirror_plane(skeleton: Skeleton, pairs: Sequence[Pair]) -> Plane | None:
    """The plane that most pairs have between them, the farther they reach the more they count."""
    across, between, weights = [], [], []
    for pair in pairs:
        one, other = (_centre(skeleton, path) for path in pair.paths)
        if np.linalg.norm(one - other) > 0.02 * skeleton.size:
            across.append((one - other) / np.linalg.norm(one - other))
            between.append((one + other) / 2)
            weights.append(pair.reach)
    if not across:
        return None
    normals, points, weight = np.array(across), np.array(between), np.array(weights)
    cosines = normals @ normals.T
    apart = np.abs(np.einsum("ijk,ik->ij", points[None] - points[:, None], normals)) / skeleton.size
    agree = (np.abs(cosines) > 0.98) & (apart < 0.05)
    best = int(np.argmax(agree @ weight))
    chosen = agree[best]
    signs = np.sign(cosines[best, chosen])
    normal = (normals[chosen] * (signs * weight[chosen])[:, None]).sum(axis=0)
    return Plane(normal / np.linalg.norm(normal), np.average(points[chosen], axis=0, weights=weight[chosen]))


def _limbs(skeleton: Skeleton, pairs: Sequence[Pair], plane: Plane) -> list[Pair]:
    """The pairs across the plane, without those on limbs and those that only steer one.

    Chains that mirror each other come first. Where these are fewer than arms and legs, chains that are built alike and
    rest in different poses are limbs as well.
    """
    found: list[Pair] = []
    for posed in (False, True):
        for pair in pairs if not posed or len(found) < 2 else ():
            one, other = (_centre(skeleton, path) for path in pair.paths)
            aside = [float((centre - plane.point) @ plane.normal) for centre in (one, other)]
            mirrored = one - 2.0 * plane.normal * aside[0]
            far = np.linalg.norm(mirrored - other) > 0.1 * skeleton.size
            on_both_sides = min(aside) < -0.01 * skeleton.size and max(aside) > 0.01 * skeleton.size
            taken = {bone for limb in found for path in limb.paths for bone in skeleton.below(path[0])}
            if not on_both_sides or min(map(len, pair.paths)) < 2 or pair.on in taken or pair.paths[0][0] in taken:
                continue
            if far and not (posed and _built_alike(skeleton, pair.paths)):
                continue
            if not any(_steers(skeleton, pair, limb) for limb in found):
                found.append(pair)
    return found


def _built_alike(skeleton: Skeleton, paths: Sequence[Sequence[int]]) -> bool:
    """Whether two chains have bones of the same lengths, three of them or more."""
    one, other = (np.linalg.norm(np.diff(skeleton.points(path), axis=0), axis=1) for path in paths)
    least = LEAST_BONES if skeleton.tails_tell else LEAST_BONES - 1
    return len(one) == len(other) >= least and bool(np.allclose(one, other, atol=SAME * max(one.max(), other.max())))


def _steers(skeleton: Skeleton, pair: Pair, limb: Pair) -> bool:
    """Whether a chain ends upon a joint of a limb that reaches farther: the foot of an IK target does."""
    ends = skeleton.heads[[path[-1] for path in pair.paths]]
    joints = skeleton.heads[[bone for path in limb.paths for bone in path]]
    gaps = np.linalg.norm(ends[:, None] - joints[None], axis=2).min(axis=1)
    return bool((gaps < 0.02 * skeleton.size).all())


def _start(skeleton: Skeleton, pair: Pair) -> Floats:
    return np.asarray(skeleton.heads[[path[0] for path in pair.paths]].mean(axis=0))


def _lead(skeleton: Skeleton, pair: Pair) -> Floats:
    """Where the two chains of a pair lead, on average: a vector as long as 1 where both lead the same way."""
    steps = [places[-1] - places[0] for places in (skeleton.points(path) for path in pair.paths)]
    return np.asarray(np.mean([step / max(float(np.linalg.norm(step)), 1e-12) for step in steps], axis=0))


def _unit(vector: Floats) -> Floats:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def _legs_and_arms(skeleton: Skeleton, plane: Plane, limbs: Sequence[Pair]) -> tuple[Pair | None, Pair | None]:
    """Which pair is the legs and which the arms, as far as the trunk between them says."""
    best: tuple[float, Pair | None, Pair | None] = (0.0, None, None)
    for legs, arms in itertools.permutations(limbs, 2):
        trunk = _start(skeleton, arms) - _start(skeleton, legs)
        if np.linalg.norm(trunk) < 0.1 * max(legs.reach, arms.reach) or legs.reach < 0.5 * arms.reach:
            continue
        along = float(_lead(skeleton, legs) @ _unit(trunk))
        cost = along - 0.1 * min(1.0, arms.reach / legs.reach)  # of pairs above the legs the longer are the arms
        if along < -ALONG and cost < best[0]:
            best = cost, legs, arms
    if best[1] is None and len(limbs) == 1:  # the trunk is what else there is in the middle
        middle = [bone for bone in range(len(skeleton.parents)) if _is_middle(skeleton, plane, bone)]
        start = _start(skeleton, limbs[0])
        if middle:
            farthest = max(middle, key=lambda bone: float(np.linalg.norm(skeleton.heads[bone] - start)))
            along = float(_lead(skeleton, limbs[0]) @ _unit(skeleton.heads[farthest] - start))
            return (limbs[0], None) if along < -ALONG else (None, limbs[0])
    return best[1], best[2]


def _is_middle(skeleton: Skeleton, plane: Plane, bone: int) -> bool:
    return bool(abs((skeleton.heads[bone] - plane.point) @ plane.normal) < 0.02 * skeleton.size)


# A body that stands on two legs.


def _biped(skeleton: Skeleton, plane: Plane, legs: Pair | None, arms: Pair | None, shape: Shape) -> None:
    up = _up_of_trunk(skeleton, plane, legs, arms)
    if legs is None:
        shape.missing["leg"] = "no pair of chains leads away from the trunk as legs do"
    if arms is None:
        shape.missing["arm"] = "there is no second pair of long chains"
    joints = {}
    for pair, kind in ((legs, "leg"), (arms, "arm")):
        for path in pair.paths if pair else ():
            joints[kind, path[0]] = _joints(skeleton, plane, up, path, kind)
    left = _left(skeleton, plane, up, legs, joints)
    if left is None:
        shape.missing["side"] = "neither feet nor knees say which way is forward, and so which side is left"
    else:
        for pair, kind in ((legs, "leg"), (arms, "arm")):
            for path in pair.paths if pair else ():
                side = "L" if (_centre(skeleton, path) - plane.point) @ left > 0.0 else "R"
                _name_limb(skeleton, path, joints[kind, path[0]], kind, side, shape)
    _name_middle(skeleton, plane, up, legs, arms, shape)


def _up_of_trunk(skeleton: Skeleton, plane: Plane, legs: Pair | None, arms: Pair | None) -> Floats:
    """From where the legs begin, or the root, to where the arms begin; without arms, against the legs."""
    if arms is None:
        assert legs is not None
        step = -_lead(skeleton, legs)
    else:
        below = _start(skeleton, legs) if legs else skeleton.heads[[arms.paths[0][0], *skeleton.above(arms.on)][-1]]
        step = _start(skeleton, arms) - below
    return _unit(step - plane.normal * (step @ plane.normal))


def _joints(skeleton: Skeleton, plane: Plane, up: Floats, path: list[int], kind: str) -> tuple[int, int, int] | None:
    places = skeleton.points(path)
    aside = (places - plane.point) @ plane.normal
    if kind == "leg":
        return limb_joints.of_leg(places, len(path), aside, up)
    fingers = [place for place, bone in enumerate(path) if _carries_fingers(skeleton, bone)]
    return limb_joints.of_arm(places, len(path), aside, fingers[0] if fingers and fingers[0] >= 2 else None)


def _carries_fingers(skeleton: Skeleton, bone: int) -> bool:
    return sum(bool(skeleton.children[child]) for child in skeleton.children[bone]) >= 3


def _left(
    skeleton: Skeleton,
    plane: Plane,
    up: Floats,
    legs: Pair | None,
    joints: dict[tuple[str, int], tuple[int, int, int] | None],
) -> Floats | None:
    """Which way is left: feet point forward, and so do knees."""
    if legs is None:
        return None
    feet, knees = np.zeros(3), np.zeros(3)
    for path in legs.paths:
        places, found = skeleton.points(path), joints["leg", path[0]]
        if found is not None:
            hip, knee, ankle = (places[joint] for joint in found)
            feet += (places[-1] - ankle) / legs.reach
            knees += (knee - (hip + ankle) / 2) / legs.reach
    for step, least in ((feet, 0.06), (knees, 0.02)):
        forward = step - up * (step @ up) - plane.normal * (step @ plane.normal)
        if np.linalg.norm(forward) > least:
            return np.cross(up, _unit(forward))
    return None


def _name_limb(
    skeleton: Skeleton, path: list[int], joints: tuple[int, int, int] | None, kind: str, side: str, shape: Shape
) -> None:
    for bone in skeleton.below(path[0]):
        shape.regions[bone] = f"{kind}.{side}"
    parts = {"leg": ("thigh", "shin", "foot"), "arm": ("upper_arm", "forearm", "hand")}[kind]
    if joints is None:
        shape.missing |= {f"{part}.{side}": "its chain has too few bones" for part in parts}
        return
    for part, joint in zip(parts, joints, strict=True):
        if joint < len(path):
            shape.roles[f"{part}.{side}"] = path[joint]
        else:
            shape.missing[f"{part}.{side}"] = f"the chain ends with {skeleton.names[path[-1]]!r}"
    if kind == "arm" and joints[0] > 0:
        shape.roles[f"shoulder.{side}"] = path[0]
    toes = skeleton.children[path[joints[2]]] if kind == "leg" and joints[2] < len(path) else []
    if kind == "leg" and sum(skeleton.parents[bone] in toes or bone in toes for bone in skeleton.below(path[0])) > 4:
        shape.missing[f"toe.{side}"] = "the foot has several toes, and none of them is the whole of them"
    elif kind == "leg" and joints[2] + 1 < len(path):
        shape.roles[f"toe.{side}"] = path[joints[2] + 1]


def _name_middle(
    skeleton: Skeleton, plane: Plane, up: Floats, legs: Pair | None, arms: Pair | None, shape: Shape
) -> None:
    if legs is not None:
        ground = min(float((skeleton.points(path) @ up).min()) for path in legs.paths)
        high = float(_start(skeleton, legs) @ up) - ground
        if legs.on < 0:
            shape.missing["pelvis"] = "the legs hang on no bone"
        elif float(skeleton.heads[legs.on] @ up) - ground < 0.3 * high:
            shape.missing["pelvis"] = f"the legs hang on {skeleton.names[legs.on]!r}, which lies on the ground"
        else:
            shape.roles["pelvis"] = legs.on
    if arms is not None and arms.on >= 0:
        shape.roles["chest"] = arms.on
    for bone in (pair.on for pair in (legs, arms) if pair and pair.on >= 0):
        shape.regions |= dict.fromkeys((bone, *skeleton.above(bone)), "trunk")
    carrier = arms.on if arms else -1
    if carrier >= 0:
        limbs = {path[0] for pair in (legs, arms) if pair for path in pair.paths}
        _name_head(skeleton, up, _upward(skeleton, plane, up, carrier, limbs), shape)
    else:
        shape.missing["head"] = "the arms hang on no bone" if arms else "without arms nobody knows where a neck begins"


def _upward(skeleton: Skeleton, plane: Plane, up: Floats, bone: int, limbs: set[int]) -> list[int]:
    """The bones that stand on a bone in the middle of the body, up to the one that carries a face, or the last."""
    row: list[int] = []
    while True:
        middle = [one for one in skeleton.children[bone] if one not in limbs and _is_middle(skeleton, plane, one)]
        if not middle or (row and len(skeleton.children[bone]) - len(middle) >= 2):
            return row
        nearest = max(middle, key=lambda one: float((skeleton.points(skeleton.longest_path(one)) @ up).max()))
        if row and np.linalg.norm(skeleton.heads[nearest] - skeleton.heads[bone]) < 0.01 * skeleton.size:
            return row
        row.append(nearest)
        bone = nearest


def _name_head(skeleton: Skeleton, up: Floats, row: list[int], shape: Shape) -> None:
    """The last of a row is the head, the others are the neck; a bone that marks the top of the head is neither."""
    if not row:
        shape.missing["head"] = "nothing stands on the chest in the middle between the arms"
        return
    shape.regions |= dict.fromkeys(skeleton.below(row[0]), "head")
    heights = skeleton.heads[row] @ up
    if (
        len(row) >= 3
        and not skeleton.children[row[-1]]
        and heights[-1] - heights[-2] > 1.3 * (heights[-2] - heights[-3])
    ):
        row = row[:-1]
    shape.roles["head"] = row[-1]
    shape.roles |= {f"neck.{number}": bone for number, bone in enumerate(row[:-1], start=1)}


# Creatures: all limbs are legs.


def _creature(skeleton: Skeleton, plane: Plane, limbs: Sequence[Pair], head: int | None, shape: Shape) -> None:
    shape.creature = True
    limbs = [pair for pair in limbs if pair.reach > 0.5 * limbs[0].reach]
    up = _above_the_ground(skeleton, plane, limbs)
    if head is None:
        head = _highest_end(skeleton, plane, up, limbs, shape)
    if head is None:
        shape.missing["foot"] = "without a head nobody knows which side is left"
        return
    shape.roles["head"] = head
    ahead = skeleton.heads[head] - np.mean([_start(skeleton, pair) for pair in limbs], axis=0)
    forward = ahead - up * (ahead @ up) - plane.normal * (ahead @ plane.normal)
    left = np.cross(up, _unit(forward))
    limbs.sort(key=lambda pair: -float(_start(skeleton, pair) @ forward))
    for number, pair in enumerate(limbs, start=1):
        for path in pair.paths:
            side = "L" if (_centre(skeleton, path) - plane.point) @ left > 0.0 else "R"
            foot = next((bone for bone in path[1:] if _carries_fingers(skeleton, bone)), path[-1])
            shape.roles[f"foot.{number}.{side}"] = foot
            shape.regions |= dict.fromkeys(skeleton.below(path[0]), f"leg.{number}.{side}")


def _highest_end(skeleton: Skeleton, plane: Plane, up: Floats, limbs: Sequence[Pair], shape: Shape) -> int | None:
    """The head: of the chains that leave the trunk in the middle, the one whose end is the highest."""
    legs = {path[0] for pair in limbs for path in pair.paths}
    trunk = {bone for pair in limbs if pair.on >= 0 for bone in (pair.on, *skeleton.above(pair.on))}
    ends = [
        (max(float(skeleton.heads[end] @ up) for end in skeleton.below(bone) if not skeleton.children[end]), bone)
        for parent in trunk
        for bone in skeleton.children[parent]
        if bone not in trunk and bone not in legs and _is_middle(skeleton, plane, bone)
    ]
    ends.sort(reverse=True)
    if not ends:
        shape.missing["head"] = "no chain leaves the trunk in the middle between the legs"
        return None
    if len(ends) > 1 and ends[0][0] - ends[1][0] < 0.05 * skeleton.size:
        names = " and ".join(repr(skeleton.names[bone]) for _, bone in ends[:2])
        shape.missing["head"] = f"the chains of {names} end about as high, and either could be the head"
        return None
    others = set(skeleton.children[skeleton.parents[ends[0][1]]]) - {ends[0][1]}
    row = _upward(skeleton, plane, up, skeleton.parents[ends[0][1]], others)
    return row[-1] if row else ends[0][1]


def _above_the_ground(skeleton: Skeleton, plane: Plane, limbs: Sequence[Pair]) -> Floats:
    """The way up: along the mirror plane, across the plane that the feet stand on, from feet to body."""
    feet = np.array([skeleton.heads[path[-1]] for pair in limbs for path in pair.paths])
    starts = np.array([_start(skeleton, pair) for pair in limbs])
    first = _unit(np.cross(plane.normal, np.eye(3)[int(np.argmin(np.abs(plane.normal)))]))
    second = np.cross(plane.normal, first)
    angles = np.radians(np.arange(0.0, 180.0, 1.0))
    ways = np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second
    up: Floats = ways[int(np.argmin((feet @ ways.T).std(axis=0)))]
    return up if (starts.mean(axis=0) - feet.mean(axis=0)) @ up > 0.0 else -up
