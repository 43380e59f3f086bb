"""One user action a file, each a thin shell: read inputs, call one function, report. May import bridge."""

from contextlib import ExitStack

from .. import registration
from .compile_solvers import POSEWRIGHT_OT_compile_solvers
from .drag import POSEWRIGHT_OT_drag
from .key import POSEWRIGHT_OT_key

CLASSES = (
    POSEWRIGHT_OT_compile_solvers,
    POSEWRIGHT_OT_drag,
    POSEWRIGHT_OT_key,
)


def register(undo: ExitStack) -> None:
    """Add every operator to Blender."""
    registration.add_classes(CLASSES, undo)
