"""Files of the sentence bank (data/wording)."""

from pathlib import Path
from typing import Literal

from po3d.io.files import read_jsonl
from po3d.io.paths import ROOT

BANK = ROOT / "data" / "wording"


def records(
    what: Literal["tables", "sentences", "programs", "blind", "paraphrases", "stories", "reworded"],
    part: str,
    folder: Path = BANK,
) -> list[dict]:
    """Return the records of one of the bank's files, which may be compressed."""
    path = folder / f"{what}_{part}.jsonl"
    return list(read_jsonl(path if path.exists() else path.with_suffix(".jsonl.bz2"), what))


def tables(part: str, folder: Path = BANK) -> dict[str, dict]:
    """Return the scenes of a part of the bank by their id."""
    return {scene["id"]: scene for scene in records("tables", part, folder)}
