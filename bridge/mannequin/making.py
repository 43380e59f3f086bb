"""Makes the mannequin's objects."""

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...presets.mannequin import HEIGHT, MATERIALS
from . import skeleton
from .skin import skin

NAME = "Mannequin"


def add(context: bpy.types.Context, placed: Matrix, height: float) -> bpy.types.Object:
    """Add a mannequin so tall, in Blender's units, at a place; it is the only selected object and the active one."""
    layer = context.view_layer
    collection = context.collection
    assert layer is not None
    assert collection is not None
    character = bpy.data.objects.new(NAME, bpy.data.armatures.new(NAME))
    collection.objects.link(character)
    character.matrix_world = placed
    layer.update()  # before it, what is selected is forgotten again
    for other in list(layer.objects):
        other.select_set(other == character)
    layer.objects.active = character
    _add_bones(character, height / HEIGHT)
    _add_skin(character, collection, height / HEIGHT)
    return character


def _add_bones(character: bpy.types.Object, scale: float) -> None:
    data: Any = character.data
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in skeleton.bones():
        made = data.edit_bones.new(bone.name)
        made.head, made.tail = scale * Vector(bone.head), scale * Vector(bone.tail)
        made.align_roll(Vector(bone.z_axis))
        if bone.parent:
            made.parent = data.edit_bones[bone.parent]
            made.use_connect = (made.parent.tail - made.head).length < 1e-6 * scale
    bpy.ops.object.mode_set(mode="OBJECT")
    data.display_type = "STICK"
    character.show_in_front = True


def _add_skin(character: bpy.types.Object, collection: bpy.types.Collection, scale: float) -> None:
    """One mesh, parented to the bones and moved by them."""
    made = skin()
    mesh = bpy.data.meshes.new(f"{NAME} Skin")
    mesh.from_pydata((scale * made.places).tolist(), [], made.faces)
    for name in MATERIALS:
        mesh.materials.append(_material(name))
    mesh.polygons.foreach_set("material_index", np.array(made.materials, np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(made.faces), bool))
    thing = bpy.data.objects.new(mesh.name, mesh)
    collection.objects.link(thing)
    for bone, weights in made.weights.items():
        group = thing.vertex_groups.new(name=bone)
        for weight in np.unique(weights[weights > 0.0]):
            group.add(np.flatnonzero(weights == weight).tolist(), float(weight), "REPLACE")
    thing.parent = character
    modifier: Any = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = character


def _material(name: str) -> bpy.types.Material:
    """One of the mannequin's materials; a second mannequin has the same."""
    colour, roughness = MATERIALS[name]
    material: Any = bpy.data.materials.get(name)
    if material is None:
        material = bpy.data.materials.new(name)
        material.diffuse_color = (*colour, 1.0)  # what the viewport shows without textures
        material.roughness = roughness
        if material.node_tree is None:  # from 5.0 on there always is one
            material.use_nodes = True
        shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = (*colour, 1.0)
        shader.inputs["Roughness"].default_value = roughness
    found: bpy.types.Material = material
    return found
