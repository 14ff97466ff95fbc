"""Which scenes a set of street pictures holds: their ids, and the part of a release that each
belongs to.

An id is a group and a number. The group of an official picture is its name with the number left out
("superCLEVR_new_#"); that of a twin's says what the twin is made with, because all twins use the
official names. A checkpoint's card lists the ids that the weights were trained on, as ranges
({group: "0-11, 14"}); `po3d.evaluation.overlap` compares them with what is evaluated.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from po3d.benchmarks.superclevr.files import read_scenes
from po3d.benchmarks.twin_folder import TWIN
from po3d.io.errors import InputError, known
from po3d.io.files import read_json
from po3d.io.ranges import numbers_of, parsed_ranges, ranges_text

Ids = dict[str, set[int]]  # group -> numbers

PARTS = ("train", "val", "test")
OFFICIAL = "superCLEVR_new_#"  # the group of both releases' pictures
# Super-CLEVR: "The first 20k images and paired are used for training, the next 5k for validation
# and the last 5k for testing" (README.md of github.com/Lizw14/Super-CLEVR).
SUPERCLEVR = {"train": "0-19999", "val": "20000-24999", "test": "25000-29999"}
# Spatial457 (PulseCheck457): PO3D-VQA is trained on 20,000 separate images (Wang et al., CVPR 2025,
# section 4.5) and the benchmark has 1,000; of the 21,000 scenes of its scene file the last 1,000
# are taken for those. None is for validation.
SPATIAL457 = {"train": "0-19999", "test": "20000-20999"}
RELEASES = {"superCLEVR_scenes.json": SUPERCLEVR, "spatial457_scenes_21k.json": SPATIAL457}
SCENES = "scenes.json"  # of a twin
_LEVELS = "questions/L[1-5]_*.json"  # Spatial457's question files
_TWIN_SIZE = ("format", "size", "images")  # of a twin what does not change its scenes
_NUMBERED = re.compile(r"(.*?)(\d+)")


def scene_file(root: str | Path) -> Path:
    """The scene file of a folder, `root` itself where that is a file, or the folder where scenes
    stand in scenes/*.json; InputError when there are two."""
    root = Path(root)
    names = (*RELEASES, SCENES)
    found = [root / name for name in names if (root / name).is_file()]
    if len(found) > 1:
        raise InputError(f"{root} holds {found[0].name} and {found[1].name}: name one of them as the root")
    return found[0] if found else root


def folder_of(root: str | Path) -> Path:
    """The folder of a set that is named by its folder or by a file in it."""
    root = Path(root)
    folder = root.parent if root.is_file() else root
    return folder.parent if folder.name in ("questions", "scenes") and root.is_file() else folder


def group_and_number(name: str) -> tuple[str, int | None]:
    """ "superCLEVR_new_#" and 12 for the picture superCLEVR_new_000012.png; a name without a number
    stands for itself."""
    stem = PurePosixPath(name).stem
    match = _NUMBERED.fullmatch(stem)
    return (f"{match[1]}#", int(match[2])) if match else (stem, None)


def _twin(root: str | Path) -> Mapping[str, Any]:
    path = folder_of(root) / TWIN
    found = read_json(path, "twin description") if path.is_file() else {}
    return found if isinstance(found, dict) else {}


def scene_ids(root: str | Path, names: Iterable[str]) -> Ids:
    """The ids of these pictures of the set `root`."""
    twin = _twin(root)
    prefix = "".join(f"{k}={twin[k]} " for k in sorted(set(twin) - {*_TWIN_SIZE}))
    found: Ids = {}
    for name in names:
        group, number = group_and_number(name)
        found.setdefault(f"twin {prefix}{group}" if twin else group, set()).add(number or 0)
    return found


def joined(parts: Iterable[Mapping[str, Iterable[int]]]) -> Ids:
    """All ids of several sets."""
    found: Ids = {}
    for part in parts:
        for group, numbers in part.items():
            found.setdefault(group, set()).update(numbers)
    return found


def listed(ids: Mapping[str, Iterable[int]]) -> dict[str, str]:
    """Ids as a checkpoint's card lists them: {group: "0-11, 14"}."""
    return {group: ranges_text(numbers) for group, numbers in sorted(ids.items())}


def from_list(record: Mapping[str, str]) -> Ids:
    """The ids that a card lists."""
    return {group: numbers_of(text) for group, text in record.items()}


@dataclass(frozen=True)
class Parts:
    """Which part (train, val, test) each picture of the set `root` belongs to. A twin's folder says
    it itself, releases go by the numbers of their pictures, `ranges` ({"train": "0-199", ...}) goes
    before both; any other set is for training."""

    root: Path
    ranges: Mapping[str, str] | None = None

    def _ranges(self) -> dict[str, list[range]]:
        given = self.ranges
        if given is None:
            file = scene_file(self.root)
            levels = any(folder_of(self.root).glob(_LEVELS))
            given = RELEASES.get(file.name) or (SPATIAL457 if levels else SUPERCLEVR)
        for part in given:
            known("part of data.ranges", part, PARTS)
        found = {part: parsed_ranges(text) for part, text in given.items()}
        for (one, mine), (other, theirs) in itertools.combinations(found.items(), 2):
            for a, b in itertools.product(mine, theirs):
                if max(a.start, b.start) < min(a.stop, b.stop):
                    raise InputError(f"data.ranges: {max(a.start, b.start)} is in {one} and in {other}")
        return found

    def of(self, names: Sequence[str]) -> Iterator[str]:
        """The part of each picture; "" for one outside all ranges. InputError for a name without a
        number where ranges are given."""
        twin = None if self.ranges is not None else _twin(self.root).get("split")
        if twin is not None:
            yield from ("val" if twin == "validation" else str(twin) for _ in names)
            return
        ranges = self._ranges()
        for name in names:
            group, number = group_and_number(name)
            if self.ranges is None and group != OFFICIAL:
                yield "train"
            elif number is None:
                raise InputError(f"data.ranges: the picture {name!r} has no number in its name")
            else:
                yield next((p for p, own in ranges.items() if any(number in r for r in own)), "")


def records_of(root: str | Path) -> list[dict]:
    """All scene records of a set; InputError when there is none."""
    found = read_scenes(scene_file(root))
    if not found:
        raise InputError(f"no scene records under {root}")
    return found


def wanted_parts(split: str | Sequence[str]) -> list[str]:
    """The parts that `data.split` names; InputError for an unknown one, and for none."""
    parts = [split] if isinstance(split, str) else list(split)
    for part in parts:
        known("data.split", part, PARTS)
    if not parts:
        raise InputError(f"data.split is empty; it should name some of {', '.join(PARTS)}")
    return parts


def nothing_for(root: str | Path, wanted: Sequence[str], ranges: Mapping[str, str] | None = None) -> str:
    """What is wrong with a set none of whose scenes is of the `wanted` parts."""
    names = [str(record.get("image_filename", "")) for record in records_of(root)]
    return no_part(names, list(Parts(Path(root), ranges).of(names)), root, wanted)


def no_part(names: Sequence[str], parts: Sequence[str], root: str | Path, wanted: Sequence[str]) -> str:
    """The same of pictures of these `parts`."""
    counts = {part or "outside all ranges": parts.count(part) for part in (*PARTS, "")}
    there = ", ".join(f"{part} {count:,}" for part, count in counts.items() if count)
    return (
        f"{root}: none of its {len(names):,} scenes is of data.split={'+'.join(wanted)} ({there}); "
        "data.split=NAME trains on another part, data.ranges says which scenes are of which"
    )
