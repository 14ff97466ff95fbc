"""What a run is called: in its row, wherever its figures stand, and in its folder. One place, so that neither can leave out
what sets it apart: true tables, oracles, abstention, other weights."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ALWAYS = ("table", "frame", "known_yaw")  # settings that a report says even where they are as they come
# said otherwise: the name itself, or the split's
_UNSAID = ("name", "_target_", "model", "path", "base_url", "seed")
_TABLES = {
    "truth": "true tables",
    "semantic_map": "semantic map",
    "map": "plain maps",
    "picture": "",
    "none": "",
    "predicted": "",
}
# What a language model is given.
_SHOWN = {"picture": "", "labelled": "labelled maps", "captions": "captions", "none": "no pictures"}
_STYLES = {"plain": "", "cot": "chain of thought", "ego_to_allo": "ego to allo"}
_FRAMES = {"anchors": "", "none": "no frame", "camera": "camera frame"}
_SAID: dict[str, Callable[[Any], str]] = {
    "table": lambda v: _TABLES.get(v, str(v)),
    "frame": lambda v: _FRAMES.get(v, str(v)) if v else "",
    "show": lambda v: _SHOWN.get(v, str(v)),
    "change": lambda v: "" if v == "with" else "change not told",
    "style": lambda v: _STYLES.get(v, str(v)),
    "scenes": lambda v: f"tables of {Path(v).resolve().parent.name}" if v else "",
    "photographs": lambda v: "networks for photographs",
    "known_yaw": lambda v: "" if v else "turns unknown",
    "oracle": lambda v: f"oracle: {', '.join(v)}" if v else "",
    "noise": lambda v: f"noise: {', '.join(f'{m} {s:g}' for m, s in v.items())}" if v else "",
    "perception": lambda v: f"perception {Path(v).name}",
    "parser": lambda v: f"parser {Path(v).name}",
    "mirror": lambda v: "" if v else "one look",
    "mode": str,
    "samples": lambda v: f"{v} samples",
    "assume_present": lambda v: "" if v else "nothing taken for granted",
    "abstain_below": lambda v: f"abstains below {v:g}" if v else "",
}
LONGEST = 120  # letters of a folder's name


def row_name(report: Mapping[str, Any]) -> str:
    """The system of a run, a language model by its own name, and all that sets it apart from the system as it comes:
    "po3d, true tables", "po3d, oracle: heading, abstains below 0.5". `report`: report.json, or any record with its `system` and `settings`."""
    settings = report.get("settings") or {}
    return ", ".join([_base(report["system"], settings), *words(settings)])


def words(settings: Mapping[str, Any]) -> list[str]:
    """Settings as people say them, in one order."""
    known = [_SAID[key](settings[key]) for key in _SAID if key in settings]
    others = [f"{k}={v}" for k, v in settings.items() if k not in _SAID and k not in _UNSAID]
    return [word for word in (*known, *others) if word]


def settings_of(system: Mapping[str, Any], default: Mapping[str, Any], below: float = 0) -> dict[str, Any]:
    """What a report says of a system's config: ALWAYS, and all in which it is not the default one."""
    told = {
        k: v
        for k, v in system.items()
        if (k in ALWAYS and v is not None) or (k != "name" and default.get(k) != v)
    }
    return {**told, **({"abstain_below": below} if below else {})}


def run_folder(
    benchmark: str, split: str, system: str, settings: Mapping[str, Any], default: Mapping[str, Any]
) -> str:
    """The name of a run's folder: letters of what it is, short where it is nothing but the default."""
    apart = {k: v for k, v in settings.items() if default.get(k) != v}
    name = slug("-".join([benchmark, split, _base(system, settings), *words(apart)]))
    return name[:LONGEST].rstrip("-")


def slug(text: str) -> str:
    """Text as a part of a file's name."""
    return re.sub(r"[^\w.+]+", "-", text).strip("-.")


def counted(count: int, unit: str) -> str:
    """ "150 images", "1 room"."""
    return f"{count} {unit.removesuffix('s') if count == 1 else unit}"


def _base(system: str, settings: Mapping[str, Any]) -> str:
    if model := settings.get("model"):
        return str(model)
    if system == "replay" and settings.get("path"):
        path = Path(settings["path"])
        return f"replay of {path.resolve().parent.name if path.name == 'predictions.jsonl' else path.stem}"
    return system
