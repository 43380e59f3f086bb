"""One variable follows others: a finger's last joint its middle one, a twist bone the forearm."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from ...compiled import kernel
from ..errors import PosewrightError
from ..rotation import Floats
from ..tree import Tree
from .expression import Operation, Reading, parse
from .goal import Goal
from .tables import GoalArrays, Packed, Unit, Values, tap_variable

MOST_VARIABLES = 16  # different ones in one expression

# Operation, as plain numbers: compiled code takes them for constants.
_NUMBER, _VARIABLE, _NEGATE, _SIN, _COS, _TAN, _SQRT, _ABS, _ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MIN, _MAX = range(14)

_LARGEST = 1e9  # of a result and of a slope; expression.LARGEST
_SMALLEST = 1e-9  # of a divisor


@dataclass(kw_only=True)
class JointFunction(Goal):
    """One variable of a joint is to have the value of `expression`, such as "0.7 * finger1 + 0.1".

    `expression.py` has the grammar. Nothing in it can make the cost infinite: the root of a negative number and a
    quotient by less than 1e-9 are 0, results and slopes are cut off at ±1e9.
    """

    joint: str = field(kw_only=False)
    expression: str = field(kw_only=False)
    axis: str | None = None  # may be left out where the joint has only one variable

    kind: ClassVar[int] = 7

    def pack(self, tree: Tree) -> Packed:  # noqa: D102
        target = tree.variable(self.joint, self.axis)

        def variable(readings: list[Reading]) -> int:
            joint, axis = next((one for one in readings if one[0] in tree.names), readings[0])
            index = tree.variable(joint, axis)
            if index == target:
                raise PosewrightError(f"{joint!r} cannot follow itself")
            return index

        try:
            steps = parse(self.expression, variable)
        except PosewrightError as error:
            raise self.complain(str(error)) from None
        used = sorted({int(step.number) for step in steps if step.operation == Operation.VARIABLE})
        if len(used) > MOST_VARIABLES:
            raise self.complain(f"the expression has {len(used)} different variables; {MOST_VARIABLES} is the most")
        return Packed(
            ints=(target, len(steps), len(used)),
            floats=tuple(float(index) for index in used),
            weights=self.weights(1.0, 1),
            units=(Unit.METRES if tree.variables[target].unit == "m" else Unit.RADIANS,),
            taps=1 + len(used),
            pool=tuple(float(number) for step in steps for number in step),
        )


@kernel
def evaluate_joint_function(goals: GoalArrays, goal: int, row: int, tap: int, q: Floats, values: Values) -> None:
    """One row: the variable, less the expression; its slope is worked out for one variable after the other."""
    target, used = goals.ints[goal, 0], goals.ints[goal, 2]
    value = 0.0
    if used == 0:
        value, _ = _run(goals, goal, q, -1, values.stack)
    for i in range(used):
        variable = int(goals.floats[goal, i])
        value, slope = _run(goals, goal, q, variable, values.stack)
        tap_variable(values, tap + 1 + i, row, variable, -slope)
    values.residual[row] = q[target] - value
    tap_variable(values, tap, row, target, 1.0)


@kernel
def _run(goals: GoalArrays, goal: int, q: Floats, by: int, stack: Floats) -> tuple[float, float]:
    """The expression's value and its slope by one variable. `stack` is room for [DEEPEST, 2]: values, slopes."""
    at, top = goals.pooled[goal], -1
    for _ in range(goals.ints[goal, 1]):
        operation, number = int(goals.pool[at]), goals.pool[at + 1]
        at += 2
        if operation == _NUMBER:
            top += 1
            value, slope = number, 0.0
        elif operation == _VARIABLE:
            top += 1
            value, slope = q[int(number)], 1.0 if int(number) == by else 0.0
        elif operation < _ADD:
            value, slope = _function(operation, stack[top, 0], stack[top, 1])
        else:
            top -= 1
            value, slope = _join(operation, stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1])
        if abs(value) > _LARGEST:
            slope = 0.0
        stack[top, 0] = min(max(value, -_LARGEST), _LARGEST)
        stack[top, 1] = min(max(slope, -_LARGEST), _LARGEST)
    return stack[0, 0], stack[0, 1]


@kernel
def _function(operation: int, x: float, slope: float) -> tuple[float, float]:
    value, rate = -x, -1.0
    if operation == _SIN:
        value, rate = math.sin(x), math.cos(x)
    elif operation == _COS:
        value, rate = math.cos(x), -math.sin(x)
    elif operation == _TAN:
        value = math.tan(x)
        rate = 1.0 + value * value
    elif operation == _SQRT:
        value = math.sqrt(max(x, 0.0))
        rate = 0.5 / value if value > 0.0 else 0.0
    elif operation == _ABS:
        value, rate = abs(x), 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)
    return value, rate * slope


@kernel
def _join(operation: int, a: float, a_slope: float, b: float, b_slope: float) -> tuple[float, float]:
    value, slope = a + b, a_slope + b_slope
    if operation == _SUBTRACT:
        value, slope = a - b, a_slope - b_slope
    elif operation == _MULTIPLY:
        value, slope = a * b, a_slope * b + a * b_slope
    elif operation == _DIVIDE:
        value, slope = 0.0, 0.0
        if abs(b) >= _SMALLEST:
            value = a / b
            slope = (a_slope - value * b_slope) / b
    elif operation == _MIN:
        value, slope = (a, a_slope) if a < b else (b, b_slope)
    elif operation == _MAX:
        value, slope = (a, a_slope) if a > b else (b, b_slope)
    return value, slope
