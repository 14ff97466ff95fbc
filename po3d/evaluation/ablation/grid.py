"""The oracle grid: every combination of ground-truth, predicted and noisy modules, from a single
perception pass.

  evaluation.predict -> predictions.jsonl, scenes.jsonl     perception and parsing, once
  a cell             -> scenes with some modules true, some true with noise; programs true or parsed
                     -> executor -> correctness of every question

A cell sets each module to "truth", "predicted" or a sigma, the level of noise added to
ground truth; omitted modules are predicted. The executor defines the modules of a pipeline;
`po3d.systems.oracle.grid` answers a cell.
"""

import contextlib
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.metrics import bootstrap, bootstrap_groups, interval
from po3d.evaluation.ablation.attribution import blame, minimal_repairs
from po3d.evaluation.run import Split, by_image, read_scenes
from po3d.io.errors import InputError
from po3d.io.files import write_file, write_json, write_jsonl
from po3d.io.pools import pool
from po3d.io.progress import progress
from po3d.io.runs import ERRORS, GRID, GRID_FORMAT, PREDICTIONS, SCENES
from po3d.reasoning.questions import (
    Prediction,
    Question,
    by_id,
    categories_of,
    cluster,
    ids_of,
    read_predictions,
)
from po3d.scene.table import Scene
from po3d.systems.oracle.grid import Answers
from po3d.systems.pipeline import PREDICTED, TRUTH, Pipeline, Setting


class Cell(NamedTuple):
    """One combination; `settings` has a value for each module, in the domain's order."""

    name: str
    settings: tuple[Setting, ...]


def cell(
    kind: Pipeline, name: str, settings: Mapping[str, Setting], rest: Setting = PREDICTED
) -> Cell:
    """Return the cell with the named settings and `rest` for other modules; raise InputError for an
    unknown module or setting."""
    modules, units = kind.domain.modules, kind.domain.units
    settings = {_american(k): v for k, v in settings.items()}
    if unknown := sorted(set(settings) - set(modules)):
        raise InputError(f"grid: {unknown[0]!r} is not a module; known: {', '.join(modules)}")
    for module, value in settings.items():
        if value in (TRUTH, PREDICTED):
            continue
        if isinstance(value, bool | str) or not isinstance(value, int | float) or not value >= 0:
            raise InputError(
                f"grid: {module}={value!r} should be truth, predicted, or a non-negative noise"
                " level"
            )
        if module not in units:
            raise InputError(f"grid: no noise model for {module!r}; known: {', '.join(units)}")
    return Cell(name, tuple(settings.get(m, rest) for m in modules))


def _american(name: str) -> str:
    return {"colour": "color"}.get(name, name)


def grid_answers(
    kind: Pipeline,
    questions: Sequence[Question],
    truth: Callable[[str], Scene],
    cells: Sequence[Cell],
    predictions: Mapping[str, Prediction],
    scenes: Mapping[str, Scene],
    seed: int = 0,
    workers: int = 1,
) -> list[list[Prediction]]:
    """Return, for each cell, the predictions in the order of `questions`.

    `truth` returns an image's ground truth, `scenes` has the predicted scenes by image. The result
    does not depend on the number of processes, `workers`."""
    images, ids = [], []
    for image_questions in by_image(questions).values():
        ids += ids_of(image_questions)
        images.append(Answers.of(kind, image_questions, predictions, scenes, truth, seed))
    with contextlib.ExitStack() as stack:
        mapped = map
        if workers > 1:
            mapped = stack.enter_context(pool(workers)).map
        each = mapped(_image_answers, images, itertools.repeat(cells))
        rows: list[tuple[str | None, ...]] = []
        for answers in progress(each, "grid", len(images), unit="image"):
            rows += answers
    answers_of = dict(zip(ids, rows, strict=True))
    result: list[list[Prediction]] = [[] for _ in cells]
    for q in questions:
        for predictions_of_cell, answer in zip(result, answers_of[q.id], strict=True):
            status = "failed" if answer is None else "ok"
            predictions_of_cell.append(Prediction(q.id, status, answer))
    return result


