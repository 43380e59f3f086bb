"""Limits and habits of joints: the human preset, from actions, from what bones store, and back to them."""

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
