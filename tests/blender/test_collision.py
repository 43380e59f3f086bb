"""Collisions: the body keeps off objects and off itself."""

import math
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from numpy.testing import assert_allclose

from .characters import load
from .figures import channels, drag, figure, goal, off, pin, shown, update
from .test_bad_input import HOW, by_constraint
from .test_bake import FIRST, LAST, moving_hand, same, scene, seen
from .test_linked_rigs import overridden, reopened
from .test_relations import MILLIMETRE, keyed, relation
from .test_sidebar import red
from .test_together import hold

operators: Any = bpy.ops
call = operators.posewright
RADIUS = 0.05


def shape(owner: Any, bone: str, radius: float = RADIUS, start: Any = (0, 0, 0), end: Any = None) -> Any:
    """A capsule along a bone, or where it is said."""
    made = owner.posewright_shapes.add()
    made.name = made.bone = bone
    bones = owner.data.bones
    made.radius, made.start = radius, start
    made.end = (0, bones[bone].length if bone in bones else 0.1, 0) if end is None else end
    owner.update_tag()
    return made


def thing(kind: str, place: Any = (0, 0, 0), scale: Any = (1, 1, 1), **given: Any) -> Any:
    """A new object: "cube", "plane", "uv_sphere" or, with 24 faces a side, "ico_sphere"; or an empty."""
    before = bpy.context.view_layer.objects.active  # type: ignore[union-attr]
    mode = before.mode if before else "OBJECT"
    if mode != "OBJECT":
        operators.object.mode_set(mode="OBJECT")
    if kind == "empty":
        operators.object.empty_add(location=place)
    else:
        getattr(operators.mesh, f"primitive_{kind}_add")(location=place, **given)
    made: Any = bpy.context.object
    made.scale = scale
    if before:
        bpy.context.view_layer.objects.active = before  # type: ignore[union-attr]
        operators.object.mode_set(mode=mode)
    update()
    return made


def place(owner: Any, bone: str, along: float) -> Vector:
    """A point of a bone in the world, as Blender shows it."""
    bones = owner.pose.bones
    found: Vector = owner.matrix_world @ bones[bone].matrix @ Vector((0, along * owner.data.bones[bone].length, 0))
    return found


def apart(owner: Any, bone: str, other: str) -> float:
    """How far the lines of two bones are from each other, metres of the world."""
    share = np.linspace(0, 1, 101)
    one, two = (np.array([place(owner, name, part) for part in share]) for name in (bone, other))
    return float(np.linalg.norm(one[:, None] - two[None], axis=-1).min())


@pytest.fixture
def standing(bridge: Any) -> Any:
    """A figure with one arm and one leg, whose pelvis is pinned, with a ball on its hand."""
    owner = figure(".L")
    pin(bridge, owner, "pelvis")
    shape(owner, "hand.L")
    update()
    return owner


def let_go(owner: Any, mute: bool = False) -> None:
    """End a drag with a pin; relations are read anew then."""
    for made in owner.posewright_goals:
        if made.dragged:
            made.dragged, made.state = False, "PINNED"
    owner.posewright_relations[0].mute = mute
    update()


def solved(bridge: Any, owner: Any) -> Any:
    return bridge.outcome.of(owner)


SOLIDS = {  # what is 20 cm in front of the hand, and how far the hand's ball stays from it then
    "SPHERE": ("uv_sphere", {"radius": 0.1, "segments": 32, "ring_count": 16}),
    "BOX": ("cube", {"size": 0.2}),
    "MESH": ("cube", {"size": 0.2}),
}


@pytest.mark.parametrize("against", SOLIDS)
def test_a_hand_that_is_dragged_into_an_object_stops_at_it(bridge: Any, standing: Any, against: str) -> None:
    kind, given = SOLIDS[against]
    block = thing(kind, (0.75, -0.3, 1.45), **given)
    relation(standing, "COLLISION", against=against, thing=block)
    drag(bridge, standing, "hand.L", (0, -0.3, 0))
    found = solved(bridge, standing)
    assert found.relations[0].reached, found.relations[0].trouble
    assert off(bridge, standing, 1) > 0.02
    nearest = math.inf
    for along in np.linspace(0, 1, 51):
        inside = np.array(place(standing, "hand.L", along) - block.location)
        round_ = float(np.linalg.norm(inside)) - 0.1
        boxed = float(np.linalg.norm(np.maximum(np.abs(inside) - 0.1, 0.0)))
        nearest = min(nearest, round_ if against == "SPHERE" else boxed)
    allowed = {"SPHERE": 1.0, "BOX": 5.0, "MESH": 5.0}[against] * MILLIMETRE  # between the spheres of a row, and cells
    assert nearest > RADIUS - allowed
    assert nearest < RADIUS + 15 * MILLIMETRE  # it touches
    let_go(standing, mute=True)
    assert off(bridge, standing, 1) < MILLIMETRE


def test_a_plane_is_stood_on_whichever_way_it_is_turned_and_scaled(bridge: Any, standing: Any) -> None:
    wall = thing("empty", (0.95, 0, 0), (3, 1, 1))
    wall.rotation_euler = (0, -math.pi / 2, 0)  # its Z axis looks back at the body
    relation(standing, "COLLISION", against="PLANE", thing=wall, gap=0.01)
    drag(bridge, standing, "hand.L", (0.2, 0, 0))
    assert solved(bridge, standing).relations[0].reached
    reach = max(place(standing, "hand.L", along).x for along in (0, 1)) + RADIUS
    assert 0.90 < reach < 0.94 + MILLIMETRE


