"""Scores on SCOPE, a pure function of questions and predictions.

There is one scorer, "choice": a prediction is the letter or text of an option; anything else, or a
status other than "ok", is wrong. The headline is the mean of the six tasks (the paper's Avg, as
confirmed by its human row). Paraphrases are in no column; they are paired with their original
questions.
"""

import math
import re
import string
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from po3d.benchmarks.metrics import bootstrap, confusion, distribution
from po3d.benchmarks.scoring import comparable, failures, published_table, rows_and_mean, some
from po3d.io.errors import InputError, known
from po3d.reasoning.questions import Prediction, Question, by_id, categories_of, images_of, paired
from po3d.scene.orbit import DIAGONAL, GROUPS, LABELS, ORTHOGONAL, VIEWS, group_of, turned_label

TASKS = tuple(
    f"{t}_{f}" for t in ("consistency", "updating", "integration") for f in ("ego", "allo")
)
SINGLE = TASKS[:4]  # tasks on one view, whose answers are directions
AVERAGE = "average"
SCORERS = ("choice",)
RELEASE = "official images"
VIEW_SETS = {"orthogonal": VIEWS[0::2], "diagonal": VIEWS[1::2], "all": VIEWS}
ERRORS = ("correct", "no rotation", "wrong direction", "wrong angle", "no answer")
_ANGLE = re.compile(r"\b(\d{2,3}) ?(?:°|degrees?\b)")
_LETTER = re.compile(r"\(?([A-Za-z])(?:[).:]\s*(.*))?$", re.DOTALL)

Choices = Mapping[str, str | None]  # question id -> the chosen option


def chosen(answer: str, options: Sequence[str]) -> str | None:
    """Return the option that an answer denotes by text, letter, or both ("B", "(B)", "B. left",
    "left"); None if there is no match.
    """
    answer = answer.strip().rstrip(".").strip()
    by_text = {option.casefold(): option for option in options}
    if answer.casefold() in by_text:
        return by_text[answer.casefold()]
    match = _LETTER.match(answer)
    if not match:
        return None
    index = string.ascii_uppercase.find(match[1].upper())
    return options[index] if index < len(options) else None


def correct(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "choice"
) -> list[float]:
    """Return 1.0 or 0.0 for each question; NaN for a paraphrase, which is in no headline figure."""
    taken = _choices(questions, predictions, scorer)
    return [math.nan if q.variant else float(taken[q.id] == q.answer) for q in questions]


def score(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "choice"
) -> dict:
    """Return the content of the benchmark's report, in percent and JSON-serialisable; 95 %
    intervals over scenes (1000 resamples).

    rows             name, n, failed, value, ci_low, ci_high: `average`, then the six tasks; an
                     average over fewer has "columns"
    consistency      task -> view set (orthogonal, diagonal, all) -> {n, consistent, joint}: Eq. 1,
                     and the percentage of questions answered correctly from every view
    confusion        task -> group -> 4 x 5 counts: rows ground truth, columns predictions, the last
                     column for no direction
    directions       task -> {"gold", "answered"} -> direction -> count
    updating_errors  group -> angle -> kind of error -> count, for egocentric updating (Fig. 8b)
    paraphrase       task, and "average" -> {n, template, paraphrase, delta}
    baselines        name -> rows of a blind baseline; baseline_consistency: its consistency
    other_scorers    {}: there is one scorer
    published        the paper's Table 2, without its average if ours covers fewer tasks;
                     published_consistency: its Table 7
    images           number of scenes, the unit of the bootstrap
    """
    some(questions)
    if unknown := sorted(set(categories_of(questions)) - set(TASKS)):
        raise InputError(f"unknown task {unknown[0]!r}; known: {', '.join(TASKS)}")
    taken = _choices(questions, predictions, scorer)
    main = [q for q in questions if not q.variant]
    rows, baselines, baseline_consistency = _rows(main, taken, failures(main, predictions)), {}, {}
    for name, pick in BASELINES.items():
        blind = {q.id: pick(q) for q in main}
        baselines[name] = _rows(main, blind, [False] * len(main))
        baseline_consistency[name] = _consistency(main, blind)
    return {
        "scorer": scorer,
        "images": len(set(images_of(questions))),
        "rows": rows,
        "other_scorers": {},
        "consistency": _consistency(main, taken),
        **_directions(main, taken),
        "updating_errors": _updating_errors(main, taken),
        "paraphrase": _paraphrase(questions, taken),
        "baselines": baselines,
        "baseline_consistency": baseline_consistency,
        "published": comparable(published_rows(), rows),
        "published_consistency": published("scene_consistency"),
    }


def _choices(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str
) -> dict[str, str | None]:
    known("scorer", scorer, SCORERS)
    choices: dict[str, str | None] = {}
    for q, p in paired(questions, predictions):
        answered = p.status == "ok" and p.answer is not None
        choices[q.id] = chosen(p.answer, q.options) if answered else None
    return choices


# --- accuracy -------------------------------------------------------------------------------------


def _rows(questions: Sequence[Question], taken: Choices, failed: Sequence[bool]) -> list[dict]:
    present = set(categories_of(questions))
    there = [task for task in TASKS if task in present]
    values = [100.0 * (taken[q.id] == q.answer) for q in questions]
    boot = bootstrap(values, images_of(questions), categories_of(questions), there)
    rows, average = rows_and_mean(boot, questions, failed, there, AVERAGE, len(TASKS))
    return [average, *rows]


