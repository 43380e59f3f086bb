"""Limits and habits of joints. May import the rooms beside it, and what bridge may import.

`human` has the preset, `from_action` and `from_bone` other sources, `editing` copies, mirrors and resets, `write_back`
is the way to the bones' IK settings, `learning` makes habits of actions; all of them use `anatomical`.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import anatomical as anatomical
    from . import editing as editing
    from . import from_action as from_action
    from . import from_bone as from_bone
    from . import human as human
    from . import learning as learning
    from . import write_back as write_back

__getattr__ = loader(__name__)
