"""What the bones of a body weigh, and where on each that is: as people do, by roles, or by the volume of the skin.

By volume: rays through the meshes at rest, a grid of them from front to back, say what is inside; what that hangs on is
said by the nearest face. A hole in a mesh costs only the rays that go out through it, and what overlaps counts once.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...motion import habits
from ...presets import human_masses
from ...presets.human_masses import CARRIED_BY, PARTS
from ...solvers.errors import PosewrightError
from ...solvers.rotation import Floats
from .. import channels, places
from ..feet import sole
from ..roles import stored

ACROSS = 100  # rays along the longest side of a body
DENSITY = 1000.0  # kg per cubic metre: people swim
LEAST = 0.005  # of all: what weighs less counts with what it hangs on, so that no finger is a body of its own
_STEP = 1e-5  # of the longest side: a ray goes on so far behind a face
_CROSSINGS = 1000  # of a ray, at most: far from the origin a step may be too small for Blender's numbers


class Segment(NamedTuple):
    """A bone, what it weighs, and where."""

    bone: str
    mass: float  # kg
    centre: Vector  # in the bone's axes, from its head, in units of the armature


class _Lump(NamedTuple):
    """A mass at a place of the armature at rest."""

    bone: str
    mass: float
    place: Floats  # [3]


def by_roles(armature_object: bpy.types.Object) -> list[Segment]:
    """The masses of people, on the bones that have their roles. Raises an error where no body is known."""
    known = stored.known(armature_object)
    trunk = [known[role] for role in habits.chains(known).get("spine", [])]
    if "pelvis" not in known:
        raise PosewrightError("No pelvis is known: press Set Up Character, or choose its bone there")
    lumps = list(_trunk(armature_object, known, trunk))
    top = trunk[-1] if trunk else known["pelvis"]
    ends = _ends(known)
    for side in (".L", ".R"):
        for limb, carrier in (("upper_arm forearm hand", top), ("thigh shin foot", known["pelvis"])):
            for part in limb.split():
                holder = part
                while f"{holder}{side}" not in known and holder in CARRIED_BY:
                    holder = CARRIED_BY[holder]
                bone, mass = known.get(f"{holder}{side}", carrier), human_masses.mass(part)
                along = PARTS[part].along if holder == part else 1.0
                next_bone = ends.get(f"{holder}{side}", "")
                lumps.append(_Lump(bone, mass, _on_the_way(armature_object, bone, next_bone, along)))
    return _segments(armature_object, lumps)


def _trunk(armature_object: bpy.types.Object, known: Mapping[str, str], trunk: list[str]) -> Iterator[_Lump]:
    """Pelvis, back and head."""
    data: Any = armature_object.data
    hips = [np.array(data.bones[known[role]].head_local) for role in ("thigh.L", "thigh.R") if role in known]
    low = np.mean(hips, axis=0) if hips else np.array(data.bones[known["pelvis"]].head_local)
    neck = [known[role] for role in habits.chains(known).get("neck", [])]
    joints = [low, *(np.array(data.bones[bone].head_local) for bone in trunk)]
    last = trunk[-1] if trunk else known["pelvis"]
    joints.append(np.array(data.bones[neck[0]].head_local) if neck else np.array(data.bones[last].tail_local))
    shares = [("lower_trunk", [known["pelvis"]])]
    shares += [("middle_trunk", trunk[:-1] or trunk or [known["pelvis"]]), ("upper_trunk", [last])]
    order = [known["pelvis"], *trunk]
    for part, bones in shares:
        for bone in bones:
            at = order.index(bone)
            place = joints[at] + PARTS[part].along * (joints[at + 1] - joints[at])
            yield _Lump(bone, human_masses.mass(part) / len(bones), place)
    head = known.get("head", neck[-1] if neck else last)
    top = np.array(data.bones[head].tail_local)
    base = joints[-1] if neck else np.array(data.bones[head].head_local)
    yield _Lump(head, human_masses.mass("head"), base + PARTS["head"].along * (top - base))


def _ends(known: Mapping[str, str]) -> dict[str, str]:
    """By role, the bone at whose joint it ends."""
    found = dict[str, str]()
    for side in (".L", ".R"):
        for part, end in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot")):
            found[part + side] = known.get(end + side, "")
        found["hand" + side], found["foot" + side] = known.get(f"middle.1{side}", ""), known.get("toe" + side, "")
    return found


def _on_the_way(armature_object: bpy.types.Object, bone: str, next_bone: str, along: float) -> Floats:
    """A place between the joint of a bone and that of the next, or its own tail; of the armature at rest."""
    data: Any = armature_object.data
    begin = np.array(data.bones[bone].head_local)
    end = np.array(data.bones[next_bone].head_local if next_bone else data.bones[bone].tail_local)
    place: Floats = begin + along * (end - begin)
    return place


def _segments(armature_object: bpy.types.Object, lumps: list[_Lump]) -> list[Segment]:
    """All that is on a bone together, in the order of the armature."""
    data: Any = armature_object.data
    found = list[Segment]()
    for bone in data.bones:
        mine = [one for one in lumps if one.bone == bone.name]
        if mass := sum(one.mass for one in mine):
            place = sum((one.mass * one.place for one in mine), np.zeros(3)) / mass
            found.append(Segment(bone.name, mass, bone.matrix_local.inverted() @ Vector(place.tolist())))
    return found


def by_volume(armature_object: bpy.types.Object) -> list[Segment]:
    """The masses of what hangs on each bone, as if all were water. Raises an error where no skin says so."""
    points, faces, owner = _skin(armature_object)
    if not len(faces):
        raise PosewrightError(f"No mesh hangs on the bones of {armature_object.name!r}: take the masses by roles")
    if not np.isfinite(points).all():
        raise PosewrightError("A mesh has vertices whose place is no number: mend it, or take the masses by roles")
    tree = BVHTree.FromPolygons(points.tolist(), faces.tolist())
    low, high = points.min(axis=0), points.max(axis=0)
    depth = int((high - low).argmin())
    step = float((high - low).max()) / ACROSS
    first, second = (axis for axis in range(3) if axis != depth)
    names = list(_bones(armature_object))
    sums = np.zeros((len(names), 4))  # a volume, and it times its place
    begin, way = Vector(low.tolist()), Vector()
    way[depth] = 1.0
    for i in np.arange(low[first] + 0.5 * step, high[first], step).tolist():
        for j in np.arange(low[second] + 0.5 * step, high[second], step).tolist():
            begin[depth], begin[first], begin[second] = float(low[depth]) - step, i, j
            for enters, leaves in _within(tree, begin, way, _STEP * step * ACROSS):
                count = max(1, round((leaves - enters) / step))
                for k in range(count):
                    place = begin + way * (enters + (k + 0.5) * (leaves - enters) / count)
                    _, _, face, _ = tree.find_nearest(place)
                    bone = owner[faces[face, 0]] if face is not None else -1
                    if bone >= 0:
                        part = step * step * (leaves - enters) / count
                        sums[bone] += part * np.array((1.0, *place[:]))
    if not sums[:, 0].sum() > 0.0:
        raise PosewrightError("The meshes enclose nothing: take the masses by roles")
    unit = DENSITY * abs(armature_object.matrix_world.to_3x3().determinant())
    lumps = [_Lump(names[row], unit * sums[row, 0], sums[row, 1:] / sums[row, 0]) for row in np.flatnonzero(sums[:, 0])]
    return _segments(armature_object, _gathered(armature_object, lumps))


def _bones(armature_object: bpy.types.Object) -> Iterator[str]:
    return (bone.name for bone in channels.pose_bones(armature_object))


def _within(tree: BVHTree, begin: Vector, way: Vector, on: float) -> Iterator[tuple[float, float]]:
    """From where to where a ray is inside; a ray that enters as often as it leaves, or none is believed."""
    spans, depth, at, entered = list[tuple[float, float]](), 0, 0.0, 0.0
    for _ in range(_CROSSINGS):
        place, normal, _, gone = tree.ray_cast(begin + way * at, way)
        if place is None or normal is None or gone is None:
            break
        at += gone
        before, depth = depth, depth + (1 if normal.dot(way) < 0.0 else -1)
        if before == 0:
            entered = at
        elif depth == 0:
            spans.append((entered, at))
        at += on
    return iter(spans if depth == 0 else ())


def _skin(armature_object: bpy.types.Object) -> tuple[Floats, Any, Any]:
    """All meshes that hang on the bones, at rest: points [n, 3], triangles [m, 3], by point the bone's row or -1."""
    inverse = np.array(places.inverse(armature_object.matrix_world, repr(armature_object.name)), float)
    rows = {name: row for row, name in enumerate(_bones(armature_object))}
    points, faces, owner, count = [np.zeros((0, 3))], [np.zeros((0, 3), int)], list[int](), 0
    for thing in armature_object.users_scene[0].objects if armature_object.users_scene else ():
        mesh = thing.data
        if isinstance(mesh, bpy.types.Mesh) and sole.deforms(armature_object, thing) and len(mesh.vertices):
            to_armature = inverse @ np.array(thing.matrix_world, float)
            points.append(channels.floats(mesh.vertices, "co", 3) @ to_armature[:3, :3].T + to_armature[:3, 3])
            mesh.calc_loop_triangles()
            corners = np.zeros(3 * len(mesh.loop_triangles), np.int32)
            mesh.loop_triangles.foreach_get("vertices", corners)
            faces.append(corners.reshape(-1, 3) + count)
            groups = {group.index: rows.get(group.name, -1) for group in thing.vertex_groups}
            owner += [_heaviest(vertex, groups) for vertex in mesh.vertices]
            count += len(mesh.vertices)
    return np.concatenate(points), np.concatenate(faces), np.array(owner)


