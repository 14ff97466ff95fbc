"""Collect the sentences written for prompts (`wording_prompts`) into data/wording.

    python -m tools.wording_gather FOLDER            FOLDER has prompts_K.jsonl and written_K.jsonl:
                                                     {"n": number, "voice": who, "says": text}
    python -m tools.wording_gather FOLDER --lines    only written_K.jsonl: {"n": line, "voice": who,
                                                     "change": ..., "frame": ..., "question": ...}

The first adds to paraphrases_train.jsonl.bz2, where a record is a scene with all sentences about
it: its objects (none for streets, photographs and orbits), and for each prompt kind, program,
options, wordings and accompanying sentences (kind, text, program). The second adds to
reworded_train.jsonl.bz2, where a record is a line of the bank's training part with reworded
sentences. Wordings are rejected if their program cannot be written from them and the scene, if they
are duplicates, or if they match a sentence of the development or test part (for the test part by
hashes of their words, so that none of it is revealed).
"""

import argparse
import bz2
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from po3d.io.cli_errors import guarded
from po3d.io.files import atomic_write, read_jsonl
from po3d.language.program import Call
from po3d.language.read.reader_tokens import REFUSALS, SORTS, ParserInput, Vocabulary, WordPieces
from po3d.training.reader import vocabulary, word_pieces
from po3d.training.reader_pairs import BANK, TrainingPair, bank, records
from po3d.training.reader_tables import mentioned_things as told_of
from po3d.training.reader_tables import with_things

NEAR = 0.8  # smallest Jaccard similarity of the words of two sentences that count as equal
LONGEST = 400  # characters
UNWRITTEN = "its program can't be written from it and the table"


def words(text: str) -> frozenset[str]:
    """Return the significant words of a sentence."""
    return frozenset(re.findall(r"[a-z0-9]+", text.lower())) - {"a", "an", "the"}


def hashed(text: str) -> str:
    return hashlib.sha256(" ".join(sorted(words(text))).encode()).hexdigest()


class HeldOut:
    """The sentences of the development and test parts, which must not be trained on."""

    def __init__(self, folder: Path = BANK) -> None:
        texts_by_part = {
            part: [line[sort] for line in records("sentences", part, folder) for sort in SORTS if line[sort]]
            for part in ("dev", "test")
        }
        self.hashes = {hashed(text) for texts in texts_by_part.values() for text in texts}
        self.near = [w for text in texts_by_part["dev"] if len(w := words(text)) > 3]

    def says(self, text: str) -> bool:
        """Return whether the text equals a held-out sentence, or nearly equals one of the
        development part.
        """
        mine = words(text)
        return hashed(text) in self.hashes or any(len(mine & w) >= NEAR * len(mine | w) for w in self.near)


def wrong(prompt: dict, says: object, tokens: Vocabulary, pieces: WordPieces) -> str:
    """Return why a wording of a prompt is rejected; "" if it is accepted."""
    if not isinstance(says, str) or not 2 < len(says.strip()) < LONGEST or "\n" in says:
        return "no sentence"
    sentences, programs = {prompt["sort"]: says}, {prompt["sort"]: prompt["program"]}
    for sort, text, program in prompt.get("beside", ()):
        sentences[sort] = text
        programs |= {sort: program} if program else {}
    inputs = ParserInput(kind=prompt["kind"], options=tuple(prompt.get("options", ())), **sentences)
    parsed = {sort: text if text in REFUSALS else Call.parse(text) for sort, text in programs.items()}
    nouns = {
        word
        for call in parsed.values()
        if isinstance(call, Call)
        for t in told_of(call)
        for word in t.values()
    }
    encoded = pieces(with_things(inputs, prompt["things"] or [[word] for word in sorted(nouns)]))
    written = [tokens.target(program, encoded, sort) for sort, program in parsed.items()]
    return UNWRITTEN if None in written else ""


