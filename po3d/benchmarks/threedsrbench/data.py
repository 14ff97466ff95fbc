"""3DSRBench: reading and writing its files. Every row is a question; scores: `score`.

  qid   XXXXXXXX | XXXXXXXX-N | XXXXXXXX-flip | XXXXXXXX-flip-N   (N: N-th rotation of the options)

The release has one file per evaluation, in several formats (see `report`). Our format, a folder
with `3dsrbench.tsv`, can have additional columns: `viewpoint` (common or uncommon), `scene` (rows
of one scene count as one unit in intervals and in `first`), `program`, and any `meta_...`;
`scenes.jsonl` beside it holds the true scenes by image.

Answers are matched by content: `Question.answer` is the text of the right option, as is a system's
answer; letters are only used in prompts. So all rotations of a question have one answer. Images
embedded in a table are used unchanged (those of flip rows are already mirrored); images given by
path or URL are mirrored for flip rows.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.choices import by_letter, letters_of
from po3d.benchmarks.splits import QuestionSplit, existing, first_file, scenes_by_image, unique
from po3d.benchmarks.threedsrbench.report import LETTERS, read_table
from po3d.benchmarks.threedsrbench.score import CATEGORIES, VIEWPOINTS
from po3d.benchmarks.twin_folder import TWIN, described
from po3d.benchmarks.vlmevalkit import write_table
from po3d.io.errors import InputError, known
from po3d.io.files import atomic_write, read_jsonl, write_jsonl
from po3d.io.images import ImageError, decode_image, read_image
from po3d.reasoning.questions import Question
from po3d.scene.camera import mirrored
from po3d.scene.table import Scene, to_json
from po3d.synthesis.difficulty import INDOOR, difficulty_of

OURS = "3dsrbench.tsv"
FILES = (  # searched in this order; the first one with rotations gives the official metric
    OURS,
    "3dsrbench_v1_vlmevalkit_circular.tsv",
    "3DSRBench.tsv",
    "3dsrbench_v1_vlmevalkit.tsv",
    "3dsrbench_v1-00000-of-00001.parquet",
    "3dsrbench_v1.csv",
)
# columns of the tables written here
COLUMNS = ("index", "qid", "question", *LETTERS, "answer", "category")
SCENES = "scenes.jsonl"
TWIN_FORMAT = "po3d-3dsrbench-twin-1"
FOLDERS = ("", "images", "coco_images")  # folders in which images given by path or URL are searched
# assumed focal length of photographs in image widths, a field of view of about 53 degrees
FOCAL = 1.0
MIRROR = "#flip"  # suffix of an image name: the mirror image
WHERE = "download: Hugging Face, dataset ccvl/3DSRBench"
_QID = re.compile(r"(?P<base>[^-\s]+)(?P<flip>-flip)?(?:-(?P<turn>\d+))?")


def split_qid(qid: str, where: str = "") -> tuple[str, bool, int]:
    """Parse a qid into its base, whether it is a mirror image, and the rotation of its options (0:
    as annotated); raise InputError if it is malformed. `where` is the prefix of the message."""
    match = _QID.fullmatch(qid)
    if not match:
        expected = "expected XXXXXXXX, optionally followed by -flip, -1 or -flip-1"
        raise InputError(f"{where}{qid!r} is not a qid; {expected}")
    return match["base"], bool(match["flip"]), int(match["turn"] or 0)


@dataclass(frozen=True)
class PhotoQuestion(Question):
    """A question of 3DSRBench."""

    letter: str = ""  # letter of the right option
    letters: str = ""  # letters of the options if a column before the last one is empty: "ACD"
    viewpoint: str = ""  # one of VIEWPOINTS, if given in the file
    index: str = ""  # index of the row
    source: str = ""  # source of the image
    columns: Mapping[str, str] = field(default_factory=dict)  # content of the columns meta_NAME


@dataclass(frozen=True)
class ThreeDSRBenchSplit(QuestionSplit):
    """Questions, and access to their images and scenes."""

    root: Path  # the folder of the table
    # images embedded in the table
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    # furniture models for rendering a twin's missing images; None: the Debian package's
    furniture: Path | None = None
    table: Path | None = None  # the question file
    own_worlds: ClassVar[bool] = True  # each scene is in its camera's frame
    _scenes: dict[str, Scene] = field(default_factory=dict, repr=False)

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels; a twin's view without a file is rendered. Raise InputError if
        there is no image."""
        if name in self.pictures:
            return decode_image(self.pictures[name], name)
        bare = name.removesuffix(MIRROR)
        path = self._file(bare)
        if path is not None:
            pixels = read_image(path)
        elif (self.root / TWIN).is_file():
            pixels = self._render(bare)
        else:
            source = f"3DSRBench uses photographs of COCO ({WHERE}, coco_images.zip)"
            raise ImageError(f"image {bare} is not in {self.root}; {source}")
        return pixels if bare == name else np.ascontiguousarray(pixels[:, ::-1])

    def _file(self, name: str) -> Path | None:
        return first_file(self.root / folder / name for folder in FOLDERS)

    def files(self) -> list[Path]:
        """Return the existing files of questions, images and scenes."""
        bare = dict.fromkeys(n.removesuffix(MIRROR) for n in self.images if n not in self.pictures)
        return existing([self.table, self.root / SCENES, self.root / TWIN, *map(self._file, bare)])

    def notes(self) -> list[str]:
        """Return notes on this split: a table without rotations."""
        if _has_rotations(self.questions):
            return []
        return [
            "the table has no rotations of options, so circular equals vanilla here; the "
            "published figures are circular"
        ]

    def _render(self, name: str) -> NDArray[np.uint8]:
        # the renderer is an optional dependency
        from po3d.benchmarks.threedsrbench.pictures import Studio, picture

        twin = described(self.root, TWIN_FORMAT, name)
        objects = difficulty_of(twin.get("dials"), INDOOR).objects
        studio = Studio(twin["seed"], twin["split"], self.furniture, None, objects)
        return picture(self.truth(name), studio)

    def truth(self, name: str) -> Scene:
        """Return the ground-truth scene of an image; raise InputError if there is none."""
        if not self._scenes and (self.root / SCENES).is_file():
            path = self.root / SCENES
            self._scenes.update(scenes_by_image(read_jsonl(path, "scene file"), path))
        bare = name.removesuffix(MIRROR)
        if bare not in self._scenes:
            where = f"photographs have none, twins have them in {SCENES}"
            raise InputError(f"{self.split} has no true scene of {bare!r}; {where}")
        scene = self._scenes[bare]
        return scene if bare == name else replace(mirrored(scene), image=name)

    def inputs(self, name: str) -> "Lens":
        """Return the additional inputs of an image."""
        return Lens(self, name)

    def unit_of(self, question: Question) -> str:
        """Return the unit that `first` counts: the scene, including all its viewpoints."""
        return question.scene


