"""What goes to the animator: the built zip."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built() -> Path:
    return Path(os.environ["POSEWRIGHT_ZIP"])


def test_zip_holds_only_the_add_on(built: Path) -> None:
    names = zipfile.ZipFile(built).namelist()
    folders = {"bridge", "help", "motion", "operators", "presets", "properties", "solvers", "ui", "wheels"}
    files = {"LICENSE", "blender_manifest.toml"} | {path.name for path in ROOT.glob("*.py")} - {"setup.py"}
    assert {name.split("/")[0] for name in names} == folders | files
    assert not [name for name in names if "__pycache__" in name or "tests" in name]
    assert {Path(name).suffix for name in names if "/" in name} <= {".py", ".whl", ".json", ".html", ".png", ".gif"}


def test_pages_in_the_zip_lead_to_pages_and_pictures_in_the_zip(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        names = {name for name in archive.namelist() if name.startswith("help/")}
        texts = {name: archive.read(name).decode() for name in names if name.endswith(".html")}
    assert {"help/index.html", "help/posing.html", "help/feet.html", "help/troubleshooting.html"} <= set(texts)
    for name, text in texts.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            if not link.startswith(("http://", "https://")):
                page, _, anchor = link.partition("#")
                target = f"help/{page}" if page else name
                assert target in names, f"{name} leads to {link}"
                assert not anchor or f'id="{anchor}"' in texts[target], f"{name} leads to {link}"
    shown = {f"help/{link}" for text in texts.values() for link in re.findall(r'src="([^"]+)"', text)}
    assert shown == {name for name in names if name.startswith("help/pictures/")}


def test_zip_has_both_pythons_of_blender_for_one_platform(built: Path) -> None:
    wheels = [name for name in zipfile.ZipFile(built).namelist() if name.endswith(".whl")]
    assert sorted(name.split("/")[1].split("-")[::2][0] + name.split("-")[2] for name in wheels) == [
        "llvmlitecp311",
        "llvmlitecp313",
        "numbacp311",
        "numbacp313",
    ]
    assert all("manylinux" in name for name in wheels)


def test_manifest_in_the_zip_names_its_platform_and_its_wheels(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        wheels = {f"./{name}" for name in archive.namelist() if name.endswith(".whl")}
    assert manifest["platforms"] == ["linux-x64"]
    assert set(manifest["wheels"]) == wheels


def test_building_twice_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    build = [sys.executable, str(ROOT / "tools/build.py"), "--platform", "linux-x64", "--out", str(tmp_path)]
    subprocess.run(build, check=True, capture_output=True)
    assert (tmp_path / built.name).read_bytes() == built.read_bytes()
