"""A character made in code, to try things on. May import the rooms beside it, and what bridge may import.

Loaded room by room, as those of `bridge`: `bridge.mannequin.making.add()`.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import lofts as lofts
    from . import making as making
    from . import placing as placing
    from . import skeleton as skeleton
    from . import skin as skin

__getattr__ = loader(__name__)
