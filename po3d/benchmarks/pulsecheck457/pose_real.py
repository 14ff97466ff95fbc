"""L4-Pose-Real of PulseCheck457: which way does the object in the red box of a photograph face?

The subset is not released; the paper (Sec. 5) describes its construction. `po3d pose-real make`
creates items from photographs with annotated poses (see `annotations`). A folder of items has
`images/` and `L4_pose_real.json`, a list like the release's question files:

  {"question_index": 0, "image_filename": "a.jpg", "question": ..., "answer": "left",
   "category": "chair", "box": [x0, y0, x1, y1]}

Answers follow PulseCheck457: front is toward the viewer, left is the viewer's left. A direction
must be within 30 degrees of one of the camera's axes; objects between two directions are skipped.
`drawn: true` means that the image already shows the box.
"""

import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.metrics import bootstrap, coefficient_of_variation, confusion, distribution
from po3d.benchmarks.pulsecheck457.annotations import Box, Photograph
from po3d.benchmarks.pulsecheck457.score import strict
from po3d.benchmarks.scoring import published_table, row, some
from po3d.benchmarks.splits import QuestionSplit
from po3d.io.errors import InputError, known, malformed
from po3d.io.files import read_json, write_json
from po3d.io.images import read_image
from po3d.reasoning.questions import Prediction, Question, ids_of, paired
from po3d.reasoning.rules import STREET_RULES
from po3d.scene.table import Scene
from po3d.scene.vocabulary import FACINGS

CATEGORY = "L4-Pose-Real"
FILE = "L4_pose_real.json"
RED, THICKNESS = (255, 0, 0), 3
SCORERS = ("strict",)
# SUN RGB-D classes with a generally agreed front; a table or a lamp has none.
FRONTED = ("chair", "sofa", "sofa_chair", "office_chair", "bench", "bed", "toilet", "desk")
FRONTED += ("dresser", "night_stand", "bookshelf", "cabinet", "file_cabinet", "wardrobe")
FRONTED += ("monitor", "computer", "laptop", "tv", "printer", "microwave", "oven", "stove")
FRONTED += ("fridge", "refrigerator", "dishwasher", "piano", "sink", "mirror", "whiteboard")
FRONTED += ("camera", "shoe", "bike", "car")  # of Objectron and other folders with poses
# Ground direction (right, forward) in the camera frame for each answer.
WAYS = {"front": (0.0, -1.0), "left": (-1.0, 0.0), "back": (0.0, 1.0), "right": (1.0, 0.0)}
SMALLEST = 40  # minimum shorter side of a box, in pixels


@dataclass(frozen=True)
class PoseRealSplit(QuestionSplit):
    """Questions and their photographs."""

    root: Path

    def files(self) -> list[Path]:
        """Return the question file and the photographs that exist."""
        photos = dict.fromkeys(self.root / "images" / _photo(q) for q in self.questions)
        return [path for path in (self.root / FILE, *photos) if path.is_file()]

    def box(self, name: str) -> tuple[float, ...] | None:
        """Return the box (x0, y0, x1, y1) encoded in a question's `image`; None if the image
        already shows it.
        """
        cell = name.partition("#")[2]
        return tuple(map(float, cell.split(","))) if cell else None

    def photo(self, name: str) -> NDArray[np.uint8]:
        """Return the pixels without a red box."""
        return read_image(self.root / "images" / name.partition("#")[0], whole=True)

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels with the red box encoded in a question's `image`."""
        # boxes are in pixels of the unscaled photograph
        pixels, box = self.photo(name), self.box(name)
        return pixels if box is None else framed(pixels, box)

    def truth(self, name: str) -> Scene:
        raise InputError(
            f"{self.split} has no true scenes: its photographs are annotated with boxes only"
        )

    def unit_of(self, question: Question) -> str:
        """Return the unit that `first` counts: the photograph."""
        return _photo(question)


def _photo(question: Question) -> str:
    return question.image.partition("#")[0]


