"""The roles of a skeleton's bones: names and shape together, and what is doubtful or missing in words."""

import itertools
from typing import NamedTuple

from ...presets import bone_names
from . import by_name, by_shape, fingers, rigify
from .by_name import FINGERS, Named
from .by_shape import Shape
from .skeleton import Skeleton

PAIRED = tuple(part for part in bone_names.PAIRED if part not in FINGERS)
REGIONS = {
    **dict.fromkeys(("pelvis", "chest"), "trunk"),
    **dict.fromkeys(("head", "neck"), "head"),
    **dict.fromkeys(("shoulder", "upper_arm", "forearm", "hand", *FINGERS), "arm"),
    **dict.fromkeys(("thigh", "shin", "foot", "toe"), "leg"),
}
LINES = (("thigh", "shin", "foot", "toe"), ("shoulder", "upper_arm", "forearm", "hand"))


class Role(NamedTuple):
    """A role, who has it, by what, and what is to be said of it."""

    role: str  # "pelvis", "spine.2", "hand.L", "index.1.R"
    bone: str  # empty: nobody
    source: str  # "NAME", "SHAPE", or "NONE" where nobody has it
    reason: str = ""  # why nobody has it, or why it is doubtful; or what else is to be known
    doubtful: bool = False  # name and shape do not agree


def find(skeleton: Skeleton) -> list[Role]:
    """All roles of a body in its order, those that nobody has among them; a creature's are its head and feet."""
    if rigify.is_one(skeleton.names):
        return _of_rigify(skeleton)
    named = by_name.find(skeleton)
    shape = by_shape.find(skeleton, named.roles.get("head"))
    if shape.creature:
        return _of_creature(skeleton, named, shape)
    flipped = _flip_if_names_say_so(named, shape)
    _last_neck_is_the_head(named, shape)
    found: dict[str, Role] = {}
    for role in dict.fromkeys((*named.roles, *named.unclear, *shape.roles)):
        found[role] = _weigh(skeleton, role, named, shape)
    _check_lines(skeleton, found)
    _add_trunk(skeleton, found, named)
    _no_bone_twice(found)
    why = _add_fingers(skeleton, found)
    if flipped:
        note = "the names say which side it is; by the feet it would be the other"
        found = {role: one._replace(reason=one.reason or note) if _side(role) else one for role, one in found.items()}
    shape.missing |= why
    return _in_order(found, named, shape)


def _part(role: str) -> str:
    return role.partition(".")[0]


def _side(role: str) -> str:
    return role[-1] if role.endswith((".L", ".R")) else ""


def _flip_if_names_say_so(named: Named, shape: Shape) -> bool:
    """If names and shape agree but for the side, the names' is taken: feet may point anywhere. Returns whether."""
    same = other = 0
    for role, bone in named.roles.items():
        region = shape.regions.get(bone, "")
        if _side(role) and _side(region):
            same += _side(role) == _side(region)
            other += _side(role) != _side(region)
    if other <= same:
        return False
    swap = {"L": "R", "R": "L"}
    shape.roles = {(role[:-1] + swap[_side(role)] if _side(role) else role): bone for role, bone in shape.roles.items()}
    shape.regions = {
        bone: (region[:-1] + swap[_side(region)] if _side(region) else region) for bone, region in shape.regions.items()
    }
    return True


def _last_neck_is_the_head(named: Named, shape: Shape) -> None:
    """Where no name says head, the row that is called neck may end in it: `neck_1`, `neck_2`."""
    necks = [role for role in named.roles if role.startswith("neck")]
    if "head" not in named.roles and len(necks) > 1 and named.roles[necks[-1]] == shape.roles.get("head"):
        del named.roles[necks[-1]]


