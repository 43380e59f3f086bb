"""The mannequin: a whole character made in code, added as Blender's own objects are."""

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector
from mathutils.kdtree import KDTree

from .figures import drag, off, pin, update

operators: Any = bpy.ops
call = operators.posewright
SKIN = "Mannequin Skin"


@pytest.fixture
def empty(bridge: Any) -> Any:
    """A file with nothing in it: its scene."""
    assert bridge
    context: Any = bpy.context
    return context.scene


@pytest.fixture
def owner(empty: Any) -> Any:
    assert empty
    return add()


def add(**settings: Any) -> Any:
    assert call.add_mannequin(**settings) == {"FINISHED"}
    context: Any = bpy.context
    return context.view_layer.objects.active


def skin_of(owner: Any) -> Any:
    return next(child for child in owner.children if child.type == "MESH")


def places(owner: Any) -> Any:
    """Where the skin's vertices are in the world, as they are shown [vertices, 3]."""
    context: Any = bpy.context
    seen = skin_of(owner).evaluated_get(context.evaluated_depsgraph_get())
    found = np.zeros(3 * len(seen.data.vertices), np.float32)
    seen.data.vertices.foreach_get("co", found)
    matrix = np.array(seen.matrix_world)
    return found.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def weights(owner: Any) -> Any:
    """What each bone has of each vertex [vertices, bones], the bones in their order."""
    skin = skin_of(owner)
    names = {group.index: owner.data.bones.find(group.name) for group in skin.vertex_groups}
    assert -1 not in names.values(), "a group without a bone"
    found = np.zeros((len(skin.data.vertices), len(owner.data.bones)))
    for vertex in skin.data.vertices:
        for share in vertex.groups:
            found[vertex.index, names[share.group]] += share.weight
    return found


def volumes(mesh: Any) -> list[float]:
    """The volume of each part that hangs together; negative where its faces look inward."""
    first = list(range(len(mesh.vertices)))

    def root(vertex: int) -> int:
        while first[vertex] != vertex:
            first[vertex] = first[first[vertex]]
            vertex = first[vertex]
        return vertex

    for edge in mesh.edges:
        first[root(edge.vertices[0])] = root(edge.vertices[1])
    mesh.calc_loop_triangles()
    found: dict[int, float] = {}
    for triangle in mesh.loop_triangles:
        a, b, c = (mesh.vertices[corner].co for corner in triangle.vertices)
        part = root(triangle.vertices[0])
        found[part] = found.get(part, 0.0) + a.dot(b.cross(c)) / 6.0
    return list(found.values())


def test_every_bone_has_a_role_and_none_is_doubtful(owner: Any) -> None:
    assert call.set_up() == {"FINISHED"}
    assert {role.bone for role in owner.posewright_roles} == {bone.name for bone in owner.data.bones}
    assert {role.source for role in owner.posewright_roles} == {"NAME"}
    assert not [role.name for role in owner.posewright_roles if role.doubtful]


def test_every_joint_gets_human_limits_and_rests_within_them(bridge: Any, owner: Any) -> None:
    call.set_up()
    limited = {joint.name for joint in owner.posewright_joints}
    assert limited == {bone.name for bone in owner.data.bones} - {"pelvis"}
    before = places(owner)
    for foot in ("foot.L", "foot.R"):
        pin(bridge, owner, foot)
    update()
    assert np.abs(places(owner) - before).max() < 1e-5, "a joint was put back into its limits"


def test_a_hand_is_dragged_at_once_and_skin_and_feet_do_as_they_should(bridge: Any, owner: Any) -> None:
    call.set_up()
    feet = [pin(bridge, owner, foot) for foot in ("foot.L", "foot.R")]
    before = places(owner)
    drag(bridge, owner, "hand.L", (0.05, -0.2, -0.15))
    moved = np.linalg.norm(places(owner) - before, axis=1)
    share = weights(owner)
    bones = owner.data.bones
    assert moved[share[:, bones.find("hand.L")] == 1.0].min() > 0.15
    assert moved[share[:, bones.find("foot.R")] == 1.0].max() < 2e-3
    assert max(off(bridge, owner, foot) for foot in feet) < 1e-3


def test_weights_of_every_vertex_sum_to_one_and_every_bone_moves_some(owner: Any) -> None:
    share = weights(owner)
    assert np.abs(share.sum(axis=1) - 1.0).max() < 1e-6
    assert (share.max(axis=0) > 0.85).all(), "a bone that moves nothing"


def test_skin_goes_with_its_own_side(owner: Any) -> None:
    share, seen = weights(owner), places(owner)
    for number, bone in enumerate(owner.data.bones):
        sign = {"L": 1.0, "R": -1.0}.get(bone.name.rpartition(".")[2], 0.0)
        if sign:
            assert (sign * seen[share[:, number] > 0.0, 0]).min() > 0.0, bone.name


