"""3DSRBench: its files, read and written. Every row is a question of its own; scores: `score`.

    qid   XXXXXXXX | XXXXXXXX-N | XXXXXXXX-flip | XXXXXXXX-flip-N     N: the N-th rotation of the options

The release has one file an evaluation, in several formats (`report`). Ours, a folder with `3dsrbench.tsv`,
may say more of each row: `viewpoint` (common or uncommon), `scene` (rows of one scene count as one in intervals and
in `first`), `program`, and any `meta_...`; `scenes.jsonl` beside it holds the true tables by image.

Answers are chosen by content: `Question.answer` is the text of the right option and so is a system's answer, and the
letter is the protocol's business. So every rotation of a question agrees. Pictures that come inside a table are
shown as they are, flip rows being flipped already; of pictures named by path or URL a flip row shows the mirror image.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.choices import by_letter, letters_of
from po3d.benchmarks.splits import QuestionSplit, unique
from po3d.benchmarks.threedsrbench.report import LETTERS, read_table
from po3d.benchmarks.threedsrbench.score import CATEGORIES, VIEWPOINTS
from po3d.benchmarks.twin_folder import TWIN, described
from po3d.benchmarks.vlmevalkit import write_table
from po3d.io.errors import InputError, known
from po3d.io.files import atomic_write, read_jsonl, write_jsonl
from po3d.io.images import ImageError, decode_image, read_image
from po3d.reasoning.questions import Question
from po3d.scene.camera import mirrored
from po3d.scene.table import Scene, from_json, to_json
from po3d.synthesis.difficulty import InsideDials, dials_of

OURS = "3dsrbench.tsv"
FILES = (  # looked for in this order; the first with rotations gives the official figure
    OURS,
    "3dsrbench_v1_vlmevalkit_circular.tsv",
    "3DSRBench.tsv",
    "3dsrbench_v1_vlmevalkit.tsv",
    "3dsrbench_v1-00000-of-00001.parquet",
    "3dsrbench_v1.csv",
)
COLUMNS = ("index", "qid", "question", *LETTERS, "answer", "category")  # of the tables that we write
SCENES = "scenes.jsonl"
TWIN_FORMAT = "po3d-3dsrbench-twin-1"
FOLDERS = ("", "images", "coco_images")  # where pictures named by path or URL are looked for
FOCAL = 1.0  # focal length taken for photographs, in their widths: some 53 degrees across
MIRROR = "#flip"  # behind a picture's name: its mirror image
WHERE = "it is on Hugging Face: dataset ccvl/3DSRBench"
_QID = re.compile(r"(?P<base>[^-\s]+)(?P<flip>-flip)?(?:-(?P<turn>\d+))?")


class Qid(NamedTuple):
    """The parts of a row's name."""

    base: str
    flip: bool
    turn: int  # 0: the options as annotated


def split_qid(qid: str, where: str = "") -> Qid:
    """InputError for what is no qid; `where` it stands begins its message."""
    found = _QID.fullmatch(qid)
    if not found:
        raise InputError(f"{where}{qid!r} is no qid; they are XXXXXXXX, with -flip, -1 or -flip-1 behind it")
    return Qid(found["base"], bool(found["flip"]), int(found["turn"] or 0))


@dataclass(frozen=True)
class PhotoQuestion(Question):
    """An item of 3DSRBench."""

    letter: str = ""  # of the right option
    letters: str = ""  # of the options, where a column before the last one is empty: "ACD"
    viewpoint: str = ""  # of VIEWPOINTS, where the file says it
    index: str = ""  # of the row
    source: str = ""  # of the picture
    columns: Mapping[str, str] = field(default_factory=dict)  # what columns meta_NAME say


