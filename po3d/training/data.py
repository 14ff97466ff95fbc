"""Training images of street scenes: rendered on the fly, packed into shards, or read from a folder.

Every data set maps an index to {"image": (h, w, 3) uint8, **StreetLabels} as a pure function of
(seed, index), so batches do not depend on the number of workers.
"""

import dataclasses
import hashlib
import importlib.util
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pytorch_lightning.utilities import rank_zero_only
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset

from po3d.benchmarks import scene_ids
from po3d.benchmarks.street_split import Folder
from po3d.benchmarks.superclevr.files import scene_from_superclevr
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.pools import pool
from po3d.io.progress import progress
from po3d.perception.detection import resize
from po3d.perception.street import KIND, StreetEstimator
from po3d.scene.street import AXES, camera
from po3d.scene.table import Scene
from po3d.synthesis.splits import own_name
from po3d.synthesis.street.layouts import TRAIN_MESHES
from po3d.training.figures import Judged, StreetJudge
from po3d.training.labels import StreetLabels, mirrored_street, street_labels
from po3d.training.samplers import BatchStream, ReplayOrder, StreamData

SHARD = 250  # images per file
RECORDS = 64  # number of rendered validation scenes whose records are stored
# Keys that are read from a scene record; the rest of an official record (masks) is large.
READ = ("image_filename", "objects", "matrix_world", "occlusion", "po3d")


def street_item(
    picture: np.ndarray, record: dict, width: int, height: int
) -> dict[str, np.ndarray]:
    """Build a data set item from a picture (H, W, 3) and its scene record."""
    labels = street_labels(scene_from_superclevr(record))
    return {"image": resize(picture, width, height), **labels._asdict()}


