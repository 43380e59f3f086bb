"""The error that says to the animator what is wrong, for those who may not import the solvers."""

from ..solvers.errors import PosewrightError

__all__ = ["PosewrightError"]
