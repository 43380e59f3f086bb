"""Builds the documentation as a site below out/site/. Any warning ends it.

    python3.11 tools/docs.py

Pages link to files of the project beside docs/, which a site does not have: those files become pages of their own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import environments
from environments import ROOT

DOCS, PAGES, SITE = ROOT / "docs", ROOT / "out" / "docs", ROOT / "out" / "site"
OUTSIDE = re.compile(r"(?<=\]\()\.\./([\w./-]+)(?=[)#])")  # in a link of Markdown, the path of a file beside docs/
LANGUAGES = {".py": "python", ".toml": "toml", ".txt": "text", "": "make"}


def gather() -> None:
    """Put all pages where the site is made of them, with links that lead to pages only."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(DOCS, PAGES, ignore=shutil.ignore_patterns("__pycache__", "listing"))
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for path in sorted(set(OUTSIDE.findall(text))):
            _add_source(path)
        page.write_text(OUTSIDE.sub(r"source/\1.md", text), encoding="utf-8")


def _add_source(path: str) -> None:
    """A page that shows a file of the project."""
    file, page = ROOT / path, PAGES / "source" / f"{path}.md"
    if not file.is_file():
        environments.fail(f"docs/ links to {path}, which is not there")
    page.parent.mkdir(parents=True, exist_ok=True)
    language = LANGUAGES.get(file.suffix, "text")
    page.write_text(f"# {path}\n\n````{language}\n{file.read_text(encoding='utf-8')}````\n", encoding="utf-8")


def command(python: Path) -> list[str | Path]:
    """What builds the site from the pages that were gathered."""
    return [python, "-m", "mkdocs", "build", "--strict", "--clean", "-f", ROOT / "tools" / "mkdocs.yml"]


def main() -> int:
    """Build it. Returns an exit code: not 0 if anything was said that is worth a word."""
    python = environments.ensure("docs")
    gather()
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # what its makers plan is no warning about these pages
    run = subprocess.run(  # noqa: S603 - a command of our own
        command(python), env=quiet, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    said = [line for line in run.stdout.splitlines() if line.strip() and not line.startswith("INFO")]
    good = run.returncode == 0 and not said
    where = (SITE / "index.html").relative_to(ROOT)
    said.append(f"the documentation is in {where}" if good else "posewright: the documentation has warnings")
    sys.stdout.write("".join(f"{line}\n" for line in said))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
