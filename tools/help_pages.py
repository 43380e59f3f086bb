"""Makes the pages that the zip brings along, of docs/: plain HTML that any browser shows from the disk.

    .venv/docs/bin/python tools/help_pages.py FOLDER

The site of `make docs` has a search, a theme and the pages for developers; here is what an animator reads.
"""

import re
import shutil
import sys
from pathlib import Path

import markdown

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FOR_DEVELOPERS = {"adding", "architecture", "benchmarks"}  # who has the checkout has these
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
SHOWN = re.compile(r"!\[[^\]]*\]\((pictures/[^)\s]+)\)")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title} · Posewright</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }}
nav {{ border-bottom: 1px solid #8886; padding-bottom: 0.6rem; }}
nav a {{ margin-right: 0.9rem; white-space: nowrap; }}
a {{ color: #0b8a80; }}
img {{ max-width: 100%; border-radius: 4px; }}
table {{ border-collapse: collapse; }}
td, th {{ border: 1px solid #8886; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }}
code {{ background: #8882; padding: 0 0.2rem; }}
pre {{ background: #8882; padding: 0.7rem; overflow-x: auto; }}
pre code {{ background: none; padding: 0; }}
</style>
</head>
<body>
<nav>{links}</nav>
{body}
</body>
</html>
"""


def pages() -> dict[str, str]:
    """Titles of the pages, by name, in the order of the site."""
    said = (ROOT / "tools" / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    found = re.findall(r"- (.*): (\w+)\.md$", said, re.MULTILINE)
    return {name: title for title, name in found if name not in FOR_DEVELOPERS}


def to_page(text: str, there: dict[str, str]) -> str:
    """Have links lead to pages that are there; what others say is kept without a link."""

    def change(found: re.Match[str]) -> str:
        words, link = found[1], found[2]
        name, hash_, anchor = link.partition("#")
        if link.startswith(("http://", "https://", "#")):
            return found[0]
        stem = name.removesuffix(".md")
        return f"[{words}]({stem}.html{hash_}{anchor})" if stem in there else words

    return LINK.sub(change, text)


def write(folder: Path) -> None:
    """All pages and the pictures that are on them."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pictures").mkdir(parents=True)
    there = pages()
    links = "".join(f'<a href="{name}.html">{title}</a>' for name, title in there.items())
    for name, title in there.items():
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        for picture in SHOWN.findall(text):
            if (DOCS / picture).exists():  # else it is to be made yet, by a Blender with this zip; a test tells of it
                shutil.copyfile(DOCS / picture, folder / picture)
        body = markdown.markdown(to_page(text, there), extensions=["tables", "fenced_code", "toc", "sane_lists"])
        page = PAGE.format(title=title, links=links, body=body)
        (folder / f"{name}.html").write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
