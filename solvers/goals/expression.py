"""Arithmetic on named joints, from text to postfix steps.

The text may come from a .blend that a stranger has sent. It is taken apart by the rules below and by nothing else:

    sum      = product { ("+" | "-") product }
    product  = factor { ("*" | "/") factor }
    factor   = { "+" | "-" } atom
    atom     = number | "pi" | variable | function "(" sum { "," sum } ")" | "(" sum ")"
    function = sin cos tan sqrt abs (one argument), min max (two or more)
    variable = name | name.axis | "any name" | "any name".axis       (single quotes do as well)

A name without quotes is letters, digits, "_" and inner dots. Where `a.b` is a joint it means that joint, otherwise the
variable `b` of joint `a`; quotes leave no doubt. Words are functions only before a bracket; a joint called pi needs
quotes. Angles are in radians, lengths in metres.
"""

import math
import re
from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from ..errors import PosewrightError

LONGEST = 1000  # characters
DEEPEST = 32  # brackets within brackets, and numbers waiting on the stack
LARGEST = 1e9  # any number, written or computed

Reading: TypeAlias = tuple[str, str | None]  # a joint and an axis


class Operation(IntEnum):
    """What a step does with the stack."""

    NUMBER = 0  # puts its number on it
    VARIABLE = 1  # puts the variable of its number on it
    NEGATE = 2  # from here on: replaces the uppermost
    SIN = 3
    COS = 4
    TAN = 5
    SQRT = 6
    ABS = 7
    ADD = 8  # from here on: replaces the two uppermost
    SUBTRACT = 9
    MULTIPLY = 10
    DIVIDE = 11
    MIN = 12
    MAX = 13


