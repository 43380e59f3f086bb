"""Which chains of a hand are which fingers, by how the hand is built: no names.

The thumb is the odd one of five: it begins nearer to the wrist than the others, or points another way. The others are
counted across the palm, from the thumb on. Of fewer than five chains nobody knows which finger is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...presets import bone_names
from .skeleton import Floats, Skeleton

NAMES = bone_names.COUNTED_FINGERS
BONES = bone_names.FINGER_BONES
IN_THE_PALM = 0.55  # of a chain's second joint's distance from the wrist: whose first is nearer begins inside the palm
NEARER = 0.75  # so much nearer to the wrist than any other begins a thumb
ASKEW = 25.0  # degrees between a thumb and the others' mean; and so much more, by ratio, than any of these is off:
ODD = 1.5
# How knuckles stand in a row (of four known hands: 0.81, 0.23 and 0.97 at the worst):
EVEN = 0.4  # the least gap between two, against the largest
BENT = 0.4  # how far they are off a line, against how far they reach along it
ALIKE = 0.7  # the least cosine between a finger and the others' mean


@dataclass
class Hand:
    """What was found of a hand's fingers."""

    fingers: dict[str, list[int]] = field(default_factory=dict)  # bones from the palm on
    missing: str = ""  # why some or all were not


def find(skeleton: Skeleton, hand: int) -> Hand:
    """The fingers of a hand."""
    every = _chains(skeleton, hand)
    chains = [chain for chain in every if len(chain) > 1]  # what has one bone may be anything: a place for a sword
    if not every:
        return Hand(missing="nothing hangs on the hand that could be fingers")
    if len(chains) != len(NAMES):
        count = "one chain" if len(every) == 1 else f"{len(every)} chains"
        why = f"the hand has {count} of bones, not five fingers: only names could say which"
        thumb, _ = _thumb(skeleton, hand, chains, least=2) if 3 <= len(chains) < len(NAMES) else (None, "")
        return Hand({} if thumb is None else {"thumb": chains[thumb][:BONES]}, why)
    thumb, why = _thumb(skeleton, hand, chains)
    if thumb is None:
        return Hand(missing=why)
    others = [_without_palm(skeleton, hand, chain) for place, chain in enumerate(chains) if place != thumb]
    order = _across(skeleton, chains[thumb], others)
    if order is None:
        return Hand({"thumb": chains[thumb][:BONES]}, "the other fingers do not stand in a row beside the thumb")
    rows = [chains[thumb], *(others[place] for place in order)]
    return Hand({name: row[:BONES] for name, row in zip(NAMES, rows, strict=True)})


def _chains(skeleton: Skeleton, hand: int) -> list[list[int]]:
    """The chains that leave the palm, each from where it is alone."""
    while len(skeleton.children[hand]) == 1 and skeleton.children[skeleton.children[hand][0]]:
        hand = skeleton.children[hand][0]
    starts = []
    for child in skeleton.children[hand]:  # a bone of the palm may carry two fingers
        below = [one for one in skeleton.children[child] if skeleton.children[one]]
        starts += below if len(below) > 1 else [child]
    return [skeleton.longest_path(start) for start in starts]


def _begin(skeleton: Skeleton, hand: int, chain: Sequence[int]) -> float:
    return float(np.linalg.norm(skeleton.heads[chain[0]] - skeleton.heads[hand]))


def _without_palm(skeleton: Skeleton, hand: int, chain: list[int]) -> list[int]:
    """A chain without a first bone that lies inside the palm, if it has more bones than a finger."""
    if len(chain) > BONES and _begin(skeleton, hand, chain) < IN_THE_PALM * _begin(skeleton, hand, chain[1:]):
        return chain[1:]
    return chain


def _way(skeleton: Skeleton, chain: Sequence[int]) -> Floats:
    points = skeleton.points(chain[:BONES])
    step = points[-1] - points[0]
    return np.asarray(step / max(float(np.linalg.norm(step)), 1e-12))


def _thumb(skeleton: Skeleton, hand: int, chains: Sequence[list[int]], least: int = 1) -> tuple[int | None, str]:
    """Which chain is the thumb, if so many things tell; None, and why, where they do not, or tell otherwise."""
    votes = []
    shortened = [_without_palm(skeleton, hand, chain) for chain in chains]
    begins = [_begin(skeleton, hand, chain) for chain in shortened]
    first, second = np.argsort(begins)[:2]
    if begins[first] < NEARER * begins[second]:
        votes.append(int(first))
    ways = np.array([_way(skeleton, chain) for chain in shortened])
    others = (ways.sum(axis=0) - ways) / (len(ways) - 1)
    others /= np.linalg.norm(others, axis=1, keepdims=True).clip(1e-12)
    angles = np.degrees(np.arccos(np.clip((ways * others).sum(axis=1), -1.0, 1.0)))
    second, first = np.argsort(angles)[-2:]
    if angles[first] > max(ASKEW, ODD * angles[second]):
        votes.append(int(first))
    if len(votes) >= least and len(set(votes)) == 1:
        return votes[0], ""
    if len(set(votes)) > 1:
        names = " or ".join(repr(skeleton.names[chains[place][0]]) for place in sorted(votes))
        return None, f"either of {names} could be the thumb"
    return None, "no chain of the hand stands out as a thumb does"


def _across(skeleton: Skeleton, thumb: Sequence[int], others: Sequence[list[int]]) -> list[int] | None:
    """The order of the other fingers across the palm from the thumb on; None where they stand in no row."""
    begins = skeleton.heads[[chain[0] for chain in others]]
    centred = begins - begins.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred)
    along = centred @ axes[0]
    order = np.argsort(along)
    apart = np.diff(along[order])
    ways = np.array([_way(skeleton, chain) for chain in others])
    alike = float((ways @ ways.mean(axis=0)).min())
    if apart.min() < EVEN * apart.max() or sizes[1] > BENT * sizes[0] or alike < ALIKE:
        return None
    near = float(((skeleton.points(thumb[:BONES]) - begins.mean(axis=0)) @ axes[0]).mean())
    if abs(near) < 0.1 * np.ptp(along):
        return None
    return [int(place) for place in (order if near < 0.0 else order[::-1])]
