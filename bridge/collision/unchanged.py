"""Which meshes have not changed since they were looked at: to go through a large one takes longer than a solve.

By what Blender reports: every evaluation that gives an object another mesh is an update of its geometry, but for those
of a new frame, which are not all reported. So nothing is trusted across frames, undo or load, nor an original mesh,
which a script may change with no report at all. Loads nothing: it is asked at every change of anything.
"""

import bpy

_seen: dict[int, int] = {}  # by the session_uid of an object: where its evaluated mesh was


def trust(thing: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    """A mesh of an object, the original, was looked at."""
    if _is_original(thing, mesh):
        _seen.pop(thing.session_uid, None)
    else:
        _seen[thing.session_uid] = mesh.as_pointer()


def is_trusted(thing: bpy.types.Object, mesh: bpy.types.Mesh) -> bool:
    """Whether it is the mesh that was looked at last, and nothing has changed it. Renders have meshes of their own."""
    return not _is_original(thing, mesh) and _seen.get(thing.session_uid) == mesh.as_pointer()


def _is_original(thing: bpy.types.Object, mesh: bpy.types.Mesh) -> bool:
    """By its place: `is_evaluated` is False of every mesh."""
    return thing.data is not None and thing.data.as_pointer() == mesh.as_pointer()


def after_update(depsgraph: bpy.types.Depsgraph) -> None:
    """Something changed."""
    if not _seen:
        return
    for one in depsgraph.updates:
        thing = one.id.original if one.id and one.is_updated_geometry else None
        if isinstance(thing, bpy.types.Object):
            _seen.pop(thing.session_uid, None)


def forget() -> None:
    """Everything may have changed."""
    _seen.clear()