def _weigh(skeleton: Skeleton, role: str, named: Named, shape: Shape) -> Role:
    """Hold what a name says against what the shape says."""
    by_word, by_build = named.roles.get(role), shape.roles.get(role)
    if by_word is None:
        if by_build is None:
            return Role(role, "", "NONE", named.unclear[role])
        if role.startswith("neck") and any(one.startswith("neck") for one in named.roles):
            return Role(role, "", "NONE", "no further bone is named so")
        taken = next((one for one, bone in named.roles.items() if bone == by_build), "")
        if taken and _part(taken) != _part(role):
            return Role(role, "", "NONE", f"by its place {skeleton.names[by_build]!r}, but its name says {taken}")
        return Role(role, skeleton.names[by_build], "SHAPE")
    region = shape.regions.get(by_word, "")
    wanted = REGIONS[_part(role)] + (f".{_side(role)}" if _side(role) else "")
    # A trunk's bone may be called anything above the chest; a limb's must be in that limb.
    doubt = ""
    if region and region != wanted:
        doubt = f"its name says so, but by its place it belongs to the {_in_words(region)}"
    elif not region and any(one == wanted for one in shape.regions.values()):
        doubt = f"its name says so, but it is no part of the {_in_words(wanted)}"
    return Role(role, skeleton.names[by_word], "NAME", doubt, bool(doubt))


def _in_words(region: str) -> str:
    side = {"L": "left ", "R": "right "}.get(_side(region), "")
    return side + _part(region)


def _check_lines(skeleton: Skeleton, found: dict[str, Role]) -> None:
    """A shin hangs on a thigh: where names say otherwise, both are doubtful."""
    places = {name: bone for bone, name in enumerate(skeleton.names)}
    for side in "LR":
        for line in LINES:
            roles = [f"{part}.{side}" for part in line]
            there = [role for role in roles if role in found and found[role].bone and not found[role].doubtful]
            for upper, lower in itertools.pairwise(there):
                if not skeleton.is_above(places[found[upper].bone], places[found[lower].bone]):
                    note = f"{found[lower].bone!r} does not hang on {found[upper].bone!r}"
                    found[upper] = found[upper]._replace(reason=found[upper].reason or note, doubtful=True)
                    found[lower] = found[lower]._replace(reason=found[lower].reason or note, doubtful=True)


def _add_trunk(skeleton: Skeleton, found: dict[str, Role], named: Named) -> None:
    """The chest carries the arms; the spine is what is between pelvis and chest."""
    places = {name: bone for bone, name in enumerate(skeleton.names)}
    starts = []
    for side in "LR":
        first = next((f"{part}.{side}" for part in ("shoulder", "upper_arm") if found.get(f"{part}.{side}")), "")
        if first and found[first].bone and not found[first].doubtful:
            starts.append(places[found[first].bone])
    chest = skeleton.joined(starts) if len(starts) == 2 else -1
    if chest in named.trunk:
        found["chest"] = Role("chest", skeleton.names[chest], "NAME")
    elif "chest" not in found and named.trunk:
        lowest = max(named.trunk, key=lambda bone: len(skeleton.above(bone)))
        carries = any(skeleton.is_above(lowest, start) for start in starts)
        if carries or not starts:
            found["chest"] = Role("chest", skeleton.names[lowest], "NAME")
    pelvis, top = found.get("pelvis"), found.get("chest")
    if pelvis is None or top is None or not pelvis.bone or not top.bone:
        return
    if pelvis.bone == top.bone:
        found["chest"] = Role("chest", "", "NONE", f"arms and legs hang on the same bone, {pelvis.bone!r}")
        return
    above = skeleton.above(places[top.bone])
    if places[pelvis.bone] not in above:
        found["spine"] = Role("spine", "", "NONE", f"{top.bone!r} does not hang on {pelvis.bone!r}")
        return
    between = above[: above.index(places[pelvis.bone])][::-1]
    for number, bone in enumerate(between, start=1):
        source = "NAME" if bone in named.trunk else "SHAPE"
        found[f"spine.{number}"] = Role(f"spine.{number}", skeleton.names[bone], source)
    if not between:
        found["spine"] = Role("spine", "", "NONE", f"{top.bone!r} sits on {pelvis.bone!r}")


