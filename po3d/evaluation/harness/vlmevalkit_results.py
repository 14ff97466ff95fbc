"""Predictions as a VLMEvalKit result file, to be scored by its evaluator like any model's.

    <work>/<model>/<T20260101-000000>/<model>_<dataset>.xlsx

Evaluate with: run.py --mode eval --reuse --work-dir <work>
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from po3d.benchmarks import choices
from po3d.benchmarks.registry import BENCHMARKS
from po3d.benchmarks.vlmevalkit import cells
from po3d.io.cli_errors import needed
from po3d.io.files import atomic_write
from po3d.reasoning.questions import Prediction, Question, by_id
from po3d.systems.chat import message_answer
from po3d.systems.prompts import prompt

CELL = 32_767  # maximum characters of an .xlsx cell
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def write_results(
    path: str | Path,
    benchmark: str,
    questions: Sequence[Question],
    predictions: Iterable[Prediction],
    extra: Mapping[str, Callable[[Question], object]] = MappingProxyType({}),
) -> int:
    """Write the .xlsx: the columns of the question table, without images, and `prediction` in the
    form that the prompt asks for, empty if there is no answer; then the columns `extra`. Return the
    number of questions without an answer."""
    openpyxl = needed("openpyxl", "tables", f"writing {path} needs")
    predicted = by_id(predictions)
    columns = ["index", "qid", "question", *choices.columns(questions), "answer", "category"]
    columns += ["prediction", *extra]
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(columns)
    silent = 0
    for k, q in enumerate(questions):
        p = predicted.get(q.id)
        answered = p is not None and p.status == "ok" and p.answer is not None
        silent += not answered
        response = ""
        if answered:
            response = message_answer(p, prompt(benchmark, q).texts, choices.gapped(q))
        row = cells(BENCHMARKS[benchmark], q, k) | {"prediction": response}
        for name, value_of in extra.items():
            row[name] = value_of(q)
        for column, name in enumerate(columns, 1):
            value = row.get(name, "")
            if isinstance(value, int):
                sheet.cell(k + 2, column, value)
            elif name == "index" and value.isdecimal():
                sheet.cell(k + 2, column, int(value))
            else:
                cell = sheet.cell(k + 2, column, _CONTROL.sub(" ", str(value))[:CELL])
                cell.data_type = "s"  # so that "=" does not start a formula
    with atomic_write(path, "wb") as file:
        book.save(file)
    return silent