def framed(pixels: NDArray[np.uint8], box: Sequence[float]) -> NDArray[np.uint8]:
    """Draw a red frame, THICKNESS pixels wide, along the inside of `box` (x0, y0, x1, y1), clipped
    to the image.
    """
    height, width = pixels.shape[:2]
    x0, y0 = max(0, math.floor(box[0])), max(0, math.floor(box[1]))
    x1, y1 = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    visible = pixels.copy()
    inside = visible[y0:y1, x0:x1]
    inside[:THICKNESS] = inside[-THICKNESS:] = RED
    inside[:, :THICKNESS] = inside[:, -THICKNESS:] = RED
    return visible


# --- reading --------------------------------------------------------------------------------------


def load(root: str | Path, split: str = "") -> PoseRealSplit:
    """Load the items in a folder; raise InputError if something is missing or malformed."""
    root = Path(root)
    path = root / FILE
    if not path.is_file():
        raise InputError(
            f"no {CATEGORY} in {root}: expected {FILE} and images/, as written by `po3d pose-real"
            " make`"
        )
    content = read_json(path, "question file")
    records = content.get("questions") if isinstance(content, dict) else content
    if not isinstance(records, list) or not records:
        raise InputError(f"{path} does not contain a list of questions")
    questions = [_question(r, f"{path}, question {k}") for k, r in enumerate(records)]
    if len(set(ids_of(questions))) < len(questions):
        raise InputError(f"{path}: a question_index occurs twice")
    return PoseRealSplit(split or root.name, tuple(questions), root)


def _question(record: Mapping, where: str) -> Question:
    with malformed(f"{where}: missing or malformed field"):
        name = f"{CATEGORY}:{int(record['question_index'])}"
        photo, text, answer = (str(record[k]) for k in ("image_filename", "question", "answer"))
        box = tuple(map(float, record["box"]))
    ordered = len(box) == 4 and box[0] < box[2] and box[1] < box[3]
    if not ordered or not all(map(math.isfinite, box)):
        raise InputError(f"{where}: the box should be x0, y0, x1, y1, not {list(box)}")
    if answer.lower() not in FACINGS:
        raise InputError(f"{where}: the answer {answer!r} is not one of {', '.join(FACINGS)}")
    if Path(photo).is_absolute() or ".." in Path(photo).parts:
        raise InputError(f"{where}: the path of image {photo!r} leads out of the folder")
    image = photo if record.get("drawn") else f"{photo}#{','.join(f'{v:g}' for v in box)}"
    kind = str(record.get("category", ""))
    return Question(name, image, text, "2d", CATEGORY, answer.lower(), options=FACINGS, number=kind)


def prompt(question: Question) -> list[str | int]:
    """Return the prompt: image with the red box, meaning of the directions, and the question with
    its four answers.
    """
    meaning = (
        "Left, right, front and back are meant as the camera sees them: a thing that faces the"
        " camera faces front."
    )
    return [0, meaning, f"{question.text}\nAnswer with exactly one of: {', '.join(FACINGS)}."]


# --- making ---------------------------------------------------------------------------------------


def facing(
    front: tuple[float, float], window_deg: float = STREET_RULES.facing_window_deg
) -> str | None:
    """Return the direction of a ground vector (right, forward) from the viewer's perspective; None
    if it is between two.
    """
    cosines = np.array(list(WAYS.values())) @ front / math.hypot(*front)
    near = np.flatnonzero(cosines >= math.cos(math.radians(window_deg)) - 1e-12)
    result = [list(WAYS)[k] for k in near]
    return result[0] if len(result) == 1 else None


def items(photographs: Iterable[Photograph]) -> list[dict]:
    """Return the records of all suitable objects: with a front, facing one of the four directions,
    with a large enough box that, if the image size is known, is mostly inside the image.
    """
    records: list[dict] = []
    for photo in photographs:
        for thing in photo.things:
            answer, box = facing(thing.front), photo.outline(thing)
            if thing.name not in FRONTED or answer is None or box is None:
                continue
            retained = _clipped(box, photo.size)
            if retained is None:
                continue
            x0, y0, x1, y1 = retained
            if min(x1 - x0, y1 - y0) < SMALLEST:
                continue
            noun = thing.name.replace("_", " ")
            records.append(
                {
                    "question_index": len(records),
                    "image_filename": photo.image,
                    "question": f"In which direction is the {noun} in the red box facing?",
                    "answer": answer,
                    "category": thing.name,
                    "box": [round(v, 1) for v in retained],
                }
            )
    return records


