"""PulseCheck457 (released as Spatial457): reading its files and our twin, and writing a release
with corrected labels.

`load` detects three layouts: our twin's folder, the release's folder (images/ and questions/*.json,
with or without its scene file), and VLMEvalKit's TSV. Answers are converted to po3d's vocabulary
("yes", "3", "articulated"); the original spelling is kept in `StreetQuestion.stored`. Scores:
`po3d.benchmarks.pulsecheck457.score`.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from po3d.benchmarks.base import Erratum
from po3d.benchmarks.pulsecheck457.report import FILES, read_records, read_tsv
from po3d.benchmarks.splits import unique
from po3d.benchmarks.street_split import Folder, StreetSplit, twin_of
from po3d.benchmarks.superclevr.files import read_questions
from po3d.benchmarks.superclevr.names import surface
from po3d.io import paths
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.reasoning.questions import Question

MINI = paths.MINI / "pulsecheck457"
WHERE = (
    "download: Hugging Face, dataset RyanWW/Spatial457 (images/ and questions/), or "
    "VLMEvalKit's Spatial457.tsv"
)
SCENE_FILES = ("scenes.json", "spatial457_scenes_21k.json")


# --- reading --------------------------------------------------------------------------------------


def open_mini() -> StreetSplit:
    """Open the small split shipped with po3d."""
    return load(MINI, "mini")


def load(root: str | Path, split: str = "") -> StreetSplit:
    """Load the benchmark from a twin's or release's folder, or a VLMEvalKit TSV. Raise InputError
    saying what is missing and where to get it.
    """
    root = Path(root)
    if root.is_file() and root.suffix.lower() == ".tsv":
        tsv_questions, inline = read_tsv(root)
        return StreetSplit(
            split or root.name, tsv_questions, inline, (root,), scene_file=SCENE_FILES[1]
        )
    folder = root / "questions"
    if not folder.is_dir():
        raise InputError(
            f"no PulseCheck457 data in {root}: expected {folder} or a .tsv file; {WHERE}"
        )
    files = _question_files(folder)
    questions: list[Question] = []
    for category, path in files.items():
        questions += read_records(read_questions(path), category, str(path))
    if not questions:
        raise InputError(f"{folder} contains none of {', '.join(FILES.values())} (.json); {WHERE}")
    read = tuple(files.values())
    pictures = Folder(root, SCENE_FILES)
    remarks = _remarks(folder, files)
    unique_questions = unique(questions, folder, "question_index of")
    return StreetSplit(
        split or root.name, unique_questions, pictures, read, remarks, SCENE_FILES[1]
    )


def _question_files(folder: Path) -> dict[str, Path]:
    """Return category -> question file, for the files that exist."""
    files: dict[str, Path] = {}
    for category, name in FILES.items():
        stem = name.lower()
        paths = [path for path in sorted(folder.glob("*.json")) if path.stem.lower() == stem]
        if len(paths) > 1:
            both = f"both {paths[0].name} and {paths[1].name}"
            raise InputError(f"{folder} contains {both}; remove one of them")
        if paths:
            files[category] = paths[0]
    return files


def _remarks(folder: Path, files: Mapping[str, Path]) -> tuple[str, ...]:
    """Return notes on missing or unknown question files."""
    missing = [f"{name}.json" for category, name in FILES.items() if category not in files]
    unknown = [path.name for path in sorted(folder.glob("*.json")) if path not in files.values()]
    remarks = []
    if missing:
        remarks.append(
            f"{folder.name}/ lacks {', '.join(missing)}: these columns are missing from the report"
        )
    if unknown:
        verb = "is not one" if len(unknown) == 1 else "are not among those"
        what = f"which {verb} of the benchmark's seven files"
        remarks.append(f"{folder.name}/: ignored {', '.join(unknown)}, {what}")
    return tuple(remarks)


# --- the twin: its renderer is an optional dependency, so it is imported on demand ----------------


open_fresh, generate = twin_of("po3d.benchmarks.pulsecheck457.twin", load)


# --- corrected ------------------------------------------------------------------------------------


def write_corrected(
    split: StreetSplit, root: Path, errata: Mapping[str, Erratum], out: Path
) -> None:
    """Write the release with corrected labels to the folder `out`, in the release's layout. Images
    are not copied: `out`/images is a symbolic link.
    """
    by_stem = {name.lower(): name for name in FILES.values()}
    for path in sorted((root / "questions").glob("*.json")):
        if path.stem.lower() not in by_stem:
            continue
        content = read_json(path, "question file")
        records = content["questions"] if isinstance(content, dict) else content
        corrected = []
        for record in records:
            erratum = errata.get(f"{by_stem[path.stem.lower()]}:{int(record['question_index'])}")
            if erratum is not None and erratum.verdict == "replaced":
                answer = _in_release_spelling(erratum.computed or "", record["answer"])
                record = {**record, "answer": answer}
            if erratum is None or erratum.verdict != "left out":
                corrected.append(record)
        if isinstance(content, dict):
            corrected = {**content, "questions": corrected}
        write_json(out / "questions" / path.name, corrected, None)
    for name in SCENE_FILES:
        if (root / name).is_file():
            with open(root / name, "rb") as source, atomic_write(out / name, "wb") as file:
                shutil.copyfileobj(source, file)
    if (root / "images").is_dir() and not (out / "images").exists():
        os.symlink((root / "images").resolve(), out / "images", target_is_directory=True)


def _in_release_spelling(answer: str, released: object) -> object:
    """Spell `answer` like the released one: "yes" becomes True, "True" or "Yes"."""
    capital = str(released)[:1].isupper()
    if answer in ("yes", "no"):
        if isinstance(released, bool):
            return answer == "yes"
        if str(released).lower() in ("true", "false"):
            return "True" if answer == "yes" else "False"
        return answer.capitalize() if capital else answer
    if answer.isdecimal():
        number = isinstance(released, int) and not isinstance(released, bool)
        return int(answer) if number else answer
    return surface(answer).capitalize() if capital else surface(answer)
