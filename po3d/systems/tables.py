"""Where the tables of an image come from. A new source is one class.

    Truth           the true tables: an upper bound for perception, named in the report
    Pictures        a street's picture, by a trained estimator
    Views           a picture with its focal length by a trained estimator; OrbitViews: each view of an orbit
    Photographs     a photograph, by networks of others that look for what its questions name
    Maps            a room's map without labels, by a trained estimator
    LabelledMaps    names and centres of a room's things (po3d.perception.semantic_map)
    Captions        sentences about single things of a room (po3d.perception.room_captions)

All but Truth give tables that say "predicted"; a pipeline refuses the ground truth from them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Protocol

from po3d.io.errors import known
from po3d.scene.orbit import Reading, viewer_axes
from po3d.scene.table import Scene
from po3d.systems.pipeline import Image, Look, TableSource

if TYPE_CHECKING:
    from po3d.perception.top_view import TopViewEstimator


class Estimator(Protocol):
    """Turns images of streets into tables; `po3d.perception.street.StreetEstimator` is one."""

    def estimate(self, images: Sequence[Image], names: Sequence[str] | None = None) -> list[Scene]: ...


class ViewEstimator(Protocol):
    """Turns pictures with their focal lengths (in widths of the picture) into tables, each level, in a world of its own, with the
    camera where the picture was taken. `po3d.perception.room_view.RoomViewEstimator` is one."""

    def estimate(
        self, pictures: Sequence[Image], focals: Sequence[float], names: Sequence[str] | None = None
    ) -> list[Scene]: ...


class PhotoEstimator(Protocol):
    """The same for photographs, whose focal length may be unknown (None), by networks that are told what to look for.
    `po3d.perception.foundation.FoundationEstimator` is one."""

    def estimate(
        self,
        pictures: Sequence[Image],
        focals: Sequence[float | None],
        names: Sequence[str] | None = None,
        things: Sequence[str] = (),
    ) -> list[Scene]: ...


@dataclass(frozen=True)
class Truth(TableSource):
    """What the image, or each of its views, truly shows."""

    true: ClassVar[bool] = True

    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        return [[look.context.true(name) for name in look.names] for look in looks]


@dataclass(frozen=True)
class Pictures(TableSource):
    estimator: Estimator

    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        pictures = [look.context.image() for look in looks]
        return [[scene] for scene in self.estimator.estimate(pictures, [look.context.name for look in looks])]


@dataclass(frozen=True)
class Views(TableSource):
    """Nothing of the camera is used but its focal length: neither an angle nor its pose."""

    estimator: ViewEstimator

    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        shown = [(look.context, name) for look in looks for name in look.names]
        focals = [context.inputs.focal(name) for context, name in shown]
        pictures = [context.picture(name) for context, name in shown]
        return _grouped(self.estimator.estimate(pictures, focals, [name for _, name in shown]), looks)


class OrbitViews(Views):
    """The same of an orbit's views; tables have the axes of who looks through their cameras."""

    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        return [
            [_as_seen(scene, name, context.inputs.reading) for scene, name in zip(scenes, names, strict=True)]
            for scenes, (context, names, _) in zip(super().tables(looks), looks, strict=True)
        ]


def _grouped(scenes: Iterable[Scene], looks: Sequence[Look]) -> list[list[Scene]]:
    """The tables of all pictures, in order, as those of each image."""
    scenes = iter(scenes)
    return [list(islice(scenes, len(look.names))) for look in looks]


def _as_seen(scene: Scene, name: str, reading: Reading) -> Scene:
    if scene.camera is None:
        raise AssertionError(f"the estimator gave a table of {name!r} without its camera")
    return replace(scene, image=name, axes=viewer_axes(scene.camera.cam_T_world.rotation[2, :2], reading))


@dataclass(frozen=True)
class Photographs(TableSource):
    """The focal length is used where the benchmark knows it."""

    estimator: PhotoEstimator

    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        return [
            self.estimator.estimate([c.image()], [c.inputs.known_focal()], [c.name], things)
            for c, _, things in looks
        ]


@dataclass(frozen=True)
class LabelledMaps(TableSource):
    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        from po3d.perception import semantic_map

        return [[semantic_map.table(look.context.inputs.semantic_map())] for look in looks]


@dataclass(frozen=True)
class Captions(TableSource):
    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        from po3d.perception import room_captions

        return [[room_captions.table(c.inputs.captions(), c.name)] for c, _, _ in looks]


@dataclass(frozen=True)
class Maps(TableSource):
    """`checkpoint`: the name of a shipped pair, or a path without suffix, read when the first map is looked at; `mirror`: does it
    look in the mirror, too? `device`: where it does."""

    checkpoint: str = "top_view_estimator"
    mirror: bool = True
    device: str = "cpu"

    def tables(self, looks: Sequence[Look]) -> list[list[Scene]]:
        views = [look.context.inputs.top_view() for look in looks]
        names = [look.context.name for look in looks]
        found = self.estimator.estimate([v.picture for v in views], [v.camera for v in views], names)
        return [[scene] for scene in found]

    @property
    def estimator(self) -> "TopViewEstimator":
        from po3d.perception.top_view import TopViewEstimator  # torch takes seconds to import

        return TopViewEstimator.named(self.checkpoint, self.mirror, self.device)


def source(name: str, **sources: TableSource) -> TableSource:
    """The source of that name; InputError for an unknown one."""
    known("table source", name, sources)
    return sources[name]
