"""The overlay in the 3D view: when it is drawn, and its switch.

What it shows is in `shapes`, of relations in `related`, how in `paint`. Of placed feet it is in `footprints`, how in
`paint_feet`; of variations and the search for them in `ghosts`, how in `paint_ghosts`.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy

from ..properties import session
from . import footprints, ghosts, paint, paint_feet, paint_ghosts, related, shapes
from .footprints import Now
from .ghosts import Course
from .paint import View
from .paint_feet import Box
from .signs import Role, Shapes, Words

HEEL, BALL, TOE = 2, 4, 6  # the theme's collection colours of the parts of a sole; lists have icons of the same

_words: list[Words] = []  # what the geometry of a view, drawn just before, leaves to be written over it
_walks: list[Now] = []  # the same of previews of placed feet
_courses: list[Course] = []  # and of searches


def register(undo: ExitStack) -> None:
    """Begin to draw in every 3D view, and add the switch to the view's overlay settings."""
    space = bpy.types.SpaceView3D
    for draw, when in ((_draw_geometry, "POST_VIEW"), (_draw_words, "POST_PIXEL")):
        handle = space.draw_handler_add(draw, (), "WINDOW", when)
        undo.callback(space.draw_handler_remove, handle, "WINDOW")
    popover: Any = bpy.types.VIEW3D_PT_overlay_bones
    popover.append(draw_switch)
    undo.callback(popover.remove, draw_switch)
    undo.callback(_forget)


def draw_switch(panel: Any, context: bpy.types.Context) -> None:  # noqa: ANN401 - a menu's or a panel's own type
    """The switch, below Blender's own for bones."""
    panel.layout.prop(session(context), "posewright_overlay")


def _forget() -> None:
    _words.clear()
    _walks.clear()
    _courses.clear()
    paint.forget()
    paint_feet.forget()
    paint_ghosts.forget()
    related.forget()
    footprints.forget()
    ghosts.forget()


def _draw_geometry() -> None:
    _words.clear()
    _walks.clear()
    _courses.clear()
    context = bpy.context
    if not session(context).posewright_overlay:
        return
    with _one_failure_ends_it(context):
        if (shown := shapes.of_view(context)) is not None:
            paint.paint(_view_of(context), shown)
            _words.extend(shown.words)
        if walks := footprints.of_view(context):
            view = _view_of(context)
            paint_feet.paint(view, walks)
            paint.paint(view, Shapes(marks=[mark for walk in walks for mark in walk.marks]))
            _words.extend(words for walk in walks for words in walk.words)
            _walks.extend(walks)
        if figures := ghosts.of_view(context):
            paint_ghosts.paint(_view_of(context), figures)
        if session(context).posewright_search and (courses := ghosts.courses_of_view(context)):
            paint_ghosts.paint_ways(_view_of(context), courses)
            _courses.extend(courses)


def _draw_words() -> None:
    if _words or _walks or _courses:
        context = bpy.context
        with _one_failure_ends_it(context):
            view = _view_of(context)
            paint.write(view, _words)
            if _walks and context.scene is not None and session(context).posewright_feet_graph:
                paint_feet.write(view, _free(context), _walks[0], context.scene.unit_settings)
            if _courses:
                paint_ghosts.write(view, _free(context), _courses[0])
        _words.clear()
        _walks.clear()
        _courses.clear()


def _free(context: bpy.types.Context) -> Box:
    """The part of the view that is not under a toolbar, the sidebar or a shelf."""
    area, window = context.area, context.region
    assert area is not None
    assert window is not None
    left, low, right = 0, 0, window.width
    for region in area.regions:
        if region.type == "WINDOW" or min(region.width, region.height) <= 1:
            continue
        if region.alignment == "LEFT":
            left = max(left, region.x + region.width - window.x)
        elif region.alignment == "RIGHT":
            right = min(right, region.x - window.x)
        elif region.alignment == "BOTTOM":
            low = max(low, region.y + region.height - window.y)
    return Box(left, low, right, window.height)


@contextmanager
def _one_failure_ends_it(context: bpy.types.Context) -> Iterator[None]:
    """An error switches the overlay off and is said once: it would come again with every redraw."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is
        stored = session(context)
        stored.posewright_overlay = False
        stored.posewright_overlay_note = f"{type(error).__name__}: {error}"


def _view_of(context: bpy.types.Context) -> View:
    region, viewer, preferences = context.region, context.region_data, context.preferences
    assert region is not None
    assert viewer is not None
    assert preferences is not None
    system, theme = preferences.system, preferences.themes[0]
    return View(
        (region.width, region.height),
        viewer.view_matrix,
        viewer.window_matrix,
        system.ui_scale,
        system.pixel_size,
        colours(theme),
        _colour(theme.view_3d.space.text_hi),
        _colour(theme.view_3d.wire),
    )


def colours(theme: bpy.types.Theme) -> dict[Role, paint.Colour]:
    """The colours of roles: calm where all is well, warning where it is not."""
    view, interface = theme.view_3d, theme.user_interface
    chosen = {
        Role.IDLE: view.bone_pose,
        Role.PINNED: interface.gizmo_primary,
        Role.FOLLOWING: interface.gizmo_secondary,
        Role.DRAGGED: view.bone_pose_active,
        Role.OUT_OF_REACH: interface.axis_x,
        Role.STOPPED: view.object_active,
        Role.LIMIT: view.bone_pose,
        Role.SLACK: view.bone_pose,
        Role.TAUT: view.object_active,
        Role.HELD: interface.gizmo_primary,
        Role.BODY: view.bone_pose,
        Role.TOUCHES: view.object_active,
        Role.STANDS: interface.axis_y,
        Role.KEPT: view.object_active,
        Role.BEFORE: view.bone_solid,
        Role.AFTER: interface.gizmo_secondary,
        Role.HEEL: theme.collection_color[HEEL].color,
        Role.BALL: theme.collection_color[BALL].color,
        Role.TOE: theme.collection_color[TOE].color,
        Role.GHOST: view.bone_solid,
        Role.SHOWN: view.bone_pose_active,
        Role.BEGUN: view.object_active,
        Role.ENDED: view.bone_pose,
    }
    return {role: _colour(colour) for role, colour in chosen.items()}


def _colour(given: Any) -> paint.Colour:  # noqa: ANN401 - the stubs have another type for each
    red, green, blue = given[:3]
    return red, green, blue
