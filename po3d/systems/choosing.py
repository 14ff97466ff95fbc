"""Whose picture is it: what looks at a picture that comes alone, and what is said of one that nothing shipped knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from po3d.io.errors import InputError
from po3d.scene.table import Scene
from po3d.systems.pipeline import Image, TableSource

if TYPE_CHECKING:
    from po3d.systems.asking import Answer, Model, Picture

# Kinds of pictures -> the worlds in which questions about them are asked; the first looks, who can read the question answers.
KINDS: dict[str, tuple[str, ...]] = {
    "street": ("street",),
    "rooms": ("photographs", "orbit"),
    "orbit": ("orbit", "photographs"),
    "map": ("rooms",),
}


class StrangePicture(UserWarning):
    """An estimator looked at a picture that is like none that it knows."""


class Looked(NamedTuple):
    """What an estimator takes a picture for."""

    kind: str  # the nearest of those that it knows
    strangeness: float  # its distance from them, in limits within which 99 % of them lie

    @property
    def strange(self) -> bool:
        return self.strangeness > 1

    def __str__(self) -> str:
        if not self.strange:
            return f"taken for: {self.kind} (strangeness {self.strangeness:.2f})"
        return (
            f"the picture is like none that this estimator knows: it lies {self.strangeness:.1f} times as far from the nearest "
            f"kind ({self.kind}) as 99 % of those do"
        )


def distances(tables: TableSource, picture: Image) -> dict[str, float]:
    """The picture's strangeness to each kind that the estimator of a table source knows; {} where it can't tell."""
    told = getattr(getattr(tables, "estimator", None), "strangeness", None)
    return told(picture) if told else {}


def nearest(found: Mapping[str, float]) -> Looked | None:
    """The kind that a picture is most like; None where nothing is known."""
    return min((Looked(*item) for item in found.items()), key=lambda k: k.strangeness, default=None)


@dataclass(frozen=True)
class Chooser:
    """A model of all worlds: the picture chooses who looks at it, the question who answers. `made`: the worlds' models, made when
    they are first asked for; `kind`: of KINDS, where it is known whose pictures come ("": they tell)."""

    made: Mapping[str, Callable[[], "Model"]]
    kind: str = ""

    def look(self, image: "Picture", **looking: Any) -> Scene:
        """As `Model.look`; InputError for a picture that none of the estimators knows."""
        return self._first(self.kind or self.chosen(image).kind).look(image, **looking)

    def ask(
        self,
        scene: "Scene | Picture",
        text: str,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        **asking: Any,
    ) -> "Answer":
        """As `Model.ask`."""
        looked = None
        if isinstance(scene, Scene):
            worlds = worlds_of(scene)
        else:
            kind = self.kind or self.chosen(scene).kind
            worlds = KINDS[kind]
            scene, looked = self._first(kind).seen(scene, focal=focal, metres_per_pixel=metres_per_pixel)
        answers = []
        for world in worlds:
            answers.append(replace(self.made[world]().ask(scene, text, **asking), looked=looked))
            if answers[-1].program or answers[-1].status == "abstained":
                return answers[-1]
        return next((a for a in answers if a.status != "unparsed"), answers[0])

    def chosen(self, image: "Picture") -> Looked:
        """What the picture is taken for; InputError where it is like none."""
        from po3d.systems.asking import pixels

        picture, found = pixels(image)[0], {}
        for kind in KINDS:
            if kind not in found:
                found |= distances(self._first(kind).pipeline.tables, picture)
        near = nearest(found)
        if near is not None and not near.strange:
            return near
        told = f" (the nearest: {near.kind}, {near.strangeness:.1f} times as far as its own)" if near else ""
        raise InputError(
            f"the picture is like none that the shipped estimators know{told}; say what it is to have it looked at nevertheless: "
            f"{', '.join(KINDS)}"
        )

    def _first(self, kind: str) -> "Model":
        return self.made[KINDS[kind][0]]()


def worlds_of(scene: Scene) -> tuple[str, ...]:
    """The worlds in which questions about a table may be asked."""
    if scene.outline is not None:
        return KINDS["map"]
    if any("shape" in thing.beliefs for thing in scene.objects):
        return KINDS["street"]
    return KINDS["rooms"]
