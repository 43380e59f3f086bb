"""The demonstration itself, inside Blender: one mannequin reaches, one walks up stairs, one is there to be tried on.

    python tools/demo_film.py FOLDER

Run by tools/demo.py in an environment that has bpy, Pillow and Posewright. All that an animator would do by mouse is
done by the same operators and properties here.
"""

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import demo_stage as stage
import demo_walk as walk
from demo_stage import scene
from mathutils import Euler, Matrix, Vector
from moving_picture import film

import posewright

call: Any = bpy.ops.posewright  # type: ignore[attr-defined]
RATE = 24
CYCLE = 26  # frames of a stride
WALKED = 92  # frames
REACH = 60
LEAN = math.radians(4.0)  # of the walker's chest, forward
STAIRS_AT = 3.0  # x of the walker
YOURS_AT = (-1.6, 0.0, 0.0)  # clear of the reacher's block, which ends at x = -0.45
TREAD, RISE = 0.5 * walk.STRIDE, 0.15
CELL, FRAME = (400, 420), (320, 240)  # pixels
BEFORE = (48, "before", "A walk made for a flat floor")
AFTER = ((48, "after", "Place Feet: on the stairs"), (74, "later", "... and up to the landing"))
SHEET = (("rest", "low", "high"), ("before", "after", "later"))


@contextmanager
def said(what: str) -> Iterator[None]:
    """A line for a stage, with how long it took."""
    sys.stderr.write(f"  {what} ... ")
    sys.stderr.flush()
    begun, burnt = time.perf_counter(), time.process_time()
    yield
    sys.stderr.write(f"{time.perf_counter() - begun:.1f} s ({time.process_time() - burnt:.1f} s of CPU)\n")
    sys.stderr.flush()


def update() -> None:
    """Let Blender evaluate the scene, and live posing follow."""
    bpy.context.view_layer.update()  # type: ignore[union-attr]


def mannequin(name: str, place: stage.Place) -> Any:  # noqa: ANN401 - the stubs do not know our properties
    """Add a mannequin and set it up, as Add > Armature > Posewright Mannequin and Set Up do."""
    call.add_mannequin(location=place, rotation=(0, 0, 0))
    made: Any = bpy.context.object
    made.name = name
    call.set_up()
    return made


def goal(character: Any, bone: str) -> Any:  # noqa: ANN401
    """The goal of a bone."""
    return next(one for one in character.posewright_goals if one.bone == bone)


def pin(character: Any, bone: str, which: str) -> None:  # noqa: ANN401
    """Pin a bone's goal where it is; a bone without a goal gets one."""
    if not any(one.bone == bone for one in character.posewright_goals):
        call.goal_add(bone=bone)
    names = [one.bone for one in character.posewright_goals]
    call.goal_pin(index=names.index(bone), which=which)


def activate(character: Any) -> None:  # noqa: ANN401
    """Make a character the one that operators act on."""
    for other in scene().objects:
        other.select_set(other == character)
    bpy.context.view_layer.objects.active = character  # type: ignore[union-attr]


def set_keys(owner: Any, name: str, values: dict[int, Any]) -> None:  # noqa: ANN401
    """Key a property of a goal or an object."""
    for frame, value in values.items():
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def reach(character: Any, ball: Any) -> None:  # noqa: ANN401
    """Pinned feet, a hand that goes down to a ball and lifts it, a head that looks at it: goals with keys."""
    for bone, which in (("foot.L", "BOTH"), ("foot.R", "BOTH"), ("hand.R", "PLACE"), ("hand.L", "PLACE")):
        pin(character, bone, which)
    right, left = goal(character, "hand.R"), goal(character, "hand.L")
    low, high = Vector(ball.location), Vector((-0.42, -0.42, 1.72))
    above = Vector((0.0, 0.02, 0.085))  # the wrist, where the palm holds the ball
    set_keys(right, "place", {1: (-0.30, -0.06, 0.86), 8: (-0.30, -0.06, 0.86), 26: low + above, 32: low + above})
    set_keys(right, "place", {50: high + Vector((0.0, 0.03, -0.085)), REACH: high + Vector((0.0, 0.03, -0.085))})
    set_keys(left, "place", {1: (0.28, -0.04, 0.85), 8: (0.28, -0.04, 0.85), 26: (0.20, -0.20, 0.60)})
    set_keys(left, "place", {32: (0.20, -0.20, 0.60), 50: (0.31, 0.06, 0.88), REACH: (0.31, 0.06, 0.88)})
    set_keys(ball, "location", {32: low, 50: high})
    call.goal_add(bone="head", kind="LOOK_AT")
    eyes = character.posewright_goals[len(character.posewright_goals) - 1]
    eyes.direction, eyes.target, eyes.state = "Z", ball, "FOLLOWING"


