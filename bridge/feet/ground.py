"""What a clip walks on: meshes as they are seen, standing or moving, asked by rays for what is below a place."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ... import properties
from ...motion.feet.ground import Hits
from ...motion.feet.walk import Bools, Ints
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from ..channels import Singles, floats
from ..dragging.mesh_snapping import is_own
from . import surfaces
from .surfaces import Surface

LIFT = 1e-4  # metres: a place that is so little under a surface is on it
LEG = 1.0  # metres: a place is inside what it is under by less than this; what is higher above it is a ceiling
_STILL = 1e-6  # metres, or parts of a turn, that are no motion
_DEFORMS = 1e-5  # metres of its own space by which the mesh of a thing changes, if it does

Key = tuple[int, tuple[int, ...]]  # of an object, its session_uid; of an instance, what tells it from others


@dataclass(frozen=True, eq=False)
class Thing:
    """A surface, and where it is."""

    name: str
    surface: Surface
    motion: Floats  # [F, 4, 4], from the tree's space to the world; [1, 4, 4] where it stays
    back: Floats  # the inverse of each
    scale: Floats  # [F or 1], metres of the world for one of the tree's

    def at(self, frames: Ints) -> Ints:
        """Which of its matrices are those of frames [N]."""
        found: Ints = np.minimum(frames, len(self.motion) - 1)
        return found

    def near(self, places: Floats, frames: Ints) -> Ints:
        """Which places [N, 3] on frames [N] have a part of it above or below them, perhaps."""
        at = self.at(frames)
        centre = self.motion[at, :3, :3] @ self.surface.centre + self.motion[at, :3, 3]
        widest = 1.01 * self.surface.radius * self.scale[at] + LIFT
        found: Ints = np.flatnonzero(np.hypot(*(places - centre)[:, :2].T) <= widest)
        return found

    def cast(self, places: Floats, frames: Ints, up: float, reach: float) -> tuple[Bools, Floats, Floats]:
        """Rays straight up (1) or down (-1): which of them hit [N], how far away [N], and the normals there [N, 3]."""
        at = self.at(frames)
        back = self.back[at]
        origins = np.einsum("nij,nj->ni", back[:, :3, :3], places) + back[:, :3, 3]
        ways = up * back[:, :3, 2]
        lengths = np.linalg.norm(ways, axis=1)
        found, far, normals = np.zeros(len(places), np.bool_), np.full(len(places), np.inf), np.zeros((len(places), 3))
        ray = self.surface.tree.ray_cast
        rows, each, turned = list[int](), list[float](), list[tuple[float, ...]]()
        for row, (origin, way, end) in enumerate(
            zip(origins.tolist(), ways.tolist(), (reach * lengths).tolist(), strict=True)
        ):
            _, normal, _, distance = ray(origin, way, end)
            if normal is not None and distance is not None:
                rows.append(row)
                each.append(distance)
                turned.append(normal[:])
        if rows:
            found[rows], far[rows] = True, np.array(each) / lengths[rows]
            world = np.einsum("nji,nj->ni", back[rows, :3, :3], np.array(turned))
            normals[rows] = self.surface.side * world / np.linalg.norm(world, axis=1, keepdims=True)
        return found, far, normals

    def nearest(self, places: Floats, frames: Ints) -> Floats:
        """How far away its surface is from places [N, 3] on frames [N]: [N], metres."""
        at = self.at(frames)
        back = self.back[at]
        inside = np.einsum("nij,nj->ni", back[:, :3, :3], places) + back[:, :3, 3]
        look = self.surface.tree.find_nearest
        found: Floats = np.array([look(place)[3] or 0.0 for place in inside.tolist()]) * self.scale[at]
        return found


class MeshGround:
    """A ground of things; see `motion.feet.ground.Ground`."""

    def __init__(self, things: Sequence[Thing], count: int, leg: float = LEG) -> None:
        self.things, self.count, self.leg = tuple(things), count, leg

    @property
    def moves(self) -> bool:
        """See Ground."""
        return any(len(one.motion) > 1 for one in self.things)

    def below(self, places: Floats, frames: Ints, reach: float) -> Hits:
        """See Ground."""
        count = len(places)
        best, on, normals = np.full(count, np.inf), places.copy(), np.tile([0.0, 0.0, 1.0], (count, 1))
        which = np.zeros(count, np.int64)
        above = places + np.array([0.0, 0.0, LIFT])
        for index, thing in enumerate(self.things):
            some = thing.near(places, frames)
            found, far, turned = thing.cast(above[some], frames[some], -1.0, reach + LIFT)
            nearer = found & (far < best[some])
            rows = some[nearer]
            best[rows], which[rows] = far[nearer], index
            on[rows, 2] = above[rows, 2] - far[nearer]
            normals[rows] = turned[nearer] * np.where(turned[nearer, 2:] < 0.0, -1.0, 1.0)
        return Hits(np.isfinite(best), on, normals, which)

    def depth(self, places: Floats, frames: Ints) -> Floats:
        """See Ground. A place is inside a thing if what is next above it is the thing's outside, seen from within."""
        deepest = np.zeros(len(places))
        for thing in self.things:
            some = thing.near(places, frames)
            found, _, normals = thing.cast(places[some], frames[some], 1.0, self.leg)
            inside = some[found & (normals[:, 2] > 0.0)]
            if len(inside):
                deepest[inside] = np.maximum(deepest[inside], thing.nearest(places[inside], frames[inside]))
        return deepest

    def motion(self, thing: int) -> Floats:
        """See Ground."""
        return np.broadcast_to(self.things[thing].motion, (self.count, 4, 4))


