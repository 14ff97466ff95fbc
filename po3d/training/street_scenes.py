"""Street scenes as data sets: rendered on access, cached, packed into shards, or read from folders.

Every data set maps an index to {"image": (h, w, 3) uint8, **StreetLabels}.
"""

import dataclasses
import functools
import hashlib
import importlib.util
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from torch.utils.data import Dataset, Subset

from po3d.benchmarks import scene_ids
from po3d.benchmarks.street_split import Folder
from po3d.benchmarks.superclevr.files import scene_from_superclevr
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.pools import pool
from po3d.io.progress import progress
from po3d.perception.detection import resize
from po3d.scene.street import AXES, camera
from po3d.scene.table import Scene
from po3d.training.labels import StreetLabels, street_labels

SHARD = 250  # images per file
RECORDS = 64  # number of rendered validation scenes whose records are stored
# Keys that are read from a scene record; the rest of an official record (masks) is large.
READ = ("image_filename", "objects", "matrix_world", "occlusion", "po3d")


def street_item(
    picture: np.ndarray, scene: Scene, width: int, height: int
) -> dict[str, np.ndarray]:
    """Build a data set item from a picture (H, W, 3) and its ground-truth scene."""
    return {"image": resize(picture, width, height), **street_labels(scene)._asdict()}


def held_out(scenes: Dataset, wanted: int) -> tuple[Dataset, Dataset]:
    """Split off the last `wanted` scenes (a tenth at most) for validation; return (training,
    validation)."""
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

        image, scene = render_example(
            self.seed, index, self.split, self.samples, skies=self.skies, looks=self.looks
        )
        return street_item(image, scene, self.width, self.height)

    def record(self, index: int) -> dict:
        """Return the scene record for a file, without rendering a picture."""
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
            result = scene_ids.parts_of(path, names, ranges)
            for record, part in zip(records, result, strict=True):
                if parts is None or part in parts:
                    self.records.append((path, {k: record[k] for k in READ if k in record}))
                    self.part.append(part)
        self.sources = {path: Folder(scene_ids.folder_of(path), ()) for path, _ in self.records}

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        scene = scene_from_superclevr(self.records[index][1])
        return street_item(self.picture(index), scene, self.width, self.height)

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
        return scene_ids.joined(map(scene_ids.scene_ids, names, names.values()))


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
    trained, others, sources = [], [], set()
    for k, part in enumerate(whole.part):
        if part in wanted:
            trained.append(k)
            sources.add(whole.records[k][0])
        else:
            others.append(k)
    for path in map(Path, [root] if isinstance(root, str) else root):
        if path not in sources:
            raise InputError(scene_ids.nothing_for(path, wanted, ranges))
    if not validation:
        return Subset(whole, trained), Subset(whole, [])
    if not others:
        train, rest = held_out(Subset(whole, trained), validation)
        others = [trained[k] for k in rest.indices]
        trained = [trained[k] for k in train.indices]
    return Subset(whole, trained), Subset(whole, others[:validation])


class CachedScenes(Dataset):
    """Cache of `scenes`: items are stored in files under `folder`, `chunk` items per file, and
    shared by all processes and later visits.

    Fastest when `folder` is in memory (/dev/shm). A file is deleted when
    `samplers.replay_order` no longer needs it, so at 640 x 480 the cache takes about
    2 * visits * chunk MB.
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
        for k in [k for k in self.open if k <= gone]:
            del self.open[k]
        for k in range(gone - self.visits, gone + 1):
            self._path(k).unlink(missing_ok=True)
        none = street_labels(Scene((), AXES, "gt", camera()))
        fields = [("image", np.uint8, (self.scenes.height, self.scenes.width, 3))]
        for name, value in none._asdict().items():
            fields.append((name, value.dtype, value.shape))
        kind = np.dtype([*fields, ("whole", np.bool_)])
        path = self._path(number)
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(path, "ab") as file:
            # Extends a new file with zeros, so all its `whole` flags are False; a file of full size
            # stays unchanged.
            file.truncate(self.chunk * kind.itemsize)
        return np.memmap(path, kind, "r+", shape=(self.chunk,))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.rows"


class PackedScenes(Dataset):
    """Shards written by `pack`, read through memory maps."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        meta = read_json(self.folder / "pack.json", "description of packed training images")
        self.size = meta["size"]
        load = functools.partial(np.load, mmap_mode="r")
        self.images = list(map(load, sorted(self.folder.glob("images_*.npy"))))
        tables = list(map(np.load, sorted(self.folder.glob("labels_*.npz"))))
        self.labels = {}
        for name in StreetLabels._fields:
            self.labels[name] = np.concatenate([table[name] for table in tables])

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
    settings = {}
    for name, value in dataclasses.asdict(scenes).items():
        if value is not None:
            settings[name] = str(value)
    wanted = {"size": len(scenes), "scenes": settings}
    if (folder / "request.json").exists() and read_json(folder / "request.json") != wanted:
        raise InputError(
            f"{folder} contains other training images than requested; remove it or choose another"
            " folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "request.json", wanted)
    missing = []
    for k in range(-(-len(scenes) // SHARD)):
        if not (folder / f"labels_{k:05d}.npz").exists():
            missing.append(k)
    if missing:
        with pool(workers) as processes:
            jobs = [processes.submit(_write_shard, scenes, folder, k) for k in missing]
            for job in progress(jobs, desc="rendering", unit="shard"):
                job.result()
    write_json(folder / "pack.json", wanted)
    return PackedScenes(folder)


def keep_records(scenes: RenderedScenes, folder: Path) -> None:
    """Write the records of the first RECORDS scenes beside their shards: the ground truth of
    validation metrics. Does nothing without the renderer."""
    if not (folder / "records.json").exists() and importlib.util.find_spec("moderngl") is not None:
        records = list(map(scenes.record, range(min(len(scenes), RECORDS))))
        write_json(folder / "records.json", records, indent=None)


def _write_shard(scenes: Dataset, folder: Path, k: int) -> None:
    columns: dict[str, list] = {"image": [], **{name: [] for name in StreetLabels._fields}}
    for i in range(k * SHARD, min((k + 1) * SHARD, len(scenes))):
        for name, value in scenes[i].items():
            columns[name].append(value)
    with atomic_write(folder / f"images_{k:05d}.npy", "wb") as file:
        np.save(file, np.stack(columns.pop("image")))
    # Written last: the presence of this file marks the shard as complete.
    with atomic_write(folder / f"labels_{k:05d}.npz", "wb") as file:
        np.savez(file, **dict(zip(columns, map(np.stack, columns.values()), strict=True)))
