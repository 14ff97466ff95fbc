"""Number of evaluated scenes that a checkpoint was trained on, by the ids in its model card
(`po3d.benchmarks.scene_ids`).
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from po3d.benchmarks.scene_ids import from_list, joined, scene_ids
from po3d.io.checkpoint import description, locate


def trained_on(
    system: Mapping[str, str], root: str | Path, images: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return, for `system` (module -> checkpoint), module -> {checkpoint, scenes, of}: how many of
    the scenes of `images`, from the data set `root`, the module's checkpoint was trained on, and
    how many there are. Modules whose checkpoint lists no scenes are omitted."""
    result: dict[str, dict[str, Any]] = {}
    query = scene_ids(root, images)
    for module, name in system.items():
        card = description(locate(name))
        # of a model folder or a pair
        records = card["parts"].values() if "parts" in card else [card]
        if own := joined(from_list(record["training"].get("scenes", {})) for record in records):
            shared = 0
            for group, numbers in query.items():
                shared += len(numbers & own.get(group, set()))
            of = sum(map(len, query.values()))
            result[module] = {"checkpoint": name, "scenes": shared, "of": of}
    return result


def overlap_notes(result: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return one line per module."""
    form = "{module} {checkpoint} was trained on {scenes:,} of these {of:,} scenes"
    return [form.format(module=module, **row) for module, row in result.items()]
