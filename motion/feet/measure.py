"""How well feet stand: under the ground, above it, sliding on it. The same figures before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...solvers.rotation import Floats
from .contacts import runs
from .ground import Ground
from .walk import PARTS, Bools, Walk

NEAR = 1.0  # metres above and below a sole in which ground is looked for


class Slide(NamedTuple):
    """How far a part of a sole slides on the ground while it touches it."""

    foot: int
    part: int
    first: int  # frame, counted from 0
    last: int
    metres: float  # the largest way between two of its places, along the ground


@dataclass(frozen=True, eq=False)
class Standing:
    """Of all feet of a clip. Metres."""

    depth: Floats  # [feet, F], the deepest point of the sole
    gap: Floats  # [feet, F], the lowest point of the sole above the ground, in contact; NaN elsewhere
    slides: list[Slide]
    stretch: Floats  # [feet, F], hip to ankle


def measure(walk: Walk, contacts: Sequence[Bools], ground: Ground) -> Standing:
    """Measure a clip, given which parts of each sole are to touch the ground [F, 3]."""
    depth, gap, stretch, slides = [], [], [], list[Slide]()
    for index, (foot, held) in enumerate(zip(walk.feet, contacts, strict=True)):
        soles = foot.soles()
        count, points, _ = soles.shape
        flat, frames = soles.reshape(-1, 3), np.repeat(np.arange(count), points)
        depth.append(ground.depth(flat, frames).reshape(count, points).max(axis=1))
        hits = ground.below(flat + np.array([0.0, 0.0, NEAR]), frames, 2.0 * NEAR)
        above = np.where(hits.found, flat[:, 2] - hits.places[:, 2], np.inf).reshape(count, points).min(axis=1)
        gap.append(np.where(held.any(axis=1), np.maximum(above, 0.0), np.nan))
        stretch.append(foot.leg())
        things = hits.things.reshape(count, points)
        for part in range(len(PARTS)):
            for first, last in runs(held[:, part]):
                thing = int(np.bincount(np.maximum(things[first], 0)).argmax())
                way = _on_ground(foot.part(part)[first : last + 1], ground, thing, first)
                slides.append(Slide(index, part, first, last, extent(way)))
    return Standing(np.array(depth), np.array(gap), slides, np.array(stretch))


def _on_ground(places: Floats, ground: Ground, thing: int, first: int) -> Floats:
    """A way [n, 3] as who stands on the ground sees it."""
    if not ground.moves:
        return places
    motion = ground.motion(thing)[first : first + len(places)]
    back = motion[0] @ np.linalg.inv(motion)
    found: Floats = np.einsum("fij,fj->fi", back[:, :3, :3], places) + back[:, :3, 3]
    return found


def extent(places: Floats) -> float:
    """The largest level way between two places [n, 3]."""
    level = places[:, :2]
    return float(np.sqrt(((level[:, None] - level[None]) ** 2).sum(axis=2)).max(initial=0.0))
