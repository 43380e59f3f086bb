"""What the documentation points at is there, and its pictures show the code as it is."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?)`")  # a path in backticks
SPEAKING = {"bridge", "cli.py", "compile_ahead.py", "compiled.py", "motion", "operators", "properties", "solvers", "ui"}
MADE = ("out/", ".venv/")  # what the commands make is not in the project


def plain(path: Path) -> str:
    """A text without its blocks of code."""
    return FENCED.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """What a link can lead to on a page, as both the site and the forge name its headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", plain(path), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.add(re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", words).strip()))
    return found


def broken(path: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for picture, link in LINK.findall(plain(path)):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.is_file() or (anchor and anchor not in anchors(target)):
            found.append(f"{'picture' if picture else 'link'} {link}")
    return found


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    assert not broken(path)


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# One thing\n")
    page = tmp_path / "page.md"
    page.write_text("[a](there.md#one-thing) [b](there.md#other) [c](gone.md) ![d](gone.png)\n```\n[e](gone.md)\n```\n")
    assert broken(page) == ["link there.md#other", "link gone.md", "picture gone.png"]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(path: Path) -> None:
    named = [name for name in FILE.findall(plain(path)) if re.search(r"\.(py|md|json|toml|txt|yml|sha256)$|/$", name)]
    assert not [name for name in named if not name.startswith(MADE) and not (ROOT / name).exists()]


def test_every_page_is_in_the_navigation_once() -> None:
    said = (ROOT / "tools" / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert sorted(re.findall(r": (\w+\.md)$", said, re.MULTILINE)) == [path.name for path in PAGES], (
        "each page of docs/ has a line under nav in tools/mkdocs.yml"
    )


def test_rows_of_a_table_have_as_many_columns_as_its_head() -> None:
    for path in PAGES:
        for block in re.findall(r"(?:^\|.*\n)+", plain(path), re.MULTILINE):
            rows = [re.sub(r"\\\||`[^`]*`", "", line).count("|") for line in block.splitlines()]
            assert len(set(rows)) == 1, f"{path.name}: {block.splitlines()[0]}"


def words_of_the_add_on() -> list[str]:
    """All texts in its code, of formatted ones the parts between what is filled in."""
    files = [path for part in SPEAKING for path in ((ROOT / part).rglob("*.py") if "." not in part else [ROOT / part])]
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_messages_that_are_explained_are_those_that_are_said() -> None:
    page = plain(ROOT / "docs" / "troubleshooting.md")
    cells = [found.strip() for found in re.findall(r"^\| (?!it says)([^|]*)\|", page, re.MULTILINE)]
    parts = [part.strip(" :;,.") for cell in cells for part in re.split(r"…| / ", cell)]
    said = words_of_the_add_on()
    assert len(cells) > 30
    assert not [part for part in parts if part and not any(part in text for text in said)]


def run_tool(code: str) -> str:
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\n{code}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_no_picture_is_older_than_the_code_it_shows() -> None:
    run = subprocess.run([sys.executable, str(ROOT / "tools/pictures.py")], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_picture_is_out_of_date_once_what_it_shows_does_something_else() -> None:
    said = run_tool(
        "import pictures\n"
        "same = ['x = 1', '# why\\nx = 1', 'import a\\nx = (\\n    1)', '\"\"\"What.\"\"\"\\nx = 1']\n"
        "print(len({pictures.digest(one) for one in same}), pictures.digest('x = 2') == pictures.digest('x = 1'))\n"
        "made = pictures.noted()\n"
        "made['feet_preview'] = pictures.code_of('feet_preview') | {'ui/feet.py': 'another'}\n"
        "pictures.noted = lambda: made\n"
        "print(pictures.out_of_date())"
    )
    same, lines = said.splitlines()
    assert same == "1 False"
    assert "feet_preview is older than ui/feet.py: make pictures BLENDER=path" in lines


def test_every_picture_is_on_a_page_and_known_to_the_tool_that_makes_it() -> None:
    shown = {name for path in TEXTS for name in re.findall(r"pictures/(\w+)\.(?:png|gif)", plain(path))}
    known = set(run_tool("import pictures\nprint(*pictures.PICTURES)").split())
    there = {path.stem for path in (ROOT / "docs" / "pictures").iterdir() if path.suffix != ".json"}
    assert there == shown == known
