"""A rig that Rigify has generated: how it is known, and what of it is what. Only names: no numpy, no Blender."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from ...presets import bone_names

if TYPE_CHECKING:
    from .finding import Role

Names: TypeAlias = Any  # names, or bones: by the stubs, Blender's collections are no containers of names


def is_one(names: Names) -> bool:
    """Whether bones of these names are such a rig."""
    return all(name in names for name in bone_names.RIGIFY_KNOWN_BY)


def controls(names: Names) -> dict[str, str]:
    """The controls that have roles, those that are there, by role."""
    wanted = dict(bone_names.RIGIFY_MIDDLE)
    wanted |= {f"{part}.{side}": f"{name}.{side}" for part, name in bone_names.RIGIFY_PAIRED.items() for side in "LR"}
    return {role: name for role, name in wanted.items() if name in names}


def staying(names: Names) -> list[str]:
    """The controls of the trunk that have no role: they steer others, and stay put."""
    return [name for name in bone_names.RIGIFY_STAYING if name in names]


def limbs(roles: Iterable["Role"]) -> dict[str, list["Role"]]:
    """The roles of each limb from the body on, by what people call it: "left arm"."""
    by_role = {one.role: one for one in roles if one.bone}
    found = {}
    for side, word in (("L", "left"), ("R", "right")):
        for limb, parts in bone_names.RIGIFY_LIMBS.items():
            these = [by_role[role] for part in parts if (role := f"{part}.{side}") in by_role]
            if these:
                found[f"{word} {limb}"] = these
    return found
