"""Export of a split for `datasets.load_dataset`: parquet files with embedded images, and a data set
card.
"""

import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from po3d.evaluation.harness.export import answer_fields
from po3d.io.cli_errors import needed
from po3d.io.files import atomic_write, write_file
from po3d.io.progress import progress
from po3d.reasoning.questions import Question, categories_of, pictures
from po3d.systems.prompts import prompt

PER_FILE = 5_000  # questions per file, some hundred megabytes
PER_GROUP = 300  # questions per row group; each image is stored once per group
TEXTS = ("id", "question", "prompt", "answer", "letter", "category")
TEXTS += ("image", "frame", "change", "program")
_VALUE = {"dtype": "string", "_type": "Value"}
FEATURES = {  # feature schema in the format of `datasets`
    **dict.fromkeys(TEXTS, _VALUE),
    "options": {"feature": _VALUE, "_type": "Sequence"},
    "images": {"feature": {"_type": "Image"}, "_type": "Sequence"},
}


def write(
    questions: Sequence[Question],
    benchmark: str,
    out: Path,
    encoded: Mapping[str, bytes],
    files: Mapping[str, str],
    twin: Mapping[str, Any] | None,
) -> Path:
    """Write data/test-*.parquet and README.md below `out`; return `out`.

    `encoded`: image bytes by name; `files`: their names in the data set; `twin`: the description of
    a twin, None for a release."""
    pa = needed("pyarrow", "datasets", "a data set needs")
    from pyarrow import parquet

    first = {q.image: k for k, q in reversed(list(enumerate(questions)))}
    # so that questions on one image are contiguous
    questions = sorted(questions, key=lambda q: first[q.image])
    picture = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    columns = {
        **dict.fromkeys(TEXTS, pa.string()),
        "options": pa.list_(pa.string()),
        "images": pa.list_(picture),
    }
    about = {"huggingface": json.dumps({"info": {"features": FEATURES}})}
    schema = pa.schema(list(columns.items()), metadata=about)
    number = -(-len(questions) // PER_FILE)
    with progress(total=len(questions), desc="exporting", unit="question") as bar:
        for k in range(number):
            path = out / "data" / f"test-{k:05d}-of-{number:05d}.parquet"
            rows = questions[k * PER_FILE : (k + 1) * PER_FILE]
            # Dictionary encoding stores each image of a group once instead of once per question.
            options = {"use_dictionary": True, "dictionary_pagesize_limit": 1 << 30}
            with (
                atomic_write(path, "wb") as file,
                parquet.ParquetWriter(file, schema, write_page_index=True, **options) as writer,
            ):
                for first_row in range(0, len(rows), PER_GROUP):
                    group = rows[first_row : first_row + PER_GROUP]
                    known = {name: encoded[name] for name in _names(group)}
                    records = [_record(q, benchmark, known, files) for q in group]
                    writer.write_table(pa.Table.from_pylist(records, schema))
                    bar.update(len(group))
    write_file(out / "README.md", _card(questions, benchmark, twin))
    return out


def _names(questions: Sequence[Question]) -> set[str]:
    return set(itertools.chain.from_iterable(map(pictures, questions)))


def _record(
    q: Question, benchmark: str, encoded: Mapping[str, bytes], files: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "id": q.id,
        "question": q.text,
        "prompt": prompt(benchmark, q).text,
        **answer_fields(q, benchmark),
        **{key: getattr(q, key) for key in ("image", "frame", "change", "program")},
        "images": [{"bytes": encoded[name], "path": files[name]} for name in pictures(q)],
    }


def _card(questions: Sequence[Question], benchmark: str, twin: Mapping[str, Any] | None) -> str:
    """Return README.md with its YAML header; its texts are in parquet_card.yaml."""
    words = yaml.safe_load(Path(__file__).with_name("parquet_card.yaml").read_text("utf-8"))
    card_words = words["twin" if twin is not None else "release"]
    size = next(label for least, label in words["sizes"] if len(questions) >= least)
    head = {
        **words["head"],
        "license": card_words["license"],
        "pretty_name": card_words["name"].format(benchmark=benchmark),
        "size_categories": [size],
    }
    counts = Counter(categories_of(questions))
    body = words["card"].format(
        title=head["pretty_name"],
        made=card_words["made"].format(benchmark=benchmark),
        licence=card_words["licence"],
        settings="" if twin is None else f"Settings of the generator: `{json.dumps(twin)}`.",
        questions=len(questions),
        pictures=len(_names(questions)),
        counts="\n".join(f"| {name} | {n} |" for name, n in sorted(counts.items())),
    )
    return f"---\n{yaml.safe_dump(head, sort_keys=False)}---\n\n{body}"
