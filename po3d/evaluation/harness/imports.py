"""Conversion of an LMM's harness results to a predictions file: rows are matched to questions,
answers extracted and scored, by the rules of `po3d import --help`.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.choices import LETTERS, filled, gapped
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.scoring import column
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.compare import with_answers
from po3d.evaluation.harness.harness_files import ResponseRow, iterate_rows
from po3d.evaluation.report.notes import data_line
from po3d.evaluation.report.records import IMPORTED
from po3d.io.errors import InputError, visible
from po3d.io.files import finite, write_json, write_jsonl
from po3d.io.text_tables import Table, text
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.answers import extract

RESPONSES = ("prediction", "filtered_resps", "resps", "response")
RESPONSES += ("predicted_answer", "model_answer", "output", "completion")
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
    rules: Counter[str] = field(default_factory=Counter)
    matched_by: Counter[str] = field(default_factory=Counter)
    # the harness's own score: column, percent, rows
    harness_scores: dict[str, Any] = field(default_factory=dict)


def import_rows(
    rows: Iterable[ResponseRow], questions: Sequence[Question], benchmark: Benchmark, scorer: str
) -> Imported:
    """Convert the rows of a result file to predictions on `questions`; each row is read once."""
    finder = _QuestionIndex(questions)
    result, present = Imported([], {}), set()
    chosen: dict[str, Prediction] = {}
    gold: list[tuple[int, Question, str]] = []
    scores: dict[str, list[float]] = {name: [] for name in HARNESS_SCORE_COLUMNS}
    for number, original, fault, repair in rows:
        result.rows += 1
        if fault:
            result.damaged.append({"row": number, "reason": fault})
            continue
        if repair:
            result.repaired.append({"row": number, "reason": repair})
        cells = _keyed(original)
        present.update(cells)
        for name, values in scores.items():
            if (value := _truth(_first(cells, (name,)))) is not None:
                values.append(value)
        result.without_id += all(_first(cells, (key,)) is None for key in IDS)
        question, rule = finder.find(cells)
        if question is None:
            result.unmatched.append({"row": number, "reason": rule})
        elif question.id in chosen:
            result.duplicates.append({"row": number, "id": question.id})
        else:
            result.matched_by[rule] += 1
            response, options = _response(cells), _options(question, cells)
            chosen[question.id], rule = _prediction(question, response, options)
            result.rules[rule] += 1
            result.responses[question.id] = response
            if theirs := _cell_text(_first(cells, GOLD)):
                gold.append((number, question, extract(theirs, options).answer or theirs))
    _check_rows(result, present, chosen, len(questions))
    result.other_gold = _other_gold(gold, benchmark, scorer)
    for q in questions:
        if q.id in chosen:
            result.predictions.append(chosen[q.id])
        else:
            result.missing.append(q.id)
    for name, values in scores.items():
        if values:
            percent = 100 * sum(values) / len(values)
            result.harness_scores = {"column": name, "percent": percent, "rows": len(values)}
            break
    return result


def _prediction(
    question: Question, response: str, options: Sequence[str]
) -> tuple[Prediction, str]:
    """Return the answer in a response, and the rule that extracted it."""
    extracted = extract(response, options, question=question.text)
    if extracted.answer is None:
        reason = f"no answer in the response: {extracted.rule}"
        return Prediction(question.id, "abstained", reason=reason), extracted.rule
    return Prediction(question.id, "ok", extracted.answer), extracted.rule


def _check_rows(result: Imported, present: set[str], matched: Sized, questions: int) -> None:
    """Raise InputError for a file without responses, or without a row of any question."""
    if not present & set(RESPONSES):
        raise InputError(
            f"no column with responses; expected one of {', '.join(RESPONSES)}, found "
            f"{', '.join(sorted(present))}"
        )
    if not matched:
        readable, lacking = result.rows - len(result.damaged), ""
        if result.without_id == readable:
            lacking = f"; no row has an id (columns {', '.join(IDS)})"
        raise InputError(
            f"no row of {readable} matches any of the {questions} questions{lacking}"
            "; check --benchmark and --data"
        )


def _other_gold(
    gold: Sequence[tuple[int, Question, str]], benchmark: Benchmark, scorer: str
) -> list[dict]:
    """Return the rows whose ground-truth answer differs from ours."""
    if not gold:
        return []
    predictions = [Prediction(q.id, "ok", theirs) for _, q, theirs in gold]
    right = benchmark.correct([q for _, q, _ in gold], predictions, scorer)
    rows = []
    for (number, q, theirs), value in zip(gold, right, strict=True):
        if value == 0:
            rows.append({"row": number, "id": q.id, "theirs": theirs, "ours": q.answer})
    return rows


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
        names = _texts_of(cells, IDS)
        for name in names:
            matches = []
            for q in self.by_id.get(name.strip()) or self.by_id.get(_number(name), []):
                if not text or _plain(q.text) in text or text in _plain(q.text):
                    matches.append(q)
            if len(matches) == 1:
                return matches[0], "id"
        images = list(map(_stem, _texts_of(cells, IMAGES)))
        for image in images:
            if len(matches := self.by_image.get((image, text), [])) == 1:
                return matches[0], "image and question"
        matches = self.by_text.get(text, []) if text else []
        if len(matches) == 1 and not images:
            return matches[0], "question"
        own = f"the id {names[0]!r}" if names else ""
        own = own or f"an id, which the row lacks (columns {', '.join(IDS)})"
        if len(matches) > 1:
            return None, f"{len(matches)} questions have the row's text, and none of them has {own}"
        return None, f"no question has {own}" + (" or the row's text" if text else "")


def _first(cells: Mapping[str, object], names: Sequence[str]) -> object:
    """Return the first non-empty cell among `names`, also one level down, where lmms-eval stores
    the output of its metrics."""
    for name in names:
        if cells.get(name) is not None and cells[name] != "":
            return cells[name]
    for inner in cells.values():
        if isinstance(inner, dict):
            for name in names:
                if inner.get(name) is not None:
                    return inner[name]
    return None


def _texts_of(cells: Mapping[str, object], names: Sequence[str]) -> list[str]:
    """Return the texts of the non-empty cells with these names (see `_first`)."""
    result = []
    for name in names:
        if (value := _first(cells, (name,))) is not None:
            result.append(_cell_text(value))
    return result


def _response(cells: Mapping[str, object]) -> str:
    """Return the model's response; lmms-eval omits resps where they equal the filtered ones."""
    for name in RESPONSES:
        if cells.get(name) not in (None, ""):
            return _cell_text(cells[name])
    return ""


