"""Show one of the poses that were found on the character, so that it stays there; and put back what was before.

A pose that is shown is the reference at once: where live posing is on, it finds goals met and nothing to do.
"""

import bpy

from ... import properties
from ...solvers.errors import PosewrightError
from .. import channels, live, pose, reference
from ..dragging import snapshot
from ..dragging.snapshot import Snapshot
from . import shown
from .search import Variations
from .shown import Ghosts


def show(armature_object: bpy.types.Object, found: Variations, index: int) -> None:
    """Give the character one of the poses. Raises an error if it has other bones by now."""
    now, after = channels.read(armature_object), found.poses[index]
    if now.mode.tobytes() != after.mode.tobytes():
        raise PosewrightError(f"The bones of {armature_object.name!r} have changed: look for variations again")
    pose.put(armature_object, now, after)
    reference.store(armature_object, reference.of_pose(after))
    properties.character(armature_object).posewright_anchor = found.key
    live.forget(armature_object)


def browse(armature_object: bpy.types.Object, found: Variations, index: int) -> None:
    """The same, with all poses drawn as ghosts."""
    show(armature_object, found, index)
    shown.keep_ghosts(armature_object, Ghosts(found.lines, index))


def put_back(armature_object: bpy.types.Object, before: Snapshot) -> None:
    """Make the character what it was, to the last bit."""
    snapshot.put_back(armature_object, before)
    live.forget(armature_object)
