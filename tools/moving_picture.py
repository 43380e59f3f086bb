"""Joins pictures to a GIF that plays for ever, all of them in the same colours, small enough for a first page.

.venv/gui/bin/python tools/moving_picture.py OUT.gif PICTURE ...
"""

import sys
from pathlib import Path

from PIL import Image

WIDE = 480  # pixels
TIME = 90  # milliseconds that a picture is shown
COLOURS = 64


def film(pictures: list[Image.Image], path: Path, milliseconds: int, colours: int = 192, dither: bool = True) -> None:
    """Write the GIF. Its colours are those of four pictures from beginning to end."""
    sample = Image.new("RGB", (pictures[0].width, 4 * pictures[0].height))
    for number in range(4):
        sample.paste(pictures[number * (len(pictures) - 1) // 3], (0, number * pictures[0].height))
    # By coverage, not by how often a colour is there: a red ball is small and must stay red.
    palette = sample.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    how = Image.Dither.FLOYDSTEINBERG if dither else Image.Dither.NONE
    frames = [one.quantize(palette=palette, dither=how) for one in pictures]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=milliseconds, loop=0, optimize=False)


def main() -> None:
    """Shrink the pictures that the command line names, and join them."""
    out, *names = (Path(name) for name in sys.argv[1:])
    pictures = []
    for name in names:
        with Image.open(name) as whole:
            high = round(WIDE * whole.height / whole.width)
            pictures.append(whole.convert("RGB").resize((WIDE, high), Image.Resampling.LANCZOS))
    film(pictures, out, TIME, COLOURS, dither=False)  # dots of a dither would differ from picture to picture: large


if __name__ == "__main__":
    main()
