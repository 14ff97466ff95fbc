"""The scenes of a twin of streets, in shards: any number of processes, any order. What its questions are is its benchmark's.

    OUT/shards/*.json, OUT/images/*.jpg ──► the benchmark's files; the shards go

Every file is whole or absent and a pure function of the arguments, so a killed run is continued by the same command. The
renderer is an extra, so this is imported when a twin is made."""

import collections
import functools
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.twin_folder import claimed
from po3d.io.errors import InputError, known
from po3d.io.files import read_json, write_file, write_json
from po3d.io.images import jpeg
from po3d.io.pools import each
from po3d.synthesis.difficulty import DEFAULT, Dials
from po3d.synthesis.render.official import OFFICIAL_LOOKS
from po3d.synthesis.render.photographs import Photographs
from po3d.synthesis.street.dataset import Made, image_name, make_scene, open_renderer, scene_record
from po3d.synthesis.street.drawing import OURS, Drawing
from po3d.synthesis.street.layouts import LOOKS, MESHES

SHARD = 10  # scenes a file
SAMPLES = 4  # smooth edges
JPEG_QUALITY = 78
FINE_QUALITY = 94  # of Blender's pictures


@dataclass(frozen=True)
class StreetTwin:
    """What a twin of streets follows from. `look` None: studio and outdoor in turn; `images` False: everything but the pictures;
    `split`: which vehicles; `skies`: a folder of photographs for outdoor pictures; `dials`: how hard; `drawing`: by whom, and of
    what vehicles. InputError for what none can be."""

    size: int
    seed: int = 0
    look: str | None = None
    images: bool = True
    split: str = "test"
    skies: str | None = None
    dials: Dials = DEFAULT
    drawing: Drawing = OURS

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"size should be at least 1, not {self.size}")
        looks = (*LOOKS, *OFFICIAL_LOOKS)
        if self.look is not None and self.look not in looks:
            raise InputError(
                f"unknown look {self.look!r}; known: {', '.join(looks)}, or null for the first two in turn"
            )
        known("split", self.split, MESHES)

    def identity(self) -> dict:
        """What tells it from others in its description; what is as it comes is left out."""
        found = {key: getattr(self, key) for key in ("size", "seed", "look", "images", "split")}
        found |= self.drawing.identity()
        if self.skies is not None:
            found["skies"] = [path.name for path in Photographs.of(self.skies).paths]
        if self.dials != DEFAULT:
            found["dials"] = self.dials.changed()
        return found

    def scene(self, index: int) -> Made:
        """Scene `index`; only masks are rendered."""
        look = self.look or LOOKS[index % len(LOOKS)]
        renderer = open_renderer(SAMPLES)
        return make_scene(self.seed, index, self.split, renderer, look, self.dials, self.drawing.official())

    def picture(self, made: Made) -> NDArray[np.uint8]:
        """(H, W, 3) sRGB of a scene."""
        return self.drawing.picture(made, open_renderer(SAMPLES), self.skies)

    def record(self, made: Made, index: int) -> dict:
        return scene_record(made, index, self.split)


def write(
    out: Path,
    version: str,
    twin: StreetTwin,
    workers: int,
    last: Path,
    finish: Callable[[list[dict], dict], None],
) -> None:
    """A twin of streets in the folder `out`: pictures and scene records, which `finish` writes with their questions, given them and
    what the files say of themselves. `version` names its format; `last` is written last: where it is, all is."""
    if workers < 1:
        raise InputError(f"workers should be at least 1, not {workers}")
    twin.drawing.check(twin.look)
    identity = {"format": version, **twin.identity()}
    description = claimed(out, identity)
    if last.exists():
        return
    open_renderer(SAMPLES)  # where there is none, that shows before anything is written
    write_json(description, identity)
    scenes = _scenes(out, twin, workers)
    finish(scenes, {"version": "1.0", "split": twin.split, "generator": version})
    for torn in out.glob("*/.*.tmp"):  # what killed writers left
        torn.unlink()
    shutil.rmtree(out / "shards")


def _scenes(out: Path, twin: StreetTwin, workers: int) -> list[dict]:
    """All scene records in order; shards that exist are not made again."""
    # Minutes of Blender's would be lost, and hide how far it is.
    shard = SHARD if twin.drawing.renderer == "own" else 1
    shards = [(k, out / "shards" / f"{k:05d}.json") for k in range(-(-twin.size // shard))]
    make = functools.partial(_make_shard, shard=shard, out=out, twin=twin)
    todo = [k for k, path in shards if not path.exists()]
    made = each(make, todo, min(workers, len(todo)), "rendering", "shard", len(shards) - len(todo), 1)
    collections.deque(made, maxlen=0)
    return [record for _, path in shards for record in read_json(path, "shard")]


def _make_shard(k: int, shard: int, out: Path, twin: StreetTwin) -> None:
    """Images and records of shard k; its file, written last, says that it is complete."""
    quality = JPEG_QUALITY if twin.drawing.renderer == "own" else FINE_QUALITY
    records = []
    for index in range(k * shard, min((k + 1) * shard, twin.size)):
        made, path = twin.scene(index), out / "images" / image_name(index)
        if twin.images and not path.exists():  # Blender takes its time; what a killed run left is whole
            write_file(path, jpeg(twin.picture(made), quality))
        records.append(twin.record(made, index))
    write_json(out / "shards" / f"{k:05d}.json", records, indent=None)


@dataclass(frozen=True)
class Tables:
    """A twin without files; a source of pictures and true scene records."""

    twin: StreetTwin
    scenes: dict[str, dict]  # image name -> record
    questions: dict[str, list[dict]] = field(default_factory=dict)

    def image(self, name: str) -> NDArray[np.uint8]:
        return self.twin.picture(self.twin.scene(self.scenes[name]["image_index"]))

    def record(self, name: str) -> dict | None:
        return self.scenes.get(name)
