"""Per-image data of the report's question browser: the image, scenes as outlines, and execution
traces.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import benchmark_of
from po3d.evaluation.report.html_drawings import Drawings, picture
from po3d.evaluation.report.html_traces import traces
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.pipeline import Context, Domain, ImageScenes, oracle, views_of

ITEMS = 10_000  # default maximum number of questions listed in a page
IMAGE = 10  # an image takes as much space as this many questions


def sample_questions(
    questions: Sequence[Question], right: Sequence[float], items: int
) -> list[int]:
    """Select the questions that a page lists, as sorted indices: all, if there are at most `items`
    on at most `items` / IMAGE images.

    Otherwise questions are drawn in turn from each stratum (task, and right, wrong or not counted),
    within each in random order."""
    strata: dict[tuple[str, str], list[int]] = {}
    for k, (q, mark) in enumerate(zip(questions, right, strict=True)):
        strata.setdefault((q.category, str(mark)), []).append(k)
    orders = []
    for number, key in enumerate(sorted(strata)):
        orders.append(iter(rng(0, "listed", number).permutation(strata[key]).tolist()))
    images: set[str] = set()
    indices: list[int] = []
    while orders and len(indices) < items:
        left = []
        for order in orders:
            # a question on a new image only while the image limit permits
            room = len(images) < max(1, items // IMAGE)
            k = next((k for k in order if room or questions[k].image in images), None)
            if k is not None and len(indices) < items:
                indices.append(k)
                images.add(questions[k].image)
                left.append(order)
        orders = left
    return sorted(indices)


def image_record(
    split: Any,
    name: str,
    questions: Sequence[Question],
    answers: Sequence[Mapping[str, Prediction]],
    stored_scenes: Mapping[str, Scene],
    report: Mapping[str, Any],
) -> dict:
    """Return the page's data of one image: picture, size, objects, views, truth (index of the
    ground truth's view), pictures (by name, if questions have several images), and items.

    items: question id -> facts, gold, programs and reasons of all systems, views, steps, note,
    counterfactual, names of pictures. `answers` are the predictions of each system by question id,
    the run's own first. `stored_scenes` are the recorded scenes by image; a missing one is replaced
    by ground truth."""
    true = _attempt(lambda: split.truth(name))
    # A room is drawn from its scene; an image is read if boxes can be drawn on it or if there is
    # nothing else.
    view_names = views_of(questions)
    uses_drawing = view_names or (true is not None and true.camera is None)
    pixels = None if uses_drawing else _attempt(lambda: split.image(name))
    view = None if pixels is None else picture(pixels)
    drawings = Drawings(None if view is None else view[1])
    domain = _domain(benchmark_of(report["benchmark"]), report)
    trace = traces(drawings, domain, _tables(split, name, view_names, stored_scenes))
    pictures, items = {}, {}
    for n in view_names:
        if (uri := _attempt(lambda n=n: picture(split.image(n))[0])) is not None:
            pictures[n] = uri
    for q in questions:
        programs, reasons = [], []
        for predictions in answers:
            programs.append(predictions[q.id].program)
            reasons.append(predictions[q.id].reason)
        items[q.id] = {
            "facts": facts(q),
            "gold": gold_program(q),
            "programs": programs,
            "reasons": reasons,
            **trace(q, answers[0][q.id]),
            "pictures": list(filter(pictures.__contains__, q.images)),
        }
    record: dict[str, Any] = {"pictures": pictures}
    if name in stored_scenes and true is not None and true.outline is None:
        record["truth"] = drawings.add(true, "behind")
    if view is not None:
        record |= {"picture": view[0], "size": view[1]}
    return {**record, "objects": drawings.objects, "views": drawings.views, "items": items}


def gold_program(q: Question) -> str:
    """Return the ground-truth program as systems write theirs: a room's change before the
    question."""
    return " ; ".join(filter(None, (q.change_program, q.program)))


def facts(q: Question) -> list[tuple[str, str]]:
    """Return the additional inputs of a question: frame, change, options."""
    rows = []
    for key, value in (("frame", q.frame), ("change", q.change)):
        if value:
            rows.append((key, value))
    if options := q.options:
        rows.append(("options", "; ".join(map(str, options))))
    return rows


def _domain(benchmark: Benchmark, report: Mapping[str, Any]) -> Domain:
    """Return the domain for explaining a run's answers, with the executor options of the run."""
    options = report["provenance"].get("config", {}).get("executor", {})
    options = {**options, **(report.get("settings") or {})}
    return oracle(benchmark.world).domain.explaining(options)


def _tables(
    split: Any, name: str, views: Sequence[str], stored_scenes: Mapping[str, Scene]
) -> ImageScenes | None:
    """Return the recorded scenes of a run, else ground truth; None if there are neither."""
    scenes = {}
    for n in views or [name]:
        scenes[n] = stored_scenes.get(n) or _attempt(lambda n=n: split.truth(n))
        if scenes[n] is None:
            return None
    return ImageScenes(scenes, inputs=Context.of(split, name).inputs)


def _attempt(read: Callable[[], Any]) -> Any:
    """Return the result of `read`, or None if the split lacks the data."""
    try:
        return read()
    except InputError:
        return None
