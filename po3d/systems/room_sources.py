"""Where the tables of rooms come from: `benchmark.table` by name. A new source is one class and one line of SOURCES.

    truth          the ground truth: an upper bound for perception, named in the report
    semantic_map   a labelled map: names and centres (po3d.perception.semantic_map)
    captions       sentences about single things (po3d.perception.room_captions)
    map            a map without labels, by a trained estimator (po3d.perception.top_view)

All but `truth` give tables that say "predicted", and a pipeline refuses the ground truth from them (`checked`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from po3d.io.errors import InputError
from po3d.perception import room_captions, semantic_map
from po3d.perception.top_view import TopViewEstimator
from po3d.scene.table import Scene
from po3d.systems.pipeline import Context, perceived


class TableSource(Protocol):
    """Makes the table of one room from what its context gives; InputError when that is missing."""

    def table(self, context: Context) -> Scene: ...


@dataclass(frozen=True)
class Truth:
    """The true table itself."""

    def table(self, context: Context) -> Scene:
        return context.truth()


TRUTH = Truth()


@dataclass(frozen=True)
class LabelledMaps:
    """The room's labelled map."""

    def table(self, context: Context) -> Scene:
        return _predicted(semantic_map.table(context.given("semantic_map")), context)


@dataclass(frozen=True)
class Captions:
    """The room's captions."""

    def table(self, context: Context) -> Scene:
        return _predicted(room_captions.table(context.given("captions"), context.name), context)


@dataclass(frozen=True)
class Maps:
    """The room's plain map, looked at by a shipped or given estimator."""

    checkpoint: str = "top_view_estimator"
    mirror: bool = True
    device: str = "cpu"

    def table(self, context: Context) -> Scene:
        view = context.given("top_view")
        (scene,) = TopViewEstimator.named(self.checkpoint, self.mirror, self.device).estimate(
            [view.picture], [view.camera], [context.name]
        )
        return _predicted(scene, context)


SOURCES: dict[str, Callable[[], TableSource]] = {
    "truth": Truth,
    "semantic_map": LabelledMaps,
    "captions": Captions,
    "map": Maps,
}


def checked(source: TableSource, context: Context) -> Scene:
    """The table of a source; AssertionError for a true one from any but TRUTH, which is chosen by name."""
    scene = source.table(context)
    return scene if source == TRUTH else perceived(scene, context.name)


def source(
    name: str, mirror: bool = True, perception: str = "top_view_estimator", device: str = "cpu"
) -> TableSource:
    """The source of that name; InputError for an unknown one. `perception`: a map's estimator, the name of a shipped pair or a
    path without suffix; `mirror`: does it look in the mirror, too? `device`: where it does."""
    if name not in SOURCES:
        raise InputError(f"unknown table source {name!r}; known: {', '.join(SOURCES)}")
    return Maps(perception, mirror, device) if name == "map" else SOURCES[name]()


def _predicted(scene: Scene, context: Context) -> Scene:
    """The scene, also handed to the evaluation, which compares it with the truth."""
    context.keep(perceived(scene, context.name))
    return scene
