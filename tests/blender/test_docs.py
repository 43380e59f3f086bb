"""The documentation keeps its word: its scripts run, and what it names is there."""

import re
import shlex
from pathlib import Path
from typing import Any

import bpy
import pytest

from .figures import channels, figure, pin, update
from .test_goals import select
from .test_vary import reach

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# solvers.md is run without Blender.
PAGES_WITH_BLOCKS = ["balance.md", "collision.md", "relations.md", "scripting.md", "solvers.md", "variations.md"]
COMMAND = re.compile(r"^ +blender --command posewright (.*)$", re.MULTILINE)


def run(page: str) -> dict[str, Any]:
    """Run the blocks of a page one after the other, as one script. Returns its names."""
    text = (DOCS / page).read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for found in BLOCK.finditer(text):
        lines = text[: found.start(1)].count("\n")
        exec(compile("\n" * lines + found[1], page, "exec"), names)  # an error tells the line of the page
    return names


def test_every_page_with_blocks_is_run_here() -> None:
    assert [path.name for path in PAGES if BLOCK.search(path.read_text(encoding="utf-8"))] == PAGES_WITH_BLOCKS


def test_scripting_does_what_it_says(bridge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert bridge
    names = run("scripting.md")
    hero, foot = names["hero"], names["foot"]
    assert set(names["goals"]) == {"pelvis", "chest", "head", "hand.L", "hand.R", "foot.L", "foot.R"}
    assert (hero.pose.bones["foot.L"].head - foot).length < 1e-3, "the pin did not hold"
    assert hero.pose.bones["hand.L"].head.z < 1.2, "the hand did not come along"
    said = capsys.readouterr().out
    assert "doubtful" not in said
    off = re.search(r"off by (\S+) mm", said)
    assert off is not None
    assert float(off[1]) < 1.0
    assert names["report"]["frames"] == 6
    assert names["report"]["worst_cm"] < 0.1
    assert "'Hero' has no bone 'tail'" in said
    assert hero.posewright_live, "it is not back to live"
    assert bridge.outcome.of(hero).goals.keys() >= {names["look"]}


def test_relations_are_made_as_the_page_says(bridge: Any) -> None:
    assert bridge
    owner = figure()
    select(owner, "hand.L", "hand.R")
    run("relations.md")
    update()
    assert [one.kind for one in owner.posewright_relations] == ["LOOP", "WIRE"]
    bones = owner.pose.bones
    assert (bones["hand.L"].tail - bones["hand.R"].tail).length < 1e-2


def test_a_body_keeps_its_balance_as_the_page_says(bridge: Any) -> None:
    owner = figure()
    for foot in ("foot.L", "foot.R"):
        pin(bridge, owner, foot)
    balance = run("balance.md")["balance"]
    assert balance.kind == "BALANCE"
    assert max(balance.parts, key=lambda part: part.mass).bone != "foot.L"
    assert next(part.mass for part in balance.parts if part.bone == "hand.L") > 10.0
    assert bridge.relations.balance.seen(owner, balance).inside > 0.0


def test_a_body_keeps_off_things_as_the_page_says(bridge: Any) -> None:
    assert bridge
    owner, table = figure(), bpy.data.objects.new("Table", bpy.data.meshes.new("Table"))
    table.data.from_pydata([(x, y, z) for x in (2, 3) for y in (2, 3) for z in (0, 1)], [], [])  # type: ignore[union-attr]
    bpy.context.scene.collection.objects.link(table)  # type: ignore[union-attr]
    run("collision.md")
    update()
    assert [(one.kind, one.against) for one in owner.posewright_relations] == [
        ("COLLISION", "SELF"),
        ("COLLISION", "BOX"),
    ]
    assert owner.posewright_relations[1].thing == table
    assert owner.posewright_shapes["hat"].bone == "head"


def test_a_pose_of_several_is_taken_and_kept_as_the_page_says(bridge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge.variations.search, "BOLDNESS", (1.0, 2.0))  # interpreted, all takes half a minute
    owner = reach(bridge, figure(only=".L"))
    before = channels(owner)
    run("variations.md")
    update()
    assert channels(owner) != before
    assert [action.name for action in bpy.data.actions if action.asset_data] == ["Figure variation 3.2"]


def test_commands_of_the_shell_are_understood(add_on: Any) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES, DOCS.parent / "README.md")]
    commands = [found for text in texts for found in COMMAND.findall(text)]
    assert len(commands) > 5
    for command in commands:
        given = add_on.cli._parser().parse_args(shlex.split(command, comments=True))
        assert given.job == command.split()[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_operators_and_properties_that_a_page_names_are_there(page: Path, bridge: Any) -> None:
    assert bridge
    text = page.read_text(encoding="utf-8")
    operators: Any = bpy.ops
    named = set(re.findall(r"(?:bpy\.ops\.|`)posewright\.([a-z_]+)[`(]", text))
    assert not [name for name in sorted(named) if name not in dir(operators.posewright)]
    kinds: Any = (bpy.types.Object, bpy.types.WindowManager)
    known = {one.identifier for kind in kinds for one in kind.bl_rna.properties}
    stored = set(re.findall(r"\bposewright_[a-z_]+\b(?!\*)", text))
    assert not [name for name in sorted(stored) if name not in known]
