"""Name of a run, for its row in tables, captions and its folder.

It is made in one module, so that all of them name each deviation: true scenes, oracles, abstention,
other weights.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from po3d.io.deprecated_names import new_settings

ALWAYS = ("scenes", "frame", "known_yaw")  # settings that are reported even at their default
# named elsewhere: by the name itself, or by the split
_UNSAID = ("name", "_target_", "model", "path", "base_url", "seed")
_SCENES = {
    "ground_truth": "true tables",
    "semantic_map": "semantic map",
    "map": "plain maps",
    "none": "",
    "predicted": "",
}
# Inputs of a language model.
_INPUTS = {
    "picture": "",
    "labelled": "labelled maps",
    "captions": "captions",
    "none": "no pictures",
}
_STYLES = {
    "plain": "",
    "cot": "chain of thought",
    "ego_to_allo": "ego to allo",
    "boxes": "3D boxes first",
}
_FRAMES = {"anchors": "", "none": "no frame", "camera": "camera frame"}
_KEY_WORDS: dict[str, Callable[[Any], str]] = {
    "scenes": lambda v: _SCENES.get(v, str(v)),
    "frame": lambda v: _FRAMES.get(v, str(v)) if v else "",
    "show": lambda v: _INPUTS.get(v, str(v)),
    "change": lambda v: "" if v == "with" else "without the change",
    "style": lambda v: _STYLES.get(v, str(v)),
    "scenes_file": lambda v: f"scenes of {Path(v).resolve().parent.name}" if v else "",
    "photographs": lambda v: "foundation models",
    "known_yaw": lambda v: "" if v else "unknown camera angles",
    "oracle": lambda v: f"oracle: {', '.join(v)}" if v else "",
    "noise": lambda v: f"noise: {', '.join(f'{m} {s:g}' for m, s in v.items())}" if v else "",
    "perception": lambda v: f"perception {Path(v).name}",
    "perception_options": lambda v: ", ".join(f"{key}={value}" for key, value in v.items()),
    "parser": lambda v: "" if v == "cascade" else f"{v} parser",
    "parser_checkpoint": lambda v: f"parser {Path(v).name}",
    "flip_tta": lambda v: "" if v else "no flip augmentation",
    "mode": str,
    "samples": lambda v: f"{v} samples",
    "assume_present": lambda v: "" if v else "without presuppositions",
    "abstain_below": lambda v: f"abstains below {v:g}" if v else "",
}
LONGEST = 120  # characters of a folder's name
HASH = 8  # characters of a hash in it


def row_name(report: Mapping[str, Any]) -> str:
    """Return the name of a run's system, a language model by its own name, and all deviations from
    the default: "po3d, true tables", "po3d, oracle: heading, abstains below 0.5". `report`:
    report.json, or any record with `system` and `settings`."""
    settings = report.get("settings") or {}
    return ", ".join([_base(report["system"], settings), *words(settings)])


def words(settings: Mapping[str, Any]) -> list[str]:
    """Return the settings in words, in a fixed order."""
    settings = new_settings(settings)
    result = []
    for key, words_of in _KEY_WORDS.items():
        if key in settings:
            result.append(words_of(settings[key]))
    for key, value in settings.items():
        if key not in _KEY_WORDS and key not in _UNSAID:
            result.append(f"{key}={value}")
    return list(filter(None, result))


def settings_of(
    system: Mapping[str, Any], default: Mapping[str, Any], below: float = 0
) -> dict[str, Any]:
    """Return the settings of a system's config for the report: ALWAYS, and all that differ from the
    default."""
    settings = {}
    for key, value in system.items():
        reported = key in ALWAYS and value is not None
        if reported or (key != "name" and default.get(key) != value):
            settings[key] = value
    return settings | {"abstain_below": below} if below else settings


def run_folder(
    benchmark: str, split: str, system: str, settings: Mapping[str, Any], default: Mapping[str, Any]
) -> str:
    """Return the name of a run's folder: benchmark, split and system, and the settings that are not
    default. A short hash of the settings is added if the name is cut off, or if it does not show
    the options of an estimator unchanged ("x=-1" and "x=1" have one slug)."""
    changed = {}
    for k, v in settings.items():
        if default.get(k) != v:
            changed[k] = v
    name = slug("-".join([benchmark, split, _base(system, settings), *words(changed)]))
    options = changed.get("perception_options", {})
    if len(name) <= LONGEST and all(slug(str(value)) == str(value) for value in options.values()):
        return name
    text = json.dumps([name, changed], sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:HASH]
    return f"{name[: LONGEST - HASH - 1].rstrip('-')}-{digest}"


def slug(text: str) -> str:
    """Return text as a part of a file name."""
    return re.sub(r"[^\w.+]+", "-", text).strip("-.")


def counted(count: int, unit: str) -> str:
    """Return a count with its unit: "150 images", "1 room"."""
    return f"{count} {unit.removesuffix('s') if count == 1 else unit}"


def _base(system: str, settings: Mapping[str, Any]) -> str:
    if model := settings.get("model"):
        return str(model)
    if system == "replay" and settings.get("path"):
        path = Path(settings["path"])
        run = path.name == "predictions.jsonl"
        return f"replay of {path.resolve().parent.name if run else path.stem}"
    return system
