"""Makes the virtual environments that building and testing need, and sees to the libraries that bpy loads.

An environment is a name, a Python and a file of pinned requirements. It is made once and made anew when its
requirements change. Peers, which benchmarks compare with, are installed one by one: one that cannot be had is missing.
"""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv"

# Blender's version: the Python that its bpy wheel is made for.
BLENDERS = {"4.2": "3.11", "4.5": "3.11", "5.0": "3.11", "5.2": "3.13"}

# Environments that hold an editable install of Posewright itself.
EDITABLE = {"solvers", "bench", "bench-blender", "demo"}

# What bpy loads, and the Debian package that holds it.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libICE.so.6": "libice6",
    "libSM.so.6": "libsm6",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libgomp.so.1": "libgomp1",
    "libxkbcommon.so.0": "libxkbcommon0",
}


def fail(message: str) -> NoReturn:
    """End the program with one line on what is wrong."""
    sys.exit(f"posewright: {message}")


@functools.cache
def find_python(version: str) -> Path | None:
    """An interpreter of this minor version ("3.13") that really runs, or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
    for candidate in [sys.executable, *candidates]:
        if candidate is None:
            continue
        code = "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2], sep='\\n')"
        asked = subprocess.run([candidate, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
        if asked.returncode == 0 and asked.stdout.split()[-1] == version:  # pyenv's shims exist but may not run
            return Path(asked.stdout.splitlines()[0])
    return None


def python_of(name: str) -> str:
    """The Python version of the environment `name`."""
    return BLENDERS[name.removeprefix("blender-")] if name.startswith("blender-") else "3.11"


def ensure(name: str) -> Path:
    """The interpreter of the environment `name`, made now if it is missing or its requirements changed."""
    requirements = ROOT / "requirements" / f"{name}.txt"
    version = python_of(name)
    found = find_python(version)
    if found is None:
        fail(f"Python {version} is not installed, and the environment '{name}' needs it")
    folder = FOLDER / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    peers = requirements.with_name(f"{name}-peers.txt")
    wanted = peers.read_text().splitlines() if peers.exists() else []
    digest = hashlib.sha256(requirements.read_bytes() + version.encode() + "".join(wanted).encode())
    if name in EDITABLE:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        digest.update(repr((str(ROOT), project["project"], project["tool"]["setuptools"])).encode())
    stamp = folder / "installed"
    if python.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return python

    sys.stdout.write(f"making the environment '{name}' (Python {version})\n")
    sys.stdout.flush()
    shutil.rmtree(folder, ignore_errors=True)
    if _quietly([found, "-m", "venv", folder]):
        fail(f"Python {version} has no venv module: on Debian, apt-get install python{version}-venv")
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    _install([*pip, "-r", requirements], f"what {requirements.relative_to(ROOT)} names")
    if name in EDITABLE:
        _install([*pip, "--no-deps", "--no-build-isolation", "-e", ROOT], "Posewright itself, editable")
    for peer in wanted:
        if said := _quietly([*pip, peer]):
            sys.stdout.write(f"'{name}' goes without {peer}: {said.strip().splitlines()[-1]}\n")
    stamp.write_text(digest.hexdigest())
    return python


def ensure_libraries() -> None:
    """See that the shared libraries which bpy loads are there; install them where that is possible."""
    if platform.system() != "Linux":
        return
    missing = [package for library, package in LIBRARIES.items() if not _loads(library)]
    ensure_packages(missing, "bpy's libraries")


def ensure_packages(missing: list[str], purpose: str) -> None:
    """Install Debian packages as root on Debian; anywhere else, end with the command that does it."""
    if not missing:
        return
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        fail(f"{purpose} are missing. On Debian or Ubuntu: sudo apt-get update && sudo {' '.join(install)}")
    sys.stdout.write(f"installing {purpose}: {' '.join(missing)}\n")
    _install(["apt-get", "update", "-qq"], "Debian's package lists")
    _install(install, " ".join(missing))


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _quietly(command: Sequence[str | Path]) -> str:
    """Run a command; return what it said if it failed, and nothing if it did not."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run = subprocess.run(  # noqa: S603 - commands of our own
        command, capture_output=True, text=True, env=environment, check=False
    )
    return "" if run.returncode == 0 else run.stdout + run.stderr or f"exit code {run.returncode}"


def _install(command: Sequence[str | Path], what: str) -> None:
    said = _quietly(command)
    if said:
        errors = [line for line in said.splitlines() if "ERROR" in line or line.startswith("E:")] or said.splitlines()
        fail(f"could not fetch {what} (is the network there?): {' / '.join(errors[-3:])}")