def _paraphrase(questions: Sequence[Question], taken: Choices) -> dict[str, dict]:
    """Compare the accuracy on original questions and on their paraphrases."""
    originals = by_id(questions)
    pairs: dict[str, list[tuple[bool, bool]]] = {}
    for q in questions:
        original = originals.get(q.of)
        if q.variant and original is not None:
            both = taken[original.id] == q.answer, taken[q.id] == q.answer
            pairs.setdefault(q.category, []).append(both)
    result = {}
    for task in TASKS:
        if task in pairs:
            template, other = (100 * np.array(pairs[task], float).mean(0)).tolist()
            result[task] = {"template": template, "paraphrase": other, "delta": other - template}
    if result:
        means = np.mean([list(cell.values()) for cell in result.values()], 0)
        result[AVERAGE] = dict(zip(next(iter(result.values())), means.tolist()))
    total = sum(map(len, pairs.values()))
    for task, cell in result.items():
        result[task] = {"n": len(pairs[task]) if task in pairs else total, **cell}
    return result


# --- consistency ----------------------------------------------------------------------------------


def _consistency(questions: Sequence[Question], taken: Choices) -> dict[str, dict]:
    """Compute C(S) of Eq. 1 and the fraction of questions answered correctly from all views
    (joint).

    Agreement does not depend on the reference view; an answer that is not a direction agrees with
    nothing.
    """
    result: dict[str, dict] = {}
    for task in SINGLE:
        by_view: dict[str, dict[int, Question]] = {}
        for q in questions:
            if q.category == task:
                by_view.setdefault(q.group, {})[q.views[0]] = q
        cells = {}
        for name, views in VIEW_SETS.items():
            agree, right = [], []
            for of_view in by_view.values():
                if of_view.keys() >= set(views):
                    group = [of_view[v] for v in views]
                    agree.append(_agrees(group, taken))
                    right.append(all(taken[q.id] == q.answer for q in group))
            if agree:
                shares = (100.0 * np.mean([agree, right], axis=1)).tolist()
                cells[name] = {"n": len(agree), "consistent": shares[0], "joint": shares[1]}
        if cells:
            result[task] = cells
    return result


def _agrees(questions: Sequence[Question], taken: Choices) -> bool:
    """Return whether the answers agree after rotation into the view at 0 degrees."""
    labels = set()
    for q in questions:
        label = taken[q.id]
        if label not in LABELS:
            return False
        labels.add(turned_label(label, -q.views[0]) if q.category.endswith("_ego") else label)
    return len(labels) == 1


# --- diagnoses ------------------------------------------------------------------------------------


def _directions(questions: Sequence[Question], taken: Choices) -> dict[str, dict]:
    """Return the entries `confusion` and `directions` of the report, for each single-view task that
    occurs: the confusion matrices, and how often each direction is the right answer and the given
    one."""
    matrices: dict[str, dict] = {}
    counts: dict[str, dict] = {}
    for task in SINGLE:
        of_task = [q for q in questions if q.category == task]
        gold, answered = [q.answer for q in of_task], [taken[q.id] for q in of_task]
        if of_task:
            matrices[task], counts[task] = {}, {}
            for name, labels in GROUPS.items():
                matrices[task][name] = confusion(gold, answered, labels).tolist()
            for name, answers in (("gold", gold), ("answered", answered)):
                counts[task][name] = distribution(answers, LABELS)
    return {"confusion": matrices, "directions": counts}


def _updating_errors(questions: Sequence[Question], taken: Choices) -> dict[str, dict]:
    """Classify errors in egocentric updating: the label before the turn, the label after a
    clockwise turn, or another one. For a turn of 180 degrees the two directions coincide.
    """
    result: dict[str, dict[int, dict[str, int]]] = {}
    for q in questions:
        match = _ANGLE.search(q.text)
        if q.category != "updating_ego" or q.answer not in LABELS or not match:
            continue
        angle = int(match[1])
        angles = result.setdefault(group_of(q.answer), {})
        cell = angles.setdefault(angle, dict.fromkeys(ERRORS, 0))
        cell[_error(taken[q.id], q.answer, angle)] += 1
    groups = [group for group in GROUPS if group in result]
    return {g: {str(angle): result[g][angle] for angle in sorted(result[g])} for g in groups}


def _error(answer: str | None, gold: str, angle: int) -> str:
    if answer not in LABELS:
        return "no answer"
    if answer == gold:
        return "correct"
    if answer == turned_label(gold, -angle):
        return "no rotation"
    return "wrong direction" if answer == turned_label(gold, -2 * angle) else "wrong angle"


# --- blind baselines ------------------------------------------------------------------------------


def _always_front(q: Question) -> str:
    """Answer "front" if the options are orthogonal, "front-right" if diagonal, else the first
    option.
    """
    return next((o for o in (ORTHOGONAL[0], DIAGONAL[0]) if o in q.options), q.options[0])


def _quarter_off(q: Question) -> str:
    """Answer the right direction plus 90 degrees: always consistent, never right. Shows what C(S)
    does not measure.
    """
    if q.answer in LABELS and turned_label(q.answer, 90) in q.options:
        return turned_label(q.answer, 90)
    options = q.options
    return options[(options.index(q.answer) + 1) % len(options)]


BASELINES: dict[str, Callable[[Question], str]] = {
    "always A": lambda q: q.options[0],
    "always front": _always_front,
    "a quarter turn off": _quarter_off,
}


# --- published ------------------------------------------------------------------------------------


def published_rows() -> list[dict]:
    """Return Table 2 of the paper: model, the columns of `score`'s rows, "measured_on"."""
    return [row | {"measured_on": RELEASE} for row in published("accuracy")]


def published(table: str) -> list[dict]:
    """Return a table of the paper, in percent: accuracy (Table 2) or scene_consistency (Table
    7).
    """
    return published_table(__file__, f"scope_{table}")
