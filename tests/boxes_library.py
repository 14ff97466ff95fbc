"""A furniture library of boxes: every model that rooms and orbit scenes are drawn with, at its size. The front is yellow,
the rest grey, so that a picture shows which way a thing looks."""

import zipfile
from pathlib import Path

from po3d.synthesis.assets.room_models import CATALOGUE, TURNS
from po3d.synthesis.things import things

# The front of the file's axes is +z.
OBJ = """mtllib /box.mtl
v -1 0 -1\nv 1 0 -1\nv 1 2 -1\nv -1 2 -1\nv -1 0 1\nv 1 0 1\nv 1 2 1\nv -1 2 1
usemtl rest
f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 4 8 7 3\nf 1 5 8 4
usemtl front
f 5 6 7 8
"""
MTL = "newmtl rest\nKd 0.3 0.3 0.3\nnewmtl front\nKd 0.9 0.9 0.1\n"
TURNED = {"caballito", "toyTrain", "motorbike", "wheelbarrow"}  # their nose points to a side in the libraries
SIDES = ("width", "depth", "height")


def boxes_library(folder: Path) -> Path:
    """`folder`, with boxes.sh3f in it."""
    assert {name.partition("#")[2] for name in TURNS} >= TURNED
    lines, files = [], set()
    for k, name in enumerate(sorted({name for row in CATALOGUE.values() for name in row}), 1):
        lines += [f"id#{k}={name}", f"name#{k}=box", f"model#{k}=/box.obj"]
        lines += [f"{side}#{k}=100" for side in SIDES]
        files.add("box.obj")
    known = {model.path for thing in things().values() for model in thing.models}
    by_stem = {name.partition("#")[2]: name for name in TURNS}
    for k, model in enumerate((m for t in things().values() for m in t.models), 1000):
        stem = Path(model.path).stem
        width, depth = (model.depth, model.width) if stem in TURNED else (model.width, model.depth)
        lines += [f"id#{k}={by_stem.get(stem, model.path)}", f"name#{k}=box", f"model#{k}=/{model.path}"]
        lines += [f"{side}#{k}={100 * size}" for side, size in zip(SIDES, (width, depth, model.height))]
    with zipfile.ZipFile(folder / "boxes.sh3f", "w") as archive:
        archive.writestr("PluginFurnitureCatalog.properties", "\n".join(lines))
        for path in sorted(files | known):
            up = "../" * path.count("/")
            archive.writestr(path, OBJ.replace("/box.mtl", f"{up}box.mtl"))
        archive.writestr("box.mtl", MTL)
    return folder
