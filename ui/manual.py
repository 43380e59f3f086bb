"""Which page of the documentation is about what: F1 over a button, or Online Manual in its menu, opens that page."""

from contextlib import ExitStack

import bpy

from ..operators.open_docs import FOLDER

# What Blender calls a button: the page that is about it. The first that fits counts.
PAGES = (
    ("bpy.ops.posewright.add_mannequin*", "index"),
    ("bpy.ops.posewright.bake*", "baking"),
    ("bpy.ops.posewright.balance*", "balance"),
    ("bpy.ops.posewright.collide*", "collision"),
    ("bpy.ops.posewright.compile_solvers*", "troubleshooting"),
    ("bpy.ops.posewright.contact*", "feet"),
    ("bpy.ops.posewright.couple*", "relations"),
    ("bpy.ops.posewright.feet*", "feet"),
    ("bpy.ops.posewright.find_frozen*", "set_up"),
    ("bpy.ops.posewright.follow_motion*", "motion"),
    ("bpy.ops.posewright.goals_from_action*", "motion"),
    ("bpy.ops.posewright.goal*", "goals"),
    ("bpy.ops.posewright.habits*", "joints"),
    ("bpy.ops.posewright.hold*", "relations"),
    ("bpy.ops.posewright.joint*", "joints"),
    ("bpy.ops.posewright.learn*", "joints"),
    ("bpy.ops.posewright.limits*", "joints"),
    ("bpy.ops.posewright.place_feet*", "feet"),
    ("bpy.ops.posewright.relation*", "relations"),
    ("bpy.ops.posewright.restore_constraints*", "set_up"),
    ("bpy.ops.posewright.search_report*", "variations"),
    ("bpy.ops.posewright.set_up*", "set_up"),
    ("bpy.ops.posewright.shape*", "collision"),
    ("bpy.ops.posewright.snap_and_mute*", "set_up"),
    ("bpy.ops.posewright.sole*", "feet"),
    ("bpy.ops.posewright.vary*", "variations"),
    ("bpy.ops.posewright.wire*", "relations"),
    ("bpy.ops.posewright.*", "posing"),
    ("bpy.types.*.posewright_bake*", "baking"),
    ("bpy.types.*.posewright_feet*", "feet"),
    ("bpy.types.*.posewright_overlay*", "overlay"),
    ("bpy.types.*.posewright_habit*", "joints"),
    ("bpy.types.*.posewright_search*", "variations"),
    ("bpy.types.*.posewright_show_shapes*", "collision"),
    ("bpy.types.posewright_pg_goal*", "goals"),
    ("bpy.types.posewright_pg_joint*", "joints"),
    ("bpy.types.posewright_pg_relation*", "relations"),
    ("bpy.types.posewright_pg_role*", "set_up"),
    ("bpy.types.posewright_pg_shape*", "collision"),
    ("bpy.types.posewright_pg_*", "feet"),  # contacts and soles
    ("bpy.types.*.posewright_*", "posing"),
)


def pages() -> tuple[str, tuple[tuple[str, str], ...]]:
    """What Blender asks for: where pages are, and which is about what."""
    return f"{FOLDER.as_uri()}/", tuple((what, f"{page}.html") for what, page in PAGES)


def register(undo: ExitStack) -> None:
    """Have Blender ask us, too."""
    if FOLDER.is_dir():
        bpy.utils.register_manual_map(pages)
        undo.callback(bpy.utils.unregister_manual_map, pages)