def stroll(character: Any) -> None:  # noqa: ANN401
    """Keys for the goals of a walk along -Y."""
    bones = ("pelvis", "chest", "hand.L", "hand.R", "foot.L", "foot.R", "toe.L", "toe.R")
    for bone in bones:
        pin(character, bone, "BOTH")
    goals = {bone: goal(character, bone) for bone in bones}  # not before: a new one moves the others in memory
    for bone in ("chest", "toe.L", "toe.R"):
        goals[bone].position = 0.0
    goals["hand.L"].orientation = goals["hand.R"].orientation = 0.0
    places = {bone: Vector(one.place) for bone, one in goals.items()}
    turns = {bone: one.turn.copy() for bone, one in goals.items()}
    for frame in range(1, WALKED + 1):
        now = (frame - 1) / CYCLE
        body = walk.trunk(now)
        wanted: dict[str, tuple[Vector, Matrix]] = {
            "pelvis": (places["pelvis"] + Vector(body.shift), _turn(roll=body.pelvis_roll, yaw=body.pelvis_yaw)),
            "chest": (places["chest"], _turn(pitch=LEAN, yaw=body.chest_yaw)),
        }
        for side, late, sign in (("L", 0.0, 1.0), ("R", 0.5, -1.0)):
            step = walk.foot(now + late)
            ahead = late * walk.STRIDE
            ankle = places[f"foot.{side}"] + Vector((-0.035 * sign, step.y + ahead, step.z))
            wanted[f"foot.{side}"] = (ankle, _turn(pitch=step.pitch))
            wanted[f"toe.{side}"] = (ankle, _turn(pitch=step.toes))
            y, z = walk.hand(now + late)
            wrist = Vector((STAIRS_AT + sign * 0.285 + 0.4 * body.shift[0], places["chest"].y + y, 0.82 + z))
            wanted[f"hand.{side}"] = (wrist + Vector((0.0, body.shift[1], body.shift[2])), _turn())
        for bone, (place, turned) in wanted.items():
            one = goals[bone]
            set_keys(one, "place", {frame: place})
            set_keys(one, "turn", {frame: turned.to_quaternion() @ turns[bone]})


def _turn(pitch: float = 0.0, roll: float = 0.0, yaw: float = 0.0) -> Matrix:
    return Euler((pitch, roll, yaw)).to_matrix()


def bake(character: Any, last: int) -> str:  # noqa: ANN401
    """What the goals do becomes keys."""
    activate(character)
    character.posewright_bake_range = "CUSTOM"
    character.posewright_bake_first, character.posewright_bake_last = 1, last
    call.bake()
    found: str = character.animation_data.action.name
    return found


def view_reach(lens: float = 72.0) -> None:
    """The camera for the reach; the walker stands out of sight."""
    hide("Reacher", hidden=False)
    stage.look((1.9, -4.4, 1.45), (-0.14, -0.15, 0.98), lens)


def view_walk(frame: int, still: bool = False) -> None:
    """The camera for the walk goes along a little; nobody stands behind the walker."""
    hide("Reacher", hidden=True)
    way = -1.6 if still else 0.2 - 0.8 * walk.STRIDE * frame / CYCLE
    up = 0.0 if still else 4 * RISE * min(1.0, max(0.0, (frame - CYCLE) / (2 * CYCLE)))
    stage.look((STAIRS_AT + 4.4, way - 1.5, 1.75 + up), (STAIRS_AT, way - 0.2, 1.0 + up), 50)


def hide(name: str, hidden: bool) -> None:
    """Take a mannequin, its ball and its block out of the picture, or put them back."""
    for thing in (*bpy.data.objects[name].children, bpy.data.objects["Ball"], bpy.data.objects["Block"]):
        thing.hide_render = hidden


