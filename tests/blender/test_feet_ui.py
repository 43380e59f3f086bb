"""Feet in the sidebar and in the 3D view: what the buttons do, why they are grey, what is shown; Esc and undo."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from .figures import channels, figure, update
from .test_sidebar import Paper, drawn, red, said

operators: Any = bpy.ops
call = operators.posewright
LAST = 24  # frames of the clip


@pytest.fixture
def rooms(bridge: Any, add_on: ModuleType) -> Any:
    """The whole package, as for `bridge`."""
    assert bridge
    return add_on


def clip_of(owner: Any) -> None:
    """The figure steps from one foot to the other on the spot, its toes on the ground, over some frames."""
    for frame in range(1, LAST + 1):
        turn = 0.5 * max(0.0, math.sin(2.0 * math.pi * frame / LAST))
        for side, bend in (("L", turn), ("R", 0.5 * max(0.0, -math.sin(2.0 * math.pi * frame / LAST)))):
            for bone, angle in ((f"leg.{side}", -bend), (f"shin.{side}", 2.0 * bend), (f"foot.{side}", -bend)):
                owner.pose.bones[bone].rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0)
                owner.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
    context: Any = bpy.context
    context.scene.frame_start, context.scene.frame_end = 1, LAST
    context.scene.frame_set(7)
    update()


@pytest.fixture
def owner(rooms: Any) -> Any:
    """A figure with a clip, set up, in Pose Mode; nothing is solved live."""
    found = figure()
    clip_of(found)
    call.set_up()
    found.posewright_live = False
    update()
    assert rooms
    return found


@pytest.fixture
def thing(owner: Any) -> Any:
    """A floor to be the ground."""
    context: Any = bpy.context
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata([(-9, -9, 0.1), (9, -9, 0.1), (9, 9, 0.1), (-9, 9, 0.1)], [], [(0, 1, 2, 3)])
    found = bpy.data.objects.new("Floor", mesh)
    context.scene.collection.objects.link(found)
    assert owner
    return found


def why_grey(name: str) -> str:
    found: Any = getattr(bpy.types, f"POSEWRIGHT_OT_{name}")
    return str(found.why_grey(bpy.context))


def contact(owner: Any, foot: str = "foot.L", part: str = "HEEL", first: int = 1, last: int = 9) -> Any:
    found = owner.posewright_contacts.add()
    found.name = f"{foot} {part} {first}"
    found.foot, found.part, found.first, found.last, found.by_hand = foot, part, first, last, False
    return found


def a_preview(rooms: Any, owner: Any, troubles: bool = False) -> Any:
    """One foot that goes 10 cm on each frame, on a ground that is missing below the third."""
    room = rooms.bridge.feet.preview
    before = np.array([[0.1, -0.1 * frame, 0.0] for frame in range(5)])
    after = before + np.array([0.0, 0.0, 0.2])
    sole = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, -0.2, 0.0], [0.0, -0.2, 0.0]])
    contacts = np.zeros((5, 3), bool)
    contacts[:2, 0] = contacts[3:, 1] = True
    heights = np.array([0.0, 0.1, math.nan, 0.05, 0.0])
    way = room.Way("foot.L", before, after, after[:, None] + sole, contacts, heights - 0.2, heights)
    prints = [room.Footprint("foot.L", 10, 11, sole, kept=False), room.Footprint("foot.L", 13, 14, sole, kept=True)]
    found = room.Preview(
        np.arange(10, 15), [way], prints, [room.Trouble(13, "left foot", "no ground")] if troubles else []
    )
    room.keep(owner, found)
    return found


def test_buttons_say_why_they_are_grey(rooms: Any) -> None:
    assert rooms
    found = figure()
    for name in ("feet_analyse", "feet_preview", "place_feet"):
        assert why_grey(name) == "'Figure' has no action: give it one, or bake what it does live"
    clip_of(found)
    for name in ("feet_analyse", "feet_preview", "place_feet"):
        assert not why_grey(name)
    found.posewright_feet_ground = "OBJECT"
    assert not why_grey("feet_analyse"), "contacts are found without a ground"
    for name in ("feet_preview", "place_feet"):
        assert why_grey(name) == "Choose the object that is the ground"
    found.posewright_feet_ground = "COLLECTION"
    assert why_grey("place_feet") == "Choose the collection that is the ground"
    assert why_grey("feet_compare") == why_grey("feet_back") == "The feet of 'Figure' were not placed yet"
    assert why_grey("contact_remove") == "'Figure' has no contacts yet: find them first"
    assert why_grey("sole_reset") == "'Figure' has no soles yet: find contacts first"
    assert not call.place_feet.poll()


def test_the_panel_shows_the_ground_that_was_chosen(owner: Any) -> None:
    assert "posewright_feet_own_height" in said("Feet")
    assert "posewright_feet_own_slope" in said("Feet")
    assert "posewright_feet_height" not in said("Feet")
    owner.posewright_feet_own_height = False
    assert "posewright_feet_height" in said("Feet")
    assert "posewright_feet_own_slope" not in said("Feet")
    for ground in ("OBJECT", "COLLECTION"):
        owner.posewright_feet_ground = ground
        assert f"posewright_feet_{ground.lower()}" in said("Feet")
    settings = next(notes for label, notes in drawn().items() if label == "Settings")
    assert not any("feet_first" in text for text, _ in settings)
    owner.posewright_feet_range = "CUSTOM"
    assert any("feet_first" in text for text, _ in drawn()["Settings"])


def test_each_contact_has_a_row_with_its_frames_in_the_order_of_time(owner: Any) -> None:
    contact(owner, "foot.R", "TOE", 20, 30)
    contact(owner, "foot.L", "HEEL", 1, 9)
    contact(owner, "foot.L", "BALL", 5, 3)
    rows = said("Contacts")
    assert "R toe 20–30" in rows
    assert "L heel 1–9" in rows
    assert "L ball 5–3" in red("Contacts"), "one that ends before it begins"
    kind: Any = bpy.types.POSEWRIGHT_UL_contacts  # type: ignore[attr-defined]
    flags, order = kind.filter_items(SimpleNamespace(filter_name=""), bpy.context, owner, "posewright_contacts")
    assert order == [2, 0, 1]
    flags, _ = kind.filter_items(SimpleNamespace(filter_name="left foot"), bpy.context, owner, "posewright_contacts")
    assert [bool(flag) for flag in flags] == [False, True, True]
    owner.posewright_contact_index = 2
    assert "It ends before it begins" in red("Contacts")


def test_a_rows_strip_is_where_its_frames_are_in_the_clip(rooms: Any, owner: Any) -> None:
    first, second = contact(owner, first=1, last=25), contact(owner, first=51, last=100)
    strip = rooms.ui.contacts.strip
    rows = owner.posewright_contacts
    assert strip(rows[0], rows) == (0.0, 0.25)
    assert strip(rows[1], rows) == (0.5, 1.0)
    second.first = second.last = 100
    begin, end = strip(rows[1], rows)
    assert 0.0 < begin < end <= 1.0, "a single frame is seen, too"
    assert first is not None


def test_a_contact_is_added_from_the_present_frame_on_and_removed(rooms: Any, owner: Any) -> None:
    assert rooms
    assert call.contact_add() == {"FINISHED"}
    made = owner.posewright_contacts[0]
    assert (made.foot, made.part, made.first, made.by_hand) == ("foot.L", "BALL", 7, True)
    assert made.last > made.first
    assert call.contact_add(foot="foot.R", part="TOE") == {"FINISHED"}
    assert owner.posewright_contact_index == 1
    assert call.contact_add() == {"FINISHED"}
    assert [(one.foot, one.part) for one in owner.posewright_contacts][2] == ("foot.R", "TOE"), "as the active one"
    assert len({one.name for one in owner.posewright_contacts}) == 3
    with pytest.raises(RuntimeError, match=r"has no foot 'foot\.X'"):
        call.contact_add(foot="foot.X")
    assert call.contact_remove(index=0) == {"FINISHED"}
    assert [one.part for one in owner.posewright_contacts] == ["TOE", "TOE"]
    with pytest.raises(RuntimeError, match="has no contact 5"):
        call.contact_remove(index=5)
    call.contact_remove()
    call.contact_remove()
    assert not len(owner.posewright_contacts)


def test_who_changes_a_contact_has_decided_it(owner: Any) -> None:
    found = contact(owner)
    assert not found.by_hand
    found.last = 12
    assert found.by_hand
    assert "By hand" in said("Contacts")


def test_markers_come_and_go(owner: Any) -> None:
    contact(owner, first=3, last=9)
    context: Any = bpy.context
    own = context.scene.timeline_markers.new("mine", frame=5)
    call.contact_markers()
    assert {one.frame for one in context.scene.timeline_markers} == {3, 5, 10}
    call.contact_markers(remove=True)
    assert [one.name for one in context.scene.timeline_markers] == [own.name]


def test_contacts_are_found_and_one_undo_takes_them_back(owner: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    assert call.feet_analyse("EXEC_DEFAULT", True) == {"FINISHED"}
    assert len(owner.posewright_contacts) > 0
    assert [one.name for one in owner.posewright_soles] == ["foot.L", "foot.R"]
    assert "Left foot" in said("Soles")
    assert not len(undone().posewright_contacts)


@pytest.mark.parametrize(
    ("button", "given"),
    [
        ("contact_add", {}),
        ("contact_remove", {}),
        ("contact_markers", {}),
        ("sole_reset", {}),
        ("place_feet", {}),
        ("feet_compare", {}),
        ("feet_back", {}),
    ],
)
def test_every_change_is_one_step_of_undo(owner: Any, thing: Any, button: str, given: dict[str, object]) -> None:
    owner.posewright_feet_ground, owner.posewright_feet_object = "OBJECT", thing
    call.place_feet()
    owner.posewright_soles[0].width_heel += 0.1
    owner.posewright_contacts[0].last += 1
    before = stored(owner)
    bpy.ops.ed.undo_push(message="before")
    assert getattr(call, button)("EXEC_DEFAULT", True, **given) == {"FINISHED"}
    assert stored(owner) != before
    assert stored(undone()) == before


def undone() -> Any:
    bpy.ops.ed.undo()
    update()
    return bpy.data.objects["Figure"]


def stored(owner: Any) -> list[Any]:
    """All that buttons change."""
    context: Any = bpy.context
    return [
        [(one.name, one.foot, one.part, one.first, one.last, one.by_hand) for one in owner.posewright_contacts],
        [(tuple(one.heel), one.width_heel, one.by_hand) for one in owner.posewright_soles],
        [(one.name, one.frame) for one in context.scene.timeline_markers],
        owner.animation_data.action.name,
        len(bpy.data.actions),
        owner.posewright_feet_report,
    ]


def test_a_preview_changes_no_pose_and_ends_with_its_button_an_undo_and_another_file(
    rooms: Any, owner: Any, thing: Any
) -> None:
    owner.posewright_feet_ground, owner.posewright_feet_object = "OBJECT", thing
    room = rooms.bridge.feet.preview
    before, action = channels(owner), owner.animation_data.action
    assert call.feet_preview() == {"FINISHED"}
    assert room.of(owner) is not None
    assert (channels(owner), owner.animation_data.action) == (before, action)
    assert "posewright_feet_graph" in said("Feet")
    call.feet_preview_end()
    assert room.of(owner) is None
    assert "posewright_feet_graph" not in said("Feet")
    bpy.ops.ed.undo_push(message="first")
    bpy.ops.ed.undo_push(message="second")
    a_preview(rooms, owner)
    bpy.ops.ed.undo()
    assert room.of(bpy.data.objects["Figure"]) is None
    a_preview(rooms, bpy.data.objects["Figure"])
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not room._kept


def test_feet_are_placed_compared_and_the_clip_comes_back(owner: Any, thing: Any, tmp_path: Path) -> None:
    owner.posewright_feet_ground, owner.posewright_feet_object = "OBJECT", thing
    clip = owner.animation_data.action
    assert call.place_feet() == {"FINISHED"}
    placed = owner.animation_data.action
    assert placed == owner.posewright_feet_placed
    assert placed != clip
    shown = said("Feet")
    assert f"{LAST} frames" in shown
    assert "Under the ground" in shown
    assert "After" in shown
    assert call.feet_compare() == {"FINISHED"}
    assert owner.animation_data.action == clip
    assert "Before" in said("Feet")
    call.feet_compare()
    assert owner.animation_data.action == placed
    call.feet_report(filepath=str(tmp_path / "feet.json"))
    assert json.loads((tmp_path / "feet.json").read_text())["frames"] == LAST
    call.feet_back()
    assert owner.animation_data.action == clip
    assert owner.posewright_feet_placed is None


def test_an_error_is_said_and_nothing_is_changed(owner: Any) -> None:
    empty = bpy.data.collections.new("Nothing")
    owner.posewright_feet_ground, owner.posewright_feet_collection = "COLLECTION", empty
    before, actions = channels(owner), len(bpy.data.actions)
    for button in (call.feet_preview, call.place_feet):
        with pytest.raises(RuntimeError, match="Nothing"):
            button()
    assert (channels(owner), len(bpy.data.actions)) == (before, actions)
    assert not len(owner.posewright_contacts)


@pytest.mark.parametrize("after", [1, 10, LAST + 2])
def test_a_job_that_is_stopped_half_way_leaves_everything_as_it_was(
    rooms: Any, owner: Any, thing: Any, after: int
) -> None:
    owner.posewright_feet_ground, owner.posewright_feet_object = "OBJECT", thing
    context: Any = bpy.context
    before = channels(owner), context.scene.frame_current, owner.animation_data.action, len(bpy.data.actions)
    steps = rooms.bridge.feet.job.place(context, owner)
    for _ in range(after):
        next(steps)
    steps.close()
    now = channels(owner), context.scene.frame_current, owner.animation_data.action, len(bpy.data.actions)
    assert now == before
    assert not len(owner.posewright_contacts)
    assert not len(owner.posewright_soles)


def test_while_a_job_goes_on_only_its_own_panel_shows_how_far_it_is(owner: Any) -> None:
    context: Any = bpy.context
    stored = context.window_manager
    assert owner
    stored.posewright_progress, stored.posewright_progress_words = 0.4, "frame 9"
    stored.posewright_progress_job = "posewright.place_feet"
    assert said("Feet") == "frame 9 Esc stops it"
    assert "Bake" in said("Bake")
    stored.posewright_progress_job = "posewright.bake"
    assert said("Bake").endswith("frame 9 Esc stops it")
    assert "posewright_bake_range" in said("Bake"), "the tab got shorter, and was scrolled away from the report"
    assert "Place Feet" in said("Feet")
    stored.posewright_progress_words = stored.posewright_progress_job = ""


def test_a_report_that_cannot_be_read_is_told(rooms: Any, owner: Any) -> None:
    for stored in ("", "no JSON", "{}", "[]", "[" * 100_000, '{"before": {}, "after": 3}'):
        paper = Paper()
        rooms.ui.feet.draw_report(paper, stored)
        assert [text for text, _ in paper.notes] == ["The stored report cannot be read"], stored[:200]
    assert owner


def test_a_click_on_a_trouble_shows_its_frame(owner: Any) -> None:
    context: Any = bpy.context
    assert owner
    assert call.feet_go_to(frame=13) == {"FINISHED"}
    assert context.scene.frame_current == 13


def test_what_is_shown_of_a_preview(rooms: Any, owner: Any) -> None:
    room = rooms.ui.footprints
    found = room.steps(a_preview(rooms, owner))
    assert [(one.role.name, one.first, one.last) for one in found.prints] == [("STANDS", 10, 11), ("KEPT", 13, 14)]
    assert [one.role.name for one in found.traces] == ["BEFORE", "AFTER"]
    assert found.traces[1].points[4] == pytest.approx((0.1, -0.4, 0.2))
    assert (found.first, found.last) == (10, 14)
    (lane,) = found.lanes
    assert lane.words == "Left foot"
    assert [(bar.role.name, bar.first, bar.last) for bar in lane.bars] == [("HEEL", 10, 11), ("BALL", 13, 14)]
    after = lane.curves[1]
    assert after.role.name == "AFTER"
    assert [[frame for frame, _ in piece] for piece in after.pieces] == [[10.0, 11.0], [13.0, 14.0]], (
        "no ground between"
    )
    assert (found.low, found.high) == (-0.05, 0.1), "what was deep before does not squash what is seen now"
    assert min(height for piece in lane.curves[0].pieces for _, height in piece) == found.low


def test_the_present_frame_shows_soles_as_they_will_be_and_troubles_are_marked(rooms: Any, owner: Any) -> None:
    room, preview = rooms.ui.footprints, a_preview(rooms, owner, troubles=True)
    steps = room.steps(preview)
    now = room.now(steps, preview, 12, 1.8)
    (ghost,) = now.ghosts
    assert ghost.role.name == "AFTER"
    assert ghost.outline[0] == pytest.approx((0.1, -0.2, 0.2))
    assert [ghost.role.name for ghost in room.now(steps, preview, 13, 1.8).ghosts] == ["STANDS"]
    assert [(mark.sign.name, mark.role.name) for mark in now.marks] == [
        ("RING", "BEFORE"),
        ("DOT", "AFTER"),
        ("JOINT", "KEPT"),
    ]
    assert [one.words for one in now.words] == ["no ground"]
    far = room.now(steps, preview, 99, 1.8)
    assert not far.ghosts
    assert not far.words
    assert [mark.sign.name for mark in far.marks] == ["JOINT"]


def test_feet_are_told_as_people_say_them(rooms: Any) -> None:
    words = rooms.ui.footprints.foot_words
    assert [words(role) for role in ("foot.L", "foot.R", "foot.2.L", "paw")] == [
        "Left foot",
        "Right foot",
        "Left foot 2",
        "paw",
    ]


# Paints a preview into an off-screen buffer, seen from above, and its graph; tells which colours came out where.
PAINT = """
import bpy, json, os, sys, tempfile, addon_utils
import gpu
import numpy as np
scene = bpy.context.scene
scene.render.engine = "BLENDER_WORKBENCH"
scene.render.resolution_x = scene.render.resolution_y = 16
scene.render.filepath = os.path.join(tempfile.mkdtemp(), "first.png")
bpy.ops.render.render(write_still=True)  # before Blender 5.2 there is no other way to a graphics context
addon_utils.enable({add_on!r})
package = sys.modules[{add_on!r}]
from mathutils import Matrix
footprints, paint, paint_feet, Role = (
    package.ui.footprints, package.ui.paint, package.ui.paint_feet, package.ui.shapes.Role)
