"""Makes the two pictures for the page of an extensions platform, of the scene that `make demo` has saved.

    .venv/demo/bin/python tools/listing.py DEMO.blend FOLDER

icon.png, 256 x 256, and featured.png, 1920 x 1080. The words of that page are in docs/listing/listing.md.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import bpy
import demo_film as film
import demo_stage as stage
from demo_stage import scene
from PIL import Image, ImageDraw, ImageFont

WIDE, HIGH, BAND = 1920, 1080, 150  # pixels
GREEN, PAPER = (15, 110, 102), (250, 247, 242)
SAMPLES = 24


class Strip(NamedTuple):
    """A part of the wide picture: a frame, where the camera is, what it looks at, its lens."""

    frame: int
    reaching: bool
    begin: stage.Place
    at: stage.Place
    lens: float


WALK = film.STAIRS_AT
STRIPS = (
    Strip(29, True, (1.9, -4.4, 1.45), (-0.16, -0.15, 0.93), 72.0),
    Strip(54, True, (1.9, -4.4, 1.45), (-0.16, -0.15, 0.93), 72.0),
    Strip(60, False, (WALK + 4.4, -3.2, 1.85), (WALK, -2.05, 1.30), 60.0),
)
ICON = Strip(54, True, (1.5, -4.4, 1.6), (-0.20, -0.15, 1.42), 150.0)


def shoot(strip: Strip, path: Path, size: tuple[int, int]) -> Image.Image:
    """A picture of a moment."""
    scene().frame_set(strip.frame)
    film.hide("Reacher", hidden=not strip.reaching)
    stage.look(strip.begin, strip.at, strip.lens)
    stage.picture(path, size)
    with Image.open(path) as made:
        return made.convert("RGBA")


def featured(folder: Path) -> None:
    """Three moments side by side above a line of words."""
    paper = Image.new("RGB", (WIDE, HIGH), GREEN)
    size = (WIDE // len(STRIPS), HIGH - BAND)
    for number, strip in enumerate(STRIPS):
        paper.paste(shoot(strip, folder / "part.png", size).convert("RGB"), (number * size[0], 0))
    pen = ImageDraw.Draw(paper)
    pen.text((48, HIGH - BAND + 22), "Posewright", PAPER, ImageFont.load_default(62))
    words = "drag a hand, pin the feet: the whole body follows"
    pen.text((430, HIGH - BAND + 48), words, PAPER, ImageFont.load_default(38))
    paper.save(folder / "featured.png", optimize=True)


def icon(folder: Path) -> None:
    """The figure with its ball, on a round corner of colour."""
    scene().render.film_transparent = True
    for name in ("Floor", "Stairs", "Block"):
        bpy.data.objects[name].hide_render = True
    figure = shoot(ICON, folder / "part.png", (512, 512))
    ground = Image.new("RGBA", (512, 512))
    ImageDraw.Draw(ground).rounded_rectangle((0, 0, 511, 511), 96, fill=(*GREEN, 255))
    shape = ground.getchannel("A")
    ground.alpha_composite(figure)
    ground.putalpha(shape)
    ground.resize((256, 256), Image.Resampling.LANCZOS).save(folder / "icon.png", optimize=True)


def main() -> None:
    """Both pictures."""
    saved, folder = (Path(name).resolve() for name in sys.argv[1:])
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    scene().cycles.samples = SAMPLES
    scene().render.image_settings.color_mode = "RGBA"
    featured(folder)
    icon(folder)
    (folder / "part.png").unlink()


if __name__ == "__main__":
    main()
    sys.stderr.flush()
    os._exit(0)  # with anything registered, some Blenders hang while the interpreter shuts down
