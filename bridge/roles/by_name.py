"""What bones are by their names."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...presets import bone_names
from .skeleton import Skeleton

FINGERS = bone_names.COUNTED_FINGERS
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


class Meaning(NamedTuple):
    """What a name says."""

    part: str  # the word for it, in small letters
    side: str  # "L", "R" or empty


class Named(NamedTuple):
    """What names say, as far as they are clear."""

    roles: dict[str, int]  # role: bone; no spine and no chest
    trunk: set[int]  # bones that are called spine, chest and the like
    unclear: dict[str, str]  # role: why its name does not decide


def meaning(name: str) -> Meaning | None:
    """What a bone's name says, None if it says nothing of the body."""
    words = [word.lower() for word in _WORD.findall(name.rpartition(":")[2])]
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    words = [word for word in words if word not in _SIDES]
    text = [word for word in words if not word.isdigit()]
    numbers = [int(word) for word in words if word.isdigit()]
    if text == ["finger"] and len(numbers) == 2 and 1 <= numbers[0] <= 5:
        return Meaning(FINGERS[numbers[0] - 1], side)
    if bone_names.METACARPAL in text:
        text = [word for word in text if word != bone_names.METACARPAL] if "thumb" in text else []
    word = "".join(word for word in text if word not in bone_names.SILENT)
    if not side:
        word, side = _side_in(word)
    return Meaning(word, side) if word else None


def find(skeleton: Skeleton) -> Named:
    """What the names of bones say."""
    meanings = [meaning(name) for name in skeleton.names]
    roles: dict[str, int] = {}
    unclear: dict[str, str] = {}
    for part in ("pelvis", "head"):
        _take(skeleton, part, _called(meanings, bone_names.MIDDLE[part], ""), roles, unclear)
    trunk = set(_called(meanings, bone_names.MIDDLE["trunk"], ""))
    for number, bone in enumerate(_in_a_row(skeleton, _called(meanings, bone_names.MIDDLE["neck"], "")), start=1):
        roles[f"neck.{number}"] = bone
    for side in "LR":
        for part, words in bone_names.PAIRED.items():
            if part in FINGERS:
                row = _in_a_row(skeleton, _called(meanings, words, side))[: bone_names.FINGER_BONES]
                roles |= {f"{part}.{number}.{side}": bone for number, bone in enumerate(row, start=1)}
            else:
                _take_best(skeleton, meanings, part, side, roles, unclear)
    _take_very_names(skeleton, roles, trunk)
    return Named(roles, trunk, unclear)


def _side_in(word: str) -> tuple[str, str]:
    """A word without the side that it begins with: `lfemur`, `leftarm`."""
    known = {one for words in bone_names.PAIRED.values() for one in words if one}
    for text, side in (("left", "L"), ("right", "R"), ("l", "L"), ("r", "R")):
        if word not in known and word.startswith(text) and word.removeprefix(text) in known:
            return word.removeprefix(text), side
    return word, ""


def _called(meanings: Sequence[Meaning | None], words: Sequence[str | None], side: str) -> list[int]:
    return [bone for bone, said in enumerate(meanings) if said and said.part in words and said.side == side]


def _take_best(
    skeleton: Skeleton,
    meanings: Sequence[Meaning | None],
    part: str,
    side: str,
    roles: dict[str, int],
    unclear: dict[str, str],
) -> None:
    """Give a part of one side its bone: by a certain word, or else by one that also means other parts."""
    words = bone_names.PAIRED[part]
    split = words.index(None) if None in words else len(words)
    for some in (words[:split], words[split + 1 :]):
        taken = set(roles.values())
        bones = [bone for bone in _called(meanings, some, side) if bone not in taken]
        if part == "toe" and len(bones) > 1 and len({skeleton.parents[bone] for bone in bones}) < len(bones):
            unclear[f"toe.{side}"] = "the foot has several toes, and none of them is the whole of them"
            return
        if bones:
            _take(skeleton, f"{part}.{side}", bones, roles, unclear)
            return


def _take(skeleton: Skeleton, role: str, bones: Sequence[int], roles: dict[str, int], unclear: dict[str, str]) -> None:
    """Give a role to the highest of bones on one line; where they are on several, to none."""
    if not bones:
        return
    first = min(bones, key=lambda bone: len(skeleton.above(bone)))
    if all(skeleton.is_above(first, bone) for bone in bones):
        roles[role] = first
    else:
        unclear[role] = f"{' and '.join(repr(skeleton.names[bone]) for bone in bones[:3])} are both called so"


def _in_a_row(skeleton: Skeleton, bones: Sequence[int]) -> list[int]:
    """Bones from the highest on, as far as each carries the next."""
    row: list[int] = []
    for bone in sorted(bones, key=lambda bone: len(skeleton.above(bone))):
        if not row or skeleton.is_above(row[-1], bone):
            row.append(bone)
    return row


def _take_very_names(skeleton: Skeleton, roles: dict[str, int], trunk: set[int]) -> None:
    """Rigs that are known by their very names."""
    places = {name: bone for bone, name in enumerate(skeleton.names)}
    for rig, known_by in bone_names.KNOWN_BY.items():
        if all(name in places for name in known_by):
            known = {role: places[name] for role, name in bone_names.BY_VERY_NAME[rig].items() if name in places}
            trunk.difference_update(known.values())
            trunk.update(bone for role, bone in known.items() if role.startswith(("spine", "chest")))
            roles.update({role: bone for role, bone in known.items() if not role.startswith(("spine", "chest"))})
