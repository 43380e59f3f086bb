"""Enabling and disabling: quick, complete both ways, loud when something fails."""

import contextlib
import gc
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import addon_utils
import bpy
import pytest

Snapshot = dict[str, object]


def snapshot(add_on: str) -> Snapshot:
    """All that an add-on can leave behind in Blender."""
    context: Any = bpy.context
    operators: Any = bpy.ops
    bases: list[Any] = [bpy.types.Operator, bpy.types.Panel, bpy.types.PropertyGroup, bpy.types.GizmoGroup]
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    functions = [item for item in gc.get_objects() if type(item) is FunctionType]  # isinstance asks dead operators
    return {
        "handlers": {
            name: [repr(handler) for handler in kept] for name, kept in lists.items() if isinstance(kept, list)
        },
        "timers": [item.__qualname__ for item in functions if bpy.app.timers.is_registered(item)],
        "keymap items": {
            (config.name, keymap.name): len(keymap.keymap_items)
            for config in context.window_manager.keyconfigs
            for keymap in config.keymaps
        },
        "classes": sorted(name for name in dir(bpy.types)),
        "python classes": sorted(
            found.__name__
            for base in bases
            for found in base.__subclasses__()
            if found.__module__.startswith(add_on) and getattr(found, "is_registered", "bl_rna" in vars(found))
        ),
        "operators": sorted(dir(operators.posewright)),
        "properties": {
            name: sorted(getattr(bpy.types, name).bl_rna.properties.keys())
            for name in dir(bpy.types)
            if hasattr(getattr(bpy.types, name), "bl_rna")
        },
    }


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    return [f"{key}: {before[key]} -> {after[key]}" for key in before if before[key] != after[key]]


@pytest.fixture
def unlisted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The draw handlers and commands that are there: Blender lists neither, so their coming and going is noted."""
    there: list[object] = []
    space: Any = bpy.types.SpaceView3D
    add, remove = space.draw_handler_add, space.draw_handler_remove

    def noted_add(*arguments: object) -> object:
        there.append(handle := add(*arguments))
        return handle

    def noted_remove(handle: object, *rest: object) -> None:
        there.remove(handle)
        remove(handle, *rest)

    def noted_command(*arguments: Any) -> object:
        there.append(handle := register_command(*arguments))
        return handle

    def noted_uncommand(handle: Any) -> None:
        there.remove(handle)
        unregister_command(handle)

    register_command, unregister_command = bpy.utils.register_cli_command, bpy.utils.unregister_cli_command
    monkeypatch.setattr(bpy.utils, "register_cli_command", noted_command)
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", noted_uncommand)
    monkeypatch.setattr(space, "draw_handler_add", noted_add)
    monkeypatch.setattr(space, "draw_handler_remove", noted_remove)
    return there


def test_switching_on_and_off_leaves_blender_as_it_was(add_on: ModuleType, unlisted: list[object], soak: bool) -> None:
    name = add_on.__name__
    addon_utils.disable(name)
    unlisted.clear()  # what was registered before we began to note
    off = snapshot(name)
    addon_utils.enable(name)
    on = snapshot(name)
    assert len(unlisted) == 3, "the command and the two drawing functions of the overlay were not registered"
    assert {"operators", "properties"} <= {line.split(":")[0] for line in differences(off, on)}, "nothing was enabled"
    for _ in range(500 if soak else 20):
        addon_utils.disable(name)
        assert not differences(off, snapshot(name))
        assert not unlisted
        addon_utils.enable(name)
        assert not differences(on, snapshot(name))


def test_every_class_that_the_add_on_defines_is_registered(add_on: ModuleType) -> None:
    modules = [found for name, found in sys.modules.items() if name.startswith(f"{add_on.__name__}.")]
    kinds = (bpy.types.Operator, bpy.types.Panel, bpy.types.PropertyGroup, bpy.types.UIList, bpy.types.Menu)
    defined: set[Any] = {
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, kinds) and item.__module__ == module.__name__
    }
    assert {"POSEWRIGHT_OT_compile_solvers", "POSEWRIGHT_PT_sidebar"} <= {item.__name__ for item in defined}
    assert not [item.__name__ for item in defined if not item.is_registered]


@pytest.mark.parametrize("part", ["properties", "operators", "ui", "handlers", "cli"])
def test_a_part_that_fails_is_heard_and_takes_the_others_back(
    part: str, add_on: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    addon_utils.disable(add_on.__name__)
    off = snapshot(add_on.__name__)

    def fail(_undo: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(getattr(add_on, part), "register", fail)
    with pytest.raises(RuntimeError, match="on purpose"):
        add_on.register()
    assert not differences(off, snapshot(add_on.__name__))


def in_a_fresh_blender(code: str) -> object:
    """Run code in a new Blender that has the zip installed but not enabled; it sets `answer`."""
    answered = "print('ANSWER', json.dumps(answer), flush=True)"
    program = f"import bpy, json, os, sys, addon_utils\n{code}\n{answered}\nos._exit(0)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    lines = [line for line in run.stdout.splitlines() if line.startswith("ANSWER")]
    assert lines, run.stdout + run.stderr
    return json.loads(lines[-1].removeprefix("ANSWER"))


def test_enabling_imports_neither_numba_nor_scipy_nor_numpy(
    installed: str, record_testsuite_property: Callable[[str, object], None]
) -> None:
    code = (
        "import time\n"
        "before = set(sys.modules); begun = time.perf_counter()\n"
        f"addon_utils.enable({installed!r}); taken = time.perf_counter() - begun\n"
        "answer = [taken, sorted({name.split('.')[0] for name in set(sys.modules) - before})]"
    )
    in_a_fresh_blender(code)  # Python keeps what it has compiled, as for whoever starts Blender a second time
    answer = in_a_fresh_blender(code)
    assert isinstance(answer, list)
    seconds, imported = answer
    record_testsuite_property("note", f"enabling took {1000 * seconds:.0f} ms")
    assert "bl_ext" in imported
    assert not {"numba", "llvmlite", "scipy", "numpy"} & set(imported)


def test_a_blender_older_than_the_manifest_allows_refuses_in_its_own_words(
    installed: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert addon_utils.check(installed)[1]
    newer = tmp_path / "newer.zip"
    with zipfile.ZipFile(os.environ["POSEWRIGHT_ZIP"]) as old, zipfile.ZipFile(newer, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "blender_manifest.toml":
                data = data.replace(b'blender_version_min = "4.2.0"', b'blender_version_min = "9.9.0"')
                assert tomllib.loads(data.decode())["blender_version_min"] == "9.9.0"
            new.writestr(name, data)
    with contextlib.suppress(RuntimeError):  # what an operator that reports an error raises; 5.2 only prints it
        bpy.ops.extensions.package_install_files(filepath=str(newer), repo="user_default", enable_on_install=True)
    said = capfd.readouterr()
    assert "9.9.0" in said.out + said.err
    assert "Traceback" not in said.out + said.err
    assert addon_utils.check(installed)[1], "the version that fits was lost"