def _image_answers(image: Answers, cells: Sequence[Cell]) -> list[tuple[str | None, ...]]:
    """Return, for each question, the answers of all cells."""
    return list(zip(*(image.answers(c.settings) for c in cells)))


# --- the cells of a run ---------------------------------------------------------------------------


class Plan(NamedTuple):
    """The cells of a run. In `subsets[mask]`, the groups of the mask's bits are ground truth."""

    groups: dict[str, tuple[str, ...]]
    subsets: list[Cell]
    singles: list[Cell]  # each module alone true, then each alone predicted
    # quantity -> (sigma, cell): noise in it, everything else true
    curves: dict[str, list[tuple[float, Cell]]]
    more: list[Cell]

    @property
    def cells(self) -> list[Cell]:
        noise: list[Cell] = []
        for points in self.curves.values():
            noise += [c for _, c in points]
        return [*self.subsets, *self.singles, *noise, *self.more]


def plan(kind: Pipeline, options: Mapping[str, Any]) -> Plan:
    """Return the plan of a config's `grid`; raise InputError for invalid entries."""
    groups = {}
    for k, v in (options.get("groups") or {}).items():
        groups[str(k)] = tuple(map(_american, v))
    named = list(itertools.chain.from_iterable(groups.values()))
    if sorted(named) != sorted(kind.domain.modules):
        raise InputError(
            f"grid.groups should contain each of {', '.join(kind.domain.modules)}"
            f" exactly once, not {', '.join(sorted(named))}"
        )
    subsets, modules = [], kind.domain.modules
    for mask in range(1 << len(groups)):
        true = []
        for k, name in enumerate(groups):
            if mask >> k & 1:
                true.append(name)
        label = "+ " + ", ".join(true)
        if len(true) in (0, len(groups)):
            label = "all true" if true else "all predicted"
        settings: dict[str, Setting] = {}
        for name in true:
            settings |= dict.fromkeys(groups[name], TRUTH)
        subsets.append(cell(kind, label, settings))
    singles = []
    if options.get("singles", True):
        singles = [cell(kind, f"only {m} true", {m: TRUTH}) for m in modules]
        for m in modules:
            if m == "depth":
                continue  # a true position implies the true depth, so they are predicted together
            together = [m, "depth"] if m == "position" and "depth" in modules else [m]
            predicted_group = dict.fromkeys(together, PREDICTED)
            singles.append(cell(kind, f"only {m} predicted", predicted_group, TRUTH))
    curves: dict[str, list[tuple[float, Cell]]] = {}
    for quantity, sigmas in (options.get("noise") or {}).items():
        quantity = _american(quantity)
        curves[quantity] = []
        for s in (0.0, *(s for s in sigmas if s != 0)):
            noisy = cell(kind, f"{quantity} noise {s:g}", {quantity: s}, TRUTH)
            curves[quantity].append((s, noisy))
    more = [cell(kind, _settings_text(c), c) for c in options.get("cells") or []]
    return Plan(groups, subsets, singles, curves, more)


def _settings_text(settings: Mapping[str, Setting]) -> str:
    words = []
    for module, setting in settings.items():
        words.append(f"{module} {setting if isinstance(setting, str) else f'noise {setting:g}'}")
    return ", ".join(words)


# --- the result -----------------------------------------------------------------------------------