def test_an_obstacle_that_moves_pushes_a_hand_away_from_what_it_follows(bridge: Any, standing: Any) -> None:
    target = thing("empty", place(standing, "hand.L", 0))
    goal(standing, "hand.L", target=target, state="FOLLOWING")
    ball = thing("uv_sphere", (0.75, -0.5, 1.45), radius=0.1)
    relation(standing, "COLLISION", against="SPHERE", thing=ball)
    update()
    before = shown(standing)
    ball.location.y = -0.1
    update()
    assert np.abs(shown(standing) - before).max() > 0.02
    assert solved(bridge, standing).relations[0].reached
    ball.location.y = -0.5
    update()
    assert_allclose(shown(standing), before, atol=1e-4)


@pytest.mark.parametrize("against", ["SPHERE", "BOX", "MESH"])
def test_a_hand_that_is_inside_from_the_start_gets_out(bridge: Any, standing: Any, against: str) -> None:
    block = thing("cube", (0.75, 0.02, 1.45), size=0.2)
    relation(standing, "COLLISION", against=against, thing=block)
    goal(standing, "spine")
    drag(bridge, standing, "spine")
    found = solved(bridge, standing)
    assert found.relations[0].reached, found.relations[0]


@pytest.mark.parametrize("against", ["SPHERE", "BOX", "MESH"])
def test_a_pinned_hand_holds_against_what_moves_into_it_and_nothing_jumps(
    bridge: Any, standing: Any, against: str
) -> None:
    kind, given = SOLIDS[against]
    block = thing(kind, (0.75, -0.3, 1.45), **given)
    relation(standing, "COLLISION", against=against, thing=block)
    pin(bridge, standing, "hand.L")
    update()
    before, hidden, moved = shown(standing), False, list[float]()
    for step in range(13):
        block.location.y = -0.3 + 0.025 * step
        update()
        after = shown(standing)
        moved.append(float(np.abs(after - before).max()))
        assert off(bridge, standing, 1) < MILLIMETRE, step
        hidden = hidden or not solved(bridge, standing).relations[0].reached
        before = after
    assert hidden
    assert max(moved) < MILLIMETRE


def test_a_pin_out_of_reach_does_not_send_another_hand_into_a_thing(bridge: Any) -> None:
    """Its pin is off for want of reach: the collision of the other hand is no reason, and holds."""
    owner = figure()
    pin(bridge, owner, "pelvis")
    shape(owner, "hand.L")
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    relation(owner, "COLLISION", against="BOX", thing=block)
    pin(bridge, owner, "hand.R")
    owner.posewright_goals[1].place = (-5, 0, 1.45)
    drag(bridge, owner, "hand.L", (0, -0.3, 0))
    assert off(bridge, owner, 1) > 0.5
    found = solved(bridge, owner)
    assert found.relations[0].reached


def test_the_hand_does_not_go_through_the_thigh(bridge: Any, standing: Any) -> None:
    shape(standing, "leg.L", 0.08)
    pin(bridge, standing, "leg.L", orientation=1.0)
    relation(standing, "COLLISION", against="SELF")
    for step in range(1, 6):
        drag(bridge, standing, "hand.L", Vector((-0.63, -0.02, -0.7)) * (step / 5))
    found = solved(bridge, standing)
    assert found.relations[0].reached
    assert apart(standing, "hand.L", "leg.L") > RADIUS + 0.08 - MILLIMETRE
    assert off(bridge, standing, 2) > 0.05
    let_go(standing, mute=True)
    assert apart(standing, "hand.L", "leg.L") < RADIUS + 0.08 - 0.02


def test_neighbours_and_what_overlaps_at_rest_leave_each_other_alone(bridge: Any) -> None:
    owner = figure()
    for bone in ("spine", "arm.L", "forearm.L", "hand.L", "leg.L", "leg.R"):
        shape(owner, bone, 0.06)
    owner.posewright_shapes["spine"].radius = 0.2
    known = bridge.collision.shapes.stored(owner)
    pairs = bridge.collision.pairs.find(owner, known, 0.01)
    named = {frozenset((pair.first.bone, pair.second.bone)): pair for pair in pairs}
    assert frozenset(("spine", "arm.L")) not in named
    assert frozenset(("arm.L", "forearm.L")) not in named
    assert frozenset(("arm.L", "hand.L")) in named
    assert frozenset(("leg.L", "leg.R")) in named
    assert frozenset(("spine", "hand.L")) in named
    owner.posewright_shapes["leg.L"].radius = owner.posewright_shapes["leg.R"].radius = 0.12
    known = bridge.collision.shapes.stored(owner)
    pairs = bridge.collision.pairs.find(owner, known, 0.01)
    assert frozenset(("leg.L", "leg.R")) not in {frozenset((pair.first.bone, pair.second.bone)) for pair in pairs}


