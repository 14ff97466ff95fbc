"""A twin's folder: what it holds is written down first, so that another twin never mixes with it."""

import hashlib
from functools import cache
from pathlib import Path

from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.runs import LOCK

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
    """Eight digits that change with the words that twins are made of: vocabularies, grammars, tables of models."""
    package, found = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(path for pattern in _WORDS for path in package.glob(pattern)):
        found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:8]


def claimed(out: Path, identity: dict) -> Path:
    """OUT/twin.json, where `identity` is or shall be written. InputError when the folder holds another twin, or
    anything else."""
    description = out / "twin.json"
    if description.exists():
        if read_json(description, "twin description") != identity:
            raise InputError(
                f"{out} holds a twin made with other settings (see {description}); choose another folder"
            )
    elif out.exists() and any(path.name != LOCK for path in out.iterdir()):
        raise InputError(f"{out} is not empty and holds no twin; choose another folder")
    return description


def described(description: Path) -> dict:
    """What a twin.json says; InputError when it is none."""
    from po3d.io.schemas import TwinRecord, checked  # pydantic takes a tenth of a second

    twin = read_json(description, "twin description")
    checked(TwinRecord, twin, f"twin description {description}")
    return dict(twin)
