"""A clip as it plays: stepped through once, as a walk in the world and as variables of one rig."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...motion.feet.walk import Body, Foot, Ints, Walk
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import armature, channels, pelvis, rotations
from .. import rig as rigs
from ..channels import Bools, Channels
from ..limits import Widened
from ..rig import Rig
from ..roles import stored as roles
from . import sole, surfaces, widening
from .ground import Watching
from .sole import Leg

OFF = 5e-4  # metres on a person, or radians: a clip whose legs are farther from what a rig can show is not of that rig
BENT = 0.1  # radians, to see about which axis a toe bends
SLIGHT = 0.35  # radians, 20°: a toe that turns no farther about its other axes has one
_SAME = 1e-4  # by which the scale of an object may change


@dataclass(frozen=True, eq=False)
class Clip:
    """A clip of F frames of a character."""

    frames: Ints  # [F], of the scene
    poses: Channels  # [F, B, ...]
    worlds: Floats  # [F, 4, 4], of the armature object
    unit: float  # metres of the world for one of the armature
    whole: Rig  # as read on the first frame
    rig: Rig  # of it, what moves pelvis, legs and, where they take part, the spine; limits give way to all of the clip
    q: Floats  # [F, V], the clip in its terms
    stays: Bools  # [V], variables of bones that are not to move: what carries the pelvis
    legs: list[Leg]
    pelvis: str
    chest: str  # empty where the spine does not take part
    walk: Walk
    gave_way: list[Widened]
    notes: list[str]

    @property
    def seconds(self) -> float:
        """From frame to frame."""
        return self.walk.seconds


class Parts:
    """What of a character takes part."""

    def __init__(self, armature_object: bpy.types.Object, whole_body: bool) -> None:
        known = roles.known(armature_object)
        if "pelvis" not in known:
            raise PosewrightError(
                f"The pelvis of {armature_object.name!r} is not known: choose its bone among the roles in Set Up"
            )
        self.legs, self.pelvis = sole.legs(armature_object), known["pelvis"]
        trunk = [f"spine.{number}" for number in range(9, 0, -1)]
        chest = next((known[role] for role in ("chest", *trunk) if role in known), "")
        self.chest = chest if whole_body and chest != self.pelvis else ""

    @property
    def bones(self) -> list[str]:
        """All of which something is asked."""
        legs = [bone for leg in self.legs for bone in (leg.foot, leg.toe) if bone]
        return [self.pelvis, *legs, *([self.chest] if self.chest else [])]


def read(
    context: bpy.types.Context,
    armature_object: bpy.types.Object,
    frames: Sequence[int],
    parts: Parts,
    soles: Sequence[sole.Shape],
    watching: Watching | None,
) -> Generator[int, None, Clip]:
    """Step through the frames and take them down, the ground with them. Yields how many are done.

    To be run where nothing is solved meanwhile, and the frame is put back: `baking.sampling.stepping`.
    """
    scene = context.scene
    assert scene is not None
    bones = channels.pose_bones(armature_object)
    rows = {bone.name: row for row, bone in enumerate(bones)}
    wanted = list(dict.fromkeys([*parts.bones, *(leg.hip for leg in parts.legs)]))
    mine = [rows[name] for name in wanted]
    poses, worlds, shown = list[Channels](), list[Floats](), list[Floats]()
    depsgraph = context.evaluated_depsgraph_get()
    whole: Rig | None = None
    for row, frame in enumerate(frames):
        scene.frame_set(frame)
        poses.append(channels.read(armature_object))
        shown.append(channels.square_matrices(bones, "matrix")[mine])
        worlds.append(np.array(armature_object.matrix_world, float))
        if whole is None:
            whole = armature.read(armature_object, pelvis.movers(armature_object).translating)
        if watching is not None:
            watching.look(depsgraph, row, last=row == len(frames) - 1)
        yield row + 1
    assert whole is not None
    world, matrices = np.array(worlds), np.array(shown)
    unit = _unit(armature_object, world)
    played = channels.stacked(poses)
    rig, q, gave_way = widening.widened(rigs.part(whole, parts.bones), played)
    _refuse_other_rigs(rig, q, dict(zip(wanted, matrices.transpose(1, 0, 2, 3), strict=True)), parts, frames)
    bodies = {name: _body(world @ matrices[:, place]) for place, name in enumerate(wanted)}
    feet = [
        Foot(
            leg.name,
            bodies[leg.foot],
            bodies[leg.toe] if leg.toe else None,
            bodies[leg.hip].places,
            sole.sole(armature_object, leg, shape, unit),
            _hinge(rig, q[0], leg),
        )
        for leg, shape in zip(parts.legs, soles, strict=True)
    ]
    walk = Walk(feet, bodies[parts.pelvis], scene.render.fps_base / scene.render.fps)
    above = pelvis.movers(armature_object).staying - set(parts.bones)
    return Clip(
        frames=np.array(frames, np.int64),
        poses=played,
        worlds=world,
        unit=unit,
        whole=whole,
        rig=rig,
        q=q,
        stays=rigs.variables_of(rig, np.array([name in above for name in rig.bones], np.bool_)),
        legs=parts.legs,
        pelvis=parts.pelvis,
        chest=parts.chest,
        walk=walk,
        gave_way=gave_way,
        notes=watching.notes if watching is not None else [],
    )


def walked(clip: Clip, q: Floats) -> Walk:
    """The walk that other variables [F, V] show: by the rig, nothing is stepped through."""
    wanted = [clip.pelvis, *(bone for leg in clip.legs for bone in (leg.foot, leg.toe, leg.hip) if bone)]
    bodies = dict(zip(wanted, shown(clip.rig, q, wanted), strict=True))
    moved = {name: _moved(clip, body) for name, body in bodies.items()}
    feet = [
        replace(foot, ankle=moved[leg.foot], toe=moved[leg.toe] if leg.toe else None, hip=moved[leg.hip].places)
        for leg, foot in zip(clip.legs, clip.walk.feet, strict=True)
    ]
    return Walk(feet, moved[clip.pelvis], clip.seconds)


def shown(rig: Rig, q: Floats, bones: Sequence[str]) -> list[Body]:
    """Some bones over time at the variables [F, V], in the tree's space and size."""
    at = [rig.tree.index(rig.frame_names[name]) for name in bones]
    poses = [rig.tree.pose(one) for one in q]
    places = np.array([one.positions[at] for one in poses])
    turns = np.array([one.rotations[at] for one in poses])
    return [Body(places[:, place], rotations.matrices(turns[:, place])) for place in range(len(bones))]


