"""Evaluation in two loops: export predictions to a file, then score the file.

  loop 1   the system's answers, some images at a time -> OUT/partial.jsonl, synced per image
  loop 2   a pure function of (predictions file, benchmark) -> OUT/report.json, OUT/report.md

If a run is interrupted, partial.jsonl remains; the same command resumes after its last complete
line and gives identical files. What produced the predictions is stored beside them and copied into
the report (see `po3d.io.runs`).
"""

import dataclasses
import gc
import json
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.base import Benchmark, Score
from po3d.benchmarks.metrics import perception
from po3d.evaluation.provenance import digest_of_list
from po3d.evaluation.report.results import report_markdown
from po3d.io import runs
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, finite, read_jsonl, write_file, write_json
from po3d.io.images import ImageError
from po3d.io.progress import progress
from po3d.io.runs import HTML, PARTIAL, PREDICTIONS, REPORT, REPORT_FORMAT, REPORT_PAGE, SCENES
from po3d.reasoning.questions import (
    Prediction,
    Question,
    by_id,
    ids_of,
    read_predictions,
    write_predictions,
)
from po3d.scene.camera import carried
from po3d.scene.table import Scene, from_json, to_json
from po3d.systems import input_errors
from po3d.systems.interfaces import PendingPredictions, System, all_answers, at_once
from po3d.systems.pipeline import Context

Answered = tuple[str, Sequence[Question], list[Scene], list[Prediction]]
# (split, system, images with their questions) -> per image, in order: name, questions, scenes
# recorded by the system, predictions
Answers = Callable[["Split", System, Iterable[tuple[str, list[Question]]]], Iterator[Answered]]


class Split(Protocol):
    """The questions of a benchmark's split, and access to its images."""

    questions: Sequence[Question]

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels, read or rendered on demand."""
        ...

    def truth(self, name: str) -> Scene:
        """Return the ground-truth scene; raise InputError if the split has none."""
        ...

    def hidden(self, name: str) -> list[float] | None:
        """Return the occluded fraction of each true object; None if unknown."""
        ...

    def files(self) -> Sequence[Path]:
        """Return the existing files of questions, images and scenes."""
        ...

    def notes(self) -> Sequence[str]:
        """Return notes on this split that figures should be read with, one line each."""
        ...


T = TypeVar("T")


def evaluate(
    benchmark: Benchmark,
    split: Split,
    system: System,
    out: str | Path,
    scorer: str,
    about: dict[str, Any],
    identity: dict[str, Any],
    resume: bool = False,
    measures: Mapping[str, Score] = MappingProxyType({}),
    overwrite: bool = False,
    beside: Sequence[str | Path] = (),
    answers: Answers | None = None,
    notes: Sequence[str] = (),
) -> dict:
    """Run both loops and return the report, which is also written to OUT/report.json.

    `about` (benchmark, split, system, settings, provenance) describes the run; if the predictions
    were made earlier, the report keeps their description and adds date and revision of the scoring
    under "scored" in the provenance. `identity`, `answers`: see `predict`. `measures` are computed
    in addition to the benchmark's score, each stored under its name. `beside`: folders of finished
    runs on the same questions; their figures are listed below this run's. `notes` are added to
    those of the split."""
    out = Path(out)
    nothing = [Prediction(q.id, "abstained") for q in split.questions]
    benchmark.score(split.questions, nothing, scorer)  # reject an unknown scorer before answering
    with runs.locked(out):
        predictions = predict(split, system, out, identity, resume, about, overwrite, answers)
        report = {
            **scored(runs.described(out), about),
            **benchmark.score(split.questions, predictions, scorer),
        }
        others = []
        for folder in beside:
            others.append(_beside(Path(folder), benchmark, split, scorer))
        for name, measure in measures.items():
            report[name] = measure(split.questions, predictions)
        bad_images = input_errors.note(split.questions, predictions)
        report["statuses"] = dict(Counter(p.status for p in predictions))
        report["notes"] = [*split.notes(), *notes, *([bad_images] if bad_images else [])]
        report["perception"] = perception_figures(split, read_scenes(out / SCENES))
        if others:
            report["beside"] = others
        report = finite(report)
        write_report(out, report)
    return report


def scored(stored: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the predictions, with date and revision of the scoring under
    "scored" in its provenance if they were scored in a later run."""
    stored, now = _plain(stored), _plain(now)
    if not stored or stored == now:
        return now
    own = now.get("provenance", {})
    here = _part_of(own, "versions", "date", "machine")
    if here and here in stored.get("provenance", {}).get("continued", [])[-1:]:
        return stored  # this run continued them, and scores them for the first time
    later = _part_of(own, "git_revision", "versions", "date")
    return {**stored, "provenance": {**stored.get("provenance", {}), "scored": later}}