def run_grid(
    kind: Pipeline,
    benchmark: Benchmark,
    split: Split,
    options: Mapping[str, Any],
    folder: str | Path,
    scorer: str,
    seed: int,
    workers: int = 1,
) -> dict:
    """Run the grid on the predictions.jsonl and scenes.jsonl of a finished run in `folder`.

    Return JSON-serialisable figures in percent. Questions outside the headline figures (controls)
    are excluded.

    cells         name, settings (module -> truth, predicted or sigma), rows (name, n, value,
                  ci_low, ci_high)
    curves        quantity -> points: sigma, value, ci_low, ci_high of the headline figure
    units         quantity -> unit of its sigma
    attribution   category -> n, error, shares (group -> percentage points that sum to error), alone
                  (group -> percentage of wrong answers that it repairs alone), intervals (group,
                  and "error" -> ends of the 95 % interval of its share, resampled by image)
    errors        for each wrong answer: id, image, category, text, gold, answer, repaired_by,
                  shares
    problems      inconsistencies of the grid: an all-true cell below 100, or an all-predicted one
                  that differs from the run's own answers; normally []
    """
    folder = Path(folder)
    work = plan(kind, options)
    predictions = by_id(read_predictions(folder / PREDICTIONS))
    scenes = read_scenes(folder / SCENES)
    counted = list(split.questions)
    if not kind.domain.grouped:
        counted = _counted(benchmark, split.questions, scorer)
    inputs = predictions, scenes, seed, workers
    answers = grid_answers(kind, counted, split.truth, work.cells, *inputs)
    problems = _unlike(counted, predictions, answers[0])
    right = np.array([benchmark.correct(counted, own, scorer) for own in answers], float)
    counts = np.flatnonzero(~np.isnan(right[0])).tolist()
    right, counted = right[:, counts] == 1, [counted[k] for k in counts]
    rows = {}
    for c, r in zip(work.cells, right):
        rows[id(c)] = _rows(r, counted, kind.domain.headline)
    masks = right[: len(work.subsets)]
    shares = blame(masks)
    names = list(work.groups)
    cells = []
    for c in work.cells:
        settings = dict(zip(kind.domain.modules, c.settings))
        cells.append({"name": c.name, "settings": settings, "rows": rows[id(c)]})
    return {
        "cells": cells,
        "curves": _curves(work, rows),
        "units": {q: kind.domain.units[q] for q in work.curves},
        "attribution": _attribution(counted, masks, shares, names),
        "errors": _errors(counted, masks, shares, names, [answers[0][k] for k in counts]),
        "problems": _untrue(counted, masks) + problems,
    }


def _curves(work: Plan, rows: Mapping[int, list[dict]]) -> dict[str, list[dict]]:
    """Return quantity -> points of its noise curve; `rows`: rows of each cell, by its id()."""
    curves: dict[str, list[dict]] = {}
    for quantity, points in work.curves.items():
        curves[quantity] = []
        for sigma, noisy in points:
            headline = rows[id(noisy)][-1]
            figures = {k: headline[k] for k in ("value", "ci_low", "ci_high")}
            curves[quantity].append({"sigma": sigma, **figures})
    return curves


def _counted(benchmark: Benchmark, questions: Sequence[Question], scorer: str) -> list[Question]:
    """Return the questions that count in the headline figures."""
    nothing = [Prediction(q.id, "abstained") for q in questions]
    scores = np.array(benchmark.correct(questions, nothing, scorer), float)
    return list(itertools.compress(questions, ~np.isnan(scores)))


def _rows(right: NDArray[np.bool_], questions: Sequence[Question], headline: str) -> list[dict]:
    categories = list(dict.fromkeys(categories_of(questions)))
    category_of_each = categories_of(questions)
    clusters = list(map(cluster, questions))
    boot = bootstrap(100.0 * right, clusters, category_of_each, categories)
    rows = []
    for k, name in enumerate(categories):
        rows.append(_row(name, category_of_each.count(name), boot.value[k], boot.samples[:, k]))
    value, samples = boot.value.mean(), boot.samples.mean(1)
    if headline == "overall":
        boot = bootstrap(100.0 * right, clusters, [headline] * len(category_of_each), [headline])
        value, samples = boot.value[0], boot.samples[:, 0]
    return [*rows, _row(headline, len(category_of_each), value, samples)]


def _row(name: str, n: int, value: float, samples: NDArray[np.float64]) -> dict:
    """Return a row with its interval, None where undefined (a single image)."""
    low, high = (None if math.isnan(end) else end for end in interval(samples))
    return {"name": name, "n": n, "value": float(value), "ci_low": low, "ci_high": high}