@dataclass(frozen=True)
class Lens:
    """The focal length of an image in image widths: the `inputs` of a 3DSRBench `Context`."""

    split: ThreeDSRBenchSplit
    name: str

    def known_focal(self) -> float | None:
        """Return the true focal length of a twin's view; None for photographs."""
        if not (self.split.root / SCENES).is_file():
            return None
        camera = self.split.truth(self.name).camera
        return None if camera is None else camera.focal / camera.width

    def focal(self, name: str) -> float:
        """Return the known focal length, else FOCAL."""
        known = self.known_focal()
        return FOCAL if known is None else known


def _has_rotations(questions: Sequence[Question]) -> bool:
    return any(split_qid(q.id)[2] for q in questions)


# --- reading --------------------------------------------------------------------------------------


def load(root: str | Path, split: str = "", flips: bool = False) -> ThreeDSRBenchSplit:
    """Load the benchmark from a file or its folder; raise InputError if something is missing.
    `flips`: see `read_table`."""
    root = Path(root)
    path = root
    if not root.is_file():
        path = first_file(root / name for name in FILES)
        if path is None:
            expected = f"expected one of {', '.join(FILES)}; {WHERE}"
            raise InputError(f"no 3DSRBench data in {root}: {expected}")
    records, pictures = read_table(path, flips)
    questions = [_question(r, f"{path}, row {k}") for k, r in enumerate(records)]
    rows = unique(questions, path, "qid")
    return ThreeDSRBenchSplit(split or path.stem, rows, path.parent, pictures, table=path)


