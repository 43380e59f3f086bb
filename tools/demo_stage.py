"""Floor, stairs, light and camera of the demonstration, and pictures of it."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image, ImageDraw, ImageFont

SAMPLES = 8
PAPER, INK = (246, 243, 238), (52, 46, 40)
Place = tuple[float, float, float]


def scene() -> Any:  # noqa: ANN401 - the stubs know Blender's own properties only
    """The scene, with all its properties."""
    return bpy.context.scene


def show(thing: Any) -> Any:  # noqa: ANN401 - an object of any kind
    """Put an object into the scene."""
    scene().collection.objects.link(thing)
    return thing


def ground(*things: Any) -> bpy.types.Collection:  # noqa: ANN401
    """A collection of what feet may stand on."""
    found = bpy.data.collections.new("Ground")
    scene().collection.children.link(found)
    for thing in things:
        scene().collection.objects.unlink(thing)
        found.objects.link(thing)
    return found


def material(name: str, colour: Place, roughness: float = 0.6) -> bpy.types.Material:
    """One colour."""
    made = bpy.data.materials.new(name)
    found: Any = made
    if found.node_tree is None:
        found.use_nodes = True
    shader = next(node for node in found.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    found.diffuse_color = (*colour, 1.0)
    return made


def solid(name: str, outline: list[tuple[float, float]], left: float, right: float, paint: bpy.types.Material) -> Any:  # noqa: ANN401
    """A body of one outline (y, z), counter-clockwise as seen from +X, from one x to another."""
    count = len(outline)
    places = [(x, y, z) for x in (right, left) for y, z in outline]
    sides = [(i, i + count, (i + 1) % count + count, (i + 1) % count) for i in range(count)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(places, [], [tuple(range(count)), tuple(range(2 * count - 1, count - 1, -1)), *sides])
    mesh.materials.append(paint)
    thing: Any = show(bpy.data.objects.new(name, mesh))
    bevel = thing.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.008, 2
    return thing


def stairs(first: float, tread: float, rise: float, count: int, x: tuple[float, float]) -> Any:  # noqa: ANN401
    """Stairs that go up along -Y from y = `first`, and a landing behind them."""
    outline = [(first, 0.0)]
    for step in range(count):
        outline += [(first - step * tread, (step + 1) * rise), (first - (step + 1) * tread, (step + 1) * rise)]
    end = first - count * tread - 1.2
    outline[-1] = (end, count * rise)
    outline.append((end, 0.0))
    return solid("Stairs", outline[::-1], *x, material("Stone", (0.56, 0.53, 0.49), 0.8))


def floor() -> Any:  # noqa: ANN401
    """A wide floor."""
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata([(-60, -60, 0), (60, -60, 0), (60, 60, 0), (-60, 60, 0)], [], [(0, 1, 2, 3)])
    mesh.materials.append(material("Floor", (0.27, 0.29, 0.31), 0.9))
    return show(bpy.data.objects.new("Floor", mesh))


def ball(place: Place, radius: float) -> Any:  # noqa: ANN401
    """Something to reach for."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=radius, location=place)
    thing: Any = bpy.context.object
    thing.name = "Ball"
    thing.data.materials.append(material("Ball", (0.55, 0.045, 0.03), 0.35))
    thing.data.polygons.foreach_set("use_smooth", np.ones(len(thing.data.polygons), bool))
    return thing


def light() -> None:
    """Late sun over the camera's shoulder, a little sky from everywhere."""
    world: Any = bpy.data.worlds.new("Sky")
    if world.node_tree is None:
        world.use_nodes = True
    sky = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    sky.inputs["Color"].default_value = (0.66, 0.74, 0.86, 1.0)
    sky.inputs["Strength"].default_value = 0.42
    scene().world = world
    sun: Any = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle, sun.color = 4.2, 0.06, (1.0, 0.88, 0.74)
    thing = show(bpy.data.objects.new("Sun", sun))
    thing.rotation_euler = Vector((-0.42, 0.62, -0.80)).to_track_quat("-Z", "Y").to_euler()
    scene().view_settings.look = "AgX - Medium High Contrast"


def camera() -> Any:  # noqa: ANN401
    """The camera; `look` aims it."""
    made: Any = show(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    scene().camera = made
    settings = scene()
    settings.render.engine = "CYCLES"
    settings.cycles.device = "CPU"
    settings.cycles.samples = SAMPLES
    settings.cycles.use_denoising = True
    settings.cycles.denoising_prefilter = settings.cycles.denoising_quality = "FAST"  # 1.6 s a picture instead of 4
    settings.cycles.max_bounces = 3
    settings.render.use_persistent_data = True
    settings.render.image_settings.file_format = "PNG"
    return made


def look(begin: Place, at: Place, lens: float) -> None:
    """Aim the camera."""
    made = scene().camera
    made.location = begin
    made.rotation_euler = (Vector(at) - Vector(begin)).to_track_quat("-Z", "Y").to_euler()
    made.data.lens = lens


def picture(path: Path, size: tuple[int, int]) -> Image.Image:
    """Render what is shown now."""
    render = scene().render
    render.resolution_x, render.resolution_y = size
    render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    with Image.open(path) as made:
        return made.convert("RGB")


def sheet(rows: list[list[tuple[Image.Image, str]]], title: str) -> Image.Image:
    """Pictures with a line of words under each, in rows."""
    gap, words, head = 16, 34, 60
    wide = max(sum(one.width + gap for one, _ in row) for row in rows) + gap
    high = head + sum(row[0][0].height + words + gap for row in rows) + gap
    paper = Image.new("RGB", (wide, high), PAPER)
    pen = ImageDraw.Draw(paper)
    pen.text((gap, 18), title, INK, ImageFont.load_default(26))
    top = head
    for row in rows:
        left = gap
        for one, said in row:
            paper.paste(one, (left, top))
            pen.text((left, top + one.height + 7), said, INK, ImageFont.load_default(17))
            left += one.width + gap
        top += row[0][0].height + words + gap
    return paper
