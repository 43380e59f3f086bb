"""The mannequin's bones, both sides and all fingers."""

import numpy as np
from numpy.typing import NDArray

from ...presets.mannequin import CURL, FINGERS, FRONT, LEFT, MIDDLE, Bone, Place

Floats = NDArray[np.float64]


def bones() -> list[Bone]:
    """All bones, parents first; sides are `.L` and `.R`, fingers `index.1.L`."""
    left = [*LEFT, *_fingers()]
    paired = {bone.name for bone in left}
    found = list(MIDDLE)
    for side, sign in ((".L", 1.0), (".R", -1.0)):
        for bone in left:
            parent = bone.parent + side if bone.parent in paired else bone.parent
            places = (_mirrored(place, sign) for place in (bone.head, bone.tail, bone.z_axis))
            found.append(Bone(bone.name + side, parent, *places))
    return found


def axes(begin: Place, along: Floats, front: Place) -> Floats:
    """A frame [4, 3] as lofts have it: where it begins, along, front and out, at right angles."""
    along = along / np.linalg.norm(along)
    ahead = np.array(front) - np.dot(front, along) * along
    ahead /= np.linalg.norm(ahead)
    return np.array([begin, along, ahead, np.cross(ahead, along)])


def of_bone(bone: Bone, front: Place = FRONT) -> Floats:
    """The frame of a bone, from its head to its tail."""
    return axes(bone.head, np.subtract(bone.tail, bone.head), front)


def _mirrored(place: Place, sign: float) -> Place:
    return (sign * place[0], place[1], place[2])


def _fingers() -> list[Bone]:
    """The bones of the left hand's fingers, each bent a little toward the palm."""
    begin, *rows = of_bone(next(bone for bone in LEFT if bone.name == "hand"))
    found = []
    for name, finger in FINGERS.items():
        head = begin + np.array(finger.begins) @ rows
        points = np.array(finger.points) @ rows
        points /= np.linalg.norm(points)
        bent = -rows[2] - np.dot(-rows[2], points) * points  # at right angles to the finger, toward the palm
        bent /= np.linalg.norm(bent)
        parent = "hand"
        for number, length in enumerate(finger.lengths, start=1):
            tail = head + length * points
            found.append(Bone(f"{name}.{number}", parent, _place(head), _place(tail), _place(-bent)))
            parent, head = f"{name}.{number}", tail
            points, bent = np.cos(CURL) * points + np.sin(CURL) * bent, np.cos(CURL) * bent - np.sin(CURL) * points
    return found


def _place(values: Floats) -> Place:
    x, y, z = values.tolist()
    return (x, y, z)
