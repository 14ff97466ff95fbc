"""Evaluation in two loops: answers into a predictions file, then scores from that file.

    loop 1   some images at a time: the system's answers to their questions -> OUT/partial.jsonl, synced after each image
    loop 2   a pure function of (predictions file, benchmark)  -> OUT/report.json, OUT/report.md

A killed run leaves partial.jsonl; the same command goes on behind its last whole line and gives the same
files. What made the predictions is kept beside them and stands in the report (`po3d.io.runs`).
"""

import dataclasses
import datetime
import gc
import hashlib
import importlib.metadata
import json
import math
import os
import platform
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from po3d import __version__
from po3d.benchmarks.base import Benchmark, Score
from po3d.benchmarks.metrics import perception
from po3d.evaluation.report.results import report_markdown
from po3d.io import runs
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_jsonl, sha256, write_json
from po3d.io.images import ImageError
from po3d.io.progress import progress
from po3d.io.runs import HTML, PARTIAL, PREDICTIONS, REPORT, REPORT_FORMAT, REPORT_PAGE, SCENES
from po3d.reasoning.questions import Prediction, Question, read_predictions, write_predictions
from po3d.scene.camera import carried
from po3d.scene.table import Scene, from_json, to_json
from po3d.systems import bad_images
from po3d.systems.pipeline import Begun, Context, Eager, System, all_answers, at_once

Answered = tuple[str, Sequence[Question], list[Scene], list[Prediction]]
# (split, system, images with their questions) -> each image with its questions, the tables that the system kept, and its
# predictions, in order
Answers = Callable[["Split", System, Iterable[tuple[str, list[Question]]]], Iterator[Answered]]


