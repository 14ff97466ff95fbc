"""The oracle grid: every mixture of true, predicted and noisy modules, from one look at the images.

    evaluation.predict ──► predictions.jsonl, scenes.jsonl      perception and parsing, once
    a cell             ──► tables with some modules true, some true with noise, programs gold or parsed
                       ──► the executor ──► right or wrong, of every question

A cell says of each module "truth", "predicted" or a sigma, the size of noise on the truth; what it leaves out is
predicted. A question's answer depends on the modules that its program reads alone, so cells share most of their work.
"""

import contextlib
import itertools
import json
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from po3d.attribution import blame, minimal_repairs
from po3d.errors import InputError
from po3d.evaluation import PREDICTIONS, SCENES, Split, by_image, read_scenes
from po3d.files import atomic_write, write_json
from po3d.metrics import bootstrap, interval
from po3d.noise import UNITS, lost, noisy
from po3d.question import Prediction, Question, read_predictions
from po3d.reasoning.program import Program, ProgramError, parse_text
from po3d.scene import Scene
from po3d.substitution import MODULES, substitute
from po3d.systems import Executor
from po3d.vocabulary import ATTRIBUTES

TRUTH, PREDICTED = "truth", "predicted"
Setting = str | float  # TRUTH, PREDICTED, or a sigma
POSES = ("position", "depth", "heading", "camera", "shape")  # what geometry reads; poses are drawn together
MEAN = "mean"


class Cell(NamedTuple):
    """One mixture; `settings` of all modules, in the order of MODULES."""

    name: str
    settings: tuple[Setting, ...]


def cell(name: str, settings: Mapping[str, Setting], rest: Setting = PREDICTED) -> Cell:
    """The cell of the modules named, the others being `rest`; InputError for an unknown module or setting."""
    settings = {{"colour": "color"}.get(k, k): v for k, v in settings.items()}
    if unknown := sorted(set(settings) - set(MODULES)):
        raise InputError(f"grid: {unknown[0]!r} is no module; known: {', '.join(MODULES)}")
    for module, value in settings.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if not number and value not in (TRUTH, PREDICTED):
            raise InputError(f"grid: {module}={value!r} should be truth, predicted or a sigma of at least 0")
    return Cell(name, tuple(settings.get(m, rest) for m in MODULES))


# --- answering ----------------------------------------------------------------------------------------------


def reads(program: Program) -> frozenset[str]:
    """The modules that a program's answer depends on, parsing aside."""
    needed = {"detection"}
    for step in program.steps:
        words = {step.op, *step.args}
        needed |= words & set(ATTRIBUTES)
        if step.op in ("relate", "aligned", "collide") or "facing" in words:
            needed |= set(POSES)
        if step.op == "collide":
            needed.add("size")
        if step.op in ("occludees", "occluder") or "occlusion" in words:
            needed.add("occlusion")
    return frozenset(needed)


@dataclass
class Answers:
    """The answers of cells to one image's questions, each mixture that matters worked out once."""

    predicted: Scene
    truth: Scene
    executor: Executor
    seed: int = 0
    _tables: dict[tuple[Setting, ...], Scene] = field(default_factory=dict)
    _answers: dict[tuple, str | None] = field(default_factory=dict)

    def answer(
        self, program: Program | None, question: Question, settings: tuple[Setting, ...]
    ) -> str | None:
        """What a program gives in a cell; None when it has no answer, or is None itself."""
        if program is None:
            return None
        needed = reads(program)
        relevant = tuple(s if m in needed else PREDICTED for m, s in zip(MODULES, settings))
        key = (program, question.task, relevant)
        if key not in self._answers:
            outcome = self.executor(program, self.table(settings), question.task)
            self._answers[key] = outcome.answer if outcome.status == "ok" else None
        return self._answers[key]

    def table(self, settings: tuple[Setting, ...]) -> Scene:
        """The table of a cell."""
        key = tuple(s for m, s in zip(MODULES, settings) if m != "parsing")
        if key not in self._tables:
            named = dict(zip(MODULES, settings))
            named.pop("parsing")
            scene = substitute(self.predicted, self.truth, [m for m, s in named.items() if s != PREDICTED])
            for module, sigma in named.items():
                if not isinstance(sigma, str):
                    scene = noisy(scene, module, sigma, self.seed)
            self._tables = {key: scene}  # cells that share a table stand together
        return self._tables[key]


class _Image(NamedTuple):
    """All that one image's cells need, ready to go to another process."""

    answers: "Answers"
    questions: list[Question]
    parsed: list[Program | None]
    cells: Sequence[Cell]