def _hinge(rig: Rig, q: Floats, leg: Leg) -> Floats | None:
    """The axis [3], in the foot's frame, about which a toe bends that has only one; None where it has more, or none.

    An axis that was opened for a clip which turns a little beside the one is none.
    """
    if not leg.toe:
        return None
    mine = np.flatnonzero(rigs.variables_of(rig, np.array([name == leg.toe for name in rig.bones], np.bool_)))
    ranges = (rig.tree.upper - rig.tree.lower)[mine]
    if not len(mine) or (np.sort(ranges)[:-1] > SLIGHT).any():
        return None
    bent = np.tile(q, (2, 1))
    bent[1, mine[ranges.argmax()]] += BENT
    foot, toe = shown(rig, bent, [leg.foot, leg.toe])
    turn = foot.turns[0].T @ toe.turns[1] @ toe.turns[0].T @ foot.turns[0]
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    found: Floats = axis / np.linalg.norm(axis)
    return found


def _moved(clip: Clip, body: Body) -> Body:
    """A body of the tree's space in the world."""
    turn = clip.worlds[:, :3, :3] / clip.unit
    places = np.einsum("fij,fj->fi", clip.worlds[:, :3, :3], body.places) / clip.rig.scale + clip.worlds[:, :3, 3]
    return Body(places, turn @ body.turns)


def _body(matrices: Floats) -> Body:
    """A bone over time by its matrices in the world [F, 4, 4], which may be scaled: along its Y axis exactly."""
    x, y = matrices[:, :3, 0], matrices[:, :3, 1]
    y = y / np.linalg.norm(y, axis=1, keepdims=True).clip(1e-12)
    x = x - y * (x * y).sum(axis=1, keepdims=True)
    x = x / np.linalg.norm(x, axis=1, keepdims=True).clip(1e-12)
    return Body(matrices[:, :3, 3].copy(), np.stack([x, y, np.cross(x, y)], axis=2))


def _unit(armature_object: bpy.types.Object, worlds: Floats) -> float:
    """Metres of the world for a unit of the armature. Raises an error where that is not one number."""
    sizes = np.linalg.det(worlds[:, :3, :3])
    name = armature_object.name
    if not (sizes > 0.0).all() or not all(surfaces.is_even(world) for world in worlds):
        raise PosewrightError(f"{name!r} is mirrored or scaled unevenly: apply its scale first (Ctrl A)")
    units = sizes ** (1.0 / 3.0)
    if np.ptp(units) > _SAME * units[0]:
        raise PosewrightError(f"The scale of {name!r} is animated: its feet cannot be placed")
    return float(units[0])


def _refuse_other_rigs(rig: Rig, q: Floats, matrices: dict[str, Floats], parts: Parts, frames: Sequence[int]) -> None:
    """Raise an error where the rig does not show what was seen: something else than channels moves a leg."""
    for name, body in zip(parts.bones, shown(rig, q, parts.bones), strict=True):
        seen = _body(matrices[name])
        off = np.abs(body.places - rig.scale * seen.places).max(axis=1)
        off = np.maximum(off, np.abs(body.turns - seen.turns).max(axis=(1, 2)))
        worst = int(off.argmax())
        if off[worst] > OFF:
            chain = [name, *_above(rig, name)]
            why = next((f"{one!r}: {rig.frozen[one]}" for one in chain if one in rig.frozen), "")
            why = why or "a location, scale or locked axis above it is animated"
            raise PosewrightError(
                f"{name!r} is not where its channels say on frame {frames[worst]} ({why}): bake the action with Visual "
                "Keying and without constraints first"
            )


def _above(rig: Rig, bone: str) -> list[str]:
    """The bones that carry a bone, the nearest first."""
    parents = {joint.name: joint.parent for joint in rig.joints}
    found, name = list[str](), parents[rig.frame_names[bone]]
    while name is not None:
        found.append(name)
        name = parents[name]
    return found
