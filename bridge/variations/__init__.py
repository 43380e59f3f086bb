"""Several poses for the same goals. May import the rooms beside it, and what bridge may import.

Loaded room by room, as those of `bridge`: `bridge.variations.browsing.show()`.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import browsing as browsing
    from . import history as history
    from . import niches as niches
    from . import report as report
    from . import search as search
    from . import shown as shown

__getattr__ = loader(__name__)
