"""Scores on Hypo3D: a pure function of questions and predictions.

There is one scorer, "official": the repository's metric_compute.py. A text is normalised, then two are compared:

EM   exact match: the normalised texts are equal. The order of words counts: "left back" is not "back left".
PM   partial match: the share of the reference's words that the prediction holds, in any order. More words
     cost nothing, so PM alone rewards saying much. A reference word that stands twice counts twice below and
     once above, so "front left and front right" is an exact match with itself, and a partial one of 80 %.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from word2number.w2n import word_to_num

from po3d.benchmarks.metrics import bootstrap_groups, figure
from po3d.benchmarks.scoring import comparable, counted, failures, published_table, some
from po3d.io.errors import InputError, known
from po3d.io.files import rows_beside
from po3d.reasoning.questions import Prediction, Question, paired

CATEGORIES = ("movement", "removal", "attribute", "addition", "replacement")  # of changes, in Table 1's order
TYPES = ("Scale", "Direction", "Semantic")  # of questions, as released; a question may have several
FINE_TYPES = (  # the release does not say them (paper, Table 5; "size fitness" only Table 6)
    "proximity", "direction-based recognition", "size-based recognition", "functionality", "counting", "navigation",
    "placement height", "relative position", "attribute", "path reasoning", "situational reasoning", "size fitness",
)  # fmt: skip
CONTROLS = ("without change", "irrelevant change", "aligned map")  # Tables 3, 4 and 9
ALIGNED = "_aligned"  # ends the id of a room whose map was turned to its frame; before it, the room's own id
OVERALL = "overall"
SCORERS = ("official",)
RELEASE = "official release"  # what the published figures were measured on

# metric_compute.py's table (phrases.csv). There is no rule for "in front and to the left": the official script has none either.
_PHRASES = {row["phrase"]: row["said"] for row in rows_beside(__file__, "phrases.csv")}
# One pass: what a match has taken is not looked at again ("on the right side" becomes "right side").
_PHRASE = re.compile(r"\b(" + "|".join(sorted(_PHRASES, key=len, reverse=True)) + r")\b")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_OTHER = re.compile(r"[^a-zA-Z0-9\s]")

# How the published tables' inputs are called here.
_INPUTS = {
    "LLM (Scene Caption)": "captions",
    "2D VLM (Non-Semantic Top-View Map)": "map",
    "Non-Semantic Top-View Map": "map",
    "2D VLM (Semantic Top-View Map)": "semantic map",
    "Semantic Top-View Map": "semantic map",
    "3D VLM (RGB-D Video, Point Cloud)": "3D",
}


class Match(NamedTuple):
    """How well one answer fits, each from 0 to 1."""

    em: float
    pm: float


# --- the official metric ------------------------------------------------------------------------------------


def normalize(text: str) -> str:
    """The text as the official script compares it: directions in its words, no articles, nothing but letters
    and digits ("2.5" becomes "25"), and a number instead of all words from the first number on ("two chairs"
    becomes "2"). Not idempotent."""
    text = _PHRASE.sub(lambda found: _PHRASES[found.group()], text.lower())
    text = _ARTICLE.sub("", text).strip()
    return " ".join(_digits(_OTHER.sub("", text).split()))


def _digits(words: Iterable[str]) -> list[str]:
    """Numbers as digits, word by word ("twenty one" is 20 1); behind the first number only numbers stay."""
    kept: list[str] = []
    number = False
    for word in words:
        try:
            kept.append(str(word_to_num(word)))
            number = True
        except ValueError:
            if not number:
                kept.append(word)
    return kept


def exact_match(predicted: str, gold: str) -> bool:
    """Are the normalised texts equal?"""
    return normalize(predicted) == normalize(gold)


def partial_match(predicted: str, gold: str) -> float:
    """The words that both normalised texts hold, each counted once, over all words of `gold` with their
    repetitions; 0 when nothing of `gold` is left ("near"). From 0 to 1."""
    reference = normalize(gold).split()
    return len(set(normalize(predicted).split()) & set(reference)) / len(reference) if reference else 0.0


# --- the tables ---------------------------------------------------------------------------------------------


def matches(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "official"
) -> list[Match]:
    """Of each question how well its prediction fits; what is not "ok" is wrong in both."""
    known("scorer", scorer, SCORERS)
    result = []
    for q, p in paired(questions, predictions):
        if p.status == "ok" and p.answer is not None:
            result.append(Match(float(exact_match(p.answer, q.answer)), partial_match(p.answer, q.answer)))
        else:
            result.append(Match(0.0, 0.0))
    return result


def correct(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "official"
) -> list[float]:
    """Of each question 1.0 for an exact match, else 0.0; NaN for one of a control set, which counts in no headline."""
    found = matches(questions, predictions, scorer)
    return [math.nan if q.control else match.em for q, match in zip(questions, found)]


def score(questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "official") -> dict:
    """Everything the benchmark's paper reports, in percent, ready for JSON. All means are micro averages over
    questions; intervals (95 %, 1000 resamples) are over rooms.

    rows                name, n, failed, value, ci_low, ci_high: `overall` (EM), `overall_pm`, then
                        `movement`, `movement_pm` ... of the changes there are; an `overall` of fewer than all kinds of
                        change says so under "columns"
    by_type             question type -> cell; a question of several types counts in each
    by_change_and_type  change -> question type -> cell
    by_fine_type        fine type -> cell, of the questions that have one
    by_control          control -> cell, of the questions that are one; these count nowhere else
    direction_only      cell of the questions that are of no other type (Table 2 is about these), or absent
    pairs               "relevant", "irrelevant" and "aligned" -> the same questions in both settings: {"without", "with"}
                        the change (Tables 3 and 4), {"non-aligned", "aligned"} (9), -> cell
    other_scorers       {}: there is one scorer
    published           Table 1 of the paper, with these rows' names as keys, without `overall` where ours is of fewer kinds
    images              number of rooms, aligned copies not counted; rooms are the unit of the bootstrap

    A cell is {n, failed, em: {value, ci_low, ci_high}, pm: {...}}."""
    some(questions)
    found = matches(questions, predictions, scorer)
    failed = failures(questions, predictions)
    main = [k for k, q in enumerate(questions) if not q.control]
    if unknown := sorted({q.category for q in questions} - set(CATEGORIES)):
        raise InputError(f"unknown change {unknown[0]!r}; known: {', '.join(CATEGORIES)}")

    def cells(keys: Mapping[int, Iterable[str]], order: Sequence[str]) -> dict[str, dict]:
        return _cells(_grouped(keys, order), questions, found, failed)

    changes = {k: (OVERALL, questions[k].category) for k in main}
    types = {k: questions[k].types for k in main}
    fine = {k: (questions[k].fine,) for k in main if questions[k].fine}
    control = {k: (q.control,) for k, q in enumerate(questions) if q.control}
    table = {
        change: cells({k: types[k] for k in main if questions[k].category == change}, TYPES)
        for change in CATEGORIES
    }
    there = len({questions[k].category for k in main})
    rows = _rows(cells(changes, (OVERALL, *CATEGORIES)))
    rows = [counted(r, there, len(CATEGORIES)) if r["name"].startswith(OVERALL) else r for r in rows]
    direction = {k: ("direction_only",) for k in main if list(types[k]) == ["Direction"]}
    return {
        "scorer": scorer,
        "images": len({q.image.removesuffix(ALIGNED) for q in questions}),
        "rows": rows,
        "other_scorers": {},
        "by_type": cells(types, TYPES),
        "by_change_and_type": {change: row for change, row in table.items() if row},
        "by_fine_type": cells(fine, FINE_TYPES),
        "by_control": cells(control, CONTROLS),
        **cells(direction, ()),
        "pairs": {
            name: _cells({setting: own for setting, own in settings.items() if own}, questions, found, failed)
            for name, settings in _pairs(questions).items()
            if any(settings.values())
        },
        "published": comparable(published_rows(), rows),
    }


def _pairs(questions: Sequence[Question]) -> dict[str, dict[str, list[int]]]:
    """Each control question beside the one that it was made from. A change is relevant when the answer without it is
    another; the irrelevant ones are those of the control set."""

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
        control, among = q.control, origin.get(key(q), ())
        if control == "without change":
            other = next((o for o in among if questions[o].answer != q.answer), None)
            if key(q) in irrelevant:
                _add(pairs["irrelevant"], k, irrelevant[key(q)])
            elif other is not None:
                _add(pairs["relevant"], k, other)
        elif control == "aligned map":
            same = next((o for o in among if questions[o].change == q.change), None)
            if same is not None:
                _add(pairs["aligned"], same, k)
    return pairs


def _add(settings: dict[str, list[int]], first: int, second: int) -> None:
    for own, k in zip(settings.values(), (first, second)):
        own.append(k)


def _grouped(keys: Mapping[int, Iterable[str]], order: Sequence[str]) -> dict[str, list[int]]:
    """Group -> its questions: those of `order` first, others as they appear, empty ones left out."""
    groups: dict[str, list[int]] = {name: [] for name in order}
    for k, names in keys.items():
        for name in dict.fromkeys(names):
            groups.setdefault(name, []).append(k)
    return {name: own for name, own in groups.items() if own}


def _cells(
    groups: Mapping[str, Sequence[int]],
    questions: Sequence[Question],
    found: Sequence[Match],
    failed: Sequence[bool],
) -> dict[str, dict]:
    if not groups:
        return {}
    rooms = [q.image for q in questions]
    cells: dict[str, dict] = {
        name: {"n": len(own), "failed": sum(failed[k] for k in own)} for name, own in groups.items()
    }
    for metric in Match._fields:
        boot = bootstrap_groups([100 * getattr(match, metric) for match in found], rooms, groups)
        for column, name in enumerate(groups):
            cells[name][metric] = figure(boot.value[column], boot.samples[:, column])
    return cells


def _rows(cells: Mapping[str, dict]) -> list[dict]:
    return [
        {"name": name + suffix, "n": cell["n"], "failed": cell["failed"], **cell[metric]}
        for name, cell in cells.items()
        for metric, suffix in (("em", ""), ("pm", "_pm"))
    ]


# --- published ----------------------------------------------------------------------------------------------


def published_rows() -> list[dict]:
    """Table 1 of the paper: model (with its input), the columns of `score`'s rows, and "measured_on". The
    paper is at odds with itself in places: Table 8 has 29.85 for Qwen2-VL 7B on plain maps, Table 1 29.68."""
    return [{key.removesuffix("_em"): value for key, value in row.items()} for row in published("by_change")]


def published_by_change_and_type() -> list[dict]:
    """Table 8: model, "metric" (em or pm), change -> type -> percent under "cells", "overall", "measured_on"."""
    rows = []
    for row in published("by_change_and_question"):
        cells = {c: {t: row[f"{c}_{t.lower()}"] for t in TYPES} for c in CATEGORIES}
        rows.append({k: row[k] for k in ("model", "metric", OVERALL, "measured_on")} | {"cells": cells})
    return rows


def published(table: str) -> list[dict]:
    """A table of the paper as it is, numbers in percent and None for empty cells: by_change (Table 1),
    by_change_and_question (8), world_frame (2), with_without_change (3 and 4) or
    aligned_map_direction_questions (9)."""
    rows = []
    for record in published_table(__file__, f"hypo3d_{table}"):
        given = _INPUTS.get(record.pop("input", None))
        record["model"] += f", {given}" if given else ""
        rows.append(record | {"measured_on": RELEASE})
    return rows
