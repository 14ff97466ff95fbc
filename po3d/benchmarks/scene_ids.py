"""Identifiers of street scenes, and the part (train, val, test) of a release that each scene
belongs to.

An id is a group and a number. The group of an official image is its name with the number replaced
("superCLEVR_new_#"); the group of a twin's image also contains the twin's settings, because all
twins use the official names. A model card lists the ids that the weights were trained on as ranges
({group: "0-11, 14"}); `po3d.evaluation.overlap` compares them with the evaluated scenes.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from po3d.benchmarks.splits import existing
from po3d.benchmarks.superclevr.files import read_scenes
from po3d.benchmarks.twin_folder import TWIN
from po3d.io.errors import InputError, known
from po3d.io.files import read_json
from po3d.io.ranges import numbers_of, parsed_ranges, ranges_text

Ids = dict[str, set[int]]  # group -> numbers

PARTS = ("train", "val", "test")
OFFICIAL = "superCLEVR_new_#"  # the group of the images of both releases
# Super-CLEVR: "The first 20k images and paired are used for training, the next 5k for validation
# and the last 5k for testing" (README.md of github.com/Lizw14/Super-CLEVR).
SUPERCLEVR = {"train": "0-19999", "val": "20000-24999", "test": "25000-29999"}
# Spatial457 (PulseCheck457): PO3D-VQA is trained on 20,000 separate images (Wang et al., CVPR 2025,
# section 4.5) and the benchmark has 1,000; we assume that these are the last 1,000 of the 21,000
# scenes of its scene file. There is no validation part.
SPATIAL457 = {"train": "0-19999", "test": "20000-20999"}
RELEASES = {"superCLEVR_scenes.json": SUPERCLEVR, "spatial457_scenes_21k.json": SPATIAL457}
SCENES = "scenes.json"  # scene file of a twin
_LEVELS = "questions/L[1-5]_*.json"  # Spatial457's question files
# keys of a twin's description that do not change its scenes
_TWIN_SIZE = ("format", "size", "images")
_NUMBERED = re.compile(r"(.*?)(\d+)")


def scene_file(root: str | Path) -> Path:
    """Return the scene file of a folder, or `root` itself if it is a file, or if scenes are in
    scenes/*.json. Raise InputError if there are two scene files."""
    root = Path(root)
    result = existing(map(root.joinpath, (*RELEASES, SCENES)))
    if len(result) > 1:
        both = f"both {result[0].name} and {result[1].name}"
        raise InputError(f"{root} contains {both}; set the root to one of them")
    return result[0] if result else root


def folder_of(root: str | Path) -> Path:
    """Return the folder of a data set given by its folder or by a file in it."""
    root = Path(root)
    folder = root.parent if root.is_file() else root
    return folder.parent if folder.name in ("questions", "scenes") and root.is_file() else folder


def group_and_number(name: str) -> tuple[str, int | None]:
    """Split an image name into group and number: superCLEVR_new_000012.png -> ("superCLEVR_new_#",
    12). The group of a name without a number is its stem."""
    stem = PurePosixPath(name).stem
    match = _NUMBERED.fullmatch(stem)
    return (f"{match[1]}#", int(match[2])) if match else (stem, None)


def _twin(root: str | Path) -> Mapping[str, Any]:
    path = folder_of(root) / TWIN
    result = read_json(path, "twin description") if path.is_file() else {}
    return result if isinstance(result, dict) else {}


def scene_ids(root: str | Path, names: Iterable[str]) -> Ids:
    """Return the ids of the images `names` of the data set `root`."""
    twin = _twin(root)
    settings = sorted(set(twin) - {*_TWIN_SIZE})
    prefix = "".join(f"{key}={twin[key]} " for key in settings)
    result: Ids = {}
    for name in names:
        group, number = group_and_number(name)
        result.setdefault(f"twin {prefix}{group}" if twin else group, set()).add(number or 0)
    return result


def joined(parts: Iterable[Mapping[str, Iterable[int]]]) -> Ids:
    """Return the union of several sets of ids."""
    result: Ids = {}
    for part in parts:
        for group, numbers in part.items():
            result.setdefault(group, set()).update(numbers)
    return result


def listed(ids: Mapping[str, Iterable[int]]) -> dict[str, str]:
    """Format ids as in a model card: {group: "0-11, 14"}."""
    return {group: ranges_text(ids[group]) for group in sorted(ids)}


def from_list(record: Mapping[str, str]) -> Ids:
    """Parse the ids of a model card."""
    return dict(zip(record, map(numbers_of, record.values())))


def parts_of(
    root: Path, names: Sequence[str], ranges: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield the part (train, val, test) of each image of the data set `root`; "" if it is outside
    all ranges.

    In order of precedence: `ranges` ({"train": "0-199", ...}), the split stored in a twin's folder,
    and the release's ranges of image numbers. Images of any other data set are in "train". Raise
    InputError for a name without a number where ranges are needed.
    """
    twin = None if ranges is not None else _twin(root).get("split")
    if twin is not None:
        yield from ["val" if twin == "validation" else str(twin)] * len(names)
        return
    numbers = _parsed(ranges if ranges is not None else _released(root))
    for name in names:
        group, number = group_and_number(name)
        if ranges is None and group != OFFICIAL:
            yield "train"
        elif number is None:
            raise InputError(f"data.ranges: the image name {name!r} contains no number")
        else:
            yield _part_of(number, numbers)


def _released(root: Path) -> dict[str, str]:
    """Return the ranges of the release at `root`."""
    levels = any(folder_of(root).glob(_LEVELS))
    return RELEASES.get(scene_file(root).name) or (SPATIAL457 if levels else SUPERCLEVR)


def _parsed(ranges: Mapping[str, str]) -> dict[str, list[range]]:
    """Return part -> ranges of numbers; raise InputError if two parts share a number."""
    result: dict[str, list[range]] = {}
    for part, text in ranges.items():
        known("part of data.ranges", part, PARTS)
        result[part] = parsed_ranges(text)
    for (one, mine), (other, theirs) in itertools.combinations(result.items(), 2):
        for a, b in itertools.product(mine, theirs):
            first = max(a.start, b.start)
            if first < min(a.stop, b.stop):
                raise InputError(f"data.ranges: {first} is in {one} and in {other}")
    return result


def _part_of(number: int, ranges: Mapping[str, Iterable[range]]) -> str:
    for part, numbers in ranges.items():
        for own in numbers:
            if number in own:
                return part
    return ""


def records_of(root: str | Path) -> list[dict]:
    """Read all scene records of a data set; raise InputError if there are none."""
    result = read_scenes(scene_file(root))
    if not result:
        raise InputError(f"no scene records in {root}")
    return result


def wanted_parts(split: str | Sequence[str]) -> list[str]:
    """Return the parts named by `data.split`; raise InputError for an unknown part or an empty
    list."""
    parts = [split] if isinstance(split, str) else list(split)
    for part in parts:
        known("data.split", part, PARTS)
    if not parts:
        raise InputError(f"data.split is empty; it should contain some of {', '.join(PARTS)}")
    return parts


def nothing_for(
    root: str | Path, wanted: Sequence[str], ranges: Mapping[str, str] | None = None
) -> str:
    """Return the error message for a data set that has no scene in the `wanted` parts."""
    names = [str(record.get("image_filename", "")) for record in records_of(root)]
    return no_part(names, list(parts_of(Path(root), names, ranges)), root, wanted)


def no_part(
    names: Sequence[str], parts: Sequence[str], root: str | Path, wanted: Sequence[str]
) -> str:
    """Return the error message of `nothing_for`, given the `parts` of the images."""
    counts = []
    for part in (*PARTS, ""):
        if part in parts:
            counts.append(f"{part or 'outside all ranges'} {parts.count(part):,}")
    none = f"none of its {len(names):,} scenes is in data.split={'+'.join(wanted)}"
    options = "data.split=NAME selects another split, data.ranges defines the splits"
    return f"{root}: {none} ({', '.join(counts)}); {options}"
