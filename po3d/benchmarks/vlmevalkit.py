"""Question tables in VLMEvalKit's TSV format: images are embedded, each in the first row that uses
it.
"""

import base64
import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.choices import by_letter, letter
from po3d.io.files import atomic_write
from po3d.reasoning.questions import Question

POINTER = 64  # an image cell at most this long is the index of the row that holds the image


def cells(benchmark: Benchmark, question: Question, number: int) -> dict[str, str]:
    """Return the TSV cells of a question by column, without its images; `number` is its row
    index."""
    answer = letter(question) if question.options else benchmark.written(question.answer or "")
    return {
        "index": question.number or getattr(question, "index", "") or str(number),
        "qid": question.id,
        "question": question.text,
        "answer": answer,
        "category": benchmark.files.get(question.category, question.category),
        **by_letter(question),
    }


def write_table(
    path: str | Path, columns: Sequence[str], rows: Iterable[Mapping], encoded: Mapping[str, bytes]
) -> None:
    """Write `rows` (cells by column; "image" lists the names of a row's images) as TSV. `encoded`
    maps names to file contents.

    The cell of several images is a list.
    """
    carrier: dict[tuple[str, ...], str] = {}
    with atomic_write(path) as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        for row in rows:
            names = tuple(row["image"])
            if names in carrier:
                cell = carrier[names]
            else:
                cells = [base64.b64encode(encoded[name]).decode() for name in names]
                cell, carrier[names] = cells[0] if len(cells) == 1 else str(cells), row["index"]
            writer.writerow({**row, "image": cell})