def _question(record: Mapping[str, str], where: str) -> PhotoQuestion:
    """Convert a row to a question."""
    qid = record.get("qid") or record.get("index", "")
    base, flip, _ = split_qid(qid, f"{where}: ")
    offered = {letter: record[letter] for letter in LETTERS if letter in record}
    letter, category = record.get("answer", "").upper(), record.get("category", "")
    if letter not in offered:
        options = ", ".join(offered)
        raise InputError(f"{where}: the answer {letter!r} is not one of the options {options}")
    known("category", category, CATEGORIES, f"{where}: ")
    if "question" not in record:
        raise InputError(f"{where}: the question is missing")
    photo = _photo(record, where)
    viewpoint = record.get("viewpoint", "")
    if "viewpoint" in record:
        known("viewpoint", viewpoint, VIEWPOINTS, f"{where}: ")
    stored_flip = flip and record.get("mirrored") != "yes"
    image = record.get("pixels") or photo + (MIRROR if stored_flip else "")
    if not image:
        raise InputError(f"{where}: the row has neither an image nor its path or URL")
    answer, program, options = offered[letter], record.get("program", ""), tuple(offered.values())
    letters, columns = "".join(offered), {}
    for key, value in record.items():
        if key.startswith("meta_"):
            columns[key.removeprefix("meta_")] = value
    fields = {
        "scene": record.get("scene") or photo or base,
        "letter": letter,
        "viewpoint": viewpoint,
        "letters": "" if letters == "".join(LETTERS[: len(letters)]) else letters,
        "index": record.get("index", ""),
        "source": record.get("image_source", ""),
        "columns": columns,
    }
    text = record["question"]
    return PhotoQuestion(qid, image, text, "6d", category, answer, program, options, **fields)


def _photo(record: Mapping[str, str], where: str) -> str:
    """Return an image's path relative to the folder ("" if none); of a URL, the part behind the
    host."""
    location = record.get("image_path") or record.get("image_url", "")
    path = urlsplit(location).path.lstrip("/") if "://" in location else location
    if path and (Path(path).is_absolute() or ".." in Path(path).parts):
        raise InputError(f"{where}: the image path {path!r} leads out of the folder")
    return path


def augmented(root: str | Path) -> ThreeDSRBenchSplit:
    """Load the release at `root` and add all rotations of the options and, for raw annotations, all
    mirror images, as needed for the official metric. Raise InputError if the table already has
    rotations."""
    result = load(root, flips=True)
    if _has_rotations(result.questions):
        raise InputError(f"{result.table} already has rotations")
    rows: list[Question] = []
    for q in result.questions:
        rows += rotations(q)
    return replace(result, questions=tuple(rows))


# --- writing --------------------------------------------------------------------------------------


def rotations(question: Question) -> list[Question]:
    """Return the question with its options rotated by 0, 1, 2 ..., as required by CircularEval."""
    options, letters = question.options, letters_of(question)
    right = letters.index(question.letter)
    rows = []
    for turn in range(len(options)):
        moved = options[turn:] + options[:turn]
        at = letters[(right - turn) % len(options)]
        name = question.id if turn == 0 else f"{question.id}-{turn}"
        rows.append(replace(question, id=name, options=moved, letter=at))
    return rows


def write_release(
    folder: str | Path, questions: Sequence[Question], scenes: Iterable[Scene] = ()
) -> None:
    """Write rows and true scenes (identified by their `image`) in the format of `load`.

    The caller stores the images below the folder, named as in `Question.image`. The table is
    written last, so its presence marks a complete folder.
    """
    folder = Path(folder)
    write_jsonl(folder / SCENES, map(to_json, scenes), compact=True)
    extra, stored_flips = set(), set()
    for q in questions:
        extra.update(q.columns)
        if split_qid(q.id)[1] and not q.image.endswith(MIRROR):
            stored_flips.add(q.id)
    columns = [*COLUMNS, "image_path", "image_source", "viewpoint", "scene", "program"]
    columns += ["mirrored"] if stored_flips else []
    columns += [f"meta_{k}" for k in sorted(extra)]
    with atomic_write(folder / OURS) as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        for k, q in enumerate(questions):
            row = {"index": q.index or k, "qid": q.id, "question": q.text, "category": q.category}
            row |= by_letter(q) | {"answer": q.letter, "program": q.program}
            if q.id in stored_flips:
                row["mirrored"] = "yes"  # the image is already mirrored
            row |= {"scene": q.scene, "viewpoint": q.viewpoint, "image_source": q.source}
            row |= {f"meta_{k}": v for k, v in q.columns.items()}
            writer.writerow(row | {"image_path": q.image.removesuffix(MIRROR)})


def write_vlmevalkit(
    path: str | Path, questions: Sequence[Question], encoded: Mapping[str, bytes]
) -> None:
    """Write rows in VLMEvalKit's TSV format; `encoded` holds each image's file content by
    `Question.image`, with flip rows already mirrored."""
    rows = []
    for k, q in enumerate(questions):
        row = {"index": str(k), "qid": q.id, "question": q.text, **by_letter(q)}
        row |= {"answer": q.letter, "category": q.category}
        rows.append(row | {"image": (q.image,), "image_source": q.source})
    write_table(path, [*COLUMNS, "image", "image_source", "image_url"], rows, encoded)
