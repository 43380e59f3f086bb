"""Joins pictures to a GIF that plays for ever, all of them in the same colours."""

from pathlib import Path

from PIL import Image

COLOURS = 192


def film(pictures: list[Image.Image], path: Path, milliseconds: int) -> None:
    """Write the GIF. Its colours are those of four pictures from beginning to end."""
    sample = Image.new("RGB", (pictures[0].width, 4 * pictures[0].height))
    for number in range(4):
        sample.paste(pictures[number * (len(pictures) - 1) // 3], (0, number * pictures[0].height))
    # By coverage, not by how often a colour is there: a red ball is small and must stay red.
    palette = sample.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    frames = [one.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for one in pictures]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=milliseconds, loop=0, optimize=False)