def test_of_a_shape_that_overlaps_in_part_at_rest_the_rest_counts(bridge: Any) -> None:
    owner = figure()
    shape(owner, "spine", 0.1)
    shape(owner, "forearm.L")
    shape(owner, "hand.L", 0.05, start=(0, -0.85, 0))  # reaches into the trunk
    (pair,) = bridge.collision.pairs.find(owner, bridge.collision.shapes.stored(owner), 0.01)
    cut = pair.first if pair.first.bone == "hand.L" else pair.second
    assert -0.54 < cut.start[1] < -0.49  # 0.1 + 0.05 + 0.01 from the trunk's line, by samples
    assert cut.end[1] == pytest.approx(0.1, abs=1e-4)


def test_nothing_moves_when_a_body_begins_to_keep_off_itself(bridge: Any, standing: Any) -> None:
    shape(standing, "leg.L", 0.08)
    update()
    before = channels(standing)
    assert call.collide("EXEC_DEFAULT", against="SELF") == {"FINISHED"}
    update()
    assert channels(standing) == before
    assert solved(bridge, standing).relations[0].reached


def bad(owner: Any) -> dict[str, Any]:
    """Collisions that cannot be had, by what is said of them."""
    child = thing("cube")
    child.parent = owner
    gone = thing("cube")
    empty = thing("empty")
    flat = thing("cube", scale=(0, 0, 0))
    loose = bpy.data.objects.new("Loose", bpy.data.meshes.new("Loose"))
    bpy.context.scene.collection.objects.link(loose)  # type: ignore[union-attr]
    found = {
        "has no object": {"against": "BOX"},
        "moves with the character": {"against": "BOX", "thing": child},
        "has no mesh": {"against": "MESH", "thing": empty},
        "has no faces": {"against": "MESH", "thing": loose},
        "in no scene": {"against": "BOX", "thing": gone},
        "has no size": {"against": "BOX", "thing": flat},
        "no two shapes": {"against": "SELF"},
    }
    bpy.context.scene.collection.objects.unlink(gone)  # type: ignore[union-attr]
    return found


def test_bad_collisions_say_what_is_wrong_and_the_rest_is_solved(bridge: Any, standing: Any) -> None:
    said_of = bad(standing)
    for given in said_of.values():
        relation(standing, "COLLISION", **given)
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    found = solved(bridge, standing).relations
    for row, words in enumerate(said_of):
        assert words in found[row].trouble, (words, found[row])
    assert off(bridge, standing, 1) < MILLIMETRE


@pytest.mark.parametrize("tie", HOW)
def test_an_obstacle_that_a_hand_carries_does_not_run_away_from_it(bridge: Any, standing: Any, tie: Any) -> None:
    block = thing("cube", (0.75, -0.02, 1.45), size=0.2)
    world = block.matrix_world.copy()
    tie(standing, block)
    if block.parent:  # what is tied by a constraint is put onto the hand, so that it is in the way as well
        block.matrix_world = world
    relation(standing, "COLLISION", against="BOX", thing=block)
    update()
    before = channels(standing)
    for _ in range(3):
        standing.update_tag()
        update()
    assert channels(standing) == before
    assert f"{block.name!r} moves with the character itself" in solved(bridge, standing).relations[0].trouble
    with pytest.raises(RuntimeError, match="moves with the character itself"):
        call.collide("EXEC_DEFAULT", against="BOX", thing=block.name)


def test_an_obstacle_that_moves_with_who_holds_the_character_is_told_while_it_does(bridge: Any, standing: Any) -> None:
    ben = figure(".L", "Ben")
    ben.location.y = -0.5
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    by_constraint(ben, block)
    update()
    relation(standing, "COLLISION", against="BOX", thing=block)
    update()
    assert not solved(bridge, standing).relations[0].trouble
    tie = hold(standing, "hand.L", ben, "hand.L")
    update()
    assert "moves with 'Ben', which is held together" in solved(bridge, standing).relations[0].trouble
    tie.mute = True
    update()
    assert not solved(bridge, standing).relations[0].trouble


@pytest.mark.parametrize("against", ["MESH", "SELF"])
@pytest.mark.parametrize("name", ["gap", "softness"])
def test_a_gap_that_is_no_number_is_told_and_all_else_is_solved(
    bridge: Any, standing: Any, against: str, name: str
) -> None:
    shape(standing, "leg.L", 0.08)
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    one = relation(standing, "COLLISION", against=against, thing=block)
    for wrong in (math.nan, math.inf):
        setattr(one, name, wrong)
        drag(bridge, standing, "hand.L", (0, -0.1, 0))
        assert standing.posewright_live, solved(bridge, standing).error
        assert f"its {name} is too large or no number" in solved(bridge, standing).relations[0].trouble
        assert off(bridge, standing, 1) < MILLIMETRE
        let_go(standing)