@dataclass(frozen=True)
class Split(QuestionSplit):
    """Questions, and what there is to each of their pictures."""

    root: Path  # the folder of the table
    # those that came inside the table
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    # models that a twin's missing pictures are drawn with; None: the Debian package's
    furniture: Path | None = None
    table: Path | None = None  # the file of the questions
    own_worlds: ClassVar[bool] = True  # tables of pictures live in the world of their camera
    _scenes: dict[str, Scene] = field(default_factory=dict, repr=False)

    def image(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels, of a twin's view drawn now where there is no file; InputError without a picture."""
        if name in self.pictures:
            return decode_image(self.pictures[name], name)
        bare = name.removesuffix(MIRROR)
        found = self._file(bare)
        if found is not None:
            pixels = read_image(found)
        elif (self.root / TWIN).is_file():
            pixels = self._drawn(bare)
        else:
            raise ImageError(
                f"picture {bare} is not under {self.root}; 3DSRBench's photographs are COCO's, {WHERE}, coco_images.zip"
            )
        return pixels if bare == name else np.ascontiguousarray(pixels[:, ::-1])

    def _file(self, name: str) -> Path | None:
        places = (self.root / folder / name for folder in FOLDERS)
        return next((p for p in places if p.is_file()), None)

    def files(self) -> list[Path]:
        """What questions, pictures and tables are read from, as far as it is there."""
        bare = dict.fromkeys(n.removesuffix(MIRROR) for n in self.images if n not in self.pictures)
        paths = (self.table, self.root / SCENES, self.root / TWIN, *map(self._file, bare))
        return [path for path in paths if path is not None and path.is_file()]

    def notes(self) -> list[str]:
        """What a reader of figures on this split should know: a table without rotations."""
        if any(split_qid(q.id).turn for q in self.questions):
            return []
        return [
            "the table has no rotations of options, so circular is vanilla here; the published figures are circular"
        ]

    def _drawn(self, name: str) -> NDArray[np.uint8]:
        from po3d.benchmarks.threedsrbench.pictures import Studio, picture  # the renderer is an extra

        twin = described(self.root, TWIN_FORMAT, name)
        objects = dials_of(twin.get("dials"), InsideDials).objects
        return picture(self.truth(name), Studio(twin["seed"], twin["split"], self.furniture, None, objects))

    def truth(self, name: str) -> Scene:
        """The true table of a picture; InputError when there is none."""
        if not self._scenes and (self.root / SCENES).is_file():
            self._scenes.update(_read_scenes(self.root / SCENES))
        bare = name.removesuffix(MIRROR)
        if bare not in self._scenes:
            raise InputError(
                f"{self.split} has no true table of {bare!r}: photographs have none, a twin has them in {SCENES}"
            )
        scene = self._scenes[bare]
        return scene if bare == name else replace(mirrored(scene), image=name)

    def inputs(self, name: str) -> "Lens":
        """What comes with a picture besides its pixels."""
        return Lens(self, name)

    def unit_of(self, question: Question) -> str:
        """What `first` counts: the scene, which is asked about from all viewpoints."""
        return question.scene


@dataclass(frozen=True)
class Lens:
    """The focal length of a picture, in its widths: what a `Context` of 3DSRBench has as inputs."""

    split: Split
    name: str

    def known_focal(self) -> float | None:
        """Of a twin's view the camera's own; None of photographs, which come without any."""
        camera = self.split.truth(self.name).camera if (self.split.root / SCENES).is_file() else None
        return None if camera is None else camera.focal / camera.width

    def focal(self, name: str) -> float:
        """The known one, else FOCAL."""
        known = self.known_focal()
        return FOCAL if known is None else known


# --- reading ------------------------------------------------------------------------------------------------


def load(root: str | Path, split: str = "", flips: bool = False) -> Split:
    """The benchmark of a file, or of the folder that holds it; InputError says what is missing. `flips`: see `read_table`."""
    root = Path(root)
    path = root
    if not root.is_file():
        path = next((root / name for name in FILES if (root / name).is_file()), root / OURS)
        if not path.is_file():
            raise InputError(f"no 3DSRBench under {root}: expected one of {', '.join(FILES)}; {WHERE}")
    records, pictures = read_table(path, flips)
    questions = [_question(r, f"{path}, row {k}") for k, r in enumerate(records)]
    return Split(split or path.stem, unique(questions, path, "qid"), path.parent, pictures, table=path)


def _question(record: Mapping[str, str], where: str) -> PhotoQuestion:
    """A row as a question."""
    qid = record.get("qid") or record.get("index", "")
    name = split_qid(qid, f"{where}: ")
    offered = {letter: record[letter] for letter in LETTERS if letter in record}
    letter, category = record.get("answer", "").upper(), record.get("category", "")
    if letter not in offered:
        raise InputError(f"{where}: the answer {letter!r} is none of the options {', '.join(offered)}")
    known("category", category, CATEGORIES, f"{where}: ")
    if "question" not in record:
        raise InputError(f"{where}: the question is missing")
    photo = _photo(record, where)
    viewpoint = record.get("viewpoint", "")
    if "viewpoint" in record:
        known("viewpoint", viewpoint, VIEWPOINTS, f"{where}: ")
    image = record.get("pixels") or photo + (MIRROR if name.flip and record.get("mirrored") != "yes" else "")
    if not image:
        raise InputError(f"{where}: the row has neither a picture nor its path or URL")
    answer, program, options = offered[letter], record.get("program", ""), tuple(offered.values())
    letters = "".join(offered)
    own = {"scene": record.get("scene") or photo or name.base, "letter": letter, "viewpoint": viewpoint}
    own["letters"] = "" if letters == "".join(LETTERS[: len(letters)]) else letters
    own |= {"index": record.get("index", ""), "source": record.get("image_source", "")}
    own["columns"] = {k.removeprefix("meta_"): v for k, v in record.items() if k.startswith("meta_")}
    text = record["question"]
    return PhotoQuestion(qid, image, text, "6d", category, answer, program, options, **own)


def _photo(record: Mapping[str, str], where: str) -> str:
    """A picture's path below the folder, "" without one: of a URL, what is behind the host."""
    given = record.get("image_path") or record.get("image_url", "")
    path = urlsplit(given).path.lstrip("/") if "://" in given else given
    if path and (Path(path).is_absolute() or ".." in Path(path).parts):
        raise InputError(f"{where}: the picture's path {path!r} leaves the folder")
    return path


def _read_scenes(path: Path) -> dict[str, Scene]:
    scenes = (from_json(r, f"{path}, record {k}") for k, r in enumerate(read_jsonl(path, "scene file")))
    return {scene.image: scene for scene in scenes}


def augmented(root: str | Path) -> Split:
    """The release at `root` with all rotations of the options and, where it is the raw annotations, all mirror images: what the
    official figure needs. InputError for a table that has rotations already."""
    found = load(root, flips=True)
    if any(split_qid(q.id).turn for q in found.questions):
        raise InputError(f"{found.table} has rotations already; it needs no others")
    return replace(found, questions=tuple(row for q in found.questions for row in rotations(q)))


# --- writing ------------------------------------------------------------------------------------------------


def rotations(question: Question) -> list[Question]:
    """A question as annotated and with its options moved on by 1, 2 ...: what CircularEval asks."""
    options, letters = question.options, letters_of(question)
    right = letters.index(question.letter)
    rows = []
    for turn in range(len(options)):
        moved = [options[(k + turn) % len(options)] for k in range(len(options))]
        at = letters[(right - turn) % len(options)]
        name = question.id if turn == 0 else f"{question.id}-{turn}"
        rows.append(replace(question, id=name, options=tuple(moved), letter=at))
    return rows


def write_release(folder: str | Path, questions: Sequence[Question], scenes: Iterable[Scene] = ()) -> None:
    """Write rows and true tables (known by their `image`) as `load` reads them; the pictures are files that the
    caller puts below the folder, named as in `Question.image`. The table comes last: where it is, all is."""
    folder = Path(folder)
    write_jsonl(folder / SCENES, map(to_json, scenes), compact=True)
    extra = sorted({k for q in questions for k in q.columns})
    columns = [*COLUMNS, "image_path", "image_source", "viewpoint", "scene", "program", "mirrored"]
    columns += [f"meta_{k}" for k in extra]
    with atomic_write(folder / OURS) as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        for k, q in enumerate(questions):
            row = {"index": q.index or k, "qid": q.id, "question": q.text, "category": q.category}
            row |= by_letter(q) | {"answer": q.letter, "program": q.program}
            if split_qid(q.id).flip and not q.image.endswith(MIRROR):
                row["mirrored"] = "yes"  # the picture is the mirror image
            row |= {"scene": q.scene, "viewpoint": q.viewpoint, "image_source": q.source}
            row |= {f"meta_{k}": v for k, v in q.columns.items()}
            writer.writerow(row | {"image_path": q.image.removesuffix(MIRROR)})


def write_vlmevalkit(path: str | Path, questions: Sequence[Question], encoded: Mapping[str, bytes]) -> None:
    """The rows as VLMEvalKit reads them; `encoded` holds each picture's file content by `Question.image`, flipped ones
    flipped."""
    rows = (
        {"index": str(k), "qid": q.id, "question": q.text, **by_letter(q), "answer": q.letter,
         "category": q.category, "image": (q.image,), "image_source": q.source}
        for k, q in enumerate(questions)
    )  # fmt: skip
    write_table(path, [*COLUMNS, "image", "image_source", "image_url"], rows, encoded)
