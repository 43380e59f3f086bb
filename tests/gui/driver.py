"""Runs inside Blender: plays the scenarios of one file by simulated mouse and keys and notes how each ended.

    blender --enable-event-simulate --python driver.py -- SCENARIOS.py FOLDER

A scenario is a generator named `test_...` that is given a `Hand` and yields wherever Blender must handle an event.
"""

import importlib
import json
import sys
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy

Steps = Generator[float | None, None, None]  # seconds to sleep before the next step, if any
TICK = 0.05  # seconds between two steps
ASLEEP = 0.5  # seconds that Blender does nothing at all: with simulated events it else takes a core while it waits


class Hand:
    """The animator's hand and eye: moves, presses, waits, looks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: dict[str, object] = {}  # figures to report
        self.at = (0, 0)
        self.skipped = ""  # why a scenario cannot be played here
        self.clicks = 0  # how often a button of the mouse was pressed

    @property
    def window(self) -> Any:
        context: Any = bpy.context  # references do not survive an undo: look it up each time
        return context.window_manager.windows[0]

    def area(self, kind: str = "VIEW_3D") -> Any:
        return next(area for area in self.window.screen.areas if area.type == kind)

    def event(self, kind: str, value: str, **modifiers: bool) -> Steps:
        self.clicks += kind in {"LEFTMOUSE", "RIGHTMOUSE", "MIDDLEMOUSE"} and value == "PRESS"
        self.window.event_simulate(type=kind, value=value, x=self.at[0], y=self.at[1], **modifiers)
        yield None

    def move(self, x: int, y: int) -> Steps:
        self.at = (x, y)
        yield from self.event("MOUSEMOVE", "NOTHING")

    def press(self, kind: str, **modifiers: bool) -> Steps:
        yield from self.event(kind, "PRESS", **modifiers)
        yield from self.event(kind, "RELEASE", **modifiers)

    def undo(self) -> Steps:
        yield from self.press("Z", ctrl=True)
        yield from self.rest()

    def rest(self, ticks: int = 4) -> Steps:
        for _ in range(ticks):
            yield None

    def until(
        self, condition: Callable[[], bool], what: str, seconds: float = 300.0, nap: float | None = None
    ) -> Steps:
        begun = time.monotonic()
        while not condition():
            waited = time.monotonic() - begun
            assert waited < seconds, f"waited {seconds:.0f} s for {what}"
            yield nap

    def compiled(self, condition: Callable[[], bool], what: str = "the solvers") -> Steps:
        """Wait for a compile, which another process does, for as long as a busy machine needs."""
        yield from self.until(condition, what, 900.0, ASLEEP)

    def sidebar(self, tab: str) -> Steps:
        """Open the 3D view's sidebar at a tab."""
        self.area().spaces.active.show_region_ui = True
        yield from self.rest()
        region = next(region for region in self.area().regions if region.type == "UI")
        region.active_panel_category = tab
        self.area().tag_redraw()
        yield from self.rest()

    def find_button(self, command: str, across: float = 0.5) -> Steps:
        """Put the mouse on the button of the sidebar that runs a command, by looking what is under it from the top.

        It is looked for at some part of the sidebar's width.
        """
        context: Any = bpy.context
        copy: Any = bpy.ops.ui.copy_python_command_button
        region = next(region for region in self.area().regions if region.type == "UI")
        for down in range(4, region.height, 8):
            yield from self.move(region.x + round(across * region.width), region.y + region.height - down)
            context.window_manager.clipboard = ""
            with context.temp_override(window=self.window, area=self.area(), region=region):
                if copy.poll():
                    copy()
            if command in context.window_manager.clipboard:
                return
        raise AssertionError(f"no button in the sidebar runs {command}")

    def picture(self, name: str, box: tuple[int, int, int, int] | None = None) -> Steps:
        """Ask the process outside for a picture of the screen: Blender's own is black on a virtual one.

        Of a part of the window only, if its left, bottom, right and top are given, in pixels.
        """
        yield from self.rest()
        left, bottom, right, top = box or (0, 0, self.window.width, self.window.height)
        part = [left, self.window.height - top, right, self.window.height - bottom]
        asked = self.folder / f"{name}.asked"
        asked.write_text(json.dumps(part))
        asked.rename(self.folder / f"{name}.wanted")  # whole as soon as it is there
        yield from self.until((self.folder / f"{name}.png").exists, f"the picture {name}", seconds=30)


def play(path: Path, folder: Path) -> Steps:
    """Play every scenario of the file, one after the other, and write down how each ended."""
    sys.path.append(str(path.parents[1]))  # as part of a package, scenarios can share what lies beside them
    module = importlib.import_module(f"{path.parent.name}.{path.stem}")
    ended: dict[str, str] = {}
    skipped: dict[str, str] = {}
    hand = Hand(folder)
    for name, scenario in vars(module).items():
        if name.startswith("test_"):
            try:
                yield from scenario(hand)
                ended[name] = ""
            except Exception:  # noqa: BLE001 - whatever it is, the next scenario must be played
                ended[name] = traceback.format_exc()
            if hand.skipped:
                skipped[name], hand.skipped = hand.skipped, ""
    found = {"ended": ended, "skipped": skipped, "notes": hand.notes}
    (folder / f"{path.stem}.json").write_text(json.dumps(found, indent=1))


def main() -> None:
    preferences: Any = bpy.context.preferences
    preferences.view.show_splash = False
    preferences.view.smooth_view = 0
    preferences.view.pie_tap_timeout = 1000  # 10 s: between a key's press and its release a slow screen is drawn
    path, folder = sys.argv[sys.argv.index("--") + 1 :]
    steps = play(Path(path), Path(folder))

    def tick() -> float | None:
        wait = next(steps, steps)
        if wait is steps:
            bpy.ops.wm.quit_blender()
            return None
        time.sleep(wait if isinstance(wait, float) else 0.0)
        return TICK

    # Blender must have drawn once before events have anywhere to go.
    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


main()