def grid_answers(
    split: Split,
    cells: Sequence[Cell],
    predictions: Mapping[str, Prediction],
    scenes: Mapping[str, Scene],
    executor: Executor,
    seed: int = 0,
    workers: int = 1,
) -> list[list[Prediction]]:
    """Of each cell the predictions in the order of the split's questions. `predictions` by question id tell the parsed
    programs, `scenes` by image the predicted tables. The answers do not depend on `workers`, processes."""
    quick = replace(executor, traced=False)
    images = []
    for name, group in itertools.groupby(by_image(split.questions), key=lambda q: q.image):
        if name not in scenes:
            raise InputError(f"grid: there is no predicted table of {name}; the system keeps none")
        questions = list(group)
        parsed = [_parsed(predictions[q.id]) for q in questions]
        images.append(_Image(Answers(scenes[name], split.truth(name), quick, seed), questions, parsed, cells))
    with contextlib.ExitStack() as stack:
        mapped = map
        if workers > 1:
            # Spawned, not forked: torch's threads do not survive a fork.
            pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
            mapped = stack.enter_context(pool).map
        bar = tqdm(mapped(_image_answers, images), "grid", len(images), unit="image", delay=1)
        found = {
            q.id: answers for image, each in zip(images, bar) for q, answers in zip(image.questions, each)
        }
    return [
        [
            Prediction(q.id, "failed" if found[q.id][k] is None else "ok", found[q.id][k])
            for q in split.questions
        ]
        for k in range(len(cells))
    ]


def _image_answers(image: _Image) -> list[list[str | None]]:
    """Of each question the answers of all cells."""
    name, seed = image.questions[0].image, image.answers.seed
    gold = [_gold(q) for q in image.questions]
    columns = []
    for _, settings in image.cells:
        how = settings[MODULES.index("parsing")]
        gone = [False] * len(gold) if isinstance(how, str) else lost(name, len(gold), how, seed)
        programs = image.parsed if how == PREDICTED else gold
        columns.append(
            [None if missing else image.answers.answer(program, q, settings)
             for q, program, missing in zip(image.questions, programs, gone)]
        )  # fmt: skip
    return [list(row) for row in zip(*columns)]


def _gold(question: Question) -> Program | None:
    try:
        return parse_text(question.program) if question.program else None
    except ProgramError:
        return None


def _parsed(prediction: Prediction) -> Program | None:
    return parse_text(prediction.program) if prediction.program else None


# --- the cells of a run -------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """What a run works out. `subsets[mask]` has the groups of the mask's bits true."""

    groups: dict[str, tuple[str, ...]]
    subsets: list[Cell]
    singles: list[Cell]  # each module alone true, then each alone predicted
    curves: dict[str, list[tuple[float, Cell]]]  # quantity -> (sigma, cell): noise, everything else true
    more: list[Cell]

    @property
    def cells(self) -> list[Cell]:
        noise = [c for points in self.curves.values() for _, c in points]
        return [*self.subsets, *self.singles, *noise, *self.more]


def plan(options: Mapping[str, Any]) -> Plan:
    """The plan of a config's `grid`; InputError for what it should not say."""
    groups = {str(k): tuple(v) for k, v in (options.get("groups") or {}).items()}
    named = [m for own in groups.values() for m in own]
    if sorted(named) != sorted(MODULES):
        raise InputError(
            f"grid.groups should hold each of {', '.join(MODULES)} once, not {', '.join(sorted(named))}"
        )
    subsets = []
    for mask in range(1 << len(groups)):
        true = [name for k, name in enumerate(groups) if mask >> k & 1]
        label = (
            "all predicted"
            if not true
            else "all true"
            if len(true) == len(groups)
            else "+ " + ", ".join(true)
        )
        subsets.append(cell(label, {m: TRUTH for name in true for m in groups[name]}))
    singles = []
    if options.get("singles", True):
        singles = [cell(f"only {m} true", {m: TRUTH}) for m in MODULES]
        for m in MODULES:
            if m != "depth":  # a true position has the true depth, so they are predicted together
                together = (m, "depth") if m == "position" else (m,)
                singles.append(cell(f"only {m} predicted", dict.fromkeys(together, PREDICTED), TRUTH))
    curves: dict[str, list[tuple[float, Cell]]] = {}
    for quantity, sigmas in (options.get("noise") or {}).items():
        quantity = {"colour": "color"}.get(quantity, quantity)
        points = [0.0, *(s for s in sigmas if s != 0)]
        curves[quantity] = [(s, cell(f"{quantity} noise {s:g}", {quantity: s}, TRUTH)) for s in points]
    more = [cell(_spelled(c), c) for c in options.get("cells") or []]
    return Plan(groups, subsets, singles, curves, more)


def _spelled(settings: Mapping[str, Setting]) -> str:
    return ", ".join(f"{m} {s if isinstance(s, str) else f'noise {s:g}'}" for m, s in settings.items())


# --- the result ---------------------------------------------------------------------------------------------


