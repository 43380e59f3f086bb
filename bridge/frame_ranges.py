"""Which frames a job is about: of the scene, its preview range, an action, or from one frame to another."""

import bpy

from ..solvers.errors import PosewrightError

MOST = 100_000  # frames: beyond that a range is a slip of the hand


def frames_of(
    character: bpy.types.Object, scene: bpy.types.Scene, which: str, own: tuple[int, int], step: int
) -> list[int]:
    """The frames of a range: SCENE, PREVIEW, ACTION or CUSTOM (`own`, first and last); the last one is always in.

    Raises an error where there are none.
    """
    if which == "SCENE":
        first, last = scene.frame_start, scene.frame_end
    elif which == "PREVIEW":
        if not scene.use_preview_range:
            raise PosewrightError("There is no preview range: set one in the timeline, or choose another range")
        first, last = scene.frame_preview_start, scene.frame_preview_end
    elif which == "ACTION":
        action = character.animation_data.action if character.animation_data else None
        if action is None:
            raise PosewrightError(f"{character.name!r} has no action whose range could be taken: choose another range")
        first, last = round(action.frame_range[0]), round(action.frame_range[1])
    else:
        first, last = own
    if last < first:
        raise PosewrightError(f"The range ends before it begins: {first} to {last}")
    if last - first >= MOST:
        raise PosewrightError(
            f"The range {first} to {last} has {last - first + 1} frames, more than {MOST}: choose a shorter one"
        )
    if step < 1:
        raise PosewrightError(f"The step is at least one frame, not {step}")
    found = list(range(first, last + 1, step))
    return found if found[-1] == last else [*found, last]
