"""What the animator sees: panels, lists, gizmos, overlay, keymap, preferences. May import operators and bridge."""

from contextlib import ExitStack

from .. import registration
from . import tool
from .handles import POSEWRIGHT_GGT_handles
from .sidebar import POSEWRIGHT_PT_sidebar

CLASSES = (
    POSEWRIGHT_PT_sidebar,
    POSEWRIGHT_GGT_handles,
)


def register(undo: ExitStack) -> None:
    """Add every panel, handle and tool to Blender."""
    registration.add_classes(CLASSES, undo)
    tool.register(undo)