def _no_bone_twice(found: dict[str, Role]) -> None:
    """A bone has one role: that of its name before that of its place."""
    holders: dict[str, str] = {}
    for role in sorted(found, key=lambda role: found[role].source == "SHAPE"):
        bone = found[role].bone
        if bone and bone in holders:
            found[role] = Role(role, "", "NONE", f"{bone!r} is the {holders[bone]}")
        elif bone:
            holders[bone] = role


def _add_fingers(skeleton: Skeleton, found: dict[str, Role]) -> dict[str, str]:
    """Fingers that no name says, by how their hand is built. Returns why not, of those that nobody has."""
    missing = {}
    held = {one.bone for one in found.values()}
    for side in "LR":
        hand = found.get(f"hand.{side}")
        if hand is None or not hand.bone or hand.doubtful:
            continue
        built = fingers.find(skeleton, list(skeleton.names).index(hand.bone))
        for part in FINGERS:
            missing[f"{part}.{side}"] = built.missing
            if any(_part(role) == part and _side(role) == side for role in found):
                continue
            bones = [skeleton.names[bone] for bone in built.fingers.get(part, ())]
            if taken := [bone for bone in bones if bone in held]:
                missing[f"{part}.{side}"] = f"by its place it is {taken[0]!r}, which has another role"
                continue
            for number, bone in enumerate(bones, start=1):
                found[f"{part}.{number}.{side}"] = Role(f"{part}.{number}.{side}", bone, "SHAPE")
    return missing


def expected() -> list[str]:
    """The roles of a whole body; those that come in numbers without them."""
    sided = [f"{part}.{side}" for part in bone_names.PAIRED for side in "LR"]
    return ["pelvis", "spine", "chest", "neck", "head", *sided]


def _in_order(found: dict[str, Role], named: Named, shape: Shape) -> list[Role]:
    """All roles in the body's order; what is missing stands where it would be, with the reason."""
    ordered = []
    for role in expected():
        part, side = _part(role), _side(role)
        these = [one for key, one in found.items() if _part(key) == part and _side(key) == side]
        ordered += sorted(these, key=lambda one: one.role) or [Role(role, "", "NONE", _why(role, found, named, shape))]
    return ordered


def _why(role: str, found: dict[str, Role], named: Named, shape: Shape) -> str:
    """Why nobody has a role."""
    part = _part(role)
    if part in FINGERS:
        return f"no bone is named so, and {shape.missing.get(role) or 'without a hand there are no fingers'}"
    if part == "neck" and "head" in found and found["head"].bone:
        return "no bone stands between the chest and the head"
    if part == "shoulder" and f"upper_arm.{role[-1]}" in found:
        return "no bone stands between the chest and the arm"
    if role in named.unclear:
        return named.unclear[role]
    region = REGIONS.get(part, "trunk")
    for key in (role, part, region, "side" if _side(role) else "", "all"):
        if key in shape.missing:
            return f"no bone is named so, and {shape.missing[key]}"
    return "no bone is named so, and none is where it would be"


def _of_creature(skeleton: Skeleton, named: Named, shape: Shape) -> list[Role]:
    """Head and feet. Names that call a foot that stands on the ground a hand are not followed."""
    found = [
        Role(role, skeleton.names[bone], "NAME" if role == "head" and named.roles.get("head") == bone else "SHAPE")
        for role, bone in sorted(shape.roles.items(), key=lambda item: (item[0] != "head", item[0]))
    ]
    missing = (part for part in ("head", "foot") if part in shape.missing)
    return found + [Role(part, "", "NONE", shape.missing[part]) for part in missing]


def _of_rigify(skeleton: Skeleton) -> list[Role]:
    """A generated Rigify rig: its controls, by their very names."""
    found = {role: Role(role, name, "NAME") for role, name in rigify.controls(skeleton.names).items()}
    return _in_order(found, Named({}, set(), {}), Shape())