def yours() -> None:
    """One more mannequin, not baked and in no picture, to be dragged by whoever opens the file."""
    made = mannequin("Yours", YOURS_AT)
    for bone in ("foot.L", "foot.R"):
        pin(made, bone, "BOTH")
    for skin in made.children:
        skin.hide_render = True
    activate(made)
    update()


def material_of(name: str) -> bpy.types.Material:
    """The material that an object has."""
    data: Any = bpy.data.objects[name].data
    found: bpy.types.Material = data.materials[0]
    return found


class Film:
    """The demonstration, stage by stage; its files go below a folder."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.work = out / "demo"
        self.work.mkdir(parents=True, exist_ok=True)
        self.shots: dict[str, Any] = {}

    def shoot(self, frame: int, name: str, words: str) -> None:
        """A picture for the sheet."""
        scene().frame_set(frame)
        self.shots[name] = (stage.picture(self.work / f"{name}.png", CELL), words)

    def build(self) -> None:
        """The scene."""
        bpy.ops.wm.read_homefile(use_empty=True)
        posewright.register()
        scene().render.fps = RATE
        scene().frame_start, scene().frame_end = 1, WALKED
        stage.light()
        stage.camera()
        first = 0.5 * TREAD - 0.07 - walk.STRIDE  # the left foot's second step is on the first of them
        stage.ground(stage.floor(), stage.stairs(first, TREAD, RISE, 4, (STAIRS_AT - 0.6, STAIRS_AT + 0.6)))
        block = [(-0.75, 0.0), (-0.40, 0.0), (-0.40, 0.22), (-0.75, 0.22)]
        stage.solid("Block", block, -0.45, -0.12, material_of("Stairs"))
        self.ball = stage.ball((-0.28, -0.56, 0.285), 0.065)
        self.walker = mannequin("Walker", (STAIRS_AT, 0, 0))
        self.reacher = mannequin("Reacher", (0, 0, 0))
        update()

    def play(self) -> None:
        """Everything, with a line for each stage."""
        with said("building two mannequins, stairs and light in code"):
            self.build()
        with said("a picture of the mannequin as it was added"):
            view_reach()
            self.shoot(1, "rest", "As added: bones and skin")
        with said("posing it by goals: feet pinned, a hand dragged, the head looks"):
            reach(self.reacher, self.ball)
        with said("two pictures of that"):
            self.shoot(29, "low", "One hand dragged, the feet pinned")
            self.shoot(54, "high", "The head looks at the ball")
        with said(f"baking the reach, {REACH} frames"):
            bake(self.reacher, REACH)
        with said(f"a walk of goals with keys, baked, {WALKED} frames"):
            activate(self.walker)
            stroll(self.walker)
            bake(self.walker, WALKED)
        view_walk(0, still=True)
        with said("a picture of the walk, as it was made for a flat floor"):
            self.shoot(*BEFORE)
        with said("putting its feet onto the stairs"):
            self.walker.posewright_feet_ground = "COLLECTION"
            self.walker.posewright_feet_collection = bpy.data.collections["Ground"]
            call.place_feet()
        with said("two pictures of that"):
            for shown in AFTER:
                self.shoot(*shown)
        with said("out/demo.blend and out/demo.png"):
            view_reach()
            scene().frame_set(1)
            yours()
            bpy.ops.wm.save_as_mainfile(filepath=str(self.out / "demo.blend"), compress=True)
            rows = [[self.shots[name] for name in row] for row in SHEET]
            stage.sheet(rows, "Posewright: drag a hand, the whole body follows").save(self.out / "demo.png")
        with said("out/demo.gif"):
            self.move()

    def move(self) -> None:
        """The moving picture: first the reach, then the walk."""
        frames = [*((frame, True) for frame in range(7, REACH - 2, 3)), *((f, False) for f in range(4, WALKED, 3))]
        pictures = []
        for number, (frame, reaching) in enumerate(frames, start=1):
            sys.stderr.write(f"\r  out/demo.gif: picture {number} of {len(frames)} ... ")
            sys.stderr.flush()
            scene().frame_set(frame)
            view_reach(54.0) if reaching else view_walk(frame)
            pictures.append(stage.picture(self.work / "frame.png", FRAME))
        film(pictures, self.out / "demo.gif", 1000 * 3 // RATE)


if __name__ == "__main__":
    Film(Path(sys.argv[1]).resolve()).play()
    sys.stderr.flush()
    os._exit(0)  # with anything registered, some Blenders hang while the interpreter shuts down
