"""What the project's files say of each other must agree."""

import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = {line.split()[1] for line in (ROOT / "requirements/wheels.sha256").read_text().splitlines()}


def test_manifest_lists_the_pinned_wheels_but_those_of_the_test_zip() -> None:
    assert {Path(wheel).name for wheel in MANIFEST["wheels"]} == {name for name in PINNED if "-cp314-" not in name}


def test_changelog_has_an_entry_for_the_version() -> None:
    assert f"## {MANIFEST['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "size"), [("icon", (256, 256)), ("featured", (1920, 1080))])
def test_pictures_for_a_platform_have_the_size_that_it_asks_for(name: str, size: tuple[int, int]) -> None:
    head = (ROOT / "docs" / "listing" / f"{name}.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:]) == size


@pytest.mark.parametrize("word", ["name", "tagline"])
def test_the_platforms_page_and_the_manifest_say_the_same_and_do_not_name_blender(word: str) -> None:
    listing = (ROOT / "docs" / "listing" / "listing.md").read_text(encoding="utf-8")
    assert f"**{word.capitalize()}:** {MANIFEST[word]}\n" in listing
    assert "blender" not in MANIFEST[word].lower()  # a platform refuses it


def test_setuptools_knows_every_package() -> None:
    inits = {path.relative_to(ROOT).parent for path in [*ROOT.glob("*/__init__.py"), *ROOT.glob("*/*/__init__.py")]}
    found = {".".join(["posewright", *path.parts]) for path in inits if path.parts[0] not in {"benchmarks", "out"}}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == {"posewright"} | found


def test_solvers_are_importable_where_blender_has_never_been(tmp_path: Path) -> None:
    code = (
        "import importlib.util, sys, posewright.solvers\n"
        "assert importlib.util.find_spec('bpy') is None, 'Blender is in reach of this test'\n"
        "print(sorted({'numba', 'scipy', 'bpy', 'mathutils'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_without_python_3_11_make_says_what_to_install_in_one_line() -> None:
    run = subprocess.run(
        ["make", "test", "PYTHON=no-such-python"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = [line for line in run.stderr.splitlines() if not line.startswith("make")]
    assert run.returncode != 0
    assert len(said) == 1
    assert "Python 3.11" in said[0]


def test_without_a_network_the_build_names_what_it_was_fetching(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\n"
        f"import build, pathlib; build.WHEELS = pathlib.Path({str(tmp_path)!r})\n"
        "build.fetch(build.wheels_for('linux-x64')[0])"
    )
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "PATH": "/usr/bin:/bin"}
    run = subprocess.run([sys.executable, "-c", code], env=offline, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert re.search(r"could not fetch llvmlite-\S+\.whl \(is the network there\?\)", run.stderr), run.stderr
    assert "Traceback" not in run.stderr


def run_build(code: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\nimport build, pathlib\n{code}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_a_wheel_that_is_not_the_pinned_one_is_refused_and_removed(tmp_path: Path) -> None:
    wheel = sorted(PINNED)[0]
    (tmp_path / wheel).write_text("something else")
    run = run_build(f"build.WHEELS = pathlib.Path({str(tmp_path)!r})\nbuild.fetch({wheel!r})")
    assert f"{wheel} is not the file that requirements/wheels.sha256 names" in run.stderr
    assert not (tmp_path / wheel).exists()


def test_a_zip_over_the_size_limit_fails_the_build(tmp_path: Path) -> None:
    run = run_build(f"build.LARGEST = 1e6\nbuild.build('linux-x64', out=pathlib.Path({str(tmp_path)!r}))")
    assert run.returncode != 0
    assert "is larger than 1 MB" in run.stderr


@pytest.mark.parametrize("path", sorted(ROOT.glob("requirements/*.txt")), ids=lambda path: path.name)
def test_requirements_are_pinned(path: Path) -> None:
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in path.read_text().splitlines())
