"""A solve without Blender: an arm of three joints reaches for a point. Run it with `python docs/example.py`."""

import numpy as np

from posewright import solvers as ik


def along_y(metres: float) -> np.ndarray:
    """A rest transform: so far along the parent's bone."""
    rest = np.eye(4)
    rest[1, 3] = metres
    return rest


shoulder = ik.Joint("shoulder", motion=ik.Ball(swing_x=(-1.6, 1.6), swing_z=(-1.6, 1.6), twist=(-1.2, 1.2)))
elbow = ik.Joint("elbow", "shoulder", along_y(0.30), ik.Hinge("x", (0.0, 2.5)))
wrist = ik.Joint("wrist", "elbow", along_y(0.25), ik.Ball((-1.0, 1.0), (-0.5, 0.5), (-1.3, 1.3)))
hand = ik.Joint("hand", "wrist", along_y(0.18), ik.Fixed())
tree = ik.Tree([shoulder, elbow, wrist, hand])

problem = ik.Problem(tree, [ik.Position("hand", (0.2, 0.4, 0.3)), ik.Displacement(weight=1e-6)])
result = ik.solve(problem)
print(result.reason, f"after {result.iterations} iterations; the hand is {1000 * result.errors[0].metres:.3f} mm off")

problem.change(0, ik.Position("hand", (0.0, 2.0, 0.0)))  # out of reach: as near as the limits allow
result = ik.solve(problem, start=result.q)
print(result.reason)
