"""A furniture library of boxes: every model that rooms and orbit scenes are drawn with, at its
size. The front is yellow, the rest grey, so that a picture shows which way a thing looks.
"""

import zipfile
from pathlib import Path

from po3d.synthesis.furniture.models import TURNS
from po3d.synthesis.splits import catalogue

# The front of the file's axes is +z.
OBJ = """mtllib /box.mtl
v -1 0 -1\nv 1 0 -1\nv 1 2 -1\nv -1 2 -1\nv -1 0 1\nv 1 0 1\nv 1 2 1\nv -1 2 1
usemtl rest
f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 4 8 7 3\nf 1 5 8 4
usemtl front
f 5 6 7 8
"""
MTL = "newmtl rest\nKd 0.3 0.3 0.3\nnewmtl front\nKd 0.9 0.9 0.1\n"
SIDES = ("width", "depth", "height")


def boxes_library(folder: Path) -> Path:
    """`folder`, with boxes.sh3f in it."""
    lines = []
    for k, model in enumerate(catalogue().values(), 1):
        turned = (
            abs(TURNS.get(model.name, 0.0)) == 90.0
        )  # its nose points to a side in the libraries
        sides = (model.depth, model.width) if turned else (model.width, model.depth)
        lines += [f"id#{k}={model.name}", f"name#{k}=box", f"model#{k}=/box.obj"]
        lines += [f"{side}#{k}={100 * size}" for side, size in zip(SIDES, (*sides, model.height))]
    with zipfile.ZipFile(folder / "boxes.sh3f", "w") as archive:
        archive.writestr("PluginFurnitureCatalog.properties", "\n".join(lines))
        archive.writestr("box.obj", OBJ.replace("/box.mtl", "box.mtl"))
        archive.writestr("box.mtl", MTL)
    return folder