class Split(Protocol):
    """The questions of a benchmark's split and what there is to each image."""

    questions: Sequence[Question]

    def image(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels, read or rendered now."""
        ...

    def truth(self, name: str) -> Scene:
        """The true table; InputError when the split has none."""
        ...

    def hidden(self, name: str) -> list[float] | None:
        """Of each true object the share that others hide; None when that is not known."""
        ...

    def files(self) -> Sequence[Path]:
        """What questions, pictures and tables are read from, as far as it is there."""
        ...

    def notes(self) -> Sequence[str]:
        """What a reader of figures on this split should know, a line each."""
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
    """Both loops; the report that is also in OUT/report.json. `about` (benchmark, split, system, settings, provenance)
    goes into it as the predictions were made with it; "scored" in its provenance says when and by what revision they were
    scored, where that was later. `identity`: see `predict`. `measures` are asked for beside the benchmark's score; each goes
    under its name. `beside`: folders of finished runs on the same questions, whose figures stand below the run's own.
    `answers`: see `predict`. `notes`: what a reader should know beside what the split says itself."""
    out = Path(out)
    nothing = [Prediction(q.id, "abstained") for q in split.questions]
    benchmark.score(split.questions, nothing, scorer)  # an unknown scorer shows now, not after the answers
    with runs.locked(out):
        predictions = predict(split, system, out, identity, resume, about, overwrite, answers)
        score = benchmark.score(split.questions, predictions, scorer)
        others = [_beside(Path(folder), out, benchmark, split, scorer) for folder in beside]
        report = {
            **scored(runs.described(out), about),
            **score,
            **{name: measure(split.questions, predictions) for name, measure in measures.items()},
            "statuses": dict(Counter(p.status for p in predictions)),
            "notes": [*split.notes(), *notes, *filter(None, [bad_images.note(split.questions, predictions)])],
            "perception": perception_figures(split, read_scenes(out / SCENES)),
            **({"beside": others} if others else {}),
        }
        report = _finite(report)
        write_report(out, report)
    return report


def scored(made: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """What made the predictions; its provenance also has when, and by what revision, they were scored, if not at once."""
    made, now = _plain(made), _plain(now)
    if not made or made == now:
        return now
    later = {k: v for k, v in now.get("provenance", {}).items() if k in ("git_revision", "versions", "date")}
    return {**made, "provenance": {**made.get("provenance", {}), "scored": later}}


def _beside(folder: Path, out: Path, benchmark: Benchmark, split: Split, scorer: str) -> dict[str, Any]:
    """A finished run on the same questions, scored now; InputError when it is on others."""
    about, path = runs.described(folder), folder / PREDICTIONS
    if not about or not path.is_file():
        raise InputError(f"beside: {folder} holds no finished run")
    given = _in_order(split.questions, read_predictions(path), path)
    return {**about, **benchmark.score(split.questions, given, scorer)}


def perception_figures(split: Split, scenes: dict[str, Scene]) -> dict[str, dict[str, float]]:
    """The figures of the kept tables against the true ones; {} when there are none of either."""
    if not scenes:
        return {}
    try:
        true = [split.truth(name) for name in scenes]
    except InputError:  # the official release comes without tables
        return {}
    hidden = [split.hidden(name) for name in scenes]
    found = list(scenes.values())
    if getattr(split, "own_worlds", False):  # an estimator of single views knows no world but its camera's
        found = [p if t.camera is None else carried(p, t.camera) for p, t in zip(found, true)]
    return perception(found, true, None if None in hidden else hidden)


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
    """The system's predictions in the order of the questions, also in OUT/predictions.jsonl, and the tables
    that it kept in OUT/scenes.jsonl. `identity` says what is being run, `about` what runs it; both are kept in OUT/run.json.
    An unfinished run of the same goes on; a finished one is answered anew, because uncommitted code may have changed,
    unless `resume`. InputError when OUT holds anything else, unless `overwrite`. `answers`: how the system is asked, None for
    here, one image after the other (`po3d.evaluation.spread`: on an engine)."""
    out = Path(out)
    asked = _digest_of_list(dataclasses.asdict(q) for q in split.questions)
    run = runs.Run(_plain({**identity, "questions": asked}), _plain(dict(about)))
    done_file, partial = out / PREDICTIONS, out / PARTIAL
    images = [
        (name, list(group)) for name, group in groupby(by_image(split.questions), key=lambda q: q.image)
    ]
    ids = {name: [q.id for q in group] for name, group in images}
    begun = runs.unfinished(out, run, ids, overwrite)
    if begun is None and runs.finished(out, run, overwrite) and resume:
        return _in_order(split.questions, read_predictions(done_file), done_file)
    out.mkdir(parents=True, exist_ok=True)
    if begun is None:
        runs.begin(partial, run)
    else:
        run = _another_sitting(partial, begun, run)
    done = {record["image"] for record in begun or () if "image" in record}
    del begun, ids
    with open(partial, "a", encoding="utf-8") as file, lasting():
        left = [item for item in images if item[0] not in done]
        found = (answers or _answers)(split, system, left)
        bar = progress(found, "answering", total=len(images), initial=len(images) - len(left), unit="image")
        for name, questions, kept, predictions in _naming_the_option(bar):
            if [p.id for p in predictions] != [q.id for q in questions]:
                raise AssertionError(
                    f"{type(system).__name__} did not answer the questions on {name} in their order"
                )
            record = {
                "image": name,
                "predictions": [dataclasses.asdict(p) for p in predictions],
                "scenes": _tables(name, questions, kept),
            }
            runs.append(file, record)
    found = []
    with atomic_write(out / SCENES) as file:
        for record in runs.answered(partial):  # in the order of the images, for they were answered in it
            found += [Prediction(**p) for p in record["predictions"]]
            for scene in record["scenes"]:
                file.write(json.dumps(scene, ensure_ascii=False) + "\n")
    predictions = _in_order(split.questions, found, partial)
    written = out / f"new-{PREDICTIONS}"
    write_predictions(written, predictions)
    runs.finish(out, run, written)
    partial.unlink()
    return predictions


def _naming_the_option(answered: Iterable[T]) -> Iterator[T]:
    """What is answered; a picture that ends the run is an InputError that says how the run goes on without it."""
    try:
        yield from answered
    except ImageError as error:
        raise ImageError(
            f"{error}; benchmark.on_bad_image=count goes on and counts its questions as wrong"
        ) from None


@contextmanager
def lasting() -> Iterator[None]:
    """What is there now, networks and tables, is not searched for garbage again and again while answers make some."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _another_sitting(partial: Path, begun: Sequence[dict], run: runs.Run) -> runs.Run:
    """An unfinished run that goes on: described as it was begun, with when and where each later sitting was."""
    first = begun[0]["run"]["about"]
    now = {k: v for k, v in run.about.get("provenance", {}).items() if k in ("versions", "date", "machine")}
    with open(partial, "a", encoding="utf-8") as file:
        runs.append(file, {"sitting": now})
    sittings = [record["sitting"] for record in begun if "sitting" in record] + [now]
    made = {**first.get("provenance", {}), "continued": sittings}
    return run._replace(about={**first, "provenance": made})


def _tables(name: str, questions: Sequence[Question], kept: Sequence[Scene]) -> list[dict]:
    """Of the tables that a system kept the last one of the image, or of each of the views that its questions show."""
    views = {view for q in questions for view in q.images}
    named = {scene.image if scene.image in views else name: scene for scene in kept}
    return [to_json(dataclasses.replace(scene, image=image), exact=True) for image, scene in named.items()]


def _answers(
    split: Split, system: System, images: Iterable[tuple[str, list[Question]]]
) -> Iterator[Answered]:
    """Each image with its questions, the tables that the system kept, and its predictions, in order. A `Batched` system is given
    some images together, of an `Eager` one some are under way at once."""
    if getattr(system, "ahead", 0):
        yield from _begun(split, system, images)
        return
    rest, count = iter(images), at_once(system)
    while batch := list(islice(rest, count)):
        kept: list[list[Scene]] = [[] for _ in batch]
        posed = [
            (asked, Context.of(split, name, own.append))
            for (name, asked), own in zip(batch, kept, strict=True)
        ]
        for (name, asked), own, found in zip(batch, kept, all_answers(system, posed), strict=True):
            yield name, asked, own, found


def _begun(split: Split, system: Eager, images: Iterable[tuple[str, list[Question]]]) -> Iterator[Answered]:
    """The same of an `Eager` system; the pictures are made here, one after the other."""
    under_way: deque[tuple[str, list[Question], list[Scene], Begun]] = deque()
    try:
        for name, questions in images:
            kept: list[Scene] = []
            context = Context.of(split, name, kept.append)
            under_way.append((name, questions, kept, system.begin(questions, context)))
            if len(under_way) > system.ahead:
                *item, begun = under_way.popleft()
                yield *item, begun.result()
        while under_way:
            *item, begun = under_way.popleft()
            yield *item, begun.result()
    finally:
        for *_, begun in under_way:
            begun.cancel()


def read_scenes(path: str | Path, names: Container[str] | None = None) -> dict[str, Scene]:
    """Image name -> table, from a scenes.jsonl; of the images `names` alone, where they are given."""
    return {
        r.get("image", ""): from_json(r, f"{path}, record {k}")
        for k, r in enumerate(read_jsonl(path, "scene file"))
        if names is None or r.get("image", "") in names
    }


def provenance(config: dict, modules: dict[str, dict[str, Any]], data: dict[str, Any], revision: str) -> dict:
    """Where a result comes from: enough to run it again and to see what differed. `modules`: the `identity` of each that answered."""
    packages = ("torch", "timm", "numpy", "scipy", "pillow")
    return {
        "config": config,
        "git_revision": revision,
        "modules": modules,
        "checkpoints": {name: own["sha256"] for name, own in modules.items() if "sha256" in own},
        "data": data,
        "versions": {"po3d": __version__, "python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in packages},
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()},
    }


def data_digest(root: str | Path, split: Split) -> str:
    """One hash of the files that a split is read from, with their names below the folder `root`; of a single file its own."""
    root, files = Path(root), split.files()
    if list(files) == [root]:
        return sha256(root)
    folder = root.parent if root.is_file() else root
    names = {os.path.relpath(path, folder).replace(os.sep, "/"): path for path in files}
    return digest({name: sha256(path) for name, path in sorted(names.items())})


def digests_beside(split: Any) -> dict[str, str]:
    """Digests of what a split reads from outside its own folder: tables of scans, models that pictures are drawn with."""
    found = {}
    if getattr(split, "scans", None) is not None:
        found["scans"] = digest({name: _true_table(split, name) for name in split.images})
    if getattr(split, "furniture", None) is not None:
        found["furniture"] = digest(
            {path.name: sha256(path) for path in sorted(split.furniture.glob("*.sh3f"))}
        )
    return found


def _true_table(split: Any, name: str) -> dict | None:
    try:
        return to_json(split.truth(name))
    except InputError:
        return None


def write_report(out: str | Path, report: dict) -> None:
    """OUT/report.md, then OUT/report.json; a page made of an earlier report goes."""
    (Path(out) / HTML).unlink(missing_ok=True)
    with atomic_write(Path(out) / REPORT_PAGE) as file:
        file.write(report_markdown(report))
    write_json(Path(out) / REPORT, {"format": REPORT_FORMAT, **report})


def by_image(questions: Sequence[Question]) -> list[Question]:
    """Stable order in which the questions on one image stand together, images by first appearance."""
    first: dict[str, int] = {}
    for question in questions:
        first.setdefault(question.image, len(first))
    return sorted(questions, key=lambda q: first[q.image])


def _finite(value: Any) -> Any:
    """`value` with NaN, which JSON has no word for, as None."""
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _in_order(
    questions: Sequence[Question], predictions: Iterable[Prediction], path: Path
) -> list[Prediction]:
    by_id = {p.id: p for p in predictions}
    if missing := [q.id for q in questions if q.id not in by_id]:
        raise InputError(
            f"{path} has no line for {len(missing)} of {len(questions)} questions, first {missing[0]!r}"
        )
    return [by_id[q.id] for q in questions]


def _plain(value: dict) -> dict:
    """The value as it comes back from JSON."""
    return json.loads(json.dumps(value, default=str))


def _digest_of_list(values: Iterable[object]) -> str:
    """`digest` of a list, of which one value is looked at after the other: a million questions are gigabytes of dicts."""
    found = hashlib.sha256(b"[")
    for k, value in enumerate(values):
        found.update((", " * bool(k) + json.dumps(value, sort_keys=True, default=str)).encode())
    found.update(b"]")
    return found.hexdigest()


def digest(value: object) -> str:
    """Hex digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
