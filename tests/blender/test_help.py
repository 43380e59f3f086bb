"""Help for whoever asks: pages that the zip brings along, opened by button and F1; and texts in other languages."""

import importlib
import webbrowser
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import addon_utils
import bpy
import pytest

from .figures import figure, goal
from .test_sidebar import Paper, said

operators: Any = bpy.ops
call = operators.posewright
utilities: Any = bpy.utils  # the stubs do not know that its generator gives anything


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What the browser is asked to show."""
    found: list[Path] = []

    def note(url: str, *_more: object, **_given: object) -> bool:
        found.append(Path(url2pathname(urlparse(url).path)))
        return True

    monkeypatch.setattr(webbrowser, "open", note)
    return found


def manual(add_on: ModuleType) -> ModuleType:
    return importlib.import_module(f"{add_on.__name__}.ui.manual")


def test_the_button_opens_a_page_that_came_with_the_zip(add_on: ModuleType, opened: list[Path]) -> None:
    assert call.open_docs() == {"FINISHED"}
    assert call.open_docs(page="feet") == {"FINISHED"}
    folder = Path(add_on.__file__ or "").parent / "help"
    assert opened == [folder / "index.html", folder / "feet.html"]
    assert all(path.is_file() for path in opened)


@pytest.mark.parametrize("page", ["gone", "../blender_manifest", ""])
def test_a_page_that_is_not_there_is_told_with_those_that_are(page: str, add_on: Any, opened: list[Path]) -> None:
    assert add_on
    with pytest.raises(RuntimeError, match=r"There is no page .*; there are .*, feet, "):
        call.open_docs(page=page)
    assert not opened


def test_f1_over_any_of_our_buttons_leads_to_a_page(add_on: ModuleType) -> None:
    prefix, pages = manual(add_on).pages()
    folder = Path(url2pathname(urlparse(prefix).path))
    ours = [f"bpy.ops.posewright.{name}" for name in dir(call)]
    assert len(ours) > 60
    for name in ours:
        page = next(page for pattern, page in pages if fnmatchcase(name, pattern))
        assert (folder / page).is_file(), name
    kinds: Any = (bpy.types.Object, bpy.types.WindowManager)
    stored = [
        f"bpy.types.{kind.__name__}.{one.identifier}".lower()
        for kind in kinds
        for one in kind.bl_rna.properties
        if one.identifier.startswith("posewright_")
    ]
    groups = [f"bpy.types.{one.__name__}.x".lower() for one in bpy.types.PropertyGroup.__subclasses__()]
    for pattern, page in pages:
        assert (folder / page).is_file(), page
        assert any(fnmatchcase(name, pattern) for name in (*ours, *stored, *groups)), f"nothing is called {pattern}"


def test_blender_asks_us_for_pages_while_the_add_on_is_enabled(add_on: ModuleType) -> None:
    assert manual(add_on).pages()[0] in [prefix for prefix, _ in utilities.manual_map()]
    addon_utils.disable(add_on.__name__)
    assert not [prefix for prefix, _ in utilities.manual_map() if "posewright" in prefix]


def test_preferences_are_in_groups_with_the_documentation_first(add_on: ModuleType) -> None:
    preferences: Any = bpy.context.preferences
    kept = preferences.addons[add_on.__name__].preferences
    paper = Paper()
    type(kept).draw(SimpleNamespace(layout=paper, bl_rna=kept.bl_rna), bpy.context)
    texts = [text for text, _ in paper.notes]
    groups = ["Live Posing", "Solvers", "Keys in Pose Mode"]
    assert texts[0] == "Posewright Documentation"
    assert [text for text in texts if text in groups] == groups
    assert texts[texts.index("Live Posing") + 1].startswith("allowed")


def test_texts_with_gaps_are_said_in_other_words_where_there_are_some(
    add_on: ModuleType, bridge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheels of Blender have no languages; what it would look up is given by the test."""
    assert bridge
    words = {"no bone {bone!r}": "kein Knochen {bone!r}", "Set Up": "Einrichten"}
    tab = importlib.import_module(f"{add_on.__name__}.ui.tab")
    monkeypatch.setattr(tab, "pgettext_iface", lambda text: words.get(text, text))
    owner = figure()
    goal(owner, "hand.L").bone = "gone"
    assert "kein Knochen 'gone'" in said("Goals")
    assert tab.spoken("Set Up") == "Einrichten"
    assert tab.spoken("{not a gap}") == "{not a gap}", "what has no gaps is left alone"
