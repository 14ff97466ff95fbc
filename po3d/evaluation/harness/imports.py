"""Conversion of an LMM's harness results to a predictions file: rows are matched to questions,
answers extracted and scored, by the rules of `po3d import --help`.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.choices import LETTERS, filled, gapped
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.harness.harness_files import ResponseRow, iterate_rows
from po3d.evaluation.report.notes import data_line
from po3d.evaluation.report.records import IMPORTED
from po3d.io.errors import InputError, visible
from po3d.io.files import finite, write_json, write_jsonl
from po3d.io.text_tables import Table, text
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.answers import extract

RESPONSES = (
    "prediction",
    "filtered_resps",
    "resps",
    "response",
    "predicted_answer",
    "model_answer",
    "output",
    "completion",
)
IDS = ("qid", "question_id", "id", "index", "question_index")
IMAGES = ("image", "image_filename", "image_path", "image_name", "scene_id")
TEXTS = ("question", "input", "prompt", "text")
GOLD = ("answer", "target", "gt_answer", "gold")
# columns with the harness's own score of the row
HARNESS_SCORE_COLUMNS = ("hit", "is_correct", "correct", "score", "acc", "accuracy")
LISTED_ROWS = 5  # maximum number of listed rows on the screen; the sidecar file has all


@dataclass
class Imported:
    """The result of importing a result file."""

    predictions: list[Prediction]  # in the order of the questions
    responses: dict[str, str]  # question id -> the model's response
    rows: int = 0  # number of rows
    missing: list[str] = field(default_factory=list)  # ids of questions without a row
    unmatched: list[dict] = field(default_factory=list)  # rows without a question: row, reason
    damaged: list[dict] = field(default_factory=list)  # unreadable rows: row, reason
    # rows in which something was replaced: row, reason
    repaired: list[dict] = field(default_factory=list)
    without_id: int = 0  # number of rows without any of the columns IDS
    # rows on a question that already has one: row, id
    duplicates: list[dict] = field(default_factory=list)
    # rows with another ground-truth answer than ours: row, id, theirs, ours
    other_gold: list[dict] = field(default_factory=list)
    # extraction rule -> number of answers found by it
    rules: dict[str, int] = field(default_factory=dict)
    matched_by: dict[str, int] = field(default_factory=dict)
    # the harness's own score: column, percent, rows
    harness_scores: dict[str, float] = field(default_factory=dict)


def import_rows(
    rows: Iterable[ResponseRow], questions: Sequence[Question], benchmark: Benchmark, scorer: str
) -> Imported:
    """Convert the rows of a result file to predictions on `questions`; each row is read once."""
    finder = _QuestionIndex(questions)
    chosen: dict[str, Prediction] = {}
    result, present, scores = Imported([], {}), set(), HarnessScores()
    rules: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    gold: list[tuple[int, Question, str]] = []
    for number, original, fault, repair in rows:
        result.rows += 1
        if fault:
            result.damaged.append({"row": number, "reason": fault})
            continue
        if repair:
            result.repaired.append({"row": number, "reason": repair})
        cells = _keyed(original)
        present.update(cells)
        scores.add(cells)
        result.without_id += all(_first(cells, (key,)) is None for key in IDS)
        question, rule = finder.find(cells)
        if question is None:
            result.unmatched.append({"row": number, "reason": rule})
            continue
        if question.id in chosen:
            result.duplicates.append({"row": number, "id": question.id})
            continue
        matched[rule] += 1
        options = _options(question, cells)
        response = _response(cells)
        extracted = extract(response, options, question=question.text)
        rules[extracted.rule] += 1
        chosen[question.id] = Prediction(question.id, "ok", extracted.answer)
        if extracted.answer is None:
            reason = f"no answer in the response: {extracted.rule}"
            chosen[question.id] = Prediction(question.id, "abstained", reason=reason)
        result.responses[question.id] = response
        if theirs := _cell_text(_first(cells, GOLD)):
            gold.append((number, question, extract(theirs, options).answer or theirs))
    if not present & set(RESPONSES):
        raise InputError(
            f"no column with responses; expected one of {', '.join(RESPONSES)}, found "
            f"{', '.join(sorted(present))}"
        )
    if not chosen:
        readable = result.rows - len(result.damaged)
        lacking = (
            f"; no row has an id (columns {', '.join(IDS)})"
            if result.without_id == readable
            else ""
        )
        raise InputError(
            f"no row of {readable} matches any of the {len(questions)} questions{lacking}"
            "; check --benchmark and --data"
        )
    scored_questions, predictions = (
        [q for _, q, _ in gold],
        [Prediction(q.id, "ok", theirs) for _, q, theirs in gold],
    )
    right = benchmark.correct(scored_questions, predictions, scorer) if gold else []
    result.other_gold = [
        {"row": n, "id": q.id, "theirs": theirs, "ours": q.answer}
        for (n, q, theirs), r in zip(gold, right)
        if r == 0
    ]
    result.predictions = [chosen[q.id] for q in questions if q.id in chosen]
    result.missing = [q.id for q in questions if q.id not in chosen]
    result.rules, result.matched_by, result.harness_scores = (
        dict(rules),
        dict(matched),
        scores.figure(),
    )
    return result


class HarnessScores:
    """Sums of the columns with the harness's own scores, row by row."""

    def __init__(self) -> None:
        self.sums = dict.fromkeys(HARNESS_SCORE_COLUMNS, 0.0)
        self.counts: Counter[str] = Counter()

    def add(self, cells: Mapping[str, object]) -> None:
        """Add a row."""
        for name in HARNESS_SCORE_COLUMNS:
            value = _truth(_first(cells, (name,)))
            if value is not None:
                self.sums[name] += value
                self.counts[name] += 1

    def figure(self) -> dict[str, Any]:
        """Return the mean of the first column that has scores; {} if there is none."""
        for name in HARNESS_SCORE_COLUMNS:
            if count := self.counts[name]:
                return {"column": name, "percent": 100 * self.sums[name] / count, "rows": count}
        return {}


