"""The overlay in the 3D view: when it is drawn, and its switch. What it shows is in `shapes`, how in `paint`."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy

from ..properties import session
from . import paint, shapes
from .paint import View
from .shapes import Role, Words

_words: list[Words] = []  # what the geometry of a view, drawn just before, leaves to be written over it


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
    paint.forget()


def _draw_geometry() -> None:
    _words.clear()
    context = bpy.context
    if not session(context).posewright_overlay:
        return
    with _one_failure_ends_it(context):
        if (shown := shapes.of_view(context)) is not None:
            paint.paint(_view_of(context), shown)
            _words.extend(shown.words)


def _draw_words() -> None:
    if _words:
        context = bpy.context
        with _one_failure_ends_it(context):
            paint.write(_view_of(context), _words)
        _words.clear()


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
    }
    return {role: _colour(colour) for role, colour in chosen.items()}


def _colour(given: Any) -> paint.Colour:  # noqa: ANN401 - the stubs have another type for each
    red, green, blue = given[:3]
    return red, green, blue
