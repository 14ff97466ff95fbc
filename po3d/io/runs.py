"""The folder of a run: records how its predictions were made, and protects them from other runs.

    run.json         of predictions.jsonl: `identity` (must be equal for the predictions to be
                     reused), `about` (settings, revision, date, machine), and its sha256
    partial.jsonl    an unfinished run: a line with both, then one line per image and per resumption
    .lock            held by a running evaluation (or by the generation of a twin); the kernel
                     releases it when the process ends, however it ends

The revision of the code is part of `about`: an unfinished run is only resumed at its own revision;
a finished one may be scored at another, and the report then has both.
"""

import contextlib
import errno
import fcntl
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from po3d.io.deprecated_names import new_settings
from po3d.io.errors import InputError, printable
from po3d.io.files import parse_json, read_json, sha256, write_json

RUN, PREDICTIONS, SCENES, PARTIAL = "run.json", "predictions.jsonl", "scenes.jsonl", "partial.jsonl"
REPORT, REPORT_PAGE, HTML = "report.json", "report.md", "report.html"
GRID, GRID_PAGE, ERRORS, CURVES = "grid.json", "grid.md", "errors.jsonl", "sensitivity.png"
# of report.json and grid.json; absent in older files
REPORT_FORMAT, GRID_FORMAT = "po3d-report-1", "po3d-grid-1"
# Files derived from the predictions
DERIVED = (REPORT, REPORT_PAGE, HTML, GRID, GRID_PAGE, ERRORS, CURVES)
LOGS, LOCK = "wandb", ".lock"
LISTED_DIFFERENCES = 3  # number of differences in a message
ABSENT = "nothing"


class Run(NamedTuple):
    """Description of a run, as JSON values: `identity` determines its predictions and must be equal
    to resume it; `about` is the rest, such as dates and versions."""

    identity: dict[str, Any]
    about: dict[str, Any]

    @property
    def revision(self) -> str:
        return self.about.get("provenance", {}).get("git_revision", "")


@contextlib.contextmanager
def locked(out: str | Path, work: str = "evaluation", wait: bool = False) -> Iterator[Path]:
    """Lock a folder, created if missing, and yield it. If another process works in it, `wait` for
    its end, else InputError, which names the kind of `work`. With `wait` a read-only folder is
    accepted, because no process can be writing to it."""
    out = Path(out)
    created, lock = not out.exists(), out / LOCK
    with _writing(out):
        out.mkdir(parents=True, exist_ok=True)
    if wait and not os.access(lock if lock.exists() else out, os.W_OK):
        yield out
        return
    with _writing(out):
        file = open(lock, "a")  # noqa: SIM115 closed below
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                raise InputError(
                    f"another {work} is running in {out}; wait for it, or choose another out="
                ) from None
            print(f"waiting for another {work} in {out}", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield out
        finally:
            if created and os.listdir(out) == [LOCK]:  # the work failed before it wrote anything
                lock.unlink()
                with contextlib.suppress(OSError):
                    out.rmdir()


@contextlib.contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Turn missing write permission into an InputError that names the option."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        raise InputError(
            f"{out} is not writable ({error.strerror}); choose another folder: out=DIR"
        ) from None


# --- an unfinished run ----------------------------------------------------------------------------


def begin(partial: Path, run: Run) -> None:
    """Write the first line of partial.jsonl."""
    with open(partial, "w", encoding="utf-8") as file:
        append(file, {"run": run._asdict()})


def append(file: Any, record: dict) -> None:
    """Append a line to partial.jsonl; it is on disk when this returns."""
    file.write(json.dumps(record, ensure_ascii=False) + "\n")
    file.flush()
    os.fsync(file.fileno())


def _has_answers(records: Sequence[dict]) -> bool:
    return any("image" in record for record in records)


def unfinished(
    out: Path, run: Run, questions: Mapping[str, Sequence[str]], overwrite: bool = False
) -> list[dict] | None:
    """Return the lines of partial.jsonl, answers reduced to their ids, if it is an unfinished
    `run`; a torn last line is cut off. None if it has no answers, or if `overwrite` discarded
    another run's or a damaged file; without `overwrite` these are InputErrors. `questions`: ids of
    the questions of each image."""
    partial = out / PARTIAL
    if not partial.is_file():
        return None
    try:
        records, whole = _read(partial)
        if _has_answers(records):
            _check(out, records, run, questions)
    except InputError:
        if not overwrite:
            raise
        records, whole = [], 0
    if not _has_answers(records):
        partial.unlink()
        return None
    if whole < partial.stat().st_size:
        os.truncate(partial, whole)
    return records


