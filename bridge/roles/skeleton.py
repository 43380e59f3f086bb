"""The bones that roles are looked for in, as plain arrays: no Blender."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Skeleton:
    """Bones in any order. Places are in any unit, and any way up."""

    names: Sequence[str]
    parents: Sequence[int]  # -1 for a root
    heads: Floats  # [bones, 3]
    tails: Floats  # [bones, 3]

    @cached_property
    def children(self) -> list[list[int]]:
        """Whose parent a bone is; those of the roots' place, -1, stand last."""
        found: list[list[int]] = [[] for _ in range(len(self.parents) + 1)]
        for bone, parent in enumerate(self.parents):
            found[parent].append(bone)
        return found

    @cached_property
    def size(self) -> float:
        """The diagonal of the box around all heads."""
        return float(np.linalg.norm(np.ptp(self.heads, axis=0))) if len(self.heads) else 0.0

    @cached_property
    def doubled(self) -> float:
        """The part of the bones that begin and end just where another does."""
        if not len(self.heads):
            return 0.0
        cells = np.round(np.hstack([self.heads, self.tails]) / max(1e-4 * self.size, 1e-12)).astype(np.int64)
        _, counts = np.unique(cells, axis=0, return_counts=True)
        return float(counts[counts > 1].sum()) / len(self.heads)

    @cached_property
    def tails_tell(self) -> bool:
        """Whether bones end where their children begin. Importers of some formats let tails point anywhere."""
        parents = [bone for bone in range(len(self.parents)) if self.children[bone]]
        near = [self._ends_at_a_child(bone) for bone in parents]
        return bool(near) and float(np.mean(near)) > 0.5

    def _ends_at_a_child(self, bone: int) -> bool:
        gaps = np.linalg.norm(self.heads[self.children[bone]] - self.tails[bone], axis=1)
        return bool(gaps.min() < 0.03 * self.size)

    def above(self, bone: int) -> list[int]:
        """A bone's parents, the nearest first; none of what is no bone, -1."""
        found: list[int] = []
        while bone >= 0 and (bone := self.parents[bone]) >= 0:
            found.append(bone)
        return found

    def below(self, bone: int) -> list[int]:
        """A bone and all that hang on it."""
        found = [bone]
        for one in found:
            found += self.children[one]
        return found

    def is_above(self, bone: int, other: int) -> bool:
        """Whether a bone is the other or one of its parents."""
        return bone == other or bone in self.above(other)

    def joined(self, bones: Sequence[int]) -> int:
        """The lowest bone that carries all of these and is none of them; -1 for none."""
        shared: list[Any] = [one for one in self.above(bones[0]) if all(one in self.above(bone) for bone in bones)]
        return shared[0] if shared else -1

    def longest_path(self, bone: int) -> list[int]:
        """From a bone down to where its longest chain ends; of all that branch off, the longest."""
        best: tuple[float, list[int]] = (-1.0, [])
        stack: list[tuple[int, float, list[int]]] = [(bone, 0.0, [bone])]
        while stack:
            one, length, path = stack.pop()
            if not self.children[one] and self.tails_tell:
                total = length + float(np.linalg.norm(self.tails[one] - self.heads[one]))
            else:
                total = length
            if total > best[0]:
                best = total, path
            for child in reversed(self.children[one]):
                step = float(np.linalg.norm(self.heads[child] - self.heads[one]))
                stack.append((child, length + step, [*path, child]))
        return best[1]

    def points(self, path: Sequence[int]) -> Floats:
        """Where the joints of a path are [joints, 3]: its heads, and its end where tails tell."""
        places = self.heads[list(path)]
        return np.vstack([places, self.tails[path[-1]]]) if self.tails_tell else places