def test_the_skin_has_no_holes_and_all_its_parts_look_outward(owner: Any) -> None:
    mesh = skin_of(owner).data
    assert not mesh.validate(), "Blender had to mend the mesh"
    faces = np.zeros(len(mesh.edges), int)
    for polygon in mesh.polygons:
        for key in polygon.loop_indices:
            faces[mesh.loops[key].edge_index] += 1
    assert (faces == 2).all()
    parts = volumes(mesh)
    assert len(parts) > 50
    assert min(parts) > 0.0


def test_left_and_right_are_mirror_images(owner: Any) -> None:
    found = places(owner).tolist()
    tree: Any = KDTree(len(found))
    for number, place in enumerate(found):
        tree.insert(place, number)
    tree.balance()
    assert max(tree.find((-x, y, z))[2] for x, y, z in found) < 1e-5
    for bone in owner.data.bones:
        if bone.name.endswith(".L"):
            other = owner.data.bones[bone.name[:-1] + "R"]
            assert (bone.head_local * Vector((-1, 1, 1)) - other.head_local).length < 1e-6


def test_it_stands_on_the_floor_as_tall_as_asked_and_faces_the_front_view(owner: Any) -> None:
    seen = places(owner)
    assert seen[:, 2].min() == pytest.approx(0.0, abs=1e-6)
    assert seen[:, 2].max() == pytest.approx(1.75, abs=0.005)
    assert owner.data.bones["toe.L"].tail_local.y < owner.data.bones["foot.L"].head_local.y
    small = places(add(height=0.35))
    assert small[:, 2].max() == pytest.approx(0.35, abs=0.001)


def test_in_a_scene_in_centimetres_it_is_as_tall(empty: Any) -> None:
    empty.unit_settings.scale_length = 0.01
    assert places(add())[:, 2].max() == pytest.approx(175.0, abs=0.5)


def test_it_is_added_at_the_cursor_turned_as_asked(empty: Any) -> None:
    empty.cursor.location = (1, 2, 3)
    empty.cursor.rotation_euler = (0, 0, 0.5)
    assert add().matrix_world == Matrix.Translation((1, 2, 3))
    turned = Matrix.LocRotScale((1, 2, 3), Euler((0, 0, 0.5)), None)
    assert np.abs(np.array(add(align="CURSOR").matrix_world) - turned).max() < 1e-6
    asked = Matrix.LocRotScale((4, 5, 6), Euler((0.1, 0.2, 0.3)), None)
    made = add(location=(4, 5, 6), rotation=(0.1, 0.2, 0.3))
    assert np.abs(np.array(made.matrix_world) - asked).max() < 1e-6


@pytest.mark.parametrize("active", ["nothing", "a mannequin", "a hidden object", "a cube that is edited on adding"])
def test_it_does_not_depend_on_what_is_selected(empty: Any, active: str) -> None:
    context: Any = bpy.context
    first = add()
    expected = places(first), [bone.matrix_local.copy() for bone in first.data.bones]
    if active == "a cube that is edited on adding":
        operators.mesh.primitive_cube_add()
        context.preferences.edit.use_enter_edit_mode = True
    elif active == "a hidden object":
        first.hide_set(True)
    elif active == "nothing":
        first.select_set(False)
        context.view_layer.objects.active = None
    try:
        second = add()
    finally:
        context.preferences.edit.use_enter_edit_mode = False
    assert second != first
    assert context.mode == "OBJECT"
    assert [one for one in empty.objects if one.select_get()] == [second]
    assert np.array_equal(places(second), expected[0])
    assert [bone.matrix_local for bone in second.data.bones] == expected[1]
    assert len(bpy.data.materials) == 3, "materials came twice"


def test_it_is_undone_and_redone_in_one_step(empty: Any) -> None:
    assert empty
    operators.ed.undo_push(message="before")
    assert call.add_mannequin("EXEC_DEFAULT", True) == {"FINISHED"}
    operators.ed.undo()
    assert not len(bpy.data.objects)
    operators.ed.redo()
    assert {"Mannequin", SKIN} == {one.name for one in bpy.data.objects}


def test_with_a_hidden_active_collection_it_is_seen_all_the_same(empty: Any) -> None:
    context: Any = bpy.context
    hidden = bpy.data.collections.new("Hidden")
    empty.collection.children.link(hidden)
    layer = context.view_layer.layer_collection.children["Hidden"]
    context.view_layer.active_layer_collection = layer
    layer.hide_viewport = True
    made = add()
    assert made.visible_get()
    assert skin_of(made).visible_get()


def test_in_pose_mode_the_menu_does_not_offer_it(owner: Any) -> None:
    assert owner
    operators.object.mode_set(mode="POSE")
    assert not call.add_mannequin.poll()
    operators.object.mode_set(mode="OBJECT")
    assert call.add_mannequin.poll()


def test_it_is_in_the_menu_of_armatures(add_on: Any) -> None:
    menu: Any = bpy.types.VIEW3D_MT_armature_add
    assert add_on.ui.add_menu.draw_entry in menu._dyn_ui_initialize()