def held_out(scenes: Dataset, wanted: int) -> tuple[Dataset, Dataset]:
    """Split off the last `wanted` scenes (a tenth at most) for validation; return (training,
    validation).
    """
    count = len(scenes)
    cut = max(count - max(min(wanted, count // 10), 1), 1)
    return Subset(scenes, range(cut)), Subset(scenes, range(min(cut, count - 1), count))


@dataclasses.dataclass
class RenderedScenes(Dataset):
    """Scenes of the twin, rendered on access. Each process opens its own renderer."""

    seed: int
    size: int
    split: str
    width: int
    height: int
    samples: int = 1
    skies: str | None = None
    looks: dict[str, float] | None = None  # weights of the rendering styles; None: the twin's own

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        # the renderer is an optional dependency
        from po3d.synthesis.street.dataset import render_example

        image, record = render_example(
            self.seed, index, self.split, self.samples, skies=self.skies, looks=self.looks
        )
        return street_item(image, record, self.width, self.height)

    def record(self, index: int) -> dict:
        """Return the scene record without rendering a picture."""
        from po3d.synthesis.street.dataset import (
            make_scene,
            mixed_look,
            open_renderer,
            scene_record,
        )

        look = mixed_look(self.seed, index, self.looks) if self.looks else None
        created = make_scene(self.seed, index, self.split, open_renderer(self.samples), look)
        return scene_record(created, index, self.split)


class FolderScenes(Dataset):
    """Street pictures with their scene records.

    `root`: a folder in Super-CLEVR's layout (images/ and a release's scene file, scenes.json or
    scenes/*.json), its scene file, or several of these, which are concatenated. `parts`: which of
    train, val and test to read, None for all. `ranges`: see `scene_ids.Parts`.
    """

    def __init__(
        self,
        root: str | Path | Sequence[str],
        width: int,
        height: int,
        parts: Collection[str] | None = None,
        ranges: Mapping[str, str] | None = None,
    ) -> None:
        self.width, self.height = width, height
        self.records: list[tuple[Path, dict]] = []
        self.part: list[str] = []  # part (train, val or test) of each record
        for path in map(Path, [root] if isinstance(root, str | Path) else root):
            records = scene_ids.records_of(path)
            names = [str(record.get("image_filename", "")) for record in records]
            result = scene_ids.Parts(path, ranges).of(names)
            for record, part in zip(records, result, strict=True):
                if parts is None or part in parts:
                    self.records.append((path, {k: record[k] for k in READ if k in record}))
                    self.part.append(part)
        self.sources = {path: Folder(scene_ids.folder_of(path), ()) for path, _ in self.records}

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        return street_item(self.picture(index), self.records[index][1], self.width, self.height)

    def picture(self, index: int) -> np.ndarray:
        """Return the stored picture, (H, W, 3) uint8, at its original size."""
        root, record = self.records[index]
        return self.sources[root].image(record["image_filename"])

    def ids(self, indices: Iterable[int]) -> scene_ids.Ids:
        """Return the ids of the scenes with these indices."""
        names: dict[Path, list[str]] = {}
        for k in indices:
            root, record = self.records[k]
            names.setdefault(root, []).append(record["image_filename"])
        return scene_ids.joined(scene_ids.scene_ids(root, own) for root, own in names.items())


def scenes_for_training(
    root: str | Sequence[str],
    width: int,
    height: int,
    split: str | Sequence[str],
    ranges: Mapping[str, str] | None,
    validation: int = 0,
) -> tuple[Subset, Subset]:
    """Return the training and the validation scenes of `root`.

    Training uses the parts `split`. Up to `validation` scenes for validation come from the part val
    if it is not trained on and not empty; otherwise they are the last training scenes (a tenth at
    most), which are then removed from training. Raise InputError if a set has no scene to train on.
    """
    wanted = scene_ids.wanted_parts(split)
    whole = FolderScenes(root, width, height, {*wanted, "val"}, ranges)
    trained = [k for k, part in enumerate(whole.part) if part in wanted]
    for path in map(Path, [root] if isinstance(root, str) else root):
        if not any(whole.records[k][0] == path for k in trained):
            raise InputError(scene_ids.nothing_for(path, wanted, ranges))
    others = [k for k in range(len(whole)) if whole.part[k] == "val" and "val" not in wanted]
    if not validation:
        return Subset(whole, trained), Subset(whole, [])
    if not others:
        train, rest = held_out(Subset(whole, trained), validation)
        trained, others = ([trained[k] for k in part.indices] for part in (train, rest))
    return Subset(whole, trained), Subset(whole, others[:validation])


class CachedScenes(Dataset):
    """Cache of `scenes`: items are stored in files under `folder`, `chunk` items per file, and
    shared by all processes and later visits.

    Fastest when `folder` is in memory (/dev/shm). A file is deleted when `stream.Revisited` with
    `visits` rounds no longer needs it, so at 640 x 480 the cache takes about 2 * visits * chunk MB.
    Files of an interrupted run are reused: each item has a flag `whole`, which is written last.
    Vehicle meshes are cached as well, so that not every process has to build them. The cache is not
    invalidated when the code changes: remove the folder after an update.
    """

    def __init__(self, scenes: RenderedScenes, folder: str | Path, visits: int, chunk: int) -> None:
        settings = json.dumps(dataclasses.asdict(scenes), sort_keys=True)
        self.scenes, self.visits, self.chunk = scenes, visits, chunk
        self.folder = Path(folder) / hashlib.sha256(settings.encode()).hexdigest()[:12]
        self.open: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.scenes)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        number, row = divmod(index, self.chunk)
        rows = self.open.get(number)
        if rows is None:
            rows = self.open[number] = self._file(number)
        if not rows["whole"][row]:
            for name, value in self.scenes[index].items():
                rows[name][row] = value
            rows["whole"][row] = True
        return {name: np.array(rows[name][row]) for name in rows.dtype.names[:-1]}

    def __getstate__(self) -> dict:
        return self.__dict__ | {"open": {}}  # every process opens the files itself

    def _file(self, number: int) -> np.ndarray:
        from po3d.synthesis.vehicles import keep_meshes

        keep_meshes(self.folder.parent / "meshes")
        gone = number - 2 * self.visits
        self.open = {k: rows for k, rows in self.open.items() if k > gone}
        for k in range(gone - self.visits, gone + 1):
            self._path(k).unlink(missing_ok=True)
        none = street_labels(Scene((), AXES, "gt", camera()))
        fields = [(name, value.dtype, value.shape) for name, value in none._asdict().items()]
        image = ("image", np.uint8, (self.scenes.height, self.scenes.width, 3))
        kind = np.dtype([image, *fields, ("whole", np.bool_)])
        path = self._path(number)
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(path, "ab") as file:
            # Extends a new file with zeros, so all its `whole` flags are False; a file of full size
            # stays unchanged.
            file.truncate(self.chunk * kind.itemsize)
        return np.memmap(path, kind, "r+", shape=(self.chunk,))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.rows"


class WithFlip(Dataset):
    """Every item of `scenes` and its horizontal flip: item 2 k is item k, item 2 k + 1 is item k
    flipped. `labels`: the type of an item's labels. `mirrored`: the function that flips labels.
    """

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
        labels = self.mirrored(self.labels(**{name: item[name] for name in self.labels._fields}))
        return {"image": np.ascontiguousarray(item["image"][:, ::-1]), **labels._asdict()}


class PackedScenes(Dataset):
    """Shards written by `pack`, read through memory maps."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        meta = read_json(self.folder / "pack.json", "description of packed training images")
        self.size = meta["size"]
        self.images = [
            np.load(path, mmap_mode="r") for path in sorted(self.folder.glob("images_*.npy"))
        ]
        tables = [np.load(path) for path in sorted(self.folder.glob("labels_*.npz"))]
        self.labels = {k: np.concatenate([t[k] for t in tables]) for k in StreetLabels._fields}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        image = np.array(self.images[index // SHARD][index % SHARD])
        return {"image": image, **{k: v[index] for k, v in self.labels.items()}}


def pack(scenes: Dataset, folder: str | Path, workers: int) -> PackedScenes:
    """Write `scenes` to `folder` as shards, using `workers` processes.

    Existing shards are kept, so repeating the call finishes an interrupted one. Raise InputError if
    the folder holds other images.
    """
    folder = Path(folder)
    settings = {k: str(v) for k, v in dataclasses.asdict(scenes).items() if v is not None}
    wanted = {"size": len(scenes), "scenes": settings}
    if (folder / "request.json").exists() and read_json(folder / "request.json") != wanted:
        raise InputError(
            f"{folder} contains other training images than requested; remove it or choose another"
            " folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "request.json", wanted)
    shards = [
        k for k in range(-(-len(scenes) // SHARD)) if not (folder / f"labels_{k:05d}.npz").exists()
    ]
    if shards:
        with pool(workers) as processes:
            jobs = [processes.submit(_write_shard, scenes, folder, k) for k in shards]
            for job in progress(jobs, desc="rendering", unit="shard"):
                job.result()
    write_json(folder / "pack.json", wanted)
    return PackedScenes(folder)


def keep_records(scenes: RenderedScenes, folder: Path) -> None:
    """Write the records of the first RECORDS scenes beside their shards: the ground truth of
    validation metrics. Does nothing without the renderer.
    """
    if not (folder / "records.json").exists() and importlib.util.find_spec("moderngl") is not None:
        result = [scenes.record(k) for k in range(min(len(scenes), RECORDS))]
        write_json(folder / "records.json", result, indent=None)


def _write_shard(scenes: Dataset, folder: Path, k: int) -> None:
    items = [scenes[i] for i in range(k * SHARD, min((k + 1) * SHARD, len(scenes)))]
    with atomic_write(folder / f"images_{k:05d}.npy", "wb") as file:
        np.save(file, np.stack([item["image"] for item in items]))
    # Written last: the presence of this file marks the shard as complete.
    with atomic_write(folder / f"labels_{k:05d}.npz", "wb") as file:
        np.savez(
            file,
            **{name: np.stack([item[name] for item in items]) for name in StreetLabels._fields},
        )


def collate(items: list[dict[str, np.ndarray]]) -> dict[str, torch.Tensor]:
    """Stack a batch; images become (B, 3, h, w) uint8, a view of channels-last memory."""
    batch = {k: torch.from_numpy(np.stack([item[k] for item in items])) for k in items[0]}
    batch["image"] = batch["image"].permute(0, 3, 1, 2)
    return batch


class PictureData(StreamData):
    """Data module for pictures with labels."""

    collate = staticmethod(collate)


class StreetData(PictureData):
    """Training and validation images of streets.

    `source`: "twin" renders `images` scenes into `cache` first (the CPU recipe), "online" renders
    during training (the GPU recipe), "superclevr" reads the folder or folders `root`. `extra`:
    further rendered scenes of a twin, a list of {seed, images, samples}; it reuses what an earlier
    run rendered. `skies`: a folder of photographs that serve as backgrounds of outdoor training
    images; give such a twin its own `cache`. `looks`: weights of the rendering styles, for
    validation as well. `flip`: also train on the horizontal flip of every image; online, flip
    half of the images. `workers`: number of rendering processes. `loaders`: number of DataLoader
    workers (see `StreamData`).

    Online, every image is new and is used `visits` times (`stream.Revisited`); between its visits
    it is cached in the folder `kept`, which is required if `visits` > 1. `root`: one or several
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
        self._judge: StreetJudge | None = None

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
            train = ConcatDataset(
                PackedScenes(self._folder(scenes)) for scenes in self._sets("train")
            )
        self.train = WithFlip(train) if h.flip else train

    def judged(self, estimator: StreetEstimator, count: int) -> Judged | None:
        if self._judge is None:
            if self.hparams.source == "superclevr":
                whole, numbers = self.validation.dataset, self.validation.indices[:count]
                records = [whole.records[k][1] for k in numbers]
                pictures = [whole.picture(k) for k in numbers]
            else:
                path = self._folder(*self._sets("validation")) / "records.json"
                # rendered on another machine, and no renderer is installed here
                if not path.exists():
                    return None
                records = read_json(path)[:count]
                pictures = [self.validation[k]["image"] for k in range(len(records))]
            self._judge = StreetJudge(
                pictures, [scene_from_superclevr(record) for record in records]
            )
        return self._judge(estimator)

    def train_samples(self) -> Dataset:
        return self.train if self.hparams.source == "online" else super().train_samples()

    def train_stream(self) -> BatchStream:
        h = self.hparams
        if h.source != "online":
            return super().train_stream()
        standing = len(self._read()[0]) if h.share else 0
        order = ReplayOrder(
            h.seed, h.replay, h.chunk if h.replay_dir else 1, h.flip, standing, h.share
        )
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
        looks = "" if s.looks is None else "_" + "_".join(f"{k}{w:g}" for k, w in s.looks.items())
        name = f"{s.split}_{s.size}_seed{s.seed}_{s.width}x{s.height}_s{s.samples}{looks}"
        return Path(self.hparams.cache) / name
