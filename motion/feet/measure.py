"""How well feet stand: under the ground, above it, sliding on it. The same figures before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

from .ground import Ground
from .walk import Bools, Floats, Walk


@dataclass(frozen=True, eq=False)
class Standing:
    """Of all feet of a clip. Metres."""

    depth: Floats  # [feet, F], the deepest point of the sole
    gap: Floats  # [feet, F], the lowest point of the sole above the ground, in contact; NaN elsewhere
    slides: list[tuple[int, int, int, int, float]]  # foot, part, first and last frame, how far it slid on the ground
    stretch: Floats  # [feet, F], hip to ankle


def measure(walk: Walk, contacts: Sequence[Bools], ground: Ground) -> Standing:
    """Measure a clip, given which parts of each sole are to touch the ground [F, 3]."""
    raise NotImplementedError
