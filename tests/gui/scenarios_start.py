"""The first minutes with the add-on: it is there, it compiles without getting in the way, it says how that went."""

import time
from typing import Any

import bpy

STATE = "posewright_solvers"


def session() -> Any:
    return bpy.context.window_manager


def test_solvers_end_up_compiled_and_the_panel_says_so(hand: Any) -> Any:
    yield from hand.until(lambda: getattr(session(), STATE) not in {"UNKNOWN", "COMPILING"}, "the solvers")
    yield from hand.sidebar("Posewright")
    yield from hand.picture("panel-compiled")
    assert getattr(session(), STATE) == "COMPILED", session().posewright_solvers_note


def drag_and_undo(hand: Any) -> Any:
    """Grab the cube, move it, confirm, undo. Returns the longest time between two steps of the drag, in ms."""
    cube = bpy.data.objects["Cube"].location.copy()
    region = next(region for region in hand.area().regions if region.type == "WINDOW")
    x, y = region.x + region.width // 3, region.y + region.height // 2
    yield from hand.move(x, y)
    yield from hand.press("G")
    longest, last = 0.0, time.perf_counter()
    for step in range(1, 21):
        yield from hand.move(x + 5 * step, y + 3 * step)
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
    yield from hand.press("LEFTMOUSE")
    yield from hand.rest()
    assert (bpy.data.objects["Cube"].location - cube).length > 0.1, "the cube did not move"
    yield from hand.undo()
    assert (bpy.data.objects["Cube"].location - cube).length < 1e-6, "one undo did not put the cube back"
    return round(1000 * longest)


def test_compiling_leaves_the_viewport_free(hand: Any) -> Any:
    """A drag and its undo by real events, without and with a child that compiles."""
    operators: Any = bpy.ops
    hand.notes["longest step of a drag, ms"] = yield from drag_and_undo(hand)
    assert operators.posewright.compile_solvers() == {"FINISHED"}
    yield from hand.until(lambda: getattr(session(), STATE) == "COMPILING", "the compile to begin", 10)
    yield from hand.picture("panel-compiling")
    hand.notes["while compiling, ms"] = yield from drag_and_undo(hand)
    hand.notes["still compiling after it"] = getattr(session(), STATE) == "COMPILING"
    yield from hand.until(lambda: getattr(session(), STATE) == "COMPILED", "the compile to end")


def test_the_reason_is_shown_where_the_solvers_cannot_be_compiled(hand: Any) -> Any:
    """As it looks on a machine where numba breaks: the panel in words, with the button that tries again."""
    package = __import__("sys").modules["bl_ext.user_default.posewright"]
    reason = "numba could not be loaded: libLLVM.so: cannot open shared object file: No such file or directory"
    package.bridge.compilation._conclude(package.compile_ahead.Outcome(reason))
    yield from hand.picture("panel-interpreted")
    bpy.ops.posewright.compile_solvers()  # type: ignore[attr-defined]
    yield from hand.until(lambda: getattr(session(), STATE) == "COMPILED", "the second try")


def test_the_add_on_can_be_switched_off_and_on(hand: Any) -> Any:
    bpy.ops.preferences.addon_disable(module="bl_ext.user_default.posewright")
    yield from hand.rest()
    assert not hasattr(session(), STATE)
    bpy.ops.preferences.addon_enable(module="bl_ext.user_default.posewright")
    yield from hand.until(lambda: getattr(session(), STATE) == "COMPILED", "the solvers")
