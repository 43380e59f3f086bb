"""When the parts of a sole touch the ground: where they are slow, and lower than before and after."""

from .walk import Bools, Foot


def find(foot: Foot, seconds: float, size: float = 1.0) -> Bools:
    """Which parts of a foot's sole touch the ground [F, 3]: heel, ball, toe.

    Args:
        foot: over F frames.
        seconds: from frame to frame.
        size: how large the body is, 1 for a grown-up; speeds and heights scale with it.
    """
    raise NotImplementedError