def gathered(
    folder: Path, tokens: Vocabulary, pieces: WordPieces, held_out: HeldOut, there: Iterable[dict] = ()
) -> tuple[list[dict], Counter]:
    """Return the records, starting with the existing ones (`there`), and counts of accepted and
    rejected wordings by reason.
    """
    counts: Counter = Counter()
    tables = {record["table"]: record for record in there}

    def key(table: str, says: str, beside: Sequence = ()) -> tuple[str, str]:
        return table, " ".join(sorted(words(" ".join([says, *(text for _, text, _ in beside)]))))

    known_keys = {
        key(table, says, *beside)
        for table, record in tables.items()
        for _, _, _, wordings, *beside in record["said"]
        for says in wordings
    }
    for path in sorted(folder.glob("prompts_*.jsonl")):
        answers = folder / path.name.replace("prompts", "written")
        if not answers.exists():
            continue
        prompts = {p["n"]: p for p in read_jsonl(path, "prompts")}
        by_number: dict[int, list[str]] = {}
        for record in read_jsonl(answers, "wordings"):
            prompt, says = prompts.get(record.get("n")), record.get("says")
            why = "no such prompt" if prompt is None else wrong(prompt, says, tokens, pieces)
            beside = prompt.get("beside", []) if prompt else []
            if not why and key(prompt["table"], says, beside) in known_keys:
                why = "stands twice"
            if not why and any(map(held_out.says, [says, *(text for _, text, _ in beside)])):
                why = "is held out"
            counts[why or "taken"] += 1
            if not why:
                known_keys.add(key(prompt["table"], says, beside))
                by_number.setdefault(prompt["n"], []).append(says.strip())
        for n, wordings in sorted(by_number.items()):
            p = prompts[n]
            table = tables.setdefault(
                p["table"], {"table": p["table"], "kind": p["kind"], "things": p["things"], "said": []}
            )
            beside = [p["beside"]] if p.get("beside") else []
            table["said"].append([p["sort"], p["program"], p.get("options", []), wordings, *beside])
    return list(tables.values()), counts


def rewordings(
    folder: Path, tokens: Vocabulary, pieces: WordPieces, held_out: HeldOut, there: Iterable[dict] = ()
) -> tuple[list[dict], Counter]:
    """Return reworded lines, including the existing ones (`there`), and counts of accepted and
    rejected ones by reason.
    """
    counts: Counter = Counter()
    lines, records = bank("train"), list(there)
    known_questions = {words(line[0].inputs.question) for line in lines} | {
        words(r["question"]) for r in records
    }
    for path in sorted(folder.glob("written_*.jsonl")):
        for record in read_jsonl(path, "wordings"):
            says = {sort: record[sort].strip() for sort in SORTS if isinstance(record.get(sort), str)}
            why = _of_no_use(record.get("n"), says, lines, tokens, pieces)
            if not why and words(says["question"]) in known_questions:
                why = "stands twice"
            if not why and any(map(held_out.says, says.values())):
                why = "is held out"
            counts[why or "taken"] += 1
            if not why:
                known_questions.add(words(says["question"]))
                records.append({"n": record["n"]} | says)
    return sorted(records, key=lambda r: r["n"]), counts


def _of_no_use(
    n: object,
    says: dict[str, str],
    lines: Sequence[Sequence[TrainingPair]],
    tokens: Vocabulary,
    pieces: WordPieces,
) -> str:
    """Return why a reworded line is rejected; "" if it is accepted."""
    if not isinstance(n, int) or not 0 <= n < len(lines):
        return "no such line"
    inputs = lines[n][0].inputs
    if set(says) != {sort for sort in SORTS if getattr(inputs, sort)}:
        return "a sentence is missing"
    if any(not 2 < len(text) < LONGEST or "\n" in text for text in says.values()):
        return "no sentence"
    encoded = pieces(replace(inputs, **says))
    if any(tokens.target(call, encoded, sort) is None for sort, call in lines[n][0].calls().items()):
        return UNWRITTEN
    return ""


def write(path: Path, records: Iterable[dict]) -> None:
    """Write one JSON line per record, compressed; equal records give equal bytes."""
    with atomic_write(path, "wb") as file, bz2.open(file, "wb") as packed:
        for record in records:
            packed.write((json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n").encode())


def main() -> int:
    """Run the command line; return the exit code: 2 on errors."""
    parser = argparse.ArgumentParser("python -m tools.wording_gather", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", action="store_true", help="lines of the bank in other words")
    parser.add_argument("--out", type=Path, help="the file to add to")
    a = parser.parse_args()

    def run() -> None:
        pieces = word_pieces()
        gather, name = (rewordings, "reworded") if a.lines else (gathered, "paraphrases")
        path = a.out or BANK / f"{name}_train.jsonl.bz2"
        there = list(read_jsonl(path, name)) if path.exists() else []
        records, counts = gather(a.folder, vocabulary(), pieces, HeldOut(), there)
        write(path, records)
        print(", ".join(f"{number} {what}" for what, number in counts.most_common()))

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
