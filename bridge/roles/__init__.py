"""What each bone is in the body. May import the rooms beside it, and what bridge may import.

`skeleton` is what is looked at: names, parents, heads, tails, no Blender. `by_name` and `by_shape` look at it,
`finding` holds one against the other, `rigify` knows the rigs that Rigify generates, `stored` keeps what was found on
the armature object. It is not in `motion`, which is about time and may not read presets.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import by_name as by_name
    from . import by_shape as by_shape
    from . import finding as finding
    from . import fingers as fingers
    from . import limb_joints as limb_joints
    from . import rigify as rigify
    from . import skeleton as skeleton
    from . import stored as stored

__getattr__ = loader(__name__)