room = package.bridge.feet.preview
sole = np.array([[-0.1, -0.1, 0.0], [0.1, -0.1, 0.0], [0.1, 0.1, 0.0], [-0.1, 0.1, 0.0]])
x = np.linspace(-0.8, 0.8, 5)
after = np.column_stack([x, np.full(5, 0.8), np.zeros(5)])
contacts = np.zeros((5, 3), bool); contacts[:3, 0] = True
heights = np.array([0.0, 0.1, 0.2, 0.1, 0.0])
way = room.Way("foot.L", after - (0, 0.2, 0), after, after[:, None] + sole, contacts, heights * 0.5, heights)
place = lambda x, y: sole + (x, y, 0)
preview = room.Preview(np.arange(1, 6), [way], [
    room.Footprint("foot.L", 1, 2, place(-0.5, 0.3), False), room.Footprint("foot.L", 3, 4, place(0.5, 0.3), True)], [])
walk = footprints.now(footprints.steps(preview), preview, 5, 0.1)
size = 400
view = Matrix(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, -5), (0, 0, 0, 1)))  # from above, X to the right, Y up
window = Matrix(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, -0.1, 0), (0, 0, 0, 1)))
red, green, blue, white = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)
yellow = (1.0, 1.0, 0.0)
colours = {{role: white for role in Role}} | {{
    Role.STANDS: green, Role.KEPT: red, Role.AFTER: blue, Role.HEEL: yellow}}
