"""Robotics Toolbox for Python: its fast Levenberg-Marquardt in C++, with its own restarts, limits on.

`tol` is on ½|e|², metres and radians alike; the default, 1e-6, lets a tip be 1.4 mm off, so it is set to what 0.1 mm
takes. Damping by Chan's rule with k = 0.1, inside the range that its documentation advises: of the three rules and
their advised ends this one solved most and soonest on queries of seed 1.
"""

import math

import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Kind
from posewright.tests import naive

from ..queries import Answers, Queries, timed
from ..robots import METRES, Floats, Robot
from . import check_forward, frame_of, joint_name


def method(queries: Queries) -> Answers:
    """Solve each query by `ETS.ik_LM`."""
    tip, model = joint_name(queries.goals[0][0]), queries.model
    ets = _transforms(model)
    check_forward(model, [tip], lambda q, _: np.asarray(ets.eval(q)))
    target = np.eye(4)

    def put(goals: list[ik.Goal]) -> None:
        target[:] = frame_of(goals[0])

    def solve(start: Floats) -> tuple[Floats, int]:
        found = ets.ik_LM(target, q0=start, tol=0.5 * METRES**2, joint_limits=True, method="chan", k=0.1)
        return np.asarray(found.q, float), int(found.iterations)

    return timed(queries, put, solve)


def _transforms(model: Robot):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the peer's type, imported below
    """A serial arm as elementary transforms: constant, turn about z, constant, and so on."""
    from roboticstoolbox import ET, ETS

    parts, constant = [], np.eye(4)
    for joint in model.joints:
        constant = constant @ np.asarray(joint.rest, float)
        if not joint.motion.slots:
            continue
        low, high = joint.motion.slots[0].limits or (0.0, 0.0)
        # its random restarts need finite limits
        limits = [max(low, -math.pi), min(high, math.pi)] if math.isinf(low) else [low, high]
        aligned = _z_to(np.array(joint.motion.axis))
        parts.append(ET.SE3(constant @ aligned))
        parts.append((ET.tz if joint.motion.kind == Kind.SLIDE else ET.Rz)(qlim=limits))
        constant = aligned.T
    parts.append(ET.SE3(constant))
    return ETS(parts)


def _z_to(axis: Floats) -> Floats:
    """A rotation [4, 4] that takes z to a unit axis [3]."""
    aligned, across = np.eye(4), np.cross([0.0, 0.0, 1.0], axis)
    sine = float(np.linalg.norm(across))
    if sine > 1e-12:
        aligned[:3, :3] = naive.turn(across / sine * math.atan2(sine, axis[2]))
    elif axis[2] < 0.0:
        aligned[:3, :3] = naive.about(0, math.pi)
    return aligned
