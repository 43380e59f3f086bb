"""Open the documentation that came with the add-on."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

FOLDER = Path(__file__).parents[1] / "help"  # made of docs/ when the zip is built


class POSEWRIGHT_OT_open_docs(bpy.types.Operator):
    """Pages on the disk, so that they fit this version and are there without a network."""

    bl_idname = "posewright.open_docs"
    bl_label = "Posewright Documentation"
    bl_description = "Read how Posewright is used, in the browser. The pages came with the add-on: nothing is fetched"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        page: str

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not FOLDER.is_dir():
            cls.poll_message_set("The pages are a part of the built zip; in a checkout they are in docs/")
            return False
        return True

    def execute(self, _context: bpy.types.Context) -> "set[OperatorReturnItems]":
        pages = {path.stem: path for path in FOLDER.glob("*.html")}
        if self.page not in pages:
            self.report({"ERROR"}, f"There is no page {self.page!r}; there are {', '.join(sorted(pages))}")
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=pages[self.page].as_uri())
        self.report({"INFO"}, f"If no browser shows it, open {pages[self.page]}")  # some may not read hidden folders
        return {"FINISHED"}


POSEWRIGHT_OT_open_docs.__annotations__ = {
    "page": StringProperty(name="Page", description="Which page is opened", default="index", options={"SKIP_SAVE"}),
}
