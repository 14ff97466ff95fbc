"""Route an image to the estimator of its training domain; reject out-of-distribution images."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from po3d.io.errors import InputError
from po3d.io.images import Picture, pixels
from po3d.perception.photo_statistics import is_photograph
from po3d.scene.table import Scene
from po3d.systems.interfaces import Image, TableSource

if TYPE_CHECKING:
    from po3d.systems.api import Answer, Model

# Kind of image -> domains, in order: the first one's estimator predicts the scene, the first one
# whose parser reads the question answers it.
KINDS: dict[str, tuple[str, ...]] = {
    "street": ("street",),
    "rooms": ("photographs", "orbit"),
    "orbit": ("orbit", "photographs"),
    "map": ("rooms",),
}


# Kind -> strangeness up to which an image is taken, with a warning above 1; 1 for other kinds.
# Official renderings of streets differ more from ours than pictures of rooms do from those in
# training.
# Of 150 validation renderings of rooms two are above 0.65; photographs without the statistics of
# photographs begin at 0.66.
REFUSED_ABOVE = {"street": 1.25, "rooms": 0.65}
# Strangeness up to which a picture is a street if the street estimator recognises vehicles in it,
# even with a photograph's statistics, as the panoramas behind PulseCheck457's vehicles have.
STREET_WITH_VEHICLES = 1.6
# Factor of a distance where domains are compared. Validation pictures: the distance to orbits over
# that to streets is at most 0.69 for orbits and at least 0.88 for streets.
FARTHER = {"orbit": 1.28}
# An image is an orbit, whatever vehicles are recognised in it (toy cars), if its distance to orbits
# is at most this share of that to streets: validation orbits have at most 0.69.
CLEARLY_ORBIT = 0.7
PHOTOGRAPH = (
    "the image looks like a photograph, and the shipped estimators were trained on renderings; "
    "answer it with --perception photo --detector FILE (docs/photographs.md)"
)


class OutOfDistributionWarning(UserWarning):
    """Warning: the image is out of distribution for the estimator."""


class DomainMatch(NamedTuple):
    """Nearest training domain, and the distance to it."""

    kind: str  # nearest training domain
    strangeness: float  # distance, in units of the radius that holds 99 % of that domain

    @property
    def strange(self) -> bool:
        return self.strangeness > 1

    @property
    def refused(self) -> bool:
        return self.strangeness > REFUSED_ABOVE.get(self.kind, 1)

    def __str__(self) -> str:
        if not self.strange:
            return (
                f"Detected domain: {self.kind} (OOD score {self.strangeness:.2f}; above 1 is"
                " unfamiliar)"
            )
        return (
            f"Out of distribution for this estimator (closest domain: {self.kind}, OOD "
            f"score {self.strangeness:.1f}; above 1 is unfamiliar)"
        )


def distances(tables: TableSource, picture: Image) -> dict[str, float]:
    """Return the image's distance to each training domain of the source's estimator; {} if the
    estimator does not compute it."""
    ood_score = getattr(getattr(tables, "estimator", None), "ood_score", None)
    return ood_score(picture) if ood_score else {}


def nearest(scores: Mapping[str, float]) -> DomainMatch | None:
    """Return the nearest training domain; None if there is no distance."""
    return min(
        starmap(DomainMatch, scores.items()),
        key=lambda match: match.strangeness * FARTHER.get(match.kind, 1),
        default=None,
    )


@dataclass(frozen=True)
class DomainRouter:
    """A model of all domains: the image selects the estimator, the question the domain that
    answers.

    `builders`: functions that return the domains' models, loaded on first use. `kind`: the kind of
    all images (a key of KINDS); "" detects it.
    """

    builders: Mapping[str, Callable[[], "Model"]]
    kind: str = ""

    def look(self, image: "Picture", **looking: Any) -> Scene:
        """Return the scene of an image, as `Model.look` does; InputError for an image that is out
        of distribution for all estimators."""
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
        """Answer a question, as `Model.ask` does."""
        domain_match = None
        if isinstance(scene, Scene):
            worlds = worlds_of(scene)
        else:
            kind = self.kind or self.chosen(scene).kind
            worlds = KINDS[kind]
            scene, domain_match = self._first(kind).look_with_match(
                scene, focal=focal, metres_per_pixel=metres_per_pixel
            )
        answers = []
        for world in worlds:
            answers.append(
                replace(
                    self.builders[world]().ask(scene, text, **asking), domain_match=domain_match
                )
            )
            if answers[-1].program or answers[-1].status == "abstained":
                return answers[-1]
        return next((a for a in answers if a.status != "unparsed"), answers[0])

    def chosen(self, image: "Picture") -> DomainMatch:
        """Return the nearest training domain over all estimators; InputError if the image is out of
        distribution, or a photograph."""
        picture, scores = pixels(image)[0], {}
        for kind in KINDS:
            if kind not in scores:
                scores |= distances(self._first(kind).pipeline.tables, picture)
        near = nearest(scores)
        in_domain = near is not None and not near.refused
        photograph = in_domain and is_photograph(picture, near.strangeness)
        familiar = in_domain and not photograph
        to_streets = scores.get("street", math.inf)
        orbit = familiar and near.kind == "orbit" and near.strangeness <= CLEARLY_ORBIT * to_streets
        if orbit or (familiar and (near.kind == "street" or to_streets > 1)):
            return near
        if self._shows_street(picture, scores):
            return DomainMatch("street", scores["street"])
        if familiar:
            return near
        if photograph:
            raise InputError(PHOTOGRAPH)
        nearest_note = (
            f" (closest: {near.kind}, {near.strangeness:.1f}x its threshold)" if near else ""
        )
        raise InputError(
            f"Out of distribution for every shipped estimator{nearest_note}. To answer "
            f"anyway, choose one of {', '.join(KINDS)}"
        )

    def refuse_photograph(self, image: "Picture") -> None:
        """Raise InputError if the image has a photograph's statistics, whatever kind was chosen,
        and is not a street with vehicles.
        """
        picture = pixels(image)[0]
        scores = distances(self._first(self.kind).pipeline.tables, picture)
        near = nearest(scores)
        if near is None or not is_photograph(picture, near.strangeness):
            return
        if not self._shows_street(picture, scores):
            raise InputError(PHOTOGRAPH)

    def _shows_street(self, picture: Image, scores: Mapping[str, float]) -> bool:
        """Whether the street estimator recognises vehicles in a picture with these distances."""
        if scores.get("street", math.inf) > STREET_WITH_VEHICLES:
            return False
        estimator = getattr(self._first("street").pipeline.tables, "estimator", None)
        recognises = getattr(estimator, "recognises", None)
        return recognises is not None and recognises(picture)

    def _first(self, kind: str) -> "Model":
        return self.builders[KINDS[kind][0]]()


def worlds_of(scene: Scene) -> tuple[str, ...]:
    """Return the domains in which questions about a scene can be asked."""
    if scene.outline is not None:
        return KINDS["map"]
    if scene.has("shape"):
        return KINDS["street"]
    return KINDS["rooms"]
