"""The mannequin's surface: all parts as one mesh, with who moves each vertex by how much."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...presets import mannequin
from ...presets.mannequin import BALLS, FACE, FINGERS, JOINT, PARTS, SHOULDERS, TAPER, TOES, WOOD, Part, Station
from . import skeleton
from .lofts import Surface, loft

Floats = NDArray[np.float64]
STEP = 0.015  # metres between two rings


class Skin(NamedTuple):
    """One mesh of many closed parts."""

    places: Floats  # [vertices, 3]
    faces: list[tuple[int, ...]]
    materials: list[int]  # of each face
    weights: dict[str, Floats]  # bone: [vertices]; those of a vertex sum to 1


def skin() -> Skin:
    """The whole surface."""
    places: list[Floats] = []
    faces: list[tuple[int, ...]] = []
    materials: list[int] = []
    shares: list[dict[str, Floats]] = []
    first = 0
    for name, part in _parts().items():
        for side, sign in ((".L", 1.0), (".R", -1.0)) if part.paired else (("", 1.0),):
            surface = _surface(name, part)
            places.append(surface.places * [sign, 1.0, 1.0])
            turned = [face[::-1] if sign < 0.0 else face for face in surface.faces]
            faces += [tuple(first + corner for corner in face) for face in turned]
            materials += [part.material] * len(turned)
            shares.append(_weights(name, part, side, surface))
            first += len(surface.places)
    weights: dict[str, Floats] = {}
    first = 0
    for some, share in zip(places, shares, strict=True):
        for bone, values in share.items():
            weights.setdefault(bone, np.zeros(sum(map(len, places))))[first : first + len(some)] = values
        first += len(some)
    return Skin(np.concatenate(places), faces, materials, weights)


def _parts() -> dict[str, Part]:
    """Those of the table, and balls, fingers and toes."""
    found = dict(PARTS)
    for name, radius in BALLS.items():
        found[f"ball of {name}"] = _rod(JOINT, name, (0.0, 0.0), (radius, radius), 24)
    for bone in skeleton.bones():
        finger, _, number = bone.name.removesuffix(".L").partition(".")
        if finger in FINGERS and bone.name.endswith(".L"):
            thick = FINGERS[finger].thick * TAPER ** (int(number) - 1)
            length = FINGERS[finger].lengths[int(number) - 1]
            ends = (0.0, length - (thick * TAPER if number == "3" else 0.0))
            found[bone.name] = _rod(WOOD, bone.name.removesuffix(".L"), ends, (thick, thick * TAPER), 12)
    for place, (begin, end, radius) in enumerate(TOES, start=1):
        along = np.subtract(end, begin)
        length = float(np.linalg.norm(along)) - radius
        one = _rod(WOOD, "toe", (0.0, length), (0.92 * radius, radius), 14)
        found[f"toe {place}"] = one._replace(axis=(begin, tuple(along.tolist())), front=mannequin.UP)
    return found


def _rod(material: int, bone: str, ends: tuple[float, float], radii: tuple[float, float], sides: int) -> Part:
    """A round rod whose ends are half balls; of no length, a ball."""
    at = dict(zip(ends, radii, strict=True))
    stations = tuple(Station(place, *[radius] * 4) for place, radius in at.items())
    return Part(material, ((bone, 0.0),), stations, radii, sides=sides)


def _surface(name: str, part: Part) -> Surface:
    """A part's surface, of a paired one the left."""
    if part.axis is None:
        bone = next(one for one in skeleton.bones() if one.name in {part.bones[0][0], f"{part.bones[0][0]}.L"})
        frame = skeleton.of_bone(bone, part.front)
    else:
        frame = skeleton.axes(part.axis[0], np.array(part.axis[1]), part.front)
    surface = loft(part.stations, part.domes, frame, part.sides, STEP if part.sides > 16 else STEP / 2)
    if name == "head":
        _form_face(surface.places)
    surface.places[:, 2] = np.maximum(surface.places[:, 2], 0.0)  # soles are flat
    return surface


def _form_face(places: Floats) -> None:
    """Nose, eyes and chin: the front of the head comes forward or goes back."""
    faces_front = np.clip(-places[:, 1] / 0.05, 0.0, 1.0)
    for bump in FACE:
        away = ((places[:, 0] - bump.x) / bump.wide) ** 2 + ((places[:, 2] - bump.z) / bump.high) ** 2
        places[:, 1] -= bump.by * np.exp(-0.5 * away) * faces_front


def _weights(name: str, part: Part, side: str, surface: Surface) -> dict[str, Floats]:
    """Who moves a part's vertices: one bone, or along its axis one after the other."""
    left = np.ones(len(surface.places))  # what bones further on have not taken
    found: dict[str, Floats] = {}
    middle = [at for _, at in part.bones]
    for number, (bone, _) in reversed(list(enumerate(part.bones))):
        share = left
        if number:
            half = 0.5 * (middle[number] - middle[number - 1])
            share = left * smooth(surface.along, middle[number] - half, middle[number] + half)
        found[_sided(bone, side)] = share
        left = left - share
    if name == "chest":
        (begin, end), (low, high) = SHOULDERS
        up = smooth(surface.places[:, 2], low, high)
        for shoulder, sign in (("shoulder.L", 1.0), ("shoulder.R", -1.0)):
            found[shoulder] = up * smooth(sign * surface.places[:, 0], begin, end)
            found["chest"] = found["chest"] - found[shoulder]
    return found


def _sided(bone: str, side: str) -> str:
    middle = {one.name for one in mannequin.MIDDLE}
    return bone if bone in middle else bone + side


def smooth(values: Floats, begin: float, end: float) -> Floats:
    """From 0 at `begin` to 1 at `end`, without a kink."""
    t = np.clip((values - begin) / (end - begin), 0.0, 1.0)
    found: Floats = t * t * (3.0 - 2.0 * t)
    return found