seen = paint.View((size, size), view, window, 1.0, 1.0, colours, white, (0.0, 0.0, 0.0))
free = paint_feet.Box(0, 0, size, size)
def draw():
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(view)
        gpu.matrix.load_projection_matrix(window)
        paint_feet.paint(seen, [walk])
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(Matrix(
            ((2 / size, 0, 0, -1), (0, 2 / size, 0, -1), (0, 0, -0.01, 0), (0, 0, 0, 1))))
        paint_feet.write(seen, free, walk, scene.unit_settings)
def made():
    return [one.cache_info().misses for one in paint_feet.MADE]
off = gpu.types.GPUOffScreen(size, size)
with off.bind():
    buffer = gpu.state.active_framebuffer_get()
    buffer.clear(color=(0.0, 0.0, 0.0, 1.0), depth=1.0)
    state = gpu.state.depth_test_get(), gpu.state.depth_mask_get()
    draw()
    before = made()
    draw()
    new = [two - one for one, two in zip(before, made())]
    same = state == (gpu.state.depth_test_get(), gpu.state.depth_mask_get())
    pixels = buffer.read_color(0, 0, size, size, 4, 0, "UBYTE").to_list()
def count(x0, x1, y0, y1, colour):
    columns = range(int((x0 + 1) * size / 2), int((x1 + 1) * size / 2))
    rows = range(int((y0 + 1) * size / 2), int((y1 + 1) * size / 2))
    return sum(all((pixels[r][c][i] > 100) == (colour[i] > 0.5) for i in range(3)) for r in rows for c in columns)
