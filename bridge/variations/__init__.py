"""Several poses for the same goals, and a look at the search. May import the rooms beside it, and what bridge may import.

Loaded room by room, as those of `bridge`: `bridge.variations.taking.show()`.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import history as history
    from . import niches as niches
    from . import search as search
    from . import shown as shown
    from . import taking as taking

__getattr__ = loader(__name__)
