"""Training images of street scenes: rendered on the fly, packed into shards, or read from a folder.

Every data set maps an index to {"image": (h, w, 3) uint8, **StreetLabels} as a pure function of
(seed, index), so batches do not depend on the number of workers.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from pytorch_lightning.utilities import rank_zero_only
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset

from po3d.benchmarks import scene_ids
from po3d.benchmarks.superclevr.files import scene_from_superclevr
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.perception.street import KIND, StreetEstimator
from po3d.synthesis.splits import own_name
from po3d.synthesis.street.layouts import TRAIN_MESHES
from po3d.training.figures import Judged, street_judge
from po3d.training.labels import StreetLabels, mirrored_street
from po3d.training.samplers import BatchStream, StreamData, replay_order
from po3d.training.street_scenes import (
    CachedScenes,
    PackedScenes,
    RenderedScenes,
    keep_records,
    pack,
    scenes_for_training,
)


class WithFlip(Dataset):
    """Every item of `scenes` and its horizontal flip: item 2 k is item k, item 2 k + 1 is item k
    flipped. `labels`: the type of an item's labels. `mirrored`: the function that flips labels."""

    def __init__(
        self,
        scenes: Dataset,
        labels: type[tuple] = StreetLabels,
        mirrored: Callable[[Any], Any] = mirrored_street,
    ) -> None:
        self.scenes, self.labels, self.mirrored = scenes, labels, mirrored

    def __len__(self) -> int:
        return 2 * len(self.scenes)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        k, flip = divmod(index, 2)
        item = self.scenes[k]
        if not flip:
            return item
        labels = self.mirrored(self.labels(*itemgetter(*self.labels._fields)(item)))
        return {"image": np.ascontiguousarray(item["image"][:, ::-1]), **labels._asdict()}