@dataclass
class _Seen:
    """A thing while the frames are stepped through."""

    name: str
    surface: Surface
    worlds: list[Floats] = field(default_factory=list)  # [4, 4] each
    gone: int = 0  # frames on which it was not there


class Watching:
    """Notes where the things of a ground are while somebody steps through the frames."""

    def __init__(self, armature_object: bpy.types.Object, wanted: Sequence[bpy.types.Object]) -> None:
        """Begin.

        Args:
            armature_object: the character; what moves with it is no ground.
            wanted: the objects that make the ground.
        """
        self._wanted = {one.session_uid: one for one in wanted}
        self._own = armature_object
        self._seen: dict[Key, _Seen] = {}
        self._shapes: dict[int, Singles] = {}  # by session_uid, the vertices [n, 3] on the first frame
        self._copies = False
        self.notes: list[str] = []

    def look(self, depsgraph: bpy.types.Depsgraph, row: int, last: bool) -> None:
        """Note where everything is on a frame, counted from 0."""
        if row == 0:
            self._begin(depsgraph)
        elif self._copies:
            self._follow_copies(depsgraph, row)
        for (uid, copy), seen in self._seen.items():
            if not copy:
                seen.worlds.append(_matrix(self._wanted[uid].evaluated_get(depsgraph).matrix_world))
        if last and row:
            self._note_shapes(depsgraph)

    def ground(self, leg: float = LEG) -> MeshGround:
        """All that was seen."""
        for seen in self._seen.values():
            if seen.gone:
                self.notes.append(f"{seen.name!r} is not there on {seen.gone} frames: it is taken as on those before")
        things = [_thing(seen) for seen in self._seen.values()]
        return MeshGround(things, max((len(seen.worlds) for seen in self._seen.values()), default=1), leg)

    def _begin(self, depsgraph: bpy.types.Depsgraph) -> None:
        skipped = set[str]()
        made: dict[tuple[object, ...], Surface | None] = {}
        for one in depsgraph.object_instances:
            thing: Any = one.object
            owner: Any = one.parent if one.is_instance else thing
            if owner is None or thing is None or owner.original.session_uid not in self._wanted:
                continue
            if is_own(self._own, thing.original) or thing.original == self._own:
                skipped.add(thing.name)
                continue
            if thing.type not in {"MESH", "CURVE", "SURFACE", "FONT", "META"}:
                continue
            copy = _told_apart(one) if one.is_instance else ()
            self._copies |= bool(copy)
            world = _matrix(one.matrix_world)
            same = (
                (thing.data.as_pointer(), *np.round(world[2, :3], 2))
                if copy and surfaces.is_even(world)
                else (len(made),)
            )
            if same not in made:
                made[same] = surfaces.of(thing, world, depsgraph, real=not copy)
            if (surface := made[same]) is not None:
                self._seen[thing.original.session_uid, copy] = _Seen(thing.name, surface, [world] if copy else [])
        if skipped:
            self.notes.append(f"of the ground, {', '.join(sorted(skipped))} moves with the character and is left out")
        if not self._seen:
            raise PosewrightError(_nothing([one.name for one in self._wanted.values()]))
        self._shapes = {uid: self._vertices(depsgraph, uid) for uid, copy in self._seen if not copy}

    def _follow_copies(self, depsgraph: bpy.types.Depsgraph, row: int) -> None:
        for one in depsgraph.object_instances:
            thing: Any = one.object
            if one.is_instance and thing is not None:
                seen = self._seen.get((thing.original.session_uid, _told_apart(one)))
                if seen is not None and len(seen.worlds) == row:
                    seen.worlds.append(_matrix(one.matrix_world))
        for (_, copy), seen in self._seen.items():
            if copy and len(seen.worlds) == row:
                seen.worlds.append(seen.worlds[-1])
                seen.gone += 1

    def _vertices(self, depsgraph: bpy.types.Depsgraph, uid: int) -> Singles:
        data = self._wanted[uid].evaluated_get(depsgraph).data
        return floats(data.vertices, "co", 3) if isinstance(data, bpy.types.Mesh) else np.zeros((0, 3), np.float32)

    def _note_shapes(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Say so if a mesh itself has changed: it is taken as on the first frame."""
        for uid, first in self._shapes.items():
            now = self._vertices(depsgraph, uid)
            if now.shape != first.shape or (len(now) and np.abs(now - first).max() > _DEFORMS):
                name = self._wanted[uid].name
                self.notes.append(f"the mesh of {name!r} changes: it is taken as on the first frame")


def wanted(armature_object: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects that make the ground of a character, as stored; none for a level ground. Raises an error if unset."""
    character = properties.character(armature_object)
    if character.posewright_feet_ground == "OBJECT":
        if character.posewright_feet_object is None:
            raise PosewrightError("No object is chosen for the ground: choose one, or a level ground")
        return [character.posewright_feet_object]
    if character.posewright_feet_ground == "COLLECTION":
        if character.posewright_feet_collection is None:
            raise PosewrightError("No collection is chosen for the ground: choose one, or a level ground")
        found = list(character.posewright_feet_collection.all_objects)
        if not found:
            raise PosewrightError(f"The collection {character.posewright_feet_collection.name!r} is empty")
        return found
    return []


def _nothing(names: Sequence[str]) -> str:
    said = ", ".join(repr(name) for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"The ground has no surface: {said} is hidden, empty, scaled to nothing or moves with the character"


def _told_apart(copy: Any) -> tuple[int, ...]:  # noqa: ANN401 - an instance, whose array the stubs do not iterate
    """What tells an instance from the others of its object."""
    return tuple(copy.persistent_id)


def _matrix(given: object) -> Floats:
    found: Floats = np.array(given, float)
    return found


def _thing(seen: _Seen) -> Thing:
    motion = np.array(seen.worlds) @ np.linalg.inv(seen.surface.base)
    if np.abs(motion - motion[0]).max() < _STILL:
        motion = motion[:1]
    scale = np.abs(np.linalg.det(motion[:, :3, :3])) ** (1.0 / 3.0)
    return Thing(seen.name, seen.surface, motion, np.linalg.inv(motion), scale)
