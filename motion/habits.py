"""How people hold themselves, as a table of numbers: mean and spread of each joint, by role and anatomical axis.

A joint's rest value is its mean, its stiffness one over its variance: what people do often costs little. The unit is
that of a joint without a habit: one that usually strays by USUAL has stiffness 1. What was not captured, such as wrists
and shoulder blades of many clips, did not stray: it is stiff, and moves where nothing else can.

Skeletons have any number of bones between pelvis and chest, and between chest and head. Tables have three parts of
each; a bone gets what its share of the way is, of means and of variances. Forearm and hand share the turn of the palm.

Angles are bend, twist and side [3] in radians, of the left side (`anatomy`).
"""

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..solvers.errors import PosewrightError
from . import anatomy
from .anatomy import Axes, Bones, Floats

USUAL, LEAST = 0.2, 0.02  # radians: the spread of stiffness 1, and what is added to every spread
CHAINS = {"spine": ("spine", "chest"), "neck": ("neck", "head")}
PARTS = 3  # of a chain, in a table
TAILS = 0.5  # per cent of frames beyond what counts as the range at either end
HINGED = 0.95  # of the squares of a joint's turns: about one axis, it is a hinge
LARGEST = 1 << 20  # characters of a preset: a table has two thousand


class Habit(NamedTuple):
    """Of one joint: [3] each."""

    mean: Floats
    spread: Floats
    low: Floats
    high: Floats

    @property
    def stiffness(self) -> Floats:
        """How unwilling the joint is to leave its mean [3]."""
        found: Floats = USUAL**2 / (self.spread**2 + LEAST**2)
        return found


Table = dict[str, Habit]  # by `upper_arm`, `index.2`, `spine.1` to `spine.3`


def angles(axes: Axes, turned: Floats) -> Floats:
    """Bend, twist and side [F, 3] of a joint on its own side, from its bone's own rotations [F, 3, 3].

    They are the variables of a ball whose swing is in a box: x = bend, then z = side.
    """
    turn = axes.before.T @ turned @ axes.axes
    x, y, z = turn[:, 0, 1], turn[:, 1, 1], turn[:, 2, 1]  # where the limb points
    half = np.sqrt(np.maximum(0.5 * (1.0 + y), 1e-12))
    sine_x, sine_z = z / (2.0 * half), -x / (2.0 * half)  # of half the swing, times its axis
    bend = 2.0 * np.arcsin(np.clip(sine_x, -1.0, 1.0))
    side = 2.0 * np.arcsin(np.clip(sine_z / np.maximum(np.cos(0.5 * bend), 1e-9), -1.0, 1.0))
    # The first row of Swingᵀ M is that of the twist: cosine at x, sine at z.
    across = np.stack([1.0 - 2.0 * sine_z**2, 2.0 * half * sine_z, 2.0 * sine_x * sine_z], axis=1)
    row = np.einsum("fi,fij->fj", across, turn)
    return np.stack([bend, np.arctan2(row[:, 2], row[:, 0]), side], axis=1)


def hinges(bones: Bones, turned: Mapping[str, Floats]) -> dict[str, Floats]:
    """The axes [3] about which elbows and knees bend in a motion, by role, in the skeleton's space.

    Args:
        bones: the skeleton.
        turned: [F, 3, 3] the bones' own rotations out of rest, by role.

    Left out are those that turn about several axes, or hardly.
    """
    found = {}
    for role, turns in turned.items():
        if anatomy.part(role) in {"forearm", "shin"}:
            skew = turns - turns.transpose(0, 2, 1)
            sines = 0.5 * np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
            parts, axes = np.linalg.eigh(sines.T @ sines / len(sines))
            if parts[-1] > HINGED * parts.sum() and parts[-1] > LEAST**2:
                found[role] = bones.turns[bones.names.index(bones.roles[role])] @ axes[:, -1]
    return found


def table_of(samples: Mapping[str, Floats]) -> Table:
    """The table of angles [F, 3] by role, each on its own side."""
    pooled: dict[str, list[Floats]] = {}
    for role, values in samples.items():
        if np.isfinite(values).all() and len(values):
            pooled.setdefault(_key(role), []).append(values * anatomy.mirrored(role))
    found = {key: _habit(np.concatenate(values)) for key, values in pooled.items() if key}
    for chain, roles in chains(samples).items():
        own = [_habit(samples[role]) for role in roles]
        found |= {f"{chain}.{place + 1}": habit for place, habit in enumerate(_shared(own, PARTS))}
    return found


