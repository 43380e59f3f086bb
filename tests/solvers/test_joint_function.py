"""Joint functions: what the grammar says, what it refuses, and that no text whatever can harm a solve."""

import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posewright.solvers import JointFunction, Problem
from posewright.solvers.errors import PosewrightError
from posewright.solvers.goals.expression import DEEPEST, LONGEST, parse
from posewright.solvers.joints import Ball, Hinge, Joint, Prismatic
from posewright.solvers.tree import Tree

NAMES = ("a", "b", "upper arm.L", "hand.L", "hand.L.001", "it's", "pi", "sin", "über")
TREE = Tree(
    [
        Joint("follower", motion=Hinge()),
        *(Joint(name, motion=Hinge()) for name in NAMES),
        Joint("ball", motion=Ball((-1, 1), (-1, 1), (-1, 1))),
        Joint("slide", motion=Prismatic()),
    ]
)
POSE = np.linspace(0.1, 1.4, len(TREE.variables))


def value(name: str, axis: str | None = None) -> float:
    return float(POSE[TREE.variable(name, axis)])


def result(expression: str, pose: Any = POSE) -> float:
    """What the expression comes to: the follower, less its residual."""
    residual = Problem(TREE, [JointFunction("follower", expression)]).residual(pose)
    return float(pose[0] - residual[0])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0.7 * a + 0.1", 0.7 * value("a") + 0.1),
        ("1 - 2 - 3", -4.0),
        ("12 / 2 / 3", 2.0),
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("-a * b", -value("a") * value("b")),
        ("a - -b", value("a") + value("b")),
        ("--+-2", -2.0),
        ("2 * -(a + b)", -2 * (value("a") + value("b"))),
        (" .5e1 + 5. + 1E-1 ", 10.1),
        ("2 * pi", 2 * math.pi),
        ("'pi' + sin", value("pi") + value("sin")),
        ("sin(sin)", math.sin(value("sin"))),
        ("'upper arm.L'", value("upper arm.L")),
        ('"upper arm.L".angle', value("upper arm.L")),
        ('"it\'s"', value("it's")),
        ("hand.L", value("hand.L")),
        ("hand.L.angle", value("hand.L")),
        ("hand.L.001", value("hand.L.001")),
        ("'hand.L.001'.angle", value("hand.L.001")),
        ("über", value("über")),
        ("ball.swing_z - 'ball'.twist", value("ball", "swing_z") - value("ball", "twist")),
        ("slide", value("slide")),
        ("cos(1) + tan(1)", math.cos(1) + math.tan(1)),
        ("sqrt(abs(-4))", 2.0),
        ("min(3, 1, 2) + max(1, 2)", 3.0),
        ("min(a, b) * max(a, b)", value("a") * value("b")),
    ],
)
def test_an_expression_means_what_it_says(expression: str, expected: float) -> None:
    assert result(expression) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 / 0", 0.0),
        ("a / (b - b)", 0.0),
        ("sqrt(-1)", 0.0),
        ("sqrt(0 * a)", 0.0),
        ("1e9 * 1e9", 1e9),
        ("-1e9 - 1e9", -1e9),
        ("1e9 / 1e-8", 1e9),
        ("tan(pi / 2)", 1e9),
    ],
)
def test_what_arithmetic_leaves_undefined_is_finite(expression: str, expected: float) -> None:
    assert result(expression) == expected
    assert np.isfinite(Problem(TREE, [JointFunction("follower", expression)]).gradient(POSE)).all()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "a number, a joint or a bracket is expected, not 'the end', at character 1: ▸"),
        ("0.7 * * a", "expected, not '*', at character 7: 0.7 * ▸* a"),
        ("a ** 2", "expected, not '*', at character 4: a *▸* 2"),
        ("2 a", "an operator is missing before 'a', at character 3: 2 ▸a"),
        ("(a + b", "')' is expected, not 'the end', at character 7: (a + b▸"),
        ("a)", "an operator is missing before ')', at character 2"),
        ("()", "expected, not ')', at character 2"),
        ("sin(a, b)", "')' is expected, not ',', at character 6"),
        ("max(a)", "2 or more arguments are expected, not 1, at character 6"),
        ("(a, b)", "')' is expected, not ','"),
        ("open('x')", "unknown function 'open'; the functions are sin, cos, tan, sqrt, abs, min, max, at character 1"),
        ("a.__class__", "joint 'a' has no variable '__class__'; its variables are angle, at character 1"),
        ("nose + 1", "unknown joint: 'nose'; the joints are follower, a"),
        ("nose.x", "unknown joint: 'nose.x'"),
        ("1 + ball", "joint 'ball' has no variable None; its variables are swing_x, twist, swing_z, at character 5"),
        ("a + follower", "'follower' cannot follow itself, at character 5: a + ▸follower"),
        ("a; b", "';' has no place in an expression, at character 2: a▸; b"),
        ("'a", '"\'" has no place in an expression, at character 1'),
        ("1e10", "1e+09 is the largest number, at character 1"),
        ("1e999", "1e+09 is the largest number"),
        ("+".join(["a"] * LONGEST), f"the expression has 1999 characters; {LONGEST} is the most"),
        ("(" * 500 + "a" + ")" * 499, f"more than {DEEPEST} brackets are open, at character 33"),
        ("1+1*(" * 20 + "a" + ")" * 20, f"more than {DEEPEST} numbers wait for an operator"),
    ],
)
def test_a_wrong_expression_is_pointed_at(expression: str, message: str) -> None:
    with pytest.raises(PosewrightError, match="^JointFunction goal: .*" + re.escape(message)):
        Problem(TREE, [JointFunction("follower", expression)])