def _clipped(box: Box, size: tuple[int, int] | None) -> Box | None:
    """Clip a box to the image; None if less than 80 % of its area is inside."""
    if size is None:
        return box
    x0, y0, x1, y1 = max(0.0, box[0]), max(0.0, box[1]), min(size[0], box[2]), min(size[1], box[3])
    if x1 <= x0 or y1 <= y0:
        return None
    share = (x1 - x0) * (y1 - y0) / ((box[2] - box[0]) * (box[3] - box[1]))
    return (x0, y0, x1, y1) if share >= 0.8 else None


def generate(photographs: Iterable[Photograph], images: str | Path, out: str | Path) -> int:
    """Write the items of annotated photographs in the format of `load`, copy the images used, and
    return the number of items.

    `images` is the folder that image names are relative to. The question file is written last, so
    its presence marks a complete folder.
    """
    images, out = Path(images), Path(out)
    if out.exists() and any(out.iterdir()):
        raise InputError(f"{out} is not empty; choose another folder")
    records = items(_sized(photographs, images))
    if not records:
        raise InputError(
            f"{images} contains no usable object: none has a front, is large enough, and is in view"
        )
    for name in dict.fromkeys(r["image_filename"] for r in records):
        target = out / "images" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(images / name, target)
    write_json(out / FILE, records)
    return len(records)


def _sized(photographs: Iterable[Photograph], images: Path) -> Iterable[Photograph]:
    """Add the image size to each photograph; photographs without a file are skipped."""
    for photo in photographs:
        if Path(photo.image).is_absolute() or ".." in Path(photo.image).parts:
            raise InputError(
                f"the path of image {photo.image!r} in the annotations leads out of the folder"
            )
        if (images / photo.image).is_file():
            height, width = read_image(images / photo.image, whole=True).shape[:2]
            yield replace(photo, size=(width, height))


# --- scores ---------------------------------------------------------------------------------------


def score(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "strict"
) -> dict:
    """Compute the content of the paper's Table 5, JSON-serialisable: `rows` with the accuracy in
    percent (95 % interval over photographs), `cv` of predicted and true directions, their
    `distribution` and `confusion`, and the paper's rows under `published`.
    """
    known("scorer", scorer, SCORERS)
    some(questions)
    answers, gold, right, failed = [], [], [], []
    for q, p in paired(questions, predictions):
        answered = p.status == "ok" and p.answer is not None
        answers.append(p.answer.strip().lower() if answered else None)
        gold.append(q.answer or "")
        right.append(100.0 * (answered and strict(answers[-1], gold[-1])))
        failed.append(p.status != "ok")
    photos = list(map(_photo, questions))
    boot = bootstrap(right, photos, gold, FACINGS)
    whole = bootstrap(right, photos, [CATEGORY] * len(gold), [CATEGORY])
    counts = {"predicted": distribution(answers, FACINGS), "gold": distribution(gold, FACINGS)}
    return {
        "scorer": scorer,
        "images": len(set(photos)),
        "rows": [row(CATEGORY, failed, whole.value[0], whole.samples[:, 0])],
        "other_scorers": {},
        "by_direction": {f: float(v) for f, v in zip(FACINGS, boot.value) if counts["gold"][f]},
        "cv": {side: coefficient_of_variation(table) for side, table in counts.items()},
        "distribution": counts,
        "confusion": {
            "values": list(FACINGS),
            "counts": confusion(gold, answers, FACINGS).tolist(),
        },
        "published": published_rows(),
    }


def published_rows() -> list[dict]:
    """Return Table 5 of the paper: model, accuracy under the row's name, and CV of the
    predictions.
    """
    table = published_table(__file__, "pulsecheck457_pose_real")
    return [{"model": r["model"], CATEGORY: r["accuracy"], "cv": r["cv"]} for r in table]
