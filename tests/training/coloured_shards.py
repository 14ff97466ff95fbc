"""Shards of pictures that a colour tells apart, with shipped scene records."""

from pathlib import Path

import numpy as np
from PIL import Image

from po3d.benchmarks.registry import BENCHMARKS
from po3d.training.shards import write_shards

COUNT, EACH = 24, 5  # samples, and of them a shard
SIZE = (32, 24)


def coloured(folder: Path, root: Path | None = None) -> Path:
    """Write COUNT samples; the folder of their shards. It takes the package webdataset."""
    split = BENCHMARKS["superclevr"].load(BENCHMARKS["superclevr"].mini, "mini").first(COUNT)
    samples = []
    for k, name in enumerate(split.images):
        path = folder / f"{k}.png"
        Image.fromarray(np.full((SIZE[1], SIZE[0], 3), 10 * k, np.uint8)).save(path)
        samples.append((path, dict(split.source.record(name))))
    out = folder / "shards"
    assert write_shards(samples, out, ["own/street#1"], EACH, root) == COUNT
    again = folder / "again"
    write_shards(samples, again, ["own/street#1"], EACH, root)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {
        p.name: p.read_bytes() for p in again.iterdir()
    }
    return out


def number(pixels: np.ndarray) -> int:
    """Which sample the pixels (..., 3) are of."""
    return int(pixels[0, 0, 0]) // 10