def test_a_character_that_is_scaled_to_nothing_is_told(bridge: Any) -> None:
    assert bridge
    owner, words = figure(".L"), "'Figure' is scaled to nothing"
    body = thing("uv_sphere")
    body.parent = owner
    body.vertex_groups.new(name="spine").add(range(len(body.data.vertices)), 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = owner
    owner.scale = (0, 0, 0)
    update()
    for action, given in (
        (call.shapes_fit, {}),
        (call.collide, {"against": "SELF"}),
        (call.balance, {"masses": "VOLUME"}),
        (call.balance, {"masses": "ROLES"}),
    ):
        with pytest.raises(RuntimeError, match=words):
            action("EXEC_DEFAULT", **given)
    assert (len(owner.posewright_relations), len(owner.posewright_shapes)) == (0, 0)


def test_a_skin_whose_vertices_are_nowhere_gets_no_shapes(bridge: Any) -> None:
    assert bridge
    owner = figure(".L")
    body = thing("uv_sphere")
    body.name = "Skin"
    body.vertex_groups.new(name="spine").add(range(len(body.data.vertices)), 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = owner
    body.data.vertices[0].co.x = math.nan
    with pytest.raises(RuntimeError, match="'Skin' has vertices whose place is no number"):
        call.shapes_fit("EXEC_DEFAULT")
    assert not len(owner.posewright_shapes)


def test_an_obstacle_that_is_deleted_in_the_middle_of_a_drag_is_told(bridge: Any, standing: Any) -> None:
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    relation(standing, "COLLISION", against="BOX", thing=block)
    drag(bridge, standing, "hand.L", (0, -0.1, 0))
    bpy.data.objects.remove(block)
    drag(bridge, standing, "hand.L", (0, -0.2, 0))
    assert "object" in solved(bridge, standing).relations[0].trouble
    assert off(bridge, standing, 1) < MILLIMETRE


def test_a_collision_that_is_removed_in_the_middle_of_a_drag_lets_it_go_on(bridge: Any, standing: Any) -> None:
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    relation(standing, "COLLISION", against="BOX", thing=block)
    drag(bridge, standing, "hand.L", (0, -0.05, 0))
    standing.posewright_relations.remove(0)
    drag(bridge, standing, "hand.L", (0, -0.1, 0))
    assert standing.posewright_live, solved(bridge, standing).error
    assert off(bridge, standing, 1) < MILLIMETRE


def test_bad_shapes_are_left_out_and_are_red(bridge: Any, standing: Any, add_on: ModuleType) -> None:
    shape(standing, "gone")
    shape(standing, "leg.L", 0.0)
    shape(standing, "shin.L", 0.05)
    shape(standing, "shin.L", 0.05, start=(0, math.nan, 0))
    relation(standing, "COLLISION", against="SELF")
    assert [one.bone for one in bridge.collision.shapes.stored(standing)] == ["hand.L", "shin.L"]
    drag(bridge, standing, "hand.L", (-0.2, -0.1, 0.1))
    assert solved(bridge, standing).relations[0].reached
    wrong = [add_on.ui.body_shapes.wrong_with(standing, one) for one in standing.posewright_shapes]
    ends = "its ends are no numbers: set them anew"
    assert wrong == ["", "there is no bone 'gone'", "its radius is zero", "", ends]
    assert wrong == [bridge.collision.shapes.trouble(standing, one) for one in standing.posewright_shapes]
    standing.posewright_shapes.clear()
    let_go(standing)
    assert "Fit Shapes" in solved(bridge, standing).relations[0].trouble


def sheet(points: Any, faces: Any) -> Any:
    """A mesh object of some faces."""
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata(points, [], faces)
    found: Any = bpy.data.objects.new("Sheet", mesh)
    bpy.context.scene.collection.objects.link(found)  # type: ignore[union-attr]
    update()
    return found


def field(bridge: Any, block: Any, reach: float = 0.1) -> Any:
    return bridge.collision.fields.of(block, block.data, np.diag(block.scale), reach)


def value(known: Any, point: Any) -> float:
    """What a field says of a point, by the slow way."""
    where = (np.array(point, float) - known.origin) / known.cell
    low = np.minimum(where.astype(int), np.array(known.values.shape) - 2)
    share, total = where - low, 0.0
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(corner, share, 1 - share))
        total += weight * known.values[tuple(low + corner)]
    return float(total)


@pytest.mark.usefixtures("bridge")
@pytest.mark.parametrize("flipped", [False, True])
def test_the_distance_to_a_mesh_is_signed_whichever_way_its_faces_look(bridge: Any, flipped: bool) -> None:
    block = thing("cube", size=0.2, scale=(1, 2, 0.5))
    if flipped:
        block.data.flip_normals()
    known = field(bridge, block)
    assert value(known, (0, 0, 0)) == pytest.approx(-0.05, abs=known.cell)
    assert value(known, (0.15, 0, 0)) == pytest.approx(0.05, abs=1e-3)
    assert value(known, (0, 0.27, 0)) == pytest.approx(0.07, abs=1e-3)
    assert value(known, (0, 0, -0.1)) == pytest.approx(0.05, abs=1e-3)
    assert field(bridge, block) is known
    block.data.vertices[0].co.x += 0.01
    assert field(bridge, block) is not known


def seen_field(bridge: Any, name: str, size: float = 1.0) -> Any:
    """Of an object as it is evaluated, which is what live posing looks at."""
    block: Any = bpy.data.objects[name]
    evaluated: Any = block.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return bridge.collision.fields.of(block, evaluated.data, size * np.eye(3), 0.1)


def test_a_mesh_that_stays_is_not_gone_through_again(bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    block = thing("cube", size=0.2)
    known, looked = seen_field(bridge, block.name), list[int]()
    real = bridge.collision.fields.zlib.crc32

    def counted(given: bytes) -> int:
        looked.append(1)
        return int(real(given))

    monkeypatch.setattr(bridge.collision.fields.zlib, "crc32", counted)
    for x in (0.1, 0.2, 0.3):
        block.location.x = x
        update()
        assert seen_field(bridge, block.name) is known
    assert not looked
    block.data.update_tag()
    update()
    assert seen_field(bridge, block.name) is known
    assert looked == [1]
    seen_field(bridge, block.name)
    assert looked == [1]


def test_grids_of_many_meshes_and_of_two_sizes_are_kept(bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real, sampled = bridge.collision.fields._sampled, list[str]()

    def counted(name: str, *given: Any) -> Any:
        sampled.append(name)
        return real(name, *given)

    monkeypatch.setattr(bridge.collision.fields, "_sampled", counted)
    blocks = [thing("cube", size=0.04) for _ in range(10)]
    sizes = np.eye(3), 0.5 * np.eye(3)

    def fields() -> list[Any]:
        return [bridge.collision.fields.of(block, block.data, size, 0.01) for block in blocks for size in sizes]

    first = fields()
    assert len(sampled) == 20
    for _ in range(2):
        again = fields()
        assert all(one is other for one, other in zip(first, again, strict=True))
    assert bridge.collision.fields.of(blocks[0], blocks[0].data, sizes[0] * (1 + 1e-6), 0.01) is first[0]
    assert bridge.collision.fields.of(blocks[0], blocks[0].data, sizes[0] * (1 + 1e-3), 0.01) is not first[0]
    blocks[0].data.vertices[0].co.x += 0.01
    assert not {id(one) for one in fields()[:2]} & {id(one) for one in first}


def test_a_change_that_was_seen_in_one_size_counts_in_the_other(bridge: Any) -> None:
    name = thing("cube", size=0.2).name
    before = [seen_field(bridge, name, size) for size in (1.0, 2.0)]
    block: Any = bpy.data.objects[name]
    block.data.transform(Matrix.Scale(1.5, 4))
    update()
    after = [seen_field(bridge, name, size) for size in (1.0, 2.0)]
    assert [one.values.shape == other.values.shape for one, other in zip(before, after, strict=True)] == [False, False]
    assert [seen_field(bridge, name, size) for size in (1.0, 2.0)] == after


def test_the_grid_that_was_asked_for_longest_ago_gives_way(bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge.collision.fields, "_KEPT", 2)
    monkeypatch.setattr(bridge.collision.fields, "_known", {})
    one, two, three = (thing("cube", size=0.04) for _ in range(3))
    first, second = field(bridge, one, 0.01), field(bridge, two, 0.01)
    assert field(bridge, one, 0.01) is first
    field(bridge, three, 0.01)
    assert field(bridge, one, 0.01) is first
    assert field(bridge, two, 0.01) is not second


def with_key(block: Any) -> None:
    """A shape key that makes it wider from frame 1 to frame 10."""
    block.shape_key_add(name="Basis")
    wide = block.shape_key_add(name="Wide")
    for point in wide.data:
        point.co.x *= 1.5
    for frame, share in ((1, 0.0), (10, 1.0)):
        wide.value = share
        wide.keyframe_insert("value", frame=frame)
    bpy.context.scene.frame_set(1)  # type: ignore[union-attr]


def edit(block: Any) -> None:
    bpy.context.view_layer.objects.active = block  # type: ignore[union-attr]
    operators.object.mode_set(mode="EDIT")
    operators.mesh.select_all(action="SELECT")
    operators.transform.resize(value=(1.5, 1.0, 1.0))
    operators.object.mode_set(mode="OBJECT")


def solidify(block: Any) -> None:
    modifier = block.modifiers.new("Thick", "SOLIDIFY")
    modifier.thickness, modifier.offset = 0.1, 1.0


def exchange(block: Any) -> None:
    block.data = block.data.copy()
    for vertex in block.data.vertices:
        vertex.co.x *= 1.5


def without_update(block: Any) -> None:
    for vertex in block.data.vertices:
        vertex.co.x *= 1.5


@pytest.mark.parametrize("change", [edit, solidify, exchange, without_update, None])
def test_a_mesh_that_changes_in_any_way_is_sampled_again(bridge: Any, change: Any) -> None:
    block = thing("cube", size=0.2)
    if change is None:
        with_key(block)
    update()
    operators.ed.undo_push(message="before")
    name, before = block.name, seen_field(bridge, block.name).values.copy()
    if change is None:
        bpy.context.scene.frame_set(10)  # type: ignore[union-attr]
    else:
        change(block)
        update()
    after = seen_field(bridge, name).values.copy()
    assert after.shape != before.shape or np.abs(after - before).max() > 0.02
    if change is None:
        bpy.context.scene.frame_set(1)  # type: ignore[union-attr]
        assert_allclose(seen_field(bridge, name).values, before, atol=1e-6)
        return
    operators.ed.undo_push(message="after")
    operators.ed.undo()
    assert_allclose(seen_field(bridge, name).values, before, atol=1e-6)
    operators.ed.redo()
    assert_allclose(seen_field(bridge, name).values, after, atol=1e-6)


def test_a_mesh_that_loses_its_faces_does_not_pass_for_the_one_before(bridge: Any, standing: Any) -> None:
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    relation(standing, "COLLISION", against="MESH", thing=block)
    drag(bridge, standing, "hand.L", (0, -0.3, 0))
    assert not solved(bridge, standing).relations[0].trouble
    block.data.clear_geometry()
    for step in (0.29, 0.28):
        drag(bridge, standing, "hand.L", (0, -step, 0))
        assert "has no faces" in solved(bridge, standing).relations[0].trouble


def test_a_mesh_that_is_edited_while_a_hand_is_pressed_onto_it_moves_the_hand(standing: Any) -> None:
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    target = thing("empty", place(standing, "hand.L", 0) + Vector((0, -0.3, 0)))
    goal(standing, "hand.L", target=target, state="FOLLOWING")
    relation(standing, "COLLISION", against="MESH", thing=block)
    update()
    before = shown(standing)
    block.data.transform(Matrix.Scale(1.5, 4))
    update()
    assert np.abs(shown(standing) - before).max() > 0.02
    block.data.transform(Matrix.Scale(1 / 1.5, 4))
    update()
    assert_allclose(shown(standing), before, atol=1e-3)


def test_an_open_mesh_has_no_inside_and_a_torn_one_keeps_its_own(bridge: Any) -> None:
    corners = [(-0.1, -0.1, 0), (0.1, -0.1, 0), (0.1, 0.1, 0), (-0.1, 0.1, 0)]
    known = field(bridge, sheet(corners, [(0, 1, 2, 3)]))
    assert known.values.min() >= 0.0
    torn = thing("ico_sphere", subdivisions=3, radius=0.1)
    mesh = torn.data
    kept = [tuple(one.vertices) for one in mesh.polygons][1:]  # a face is missing
    again = sheet([tuple(one.co) for one in mesh.vertices], kept)
    assert value(field(bridge, again), (0, 0, 0)) == pytest.approx(-0.1, abs=0.02)


def test_a_mesh_that_is_too_large_for_a_grid_is_told(bridge: Any, standing: Any) -> None:
    relation(standing, "COLLISION", against="MESH", thing=thing("plane", size=200.0))
    drag(bridge, standing, "hand.L", (-0.1, 0, 0))
    assert "too large" in solved(bridge, standing).relations[0].trouble


@pytest.mark.usefixtures("bridge")
def test_shapes_fit_the_skin_of_a_person(tmp_path: Path) -> None:
    owner = load("makehuman_game_engine.glb", tmp_path)
    assert call.shapes_fit("EXEC_DEFAULT") == {"FINISHED"}
    found = {one.bone: one for one in owner.posewright_shapes}
    for bone, least, most in (("thigh_l", 0.05, 0.09), ("lowerarm_l", 0.02, 0.04), ("head", 0.06, 0.1)):
        assert least < found[bone].radius < most
        assert found[bone].radius == pytest.approx(found[bone.replace("_l", "_r")].radius, rel=0.02)
    limb = found["thigh_l"]
    along = (limb.end - limb.start).normalized()
    assert abs(along.y) > 0.98  # the bone's own axis
    assert not any("index" in bone for bone in found)  # fingers belong to the hand
    tip = found["hand_l"].end.length + found["hand_l"].radius
    assert tip > 0.12


def test_shapes_of_selected_bones_are_added_to_the_others(bridge: Any, tmp_path: Path) -> None:
    owner = load("makehuman_game_engine.glb", tmp_path)
    call.shapes_fit("EXEC_DEFAULT")
    before = len(owner.posewright_shapes)
    bridge.selection._holder(owner.pose.bones["index_01_l"]).select = True
    for bone in owner.pose.bones:
        bridge.selection._holder(bone).select = bone.name == "index_01_l"
    operators.object.mode_set(mode="POSE")
    assert call.shapes_fit("EXEC_DEFAULT", selected=True) == {"FINISHED"}
    assert len(owner.posewright_shapes) == before + 1
    assert 0.005 < owner.posewright_shapes["index_01_l"].radius < 0.015


def test_without_a_skin_shapes_are_along_the_bones(bridge: Any) -> None:
    owner = figure()
    assert call.shapes_fit("EXEC_DEFAULT") == {"FINISHED"}
    found = {one.bone: one for one in owner.posewright_shapes}
    assert set(found) == {bone.name for bone in owner.data.bones}
    assert 0.0 < found["leg.L"].radius < 0.15
    assert bridge.collision.shapes.stored(owner)


@pytest.mark.parametrize("only", [(), ("arm.L", "forearm.L")])
def test_keys_of_shapes_go_with_their_bones_when_shapes_are_fitted_anew(bridge: Any, only: Any) -> None:
    owner = figure(".L")
    for bone in ("hand.L", "arm.L", "arm.L", "leg.L"):
        shape(owner, bone)
    for index, radius in ((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)):
        owner.posewright_shapes[index].radius = radius
        owner.posewright_shapes[index].keyframe_insert("radius", frame=1)
    bridge.collision.editing.fit(owner, only)
    places = {one.bone: index for index, one in enumerate(owner.posewright_shapes)}
    assert len(places) == len(owner.posewright_shapes)
    wanted = {"hand.L": 0.1, "arm.L": 0.2, "leg.L": 0.4}
    assert keyed(bridge, owner) == {f"posewright_shapes[{places[bone]}].radius": one for bone, one in wanted.items()}


@pytest.mark.usefixtures("bridge")
def test_the_list_of_shapes() -> None:
    owner = figure()
    assert call.shape_add("EXEC_DEFAULT", bone="hand.L") == {"FINISHED"}
    assert call.shape_add("EXEC_DEFAULT", bone="hand.L") == {"FINISHED"}
    assert len({one.name for one in owner.posewright_shapes}) == 2
    assert call.shape_remove("EXEC_DEFAULT") == {"FINISHED"}
    assert [one.bone for one in owner.posewright_shapes] == ["hand.L"]
    with pytest.raises(RuntimeError, match="no bone 'nose'"):
        call.shape_add("EXEC_DEFAULT", bone="nose")


@pytest.mark.parametrize("against", SOLIDS)
def test_a_bake_is_what_was_seen_with_an_obstacle_that_moves(bridge: Any, against: str) -> None:
    owner = moving_hand(bridge, figure(".L"))
    shape(owner, "hand.L")
    kind, given = SOLIDS[against]
    block = thing(kind, (0.75, -0.2, 1.4), **given)
    key(block, "location", {FIRST: (0.75, -0.2, 1.2), LAST: (0.75, -0.2, 1.6)})
    relation(owner, "COLLISION", against=against, thing=block)
    update()
    live = seen(owner)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner), live)


def test_off_a_mesh_with_a_keyed_gap_scrubbing_either_way_and_a_bake_are_the_same(bridge: Any) -> None:
    owner = moving_hand(bridge, figure(".L"))
    shape(owner, "hand.L")
    block = thing("cube", (0.35, -0.45, 1.2), size=0.3, rotation=(0.3, 0.2, 0.1))
    made = relation(owner, "COLLISION", against="MESH", thing=block)
    for frame, gap in ((FIRST, 0.0), (LAST, 0.3)):
        made.gap = gap
        made.keyframe_insert("gap", frame=frame)
    scene().frame_set(FIRST)  # else the widest gap is seen first
    live = seen(owner)
    same(seen(owner, range(LAST, FIRST - 1, -1)), live, 1e-5)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner), live)


