"""A stroke of the mouse as a move or a turn in the world: constraints, typed numbers, precision and increments.

Pure geometry: no window, no data of Blender. A drag is one stroke after the other: R ends a move and begins a turn
from where it has come to.
"""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, cast

from mathutils import Matrix, Quaternion, Vector

from ..places import Frame
from .view import Ray, View

PRECISION = 0.1  # how far things go with Shift
INCREMENT = 0.1  # metres; a tenth of it with Shift
_EDGE_ON = 0.05  # sine of the angle below which an axis or plane is too thin to aim at
LEVER = 80.0  # pixels: nearer to it the mouse does not turn about the centre, but about a place so far to its left
_NAMES = "XYZ"


class Kind(Enum):
    """What a stroke does."""

    MOVE = "Move"
    TURN = "Turn"


@dataclass(frozen=True)
class Constraint:
    """Along or about which axes a stroke goes."""

    axis: int  # 0, 1, 2
    plane: bool  # in the plane across the axis, instead of along it
    axes: Matrix  # 3×3, its columns are the axes in the world
    words: str  # whose axes: "global", "local", …

    @property
    def direction(self) -> Vector:
        """The axis in the world."""
        return column(self.axes, self.axis)

    @property
    def free(self) -> list[int]:
        """The axes along which it may go."""
        return [index for index in range(3) if (index != self.axis) == self.plane]

    def told(self) -> str:
        """For people: "along global X"."""
        if not self.plane:
            return f"along {self.words} {_NAMES[self.axis]}"
        return f"in the {self.words} {''.join(_NAMES[index] for index in self.free)} plane"


@dataclass
class Typed:
    """Numbers that were typed, one for each free axis; Tab goes on to the next."""

    texts: list[str] = field(default_factory=lambda: [""])

    def press(self, letter: str) -> None:
        """A digit, a point, a minus (turns the sign), a backspace or a tab."""
        text = self.texts[-1]
        if letter == "\b":
            if text:
                self.texts[-1] = text[:-1]
            elif len(self.texts) > 1:
                self.texts.pop()
        elif letter == "\t":
            if len(self.texts) < 3:
                self.texts.append("")
        elif letter == "-":
            self.texts[-1] = text[1:] if text.startswith("-") else f"-{text}"
        elif letter != "." or "." not in text:
            self.texts[-1] = text + letter

    def __bool__(self) -> bool:
        return any(self.texts)

    def numbers(self) -> list[float]:
        """What they come to; nothing yet is zero."""
        return [float(text) if any(map(str.isdigit, text)) else 0.0 for text in self.texts]

    def told(self) -> str:
        """As typed, with a cursor."""
        return ", ".join(self.texts) + "|"


@dataclass
class Stroke:
    """A move or turn of a frame by the mouse, from where both are when it begins."""

    kind: Kind
    origin: Frame
    begun: Vector  # pixels; where the mouse is when it begins
    mouse: Vector = field(init=False)  # pixels; where it has come to, slowed down by Shift
    last: Vector = field(init=False)  # pixels; where it was seen last
    angle: float = 0.0  # radians that it went round the centre, counter-clockwise
    constraint: Constraint | None = None
    typed: Typed = field(default_factory=Typed)

    def __post_init__(self) -> None:
        self.mouse, self.last = self.begun.copy(), self.begun.copy()

    def follow(self, view: View, pixel: Vector, precise: bool) -> None:
        """The mouse went on to a pixel."""
        slow = PRECISION if precise else 1.0
        centre = view.pixel(self.origin.place)
        if centre is None or (self.begun - centre).length < LEVER:  # as a rule the mouse is on what it holds
            centre = self.begun - Vector((LEVER, 0.0))
        self.angle += slow * _angle(self.last - centre, pixel - centre)
        self.mouse += slow * (pixel - self.last)
        self.last = pixel.copy()

    def displacement(self, view: View) -> Vector:
        """How far the mouse has moved the point, in metres of the world: in the view's plane, or as constrained."""
        place = self.origin.place
        free = _across(view, place, view.ray(self.mouse)) - _across(view, place, view.ray(self.begun))
        if self.constraint is None:
            return free
        axis = self.constraint.direction
        if self.constraint.plane:
            return _in_plane(view, self, axis, free)
        return axis * _along(view, self, axis, free)

    def moved(self, displacement: Vector) -> Frame:
        """The frame, displaced."""
        return Frame(self.origin.place + displacement, self.origin.turn)

    def axes(self) -> Matrix:
        """The axes in which numbers are typed: the constraint's, else the world's."""
        return self.constraint.axes if self.constraint else Matrix.Identity(3)

    def typed_displacement(self) -> Vector:
        """What the typed numbers say, each along the next free axis; without a constraint X, Y, Z."""
        found = Vector()
        free = self.constraint.free if self.constraint else [0, 1, 2]
        for index, number in zip(free, self.typed.numbers(), strict=False):
            found += number * column(self.axes(), index)
        return found

    def stepped(self, displacement: Vector, increment: float) -> Vector:
        """A displacement in whole increments along each free axis."""
        if not increment > 0.0:
            return displacement
        found = Vector()
        for index in self.constraint.free if self.constraint else range(3):
            axis = column(self.axes(), index)
            found += axis * increment * round(displacement.dot(axis) / increment)
        return found

    def held(self, place: Vector) -> Vector:
        """The displacement to a place that was snapped to, as far as the constraint lets it go."""
        displacement = place - self.origin.place
        if self.constraint is None:
            return displacement
        along = self.constraint.direction * displacement.dot(self.constraint.direction)
        return displacement - along if self.constraint.plane else along

    def turn_axis(self, view: View) -> Vector:
        """About what it turns: the constraint's axis, else the line of sight."""
        return self.constraint.direction if self.constraint else -view.direction_at(self.origin.place)

    def turn_angle(self, view: View) -> float:
        """By how much the mouse turns about that axis, in radians: what is seen goes round with the mouse."""
        return self.angle if self.turn_axis(view).dot(view.direction_at(self.origin.place)) <= 0.0 else -self.angle

    def turned(self, view: View, angle: float) -> Frame:
        """The frame, turned about its place."""
        turn = Quaternion(self.turn_axis(view), angle)
        return Frame(self.origin.place, (turn @ self.origin.turn).normalized())


