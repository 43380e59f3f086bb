"""Fills the cache of compiled kernels in a child process, so that the first compile never stalls Blender.

A compiling thread would hold Python's global lock and take Blender's main loop from 6,000 to 190 steps a second;
a process does not. Run as a script, this file is that child. It opens no window, uses no network, and ends when its
parent does. Imports nothing of Posewright by itself; the child loads the package and calls `solvers.warm_up`.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

# One for each machine: a home shared by a farm may be used by processors that need code of their own.
OUTCOME = f"outcome-{platform.node() or 'here'}.json"
LOG = "compile.log"
DONE, REFUSED = 0, 20  # how the child ends when it has left an outcome
LONGEST = 600.0  # seconds; a child still running then is taken for stuck


@dataclass(frozen=True)
class Outcome:
    """How filling the cache ended."""

    problem: str  # why kernels cannot be compiled; empty when they were
    numba: str = ""  # its version
    seconds: float = 0.0


def read_outcome(folder: Path) -> Outcome | None:
    """What the last fill of this cache folder left behind; None if there was none or it cannot be read."""
    try:
        stored = json.loads((folder / OUTCOME).read_text(encoding="utf-8"))
        return Outcome(str(stored["problem"]), str(stored["numba"]), float(stored["seconds"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def clear(folder: Path) -> None:
    """Drop what a cache folder holds: it may be what is wrong."""
    shutil.rmtree(folder, ignore_errors=True)


def fill(package: str) -> Outcome:
    """Compile every kernel of `package` in this process into its cache, and note there how it went."""
    begun = time.perf_counter()
    compiled = importlib.import_module(f"{package}.compiled")
    if compiled.load():
        importlib.import_module(f"{package}.solvers").warm_up()
    outcome = Outcome(compiled.problem(), compiled.version(), round(time.perf_counter() - begun, 3))
    folder: Path = compiled.cache_folder()
    with contextlib.suppress(OSError):  # a read-only folder: nothing is kept, and nothing is lost
        folder.mkdir(parents=True, exist_ok=True)
        written = folder / f"{OUTCOME}.{os.getpid()}"
        written.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
        written.replace(folder / OUTCOME)
        _remove_others(folder)
    return outcome


def _remove_others(folder: Path) -> None:
    """Drop the caches of earlier versions of our sources."""
    for other in folder.parent.iterdir():
        if other != folder and any(other.glob("outcome-*.json")):
            shutil.rmtree(other, ignore_errors=True)


class Child:
    """A running child process that fills the cache folder of one package."""

    def __init__(self, package: str, package_file: str, folder: Path) -> None:
        """Start it. Raises OSError where no process can be started or the folder cannot be written."""
        if not sys.executable:
            raise FileNotFoundError("this Blender does not know its own Python")
        self.folder = folder
        self.begun = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        search = [str(path) for path in sys.path]  # anyone may have put a Path there
        order = {"package": package, "file": package_file, "root": str(folder.parent), "path": search}
        with (folder / LOG).open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 - Blender's own Python on a file of ours
                [sys.executable, "-I", __file__],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=folder,
                # On Windows: no console window, and behind whatever the animator is doing.
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0)
                | getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
            )
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it ended at once: `poll` says how
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()

    def poll(self) -> Outcome | None:
        """How it ended, or None while it runs."""
        if self.process.poll() is None:
            if time.monotonic() - self.begun < LONGEST:
                return None
            self.stop()
            return Outcome(f"compiling took longer than {LONGEST / 60:.0f} minutes and was stopped")
        self.stop()
        code = self.process.returncode
        outcome = read_outcome(self.folder) if code in {DONE, REFUSED} else None
        return outcome or Outcome(f"the compiling process ended with code {code}: see {self.folder / LOG}")

    def stop(self) -> None:
        """End it if it still runs, and wait until it has ended."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # the pipe may be broken already
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def _end_with_parent(pipe: int) -> None:
    """The parent holds the other end of the pipe: when that closes, the parent has ended or wants us to."""
    while os.read(pipe, 1):
        pass
    os._exit(1)


def _load_package(name: str, file: str) -> ModuleType:
    """Import the package at `file` as `name`: numba's cache wants the module names that Blender uses."""
    parts = name.split(".")
    for depth in range(1, len(parts)):  # bl_ext and its repository are no packages on disk
        above = ".".join(parts[:depth])
        sys.modules[above] = ModuleType(above)
        sys.modules[above].__path__ = []
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(Path(file).parent)])
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return package


def _main() -> int:
    order = json.loads(sys.stdin.readline())
    # The pipe is moved away from the standard input: on Windows, loading numpy asks the standard input something and
    # would wait for ever behind our read.
    pipe = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    threading.Thread(target=_end_with_parent, args=(pipe,), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)
    sys.path[:] = order["path"]
    _load_package(order["package"], order["file"])
    importlib.import_module(f"{order['package']}.compiled").use_cache(Path(order["root"]))
    outcome = fill(order["package"])
    return REFUSED if outcome.problem else DONE


if __name__ == "__main__":
    sys.exit(_main())