answer = dict(
    stands=count(-0.65, -0.35, 0.15, 0.45, green),
    kept=count(0.35, 0.65, 0.15, 0.45, red),
    ways=[count(-0.7, 0.6, y - 0.03, y + 0.03, colour) for y, colour in ((0.8, blue), (0.6, white))],
    graph=count(-1, 1, -1, -0.3, blue),
    bars=[count(-1, 0, -1, -0.3, yellow), count(0.4, 1, -1, -0.5, yellow)],
    elsewhere=count(-1, 1, -0.1, 0.1, blue) + count(-1, 1, -0.1, 0.1, white),
    same=same,
    new=sum(new),
)
print("ANSWER", json.dumps(answer), flush=True)
os._exit(0)
"""


def test_a_preview_and_its_graph_are_painted_where_they_belong(installed: str) -> None:
    """In a Blender of its own: a machine without EGL cannot make a picture at all, and Blender aborts."""
    run = subprocess.run(
        [sys.executable, "-c", PAINT.format(add_on=installed)],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lines = [line for line in run.stdout.splitlines() if line.startswith("ANSWER")]
    assert lines, run.stdout + run.stderr
    answer = json.loads(lines[-1].removeprefix("ANSWER"))
    assert answer["stands"] > 100
    assert answer["kept"] > 100
    assert min(answer["ways"]) > 150
    assert answer["graph"] > 150
    assert answer["bars"][0] > 100
    assert answer["bars"][1] == 0, "no heel touches the ground in the second half"
    assert answer["elsewhere"] == 0
    assert answer["new"] == 0, "a second redraw made something new"
    assert answer["same"], "the state of the graphics card was changed"
