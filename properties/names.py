"""Names of the items of a list, no two of which are the same: by names Blender knows the items of an override."""

import re
from collections.abc import Callable, Container
from typing import Any

import bpy


def free_name(wanted: str, taken: Container[str]) -> str:
    """A name that is not taken: the one wanted, or it with a number."""
    stem, number, name = re.sub(r"\.\d{3,}$", "", wanted), 0, wanted
    while name in taken:
        number += 1
        name = f"{stem}.{number:03}"
    return name


def apart_in(collection: str) -> Callable[[Any, bpy.types.Context], None]:
    """For the name of a list's items: give one that was renamed another name if it is taken."""

    def keep_apart(item: Any, _context: bpy.types.Context) -> None:  # noqa: ANN401 - of any list
        taken = [one.name for one in getattr(item.id_data, collection)]
        if taken.count(item.name) > 1:
            item.name = free_name(item.name, taken)

    return keep_apart
