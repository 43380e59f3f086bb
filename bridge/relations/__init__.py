"""What parts of a body have to do with each other. May import the rooms beside it, and what bridge may import.

`relation` says what a relation is to those who solve, `taking_part` is the registry: for each kind, the room that reads
what is stored of it. To add a kind: an item of the enum in `properties/relations.py`, a room with `read`, a line there.
`editing` is the list, `points` says where points of bones are, `presets` makes couplings out of roles. For balance,
`masses` says what bones weigh, `support` what a body stands on.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import balance as balance
    from . import collisions as collisions
    from . import couplings as couplings
    from . import editing as editing
    from . import loops as loops
    from . import masses as masses
    from . import mirroring as mirroring
    from . import points as points
    from . import presets as presets
    from . import relation as relation
    from . import support as support
    from . import taking_part as taking_part
    from . import wires as wires

__getattr__ = loader(__name__)
