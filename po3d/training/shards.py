"""Training pictures in shards: tar files in WebDataset's layout (KEY.jpg or KEY.png beside
KEY.json, a scene record), and index.json with the number of samples, size, digest and scene ids of
each shard.

Plain tar files can be read by every tool and object store. Here they are read by random access
instead of WebDataset's streaming: the order is that of `samplers`, each sample occurs once per
epoch for any number of processes, and a resumed run reads only the remaining samples.
"""

import json
import tarfile
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.data import ConcatDataset, Dataset, Subset

from po3d.benchmarks import scene_ids
from po3d.benchmarks.superclevr.files import scene_from_superclevr
from po3d.io.errors import InputError, printable
from po3d.io.files import atomic_write, parse_json, read_json, sha256, write_json
from po3d.io.images import decode_image
from po3d.io.seeding import rng
from po3d.perception.street import KIND, StreetEstimator
from po3d.training.data import WithFlip
from po3d.training.figures import Judged, street_judge
from po3d.training.samplers import BatchStream, Order, StreamData, in_blocks, shuffled
from po3d.training.street_scenes import held_out, street_item

INDEX = "index.json"
LARGEST_INDEX = 2**26  # bytes; the size of an index of half a million shards
SHARD = 1000  # samples per shard
BLOCK = 1000  # positions of a mixture within which every source gets its share


