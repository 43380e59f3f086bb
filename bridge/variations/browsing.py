"""One pose after the other on the character, until one is taken or everything is put back.

A pose that is shown is the reference at once: where live posing is on, it finds the goals met and has nothing to do.
Nothing of Blender's data is kept from one call to the next.
"""

import time
from collections.abc import Generator
from dataclasses import dataclass

import bpy

from ... import properties
from ...solvers.errors import PosewrightError
from .. import channels, live, pose, pose_assets, reference
from ..dragging import snapshot
from ..dragging.snapshot import Snapshot
from . import search, shown
from .search import Variations, Wanted
from .shown import Ghosts


@dataclass(eq=False)
class Browsing:
    """What goes on."""

    uid: int  # session_uid of the character
    name: str
    library: str | None
    before: Snapshot  # what is put back
    wanted: Wanted
    work: Generator[float, None, Variations] | None  # a search that goes on
    done: float = 0.0  # how far that is, from 0 to 1
    found: Variations | None = None
    index: int = 0  # of the pose that is shown
    added: int = 0  # poses that went to the pose library


def begin(armature_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, wanted: Wanted) -> Browsing:
    """Begin to look for poses; `go_on` does it."""
    library = armature_object.library.filepath if armature_object.library else None
    before = snapshot.take(armature_object)
    work = search.steps(armature_object, depsgraph, wanted)
    return Browsing(armature_object.session_uid, armature_object.name, library, before, wanted, work)


def find(browsing: Browsing) -> bpy.types.Object | None:
    """The character, if it is still there and has the bones that it had."""
    found: bpy.types.Object | None = bpy.data.objects.get((browsing.name, browsing.library))
    if found is None or found.session_uid != browsing.uid or live.why_not(found):
        return None
    return found if len(channels.pose_bones(found)) == len(browsing.before.channels.mode) else None


def go_on(armature_object: bpy.types.Object, browsing: Browsing, seconds: float) -> bool:
    """Search for about so long. Returns True once poses are found, of which the first is shown."""
    end = time.perf_counter() + seconds
    while browsing.work is not None:
        try:
            browsing.done = next(browsing.work)
        except StopIteration as stop:
            browsing.work, browsing.found = None, stop.value
            browse(armature_object, browsing, 0)
        if time.perf_counter() >= end:
            break
    return browsing.work is None


def more(armature_object: bpy.types.Object, browsing: Browsing, depsgraph: bpy.types.Depsgraph) -> None:
    """Begin to look for the poses of the next seed, from the same pose as before."""
    put_back(armature_object, browsing)
    browsing.wanted = browsing.wanted._replace(seed=browsing.wanted.seed + 1)
    browsing.work, browsing.done = search.steps(armature_object, depsgraph, browsing.wanted), 0.0


def browse(armature_object: bpy.types.Object, browsing: Browsing, index: int) -> None:
    """Show another pose on the character, the first after the last, and all of them as ghosts."""
    assert browsing.found is not None
    browsing.index = index % len(browsing.found.poses)
    show(armature_object, browsing.found, browsing.index)
    shown.keep_ghosts(armature_object, Ghosts(browsing.found.lines, browsing.index))


def put_back(armature_object: bpy.types.Object, browsing: Browsing) -> None:
    """Make the character what it was, to the last bit."""
    snapshot.put_back(armature_object, browsing.before)
    live.forget(armature_object)
    shown.forget_ghosts(browsing.uid)


def to_library(armature_object: bpy.types.Object, browsing: Browsing) -> str:
    """Add the pose that is shown to the pose library. Returns what to say."""
    assert browsing.found is not None
    browsing.added += 1
    return add_to_library(armature_object, browsing.found, browsing.index)


def add_to_library(armature_object: bpy.types.Object, found: Variations, index: int) -> str:
    """Add a pose, which the character has, to the pose library. Returns what to say."""
    name = f"{armature_object.name} variation {found.wanted.seed}.{index + 1}"
    goals = [one.name for _, one in properties.asking(armature_object)]
    description = f"Pose {index + 1} of seed {found.wanted.seed} for the goals {', '.join(goals)}"
    return f"Added {pose_assets.add(armature_object, name, description).name!r} to the pose library"


def show(armature_object: bpy.types.Object, found: Variations, index: int) -> None:
    """Give the character one of the poses. Raises an error if it has other bones by now."""
    now, after = channels.read(armature_object), found.poses[index]
    if now.mode.tobytes() != after.mode.tobytes():
        raise PosewrightError(f"The bones of {armature_object.name!r} have changed: look for variations again")
    pose.put(armature_object, now, after)
    reference.store(armature_object, reference.of_pose(after))
    properties.character(armature_object).posewright_anchor = found.key
    live.forget(armature_object)


def told(browsing: Browsing) -> str:
    """What goes on, for people."""
    found = browsing.found
    if browsing.work is not None or found is None:
        return f"Looking for poses (seed {browsing.wanted.seed}): {100.0 * browsing.done:.0f} %"
    said = f"Pose {browsing.index + 1} of {len(found.poses)}, seed {found.wanted.seed}"
    said += f", goals within {1000.0 * found.errors[browsing.index]:.2f} mm" if found.reached else ", out of reach"
    return said + (f". {found.words}" if not (found.complete and found.reached) else "")
