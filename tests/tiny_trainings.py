"""The five trainings, small enough to run in a second: noise for pictures, a few sentences with a
few words.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch.utils.data import Dataset

from po3d.io.seeding import rng
from po3d.perception import room_view, top_view
from po3d.training import parser, room_parser
from po3d.training.estimator import EstimatorModule
from po3d.training.labels import MAX_OBJECTS, RoomLabels, StreetLabels
from po3d.training.run import seeded, train
from po3d.training.samplers import StreamData
from po3d.training.view_labels import ViewLabels

NETWORK = dict(backbone="test_resnet", width=96, height=64, neck=8, hidden=16)
SIZES = {"street": (96, 64), "top_view": (64, 64), "room_view": (96, 64)}
THINGS = 4
SAMPLES, BATCH = 16, 2
KINDS = ("street", "top_view", "room_view", "street_parser", "room_parser")


@dataclass
class Noise(Dataset):
    """Random pixels and labels of a world, as a picture-free stand-in for rendered scenes."""

    size: int
    width: int = 96
    height: int = 64
    world: str = "street"

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        if not 0 <= index < self.size:
            raise IndexError(index)
        r = rng(0, f"noise-{self.world}", index)
        labels = LABELS[self.world](r, int(r.integers(1, THINGS)))
        pixels = r.integers(0, 255, (self.height, self.width, 3), dtype=np.uint8)
        return {"image": pixels, **labels._asdict()}


def _street(r: np.random.Generator, things: int) -> StreetLabels:
    n = MAX_OBJECTS
    return StreetLabels(
        np.arange(n) < things,
        r.uniform(100, 400, (n, 9, 2)).astype(np.float32),
        r.integers(0, 21, n),
        r.integers(0, 8, n),
        r.integers(0, 2, n),
        r.integers(0, 2, n),
        r.uniform(-3, 3, n).astype(np.float32),
        r.integers(0, n + 1, n),
    )


def _words(r: np.random.Generator, attributes: dict[str, tuple[str, ...]]) -> list[np.ndarray]:
    return [r.integers(-1, len(values), THINGS) for values in attributes.values()]


def _top_view(r: np.random.Generator, things: int) -> RoomLabels:
    n = THINGS
    return RoomLabels(
        np.arange(n) < things,
        r.uniform(50, 450, (n, 9, 2)).astype(np.float32),
        *_words(r, top_view.ATTRIBUTES),
        r.uniform(-3, 3, n).astype(np.float32),
        r.uniform(0.2, 2, (n, 3)).astype(np.float32),
        r.integers(0, 2, n),
    )


def _room_view(r: np.random.Generator, things: int) -> ViewLabels:
    n = THINGS
    corner = r.uniform(50, 350, (n, 2))
    return ViewLabels(
        np.arange(n) < things,
        r.uniform(100, 400, (n, 9, 2)).astype(np.float32),
        r.random((n, 9)) < 0.8,
        np.concatenate([corner, corner + 90], 1).astype(np.float32),
        *_words(r, room_view.ATTRIBUTES),
        r.uniform(-3, 3, n).astype(np.float32),
        r.uniform(0.2, 2, (n, 3)).astype(np.float32),
        r.uniform(0, 2, n).astype(np.float32),
        r.uniform(-1, 1, 3).astype(np.float32),
        np.float32(0.1),
    )


LABELS = {"street": _street, "top_view": _top_view, "room_view": _room_view}


class NoiseData(StreamData):
    def __init__(self, world: str = "street", batch: int = BATCH, seed: int = 0) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.train = Noise(SAMPLES, *SIZES[world], world)
        self.validation = Noise(8, *SIZES[world], world)


def few_words() -> tuple[Callable, Callable]:
    """Vocabularies of the two parsers from few sentences."""
    return (
        functools.cache(functools.partial(parser.vocabulary.__wrapped__, sample=300)),
        functools.cache(functools.partial(room_parser.vocabulary.__wrapped__, rooms=1)),
    )


def made(kind: str, batch: int = BATCH, **options: Any) -> tuple[pl.LightningModule, StreamData]:
    """A fresh module and its data; `options` of the module. Parsers want `few_words` in place of
    their vocabularies.
    """
    if kind in SIZES:
        width, height = SIZES[kind]
        network = {**NETWORK, "width": width, "height": height}
        return EstimatorModule(network, world=kind, **options), NoiseData(kind, batch)
    if kind == "street_parser":
        data: StreamData = parser.ParserData(pairs=40, batch=batch, validation=8)
        module = parser.ParserModule(width=16, warmup=2, **options)
    else:
        data = room_parser.RoomParserData(rooms=1, wordings=1, batch=batch, validation=1, workers=1)
        module = room_parser.RoomParserModule(width=16, warmup=2, **options)
    data.setup("fit")
    data.train, data.validation = data.train[:SAMPLES], data.validation[:8]
    return module, data


def run(
    kind: str,
    out: Path,
    steps: int,
    batch: int = BATCH,
    seed: int = 3,
    config: dict | None = None,
    module: dict | None = None,
    still: bool = False,
    ema: float = 0.9,
    save_every: int = 1,
    export: str = "",
    data: StreamData | None = None,
    **trainer: Any,
) -> tuple[pl.LightningModule, dict[str, float]]:
    """(module, metrics) after a training of `steps` steps, on `data` in place of the kind's own.
    `still`: batch normalisation does not depend on the batch, as with sync_batchnorm it does not
    depend on the process, which needs GPUs.
    """
    seeded(seed)
    trained, own = made(kind, batch, **(module or {}))
    if still:
        for layer in trained.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.eval()
    options = {
        "accelerator": "cpu",
        "max_steps": steps,
        "max_epochs": -1,
        "num_sanity_val_steps": 0,
        "log_every_n_steps": 1,
        "enable_progress_bar": False,
        "gradient_clip_val": 5.0,
    }
    supplied = {"export": export, "ema": ema, "save_every": save_every, "seed": seed}
    return trained, train(
        trained, data or own, out, config or {}, {**options, **trainer}, **supplied
    )
