"""What was posed becomes keys. May import the rooms beside it, and what bridge may import.

`sampling` steps through the frames and notes what is asked on each, `what_stays` says what need not be looked at again
there, `spans` are frames that are solved alike. `solving` finds the poses, in compiled slices, `playing` makes of them
the numbers that bones play, `reducing` leaves out keys, `writing` puts them into curves, `actions` says into which
action and leads back, `report` says what came of it, `job` does one after the other and may be stopped in between.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import actions as actions
    from . import job as job
    from . import playing as playing
    from . import reducing as reducing
    from . import report as report
    from . import sampling as sampling
    from . import solving as solving
    from . import spans as spans
    from . import what_stays as what_stays
    from . import writing as writing

__getattr__ = loader(__name__)
