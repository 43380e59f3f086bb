"""Grounds to walk on, made in code: ramps, stairs, rough terrain, a platform. Meshes in the world, metres, z up.

Each begins some way along a path: `origin` is where the path begins, `ahead` [2] its direction. Tests have them as
well, so nothing here is of the package.
"""

import math
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def made(name: str, points: Floats, faces: list[tuple[int, ...]] | Any) -> Any:  # noqa: ANN401 - an object
    """An object of a mesh of points [n, 3] and faces."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], faces if isinstance(faces, list) else faces.tolist())
    mesh.update()
    thing: Any = bpy.data.objects.new(name, mesh)
    scene: Any = bpy.context.scene
    scene.collection.objects.link(thing)
    context: Any = bpy.context
    context.view_layer.update()
    return thing


class Path:
    """A way through the world."""

    def __init__(self, origin: Floats, ahead: Floats, height: float) -> None:
        self.origin, self.ahead, self.height = origin[:2], ahead[:2] / np.linalg.norm(ahead[:2]), height
        self.left = np.array([-self.ahead[1], self.ahead[0]])

    def place(self, along: float, left: float, up: float) -> Floats:
        """A place along the path, to the left of it, above its ground."""
        there = self.origin + along * self.ahead + left * self.left
        return np.array([there[0], there[1], self.height + up])


def sheet(path: Path, profile: list[tuple[float, float]], width: float = 4.0, name: str = "Ground") -> Any:  # noqa: ANN401
    """A ground whose height changes along the path only: corners of (along, up)."""
    points = [path.place(along, side * width, up) for along, up in profile for side in (-1.0, 1.0)]
    faces = [(2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1) for i in range(len(profile) - 1)]
    return made(name, np.array(points), faces)


def flat(path: Path) -> Any:  # noqa: ANN401
    """Level ground."""
    return sheet(path, [(-5.0, 0.0), (20.0, 0.0)])


def ramp(path: Path, degrees: float = 15.0, begin: float = 1.0) -> Any:  # noqa: ANN401
    """Level, then up."""
    return sheet(path, [(-5.0, 0.0), (begin, 0.0), (20.0, (20.0 - begin) * math.tan(math.radians(degrees)))])


def across(path: Path, degrees: float = 15.0) -> Any:  # noqa: ANN401
    """A slope that falls from left to right of the path."""
    rise = 4.0 * math.tan(math.radians(degrees))
    corners = ((-5.0, -4.0, -rise), (20.0, -4.0, -rise), (20.0, 4.0, rise), (-5.0, 4.0, rise))
    return made("Ground", np.array([path.place(*corner) for corner in corners]), [(0, 1, 2, 3)])


def stairs(path: Path, rise: float = 0.17, depth: float = 0.3, begin: float = 1.0, count: int = 14) -> Any:  # noqa: ANN401
    """Steps up, level before and after."""
    profile = [(-5.0, 0.0)]
    for step in range(count):
        along = begin + step * depth
        profile += [(along, step * rise), (along, (step + 1) * rise)]
    return sheet(path, [*profile, (20.0, count * rise)])


def terrain(path: Path, height: float = 0.15, cells: int = 80, seed: int = 1, size: float = 20.0) -> Any:  # noqa: ANN401
    """Random hills of ± `height`, with waves of some 0.6 to 3 m; 2 · cells² triangles."""
    rng = np.random.default_rng(seed)
    along, left = (
        one.ravel() for one in np.meshgrid(*2 * [np.linspace(-0.5 * size, 0.5 * size, cells + 1)], indexing="ij")
    )
    up = np.zeros(len(along))
    for length in (0.6, 1.0, 1.7, 3.0):
        for _ in range(3):
            way, phase = rng.uniform(0.0, 2.0 * math.pi, 2)
            up += length * np.sin(2.0 * math.pi / length * (math.cos(way) * along + math.sin(way) * left) + phase)
    up *= height / np.abs(up).max()
    points = np.array(
        [path.place(*one) for one in zip((along + 3.0).tolist(), left.tolist(), up.tolist(), strict=True)]
    )
    corner = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    corners = [corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]]
    quads = np.stack(corners, axis=-1).reshape(-1, 4)
    return made("Ground", points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def platform(path: Path, first: int, last: int, moved: tuple[float, float, float] = (0.4, 0.3, 0.25)) -> Any:  # noqa: ANN401
    """Level ground that goes along, to the left and up from one frame to another, smoothly, and back half-way."""
    thing = flat(path)
    turn = np.array([[*path.ahead, 0.0], [*path.left, 0.0], [0.0, 0.0, 1.0]]).T
    for frame, part in ((first, 0.0), ((first + last) // 2, 1.0), (last, 0.5)):
        thing.location = (part * turn @ np.array(moved)).tolist()
        thing.rotation_euler[2] = 0.1 * part
        thing.keyframe_insert("location", frame=frame)
        thing.keyframe_insert("rotation_euler", frame=frame)
    return thing
