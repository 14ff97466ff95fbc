"""Provenance of a result: what produced it, and digests of its data."""

import datetime
import hashlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from po3d import __version__
from po3d.io.errors import InputError
from po3d.io.files import sha256
from po3d.scene.table import to_json


def provenance(
    config: dict, modules: dict[str, dict[str, Any]], data: dict[str, Any], revision: str
) -> dict:
    """Return the provenance of a result, sufficient to repeat it and to find differences.
    `modules`: the `identity` of each module used."""
    versions = {"po3d": __version__, "python": platform.python_version()}
    for name in ("torch", "timm", "numpy", "scipy", "pillow"):
        versions[name] = importlib.metadata.version(name)
    checkpoints = {}
    for name, own in modules.items():
        if "sha256" in own:
            checkpoints[name] = own["sha256"]
    return {
        "config": config,
        "git_revision": revision,
        "modules": modules,
        "checkpoints": checkpoints,
        "data": data,
        "versions": versions,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.platform(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
    }


def data_digest(root: str | Path, split: Any) -> str:
    """Return one hash of the files of a split, including their paths relative to `root`; for a
    single file its own hash."""
    root, files = Path(root), split.files()
    if list(files) == [root]:
        return sha256(root)
    folder = root.parent if root.is_file() else root
    names = {}
    for path in files:
        names[os.path.relpath(path, folder).replace(os.sep, "/")] = path
    return digest({name: sha256(path) for name, path in sorted(names.items())})


def digests_beside(split: Any) -> dict[str, str]:
    """Return digests of what a split reads from outside its folder: ground-truth scenes of scans,
    furniture models for rendering."""
    result = {}
    if getattr(split, "scans", None) is not None:
        result["scans"] = digest({name: _true_table(split, name) for name in split.images})
    if getattr(split, "furniture", None) is not None:
        result["furniture"] = digest(
            {path.name: sha256(path) for path in sorted(split.furniture.glob("*.sh3f"))}
        )
    return result


def _true_table(split: Any, name: str) -> dict | None:
    try:
        return to_json(split.truth(name))
    except InputError:
        return None


def digest_of_list(values: Iterable[object]) -> str:
    """Compute `digest` of a list incrementally: a million questions as dicts take gigabytes."""
    digest = hashlib.sha256(b"[")
    for k, value in enumerate(values):
        digest.update((", " * bool(k) + json.dumps(value, sort_keys=True, default=str)).encode())
    digest.update(b"]")
    return digest.hexdigest()


def digest(value: object) -> str:
    """Return the SHA-256 hex digest of a JSON-serialisable value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