def test_a_collision_and_a_wire_hold_the_same_pose_when_the_file_is_opened_again(
    bridge: Any, standing: Any, tmp_path: Path
) -> None:
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    relation(standing, "COLLISION", against="MESH", thing=block)
    relation(standing, "WIRE", ["spine", "hand.L"], length=0.72)
    goal(standing, "hand.L", target=thing("empty", place(standing, "hand.L", 0) + Vector((0.1, -0.3, 0))))
    update()
    free = shown(standing)
    standing.posewright_goals[1].state = "FOLLOWING"
    update()
    before = shown(standing)
    assert np.abs(before - free).max() > 0.05
    assert off(bridge, standing, 1) > 0.05
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    update()
    again: Any = bpy.data.objects["Figure"]
    again.update_tag()
    update()
    assert_allclose(shown(again), before, atol=1e-4)
    assert [solved(bridge, again).relations[row].reached for row in (0, 1)] == [True, True]
    for row in (1, 0):  # both hold it
        again.posewright_relations[row].mute = True
        update()
        assert np.abs(shown(again) - before).max() > MILLIMETRE
        before = shown(again)


def key(what: Any, name: str, values: dict[int, Any]) -> None:
    """Key something of an object, or of what is stored with one."""
    for frame, value in values.items():
        setattr(what, name, value)
        what.keyframe_insert(name, frame=frame)


