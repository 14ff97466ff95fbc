"""A twin's folder: what it holds is written down first, so that another twin never mixes with it."""

from pathlib import Path

from po3d.io.errors import InputError
from po3d.io.files import read_json


def claimed(out: Path, identity: dict) -> Path:
    """OUT/twin.json, where `identity` is or shall be written. InputError when the folder holds another twin, or
    anything else."""
    description = out / "twin.json"
    if description.exists():
        if read_json(description, "twin description") != identity:
            raise InputError(
                f"{out} holds a twin made with other settings (see {description}); choose another folder"
            )
    elif out.exists() and any(out.iterdir()):
        raise InputError(f"{out} is not empty and holds no twin; choose another folder")
    return description


def described(description: Path) -> dict:
    """What a twin.json says; InputError when it is none."""
    from po3d.io.schemas import TwinRecord, checked  # pydantic takes a tenth of a second

    twin = read_json(description, "twin description")
    checked(TwinRecord, twin, f"twin description {description}")
    return dict(twin)