def run_grid(
    module: Any,
    split: Split,
    options: Mapping[str, Any],
    folder: str | Path,
    executor: Executor,
    scorer: str,
    seed: int,
    workers: int = 1,
) -> dict:
    """The grid over what a finished run left in `folder` (predictions.jsonl, scenes.jsonl), ready for JSON, in percent:

    cells         name, settings (module -> truth, predicted or sigma), rows (name, n, value, ci_low, ci_high)
    curves        quantity -> points: sigma, value, ci_low, ci_high of the mean
    units         quantity -> what its sigma is
    attribution   category -> n, error, shares (group -> percentage points that sum to error), alone (group -> percent
                  of the wrong answers that it repairs alone)
    errors        of each wrong answer: id, image, category, text, gold, answer, repaired_by, shares
    problems      why the grid is not to be trusted: an all-true cell below 100, an all-predicted one that differs from
                  the run's own answers; [] when all is well
    """
    folder = Path(folder)
    work = plan(options)
    predictions = {p.id: p for p in read_predictions(folder / PREDICTIONS)}
    answers = grid_answers(
        split, work.cells, predictions, read_scenes(folder / SCENES), executor, seed, workers
    )
    right = np.array([module.correct(split.questions, given, scorer) for given in answers], float) == 1
    rows = {id(c): _rows(r, split.questions) for c, r in zip(work.cells, right)}
    masks = right[: len(work.subsets)]
    shares = blame(masks)
    names = list(work.groups)
    return {
        "cells": [
            {"name": c.name, "settings": dict(zip(MODULES, c.settings)), "rows": rows[id(c)]}
            for c in work.cells
        ],
        "curves": {
            q: [
                {"sigma": s, **{k: rows[id(c)][-1][k] for k in ("value", "ci_low", "ci_high")}}
                for s, c in points
            ]
            for q, points in work.curves.items()
        },
        "units": {q: UNITS[q] for q in work.curves},
        "attribution": _attribution(split.questions, masks, shares, names),
        "errors": _errors(split.questions, masks, shares, names, answers[0]),
        "problems": _problems(split.questions, masks, predictions, answers),
    }


def _rows(right: NDArray[np.bool_], questions: Sequence[Question]) -> list[dict]:
    categories = list(dict.fromkeys(q.category for q in questions))
    own = [q.category for q in questions]
    boot = bootstrap(100.0 * right, [q.image for q in questions], own, categories)
    rows = []
    for k, name in enumerate(categories):
        low, high = interval(boot.samples[:, k])
        rows.append(
            {
                "name": name,
                "n": own.count(name),
                "value": float(boot.value[k]),
                "ci_low": low,
                "ci_high": high,
            }
        )
    low, high = interval(boot.samples.mean(1))
    mean = float(boot.value.mean())
    return [*rows, {"name": MEAN, "n": len(own), "value": mean, "ci_low": low, "ci_high": high}]


def _attribution(
    questions: Sequence[Question], masks: NDArray[np.bool_], shares: NDArray[np.float64], names: Sequence[str]
) -> dict[str, dict]:
    result = {}
    for category in (*dict.fromkeys(q.category for q in questions), "all"):
        own = np.array([category in (q.category, "all") for q in questions])
        wrong = own & ~masks[0]
        alone = [masks[1 << k][wrong].mean() if wrong.any() else 0.0 for k in range(len(names))]
        result[category] = {
            "n": int(own.sum()),
            "error": 100 * float((~masks[0][own]).mean()),
            "shares": {name: 100 * float(s) for name, s in zip(names, shares[:, own].mean(1))},
            "alone": {name: 100 * float(a) for name, a in zip(names, alone)},
        }
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
        q, repairs = questions[k], minimal_repairs(masks[:, k].tolist())
        errors.append(
            {"id": q.id, "image": q.image, "category": q.category, "text": q.text, "gold": q.answer,
             "answer": answers[k].answer,
             "repaired_by": [[n for b, n in enumerate(names) if mask >> b & 1] for mask in repairs],
             "shares": {n: float(s) for n, s in zip(names, shares[:, k])}}
        )  # fmt: skip
    return errors


def _problems(
    questions: Sequence[Question],
    masks: NDArray[np.bool_],
    predictions: Mapping[str, Prediction],
    answers: Sequence[Sequence[Prediction]],
) -> list[str]:
    problems = []
    if not masks[-1].all():
        first = questions[int(np.argmin(masks[-1]))].id
        problems.append(
            f"the all-true cell is {100 * masks[-1].mean():.3f}, not 100: {int((~masks[-1]).sum())} released answers are "
            f"not what their program gives on the true table, first {first} (po3d audit lists them)"
        )
    other = [q.id for q, p in zip(questions, answers[0]) if predictions[q.id].answer != p.answer]
    if other:
        problems.append(
            f"the all-predicted cell answers {len(other)} questions otherwise than the system, first {other[0]}"
        )
    return problems


def write_grid(result: dict, out: str | Path, pages: Mapping[str, str]) -> None:
    """OUT/errors.jsonl, `pages` by file name, then OUT/grid.json with everything but the errors."""
    out = Path(out)
    with atomic_write(out / "errors.jsonl") as file:
        for error in result["errors"]:
            file.write(json.dumps(error, ensure_ascii=False) + "\n")
    for name, page in pages.items():
        with atomic_write(out / name) as file:
            file.write(page)
    write_json(out / "grid.json", {k: v for k, v in result.items() if k != "errors"})