def next_constraint(
    now: Constraint | None, axis: int, plane: bool, scene: tuple[Matrix, str], other: tuple[Matrix, str]
) -> Constraint | None:
    """What pressing an axis key does: first the scene's axes, then the other ones, then none.

    Args:
        now: the constraint that is there.
        axis: of the key.
        plane: with Shift.
        scene: the axes of the scene's transform orientation, and its name.
        other: those that a second press goes to.
    """
    again = now is not None and (now.axis, now.plane) == (axis, plane)
    if not again or now is None:
        return Constraint(axis, plane, *scene)
    return Constraint(axis, plane, *other) if now.words == scene[1] else None


def column(axes: Matrix, index: int) -> Vector:
    """One of the axes that are a matrix's columns, of unit length."""
    return axes.transposed()[index].normalized()


def _cross(first: Vector, second: Vector) -> Vector:
    found: Any = first.cross(second)  # to the stubs it might be that of two flat vectors, a number
    return cast(Vector, found)


def _angle(before: Vector, after: Vector) -> float:
    """The angle from one direction on the screen to another, in radians, counter-clockwise."""
    return math.atan2(before.x * after.y - before.y * after.x, before.dot(after))


def _across(view: View, place: Vector, ray: Ray) -> Vector:
    """Where a line of sight goes through the plane that faces the view at a place."""
    found = _meet(ray, place, view.axis(2))
    return found if found is not None else place


def _meet(ray: Ray, place: Vector, normal: Vector) -> Vector | None:
    """Where a line of sight goes through a plane; None where they run side by side, or it lies behind the eye."""
    steep = ray.direction.dot(normal)
    if abs(steep) < _EDGE_ON:
        return None
    return ray.origin + ray.direction * ((place - ray.origin).dot(normal) / steep)


def _in_plane(view: View, stroke: Stroke, normal: Vector, free: Vector) -> Vector:
    """The displacement within a plane; of a plane seen from its edge, what of the free one lies in it."""
    place = stroke.origin.place
    if abs(view.direction_at(place).dot(normal)) >= _EDGE_ON:
        first, now = (_meet(view.ray(pixel), place, normal) for pixel in (stroke.begun, stroke.mouse))
        if first is not None and now is not None and (not view.is_perspective or view.depth(now) > 0.0):
            return now - first
    return free - normal * free.dot(normal)


def _along(view: View, stroke: Stroke, axis: Vector, free: Vector) -> float:
    """How far along an axis the mouse went; of an axis that points at the viewer, what it went up."""
    place, sight = stroke.origin.place, view.direction_at(stroke.origin.place)
    if _cross(axis, sight).length < _EDGE_ON:
        return free.dot(view.axis(1)) * (-1.0 if axis.dot(sight) > 0.0 else 1.0)
    # The plane that holds the axis and faces the viewer most: the axis is aimed at in it.
    facing = _cross(_cross(axis, sight), axis).normalized()
    first, now = (_meet(view.ray(pixel), place, facing) for pixel in (stroke.begun, stroke.mouse))
    if first is None or now is None or (view.is_perspective and view.depth(now) <= 0.0):
        return free.dot(axis)
    return (now - first).dot(axis)
