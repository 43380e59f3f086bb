"""What the animator sees: panels, lists, gizmos, overlay, keymap, preferences. May import operators and bridge."""

from contextlib import ExitStack

from .. import registration
from . import overlay
from .sidebar import POSEWRIGHT_PT_sidebar

CLASSES = (POSEWRIGHT_PT_sidebar,)


def register(undo: ExitStack) -> None:
    """Add every panel to Blender, and the overlay."""
    registration.add_classes(CLASSES, undo)
    overlay.register(undo)
