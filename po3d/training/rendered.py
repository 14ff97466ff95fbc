"""Training pictures of rooms (top views and indoor views) and of orbit scenes: rendered once into
folders, then read with horizontal flips or quarter turns as augmentation.

Every data set maps an index to {"image": (h, w, 3) uint8, **labels}, as `po3d.training.data` does
for streets.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch.utils.data import ConcatDataset

from po3d.io.errors import InputError, malformed
from po3d.io.files import read_json
from po3d.perception import room_view, top_view
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.top_view import TopViewEstimator
from po3d.training.data import WithFlip
from po3d.training.figures import Judged, table_figures
from po3d.training.picture_folders import PictureFolder, map_folder, view_folder
from po3d.training.samplers import StreamData
from po3d.training.view_figures import sights_of, training_figures
from po3d.training.view_labels import ViewLabels, mirrored_labels

KINDS = ("inside", "orbit")


class RenderedData(StreamData):
    """Data module that renders its sets into `cache`. Training and validation have disjoint scenes
    and 3D models.

    `counts`: number of pictures of the splits "train" and "val" for each kind. `furniture`: the
    folder with the .sh3f libraries; None: the location of the Debian package.
    """

    counts: Mapping[str, Mapping[str, int]]  # kind -> split -> number of pictures

    def _folder(self, kind: str, split: str) -> Path:
        return Path(self.hparams.cache) / f"{kind}_{split}_seed{self._seed(split)}"

    def _seed(self, split: str) -> int:
        return self.hparams.seed + (split != "train")

    def _spec(self, kind: str, split: str) -> object:
        raise NotImplementedError

    def validation_folders(self) -> list[Path]:
        """Return the folders of the validation sets, which calibration uses."""
        return [self._folder(kind, "val") for kind in self.counts]

    def prepare_data(self) -> None:
        from po3d.synthesis.furniture.libraries import FOLDER
        from po3d.synthesis.picture_sets import generate  # the renderer is an optional dependency

        h = self.hparams
        for split in ("train", "val"):
            for kind in self.counts:
                spec, models = self._spec(kind, split), Path(h.cache) / "models"
                generate(self._folder(kind, split), spec, h.furniture or FOLDER, models, h.workers)

    def models(self) -> set[str]:
        names: set[str] = set()
        for kind, counts in self.counts.items():
            part = self._folder(kind, "train") / self._spec(kind, "train").part
            for k in range(counts["train"]):
                path = part / f"{k:06d}.json"
                with malformed(f"{path} is not the record of a picture"):
                    names.update(map(str, read_json(path, "picture of a set")["models"]))
        return names


class RoomViewData(RenderedData):
    """Indoor views and views of orbit scenes. `views`, `validation`: number of each kind."""

    kind = room_view.KIND

    def __init__(
        self,
        cache: str = "runs/cache",
        views: Mapping[str, int] | None = None,
        validation: Mapping[str, int] | None = None,
        width: int = room_view.WIDTH,
        height: int = room_view.HEIGHT,
        batch: int = 8,
        workers: int = 2,
        num_workers: int | None = None,
        seed: int = 1,
        furniture: str | None = None,
    ) -> None:
        super().__init__()
        views, validation = dict(views or {}), dict(validation or {})
        for counts, name in ((views, "views"), (validation, "validation")):
            if set(counts) != set(KINDS) or min(counts.values()) < 1:
                raise InputError(
                    f"data.{name} should have a positive number for each of {', '.join(KINDS)}"
                )
        self.counts = {kind: {"train": views[kind], "val": validation[kind]} for kind in KINDS}
        self.save_hyperparameters(ignore=("views", "validation"))

    def _spec(self, kind: str, split: str) -> object:
        from po3d.synthesis.view_sets import ViewSpec

        return ViewSpec(kind, self._seed(split), split, self.counts[kind][split])

    def setup(self, stage: str) -> None:
        size = self.hparams.width, self.hparams.height

        def views(kind: str, split: str) -> PictureFolder:
            return view_folder(self._folder(kind, split), self.counts[kind][split], *size)

        self.train = ConcatDataset(
            WithFlip(views(kind, "train"), ViewLabels, mirrored_labels) for kind in KINDS
        )
        self.validation = ConcatDataset(views(kind, "val") for kind in KINDS)

    def judged(self, estimator: RoomViewEstimator, count: int) -> Judged:
        half = -(-count // len(KINDS))
        result, pictures = [], []
        for views in self.validation.datasets:
            rows = range(min(half, len(views)))
            result += sights_of(estimator, views, rows)
            pictures += map(views.picture, rows)
        truths = [s.true for s in result]
        return Judged(training_figures(result), pictures, truths, [s.predicted for s in result])

    def validation_order(self) -> list[int]:
        """Interleave both kinds, so that a limit on the number of batches still covers both."""
        return torch.randperm(
            len(self.validation), generator=torch.Generator().manual_seed(0)
        ).tolist()


class TopViewData(RenderedData):
    """Top views of rooms. `rooms`, `validation`: number of rooms."""

    kind = top_view.KIND

    def __init__(
        self,
        cache: str = "runs/cache",
        rooms: int = 4000,
        validation: int = 200,
        width: int = top_view.WIDTH,
        batch: int = 8,
        workers: int = 2,
        num_workers: int | None = None,
        seed: int = 1,
        furniture: str | None = None,
    ) -> None:
        super().__init__()
        if rooms < 1 or validation < 1:
            raise InputError(
                f"data.rooms and data.validation should be at least 1, not {rooms} and {validation}"
            )
        self.counts = {"top_views": {"train": rooms, "val": validation}}
        self.save_hyperparameters()

    def _spec(self, kind: str, split: str) -> object:
        from po3d.synthesis.top_view.top_views import SetSpec

        return SetSpec(self._seed(split), split, self.counts[kind][split])

    def setup(self, stage: str) -> None:
        (counts,) = self.counts.values()
        width = self.hparams.width
        self.train = map_folder(self._folder("top_views", "train"), counts["train"], width)
        self.validation = map_folder(
            self._folder("top_views", "val"), counts["val"], width, turns=1
        )

    def judged(self, estimator: TopViewEstimator, count: int) -> Judged:
        numbers = range(min(count, len(self.validation)))
        pictures, truths, cameras = [], [], []
        for k in numbers:
            pictures.append(self.validation.picture(k))
            truths.append(self.validation.truth(k)[0])
            cameras.append(truths[k].camera.resized(*pictures[k].shape[1::-1]))
        predicted = estimator.estimate(pictures, cameras)
        return Judged(table_figures(predicted, truths), pictures, truths, predicted)
