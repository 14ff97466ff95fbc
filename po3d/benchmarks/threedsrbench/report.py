"""The files of 3DSRBench as plain records: VLMEvalKit's TSV, the Hub's parquet and the raw
annotations as CSV.

  *.tsv       index, qid, question, A, B, C, D, answer (a letter), category, image, image_source,
              image_url
  *.parquet   these columns without `qid` (stored in `index`), without images or with images as
              {bytes, path}
  *.csv       qid, image (a URL), qtype, relation, subject, object1, object2, answer (in words);
              the question text is not included

A record maps column to text; empty and NaN cells are omitted. Images are bytes under "pixels"
(decoded base64); identical images are stored once, so rotations of a question share them.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from po3d.benchmarks.vlmevalkit import POINTER
from po3d.io.errors import InputError, known
from po3d.io.tables import table_rows
from po3d.language.grammar import load
from po3d.language.programs.threedsrbench import OPERATIONS, PhraseCall

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")  # of an image path
LETTERS = ("A", "B", "C", "D")
REQUIRED = ("question", "A", "B", "answer", "category")
_SIDE = re.compile(r"\b(?:[Ll]eft|[Rr]ight)\b")
RAW = ("qid", "qtype", "relation", "answer")
# Relation -> operation. A raw annotation is worded like the twin's questions
# (threedsrbench.grammar), with the non-empty cells of subject, object1 and object2 in this order.
# Derived from released rows, except for "closer to camera" and for the order of the cells, which is
# confirmed only for "viewpoint towards object".
RELATIONS = {
    "higher": "higher",
    "above": "above",
    "closer to camera": "nearer_camera",
    "next to": "next_to",
    "in front of": "in_front_of",
    "on the left": "on_the_left",
    "viewpoint": "side_to_camera",
    "viewpoint towards object": "side_to",
    "closer to": "closer_to",
    "facing": "facing",
    "parallel": "parallel",
    "same direction": "same_direction",
}


def read_table(path: Path, flips: bool = False) -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """Read the rows of a file and its embedded images, which are keyed by the name under "pixels";
    raise InputError if malformed.

    `flips`: append the mirror images of raw annotations.
    """
    pictures: dict[str, bytes] = {}
    rows = table_rows(path, "3DSRBench table", "srbench")
    records = [_record(row, pictures, path, k) for k, row in enumerate(rows)]
    if not records:
        raise InputError(f"{path} contains no rows")
    _follow_pointers(records, path)
    columns = set().union(*records)
    if set(RAW) <= columns and "question" not in columns:
        mirrored = map(mirrored_record, records) if flips else ()
        worded = []
        for rows in (records, mirrored):
            worded += [_worded(r, f"{path}, row {k}") for k, r in enumerate(rows)]
        return worded, pictures
    for column in REQUIRED:
        if column not in columns:
            raise InputError(f"{path} is not a 3DSRBench table: the column {column!r} is missing")
    return records, pictures


def _record(row: Mapping, pictures: dict[str, bytes], path: Path, number: int) -> dict[str, str]:
    """Return the non-empty cells of a row as text; an embedded image is added to `pictures`."""
    record = {}
    for column, value in row.items():
        if column != "image" and not _empty(value):
            record[str(column)] = str(value).strip()
    cell = row.get("image")
    if isinstance(cell, Mapping):  # the Hub's image type
        cell = cell.get("bytes") or cell.get("path")
    if isinstance(cell, bytes):
        record["pixels"] = _store_picture(cell, pictures)
    elif not _empty(cell):
        cell = str(cell).strip()
        if cell.startswith(("http://", "https://")) or cell.lower().endswith(SUFFIXES):
            record.setdefault("image_url", cell)
        elif len(cell) <= POINTER:
            record["pointer"] = cell
        else:
            try:
                record["pixels"] = _store_picture(base64.b64decode(cell, validate=True), pictures)
            except ValueError as error:
                problem = f"the image is not valid base64 ({error})"
                raise InputError(f"{path}, row {number}: {problem}") from None
    return record


def _empty(cell: object) -> bool:
    return cell is None or cell == "" or cell != cell or str(cell).lower() == "nan"


def _store_picture(data: bytes, pictures: dict[str, bytes]) -> str:
    name = hashlib.sha256(data).hexdigest()[:16]
    pictures.setdefault(name, data)
    return name


def _follow_pointers(records: list[dict[str, str]], path: Path) -> None:
    """Resolve image cells that are another row's index to that row's image."""
    carrier = {}
    for record in records:
        if "pixels" in record and "index" in record:
            carrier[record["index"]] = record
    for k, record in enumerate(records):
        if "pointer" in record:
            target = record.pop("pointer")
            if target not in carrier:
                problem = f"its image refers to row {target!r}, which has none"
                raise InputError(f"{path}, row {k}: {problem}")
            record["pixels"] = carrier[target]["pixels"]


def mirrored_record(record: Mapping[str, str]) -> dict[str, str]:
    """Return the raw annotation of the mirror image: left and right are swapped in object names and
    answer."""
    sides = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
    result = dict(record)
    for column in ("subject", "object1", "object2", "answer"):
        if column in result:
            result[column] = _SIDE.sub(lambda m: sides[m[0]], result[column])
    return result | {"qid": f"{record['qid']}-flip"}


def _worded(record: Mapping[str, str], where: str) -> dict[str, str]:
    """Convert a raw annotation to question, options and letter, as in the release."""
    relation, answer = record.get("relation", ""), record.get("answer", "")
    known("relation", relation, RELATIONS, f"{where}: ")
    op = RELATIONS[relation]
    things = [record[c] for c in ("subject", "object1", "object2") if record.get(c)]
    needed = len(OPERATIONS[op].inputs)
    if len(things) < needed:
        raise InputError(f"{where}: {relation!r} needs more objects than {things}")
    texts = PhraseCall(op, tuple(things[:needed])).answers
    slots = dict(zip(map(str, range(len(things))), things))
    question = load("threedsrbench").fill(f"release.{op}", lambda n: 0, **slots)
    yes_no = dict(zip(("yes", "no"), texts)) if len(texts) == 2 else {}
    wanted, lower = yes_no.get(answer.lower(), answer).lower(), list(map(str.lower, texts))
    if wanted not in lower:
        raise InputError(f"{where}: the answer {answer!r} is not one of {', '.join(texts)}")
    worded = ("subject", "object1", "object2", "qtype", "relation")
    fields = {k: v for k, v in record.items() if k not in worded}
    fields |= {"question": question, **dict(zip(LETTERS, texts))}
    category = f"{record['qtype']}_{relation}".replace(" ", "_")
    return fields | {"answer": LETTERS[lower.index(wanted)], "category": category}
