"""Characters that hold each other are solved as one tree. May import the rooms beside it, and what bridge may import.

`partners` says who holds whom, `joining` makes one rig of several, `posing` solves it live, `baking` over frames.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import baking as baking
    from . import joining as joining
    from . import partners as partners
    from . import posing as posing

__getattr__ = loader(__name__)
