"""The body and what it keeps off, as collisions see them. May import the rooms beside it, and what bridge may import.

`shapes` reads the spheres and capsules that are stored, `fitting` makes them of the skin, `editing` is their list.
`pairs` says which of them keep off each other, `touching` which do touch, `things` what other objects are, `fields`
samples the distance to a mesh, `unchanged` says which need not be looked at again. The relation itself is
`bridge/relations/collisions.py`.
"""

from typing import TYPE_CHECKING

from .. import loader

if TYPE_CHECKING:
    from . import editing as editing
    from . import fields as fields
    from . import fitting as fitting
    from . import pairs as pairs
    from . import shapes as shapes
    from . import things as things
    from . import touching as touching
    from . import unchanged as unchanged

__getattr__ = loader(__name__)
