"""Scores on Hypo3D, a pure function of questions and predictions.

There is one scorer, "official", the repository's metric_compute.py. Texts are normalised and then
compared:

EM   exact match: the normalised texts are equal, with word order: "left back" is not "back left"
PM   partial match: the fraction of the reference's words that are in the prediction, in any order.
     Additional words are not penalised, so PM alone favours long answers. A word that occurs
     twice in the reference counts twice in the denominator but once in the numerator, so the PM
     of "front left and front right" with itself is 80 %.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from word2number.w2n import word_to_num

from po3d.benchmarks.metrics import bootstrap_groups, figure
from po3d.benchmarks.scoring import comparable, counted, failures, published_table, some
from po3d.io.errors import InputError, known
from po3d.io.files import rows_beside
from po3d.reasoning.questions import Prediction, Question, categories_of, images_of, paired

# kinds of change, in Table 1's order
CATEGORIES = ("movement", "removal", "attribute", "addition", "replacement")
# question types of the release; a question may have several
TYPES = ("Scale", "Direction", "Semantic")
# not part of the release (paper, Table 5; "size fitness" only in Table 6)
FINE_TYPES = ("proximity", "direction-based recognition", "size-based recognition")
FINE_TYPES += ("functionality", "counting", "navigation", "placement height")
FINE_TYPES += ("relative position", "attribute", "path reasoning", "situational reasoning")
FINE_TYPES += ("size fitness",)
CONTROLS = ("without change", "irrelevant change", "aligned map")  # control sets: Tables 3, 4 and 9
ALIGNED = "_aligned"  # suffix of the id of a room whose map was rotated to its reference frame
OVERALL = "overall"
SCORERS = ("official",)
RELEASE = "official release"  # data on which the published figures were measured

# metric_compute.py's table (phrases.csv). Like the official script, it has no rule for "in front
# and to the left".
_PHRASES = {row["phrase"]: row["said"] for row in rows_beside(__file__, "phrases.csv")}
# Replaced in a single pass, so a replacement is not matched again ("on the right side" becomes
# "right side").
_PHRASE = re.compile(r"\b(" + "|".join(sorted(_PHRASES, key=len, reverse=True)) + r")\b")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_OTHER = re.compile(r"[^a-zA-Z0-9\s]")

# Input names of the published tables -> names used here.
_INPUTS = {
    "LLM (Scene Caption)": "captions",
    "2D VLM (Non-Semantic Top-View Map)": "map",
    "Non-Semantic Top-View Map": "map",
    "2D VLM (Semantic Top-View Map)": "semantic map",
    "Semantic Top-View Map": "semantic map",
    "3D VLM (RGB-D Video, Point Cloud)": "3D",
}


METRICS = ("em", "pm")
Match = tuple[float, float]  # exact and partial match of one answer, each in [0, 1]


# --- the official metric --------------------------------------------------------------------------


def normalize(text: str) -> str:
    """Normalise a text as in the official script: canonical directions, no articles, only letters
    and digits ("2.5" becomes "25"), and from the first number on only numbers are kept ("two
    chairs" becomes "2"). Not idempotent."""
    text = _PHRASE.sub(lambda match: _PHRASES[match.group()], text.lower())
    text = _ARTICLE.sub("", text).strip()
    return " ".join(_digits(_OTHER.sub("", text).split()))


def _digits(words: Iterable[str]) -> list[str]:
    """Convert number words to digits, word by word ("twenty one" is 20 1); after the first number
    only numbers are kept."""
    tokens: list[str] = []
    number = False
    for word in words:
        try:
            tokens.append(str(word_to_num(word)))
            number = True
        except ValueError:
            if not number:
                tokens.append(word)
    return tokens


def exact_match(predicted: str, gold: str) -> bool:
    """Return whether the normalised texts are equal."""
    return normalize(predicted) == normalize(gold)


def partial_match(predicted: str, gold: str) -> float:
    """Return the number of distinct words in both normalised texts over the number of words of
    `gold`, in [0, 1]; 0 if the normalised `gold` is empty ("near")."""
    reference = normalize(gold).split()
    common = set(normalize(predicted).split()).intersection(reference)
    return len(common) / len(reference) if reference else 0.0


# --- the tables -----------------------------------------------------------------------------------


def matches(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "official"
) -> list[Match]:
    """Return exact and partial match of each question's prediction; both are 0 for a status other
    than "ok"."""
    known("scorer", scorer, SCORERS)
    result = []
    for q, p in paired(questions, predictions):
        match = 0.0, 0.0
        if p.status == "ok" and p.answer is not None:
            match = float(exact_match(p.answer, q.answer)), partial_match(p.answer, q.answer)
        result.append(match)
    return result


def correct(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "official"
) -> list[float]:
    """Return 1.0 for an exact match, else 0.0, for each question; NaN for control sets, which are
    in no headline figure."""
    results = matches(questions, predictions, scorer)
    return [math.nan if q.control else exact for q, (exact, _) in zip(questions, results)]


def score(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "official"
) -> dict:
    """Return the content of the benchmark's report, in percent and JSON-serialisable. All means are
    micro averages over questions; 95 % intervals over rooms (1000 resamples).

    rows                name, n, failed, value, ci_low, ci_high: `overall` (EM), `overall_pm`, then
                        `movement`, `movement_pm` ... of the changes present; an `overall` over
                        fewer kinds of change than defined has "columns"
    by_type             question type -> cell; a question of several types counts in each
    by_change_and_type  change -> question type -> cell
    by_fine_type        fine type -> cell, of the questions that have one
    by_control          control set -> cell; control questions are in no other entry except `pairs`
    direction_only      cell of the questions with the single type Direction (Table 2), or absent
    pairs               "relevant", "irrelevant" and "aligned" -> identical questions in two
                        settings: {"without", "with"} the change (Tables 3 and 4), {"non-aligned",
                        "aligned"} (9), -> cell
    other_scorers       {}: there is one scorer
    published           Table 1 of the paper, keyed by these rows' names, without `overall` if ours
                        covers fewer kinds
    images              number of rooms without aligned copies; rooms are the unit of the bootstrap

    A cell is {n, failed, em: {value, ci_low, ci_high}, pm: {...}}.
    """
    some(questions)
    results = matches(questions, predictions, scorer)
    failed = failures(questions, predictions)
    if unknown := sorted(set(categories_of(questions)) - set(CATEGORIES)):
        raise InputError(f"unknown change {unknown[0]!r}; known: {', '.join(CATEGORIES)}")

    cells = partial(_cells, questions=questions, results=results, failed=failed)
    # group -> indices of its questions
    changes = _empty((OVERALL, *CATEGORIES))
    types, fine, control, direction = _empty(TYPES), _empty(FINE_TYPES), _empty(CONTROLS), []
    by_change = {change: _empty(TYPES) for change in CATEGORIES}
    for k, q in enumerate(questions):
        if q.control:
            control.setdefault(q.control, []).append(k)
            continue
        changes[OVERALL].append(k)
        changes[q.category].append(k)
        for kind in dict.fromkeys(q.types):
            types.setdefault(kind, []).append(k)
            by_change[q.category].setdefault(kind, []).append(k)
        if q.fine:
            fine.setdefault(q.fine, []).append(k)
        if [*q.types] == ["Direction"]:
            direction.append(k)
    by_change_and_type, pairs = {}, {}
    for change, groups in by_change.items():
        by_change_and_type[change] = cells(groups)
    for name, settings in _pairs(questions).items():
        pairs[name] = cells(settings)
    rows = _rows(cells(changes), sum(bool(changes[change]) for change in CATEGORIES))
    return {
        "scorer": scorer,
        "images": len({q.image.removesuffix(ALIGNED) for q in questions}),
        "rows": rows,
        "other_scorers": {},
        "by_type": cells(types),
        "by_change_and_type": _filled(by_change_and_type),
        "by_fine_type": cells(fine),
        "by_control": cells(control),
        **cells({"direction_only": direction}),
        "pairs": _filled(pairs),
        "published": comparable(published_rows(), rows),
    }


def _empty(names: Iterable[str]) -> dict[str, list[int]]:
    return {name: [] for name in names}


def _filled(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that are not empty."""
    return {name: entry for name, entry in entries.items() if entry}


def _pairs(questions: Sequence[Question]) -> dict[str, dict[str, list[int]]]:
    """Pair each control question with its original. A change is relevant if it alters the answer;
    irrelevant changes are those of the control set."""

    def key(q: Question) -> tuple:
        return q.image.removesuffix(ALIGNED), q.category, q.text, q.program

    origin: dict[tuple, list[int]] = {}
    irrelevant: dict[tuple, int] = {}
    for k, q in enumerate(questions):
        if not q.control:
            origin.setdefault(key(q), []).append(k)
        elif q.control == "irrelevant change":
            irrelevant[key(q)] = k
    pairs: dict[str, dict[str, list[int]]] = {
        "relevant": {"without": [], "with": []},
        "irrelevant": {"without": [], "with": []},
        "aligned": {"non-aligned": [], "aligned": []},
    }
    for k, q in enumerate(questions):
        control, originals = q.control, origin.get(key(q), ())
        if control == "without change":
            other = next((o for o in originals if questions[o].answer != q.answer), None)
            if key(q) in irrelevant:
                _add(pairs["irrelevant"], k, irrelevant[key(q)])
            elif other is not None:
                _add(pairs["relevant"], k, other)
        elif control == "aligned map":
            same = next((o for o in originals if questions[o].change == q.change), None)
            if same is not None:
                _add(pairs["aligned"], same, k)
    return pairs


def _add(settings: dict[str, list[int]], first: int, second: int) -> None:
    for rows, k in zip(settings.values(), (first, second)):
        rows.append(k)


def _cells(
    groups: Mapping[str, Sequence[int]],
    questions: Sequence[Question],
    results: Sequence[Match],
    failed: Sequence[bool],
) -> dict[str, dict]:
    """Return the cell of each group that has questions."""
    groups = _filled(groups)
    if not groups:
        return {}
    rooms = images_of(questions)
    cells: dict[str, dict] = {}
    for name, rows in groups.items():
        cells[name] = {"n": len(rows), "failed": sum(failed[k] for k in rows)}
    for metric, values in zip(METRICS, 100 * np.array(results, float).T, strict=True):
        boot = bootstrap_groups(values, rooms, groups)
        for column, name in enumerate(groups):
            cells[name][metric] = figure(boot.value[column], boot.samples[:, column])
    return cells


def _rows(cells: Mapping[str, dict], there: int) -> list[dict]:
    """Return the rows of the headline figures; `there`: the number of kinds of change present."""
    rows = []
    for name, cell in cells.items():
        counts = {"n": cell["n"], "failed": cell["failed"]}
        for title, metric in ((name, "em"), (f"{name}_pm", "pm")):
            row = {"name": title, **counts, **cell[metric]}
            rows.append(counted(row, there, len(CATEGORIES)) if name == OVERALL else row)
    return rows


# --- published ------------------------------------------------------------------------------------


def published_rows() -> list[dict]:
    """Return Table 1 of the paper: model (with its input), the columns of `score`'s rows, and
    "measured_on".

    The paper is inconsistent in places: Table 8 has 29.85 for Qwen2-VL 7B on plain maps, Table 1
    29.68.
    """
    rows = []
    for row in published("by_change"):
        rows.append({key.removesuffix("_em"): value for key, value in row.items()})
    return rows


def published_by_change_and_type() -> list[dict]:
    """Return Table 8: model, "metric" (em or pm), change -> type -> percent under "cells",
    "overall", "measured_on"."""
    rows = []
    for row in published("by_change_and_question"):
        cells = {}
        for change in CATEGORIES:
            cells[change] = {kind: row[f"{change}_{kind.lower()}"] for kind in TYPES}
        about = {k: row[k] for k in ("model", "metric", OVERALL, "measured_on")}
        rows.append(about | {"cells": cells})
    return rows


def published(table: str) -> list[dict]:
    """Return a table of the paper, in percent and None for empty cells: by_change (Table 1),
    by_change_and_question (8), world_frame (2), with_without_change (3 and 4) or
    aligned_map_direction_questions (9)."""
    rows = []
    for record in published_table(__file__, f"hypo3d_{table}"):
        input_name = _INPUTS.get(record.pop("input", None))
        record["model"] += f", {input_name}" if input_name else ""
        rows.append(record | {"measured_on": RELEASE})
    return rows