def write_shards(
    samples: Iterable[tuple[Path, dict]],
    out: str | Path,
    models: Iterable[str] = (),
    size: int = SHARD,
    root: str | Path | None = None,
) -> int:
    """Write picture files with their scene records as shards of `size` samples into the folder
    `out`, the index last; return the number of samples. `models`: names of the 3D models in the
    pictures (`po3d.synthesis.splits`). `root`: the data set of the pictures, for their scene ids.
    """
    import webdataset  # optional dependency

    out, shards, total = Path(out), [], 0
    waiting = list(samples)
    for k in range(-(-len(waiting) // size)):
        part, path = waiting[k * size :][:size], out / f"{k:06d}.tar"
        # reproducible bytes, independent of time and user
        with (
            atomic_write(path, "wb") as file,
            webdataset.TarWriter(file, user="", group="", mtime=0, encoder=False) as tar,
        ):
            names = []
            for picture, record in part:
                text = json.dumps(record, ensure_ascii=False, sort_keys=True).encode()
                sample = {"__key__": f"{total:08d}", picture.suffix[1:]: picture.read_bytes()}
                tar.write(sample | {"json": text})
                names.append(str(record.get("image_filename", picture.name)))
                total += 1
        about = {"samples": len(part), "bytes": path.stat().st_size, "sha256": sha256(path)}
        ids = scene_ids.scene_ids(out if root is None else root, names)
        shards.append({"name": path.name, **about, "scenes": scene_ids.listed(ids)})
    write_json(out / INDEX, {"shards": shards, "models": sorted(models)})
    return total


def fetched(root: str, cache: str | Path) -> Path:
    """Return the folder of shards `root`, or for an http(s) URL its copy below `cache`, with every
    shard verified. Raise InputError naming a shard that is missing, truncated or changed."""
    folder = local(root, cache)
    if folder != Path(root):
        _download(f"{root}/{INDEX}", folder / INDEX, LARGEST_INDEX)
    for shard in _index(folder)["shards"]:
        path = folder / shard["name"]
        if folder != Path(root) and not (path.is_file() and path.stat().st_size == shard["bytes"]):
            _download(f"{root}/{shard['name']}", path, shard["bytes"])
        if not path.is_file():
            raise InputError(f"shard {path} is missing")
        if (there := path.stat().st_size) != shard["bytes"]:
            raise InputError(
                f"shard {path} has {there:,} bytes, not {shard['bytes']:,}: it is truncated or"
                " modified"
            )
        if sha256(path) != shard["sha256"]:
            raise InputError(f"shard {path} differs from its entry in {INDEX}: it was modified")
    return folder


def local(root: str, cache: str | Path) -> Path:
    """Return the local folder of the shards of `root`."""
    if not root.startswith(("http://", "https://")):
        return Path(root)
    return Path(cache) / root.split("://", 1)[1].strip("/").replace("/", "_").replace(":", "_")


def _download(url: str, path: Path, most: int) -> None:
    """Download a file. Raise InputError, and stop, if it has more than `most` bytes."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer, atomic_write(path, "wb") as file:
            left = most
            while block := answer.read(min(2**20, left + 1)):
                left -= len(block)
                if left < 0:
                    raise InputError(f"{url} is larger than the expected {most:,} bytes")
                file.write(block)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{url} cannot be downloaded ({error})") from None


def _index(folder: Path) -> dict[str, Any]:
    from po3d.io.schemas import ShardIndex, checked  # importing pydantic takes a tenth of a second

    index = read_json(folder / INDEX, "index of shards")
    where = (
        f"{folder / INDEX} is not an index of shards written by `po3d generate format=webdataset`"
    )
    shards = checked(ShardIndex, index, where).shards
    if not shards:
        raise InputError(f"{folder / INDEX} lists no shards")
    for shard in shards:
        if Path(shard.name).name != shard.name:
            raise InputError(
                f"{where}: {printable(shard.name)} should be the name of a file in the same folder"
            )
    return dict(index)


class ShardedScenes(Dataset):
    """The samples of a folder of shards, by index. Every process opens the tar files itself on
    first access."""

    def __init__(self, folder: str | Path, width: int, height: int) -> None:
        self.folder, self.width, self.height = Path(folder), width, height
        index = _index(self.folder)
        self.shards = index["shards"]
        self.ends = np.cumsum([s["samples"] for s in self.shards])
        self.members: dict[int, list[tuple[str, tuple[int, int], tuple[int, int]]]] = {}

    def __len__(self) -> int:
        return int(self.ends[-1])

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        picture, record = self.stored(index)
        return street_item(picture, scene_from_superclevr(record), self.width, self.height)

    def stored(self, index: int) -> tuple[np.ndarray, dict]:
        """Return the picture (H, W, 3) uint8 of a sample, and its scene record."""
        path, (key, *places) = self._member(index)
        with open(path, "rb") as file:
            picture, text = _read(file, *places[0]), _read(file, *places[1])
        where = f"sample {key} of shard {path}"
        record = parse_json(text, f"{where}: no scene record")
        return decode_image(picture, where), record

    def _member(self, index: int) -> tuple[Path, tuple[str, tuple[int, int], tuple[int, int]]]:
        """Return the shard of a sample, and its entry of `_members`."""
        k = int(np.searchsorted(self.ends, index, "right"))
        path = self.folder / self.shards[k]["name"]
        if k not in self.members:
            self.members[k] = _members(path, self.shards[k]["samples"])
        return path, self.members[k][index - int(self.ends[k]) + self.shards[k]["samples"]]

    def ids(self, count: int) -> scene_ids.Ids:
        """Return the ids of the first `count` scenes. A shard's ids are in the index; for
        the last shard, if only a part of it is needed, and for shards without ids in the index,
        they are read from the records."""
        parts = []
        for shard, end in zip(self.shards, self.ends.tolist(), strict=True):
            first = end - shard["samples"]
            if end <= count and "scenes" in shard:
                parts.append(scene_ids.from_list(shard["scenes"]))
            elif first < count:
                parts.append(self._read_ids(range(first, min(end, count)), shard.get("scenes")))
        return scene_ids.joined(parts)

    def _read_ids(self, samples: Iterable[int], listed: Mapping[str, str] | None) -> scene_ids.Ids:
        """Return the ids of some samples of a shard by their records. Groups are those of the index
        (`listed`), which have the settings of a twin."""
        names = [str(self.record(k).get("image_filename", k)) for k in samples]
        ids: scene_ids.Ids = {}
        for group, numbers in scene_ids.scene_ids(self.folder, names).items():
            groups = [name for name in listed or () if name.endswith(group)]
            ids[groups[0] if groups else group] = numbers
        return ids

    def record(self, index: int) -> dict:
        """Return the scene record of a sample, without its picture."""
        path, (key, _, place) = self._member(index)
        with open(path, "rb") as file:
            return parse_json(_read(file, *place), f"sample {key} of shard {path}: no scene record")

    def __getstate__(self) -> dict:
        return self.__dict__ | {"members": {}}


def _read(file: Any, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def _members(path: Path, samples: int) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Return the key of each sample of a shard, in order, with (offset, bytes) of its picture and
    of its record."""
    members: dict[str, dict[str, tuple[int, int]]] = {}
    try:
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                key, _, suffix = member.name.partition(".")
                kind = "record" if suffix == "json" else "picture"
                members.setdefault(key, {})[kind] = member.offset_data, member.size
    except (OSError, tarfile.TarError) as error:
        raise InputError(f"shard {path} cannot be read ({error})") from None
    whole = []
    for key, parts in members.items():
        if len(parts) == 2:
            whole.append((key, parts["picture"], parts["record"]))
    if len(whole) != samples:
        raise InputError(
            f"shard {path} has {len(whole)} complete samples, not {samples}: it is truncated or"
            " modified"
        )
    return whole


def mixed_order(sizes: Sequence[int], weights: Sequence[float], seed: int) -> Order:
    """Return the order over several concatenated sources of these `sizes`, mixed by `weights`.

    Of every BLOCK positions each source gets its share, rounded to an integer. Each source is
    shuffled in epochs of its own: all its samples occur once before any is repeated.
    """
    starts = np.cumsum([0, *sizes[:-1]])
    ends = np.round(np.cumsum(weights) / np.sum(weights) * BLOCK).astype(int)
    quotas = np.diff(ends, prepend=0)
    seeds = rng(seed, "sources", 0).integers(2**31, size=len(sizes))
    orders = [shuffled(size, int(own)) for size, own in zip(sizes, seeds, strict=True)]

    def block_order(block: int) -> np.ndarray:
        numbers = []
        for start, order, size, quota in zip(starts, orders, sizes, quotas, strict=True):
            for place in range(block * quota, (block + 1) * quota):
                numbers.append(start + order(place) % size)
        return rng(seed, "mixture", block).permutation(numbers)

    return in_blocks(BLOCK, block_order)


class ShardData(StreamData):
    """Street scenes in shards.

    `root`: a folder or an http(s) URL with an index, or several. `weights`: sampling weight of
    each; () for each sample once per epoch. The last `validation` samples of the first source (a
    tenth at most) are held out for validation. `cache`: local folder for shards from a URL.
    `num_workers`: number of DataLoader workers.
    """

    kind = KIND

    def __init__(
        self,
        root: str | Sequence[str] = "",
        weights: Sequence[float] = (),
        cache: str = "runs/shards",
        validation: int = 500,
        width: int = 640,
        height: int = 480,
        batch: int = 8,
        num_workers: int | None = None,
        flip: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.roots = [root] if isinstance(root, str) else list(root)
        if not self.roots or not all(self.roots):
            raise InputError(
                "data=shards needs data.root=DIR_OR_URL, which holds shards and their index.json"
            )
        if weights and (len(weights) != len(self.roots) or min(weights) <= 0):
            raise InputError(
                f"data.weights={list(weights)} should be {len(self.roots)} positive "
                "numbers, one for each root"
            )
        self.save_hyperparameters()
        self._judge: Callable[[StreetEstimator], Judged] | None = None

    def prepare_data(self) -> None:
        for root in self.roots:
            fetched(root, self.hparams.cache)

    def setup(self, stage: str) -> None:
        h = self.hparams
        scenes = [ShardedScenes(local(root, h.cache), h.width, h.height) for root in self.roots]
        first, self.validation = held_out(scenes[0], h.validation)
        parts = [first, *scenes[1:]]
        self.parts = list(map(WithFlip, parts)) if h.flip else parts
        self.train = ConcatDataset(self.parts)

    def models(self) -> set[str]:
        names: set[str] = set()
        for root in self.roots:
            names.update(_index(local(root, self.hparams.cache)).get("models", ()))
        return names

    def scenes(self) -> scene_ids.Ids:
        """Return the ids of the training scenes: of all sources, without those for validation."""
        self.setup("fit")
        ids = []
        for part in self.parts:
            scenes = part.scenes if self.hparams.flip else part
            source = scenes.dataset if isinstance(scenes, Subset) else scenes
            ids.append(source.ids(len(scenes)))
        return scene_ids.joined(ids)

    def judged(self, estimator: StreetEstimator, count: int) -> Judged:
        if self._judge is None:
            pictures, truths = [], []
            for k in self.validation.indices[:count]:
                picture, record = self.validation.dataset.stored(k)
                pictures.append(picture)
                truths.append(scene_from_superclevr(record))
            self._judge = street_judge(pictures, truths)
        return self._judge(estimator)

    def train_stream(self) -> BatchStream:
        h = self.hparams
        if not h.weights:
            return super().train_stream()
        order = mixed_order(list(map(len, self.parts)), h.weights, h.seed)
        return BatchStream(order, h.batch, **self.place())