def _heaviest(vertex: bpy.types.MeshVertex, groups: Mapping[int, int]) -> int:
    """The row of the bone on which most of a vertex hangs; -1 for none."""
    on_bones = [(one.weight, groups[one.group]) for one in vertex.groups if groups.get(one.group, -1) >= 0]
    return max(on_bones)[1] if on_bones else -1


def _gathered(armature_object: bpy.types.Object, lumps: list[_Lump]) -> list[_Lump]:
    """What hangs on helpers, fingers or the face, put on the bones that pose a body.

    Those have roles: the bone itself or the nearest above it, else the one that is nearest at rest, as where bones that
    deform follow controls. Without roles, small things count with what is above them.
    """
    data: Any = armature_object.data
    parts = (*PARTS, "pelvis", "spine", "chest", "neck")
    known = {bone for role, bone in stored.known(armature_object).items() if role.partition(".")[0] in parts}
    total, heavy = sum(one.mass for one in lumps), {one.bone for one in lumps}
    if not known:
        heavy = {one.bone for one in lumps if one.mass >= LEAST * total}
    found = list[_Lump]()
    for one in lumps:
        bone, wanted = data.bones[one.bone], known or heavy
        while bone is not None and bone.name not in wanted:
            bone = bone.parent
        found.append(one._replace(bone=bone.name if bone else _nearest(data, wanted, one.place)))
    return found


def _nearest(data: Any, bones: set[str], place: Floats) -> str:  # noqa: ANN401 - an armature, in its stubs without bones
    """Of some bones, the one whose middle is nearest to a place of the armature at rest."""

    def apart(name: str) -> float:
        bone = data.bones[name]
        return float((0.5 * (bone.head_local + bone.tail_local) - Vector(place.tolist())).length)

    return min(sorted(bones), key=apart)