def _options(question: Question, cells: Mapping[str, object]) -> list[str]:
    """Return the texts of A, B, ..., "" for a letter without one: the question's own, else those of
    the columns."""
    if question.options:
        return gapped(question)
    options = {}
    for letter in LETTERS:
        option = _cell_text(cells.get(letter.lower())).strip()
        if option.lower() != "nan":
            options[letter] = option
    return filled(options)


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
    cell is kept."""
    result: dict[str, object] = {}
    for name, value in cells.items():
        key = "_".join(str(name).strip().lower().split())
        if result.get(key) in (None, ""):
            result[key] = value
    return result


def _number(name: str) -> str:
    """Return a number as written by spreadsheets ("12.0", "00012") in its plain form; anything else
    is unchanged."""
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
    questions = with_answers(split.questions)
    benchmark = BENCHMARKS[arguments.benchmark]
    first = arguments.scorer or benchmark.scorers[0]
    result = import_rows(iterate_rows(arguments.file), questions, benchmark, first)
    absent = []
    for i in result.missing:
        absent.append(Prediction(i, "failed", reason="no row in the results file"))
    whole = benchmark.score(questions, [*result.predictions, *absent], first)
    scored = {first: whole["rows"], **whole["other_scorers"]}
    out = Path(arguments.out)
    responses = result.responses
    write_jsonl(out, ({**asdict(p), "response": responses[p.id]} for p in result.predictions))
    sidecar = out.with_name(out.name + IMPORTED)
    data = data_of_import(arguments.benchmark, arguments.data, arguments.size)
    summary = {"file": str(arguments.file), "data": data}
    for key in ("rows", "matched_by", "rules", "without_id"):
        summary[key] = getattr(result, key)
    summary |= {"harness": finite(result.harness_scores), "scores": finite(scored)}
    for key in ("missing", "unmatched", "damaged", "repaired", "duplicates", "other_gold"):
        summary[key] = getattr(result, key)
    write_json(sidecar, summary)
    names = {}
    for scorer in scored:
        names[scorer] = benchmark.scorer_names.get(scorer, scorer)
    print(visible(_summary_text(questions, result, {names[s]: r for s, r in scored.items()})))
    print(f"measured on {data_line({**data, 'images': whole['images']})}")
    print(f"\nwrote {out} and {sidecar}")
    return 0


def data_of_import(benchmark: str, root: str | None, size: int | None) -> dict[str, Any]:
    """Return the description of the questions: benchmark, split ("mini", "twin" or "release"),
    folder, size."""
    folder = BENCHMARKS[benchmark].mini if root is None else Path(root).absolute()
    split = "mini" if root is None else kind_of_data(folder)
    return {"benchmark": benchmark, "split": split, "root": str(folder), "size": size}


def _counts_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())


def _summary_text(
    questions: Sequence[Question], result: Imported, scored: Mapping[str, list[dict]]
) -> str:
    lines = [
        f"{len(result.predictions)} of {len(questions)} questions from {result.rows} rows, "
        f"matched by {_counts_text(result.matched_by)}"
    ]
    if result.without_id:
        lines.append(
            f"rows without an id (columns {', '.join(IDS)}), matched by image and "
            f"question, or question alone: {result.without_id}"
        )
    lines.append(f"answers extracted by: {_counts_text(dict(sorted(result.rules.items())))}")
    for what, form, items in (
        ("questions without a row, counted as wrong", "{id}", [{"id": i} for i in result.missing]),
        ("rows without a question, ignored", "row {row} ({reason})", result.unmatched),
        ("unreadable rows, ignored", "row {row} ({reason})", result.damaged),
        ("rows repaired", "row {row} ({reason})", result.repaired),
        ("duplicate rows of a question, ignored", "row {row} ({id})", result.duplicates),
        (
            "rows whose gold answer differs from po3d's",
            "row {row} ({id}: {theirs}, po3d {ours})",
            result.other_gold,
        ),
    ):
        if items:
            more = f" and {len(items) - LISTED_ROWS} more" if len(items) > LISTED_ROWS else ""
            listed = "; ".join(form.format(**item) for item in items[:LISTED_ROWS])
            lines.append(f"{what}: {len(items)}: {listed}{more}")
    names = column(next(iter(scored.values())), "name")
    cells = []
    for scorer, rows in scored.items():
        cells.append([scorer, *column(rows, "value")])
    lines += ["", text(Table(["scorer", *names], cells))]
    if result.harness_scores:
        form = "the harness's score: {percent:.1f} (mean of {column!r} over {rows} rows)"
        lines.append(form.format(**result.harness_scores))
    return "\n".join(lines)