def _attribution(
    questions: Sequence[Question],
    masks: NDArray[np.bool_],
    shares: NDArray[np.float64],
    names: Sequence[str],
) -> dict[str, dict]:
    intervals = _share_intervals(questions, masks, shares, names)
    categories = np.array(categories_of(questions))
    result = {}
    for category in intervals:
        own = categories == category if category != "all" else np.ones(len(questions), bool)
        wrong = own & ~masks[0]
        alone = np.zeros(len(names))
        if wrong.any():
            alone = masks[1 << np.arange(len(names))][:, wrong].mean(1)
        result[category] = {
            "n": int(own.sum()),
            "error": 100 * float((~masks[0][own]).mean()),
            "shares": dict(zip(names, (100 * shares[:, own].mean(1)).tolist())),
            "alone": dict(zip(names, (100 * alone).tolist())),
            "intervals": intervals[category],
        }
    return result


def _share_intervals(
    questions: Sequence[Question],
    masks: NDArray[np.bool_],
    shares: NDArray[np.float64],
    names: Sequence[str],
) -> dict[str, dict[str, list[float | None]]]:
    """Return category -> group, and "error" -> both ends of the interval of its share; None where
    undefined."""
    groups: dict[str, list[int]] = {}
    for k, q in enumerate(questions):
        groups.setdefault(q.category, []).append(k)
    groups["all"] = list(range(len(questions)))
    clusters = list(map(cluster, questions))
    result: dict[str, dict[str, list[float | None]]] = {}
    for category in groups:
        result[category] = {}
    for name, values in zip((*names, "error"), (*shares, ~masks[0]), strict=True):
        boot = bootstrap_groups((100.0 * values).tolist(), clusters, groups)
        for column, category in enumerate(groups):
            ends = interval(boot.samples[:, column])
            result[category][name] = [None if math.isnan(end) else end for end in ends]
    return result


def _errors(
    questions: Sequence[Question],
    masks: NDArray[np.bool_],
    shares: NDArray[np.float64],
    names: Sequence[str],
    answers: Sequence[Prediction],
) -> list[dict]:
    errors = []
    for k in np.flatnonzero(~masks[0]).tolist():
        q, repaired_by = questions[k], []
        for mask in minimal_repairs(masks[:, k].tolist()):
            repaired_by.append([name for b, name in enumerate(names) if mask >> b & 1])
        record = {"id": q.id, "image": q.image, "category": q.category, "text": q.text}
        record |= {"gold": q.answer, "answer": answers[k].answer, "repaired_by": repaired_by}
        errors.append(record | {"shares": dict(zip(names, shares[:, k].tolist()))})
    return errors


def _untrue(questions: Sequence[Question], masks: NDArray[np.bool_]) -> list[str]:
    if masks[-1].all():
        return []
    first = questions[int(np.argmin(masks[-1]))].id
    return [
        f"the cell with all modules from ground truth is {100 * masks[-1].mean():.3f}, "
        f"not 100: {int((~masks[-1]).sum())} released answers differ from the result of "
        f"their program on the true scene, first {first} (see po3d audit)"
    ]


def _unlike(
    questions: Sequence[Question],
    predictions: Mapping[str, Prediction],
    answers: Sequence[Prediction],
) -> list[str]:
    other = []
    for q, p in zip(questions, answers, strict=True):
        if predictions[q.id].answer != p.answer:
            other.append(q.id)
    if not other:
        return []
    return [
        f"the cell with all modules predicted differs from the system in {len(other)}"
        f" answers, first {other[0]}"
    ]


def write_grid(result: dict, out: str | Path, pages: Mapping[str, str]) -> None:
    """Write OUT/errors.jsonl, `pages` by file name, then OUT/grid.json with everything except the
    errors."""
    out = Path(out)
    write_jsonl(out / ERRORS, result["errors"])
    for name, page in pages.items():
        write_file(out / name, page)
    content = {"format": GRID_FORMAT, **result}
    del content["errors"]
    write_json(out / GRID, content)