def _read(partial: Path) -> tuple[list[dict], int]:
    """Return the complete lines of partial.jsonl, answers reduced to their ids, and their number of
    bytes; InputError for a damaged file."""
    # Pydantic takes 0.1 s to import
    from po3d.io.schemas import ImageLine, RunLine, SittingLine, checked

    whole, records = 0, []
    with open(partial, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            where = f"{partial}, line {number}"
            try:
                record = parse_json(line, f"{where}: not valid JSON")
                kind = RunLine if number == 1 else ImageLine
                if number > 1 and isinstance(record, dict) and "sitting" in record:
                    kind = SittingLine
                checked(kind, record, where)
            except InputError as error:
                raise InputError(f"{error}; overwrite=true starts over") from None
            header = {}
            for k in ("run", "sitting", "image"):
                if k in record:
                    header[k] = record[k]
            ids = [p["id"] for p in record.get("predictions", ())]
            records.append(header | {"line": number, "ids": ids})
    return records, whole


def _check(
    out: Path, records: Sequence[dict], run: Run, questions: Mapping[str, Sequence[str]]
) -> None:
    """Raise InputError unless the lines belong to `run` and have the answers to each image's
    questions once."""
    other = _of(records[0])
    different = _differences(other, run)
    if other is not None and other.revision != run.revision:
        different.append(_difference_text("revision", other.revision, run.revision))
    if different:
        raise _taken(out, "an unfinished run", different)
    left = dict(questions)
    for record in records:
        if "image" in record and left.pop(record["image"], None) != record["ids"]:
            raise InputError(
                f"{out / PARTIAL}, line {record['line']}: expected the answers for a "
                f"further image, found {printable(record['image'])}; overwrite=true "
                "starts over"
            )


def answered(partial: Path) -> Iterator[dict]:
    """Yield the records of the images in partial.jsonl."""
    with open(partial, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if "image" in record:
                yield record


# --- a finished run -------------------------------------------------------------------------------


def finished(out: Path, run: Run, overwrite: bool = False) -> bool:
    """Whether OUT holds the finished predictions of `run`, at any revision; False if they are
    another run's and `overwrite` is set. InputError for another run's without `overwrite`."""
    if not (out / PREDICTIONS).is_file():
        return False
    record: Any = {}
    with contextlib.suppress(InputError):  # a damaged description counts as missing
        record = read_json(out / RUN, "description of a run")
    different = _differences(_of({"run": record}), run)
    if not different and sha256(out / PREDICTIONS) != record.get("predictions"):
        note = "changed since the run wrote it; system=replay scores any predictions file"
        different = [f"{PREDICTIONS} ({note})"]
    if different and not overwrite:
        raise _taken(out, "a finished run", different)
    return not different


def finish(out: Path, run: Run, written: Path) -> None:
    """Move the file `written` to OUT as its predictions, and write their description. Files derived
    from earlier predictions are deleted; wandb's logs of them, which may not be synced, are renamed
    after the date of their run."""
    written_digest = sha256(written)
    if (out / PREDICTIONS).is_file() and sha256(out / PREDICTIONS) != written_digest:
        for name in DERIVED:
            (out / name).unlink(missing_ok=True)
        if (out / LOGS).is_dir():
            (out / LOGS).rename(_free(out / f"{LOGS}-of-{_date(out)}"))
    os.replace(written, out / PREDICTIONS)
    write_json(out / RUN, {**run._asdict(), "predictions": written_digest})


def described(out: str | Path) -> dict[str, Any]:
    """Return how the predictions in a folder were made: `about` of its run.json; {} if it is
    missing."""
    path = Path(out) / RUN
    record = _of({"run": read_json(path, "description of a run")}) if path.is_file() else None
    return {} if record is None else record.about


# --- differences ----------------------------------------------------------------------------------


def _of(record: object) -> Run | None:
    """Return the run in a record, with current names of settings; None if it has none."""
    stored = record.get("run") if isinstance(record, dict) else None
    if not isinstance(stored, dict):
        return None
    identity, about = stored.get("identity"), stored.get("about")
    if not isinstance(identity, dict) or not isinstance(about, dict):
        return None
    if not isinstance(about.get("provenance", {}), dict):
        return None
    if isinstance(identity.get("system"), dict):
        identity = {**identity, "system": new_settings(identity["system"])}
    if isinstance(about.get("settings"), dict):
        about = {**about, "settings": new_settings(about["settings"])}
    return Run(identity, about)


def _differences(other: Run | None, run: Run) -> list[str]:
    if other is None:
        return [f"its provenance ({RUN} is missing)"]
    theirs, ours = _flat(other.identity), _flat(run.identity)
    different = []
    for key in {**ours, **theirs}:
        there, here = theirs.get(key, ABSENT), ours.get(key, ABSENT)
        if there != here:
            different.append(_difference_text(key, there, here))
    return different


def _flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        flat |= _flat(item, f"{prefix}{key}.") if isinstance(item, dict) else {prefix + key: item}
    return flat


def _difference_text(key: str, theirs: object, ours: object) -> str:
    return f"{key} ({_short(theirs)} there, {_short(ours)} here)"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not text:
        return "unknown"
    # A hash or a revision
    if len(text) >= 40 and not set(text.rstrip("+")) - set("0123456789abcdef"):
        return text[:12] + "+" * text.endswith("+")
    return text if len(text) <= 60 else text[:57] + "..."


def _taken(out: Path, what: str, different: Sequence[str]) -> InputError:
    more = len(different) - LISTED_DIFFERENCES
    named = ", ".join(different[:LISTED_DIFFERENCES]) + (f" and {more} more" if more > 0 else "")
    return InputError(
        f"{out} holds {what} that differs in {named}; choose another out=, or set "
        "overwrite=true to replace it"
    )


def _date(out: Path) -> str:
    date = ""
    with contextlib.suppress(InputError):  # may be damaged
        date = str(described(out).get("provenance", {}).get("date", ""))
    return "".join(c if c.isalnum() else "-" for c in date[:19]) or "unknown"


def _free(path: Path) -> Path:
    """Return the path, with a number if it exists."""
    free, number = path, 2
    while free.exists():
        free, number = path.with_name(f"{path.name}-{number}"), number + 1
    return free
