"""A twin's folder. Its description (twin.json) is written first, so that two twins are never
mixed.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from po3d.io.errors import InputError, known
from po3d.io.files import read_json, write_json
from po3d.io.runs import LOCK
from po3d.synthesis.splits import SPLITS

TWIN = "twin.json"
_WORDS = (
    "scene/vocabulary.py",
    "scene/rooms.py",
    "scene/*.csv",
    "scene/*.toml",
    "language/*.txt",
    "language/grammars/*",
    "synthesis/**/*.csv",
)


@cache
def words_digest() -> str:
    """Return an eight-digit hash of the files that a twin's words depend on: vocabularies,
    grammars, tables of models.
    """
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(path for pattern in _WORDS for path in package.glob(pattern)):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:8]


def claimed(out: Path, identity: dict) -> Path:
    """Return OUT/twin.json, the file for `identity`. Raise InputError if the folder holds another
    twin or other files.
    """
    description = out / TWIN
    if description.exists():
        if read_json(description, "twin description") != identity:
            raise InputError(
                f"{out} contains a twin with other settings (see {description}); choose another"
                " folder"
            )
    elif out.exists() and any(path.name != LOCK for path in out.iterdir()):
        raise InputError(f"{out} is not empty and contains no twin; choose another folder")
    return description


def start_twin(
    out: str | Path,
    version: str,
    size: int,
    seed: int,
    split: str,
    workers: int,
    difficulty: Any,
    **own: Any,
) -> Path:
    """Create the folder of a room twin and write twin.json: format `version`, settings, and
    benchmark-specific entries `own`.

    Raise InputError for invalid settings, or as in `claimed`.
    """
    if size < 1 or workers < 1:
        raise InputError(f"size and workers should be at least 1, not {size} and {workers}")
    known("split", split, SPLITS)
    identity = {"format": version, "size": size, "seed": seed, "split": split, **own}
    if changed := difficulty.changed():
        identity["dials"] = changed
    description = claimed(Path(out), identity)
    if not description.exists():
        write_json(description, identity)
    return Path(out)


def described(folder: Path, version: str = "", picture: str = "") -> dict:
    """Read the twin.json of a folder.

    Raise InputError if it is invalid. If a `picture` is to be rendered from it, pass `version`:
    another format then raises InputError.
    """
    from po3d.io.schemas import TwinRecord, checked  # importing pydantic takes 0.1 s

    twin = read_json(folder / TWIN, "twin description")
    checked(TwinRecord, twin, f"twin description {folder / TWIN}")
    if version and twin["format"] != version:
        raise InputError(
            f"{folder} lacks the image {picture}, and has no twin description from which to"
            " render it"
        )
    return dict(twin)
