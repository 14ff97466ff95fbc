"""Questions and predictions: the input and output of a system, and the predictions file."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from po3d.io.errors import InputError
from po3d.io.files import read_jsonl, write_jsonl

Status = Literal["ok", "unparsed", "failed", "abstained"]
Task = Literal["2d", "6d"]
FRAME_OF_TASK: dict[Task, str] = {"2d": "camera", "6d": "object"}


@dataclass(frozen=True)
class Question:
    """One item of a benchmark; benchmarks may add fields.

    `program` is the ground-truth program's text ("" if the release has none).
    """

    id: str
    image: str  # file name, the key of the scene
    text: str
    task: Task  # frame of relations: "2d" the camera's, "6d" the object's own
    category: str  # the benchmark's category, e.g. "L3-2D-Spatial"
    answer: str | None = None
    program: str = ""
    options: tuple[str, ...] = ()  # answer options; () for a free answer
    images: tuple[str, ...] = ()  # file names of the views, if there are several
    views: tuple[float, ...] = ()  # camera positions of the views on the orbit, degrees
    frame: str = ""  # of a room: a sentence that defines the reference frame
    change: str = ""  # an edit to imagine, in words
    change_program: str = ""  # the ground-truth program of that edit
    scene: str = ""  # id of the scene, if there are several images of one scene
    number: str = ""  # id in the release's own tables, if it differs from `id`
    unread: str = ""  # why the release's program could not be parsed


@dataclass(frozen=True)
class Prediction:
    """The result of a system on one question. Any status but "ok" is scored as wrong."""

    id: str
    status: Status
    answer: str | None = None
    probability: float | None = None
    program: str = ""
    reason: str = ""  # why the status is not "ok", or what the answer presupposes
    # The smallest change of the scene that gives another answer: "distance", "unit", "answer", and
    # "text" in words. None if it was not computed or no near change gives another answer. Ignored
    # by comparisons.
    margin: dict | None = field(default=None, compare=False)


Row = TypeVar("Row", Question, Prediction)


def pictures(question: Question) -> list[str]:
    """Return the file names of a question's images, in order, as used by `Split.image`."""
    return list(question.images or (question.image,))


def cluster(question: Question) -> str:
    """Return the resampling unit for confidence intervals: the scene, else the image."""
    return question.scene or question.image


def by_id(rows: Iterable[Row]) -> dict[str, Row]:
    """Return questions or predictions by their ids."""
    return {row.id: row for row in rows}


def ids_of(rows: Iterable[Question] | Iterable[Prediction]) -> list[str]:
    """Return the ids of questions or predictions."""
    return [row.id for row in rows]


def not_ok(predictions: Iterable[Prediction]) -> int:
    """Return the number of predictions with a status other than "ok"."""
    return sum(p.status != "ok" for p in predictions)


def images_of(questions: Iterable[Question]) -> list[str]:
    """Return the image of each question."""
    return [q.image for q in questions]


def categories_of(questions: Iterable[Question]) -> list[str]:
    """Return the category of each question."""
    return [q.category for q in questions]


def paired(
    questions: Iterable[Question], predictions: Iterable[Prediction]
) -> list[tuple[Question, Prediction]]:
    """Return each question with its prediction.

    Raise InputError for a question without an answer or a prediction.
    """
    predicted, pairs = by_id(predictions), []
    for q in questions:
        if q.answer is None:
            raise InputError(f"question {q.id} has no gold answer")
        if q.id not in predicted:
            raise InputError(f"no prediction for question {q.id}")
        pairs.append((q, predicted[q.id]))
    return pairs


def write_predictions(path: str | Path, predictions: Iterable[Prediction]) -> None:
    """Write predictions.jsonl atomically, one record per line."""
    write_jsonl(path, map(asdict, predictions))


def read_predictions(path: str | Path) -> Iterator[Prediction]:
    """Yield the records of a predictions file.

    Unknown keys are ignored, so that other tools may add theirs. InputError names the record and
    the invalid field.
    """
    for number, record in enumerate(read_jsonl(path, "predictions file"), 1):
        if not {"id", "status"} <= record.keys():
            raise InputError(
                f"{path} is not a predictions file; `po3d import` converts a harness's results"
            )
        yield prediction_of(record, f"predictions file {path}, record {number}")


def prediction_of(record: object, where: str) -> Prediction:
    """Validate a record from a file and return its prediction."""
    # imported here: importing pydantic takes 0.1 s
    from po3d.io.schemas import PredictionRecord, checked

    return Prediction(**dict(checked(PredictionRecord, record, where)))