class _QuestionIndex:
    """Finds questions by id, or by image and text."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.by_id: dict[str, list[Question]] = {}
        self.by_image: dict[tuple[str, str], list[Question]] = {}
        self.by_text: dict[str, list[Question]] = {}
        for q in questions:
            names = {q.id, q.number, getattr(q, "index", "")} - {""}
            for name in {*names, *map(_number, names)}:
                self.by_id.setdefault(name, []).append(q)
            self.by_image.setdefault((_stem(q.image), _plain(q.text)), []).append(q)
            self.by_text.setdefault(_plain(q.text), []).append(q)

    def find(self, cells: Mapping[str, object]) -> tuple[Question | None, str]:
        """Return the question of a row and the key that matched, or None and the reason."""
        text = _plain(_cell_text(_first(cells, TEXTS)))
        names = [_cell_text(value) for key in IDS if (value := _first(cells, (key,))) is not None]
        for name in names:
            matches = self.by_id.get(name.strip()) or self.by_id.get(_number(name), [])
            agreeing = [
                q for q in matches if not text or _plain(q.text) in text or text in _plain(q.text)
            ]
            if len(agreeing) == 1:
                return agreeing[0], "id"
        images = [
            _stem(_cell_text(value))
            for key in IMAGES
            if (value := _first(cells, (key,))) is not None
        ]
        for image in images:
            if len(matches := self.by_image.get((image, text), [])) == 1:
                return matches[0], "image and question"
        matches = self.by_text.get(text, []) if text else []
        if len(matches) == 1 and not images:
            return matches[0], "question"
        own = (
            f"the id {names[0]!r}"
            if names
            else f"an id, which the row lacks (columns {', '.join(IDS)})"
        )
        if len(matches) > 1:
            return None, f"{len(matches)} questions have the row's text, and none of them has {own}"
        return None, f"no question has {own}" + (" or the row's text" if text else "")


def _first(cells: Mapping[str, object], names: Sequence[str]) -> object:
    """Return the first non-empty cell among `names`, also one level down, where lmms-eval stores
    the output of its metrics.
    """
    for name in names:
        if cells.get(name) is not None and cells[name] != "":
            return cells[name]
    for inner in cells.values():
        if isinstance(inner, dict):
            for name in names:
                if inner.get(name) is not None:
                    return inner[name]
    return None


def _response(cells: Mapping[str, object]) -> str:
    """Return the model's response; lmms-eval omits resps where they equal the filtered ones."""
    return _cell_text(
        next((cells[name] for name in RESPONSES if cells.get(name) not in (None, "")), "")
    )


def _options(question: Question, cells: Mapping[str, object]) -> list[str]:
    """Return the texts of A, B, ..., "" for a letter without one: the question's own, else those of
    the columns.
    """
    if question.options:
        return gapped(question)
    options = {letter: _cell_text(cells.get(letter.lower())).strip() for letter in LETTERS}
    return filled({letter: option for letter, option in options.items() if option.lower() != "nan"})


def _cell_text(value: object) -> str:
    """Return a cell as text; of a list (lmms-eval's resps) the first element."""
    while isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # spreadsheets store indices as floats
    return "" if value is None else json.dumps(value) if isinstance(value, dict) else str(value)


def _truth(value: object) -> float | None:
    if isinstance(value, bool | int | float):
        return float(value) if 0 <= value <= 1 else None
    words = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0, "1.0": 1.0, "0.0": 0.0}
    return words.get(value.lower()) if isinstance(value, str) else None


def _keyed(cells: Mapping[str, object]) -> dict[str, object]:
    """Normalise column names to lower case with "_" for blanks; of duplicates the first non-empty
    cell is kept.
    """
    result: dict[str, object] = {}
    for name, value in cells.items():
        key = "_".join(str(name).strip().lower().split())
        if result.get(key) in (None, ""):
            result[key] = value
    return result


