"""Shows what Posewright does, without a window: a mannequin reaches for a ball, another walks up stairs.

    python3.11 tools/demo.py [--out FOLDER]

Everything is made in code by the add-on itself, in Blender as a Python module. Ends in three files, and says
what is to be seen in them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import build
import environments
import pictures as documented
from environments import ROOT

COMPILE = "from posewright import compile_ahead as c; r = c.fill('posewright'); print(r.problem or 'compiled')"
SEEN = """
Look at
  {out}/demo.png    top: the mannequin as added, dragged by one hand with its feet pinned, looking at the ball;
                    below: a walk that was made on a flat floor, and the same walk put onto stairs
  {out}/demo.gif    the same, moving
  {out}/demo.blend  open it in Blender 5.0 or later and press play: these two play what was baked. With Posewright
                    installed, the mannequin "Yours" beside them, with pinned feet, is to be dragged: select it, go to
                    Pose Mode, take the tool Posewright. "Feet > Before / After" of the Walker compares both walks
"""


def main() -> int:
    """Set up, compile, film."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "out", help="where the files go")
    parser.add_argument("--listing", action="store_true", help="put what was made into docs/, and make docs/listing/")
    asked = parser.parse_args()
    out: Path = asked.out.absolute()
    environments.ensure_libraries()
    python = environments.ensure("demo")
    if asked.listing:
        if not (out / "demo.blend").exists():
            environments.fail(f"{out}/demo.blend is not there: make demo")
        pictures = [python, ROOT / "tools" / "listing.py", out / "demo.blend", ROOT / "docs" / "listing"]
        made = subprocess.run(pictures, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603
        if made == 0:
            shutil.copy(out / "demo.gif", documented.FOLDER / "demo.gif")
            documented.note("demo")
        return made
    begun = time.monotonic()
    build.print_line("compiling the solvers (a minute or two, only the first time)")
    compiled = subprocess.run([python, "-c", COMPILE], capture_output=True, text=True, check=False)  # noqa: S603
    problem = compiled.stdout.strip().splitlines()[-1:] or compiled.stderr.strip().splitlines()[-1:]
    if problem != ["compiled"]:
        build.print_line(f"  they run interpreted, which is slow: {' '.join(problem)}")
    build.print_line(f"the solvers are ready after {time.monotonic() - begun:.0f} s; now the demonstration")
    begun = time.monotonic()
    command = [python, ROOT / "tools" / "demo_film.py", out]
    # What Blender says of each picture goes nowhere; our own lines are written to the standard error.
    made = subprocess.run(command, env=os.environ, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603
    if made != 0 or not (out / "demo.gif").exists():
        build.print_line(f"posewright: the demonstration ended with code {made} before it was done")
        return 1
    build.print_line(f"done in {time.monotonic() - begun:.0f} s" + SEEN.format(out=out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
