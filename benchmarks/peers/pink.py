"""Pink on Pinocchio: its tasks and its configuration limit, the programme solved by DAQP.

The model is made joint by joint. Pink has no look-at task, so one is written here as its documentation says: a `Task`
with an error and its Jacobian.
"""

from typing import Any

import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Kind
from posewright.tests import naive

from ..queries import Answers, Queries
from ..robots import Floats, Robot, matrices_of
from . import check_forward, frame_of, joint_name
from .differential import LM_DAMPING, costs, descend

LIMIT_GAIN = 1.0  # a step may go all the way to a limit; the default, 0.5, only halves the way


def method(queries: Queries) -> Answers:
    """Solve each query by `pink.solve_ik`, step by step."""
    return descend(queries, _PinkRobot(queries))


class _PinkRobot:
    def __init__(self, queries: Queries) -> None:
        import pink
        import pinocchio

        self.pink, self.pin = pink, pinocchio
        model = queries.model
        self.model = _pinocchio_model(model)
        self.configuration = pink.Configuration(self.model, self.model.createData(), np.array(queries.starts[0]))
        self.limits = [pink.limits.ConfigurationLimit(self.model, config_limit_gain=LIMIT_GAIN)]
        self.tasks = [self._task(goal) for goal in queries.goals[0]]
        check_forward(model, [joint_name(goal) for goal in queries.goals[0]], self._forward)

    def _forward(self, q: Floats, link: str) -> Floats:
        self.configuration.update(q)
        return np.asarray(self.configuration.get_transform_frame_to_world(link).homogeneous)

    def _task(self, goal: ik.Goal) -> Any:  # noqa: ANN401 - the peer's type
        if isinstance(goal, ik.LookAt):
            return _look_at_task()(goal.joint, np.asarray(goal.direction, float))
        metre, radian = costs(goal)
        return self.pink.FrameTask(
            joint_name(goal), position_cost=metre, orientation_cost=radian, lm_damping=LM_DAMPING, gain=1.0
        )

    def put(self, goals: list[ik.Goal]) -> None:
        for task, goal in zip(self.tasks, goals, strict=True):
            if isinstance(goal, ik.LookAt):
                task.target = np.asarray(goal.target, float)
            else:
                task.set_target(self.pin.SE3(target_frame(goal)))

    def begin(self, q: Floats) -> None:
        self.configuration.update(q)

    def errors(self) -> list[Floats]:
        return [task.compute_error(self.configuration) for task in self.tasks]

    def step(self) -> bool:
        # without velocity limits the length of a time step cancels out
        try:
            velocity = self.pink.solve_ik(
                self.configuration, self.tasks, 1.0, solver="daqp", limits=self.limits, safety_break=False
            )
        except self.pink.exceptions.NoSolutionFound:
            return False
        self.configuration.integrate_inplace(velocity, 1.0)
        return True

    def pose(self) -> Floats:
        return np.array(self.configuration.q)


def target_frame(goal: ik.Goal) -> Floats:
    """A goal's target [4, 4]; what it does not say is the identity, which costs nothing."""
    if isinstance(goal, ik.Pose):
        return frame_of(goal)
    frame = np.eye(4)
    if isinstance(goal, ik.Position):
        frame[:3, 3] = np.asarray(goal.target, float)
    elif isinstance(goal, ik.Orientation):
        frame[:3, :3] = matrices_of(np.asarray(goal.target, float)[None])[0]
    return frame


def _pinocchio_model(model: Robot) -> Any:  # noqa: ANN401 - the peer's type
    """The tree joint by joint, a frame for each link; links that do not move are frames of the joint above."""
    import pinocchio as pin

    made = pin.Model()
    above: dict[str | None, tuple[int, Any]] = {None: (0, pin.SE3.Identity())}
    for joint in model.joints:
        parent, place = above[joint.parent]
        place = place * pin.SE3(np.asarray(joint.rest, float))
        if joint.motion.slots:
            low, high = (np.array([end]) for end in joint.motion.slots[0].limits or (0.0, 0.0))
            kind, fast = _joint_model(joint.motion.kind, np.array(joint.motion.axis)), np.array([np.inf])
            parent, place = (
                made.addJoint(parent, kind, place, f"to {joint.name}", fast, fast, low, high),
                pin.SE3.Identity(),
            )
        made.addFrame(pin.Frame(joint.name, parent, place, pin.FrameType.BODY))
        above[joint.name] = parent, place
    return made


def _joint_model(kind: Kind, axis: Floats) -> Any:  # noqa: ANN401 - the peer's type
    """Pinocchio's joint; about x, y and z it has faster ones, which its own URDF reader takes too."""
    import pinocchio as pin

    turns = pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ
    slides = pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ
    hinge = kind == Kind.HINGE
    for index, unit in enumerate(np.eye(3)):
        if (axis == unit).all():
            return (turns if hinge else slides)[index]()
    return pin.JointModelRevoluteUnaligned(axis) if hinge else pin.JointModelPrismaticUnaligned(axis)


def _look_at_task() -> Any:  # noqa: ANN401 - a class of the peer's, which is imported only here
    from pink.tasks import Task

    class LookAt(Task):  # type: ignore[misc]
        """A link's direction d, less the unit vector t to the target, both in the link's frame."""

        def __init__(self, link: str, direction: Floats) -> None:
            super().__init__(cost=1.0, gain=1.0, lm_damping=LM_DAMPING)
            self.link, self.direction, self.target = link, direction, np.zeros(3)

        def _towards(self, configuration: Any) -> Floats:  # noqa: ANN401
            place = configuration.get_transform_frame_to_world(self.link)
            return np.asarray(place.rotation.T @ (self.target - place.translation))

        def compute_error(self, configuration: Any) -> Floats:  # noqa: ANN401
            towards = self._towards(configuration)
            return self.direction - towards / np.linalg.norm(towards)

        def compute_jacobian(self, configuration: Any) -> Floats:  # noqa: ANN401
            """The vector r to the target moves by -v - ω × r in the link's frame; the length of t does not change."""
            towards = self._towards(configuration)
            length = float(np.linalg.norm(towards))
            along = towards / length
            twist = configuration.get_frame_jacobian(self.link)
            moved = twist[:3] - naive.cross_matrix(towards) @ twist[3:]
            return np.asarray((np.eye(3) - np.outer(along, along)) @ moved / length)

        def __repr__(self) -> str:
            return f"LookAt({self.link})"

    return LookAt