def _part_of(record: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    result = {}
    for key, value in record.items():
        if key in keys:
            result[key] = value
    return result


def _beside(folder: Path, benchmark: Benchmark, split: Split, scorer: str) -> dict[str, Any]:
    """Score a finished run on the same questions; raise InputError if its questions differ."""
    about, path = runs.described(folder), folder / PREDICTIONS
    if not about or not path.is_file():
        raise InputError(f"compare_to: {folder} contains no finished run")
    predictions = _in_order(split.questions, read_predictions(path), path)
    return {**about, **benchmark.score(split.questions, predictions, scorer)}


def perception_figures(split: Split, scenes: dict[str, Scene]) -> dict[str, dict[str, float]]:
    """Compute perception metrics of the recorded scenes against ground truth; {} if either is
    missing."""
    if not scenes:
        return {}
    try:
        true = list(map(split.truth, scenes))
    except InputError:  # the official release has no ground-truth scenes
        return {}
    hidden = list(map(split.hidden, scenes))
    predicted = list(scenes.values())
    if getattr(split, "own_worlds", False):  # single-view estimators predict in the camera frame
        for k, t in enumerate(true):
            if t.camera is not None:
                predicted[k] = carried(predicted[k], t.camera)
    return perception(predicted, true, None if None in hidden else hidden)


def predict(
    split: Split,
    system: System,
    out: str | Path,
    identity: dict,
    resume: bool = False,
    about: Mapping[str, Any] = MappingProxyType({}),
    overwrite: bool = False,
    answers: Answers | None = None,
) -> list[Prediction]:
    """Return the system's predictions in question order, and write OUT/predictions.jsonl; recorded
    scenes go to OUT/scenes.jsonl.

    `identity` identifies the run, `about` describes it; both are stored in OUT/run.json. An
    unfinished run with the same identity is resumed. A finished one is repeated, because
    uncommitted code may have changed, unless `resume` is set. Raise InputError if OUT holds
    anything else, unless `overwrite` is set. `answers` computes the answers; None answers in this
    process, image by image (`po3d.evaluation.distributed` uses an engine)."""
    out = Path(out)
    questions_digest = digest_of_list(map(dataclasses.asdict, split.questions))
    run = runs.Run(_plain({**identity, "questions": questions_digest}), _plain(dict(about)))
    done_file, partial = out / PREDICTIONS, out / PARTIAL
    images = by_image(split.questions)
    ids = {name: ids_of(group) for name, group in images.items()}
    records = runs.unfinished(out, run, ids, overwrite)
    if records is None and runs.finished(out, run, overwrite) and resume:
        return _in_order(split.questions, read_predictions(done_file), done_file)
    out.mkdir(parents=True, exist_ok=True)
    if records is None:
        runs.begin(partial, run)
    else:
        run = _resumed_run(partial, records, run)
    done = set()
    for record in records or ():
        if "image" in record:
            done.add(record["image"])
    del records, ids
    left = []
    for item in images.items():
        if item[0] not in done:
            left.append(item)
    results = (answers or _answers)(split, system, left)
    counts = {"total": len(images), "initial": len(images) - len(left)}
    _record(partial, system, progress(results, "answering", unit="image", **counts))
    predictions = _in_order(split.questions, _collected(partial, out / SCENES), partial)
    written = out / f"new-{PREDICTIONS}"
    write_predictions(written, predictions)
    runs.finish(out, run, written)
    partial.unlink()
    return predictions


def _record(partial: Path, system: System, results: Iterable[Answered]) -> None:
    """Append the answers to each image to the file of an unfinished run."""
    with open(partial, "a", encoding="utf-8") as file, frozen_gc():
        for name, questions, scenes, predictions in _naming_the_option(results):
            if ids_of(predictions) != ids_of(questions):
                raise AssertionError(
                    f"{type(system).__name__} did not answer the questions about {name}, each once"
                    " and in order"
                )
            record = {
                "image": name,
                "predictions": list(map(dataclasses.asdict, predictions)),
                "scenes": _tables(name, questions, scenes),
            }
            runs.append(file, record)


def _collected(partial: Path, scenes: Path) -> list[Prediction]:
    """Return the predictions of a complete run in image order, and write its scenes to a file."""
    results = []
    with atomic_write(scenes) as file:
        for record in runs.answered(partial):  # already in image order
            results += [Prediction(**p) for p in record["predictions"]]
            for scene in record["scenes"]:
                file.write(json.dumps(scene, ensure_ascii=False) + "\n")
    return results


def _naming_the_option(answered: Iterable[T]) -> Iterator[T]:
    """Yield from `answered`; extend the ImageError of an unreadable image by the option that skips
    it."""
    try:
        yield from answered
    except ImageError as error:
        raise ImageError(
            f"{error}; benchmark.on_bad_image=count continues and counts its questions as wrong"
        ) from None


@contextmanager
def frozen_gc() -> Iterator[None]:
    """Freeze the current heap, so that the garbage collector skips models and scenes while answers
    are created."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _resumed_run(partial: Path, records: Sequence[dict], run: runs.Run) -> runs.Run:
    """Resume an unfinished run: keep its original description and append this run's date and
    machine."""
    first = records[0]["run"]["about"]
    now = _part_of(run.about.get("provenance", {}), "versions", "date", "machine")
    with open(partial, "a", encoding="utf-8") as file:
        runs.append(file, {"sitting": now})
    sittings = [record["sitting"] for record in records if "sitting" in record] + [now]
    provenance = {**first.get("provenance", {}), "continued": sittings}
    return run._replace(about={**first, "provenance": provenance})


def _tables(name: str, questions: Sequence[Question], scenes: Sequence[Scene]) -> list[dict]:
    """Serialise the last recorded scene of the image, or of each view that its questions show."""
    views: set[str] = set()
    for q in questions:
        views.update(q.images)
    records = {}
    for scene in scenes:
        image = scene.image if scene.image in views else name
        records[image] = to_json(dataclasses.replace(scene, image=image), exact=True)
    return list(records.values())


def _answers(
    split: Split, system: System, images: Iterable[tuple[str, list[Question]]]
) -> Iterator[Answered]:
    """Answer the questions image by image (see `Answers`). A batched system gets several images at
    once, an asynchronous one works on several concurrently."""
    if getattr(system, "ahead", 0):
        yield from _async_answers(split, system, images)
        return
    rest, count = iter(images), at_once(system)
    while batch := list(islice(rest, count)):
        works: list[tuple[str, Sequence[Question], list[Scene]]] = []
        inputs = []
        for name, questions in batch:
            scenes: list[Scene] = []
            works.append((name, questions, scenes))
            inputs.append((questions, Context.of(split, name, scenes.append)))
        for work, predictions in zip(works, all_answers(system, inputs), strict=True):
            yield *work, predictions


def _async_answers(
    split: Split, system: System, images: Iterable[tuple[str, list[Question]]]
) -> Iterator[Answered]:
    """Answer the questions with an asynchronous system; images are read or rendered in this thread,
    one after the other."""
    under_way: deque[tuple[str, list[Question], list[Scene], PendingPredictions]] = deque()
    try:
        for name, questions in images:
            scenes: list[Scene] = []
            context = Context.of(split, name, scenes.append)
            under_way.append((name, questions, scenes, system.begin(questions, context)))
            if len(under_way) > system.ahead:
                *item, pending = under_way.popleft()
                yield *item, pending.result()
        while under_way:
            *item, pending = under_way.popleft()
            yield *item, pending.result()
    finally:
        for *_, pending in under_way:
            pending.cancel()


def read_scenes(path: str | Path, names: Container[str] | None = None) -> dict[str, Scene]:
    """Read a scenes.jsonl: image name -> scene; only the images in `names` if given."""
    scenes = {}
    for k, record in enumerate(read_jsonl(path, "scene file")):
        name = record.get("image", "")
        if names is None or name in names:
            scenes[name] = from_json(record, f"{path}, record {k}")
    return scenes


def write_report(out: str | Path, report: dict) -> None:
    """Write report.md, then report.json; delete a stale report.html."""
    (Path(out) / HTML).unlink(missing_ok=True)
    write_file(Path(out) / REPORT_PAGE, report_markdown(report))
    write_json(Path(out) / REPORT, {"format": REPORT_FORMAT, **report})


def by_image(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Return the questions of each image, in order of first appearance."""
    images: dict[str, list[Question]] = {}
    for question in questions:
        images.setdefault(question.image, []).append(question)
    return images


def _in_order(
    questions: Sequence[Question], predictions: Iterable[Prediction], path: Path
) -> list[Prediction]:
    predicted = by_id(predictions)
    if missing := [q.id for q in questions if q.id not in predicted]:
        raise InputError(
            f"{path} has no line for {len(missing)} of {len(questions)} questions, first"
            f" {missing[0]!r}"
        )
    return [predicted[q.id] for q in questions]


def _plain(value: dict) -> dict:
    """Round-trip a value through JSON."""
    return json.loads(json.dumps(value, default=str))
