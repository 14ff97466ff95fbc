"""What the report's browser shows of each image and question: a picture, tables as outlines, and the trace of the answer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from po3d.benchmarks.base import World
from po3d.benchmarks.registry import benchmark_of
from po3d.evaluation.report.html_drawings import Drawings, picture
from po3d.evaluation.report.html_traces import (
    Trace,
    room_trace,
    scope_trace,
    sr_trace,
    street_trace,
)
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems import orbit
from po3d.systems.pipeline import Context, Pipeline
from po3d.systems.rooms import source
from po3d.systems.street import Executor
from po3d.systems.tables import Truth


def image_record(
    split: Any,
    name: str,
    questions: Sequence[Question],
    answers: Sequence[Mapping[str, Prediction]],
    kept: Scene | None,
    report: Mapping[str, Any],
) -> dict:
    """Everything that the page needs of one image: picture, size, objects, views, truth (the index of the true table's
    view), pictures (by name, where questions are on several images), items (question id -> facts, gold, programs and
    reasons of all systems, views, steps, note, what would flip the answer, names of pictures). `answers` are the predictions of each system by
    question id, the run's own first. `kept` is the table that the system handed over; without one the true table
    stands in for it, where the system used that."""
    true = _attempt(lambda: split.truth(name))
    # A room is drawn from its table; a picture is read where boxes can stand on it, or where there is nothing else.
    several = list(dict.fromkeys(n for q in questions for n in q.images))
    drawn = several or (true is not None and true.camera is None)
    pixels = None if drawn else _attempt(lambda: split.image(name))
    shown = None if pixels is None else picture(pixels)
    drawings = Drawings(None if shown is None else shown[1])
    own = _TRACES[benchmark_of(report["benchmark"]).world]
    trace = own(_Shown(split, name, questions, drawings, kept, true, report))
    pictures = {n: _attempt(lambda n=n: picture(split.image(n))[0]) for n in several}
    pictures = {n: uri for n, uri in pictures.items() if uri is not None}
    items = {}
    for q in questions:
        found = trace(q, answers[0][q.id])
        items[q.id] = {
            "facts": facts(q),
            "gold": gold_program(q),
            "programs": [own[q.id].program for own in answers],
            "reasons": [own[q.id].reason for own in answers],
            "views": found.views,
            "steps": [(s.call, s.words, s.objects, s.nearest) for s in found.steps],
            "note": found.note,
            "flip": found.flip,
            "pictures": [n for n in q.images if n in pictures],
        }
    record: dict[str, Any] = {"pictures": pictures}
    if kept is not None and true is not None and true.outline is None:
        record["truth"] = drawings.add(true, "behind")
    if shown is not None:
        record |= {"picture": shown[0], "size": shown[1]}
    return {**record, "objects": drawings.objects, "views": drawings.views, "items": items}


def gold_program(q: Question) -> str:
    """The gold program as systems write theirs: a room's change before the question."""
    return " ; ".join(filter(None, (q.change_program, q.program)))


def facts(q: Question) -> list[tuple[str, str]]:
    """What a question comes with beside its text: a frame, a change, options."""
    found = [(key, value) for key, value in (("frame", q.frame), ("change", q.change)) if value]
    if options := q.options:
        found.append(("options", "; ".join(map(str, options))))
    return found


class _Shown(NamedTuple):
    """One image of a run: what its traces are worked out from."""

    split: Any
    name: str
    questions: Sequence[Question]
    drawings: Drawings
    kept: Scene | None
    true: Scene | None
    report: Mapping[str, Any]

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.report.get("settings") or {}


def _street(shown: _Shown) -> Trace:
    options = shown.report["provenance"].get("config", {}).get("executor", {})
    executor = Executor(options.get("mode", "argmax"), options.get("samples", 64))
    return street_trace(shown.drawings, shown.kept or shown.true, executor)


def _rooms(shown: _Shown) -> Trace:
    tables = source(shown.settings.get("table", "truth"))
    table = shown.kept
    if table is None:
        context = Context.of(shown.split, shown.name)
        (table,) = _attempt(lambda: tables.tables(context, [shown.name], ())) or [None]
    return room_trace(shown.drawings, table, shown.settings.get("frame", "anchors"))


def _photographs(shown: _Shown) -> Trace:
    return sr_trace(shown.drawings, shown.kept or shown.true)


def _orbit(shown: _Shown) -> Trace:
    executor = orbit.Executor(shown.settings.get("known_yaw", True))
    pipeline, context = Pipeline(Truth(), orbit.Reader(), executor), Context.of(shown.split, shown.name)
    tables = _attempt(lambda: pipeline.look(shown.questions, context))
    return scope_trace(shown.drawings, None if tables is None else executor.on(tables).seen)


_TRACES: dict[World, Callable[[_Shown], Trace]] = {
    "street": _street,
    "rooms": _rooms,
    "photographs": _photographs,
    "orbit": _orbit,
}


def _attempt(read: Callable[[], Any]) -> Any:
    """What `read` gives, or None where the split has no such thing."""
    try:
        return read()
    except InputError:
        return None
