"""The architecture, as rules over the source. A failing rule names the file and the line.

Each rule is also shown code that breaks it, so that a rule which catches nothing is noticed.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_SHIPPED = {"benchmarks", "docs", "out", "tests", "tools", "setup.py"}
FILES = sorted(
    path.relative_to(ROOT)
    for path in ROOT.rglob("*.py")
    if path.relative_to(ROOT).parts[0] not in NOT_SHIPPED and not path.relative_to(ROOT).parts[0].startswith(".")
)

# A part of the package, and the parts it may import. ui → operators → bridge → motion → solvers; nothing goes back.
ARROWS = {
    "__init__": {"cli", "handlers", "operators", "properties", "ui"},
    "ui": {"operators", "bridge", "properties", "registration"},
    "operators": {"bridge", "properties", "registration"},
    "handlers": {"bridge", "properties", "registration", "compiled"},
    "cli": {"bridge"},
    "bridge": {"motion", "solvers", "presets", "properties", "compiled", "compile_ahead"},
    "properties": {"registration"},
    "motion": {"solvers"},  # and no kernel: the cache of compiled code goes by the files of solvers/
    "solvers": {"compiled", "entry"},
    "presets": set(),
    "registration": set(),
    "entry": {"compiled"},
    "compiled": set(),
    "compile_ahead": set(),
}
BLENDER = {"bpy", "bpy_extras", "bl_math", "bmesh", "gpu", "blf", "mathutils", "gpu_extras", "addon_utils", "imbuf"}
WITHOUT_BLENDER = {"__init__", "solvers", "motion", "presets", "compiled", "entry", "compile_ahead"}
DYNAMIC_IMPORTS = {Path("bridge/__init__.py"), Path("compile_ahead.py")}
REACHING = (["bpy", "ops"], ["bpy", "data"])
SLOW_IN_DRAW = {
    *("evaluated_get", "evaluated_depsgraph_get", "foreach_get", "foreach_set", "frame_set", "ray_cast"),
    *("update", "update_tag", "objects", "keyframe_insert"),
}
DANGEROUS = {"eval", "exec", "compile", "__import__"}
UNPACKERS = {"pickle", "marshal", "shelve", "dill", "joblib"}

Offence = tuple[int, str]
Rule = Callable[[Path, ast.Module], Iterator[Offence]]


def part_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def imports(path: Path, tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Each import as (line, part of ours or "", name outside or the rest of ours)."""
    depth = len(path.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, "", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, "", node.module or ""
        elif isinstance(node, ast.ImportFrom) and node.level < depth:
            yield node.lineno, part_of(path), node.module or ""
        elif isinstance(node, ast.ImportFrom) and node.module:
            first, _, rest = node.module.partition(".")
            yield node.lineno, first, rest or ",".join(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, alias.name, "") for alias in node.names)


