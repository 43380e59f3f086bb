"""Mink on MuJoCo: its tasks and its configuration limit, the programme solved by DAQP.

The model is text in MuJoCo's own format, made in memory. Bodies need some mass, or MuJoCo refuses them; nothing here
depends on it.
"""

from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from posewright import solvers as ik
from posewright.solvers.joints import Kind

from ..queries import Answers, Queries
from ..robots import Floats, Robot
from . import check_forward, joint_name
from .differential import LM_DAMPING, costs, descend
from .pink import target_frame

LIMIT_GAIN = 1.0  # a step may go all the way to a limit; the default is 0.95


def method(queries: Queries) -> Answers:
    """Solve each query by `mink.solve_ik`, step by step."""
    return descend(queries, _MinkRobot(queries))


class _MinkRobot:
    def __init__(self, queries: Queries) -> None:
        import mink
        import mujoco

        self.mink = mink
        model = mujoco.MjModel.from_xml_string(mjcf(queries.model))
        self.configuration = mink.Configuration(model)
        self.limits = [mink.ConfigurationLimit(model, gain=LIMIT_GAIN)]
        self.tasks = [self._task(goal) for goal in queries.goals[0]]
        # MuJoCo numbers joints as it meets them, depth first
        names = [model.joint(index).name for index in range(model.njnt)]
        moving = [joint.name for joint in queries.model.joints if joint.motion.slots]
        self.order = np.array([moving.index(name) for name in names])  # our variable for each of its joints
        check_forward(queries.model, [joint_name(goal) for goal in queries.goals[0]], self._forward)

    def _forward(self, q: Floats, link: str) -> Floats:
        self.begin(q)
        return np.asarray(self.configuration.get_transform_frame_to_world(link, "body").as_matrix())

    def _task(self, goal: ik.Goal) -> Any:  # noqa: ANN401 - the peer's type
        link = joint_name(goal)
        if isinstance(goal, ik.LookAt):
            return self.mink.LookAtTask(link, "body", axis=goal.direction, cost=1.0, lm_damping=LM_DAMPING)
        metre, radian = costs(goal)
        return self.mink.FrameTask(
            link, "body", position_cost=metre, orientation_cost=radian, gain=1.0, lm_damping=LM_DAMPING
        )

    def put(self, goals: list[ik.Goal]) -> None:
        for task, goal in zip(self.tasks, goals, strict=True):
            if isinstance(goal, ik.LookAt):
                task.set_target(np.asarray(goal.target, float))
            else:
                task.set_target(self.mink.SE3.from_matrix(target_frame(goal)))

    def begin(self, q: Floats) -> None:
        self.configuration.update(q[self.order])

    def errors(self) -> list[Floats]:
        return [task.compute_error(self.configuration) for task in self.tasks]

    def step(self) -> bool:
        # without velocity limits the length of a time step cancels out
        try:
            velocity = self.mink.solve_ik(self.configuration, self.tasks, 1.0, solver="daqp", limits=self.limits)
        except self.mink.NoSolutionFound:
            return False
        self.configuration.integrate_inplace(velocity, 1.0)
        return True

    def pose(self) -> Floats:
        q = np.zeros(len(self.order))
        q[self.order] = self.configuration.q
        return q


def mjcf(model: Robot) -> str:
    """The tree in MuJoCo's format: bodies inside bodies, each with its joint."""
    below: dict[str | None, list[ik.Joint]] = {}
    for joint in model.joints:
        below.setdefault(joint.parent, []).append(joint)

    def body(joint: ik.Joint) -> str:
        rest, motion, moved = np.asarray(joint.rest, float), joint.motion, ""
        if motion.slots:
            low, high = motion.slots[0].limits or (0.0, 0.0)
            kind = "slide" if motion.kind == Kind.SLIDE else "hinge"
            limits = f'limited="true" range="{low!r} {high!r}"' if np.isfinite([low, high]).all() else 'limited="false"'
            moved = f'<joint name={quoteattr(joint.name)} type="{kind}" axis="{_text(motion.axis)}" {limits}/>'
        inside = "".join(body(one) for one in below.get(joint.name, []))
        return (
            f'<body name={quoteattr(joint.name)} pos="{_text(rest[:3, 3])}" '
            f'xyaxes="{_text(rest[:3, 0])} {_text(rest[:3, 1])}">'
            f'<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{moved}{inside}</body>'
        )

    bodies = "".join(body(one) for one in below[None])
    return f'<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody></mujoco>'


def _text(numbers: Any) -> str:  # noqa: ANN401 - anything that numpy takes
    return " ".join(repr(float(one)) for one in numbers)
