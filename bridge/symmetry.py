"""Left and right in the names of bones: one rule for all who mirror.

Blender's own (`hand.L`, `l-hand`, `LeftHand`), and what other programs write: `mixamorig:LeftHand`, `Bip01 L Hand`,
`hand_l_end`, `lHand`.
"""

import re

_PAIRS = (("left", "right"), ("l", "r"))
_OTHER = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_GAP = r"[ ._:-]"
_NUMBER = r"(?:\.\d+)?"  # what Blender puts behind a name that was taken

# Where the side may stand, the likeliest first.
_PLACES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<={_GAP})[lLrR](?={_NUMBER}$)",
        rf"(?i:left|right)(?={_NUMBER}$)",
        rf"^[lLrR](?={_GAP})",
        r"^(?i:left|right)",
        rf"(?<={_GAP})[lLrR](?={_GAP})",
        rf"(?<={_GAP})(?i:left|right)",
        r"^[lr](?=[A-Z])",
    )
)


def flipped(name: str) -> str:
    """The name of the other side, the same name where there is no side in it."""
    for place in _PLACES:
        if found := place.search(name):
            return name[: found.start()] + _like(_OTHER[found[0].lower()], found[0]) + name[found.end() :]
    return name


def side(name: str) -> str:
    """The side that is in a name: "L", "R" or, where there is none, nothing."""
    found = next((found for place in _PLACES if (found := place.search(name))), None)
    return found[0][0].upper() if found else ""


def _like(word: str, model: str) -> str:
    """A word in the capitals of another one."""
    if model.isupper():
        return word.upper()
    return word.capitalize() if model[0].isupper() else word
