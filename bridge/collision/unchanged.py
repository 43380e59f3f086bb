"""Which meshes have not changed since they were looked at: to go through a large one takes longer than a solve.

By what Blender reports: every evaluation that gives an object another mesh is an update of its geometry, but for those
of a new frame, which are not all reported. So nothing is trusted across frames, undo or load, nor an original mesh,
which a script may change with no report at all. Loads nothing: it is asked at every change of anything.
"""

import bpy

Mark = tuple[int, ...]  # what tells a mesh from others

_seen: dict[int, tuple[int, Mark]] = {}  # by the session_uid of an object: where its evaluated mesh was, and its mark


def trust(thing: bpy.types.Object, mesh: bpy.types.Mesh, mark: Mark) -> None:
    """A mesh of an object was looked at."""
    if _is_original(thing, mesh):
        _seen.pop(thing.session_uid, None)
    else:
        _seen[thing.session_uid] = mesh.as_pointer(), mark


def mark_of(thing: bpy.types.Object, mesh: bpy.types.Mesh) -> Mark | None:
    """The mark of a mesh that nothing has changed since it was looked at. Renders have meshes of their own."""
    place, mark = _seen.get(thing.session_uid, (0, None))
    return mark if place == mesh.as_pointer() and not _is_original(thing, mesh) else None


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
