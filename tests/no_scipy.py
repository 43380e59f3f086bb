"""Keeps scipy from being imported, as in Blender, where there is none.

numba compiles `np.dot` and `np.linalg` into calls to scipy's BLAS, which it looks for twice: when it compiles, and when
the compiled code runs first. So a kernel that needs it fails here, whether it was compiled just now or comes from a
cache that was filled where there was a scipy.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


class Blocker:
    """A finder that finds nothing, and lets no other one look."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002 - as Python asks
        """Refuse scipy and all below it."""
        if name.split(".", maxsplit=1)[0] == "scipy":
            raise ModuleNotFoundError(f"No module named {name!r}: the tests block it", name=name)


_blocker = Blocker()
_hidden: dict[str, ModuleType] = {}  # modules of scipy, while it is blocked: they cannot be imported a second time


def block() -> None:
    """From now on, there is no scipy."""
    if _blocker not in sys.meta_path:
        sys.meta_path.insert(0, _blocker)
    for name in [name for name in sys.modules if name.split(".", maxsplit=1)[0] == "scipy"]:
        _hidden[name] = sys.modules.pop(name)


@contextmanager
def lifted() -> Iterator[None]:
    """For as long as this lasts, there may be a scipy again."""
    sys.meta_path.remove(_blocker)
    sys.modules.update(_hidden)
    try:
        yield
    finally:
        block()
