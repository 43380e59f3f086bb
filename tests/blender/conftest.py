"""A real Blender (the bpy wheel) with the built zip installed through the extension system, once for all tests."""

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

# Before bpy is imported: preferences, extensions and their files go where they harm nobody.
RESOURCES = tempfile.mkdtemp(prefix="posewright-test-")
os.environ["BLENDER_USER_RESOURCES"] = RESOURCES

import bpy  # noqa: E402, I001 - first: it makes the next one importable
import addon_utils  # noqa: E402

ADD_ON = "bl_ext.user_default.posewright"


@pytest.fixture(scope="session", autouse=True)
def installed() -> str:
    """Install the zip and enable the add-on. Returns its module name."""
    filepath = os.environ["POSEWRIGHT_ZIP"]
    bpy.ops.extensions.package_install_files(filepath=filepath, repo="user_default", enable_on_install=True)
    assert addon_utils.check(ADD_ON) == (True, True), "the zip was not installed and enabled"
    return ADD_ON


@pytest.fixture
def add_on(installed: str) -> Iterator[ModuleType]:
    """The package as Blender loaded it, enabled before the test and, whatever the test did, after it."""
    yield importlib.import_module(installed)
    if not addon_utils.check(installed)[1]:
        addon_utils.enable(installed)


@pytest.fixture
def bridge(add_on: ModuleType) -> Iterator[Any]:
    """The rooms under test, in an empty file.

    Kernels run interpreted: compiling them takes longer than all solves, and is for test_compilation to see.
    """
    add_on.compiled.hold()
    bpy.ops.wm.read_homefile(use_empty=True)
    yield add_on.bridge
    add_on.compiled.release()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[EXIT] = int(exitstatus)


EXIT = pytest.StashKey[int]()


def pytest_unconfigure(config: pytest.Config) -> None:
    """End here: with anything registered, 4.2 crashes and 4.5 hangs while the interpreter shuts down."""
    shutil.rmtree(RESOURCES, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash.get(EXIT, 3))
