"""Puts the figures and plots of the last runs into docs/benchmarks.md: `python -m posewright.benchmarks.page`.

Each benchmark has its place there between two marks, `<!-- NAME -->` and `<!-- end of NAME -->`.
"""

import json
import re
import shutil
import sys
from pathlib import Path

from .report import Row, table

ROOT = Path(__file__).resolve().parents[1]
FOUND, PAGE, PICTURES = ROOT / "out" / "bench", ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "pictures"


def put(page: str, name: str, folder: Path = FOUND) -> str:
    """The page with what was found by one benchmark in its place."""
    found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    versions = ", ".join(f"{key} {value}" for key, value in found["versions"].items())
    picture = f"![{name}](pictures/bench_{name}.png)"
    said = [table([Row(**row) for row in found["rows"]]), picture, f"{found['machine']}; {versions}."]
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not marked.search(page):
        sys.exit(f"{PAGE.name} has no place for {name}: <!-- {name} --> and <!-- end of {name} -->")
    return marked.sub(lambda place: place[1] + "\n\n".join(said) + "\n" + place[2], page)


def main() -> None:
    """Put in all that out/bench holds."""
    page = PAGE.read_text(encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    for found in sorted(FOUND.glob("*.json")):
        page = put(page, found.stem)
        shutil.copyfile(found.with_suffix(".png"), PICTURES / f"bench_{found.stem}.png")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