def for_roles(table: Table, roles: Sequence[str]) -> Table:
    """What the table says of each role of a body, on the role's own side."""
    found = {}
    for role in roles:
        if (key := _key(role)) in table:
            found[role] = table[key]
    for chain, own in chains(roles).items():
        parts = [table[f"{chain}.{place + 1}"] for place in range(PARTS) if f"{chain}.{place + 1}" in table]
        if len(parts) == PARTS:
            found |= dict(zip(own, _shared(parts, len(own)), strict=True))
    for ending in (".L", ".R"):
        _share_palm(found, f"forearm{ending}", f"hand{ending}")
    return {role: _on_its_side(role, habit) for role, habit in found.items()}


def _key(role: str) -> str:
    """The table's name for a role: without its side; empty for bones of a chain, which have no place of their own."""
    name = role.removesuffix(".L").removesuffix(".R")
    return "" if any(anatomy.part(role) in parts for parts in CHAINS.values()) else name


def chains(roles: Sequence[str] | Mapping[str, Any]) -> dict[str, list[str]]:
    """The roles of trunk and neck, from below."""
    found = {}
    for chain, parts in CHAINS.items():
        own = [role for part in parts for role in sorted(role for role in roles if anatomy.part(role) == part)]
        if own:
            found[chain] = own
    return found


def _habit(values: Floats) -> Habit:
    low, high = np.percentile(values, [TAILS, 100.0 - TAILS], axis=0)
    return Habit(values.mean(axis=0), values.std(axis=0), low, high)


def _shared(habits: Sequence[Habit], count: int) -> list[Habit]:
    """The same chain in another number of equal parts: means and ranges add up, and variances do."""
    ends, others = np.linspace(0.0, 1.0, len(habits) + 1), np.linspace(0.0, 1.0, count + 1)
    found = []
    for begin, end in itertools.pairwise(others.tolist()):
        inside = np.minimum(ends[1:], end) - np.maximum(ends[:-1], begin)
        share = np.maximum(inside, 0.0) * len(habits)  # of each of the old parts
        mean, low, high = (share @ np.array([habit[place] for habit in habits]) for place in (0, 2, 3))
        found.append(Habit(mean, np.sqrt(share @ np.array([habit.spread**2 for habit in habits])), low, high))
    return found


def _share_palm(found: Table, forearm: str, hand: str) -> None:
    """Have forearm and hand share the twist that turns the palm, whoever had it in the table."""
    if forearm not in found or hand not in found:
        return
    both = found[forearm], found[hand]
    mean, low, high = (0.5 * (both[0][place][1] + both[1][place][1]) for place in (0, 2, 3))
    spread = math.sqrt(0.5 * (both[0].spread[1] ** 2 + both[1].spread[1] ** 2))
    for role in (forearm, hand):
        parts = [part.copy() for part in found[role]]
        parts[0][1], parts[1][1], parts[2][1], parts[3][1] = mean, spread, low, high
        found[role] = Habit(*parts)


def _on_its_side(role: str, habit: Habit) -> Habit:
    by = anatomy.mirrored(role)
    ends = np.sort(np.stack([habit.low * by, habit.high * by]), axis=0)
    return Habit(habit.mean * by, habit.spread, ends[0], ends[1])


def written(table: Table, about: str) -> str:
    """A table as a small JSON preset, in degrees."""
    joints = {
        key: {name: np.degrees(part).round(2).tolist() for name, part in zip(Habit._fields, habit, strict=True)}
        for key, habit in sorted(table.items())
    }
    body = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in joints.items())
    return f'{{\n  "about": {json.dumps(about)},\n  "unit": "degrees",\n  "joints": {{\n{body}\n  }}\n}}\n'


def parsed(text: str) -> Table:
    """The table of a preset. Raises an error that says what is wrong with it."""
    if len(text) > LARGEST:
        raise PosewrightError("This is no table of habits: it is far too long")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PosewrightError(f"This is no table of habits: {error}") from None
    joints = found.get("joints") if isinstance(found, dict) else None
    if not isinstance(joints, dict) or found.get("unit") != "degrees":
        raise PosewrightError('This is no table of habits: it has no "joints", or its "unit" is not "degrees"')
    return {str(key): _parsed_habit(str(key), value) for key, value in joints.items()}


def _parsed_habit(key: str, value: object) -> Habit:
    parts = []
    for name in Habit._fields:
        numbers: Any = value.get(name) if isinstance(value, dict) else None
        plain = isinstance(numbers, list) and all(type(one) in {int, float} for one in numbers)
        if not plain or len(numbers) != 3 or not all(abs(one) <= 360.0 for one in numbers):
            raise PosewrightError(f"The habits of {key!r}: {name!r} must be three angles in degrees")
        parts.append(np.radians(np.array(numbers, float)))
    if (parts[1] < 0.0).any() or (parts[2] > parts[3]).any():
        raise PosewrightError(f"The habits of {key!r}: a spread is negative, or a range is upside down")
    return Habit(*parts)