@pytest.mark.parametrize("how", ["deforms", "is scaled", "gets softer"])
def test_a_bake_is_what_was_seen_with_a_mesh_that_changes(bridge: Any, how: str) -> None:
    owner = moving_hand(bridge, figure(".L"))
    shape(owner, "hand.L")
    block = thing("cube", (0.6, -0.3, 1.3), size=0.2)
    made = relation(owner, "COLLISION", against="MESH", thing=block)
    if how == "deforms":
        with_key(block)
    elif how == "is scaled":
        key(block, "scale", {FIRST: (1, 1, 1), LAST: (1, 1, 2)})
    else:
        key(made, "softness", {FIRST: 0.001, LAST: 0.03})
    update()
    live = seen(owner)
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner), live)


def test_a_bake_is_what_was_seen_of_a_body_that_keeps_off_itself(bridge: Any) -> None:
    owner = moving_hand(bridge, figure(".L"))
    target = bpy.data.objects["Target"]
    target.animation_data_clear()
    key(target, "location", {FIRST: (0.7, 0, 1.45), LAST: (0.12, -0.02, 0.75)})
    shape(owner, "hand.L")
    shape(owner, "leg.L", 0.08)
    pin(bridge, owner, "leg.L")
    relation(owner, "COLLISION", against="SELF")
    scene().frame_start = 6
    update()
    live = seen(owner, range(6, LAST + 1))
    assert off(bridge, owner, 0) > 0.02, "else nothing pushes"
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner, live), live)