class Step(NamedTuple):
    """One step of an expression in postfix form."""

    operation: Operation
    number: float = 0.0


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<quoted>(?:"[^"]*"|'[^']*')(?:\.\w+)?)
      | (?P<word>[^\W\d]\w*(?:\.\w+)*)
      | (?P<sign>[-+*/(),])""",
    re.VERBOSE,
)
_FUNCTIONS = {name: Operation[name.upper()] for name in ("sin", "cos", "tan", "sqrt", "abs", "min", "max")}
_SIGNS = {"+": Operation.ADD, "-": Operation.SUBTRACT, "*": Operation.MULTIPLY, "/": Operation.DIVIDE}


def parse(text: str, variable: Callable[[list[Reading]], int]) -> list[Step]:
    """The steps of an expression; `variable` gives the index for what a name may mean, likeliest first.

    Raises an error that says what is wrong and where.
    """
    if len(text) > LONGEST:
        raise PosewrightError(f"the expression has {len(text)} characters; {LONGEST} is the most")
    parser = _Parser(text, variable)
    parser.sum()
    if parser.token.kind != "end":
        raise parser.wrong(f"an operator is missing before {parser.token.text!r}")
    return parser.steps


def with_variables(text: str, change: Callable[[str], str]) -> str:
    """The same expression with something else in the places of its variables; `change` is given each as it is written.

    Quotes stay. Raises an error where the text has what no expression has.
    """
    tokens, found, done = list(_tokens(text)), "", 0
    for token, after in pairwise(tokens):
        is_word = token.kind == "word" and token.text != "pi" and after.text != "("
        if is_word or token.kind == "quoted":
            found += text[done : token.position] + change(token.text)
            done = token.position + len(token.text)
    return found + text[done:]


def _wrong(text: str, position: int, what: str) -> PosewrightError:
    shown = f"{text[max(0, position - 20) : position]}▸{text[position : position + 20]}"
    return PosewrightError(f"{what}, at character {position + 1}: {shown}")


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _wrong(text, position, f"{text[position]!r} has no place in an expression")
        if found.lastgroup != "space":
            yield _Token(str(found.lastgroup), found.group(), position)
        position = found.end()
    yield _Token("end", "", position)


def _readings(token: _Token) -> list[Reading]:
    """What a name may mean."""
    if token.kind == "quoted":
        joint, _, axis = token.text[1:].rpartition(token.text[0])
        return [(joint, axis[1:] or None)]
    joint, _, axis = token.text.rpartition(".")
    return [(token.text, None), (joint, axis)] if joint else [(token.text, None)]


class _Parser:
    """Recursive descent: a method a rule, each of which leaves one more number on the stack."""

    def __init__(self, text: str, variable: Callable[[list[Reading]], int]) -> None:
        self.text = text
        self.variable = variable
        self.tokens = _tokens(text)
        self.token = next(self.tokens)  # the one at hand
        self.steps: list[Step] = []
        self.stacked = 0  # numbers on the stack after these steps
        self.nested = 0  # brackets open

    def wrong(self, what: str) -> PosewrightError:
        """An error at the token at hand."""
        return _wrong(self.text, self.token.position, what)

    def take(self, signs: str) -> str:
        """The sign at hand if it is one of these, and on to the next token; otherwise nothing."""
        sign = self.token.text
        if self.token.kind != "sign" or sign not in signs:
            return ""
        self.token = next(self.tokens)
        return sign

    def emit(self, operation: Operation, number: float = 0.0) -> None:
        self.steps.append(Step(operation, number))
        self.stacked += 1 if operation < Operation.NEGATE else (0 if operation < Operation.ADD else -1)
        if self.stacked > DEEPEST:
            raise self.wrong(f"more than {DEEPEST} numbers wait for an operator")

    def sum(self) -> None:
        self.product()
        while sign := self.take("+-"):
            self.product()
            self.emit(_SIGNS[sign])

    def product(self) -> None:
        self.factor()
        while sign := self.take("*/"):
            self.factor()
            self.emit(_SIGNS[sign])

    def factor(self) -> None:
        negative = False
        while sign := self.take("+-"):
            negative ^= sign == "-"
        self.atom()
        if negative and self.steps[-1].operation == Operation.NUMBER:
            self.steps[-1] = Step(Operation.NUMBER, -self.steps[-1].number)
        elif negative:
            self.emit(Operation.NEGATE)

    def atom(self) -> None:
        token = self.token
        if token.kind == "number":
            if float(token.text) > LARGEST:
                raise self.wrong(f"{LARGEST:g} is the largest number")
            self.token = next(self.tokens)
            self.emit(Operation.NUMBER, float(token.text))
        elif token.kind in {"word", "quoted"}:
            self.token = next(self.tokens)
            if token.kind == "word" and self.token.text == "(":
                self.call(token)
            elif token.text == "pi":
                self.emit(Operation.NUMBER, math.pi)
            else:
                self.emit(Operation.VARIABLE, self.look_up(token))
        elif token.text == "(":
            self.brackets(1, 1)
        else:
            raise self.wrong(f"a number, a joint or a bracket is expected, not {token.text or 'the end'!r}")

    def look_up(self, token: _Token) -> int:
        try:
            return self.variable(_readings(token))
        except PosewrightError as error:
            raise _wrong(self.text, token.position, str(error)) from None

    def call(self, token: _Token) -> None:
        operation = _FUNCTIONS.get(token.text)
        if operation is None:
            known = ", ".join(_FUNCTIONS)
            raise _wrong(self.text, token.position, f"unknown function {token.text!r}; the functions are {known}")
        if operation < Operation.ADD:
            self.brackets(1, 1)
            self.emit(operation)
        else:
            self.brackets(2, LONGEST, operation)

    def brackets(self, least: int, most: int, operation: Operation | None = None) -> None:
        """Arguments in brackets; `operation` joins each but the first to those before it."""
        if self.nested == DEEPEST:
            raise self.wrong(f"more than {DEEPEST} brackets are open")
        self.nested += 1
        self.take("(")
        self.sum()
        count = 1
        while count < most and self.take(","):
            self.sum()
            count += 1
            if operation is not None:
                self.emit(operation)
        if count < least:
            raise self.wrong(f"{least} or more arguments are expected, not {count}")
        if not self.take(")"):
            raise self.wrong(f"')' is expected, not {self.token.text or 'the end'!r}")
        self.nested -= 1
