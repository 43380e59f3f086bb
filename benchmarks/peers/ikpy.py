"""ikpy: scipy's bounded least squares with finite differences, as `inverse_kinematics_frame` calls it.

The links are `URDFLink`s, as its own URDF reader makes them. All settings are its defaults; its optional JAX backend,
which has analytic derivatives, is not installed.
"""

import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Kind

from ..queries import Answers, Queries, timed
from ..robots import Floats, Robot
from . import check_forward, frame_of, joint_name


def method(queries: Queries) -> Answers:
    """Solve each query by `Chain.inverse_kinematics_frame`."""
    model = queries.model
    chain, moving = _chain(model)
    check_forward(model, [joint_name(queries.goals[0][0])], lambda q, _: chain.forward_kinematics(_full(moving, q)))
    target = np.eye(4)

    def put(goals: list[ik.Goal]) -> None:
        target[:] = frame_of(goals[0])

    def solve(start: Floats) -> tuple[Floats, int]:
        found = chain.inverse_kinematics_frame(target, initial_position=_full(moving, start), orientation_mode="all")
        return np.clip(np.asarray(found, float)[moving], model.tree.lower, model.tree.upper), 0

    answers = timed(queries, put, solve)
    return Answers(answers.q, answers.seconds)  # it does not say how many iterations it made


def _full(moving: list[bool], q: Floats) -> Floats:
    """A value for every link [links], zero for those that do not move."""
    values = np.zeros(len(moving))
    values[moving] = q
    return values


def _chain(model: Robot):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the peer's type, imported below
    """A serial arm as ikpy's chain, and which of its links move."""
    from ikpy.chain import Chain
    from ikpy.link import URDFLink

    links, moving = [], []
    for joint in model.joints:
        rest, motion = np.asarray(joint.rest, float), joint.motion
        slide, hinge = motion.kind == Kind.SLIDE, motion.kind == Kind.HINGE
        links.append(
            URDFLink(
                name=joint.name,
                origin_translation=rest[:3, 3],
                origin_orientation=_rpy(rest),
                rotation=np.array(motion.axis) if hinge else None,
                translation=np.array(motion.axis) if slide else None,
                bounds=motion.slots[0].limits if motion.slots else None,
                joint_type="revolute" if hinge else "prismatic" if slide else "fixed",
            )
        )
        moving.append(bool(motion.slots))
    return Chain(links, active_links_mask=moving), moving


def _rpy(rest: Floats) -> list[float]:
    """URDF's roll, pitch and yaw of a matrix [4, 4]: about fixed x, then y, then z."""
    pitch = np.arctan2(-rest[2, 0], np.hypot(rest[0, 0], rest[1, 0]))
    if np.hypot(rest[0, 0], rest[1, 0]) < 1e-9:  # roll and yaw turn about one axis: all of it is roll
        return [float(np.arctan2(np.sign(pitch) * rest[0, 1], rest[1, 1])), float(pitch), 0.0]
    return [float(np.arctan2(rest[2, 1], rest[2, 2])), float(pitch), float(np.arctan2(rest[1, 0], rest[0, 0]))]