@pytest.mark.parametrize("against", ["BOX", "MESH"])
@pytest.mark.parametrize("pelvis", ["pinned", "free"])
def test_a_pinned_hand_holds_in_a_bake_against_what_moves_into_it(bridge: Any, against: str, pelvis: str) -> None:
    owner = figure(".L")
    if pelvis == "pinned":
        pin(bridge, owner, "pelvis")
    hand = pin(bridge, owner, "hand.L")
    shape(owner, "hand.L")
    block = thing("cube", (0.75, -0.3, 1.45), size=0.2)
    key(block, "location", {FIRST: (0.75, -0.3, 1.45), LAST: (0.75, 0.02, 1.45)})
    relation(owner, "COLLISION", against=against, thing=block)
    scene().frame_start, scene().frame_end = FIRST, LAST
    scene().frame_set(FIRST)
    update()
    live = seen(owner)
    assert not solved(bridge, owner).relations[0].reached, "else the pin is not in the way"
    assert call.bake("EXEC_DEFAULT") == {"FINISHED"}
    same(seen(owner), live)
    for frame in live:
        scene().frame_set(frame)
        assert off(bridge, owner, hand) < MILLIMETRE, frame


def test_collisions_and_shapes_of_an_override_are_there_again(bridge: Any, tmp_path: Path) -> None:
    owner = overridden(tmp_path, bridge)
    shape(owner, "hand.L")
    ball = thing("uv_sphere", (0.75, -0.3, 1.45), radius=0.1)
    relation(owner, "COLLISION", against="SPHERE", thing=ball, gap=0.02)
    again = reopened(tmp_path)
    assert [(one.name, round(one.radius, 4)) for one in again.posewright_shapes] == [("hand.L", RADIUS)]
    made = again.posewright_relations[0]
    assert (made.kind, made.against, made.thing.type, round(made.gap, 4)) == ("COLLISION", "SPHERE", "MESH", 0.02)