def test_seventeen_variables_are_one_too_many() -> None:
    tree = Tree([Joint(f"j{index}", motion=Hinge()) for index in range(18)])
    most = Problem(tree, [JointFunction("j0", "+".join(f"j{index}" for index in range(1, 17)))])
    assert most.residual(np.ones(18))[0] == -15.0
    with pytest.raises(PosewrightError, match="the expression has 17 different variables; 16 is the most"):
        Problem(tree, [JointFunction("j0", "+".join(f"j{index}" for index in range(1, 18)))])


def test_the_deepest_expression_that_is_allowed_fits_the_stack() -> None:
    assert result("(" * DEEPEST + "7" + ")" * DEEPEST) == 7.0
    assert result("1+(" * (DEEPEST - 1) + "1" + ")" * (DEEPEST - 1)) == DEEPEST


Function = Callable[[Any], float]


def binary(sign: str) -> Callable[[tuple[tuple[str, Function], tuple[str, Function]]], tuple[str, Function]]:
    signs: dict[str, Callable[[float, float], float]] = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "min": min,
        "max": max,
    }
    does = signs[sign]

    def join(both: tuple[tuple[str, Function], tuple[str, Function]]) -> tuple[str, Function]:
        (left, f), (right, g) = both
        text = f"{sign}({left}, {right})" if sign in {"min", "max"} else f"({left}) {sign} ({right})"
        return text, lambda q: does(f(q), g(q))

    return join


def unary(name: str) -> Callable[[tuple[str, Function]], tuple[str, Function]]:
    does: Function = operator.neg if name == "-" else getattr(math, name, abs)
    return lambda one: (f"{name}({one[0]})", lambda q: does(one[1](q)))


numbers = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3)).map(lambda x: (repr(x), lambda _q: x))
variables = st.integers(1, len(NAMES)).map(lambda i: (f'"{NAMES[i - 1]}"', lambda q: float(q[i])))
expressions = st.recursive(
    variables | numbers,
    lambda inner: st.one_of(
        *(st.tuples(inner, inner).map(binary(sign)) for sign in ("+", "-", "*", "min", "max")),
        *(inner.map(unary(name)) for name in ("-", "sin", "cos", "abs")),
    ),
    max_leaves=8,
)


@given(expressions, st.integers(0, 2**32 - 1))
def test_values_and_slopes_agree_with_the_same_expression_in_python(one: tuple[str, Function], seed: int) -> None:
    text, twin = one
    pose, step = np.random.default_rng(seed).uniform(-2, 2, len(TREE.variables)), 1e-6
    problem = Problem(TREE, [JointFunction("follower", text)])
    assert pose[0] - problem.residual(pose)[0] == pytest.approx(twin(pose), rel=1e-12, abs=1e-12)
    jacobian = problem.jacobian(pose)[0]
    assert jacobian[0] == 1.0
    for i in range(1, len(pose)):
        change = np.zeros(len(pose))
        change[i] = step
        ahead, here, behind = twin(pose + change), twin(pose), twin(pose - change)
        if abs(ahead - 2 * here + behind) < 1e-8:  # not on a kink of abs, min, max
            scale = max(1.0, abs(ahead))
            assert -jacobian[i] == pytest.approx((ahead - behind) / (2 * step), rel=1e-5, abs=1e-6 * scale)


NAMED = ["pi", "a", "b", "hand.L", "ball.twist", "'upper arm.L'", ".angle", "__import__", "é"]
CALLED = ["sin(", "cos(", "tan(", "sqrt(", "abs(", "min(", "max(", "eval("]
pieces = st.sampled_from([*"+-*/(),.'\" ", "**", "\n", "0", "1e-9", "1e9", "0.5", "2", "٣", *NAMED, *CALLED])
texts = st.text(max_size=60) | st.lists(pieces, max_size=40).map("".join)
valid = st.recursive(
    st.sampled_from(["a", "b", "hand.L", "ball.twist", "0", "1e9", "1e-9", "-1", "pi", "0.5"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda x: f"({x[0]}){x[1]}({x[2]})"),
        st.tuples(st.sampled_from(["sin", "cos", "tan", "sqrt", "abs", "-"]), inner).map(lambda x: f"{x[0]}({x[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda x: f"{x[0]}({x[1]},{x[2]})"),
    ),
    max_leaves=12,
)


@given(texts | valid, st.sampled_from([0.0, 1e-9, 1.0, -math.pi / 2, 1e12, -1e100]))
def test_no_text_raises_anything_else_or_makes_the_cost_or_its_slope_infinite(text: str, everywhere: float) -> None:
    try:
        problem = Problem(TREE, [JointFunction("follower", text)])
    except PosewrightError:
        return
    pose = np.full(len(TREE.variables), everywhere)
    pose[0] = 0.0
    assert abs(problem.residual(pose)[0]) <= 1e9
    assert np.isfinite(problem.cost(pose))
    assert (abs(problem.jacobian(pose)) <= 1e9).all()
    assert np.isfinite(problem.gradient(pose)).all()


def test_a_joint_function_reports_in_the_unit_of_its_joint() -> None:
    problem = Problem(TREE, [JointFunction("slide", "0"), JointFunction("follower", "0")])
    length, angle = problem.errors(POSE)
    assert (length.metres, length.radians) == (value("slide"), 0.0)
    assert (angle.metres, angle.radians) == (0.0, value("follower"))


def test_a_sign_before_a_number_is_part_of_it() -> None:
    assert parse("-0.5", lambda _: 0) == parse("- +0.5", lambda _: 0)
    assert len(parse("-0.5", lambda _: 0)) == 1
