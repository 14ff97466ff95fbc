"""Training pictures of rooms from inside and of orbit scenes: rendered once into folders, then read, each as it is and in
the mirror.

Every data set maps an index to {"image": (h, w, 3) uint8, **ViewLabels}, as `po3d.training.data` does for streets.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import ConcatDataset, Dataset
from tqdm import tqdm

from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.images import read_image
from po3d.perception.detection import resize
from po3d.perception.room_view import HEIGHT, WIDTH
from po3d.scene.table import Scene, from_json
from po3d.training.data import PictureData, WithMirror
from po3d.training.view_labels import ViewLabels, mirrored_labels, view_labels

KINDS = ("inside", "orbit")


class ViewFolder(Dataset):
    """The views of a set (`po3d.synthesis.view_sets`)."""

    def __init__(self, folder: str | Path, count: int, width: int, height: int) -> None:
        self.folder, self.size = Path(folder) / "views", (width, height)
        self.labels = [self._read(k) for k in tqdm(range(count), "reading labels", unit="view", delay=1)]

    def _read(self, k: int) -> ViewLabels:
        scene, record = self.truth(k)
        return view_labels(scene, record["visible"], record["pixels"])

    def truth(self, k: int) -> tuple[Scene, dict]:
        """The table of view k, and its record."""
        path = self.folder / f"{k:06d}.json"
        record = read_json(path, "view of a set")
        return from_json(record["scene"], str(path)), record

    def picture(self, k: int) -> np.ndarray:
        return read_image(self.folder / f"{k:06d}.jpg")

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        return {"image": resize(self.picture(index), *self.size), **self.labels[index]._asdict()}


class RoomViewData(PictureData):
    """Views rendered into `cache`, training and validation apart in scenes and in models. `views`, `validation`: how many of
    each kind. `furniture`: the folder of the .sh3f libraries; None: where the Debian package puts them."""

    def __init__(
        self,
        cache: str = "runs/cache",
        views: Mapping[str, int] | None = None,
        validation: Mapping[str, int] | None = None,
        width: int = WIDTH,
        height: int = HEIGHT,
        batch: int = 8,
        workers: int = 2,
        loaders: int = 0,
        seed: int = 1,
        furniture: str | None = None,
    ) -> None:
        super().__init__()
        views, validation = dict(views or {}), dict(validation or {})
        for counts, name in ((views, "views"), (validation, "validation")):
            if set(counts) != set(KINDS) or min(counts.values()) < 1:
                raise InputError(f"data.{name} should have a positive number for each of {', '.join(KINDS)}")
        self.views, self.counts_validation = views, validation
        self.save_hyperparameters(ignore=("views", "validation"))

    def _folder(self, kind: str, split: str) -> Path:
        return Path(self.hparams.cache) / f"{kind}_{split}_seed{self._seed(split)}"

    def _seed(self, split: str) -> int:
        return self.hparams.seed + (split != "train")

    def prepare_data(self) -> None:
        from po3d.synthesis.furniture.libraries import FOLDER
        from po3d.synthesis.view_sets import ViewSpec, generate  # the renderer is an extra

        h = self.hparams
        for split, counts in (("train", self.views), ("val", self.counts_validation)):
            for kind in KINDS:
                spec = ViewSpec(kind, self._seed(split), split, counts[kind])
                models = Path(h.cache) / "models"
                generate(self._folder(kind, split), spec, h.furniture or FOLDER, models, h.workers)

    def models(self) -> set[str]:
        return {
            model
            for kind in KINDS
            for k in range(self.views[kind])
            for model in read_json(self._folder(kind, "train") / f"views/{k:06d}.json", "view of a set")[
                "models"
            ]
        }

    def setup(self, stage: str) -> None:
        size = self.hparams.width, self.hparams.height
        self.train = ConcatDataset(
            WithMirror(
                ViewFolder(self._folder(kind, "train"), self.views[kind], *size), ViewLabels, mirrored_labels
            )
            for kind in KINDS
        )
        self.validation = ConcatDataset(
            ViewFolder(self._folder(kind, "val"), self.counts_validation[kind], *size) for kind in KINDS
        )

    def validation_order(self) -> list[int]:
        """Both kinds mixed: a limit on the batches would else see one of them."""
        return torch.randperm(len(self.validation), generator=torch.Generator().manual_seed(0)).tolist()
