"""The first minutes with the add-on: it is there, it compiles without getting in the way, it says how that went."""

import gc
import importlib
import sys
import time
from types import FunctionType
from typing import Any

import bpy

STATE = "posewright_solvers"


ADD_ON = "bl_ext.user_default.posewright"


def package() -> Any:
    return sys.modules[ADD_ON]


def timers() -> list[str]:
    """The timers of the add-on that are running."""
    functions = [item for item in gc.get_objects() if isinstance(item, FunctionType)]
    ours = [item for item in functions if item.__module__ and item.__module__.startswith(ADD_ON)]
    return [item.__qualname__ for item in ours if bpy.app.timers.is_registered(item)]


def session() -> Any:
    return bpy.context.window_manager


def test_solvers_end_up_compiled_and_the_panel_says_so(hand: Any) -> Any:
    yield from hand.compiled(lambda: getattr(session(), STATE) not in {"UNKNOWN", "COMPILING"})
    yield from hand.sidebar("Posewright")
    yield from hand.picture("panel-compiled")
    assert getattr(session(), STATE) == "COMPILED", session().posewright_solvers_note
    assert not timers()


def test_kernels_then_run_compiled_from_what_the_child_left(hand: Any) -> Any:
    solvers = importlib.import_module(f"{ADD_ON}.solvers")
    begun = time.perf_counter()
    solvers.Tree([solvers.Joint("hinge", motion=solvers.Hinge("x"))]).pose([1.0])
    hand.notes["first use of a kernel, ms"] = round(1000 * (time.perf_counter() - begun))
    assert package().compiled.problem() == ""
    stats = solvers.tree.forward.compiled.stats
    assert (len(stats.cache_hits), len(stats.cache_misses)) == (1, 0)
    yield


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


def test_where_compiling_fails_the_panel_says_why_and_offers_another_try(hand: Any) -> Any:
    """As it looks on a machine where numba breaks. The second try is broken off by switching the add-on off."""
    operators: Any = bpy.ops
    reason = "numba could not be loaded: libLLVM.so: cannot open shared object file: No such file or directory"
    package().bridge.compilation._conclude(package().compile_ahead.Outcome(reason))
    yield from hand.picture("panel-interpreted")
    operators.posewright.compile_solvers()
    yield from hand.until(lambda: getattr(session(), STATE) == "COMPILING", "the compile to begin", 10)
    process = package().bridge.compilation._state.child.process
    bpy.ops.preferences.addon_disable(module=ADD_ON)
    assert process.poll() is not None
    assert not timers()
    assert not hasattr(session(), STATE)
    yield from hand.rest()
    bpy.ops.preferences.addon_enable(module=ADD_ON)
    bpy.ops.preferences.addon_disable(module=ADD_ON)  # before its first timer has fired
    assert not timers()
    bpy.ops.preferences.addon_enable(module=ADD_ON)
    yield from hand.until(lambda: getattr(session(), STATE, "") == "COMPILING", "the compile to begin anew", 10)


def test_compiling_leaves_the_viewport_free_and_outlives_a_new_file(hand: Any) -> Any:
    """A drag and its undo by real events, with a child that compiles, begun just before, and without; File > New."""
    assert getattr(session(), STATE) == "COMPILING", "the scenario before this one has left no compile that goes on"
    hand.notes["longest step of a drag while compiling, ms"] = yield from drag_and_undo(hand)
    hand.notes["still compiling after it"] = getattr(session(), STATE) == "COMPILING"
    yield from hand.picture("panel-compiling")
    bpy.ops.wm.read_homefile()
    yield from hand.rest()
    assert getattr(session(), STATE) in {"COMPILING", "COMPILED"}
    yield from hand.compiled(lambda: getattr(session(), STATE) == "COMPILED", "the compile to end")
    bpy.ops.wm.read_homefile()
    yield from hand.rest()
    assert getattr(session(), STATE) == "COMPILED"
    hand.notes["without, ms"] = yield from drag_and_undo(hand)
    yield from hand.sidebar("Posewright")
