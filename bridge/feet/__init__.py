"""A finished clip is put onto a ground. May import the rooms beside it, and what bridge may import.

`sole` finds the soles of a character, `surfaces` and `ground` what it walks on, `clip` steps through the frames and
notes both, `motion.feet` says what feet and pelvis are to do, `solving` finds the poses, `report` says what came of it,
`switching` leads from the action before to the one that was made and back, `stored` keeps soles and contacts with the
character, `contact_list` changes contacts by hand, `preview` keeps what is to be drawn, `markers` shows contacts in the
timeline; `job` does one after the other and may be stopped in between.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import clip as clip
    from . import contact_list as contact_list
    from . import ground as ground
    from . import job as job
    from . import markers as markers
    from . import opening as opening
    from . import preview as preview
    from . import report as report
    from . import setting_up as setting_up
    from . import sole as sole
    from . import solving as solving
    from . import stored as stored
    from . import surfaces as surfaces
    from . import switching as switching
    from . import widening as widening

__getattr__ = loader(__name__)
