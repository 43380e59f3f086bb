"""Where a new object goes: as Blender's own are placed, and turned as a script says, too.

`bpy_extras.object_utils.add_object_align_init` forgets a given alignment where no rotation is given.
"""

import bpy
from mathutils import Matrix, Vector


def placed(context: bpy.types.Context, align: str, location: Vector | None, turned: Matrix) -> Matrix:
    """A place in the world: at `location`, else at the 3D cursor.

    align: "CURSOR" or "VIEW" turn it as those are, the latter where there is a 3D view; else it is `turned`, [4, 4].
    """
    assert context.scene is not None
    cursor = context.scene.cursor
    space = context.space_data
    if align == "CURSOR":
        turned = cursor.matrix.to_quaternion().to_matrix().to_4x4()
    elif align == "VIEW" and isinstance(space, bpy.types.SpaceView3D) and space.region_3d is not None:
        turned = space.region_3d.view_rotation.to_matrix().to_4x4()
    return Matrix.Translation((cursor.location if location is None else location)[:]) @ turned