def _number(name: str) -> str:
    """Return a number as written by spreadsheets ("12.0", "00012") in its plain form; anything else
    is unchanged.
    """
    result = re.fullmatch(r"\s*0*(\d+?)(?:\.0+)?\s*", name)
    return result[1] if result else name


def _stem(name: str) -> str:
    return re.split(r"[/\\]", name)[-1].rsplit(".", 1)[0].lower()


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9]+", " ", text.lower()).split())


# --- the command ----------------------------------------------------------------------------------


def import_command(arguments: argparse.Namespace) -> int:
    """Write OUT and OUT.import.json, and print a summary of the rows."""
    split = opened(arguments.benchmark, arguments.data, arguments.size)
    questions = [q for q in split.questions if q.answer is not None]
    benchmark = BENCHMARKS[arguments.benchmark]
    first = arguments.scorer or benchmark.scorers[0]
    result = import_rows(iterate_rows(arguments.file), questions, benchmark, first)
    absent = [Prediction(i, "failed", reason="no row in the results file") for i in result.missing]
    whole = benchmark.score(questions, [*result.predictions, *absent], first)
    scored = {first: whole["rows"], **whole["other_scorers"]}
    out = Path(arguments.out)
    write_jsonl(
        out, ({**asdict(p), "response": result.responses[p.id]} for p in result.predictions)
    )
    sidecar = out.with_name(out.name + IMPORTED)
    data = data_of_import(arguments.benchmark, arguments.data, arguments.size)
    kinds = ("missing", "unmatched", "damaged", "repaired", "duplicates", "other_gold")
    lists = {k: getattr(result, k) for k in kinds}
    write_json(
        sidecar,
        {
            "file": str(arguments.file),
            "data": data,
            "rows": result.rows,
            "matched_by": result.matched_by,
            "rules": result.rules,
            "without_id": result.without_id,
            "harness": finite(result.harness_scores),
            "scores": finite(scored),
            **lists,
        },
    )
    names = {scorer: benchmark.scorer_names.get(scorer, scorer) for scorer in scored}
    print(visible(_summary_text(questions, result, {names[s]: r for s, r in scored.items()})))
    print(f"measured on {data_line({**data, 'images': whole['images']})}")
    print(f"\nwrote {out} and {sidecar}")
    return 0


def data_of_import(benchmark: str, root: str | None, size: int | None) -> dict[str, Any]:
    """Return the description of the questions: benchmark, split ("mini", "twin" or "release"),
    folder, size.
    """
    folder = BENCHMARKS[benchmark].mini if root is None else Path(root).absolute()
    split = "mini" if root is None else kind_of_data(folder)
    return {"benchmark": benchmark, "split": split, "root": str(folder), "size": size}


def _summary_text(
    questions: Sequence[Question], result: Imported, scored: Mapping[str, list[dict]]
) -> str:
    lines = [f"{len(result.predictions)} of {len(questions)} questions from {result.rows} rows, "
             "matched by "
             + ", ".join(f"{rule} {n}" for rule, n in result.matched_by.items())]  # fmt: skip
    if result.without_id:
        lines.append(
            f"rows without an id (columns {', '.join(IDS)}), matched by image and "
            f"question, or question alone: {result.without_id}"
        )
    lines.append(
        "answers extracted by: "
        + ", ".join(f"{rule} {n}" for rule, n in sorted(result.rules.items()))
    )
    for what, items in (
        ("questions without a row, counted as wrong", result.missing),
        (
            "rows without a question, ignored",
            [f"row {u['row']} ({u['reason']})" for u in result.unmatched],
        ),
        ("unreadable rows, ignored", [f"row {d['row']} ({d['reason']})" for d in result.damaged]),
        ("rows repaired", [f"row {r['row']} ({r['reason']})" for r in result.repaired]),
        (
            "duplicate rows of a question, ignored",
            [f"row {d['row']} ({d['id']})" for d in result.duplicates],
        ),
        (
            "rows whose gold answer differs from po3d's",
            [
                f"row {g['row']} ({g['id']}: {g['theirs']}, po3d {g['ours']})"
                for g in result.other_gold
            ],
        ),
    ):
        if items:
            more = f" and {len(items) - LISTED_ROWS} more" if len(items) > LISTED_ROWS else ""
            lines.append(f"{what}: {len(items)}: {'; '.join(items[:LISTED_ROWS])}{more}")
    names = [row["name"] for row in next(iter(scored.values()))]
    table = Table(
        ["scorer", *names],
        [[scorer, *(row["value"] for row in rows)] for scorer, rows in scored.items()],
    )
    lines += ["", text(table)]
    if result.harness_scores:
        lines.append(
            f"the harness's score: {result.harness_scores['percent']:.1f} (mean of "
            f"{result.harness_scores['column']!r} over {result.harness_scores['rows']}"
            " rows)"
        )
    return "\n".join(lines)
