"""The first pose in five steps where numba does not run: slower, and with the reason in the panel.

A Blender of its own for each, so that nothing was imported before; what stands in numba's way is a file of that name.
"""

from pathlib import Path

import pytest

from .test_registration import in_a_fresh_blender

REFUSES = "Numba needs NumPy 2.x or less. Got NumPy 3.0."
IN_THE_WAY = {
    "not installed": ("raise ModuleNotFoundError(\"No module named 'numba'\", name='numba')", "numba is not installed"),
    "refuses its numpy": (f"raise ImportError({REFUSES!r})", f"numba could not be loaded: {REFUSES}"),
}
STEPS = """
call, context = bpy.ops.posewright, bpy.context
bpy.ops.wm.read_homefile(use_empty=True)
context.scene.render.fps = 24

call.add_mannequin()
call.set_up()
bpy.ops.object.mode_set(mode="POSE")
hero = context.object
for bone in hero.pose.bones:
    (bone if hasattr(bone, "select") else bone.bone).select = bone.name in {"foot.L", "foot.R"}
call.pin_bones(which="BOTH")
place = {name: hero.pose.bones[name].head.copy() for name in ("hand.L", "foot.L", "foot.R", "pelvis")}

hand = next(goal for goal in hero.posewright_goals if goal.bone == "hand.L")
wanted = (0.15, -0.45, 0.45)
hand.place, hand.dragged = wanted, True
context.view_layer.update()
hand.dragged = False
context.view_layer.update()
call.key(which="BODY")

def went(name):
    return (hero.pose.bones[name].head - place[name]).length

package = sys.modules[add_on]
answer = {
    "states": sorted(goal.bone for goal in hero.posewright_goals if goal.state == "PINNED"),
    "feet": max(went("foot.L"), went("foot.R")),
    "pelvis": went("pelvis"),
    "off": max(abs(a - b) for a, b in zip(hero.pose.bones["hand.L"].head, wanted)),
    "keyed": hero.animation_data is not None and hero.animation_data.action is not None,
    "problem": package.compiled.problem(),
}
"""


@pytest.mark.parametrize("why", IN_THE_WAY)
def test_the_five_steps_go_without_numba(why: str, installed: str, tmp_path: Path) -> None:
    raised, told = IN_THE_WAY[why]
    (tmp_path / "numba.py").write_text(raised)
    # Not before: the add-on's own wheels are put onto the path when it is enabled.
    begin = f"add_on = {installed!r}\naddon_utils.enable(add_on)\nsys.path.insert(0, {str(tmp_path)!r})\n"
    answer = in_a_fresh_blender(begin + STEPS)
    assert isinstance(answer, dict)
    assert answer["problem"] == told
    assert answer["states"] == ["foot.L", "foot.R"]
    assert answer["off"] < 1e-3, "the hand did not get there"
    assert answer["feet"] < 1e-3, "the feet have moved"
    assert answer["pelvis"] > 0.05, "the body did not follow"  # an arm alone ends 0.8 m above the floor
    assert answer["keyed"]