class StreetData(StreamData):
    """Training and validation images of streets.

    `source`: "twin" renders `images` scenes into `cache` first (the CPU recipe), "online" renders
    during training (the GPU recipe), "superclevr" reads the folder or folders `root`. `extra`:
    further rendered scenes of a twin, a list of {seed, images, samples}; it reuses what an earlier
    run rendered. `skies`: a folder of photographs that serve as backgrounds of outdoor training
    images; give such a twin its own `cache`. `looks`: weights of the rendering styles, for
    validation as well. `flip`: also train on the horizontal flip of every image; online, flip
    half of the images. `workers`: number of rendering processes. `num_workers`: number of
    DataLoader workers (see `StreamData`).

    Online, every image is new and is used `replay` times (`samplers.replay_order`); in between it
    is cached in the folder `replay_dir`, which is required if `replay` > 1. `root`: one or several
    folders whose pictures are mixed in; `share` is their share of all samples.

    From folders, the pictures of `split` (train, val, test, or several of them) are used for
    training, with the parts given by the release's ranges or by `ranges`: {train: 0-199, val:
    200-249}; see `po3d.benchmarks.scene_ids`. With "superclevr", validation uses the part val if it
    is not trained on and not empty, otherwise the last training scenes, which are then removed from
    training.
    """

    kind = KIND

    def __init__(
        self,
        source: str = "twin",
        root: str | Sequence[str] = "",
        cache: str = "runs/cache",
        images: int = 10000,
        validation: int = 500,
        width: int = 640,
        height: int = 480,
        batch: int = 8,
        workers: int = 2,
        num_workers: int | None = None,
        samples: int = 1,
        seed: int = 0,
        extra: Sequence[dict[str, int]] = (),
        skies: str | None = None,
        flip: bool = True,
        looks: Mapping[str, float] | None = None,
        replay: int = 1,
        replay_dir: str | None = None,
        chunk: int = 1024,
        share: float = 0.0,
        split: str | Sequence[str] = "train",
        ranges: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        scene_ids.wanted_parts(split)
        if source not in ("twin", "online", "superclevr"):
            raise InputError(f"data source {source!r} is not one of twin, online, superclevr")
        if source == "superclevr" and not root:
            raise InputError(
                "data=superclevr needs data.root=DIR, a folder with images/ and scene JSON files"
            )
        if replay > 1 and not replay_dir:
            raise InputError("data.replay needs data.replay_dir, a folder for the images to replay")
        if not 0 <= share < 1:
            raise InputError(f"data.share={share} should be in [0, 1)")
        self.save_hyperparameters()
        self._folders: tuple[Subset, Subset] | None = None
        self._judge: Callable[[StreetEstimator], Judged] | None = None

    def prepare_data(self) -> None:
        h = self.hparams
        packed = self._sets("train") if h.source == "twin" else []
        packed += self._sets("validation") if h.source != "superclevr" else []
        for scenes in packed:
            pack(scenes, self._folder(scenes), h.workers)
        if h.source != "superclevr":
            (validation,) = self._sets("validation")
            keep_records(validation, self._folder(validation))

    def models(self) -> set[str]:
        own_models = self.hparams.source != "superclevr"
        return {own_name("street", mesh) for mesh in TRAIN_MESHES} if own_models else set()

    def scenes(self) -> scene_ids.Ids:
        if self.hparams.source != "superclevr" and not self.hparams.share:
            return {}
        train = self._read()[0]
        return train.dataset.ids(train.indices)

    def _read(self) -> tuple[Subset, Subset]:
        """Return the scenes of `root` for training and for validation; read once and cached."""
        h = self.hparams
        if self._folders is None:
            validation = h.validation if h.source == "superclevr" else 0
            if "test" in scene_ids.wanted_parts(h.split) and rank_zero_only.rank == 0:
                print(f"note: data.split={h.split} trains on test scenes of {h.root}")
            self._folders = scenes_for_training(
                h.root, h.width, h.height, h.split, h.ranges, validation
            )
        return self._folders

    def setup(self, stage: str) -> None:
        h = self.hparams
        if h.source == "superclevr":
            train, self.validation = self._read()
            self.train = WithFlip(train) if h.flip else train
            return
        self.validation = PackedScenes(self._folder(*self._sets("validation")))
        self.read_training()

    def read_training(self) -> None:
        """Set `train` from rendered scenes (sources twin and online)."""
        h = self.hparams
        if h.source == "online":
            train = self._twin("train", 2**31, h.seed, h.samples)
            if h.replay_dir:
                train = CachedScenes(train, h.replay_dir, h.replay, h.chunk)
            if h.share:
                train = ConcatDataset([self._read()[0], train])
        else:
            train = ConcatDataset(map(PackedScenes, map(self._folder, self._sets("train"))))
        self.train = WithFlip(train) if h.flip else train

    def judged(self, estimator: StreetEstimator, count: int) -> Judged | None:
        if self._judge is None:
            if self.hparams.source == "superclevr":
                whole, numbers = self.validation.dataset, self.validation.indices[:count]
                records = [whole.records[k][1] for k in numbers]
                pictures = list(map(whole.picture, numbers))
            else:
                path = self._folder(*self._sets("validation")) / "records.json"
                # rendered on another machine, and no renderer is installed here
                if not path.exists():
                    return None
                records = read_json(path)[:count]
                pictures = [self.validation[k]["image"] for k in range(len(records))]
            self._judge = street_judge(pictures, list(map(scene_from_superclevr, records)))
        return self._judge(estimator)

    def train_samples(self) -> Dataset:
        return self.train if self.hparams.source == "online" else super().train_samples()

    def train_stream(self) -> BatchStream:
        h = self.hparams
        if h.source != "online":
            return super().train_stream()
        standing = len(self._read()[0]) if h.share else 0
        chunk = h.chunk if h.replay_dir else 1
        order = replay_order(h.seed, h.replay, chunk, h.flip, standing, h.share)
        return BatchStream(order, h.batch, **self.place())

    def train_dataloader(self) -> DataLoader:
        h = self.hparams
        if h.source == "superclevr":
            return super().train_dataloader()
        workers = h.workers if h.source == "online" else 0  # memory maps need no workers
        return self.loader(self.train_samples(), self.train_stream(), workers)

    def _sets(self, split: str) -> list[RenderedScenes]:
        """Return the rendered sets of a split, each of which is packed separately."""
        h = self.hparams
        settings = {"images": h.images, "seed": h.seed, "samples": h.samples}
        if split == "validation":
            return [self._twin(split, **settings | {"images": h.validation})]
        return [self._twin(split, **{**settings, **more}) for more in ({}, *h.extra)]

    def _twin(self, split: str, images: int, seed: int, samples: int) -> RenderedScenes:
        h = self.hparams
        skies = h.skies if split == "train" else None
        looks = None if h.looks is None else dict(h.looks)
        return RenderedScenes(seed, images, split, h.width, h.height, samples, skies, looks)

    def _folder(self, s: RenderedScenes) -> Path:
        name = f"{s.split}_{s.size}_seed{s.seed}_{s.width}x{s.height}_s{s.samples}"
        for look, weight in (s.looks or {}).items():
            name += f"_{look}{weight:g}"
        return Path(self.hparams.cache) / name