def test_undo_takes_a_collision_back_with_what_it_did(bridge: Any, standing: Any) -> None:
    shape(standing, "leg.L", 0.08)
    pin(bridge, standing, "leg.L")
    goal(standing, "hand.L", target=thing("empty", (0.12, -0.1, 0.75)), state="FOLLOWING")
    update()
    bpy.ops.ed.undo_push(message="inside")
    inside = shown(standing)
    call.collide("EXEC_DEFAULT", against="SELF")
    update()
    bpy.ops.ed.undo_push(message="outside")
    outside = shown(standing)
    assert np.abs(outside - inside).max() > 0.01
    bpy.ops.ed.undo()
    owner: Any = bpy.data.objects["Figure"]
    update()
    assert not len(owner.posewright_relations)
    assert_allclose(shown(owner), inside, atol=1e-4)
    bpy.ops.ed.redo()
    owner = bpy.data.objects["Figure"]
    update()
    assert_allclose(shown(owner), outside, atol=1e-4)


def test_shapes_are_drawn_where_they_are_and_those_that_touch_are_told_apart(
    bridge: Any, standing: Any, add_on: ModuleType
) -> None:
    shape(standing, "leg.L", 0.08)
    shape(standing, "gone")
    pin(bridge, standing, "leg.L")
    relation(standing, "COLLISION", against="SELF")

    def strands() -> list[Any]:
        found = add_on.ui.shapes.Shapes()
        add_on.ui.shapes.add_character(found, standing, None, bpy.context.scene.unit_settings)  # type: ignore[union-attr]
        return list(found.strands)

    update()
    first = strands()
    assert {one.role.name for one in first} == {"BODY"}
    middle = place(standing, "hand.L", 0.5)
    far = [(point - middle).length for one in first[:4] for point in one.places]
    assert max(far) == pytest.approx(0.05 + RADIUS, abs=1e-3)
    assert min(far) >= RADIUS - 1e-4
    drag(bridge, standing, "hand.L", (-0.63, -0.02, -0.7))
    assert {one.role.name for one in strands()} == {"TOUCHES"}
    standing.posewright_show_shapes = False
    assert not strands()


def test_the_panels_show_what_is_wrong(bridge: Any, standing: Any) -> None:
    relation(standing, "COLLISION", against="BOX")
    shape(standing, "gone")
    drag(bridge, standing, "hand.L", (-0.1, 0, 0))
    assert "choose what the body keeps off" in red("Relations")
    standing.posewright_active_shape = 0
    assert "no bone" not in red("Body Shapes")
    standing.posewright_active_shape = 1
    assert "no bone 'gone'" in red("Body Shapes")


def test_a_scaled_and_turned_character_keeps_off_as_well(bridge: Any) -> None:
    owner = figure(".L")
    owner.matrix_world = Matrix.Translation((2, 1, 0)) @ Matrix.Rotation(1.0, 4, "Z") @ Matrix.Scale(0.1, 4)
    pin(bridge, owner, "pelvis")
    shape(owner, "hand.L")
    update()
    block = thing("cube", owner.matrix_world @ Vector((0.75, -0.3, 1.45)), size=0.02)
    block.rotation_euler = (0, 0, 1.0)
    relation(owner, "COLLISION", against="BOX", thing=block)
    begin = place(owner, "hand.L", 0)
    drag(bridge, owner, "hand.L", owner.matrix_world.to_3x3() @ Vector((0, -0.3, 0)))
    assert solved(bridge, owner).relations[0].reached
    inverse = block.matrix_world.inverted()
    inside = [np.array(inverse @ place(owner, "hand.L", along)) for along in np.linspace(0, 1, 51)]
    nearest = min(np.linalg.norm(np.maximum(np.abs(one) - 0.01, 0.0)) for one in inside)
    assert 0.0045 < nearest < 0.0065
    assert (place(owner, "hand.L", 0) - begin).length > 0.005
