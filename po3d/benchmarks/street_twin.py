"""The scenes of a twin of streets, in shards: any number of processes, any order. What its questions are is its benchmark's.

    OUT/shards/*.json, OUT/images/*.jpg ──► the benchmark's files; the shards go

Every file is whole or absent and a pure function of the arguments, so a killed run is continued by the same command. The
renderer is an extra, so this is imported when a twin is made."""

import collections
import functools
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.benchmarks.twin_folder import claimed
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.pools import each
from po3d.synthesis.difficulty import DEFAULT, Dials
from po3d.synthesis.render.official import OFFICIAL_LOOKS
from po3d.synthesis.render.photographs import Photographs
from po3d.synthesis.street.dataset import image_name, make_scene, open_renderer, picture, scene_record
from po3d.synthesis.street.drawing import Drawing
from po3d.synthesis.street.layouts import LOOKS, MESHES

SHARD = 10  # scenes a file
SAMPLES = 4  # smooth edges
JPEG_QUALITY = 78
FINE_QUALITY = 94  # of Blender's pictures


def write(
    out: Path,
    version: str,
    size: int,
    seed: int,
    look: str | None,
    images: bool,
    workers: int,
    split: str,
    skies: str | None,
    dials: Dials,
    drawing: Drawing,
    last: Path,
    finish: Callable[[list[dict], dict], None],
) -> None:
    """A twin of streets in the folder `out`: pictures and scene records, which `finish` writes with their questions, given them and
    what the files say of themselves. `version` names its format; `last` is written last: where it is, all is."""
    check(size, look, split, workers)
    identity = {"format": version, "size": size, "seed": seed, "look": look, "images": images, "split": split}
    drawing.check(look)
    identity |= drawing.identity()
    if skies is not None:
        identity["skies"] = [path.name for path in Photographs.of(skies).paths]
    if dials != DEFAULT:
        identity["dials"] = dials.changed()
    description = claimed(out, identity)
    if last.exists():
        return
    open_renderer(SAMPLES)  # where there is none, that shows before anything is written
    write_json(description, identity)
    scenes = _scenes(out, size, seed, look, images, workers, split, skies, dials, drawing)
    finish(scenes, {"version": "1.0", "split": split, "generator": version})
    for torn in out.glob("*/.*.tmp"):  # what killed writers left
        torn.unlink()
    shutil.rmtree(out / "shards")


def check(size: int, look: str | None, split: str, workers: int = 1) -> None:
    """InputError for what no twin of streets can be."""
    if size < 1 or workers < 1:
        raise InputError(f"size and workers should be at least 1, not {size} and {workers}")
    known = (*LOOKS, *OFFICIAL_LOOKS)
    if look is not None and look not in known:
        raise InputError(
            f"unknown look {look!r}; known: {', '.join(known)}, or null for the first two in turn"
        )
    if split not in MESHES:
        raise InputError(f"unknown split {split!r}; known: {', '.join(MESHES)}")


def _scenes(
    out: Path,
    size: int,
    seed: int,
    look: str | None,
    images: bool,
    workers: int,
    split: str,
    skies: str | None,
    dials: Dials,
    drawing: Drawing,
) -> list[dict]:
    """All scene records in order; shards that exist are not made again."""
    shard = (
        SHARD if drawing.renderer == "own" else 1
    )  # minutes of Blender's would be lost, and hide how far it is
    shards = [(k, out / "shards" / f"{k:05d}.json") for k in range(-(-size // shard))]
    make = functools.partial(
        _make_shard,
        shard=shard,
        out=out,
        size=size,
        seed=seed,
        look=look,
        images=images,
        split=split,
        skies=skies,
        dials=dials,
        drawing=drawing,
    )
    todo = [k for k, path in shards if not path.exists()]
    made = each(make, todo, min(workers, len(todo)), "rendering", "shard", len(shards) - len(todo), 1)
    collections.deque(made, maxlen=0)
    return [record for _, path in shards for record in read_json(path, "shard")]


def _make_shard(
    k: int,
    shard: int,
    out: Path,
    size: int,
    seed: int,
    look: str | None,
    images: bool,
    split: str,
    skies: str | None,
    dials: Dials,
    drawing: Drawing,
) -> None:
    """Images and records of shard k; its file, written last, says that it is complete."""
    renderer = open_renderer(SAMPLES)
    quality = JPEG_QUALITY if drawing.renderer == "own" else FINE_QUALITY
    records = []
    for index in range(k * shard, min((k + 1) * shard, size)):
        made = make_scene(seed, index, split, renderer, look_of(look, index), dials, drawing.official())
        path = out / "images" / image_name(index)
        if images and not path.exists():  # Blender takes its time; a picture that a killed run left is whole
            with atomic_write(path, "wb") as file:
                file.write(encode(drawing.picture(made, renderer, skies), quality))
        records.append(scene_record(made, index, split))
    write_json(out / "shards" / f"{k:05d}.json", records, indent=None)


def encode(image: NDArray[np.uint8], quality: int = JPEG_QUALITY) -> bytes:
    """JPEG bytes of (H, W, 3) pixels."""
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "JPEG", quality=quality, optimize=True)
    return buffer.getvalue()


@dataclass(frozen=True)
class Tables:
    """A twin without files; a source of pictures and true scene records."""

    seed: int
    split: str
    look: str | None
    scenes: dict[str, dict]  # image name -> record
    questions: dict[str, list[dict]] = field(default_factory=dict)
    dials: Dials = DEFAULT

    def image(self, name: str) -> NDArray[np.uint8]:
        index = self.scenes[name]["image_index"]
        renderer = open_renderer(SAMPLES)
        look = look_of(self.look, index)
        return picture(make_scene(self.seed, index, self.split, renderer, look, self.dials), renderer)

    def record(self, name: str) -> dict | None:
        return self.scenes.get(name)


def look_of(look: str | None, index: int) -> str:
    return look or LOOKS[index % len(LOOKS)]