def type_checking_only(tree: ast.Module) -> set[int]:
    """Lines inside `if TYPE_CHECKING:`; nothing there runs."""
    blocks = (node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {inner.lineno for block in blocks for inner in ast.walk(block) if hasattr(inner, "lineno")}


def imports_follow_the_arrows(path: Path, tree: ast.Module) -> Iterator[Offence]:
    here = part_of(path)
    for line, part, _ in imports(path, tree):
        if part and part != here and part not in ARROWS.get(here, set()):
            yield line, f"{here} must not import {part}"


def bridge_rooms_are_entered_through_the_package(path: Path, tree: ast.Module) -> Iterator[Offence]:
    skipped = type_checking_only(tree)
    for line, part, rest in imports(path, tree):
        if part == "bridge" and rest and part_of(path) != "bridge" and line not in skipped:
            yield line, "write `from .. import bridge`: a room imported by name loads numpy at register"


def only_relative_imports_of_our_own(path: Path, tree: ast.Module) -> Iterator[Offence]:
    for line, part, name in imports(path, tree):
        if not part and name.split(".")[0] in {"posewright", "bl_ext"}:
            yield line, f"import {name} relatively: inside Blender the package has another name"


def pure_parts_do_without_blender(path: Path, tree: ast.Module) -> Iterator[Offence]:
    for line, part, name in imports(path, tree):
        if not part and part_of(path) in WITHOUT_BLENDER and name.split(".")[0] in BLENDER:
            yield line, f"{part_of(path)} must not import {name}"


def one_module_owns_numba(path: Path, tree: ast.Module) -> Iterator[Offence]:
    for line, part, name in imports(path, tree):
        first = name.split(".")[0]
        if not part and (first == "scipy" or (first in {"numba", "llvmlite"} and path != Path("compiled.py"))):
            yield line, f"{name} is imported here; only compiled.py imports numba, nobody scipy"


def imports_stand_at_the_top(path: Path, tree: ast.Module) -> Iterator[Offence]:
    allowed = {Path("__init__.py"): "register", Path("compiled.py"): "load"}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name != allowed.get(path):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield node.lineno, f"import inside the function {function.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "import_module" and path not in DYNAMIC_IMPORTS:
            yield node.lineno, "import_module, which hides an import"


def import_paths_are_left_alone(path: Path, tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        touched = isinstance(node, ast.Attribute) and ast.unparse(node) in {"sys.path", "sys.modules"}
        if touched and path != Path("compile_ahead.py"):  # the child process is ours alone
            assert isinstance(node, ast.Attribute)
            yield node.lineno, f"{ast.unparse(node)} belongs to Blender and all its add-ons"


def nothing_is_printed(_path: Path, tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
            yield node.lineno, "print: report to the animator, or write to sys.stdout in cli.py"


def no_bare_except(_path: Path, tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield node.lineno, "bare except"


def nothing_stored_is_run(_path: Path, tree: ast.Module) -> Iterator[Offence]:
    """A .blend may come from anyone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DANGEROUS:
            yield node.lineno, f"{node.func.id}() could run what a stranger stored"
    for line, _, name in imports(_path, tree):
        if name.split(".")[0] in UNPACKERS:
            yield line, f"{name} runs what a stranger stored"


def bases_of(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).rpartition(".")[2] for base in node.bases}


def everything_has_a_tooltip(_path: Path, tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "Operator" in bases_of(node):
            fields = {ast.unparse(item.targets[0]): item.value for item in node.body if isinstance(item, ast.Assign)}
            if not is_tooltip(fields.get("bl_description")):
                yield node.lineno, f"operator {node.name} needs a bl_description: a sentence without its full stop"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2].endswith("Property"):
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            if not is_tooltip(given.get("description")):
                yield node.lineno, "property without a description: a sentence without its full stop"


def is_tooltip(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value) > 10
        and not node.value.endswith(".")
    )


def drawing_touches_only_stored_values(path: Path, tree: ast.Module) -> Iterator[Offence]:
    """Blender draws a panel at every move of the mouse over it."""
    if part_of(path) != "ui":
        return
    working = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if "bridge" in f"{node.module}.{alias.name}"
    }
    for function in drawing_functions(tree):
        for node in ast.walk(function):
            words = ast.unparse(node).split(".") if isinstance(node, ast.Attribute) else []
            if words and (words[0] in working or words[:2] in REACHING or words[-1] in SLOW_IN_DRAW):
                assert isinstance(node, ast.Attribute)
                yield node.lineno, f"{function.name} uses {ast.unparse(node)}: draw stored values only"


def drawing_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions that draw, and those of the same file that they call."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = [function for function in functions if "draw" in function.name]
    for function in found:
        called = {ast.unparse(node.func).split(".")[-1] for node in ast.walk(function) if isinstance(node, ast.Call)}
        found += [other for other in functions if other.name in called and other not in found]
    return found


def classes_and_operators_carry_our_name(_path: Path, tree: ast.Module) -> Iterator[Offence]:
    kinds = {
        "Operator": "POSEWRIGHT_OT_",
        "Panel": "POSEWRIGHT_PT_",
        "PropertyGroup": "POSEWRIGHT_PG_",
        "UIList": "POSEWRIGHT_UL_",
        "Menu": "POSEWRIGHT_MT_",
        "Gizmo": "POSEWRIGHT_GT_",
        "GizmoGroup": "POSEWRIGHT_GGT_",
        "AddonPreferences": "POSEWRIGHT_AP_",
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for kind in bases_of(node) & kinds.keys():
                if not node.name.startswith(kinds[kind]):
                    yield node.lineno, f"the {kind} {node.name} must begin with {kinds[kind]}"
            for item in node.body:
                named = isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) == "bl_idname"
                if named and "Operator" in bases_of(node):
                    assert isinstance(item, ast.Assign)
                    name = ast.literal_eval(item.value)
                    if name != node.name.lower().replace("_ot_", "."):
                        yield item.lineno, f"{node.name} is called {name}"


def every_package_says_what_it_may_import(path: Path, tree: ast.Module) -> Iterator[Offence]:
    if path.name == "__init__.py" and len(path.parts) > 1:
        first = (ast.get_docstring(tree) or "").partition("\n")[0].lower()
        if "import" not in first:
            yield 1, "the docstring's first line must say what the package is for and what it may import"


def texts_can_be_translated(path: Path, tree: ast.Module) -> Iterator[Offence]:
    """Blender looks up a whole text. One that was put together has no translation: `spoken` fills in afterwards."""
    if part_of(path) != "ui":
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "spoken"]
    given = [call.args[0] for call in calls]
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
            if node in given or any(re.search(r" .*[A-Za-z]{3}|[A-Za-z]{3}.* ", part) for part in parts):
                yield node.lineno, f"{ast.unparse(node)}: give spoken() the text with its gaps"


RULES: dict[Rule, list[tuple[str, str]]] = {
    imports_follow_the_arrows: [
        ("solvers/x.py", "from ..bridge import pose"),
        ("operators/x.py", "from ..ui import sidebar"),
        ("operators/x.py", "from .. import solvers"),
        ("bridge/deep/x.py", "from ...handlers import y"),
        ("motion/x.py", "from .. import properties"),
        ("motion/x.py", "from ..compiled import kernel"),
    ],
    bridge_rooms_are_entered_through_the_package: [
        ("operators/x.py", "from ..bridge import pose"),
        ("handlers.py", "from .bridge.pose import write"),
    ],
    only_relative_imports_of_our_own: [("ui/x.py", "import posewright.solvers"), ("ui/x.py", "from bl_ext.a import b")],
    pure_parts_do_without_blender: [("solvers/x.py", "import mathutils"), ("__init__.py", "import bpy")],
    one_module_owns_numba: [("solvers/x.py", "from numba import njit"), ("motion/x.py", "import scipy.optimize")],
    imports_stand_at_the_top: [
        ("operators/x.py", "def f():\n    import json"),
        ("bridge/x.py", "import importlib\nimportlib.import_module('x')"),
    ],
    import_paths_are_left_alone: [("handlers.py", "import sys\nsys.path.insert(0, 'x')")],
    nothing_is_printed: [("cli.py", "print('x')")],
    no_bare_except: [("cli.py", "try:\n    x\nexcept:\n    pass")],
    nothing_stored_is_run: [("bridge/x.py", "eval(text)"), ("bridge/x.py", "import pickle")],
    everything_has_a_tooltip: [
        ("operators/x.py", "class POSEWRIGHT_OT_x(bpy.types.Operator):\n    bl_label = 'x'"),
        ("operators/x.py", "class POSEWRIGHT_OT_x(bpy.types.Operator):\n    bl_description = 'Ends in a full stop.'"),
        ("properties/x.py", "x = FloatProperty(name='x')"),
    ],
    drawing_touches_only_stored_values: [
        ("ui/x.py", "from .. import bridge\nclass P:\n    def draw(self, c):\n        bridge.pose.read(c)"),
        ("ui/x.py", "def draw_row(row, c):\n    c.object.evaluated_get(c)"),
        ("ui/x.py", "from .. import bridge\ndef draw(s, c):\n    s.rows(c)\ndef rows(s, c):\n    bridge.pose.read(c)"),
        ("ui/x.py", "def draw(s, c):\n    for o in bpy.data.objects: s.layout.label(text=o.name)"),
        ("ui/x.py", "def draw(s, c):\n    c.view_layer.update()"),
    ],
    classes_and_operators_carry_our_name: [
        ("ui/x.py", "class Sidebar(bpy.types.Panel): pass"),
        ("operators/x.py", "class POSEWRIGHT_OT_x(bpy.types.Operator):\n    bl_idname = 'pose.x'"),
    ],
    texts_can_be_translated: [
        ("ui/x.py", "layout.label(text=f'{count} goals')"),
        ("ui/x.py", "write(layout, f'Left out: {why}')"),
        ("ui/x.py", "spoken(f'{a}{b}')"),
    ],
    every_package_says_what_it_may_import: [("bridge/__init__.py", '"""Rooms."""')],
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_source_keeps_the_rule(rule: Rule) -> None:
    offences = [
        f"{path}:{line}: {what}"
        for path in FILES
        for line, what in rule(path, ast.parse((ROOT / path).read_text(encoding="utf-8")))
    ]
    assert not offences, "\n".join(["", *offences])


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [(rule, path, source) for rule, samples in RULES.items() for path, source in samples],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_rule_catches_code_that_breaks_it(rule: Rule, path: str, source: str) -> None:
    assert list(rule(Path(path), ast.parse(source)))


def test_every_part_has_its_arrows() -> None:
    assert {part_of(path) for path in FILES} == set(ARROWS)
