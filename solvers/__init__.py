"""Pure maths on arrays: tree, goals, solvers, kernels. May import numpy and `compiled`, never Blender."""

from .warm_up import warm_up

__all__ = ["warm_up"]
