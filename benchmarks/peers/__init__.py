"""The peers: one file each turns a robot and its queries into that peer's model and calls.

A file imports its peer when it is called, so that a peer that is not installed is a row that says so. Each compares its
forward kinematics with the slow twin's before anything is timed.
"""

from collections.abc import Callable

import numpy as np

from posewright import solvers as ik

from ..queries import Answers, Method, Queries
from ..report import Report
from ..robots import Floats, Robot, matrices_of

SAME = 1e-6  # metres, and parts of a rotation matrix: how far a peer's forward kinematics may be off


def attempt(report: Report, case: str, name: str, method: Method, asked: Queries) -> Answers | None:
    """What a method answers; where it fails, a row that says why. One that is not installed says so once."""
    absent = "every case"
    if any(row.method == name and row.case == absent for row in report.rows):
        return None
    try:
        return method(asked)
    except ImportError as error:
        report.missing(absent, name, error)
    except Exception as error:  # noqa: BLE001 - a peer may fail in ways of its own; the others go on
        report.missing(case, name, error)
    return None


def check_forward(model: Robot, tips: list[str], forward: Callable[[Floats, str], Floats]) -> None:
    """Refuse a peer's model whose links [4, 4] are elsewhere than ours in any of five random poses."""
    rng = np.random.default_rng(5)
    low, high = model.span()
    for _ in range(5):
        q = rng.uniform(low, high)
        places = model.forward(q)
        for tip in tips:
            off = float(np.abs(forward(q, tip) - places[tip]).max())
            if not off <= SAME:
                raise ValueError(f"its {tip} is off by {off:.1e}")


def frame_of(goal: ik.Goal) -> Floats:
    """The target of a pose goal [4, 4]."""
    assert isinstance(goal, ik.Pose)
    frame = np.eye(4)
    frame[:3, :3] = matrices_of(np.asarray(goal.rotation, float)[None])[0]
    frame[:3, 3] = np.asarray(goal.position, float)
    return frame


def joint_name(goal: ik.Goal) -> str:
    """The link that a goal is about."""
    assert isinstance(goal, ik.Pose | ik.Position | ik.Orientation | ik.LookAt)
    return goal.joint
