"""A drag with the mouse, from the pixel to the goal. May import the rooms beside it, and what bridge may import.

Loaded room by room, as those of `bridge`: `bridge.dragging.picking.bone_under()`.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import drag as drag
    from . import gesture as gesture
    from . import mesh_snapping as mesh_snapping
    from . import orientations as orientations
    from . import picking as picking
    from . import snapshot as snapshot
    from . import strokes as strokes
    from . import temporary_goals as temporary_goals
    from . import view as view

__getattr__ = loader(__name__)
