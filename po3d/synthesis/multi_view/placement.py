"""Objects of an orbit's scene: which ones, where they are, and which way the references face."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from po3d.scene.geometry import Array
from po3d.scene.orbit import STEP, azimuth_in, azimuth_of, nearest_label, off, own_axes
from po3d.scene.table import ObjectState, sure
from po3d.synthesis.multi_view.catalogue import PEOPLE, CatalogueCategory, things
from po3d.synthesis.splits import pick

# smallest angle between a queried direction and the nearest sector border
MARGIN = math.radians(10)
COUNT = (6, 8)  # number of objects per scene
TRIES = 40  # attempts to place an object before the layout is restarted
# shares of scenes with two objects of one category, with distinguishing colours or without
SIMILAR, TWINS = 0.25, 0.15
COLORS = ("red", "blue", "green", "yellow", "white", "black", "orange", "purple")


class GroundSize(NamedTuple):
    """Dimensions of a kind of ground; metres and radians."""

    reach: float  # largest distance of an object from the middle
    gap: float  # smallest gap between the circles around footprints
    radius: tuple[float, float]  # of the orbit
    elevation: tuple[float, float]  # elevation of the camera above the middle
    target: float  # height of the point that the camera looks at


STAGES = {
    "floor": GroundSize(2.3, 0.12, (5.6, 6.6), (0.55, 0.75), 0.35),
    "outdoor": GroundSize(2.8, 0.15, (7.0, 8.2), (0.55, 0.75), 0.4),
    "table": GroundSize(0.5, 0.02, (1.3, 1.55), (0.55, 0.8), 0.08),
}


@dataclass(frozen=True)
class ReferencePair:
    """An object and the reference in whose own frame it is asked about; rows of the scene."""

    target: int
    reference: int


class Cast(NamedTuple):
    """The objects of a scene: states without positions, models, and the objects with a role."""

    states: list[ObjectState]
    models: list[str]
    kinds: list[CatalogueCategory]
    person: int | None
    references: tuple[int, ...]


def sample_cast(
    random: np.random.Generator, ground: str, split: str, objects: tuple[int, int] | None
) -> Cast:
    """Sample the objects for a ground: first the references (including a person, if any), then the
    others.
    """
    here, fronted = [], []
    for t in things().values():
        if ground in t.grounds and t.name not in PEOPLE:
            here.append(t)
            if t.front:
                fronted.append(t)
    person = ground != "table"
    kinds: list[CatalogueCategory] = []
    if person:
        kinds.append(things()[str(random.choice(PEOPLE))])
    kinds += _sampled(fronted, 1 if person else 2, random)
    others = [t for t in here if t not in kinds]
    low, high = objects or COUNT
    count = int(random.integers(low, high + 1))
    kinds += _sampled(others, count - len(kinds), random)
    models = [pick(t.models_of(split), random) for t in kinds]
    colors = [str(random.choice(COLORS)) if t.paint else "" for t in kinds]
    painted = [k for k in range(2, count) if kinds[k].paint]
    for share, same in ((SIMILAR, False), (TWINS, True)):
        if painted and (objects is None or len(kinds) < high) and random.random() < share:
            k = painted.pop(int(random.integers(len(painted))))
            kinds.append(kinds[k])
            models.append(models[k])
            colors.append(
                colors[k] if same else str(random.choice([c for c in COLORS if c != colors[k]]))
            )
    states, names = [], []
    for t, m, c in zip(kinds, models, colors):
        beliefs = sure(name=t.name) | (sure(color=c) if c else {})
        states.append(ObjectState(beliefs, (0.0, 0.0, 0.0), 0.0, m.extent))
        names.append(m.name)
    return Cast(states, names, kinds, 0 if person else None, (0, 1))


def _sampled(
    options: Sequence[CatalogueCategory], count: int, random: np.random.Generator
) -> list[CatalogueCategory]:
    return [options[k] for k in random.choice(len(options), count, replace=False)]


def _role(
    i: int, cast: Cast, behind: int | None, targets: Sequence[int], wanted: Sequence[str]
) -> tuple[float, float] | None:
    """Return the (azimuth in the person's frame, spread) where an object must be placed; None:
    anywhere.
    """
    if cast.person is None:
        return None
    if i == behind:
        return azimuth_of("behind"), STEP / 2 - MARGIN
    if i == targets[0]:
        return azimuth_of(wanted[0]), STEP / 2 - MARGIN
    return None


def _place(
    i: int,
    role: tuple[float, float] | None,
    places: Array,
    radii: Sequence[float],
    stage: GroundSize,
    random: np.random.Generator,
    cast: Cast,
    behind: int | None,
) -> bool:
    """Place object `i`; return False if there is no free place."""
    if i == cast.person:
        places[i] = random.uniform(-0.04, 0.04, 2) * stage.reach
        return True
    middle = places[cast.person] if cast.person is not None else np.zeros(2)
    if role is None:
        angles = random.uniform(-math.pi, math.pi, TRIES)
    else:
        angles = role[0] + random.uniform(-1, 1, TRIES) * role[1]
    distances = stage.reach * np.sqrt(random.uniform(0.06, 1.0, TRIES))
    phi = angles - math.pi / 2  # in the frame of a person who faces -y
    candidates = middle + distances[:, None] * np.stack([np.cos(phi), np.sin(phi)], -1)
    taken = np.flatnonzero(~np.isnan(places[:, 0]))
    separation = np.linalg.norm(candidates[:, None] - places[taken], axis=-1)
    free = np.all(separation >= radii[i] + np.array([radii[j] for j in taken]) + stage.gap, axis=1)
    if role is None and behind is not None:  # only one object may be behind the person
        away = np.abs(np.remainder(angles - azimuth_of("behind") + math.pi, 2 * math.pi) - math.pi)
        free &= away >= STEP / 2 + MARGIN
    if not free.any():
        return False
    places[i] = candidates[int(np.argmax(free))]
    return True


def random_heading(random: np.random.Generator) -> float:
    return float(random.uniform(-math.pi, math.pi))


def named(states: Sequence[ObjectState]) -> list[ObjectState]:
    """Name each object unambiguously: its category, with its colour if several have it; "" if still
    ambiguous.
    """
    kinds, looks = [], []
    for o in states:
        kinds.append(o.value("name"))
        looks.append((kinds[-1], o.value("color") if "color" in o.beliefs else ""))
    named = []
    for o, kind, look in zip(states, kinds, looks):
        name = f"{look[1]} {kind}" if looks.count(look) == 1 else ""
        if kinds.count(kind) == 1:
            name = kind
        named.append(replace(o, name=f"standing {kind}" if kind in PEOPLE else name))
    return named


def place_all(
    random: np.random.Generator,
    cast: Cast,
    stage: GroundSize,
    behind: int | None,
    targets: Sequence[int],
    wanted: Sequence[str],
) -> Array | None:
    """Sample the places (n, 2) of all objects, the person first, then the one behind; None if one
    has no room.
    """
    n = len(cast.states)
    radii = [math.hypot(*o.extent[:2]) / 2 for o in cast.states]
    places = np.full((n, 2), np.nan)
    for i in dict.fromkeys((cast.person, behind, *range(n))):
        if i is None:
            continue
        role = _role(i, cast, behind, targets, wanted)
        if not _place(i, role, places, radii, stage, random, cast, behind):
            return None
    return places


def turn_references(
    random: np.random.Generator,
    states: list[ObjectState],
    places: Array,
    pairs: Sequence[ReferencePair],
    wanted: Sequence[str],
    person: int | None,
) -> bool:
    """Turn each reference so that its target is in the wanted direction; return whether that is
    possible. The person faces the camera of 0 degrees.
    """
    for pair, label in zip(pairs, wanted):
        jitter = random.uniform(-1, 1) * (STEP / 2 - MARGIN)
        way = places[pair.target] - places[pair.reference]
        heading = -math.pi / 2
        if pair.reference != person:
            azimuth = math.atan2(way[1], way[0]) - azimuth_of(label)
            heading = math.remainder(azimuth - jitter, 2 * math.pi)
        states[pair.reference] = replace(states[pair.reference], heading=heading)
        azimuth = azimuth_in(own_axes(heading), way)
        if nearest_label(azimuth) != label or off(azimuth, label) > STEP / 2 - MARGIN:
            return False
    return True
