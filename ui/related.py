"""What the overlay shows of relations: wires, loops, couplings, balance, and the body as collisions see it."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from mathutils import Matrix, Vector

from .. import bridge, properties
from ..properties import Character, POSEWRIGHT_PG_relation, POSEWRIGHT_PG_relation_part
from . import capsules
from .signs import REACHED, Line, Mark, Role, Seen, Shapes, Sign, Strand, Words, bone_of, distance
from .tab import spoken

if TYPE_CHECKING:
    from ..bridge.outcome import GoalOutcome
    from ..bridge.relations.balance import Seen as Balance

T = TypeVar("T")
TAUT = 1e-3  # of its length: a wire that lacks no more of it is taut


def add_relations(found: Shapes, seen: Seen) -> None:
    """Add wires, loops, balance, and of the active coupling what follows what."""
    character = properties.character(seen.character)
    points = _Points(character)
    for index, one in enumerate(character.posewright_relations):
        active, outcome = index == character.posewright_active_relation, seen.last.relations.get(index)
        try:
            if one.mute:
                continue
            if one.kind == "WIRE" and len(one.parts) > 1:
                _add_wire(found, seen, points, one, outcome, active)
            elif one.kind == "LOOP" and len(one.parts) == 2:
                _add_loop(found, seen, points, one, outcome)
            elif one.kind == "BALANCE":
                there = _once(character, f"balance.{index}", partial(bridge.relations.balance.seen, character, one))
                _add_balance(found, seen, one, there)
            elif one.kind == "COUPLING" and active:
                end = points.of_bone(one.bone).translation
                begins = [points.of_bone(part.bone).translation for part in one.parts]
                found.lines.extend(Line(points.world @ begin, points.world @ end, Role.HELD, True) for begin in begins)
        except ValueError:  # a bone is gone; the panel says so
            continue


def add_body(found: Shapes, character: Character) -> None:
    """Add the shapes of the body, as they are posed."""
    found.strands.extend(_once(character, "body", lambda: list(_body(character))))


def _body(character: Character) -> Iterator[Strand]:
    touching = bridge.collision.touching.of(character)
    for shape in bridge.collision.shapes.stored(character):
        if (bone := bone_of(character, shape.bone)) is not None:
            role = Role.TOUCHES if shape.bone in touching else Role.BODY
            frame = character.matrix_world @ bone.matrix
            for line in capsules.lines(Vector(shape.start), Vector(shape.end), shape.radius):
                yield Strand(tuple(frame @ place for place in line), role)


_made: dict[tuple[int, str], tuple[int, Any]] = {}  # by session_uid and what it is; and after how many changes


def forget() -> None:
    """Forget what was made."""
    _made.clear()


def _once(character: Character, what: str, look: Callable[[], T]) -> T:
    """What takes milliseconds to look at: once after each change, not at every redraw while a view turns."""
    changes, known = bridge.watch.changes(), _made.get((character.session_uid, what))
    if known is None or known[0] != changes:
        known = _made[character.session_uid, what] = changes, look()
    found: T = known[1]
    return found


class _Points:
    """Where points of bones are, of a character whose bones many of them share."""

    def __init__(self, character: Character) -> None:
        self.character, self.world = character, character.matrix_world
        self._bones: dict[str, Matrix] = {}
        self._lengths = bridge.relations.relation.lengths(character)

    def of_bone(self, name: str) -> Matrix:
        """A bone in the armature's space. Raises an error where there is none."""
        if name not in self._bones:
            if (bone := bone_of(self.character, name)) is None:
                raise bridge.errors.PosewrightError(spoken("there is no bone {bone!r}", bone=name))
            self._bones[name] = bone.matrix
        return self._bones[name]

    def of_parts(self, one: POSEWRIGHT_PG_relation) -> list[Vector]:
        """The points of a relation in the armature's space."""
        on_bone = bridge.relations.points.on_bone
        return [
            self._of_another(part) if part.other else self.of_bone(part.bone) @ on_bone(self._lengths, part)
            for part in one.parts
        ]

    def _of_another(self, part: POSEWRIGHT_PG_relation_part) -> Vector:
        """A point of another character, as seen from this one."""
        return self.world.inverted_safe() @ bridge.relations.points.in_world(self.character, part)


def _add_wire(
    found: Shapes,
    seen: Seen,
    points: _Points,
    one: POSEWRIGHT_PG_relation,
    outcome: "GoalOutcome | None",
    active: bool,
) -> None:
    """Add a wire; of the active one, its points too, and of one that is too long, by how much."""
    there = points.of_parts(one)
    length = sum((end - begin).length for begin, end in pairwise(there))
    role = Role.TAUT if length > (1.0 - TAUT) * one.length else Role.SLACK
    places = tuple(points.world @ place for place in there)
    if outcome is not None and not (outcome.reached or outcome.trouble):
        role = Role.OUT_OF_REACH
        middle = places[len(places) // 2 - 1].lerp(places[len(places) // 2], 0.5)
        found.words.append(Words(middle, distance(outcome.metres, seen.units), role))
    found.strands.append(Strand(places, role))
    if active:
        found.marks.extend(Mark(Sign.DOT, place, role, seen.skin) for place in places)


def _add_loop(
    found: Shapes, seen: Seen, points: _Points, one: POSEWRIGHT_PG_relation, outcome: "GoalOutcome | None"
) -> None:
    """Add the two points of a loop, and what is between them."""
    first, second = (points.world @ place for place in points.of_parts(one))
    lacking = outcome is not None and not (outcome.reached or outcome.trouble)
    role = Role.OUT_OF_REACH if lacking else Role.HELD
    found.marks.append(Mark(Sign.RING, first, role, seen.skin))
    found.marks.append(Mark(Sign.DOT, second, role, seen.skin))
    if (first - second).length > REACHED:
        found.lines.append(Line(first, second, role, dashed=not lacking))
    if lacking and outcome is not None:
        found.words.append(Words(first, distance(outcome.metres, seen.units), role, second))


def _add_balance(found: Shapes, seen: Seen, one: POSEWRIGHT_PG_relation, there: "Balance") -> None:
    """Add the centre of mass with its plumb line, and what is stood on; red where it is beyond that."""
    corners, within = there.corners, there.within
    role = Role.HELD if corners and there.inside >= 0.0 else Role.OUT_OF_REACH if corners else Role.IDLE
    found.marks.append(Mark(Sign.TARGET, there.centre, role, seen.skin))
    if not corners:
        return
    height = min(corner.z for corner in corners)
    below = Vector((there.centre.x, there.centre.y, height))
    found.lines.append(Line(there.centre, below, role, dashed=True))
    found.marks.append(Mark(Sign.DOT, below, role, 0.0))
    found.strands.append(Strand((*corners, corners[0]), role))
    if len(within) > 1 and one.inside > 0.0:
        ends = zip(within, (*within[1:], within[0]), strict=True)
        found.lines.extend(Line(begin, end, role, dashed=True) for begin, end in ends)
    if there.inside < 0.0:
        found.words.append(Words(below, distance(-there.inside, seen.units), role))
