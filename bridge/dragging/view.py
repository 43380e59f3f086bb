"""A 3D view as geometry: which ray of the world lies under a pixel, and on which pixel a point of the world is seen.

Plain numbers, taken from a region when an event comes in: nothing of a window is kept, and tests make their own.
"""

from typing import Any, NamedTuple

import bpy
from mathutils import Matrix, Vector

_FARTHEST = 1000.0  # metres: from farther off, single precision would be coarser than a tenth of a millimetre


class Ray(NamedTuple):
    """A line of sight."""

    origin: Vector
    direction: Vector  # of unit length


class View(NamedTuple):
    """What a region of a 3D view shows; pixels count from its lower left corner."""

    width: int
    height: int
    camera: Matrix  # from the world to the eye's axes: X to the right, Y up, looking along -Z
    lens: Matrix  # from the eye's axes to -1 … 1 on the screen, homogeneous

    @property
    def is_perspective(self) -> bool:
        """Whether lines of sight meet in the eye."""
        return bool(self.lens[3][3] == 0.0)

    def axis(self, index: int) -> Vector:
        """One of the eye's axes in the world: to the right, up, toward the viewer."""
        return self.camera.to_3x3()[index].normalized()

    def turn(self) -> Matrix:
        """The eye's axes in the world, as the columns of a 3×3 matrix."""
        return self.camera.to_3x3().normalized().transposed()

    def ray(self, pixel: Vector) -> Ray:
        """The line of sight through a pixel."""
        x, y = 2.0 * pixel.x / self.width - 1.0, 2.0 * pixel.y / self.height - 1.0
        eye = self.camera.inverted()
        if self.is_perspective:
            seen = Vector(((x + self.lens[0][2]) / self.lens[0][0], (y + self.lens[1][2]) / self.lens[1][1], -1.0))
            return Ray(eye.translation.copy(), (eye.to_3x3() @ seen).normalized())
        place = Vector(((x - self.lens[0][3]) / self.lens[0][0], (y - self.lens[1][3]) / self.lens[1][1], 0.0))
        return Ray(eye @ place, -self.axis(2))

    def beginning(self, ray: Ray) -> Vector:
        """Where a line of sight begins to see: in an orthographic view that is in front of the plane of the eye.

        Blender's orthographic eye is in the middle of what is looked at.
        """
        if self.is_perspective:
            return ray.origin
        near = (-1.0 - self.lens[2][3]) / self.lens[2][2]
        return ray.origin - ray.direction * min(near, _FARTHEST)

    def pixel(self, point: Vector) -> Vector | None:
        """Where a point is seen; None behind the eye."""
        seen = self.lens @ (self.camera @ point).to_4d()
        if seen.w <= 0.0:
            return None
        return Vector((0.5 * self.width * (1.0 + seen.x / seen.w), 0.5 * self.height * (1.0 + seen.y / seen.w)))

    def depth(self, point: Vector) -> float:
        """How far in front of the eye's plane a point is, in metres."""
        return -float((self.camera @ point).z)

    def direction_at(self, point: Vector) -> Vector:
        """The direction in which a point is looked at."""
        if not self.is_perspective:
            return -self.axis(2)
        return (point - self.camera.inverted().translation).normalized()


def of(region: bpy.types.Region, region_data: bpy.types.RegionView3D) -> View:
    """What a region shows now."""
    camera: Any = region_data.view_matrix
    lens: Any = region_data.window_matrix
    return View(region.width, region.height, camera.copy(), lens.copy())
