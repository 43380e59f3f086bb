"""Builds the extension: one zip per platform, from pinned wheels, the same bytes for the same commit.

    python3.11 tools/build.py [--platform linux-x64 ...] [--test-python 3.14] [--out FOLDER]

Blender's own extension tool, taken from a bpy wheel, makes and validates each zip; its entries are then sorted and
given fixed times, because the tool stamps them with the time of the build.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import environments
from environments import ROOT, fail

OUT = ROOT / "out"
WHEELS = ROOT / "wheels"
LARGEST = 200e6  # bytes, what extensions.blender.org takes
BUILDER = "4.2"  # the lowest Blender we support builds; it and the newest on the same Python validate
VALIDATORS = ("4.2", "5.0")

# A wheel's platform tag contains: our name of the platform.
PLATFORMS = {
    r"manylinux.*x86_64": "linux-x64",
    r"win_amd64": "windows-x64",
    r"win_arm64": "windows-arm64",
    r"macosx.*arm64": "macos-arm64",
    r"macosx.*x86_64": "macos-x64",
}


def manifest() -> dict[str, object]:
    """The manifest as committed."""
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def pinned() -> dict[str, str]:
    """Each wheel's file name and its SHA-256."""
    lines = (ROOT / "requirements" / "wheels.sha256").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def platform_of(wheel: str) -> str:
    """The platform that a wheel's file name says it is for."""
    tag = wheel.removesuffix(".whl").split("-")[-1]
    return next(name for pattern, name in PLATFORMS.items() if re.search(pattern, tag))


def wheels_for(platform: str, test_python: str | None = None) -> list[str]:
    """The wheels of a zip: all that the manifest lists for the platform or, for a test zip, those of one Python."""
    tag = f"-cp{test_python.replace('.', '')}-" if test_python else ""
    listed = {str(path).removeprefix("./wheels/") for path in manifest()["wheels"]}  # type: ignore[attr-defined]
    return [name for name in pinned() if platform_of(name) == platform and (tag in name if tag else name in listed)]


def fetch(wheel: str) -> None:
    """Have this wheel below wheels/, fetched by its name and compared with its pinned hash."""
    path = WHEELS / wheel
    if not path.exists():
        name, version, python, abi, tags = wheel.removesuffix(".whl").split("-")
        print_line(f"fetching {wheel}")
        # The system's Python may have no pip; that of an environment has.
        python_with_pip = environments.ensure(f"blender-{BUILDER}")
        pip: list[str | Path] = [python_with_pip, "-m", "pip", "download", "--quiet", "--no-deps"]
        wanted = ["--python-version", python.removeprefix("cp"), "--abi", abi, f"{name}=={version}"]
        platforms = [part for tag in tags.split(".") for part in ("--platform", tag)]
        command = [*pip, "--only-binary=:all:", "--dest", WHEELS, *platforms, *wanted]
        said = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if said.returncode != 0 or not path.exists():
            fail(f"could not fetch {wheel} (is the network there?): {said.stderr.strip().splitlines()[-1:]}")
    if hashlib.sha256(path.read_bytes()).hexdigest() != pinned()[wheel]:
        path.unlink()
        fail(f"{wheel} is not the file that requirements/wheels.sha256 names; it was removed, so try again")


def stage(folder: Path, platform: str, wheels: list[str]) -> None:
    """Put what git knows of the project, the pages and the wheels into a clean folder; narrow the manifest to it."""
    shutil.rmtree(folder, ignore_errors=True)
    asked = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    known = subprocess.run(asked, capture_output=True, text=True, check=True).stdout  # noqa: S603
    for name in filter(None, known.split("\0")):
        if (ROOT / name).is_file():  # one deleted but not yet committed is still listed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    pages = [environments.ensure("docs"), ROOT / "tools" / "help_pages.py", folder / "help"]
    made = subprocess.run(pages, capture_output=True, text=True, check=False)  # noqa: S603 - a command of our own
    if made.returncode != 0:
        fail(f"the pages of docs/ could not be made: {made.stderr.strip().splitlines()[-1:]}")
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copyfile(WHEELS / wheel, folder / "wheels" / wheel)
    path = folder / "blender_manifest.toml"
    text = path.read_text(encoding="utf-8")
    listed = "".join(f'    "./wheels/{wheel}",\n' for wheel in sorted(wheels))
    text = re.sub(r"(?m)^platforms = \[.*?\]$", f'platforms = ["{platform}"]', text)
    if not any(
        "-cp311-" in wheel for wheel in wheels
    ):  # Blender before 5.1 has Python 3.11 and would refuse the wheels
        text = re.sub(r'(?m)^blender_version_min = ".*"$', 'blender_version_min = "5.1.0"', text)
    text = re.sub(r"(?ms)^wheels = \[.*?^\]$", f"wheels = [\n{listed}]", text)
    path.write_text(text, encoding="utf-8")


def extension_tool(blender: str, *arguments: str | Path) -> None:
    """Run the extension tool that comes inside this Blender's wheel, with its list of valid tags."""
    python = environments.ensure(f"blender-{blender}")
    scripts = next(python.parents[1].glob(f"lib/python*/site-packages/bpy/{blender}/scripts"))
    tool = scripts / "addons_core/bl_pkg/cli/blender_ext.py"
    tags = scripts / "modules/_bpy_internal/extensions/tags.py"
    command = [python, tool, *arguments, f"--valid-tags={tags}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode != 0:
        fail(f"Blender {blender}'s extension tool refuses: {(run.stdout + run.stderr).strip()}")


def repack(source: Path, target: Path) -> None:
    """Write the zip anew: entries sorted, all times and rights the same. Wheels are stored, being zips already."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(entry for entry in old.namelist() if not entry.endswith("/")):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.create_system = 3  # Unix, on whatever system this runs
            info.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name), compresslevel=9)


def build(platform: str, test_python: str | None = None, out: Path = OUT) -> Path:
    """Build, repack and validate the zip of one platform below `out`. Returns its path."""
    wheels = wheels_for(platform, test_python)
    WHEELS.mkdir(exist_ok=True)
    for wheel in wheels:
        fetch(wheel)
    purpose = f"-test-py{test_python.replace('.', '')}" if test_python else ""
    name = f"posewright-{manifest()['version']}-{platform.replace('-', '_')}{purpose}.zip"
    work = out / "build" / name.removesuffix(".zip")
    stage(work / "stage", platform, wheels)
    extension_tool(BUILDER, "build", "--source-dir", work / "stage", "--output-filepath", work / "raw.zip")
    target = out / name
    repack(work / "raw.zip", target)
    shutil.rmtree(work)
    for blender in VALIDATORS:
        extension_tool(blender, "validate", target)
    size = target.stat().st_size
    print_line(f"{target.name}  {size / 1e6:.1f} MB  {len(wheels)} wheels")
    if size > LARGEST:
        fail(f"{name} is larger than {LARGEST / 1e6:.0f} MB")
    return target


def print_line(line: str) -> None:
    """Say it now, even into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--platform", action="append", choices=sorted(PLATFORMS.values()), help="default: all")
    parser.add_argument("--test-python", help="a zip for tests with the wheels of one other Python, such as 3.14")
    parser.add_argument("--out", type=Path, default=OUT, help="where the zips go")
    asked = parser.parse_args()
    for platform in asked.platform or PLATFORMS.values():
        build(platform, asked.test_python, asked.out)


if __name__ == "__main__":
    main()
