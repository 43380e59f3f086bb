"""Everything the mouse can rest on explains itself."""

from types import ModuleType
from typing import Any

import bpy


def test_every_registered_property_has_a_tooltip(add_on: ModuleType) -> None:
    silent = [
        f"{name}.{found.identifier}"
        for name in dir(bpy.types)
        for found in getattr(getattr(bpy.types, name), "bl_rna", bpy.types.Object.bl_rna).properties
        if found.identifier.startswith("posewright_") and not found.description
    ]
    assert add_on
    assert not silent


def test_every_operator_and_its_properties_have_tooltips(add_on: ModuleType) -> None:
    operators: Any = bpy.ops
    assert add_on
    assert dir(operators.posewright)
    for name in dir(operators.posewright):
        rna = getattr(operators.posewright, name).get_rna_type()
        assert rna.description, name
        assert all(found.description for found in rna.properties if found.identifier != "rna_type"), name
