"""Questions, answers and predictions: what goes into a system, what comes out, and the file between them."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from po3d.io.errors import InputError
from po3d.io.files import read_jsonl, write_jsonl

Status = Literal["ok", "unparsed", "failed", "abstained"]
Task = Literal["2d", "6d"]
FRAME_OF_TASK: dict[Task, str] = {"2d": "camera", "6d": "object"}


@dataclass(frozen=True)
class Question:
    """One item of a benchmark, which adds what is its own. `program` is the gold program's text ("" when the release gives none)."""

    id: str
    image: str  # file name, the key of the scene
    text: str
    task: Task  # whose left: "2d" the camera's, "6d" the object's own
    category: str  # the benchmark's column, e.g. "L3-2D-Spatial"
    answer: str | None = None
    program: str = ""
    options: tuple[str, ...] = ()  # to choose from; () for a free answer
    images: tuple[str, ...] = ()  # the views of `image` that it shows, where that is several
    views: tuple[float, ...] = ()  # where on the orbit their cameras stood, degrees
    frame: str = ""  # of a room: what stood at which side, in words
    change: str = ""  # and the change to imagine
    change_program: str = ""  # that as a gold program
    scene: str = ""  # what `image` is a picture of, where there are several of one scene
    number: str = ""  # under which the release's tables know it, beside its id
    unread: str = ""  # why the release's program could not be read


@dataclass(frozen=True)
class Prediction:
    """A system's outcome on one question. Anything but "ok" counts as wrong and is counted."""

    id: str
    status: Status
    answer: str | None = None
    probability: float | None = None
    program: str = ""
    reason: str = ""  # why it is not "ok", or what its answer takes for granted
    # How near the answer was to another one: "distance", "unit", "answer" and the line to read, "text"; None where nobody
    # worked it out, or nothing near gives another answer. Two predictions that differ in it alone are the same.
    margin: dict | None = field(default=None, compare=False)


def pictures(question: Question) -> list[str]:
    """The pictures that a question shows, in their order, as `Split.image` knows them."""
    return list(question.images or (question.image,))


def cluster(question: Question) -> str:
    """What is resampled as one: pictures of one scene, where the benchmark says so, else the picture."""
    return question.scene or question.image


def paired(
    questions: Iterable[Question], predictions: Iterable[Prediction]
) -> list[tuple[Question, Prediction]]:
    """Each question with its prediction; InputError for one without an answer or a prediction."""
    by_id = {p.id: p for p in predictions}
    pairs = []
    for q in questions:
        if q.answer is None:
            raise InputError(f"question {q.id} has no answer to score against")
        if q.id not in by_id:
            raise InputError(f"no prediction for question {q.id}")
        pairs.append((q, by_id[q.id]))
    return pairs


def write_predictions(path: str | Path, predictions: Iterable[Prediction]) -> None:
    """predictions.jsonl, one record a line, atomically."""
    write_jsonl(path, map(asdict, predictions))


def read_predictions(path: str | Path) -> Iterator[Prediction]:
    """The records of a predictions file; unknown keys are ignored, so that other tools may add theirs. InputError names the
    record and the field that is none."""
    for number, record in enumerate(read_jsonl(path, "predictions file"), 1):
        if not {"id", "status"} <= record.keys():
            raise InputError(f"{path} is no predictions file; `po3d import` makes one of a harness's results")
        yield prediction_of(record, f"predictions file {path}, record {number}")


def prediction_of(record: object, where: str) -> Prediction:
    """The prediction of a record that came from a file."""
    from po3d.io.schemas import PredictionRecord, checked  # pydantic takes a tenth of a second

    return Prediction(**dict(checked(PredictionRecord, record, where)))
