"""Random scenes for an orbiting camera: objects on a floor, outdoors, or on a table, with a
standing person among them. Pure functions of (seed, index).

Objects required by the questions are placed first: a person in the middle who faces the camera of 0
degrees, exactly one object behind the person, and two pairs of an object and a reference whose
direction in the reference's frame is prescribed by the index, so that directions are balanced over
the scenes. The others are random. A layout is rejected unless everything asked about is visible.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from po3d.io.seeding import rng
from po3d.scene.geometry import Array
from po3d.scene.orbit import (
    LABELS,
    READING,
    STEP,
    VIEWS,
    Orbit,
    OrbitConvention,
    azimuth_in,
    azimuth_of,
    nearest_label,
    off,
    own_axes,
)
from po3d.scene.table import ObjectState, Scene, sure
from po3d.synthesis.multi_view.catalogue import PEOPLE, CatalogueCategory, things
from po3d.synthesis.multi_view.views import visible_shares
from po3d.synthesis.splits import pick

# smallest angle between a queried direction and the nearest sector border
MARGIN = math.radians(10)
LEAST_MARGIN = math.radians(1)  # smallest such angle of pairs that are near a border on purpose
COUNT = (6, 8)  # number of objects per scene
TRIES = 40  # attempts to place an object before the layout is restarted
LAYOUTS = 3000  # attempts per scene
# required of objects asked about: visible fraction, fraction of the image
LEAST_VISIBLE, LEAST_AREA = 0.5, 0.0012
CLEAR = 1.25  # smallest ratio of the distances of the second-nearest and the nearest object
# shares of scenes with two objects of one category, with distinguishing colours or without
SIMILAR, TWINS = 0.25, 0.15
COLORS = ("red", "blue", "green", "yellow", "white", "black", "orange", "purple")
GROUND_SHARES = {"floor": 0.5, "outdoor": 0.3, "table": 0.2}


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


@dataclass(frozen=True)
class OrbitScene:
    """A ground-truth scene (camera and axes are those of 0 degrees) with its visibility in the
    views.
    """

    scene: Scene
    orbit: Orbit
    ground: str
    models: tuple[str, ...]
    seats: frozenset[int]  # rows of seats
    person: int | None
    behind: int | None  # the only object behind the person
    own_pairs: tuple[ReferencePair, ...]  # pairs in the reference's own frame
    visible: Array  # (8, n) visible fractions, by VIEWS
    visible_enough: Array  # (8, n) bool: visible and large enough for questions

    @property
    def names(self) -> list[str]:
        """Return each object's unambiguous name; "" if it has none."""
        return [o.name for o in self.scene.objects]


def sample_orbit_scene(
    seed: int,
    index: int,
    split: str = "test",
    reading: OrbitConvention = READING,
    objects: tuple[int, int] | None = None,
) -> OrbitScene:
    """Sample scene `index` of a seed; `objects`: smallest and largest number of objects, None:
    COUNT, sometimes with duplicates.
    """
    random = rng(seed, f"orbit/{split}", index)
    ground = str(random.choice(list(GROUND_SHARES), p=list(GROUND_SHARES.values())))
    shift = int(rng(seed, f"orbit/{split}/balance").integers(8))
    wanted = tuple(LABELS[(shift + 3 * index + 5 * k) % 8] for k in range(2))
    for _ in range(LAYOUTS):
        orbit_scene = _layout(random, ground, wanted, split, reading, objects)
        if orbit_scene is not None:
            return orbit_scene
    raise AssertionError(f"no layout for scene {index} of seed {seed} ({ground}, {wanted})")


# --- one layout -----------------------------------------------------------------------------------


class _Cast(NamedTuple):
    """The objects of a scene: states without positions, models, and the objects with a role."""

    states: list[ObjectState]
    models: list[str]
    kinds: list[CatalogueCategory]
    person: int | None
    references: tuple[int, ...]


def _layout(
    random: np.random.Generator,
    ground: str,
    wanted: Sequence[str],
    split: str,
    reading: OrbitConvention,
    objects: tuple[int, int] | None,
) -> OrbitScene | None:
    stage, cast = STAGES[ground], _cast(random, ground, split, objects)
    n = len(cast.states)
    free = [i for i in range(n) if i not in cast.references]
    behind = free[0] if cast.person is not None else None
    targets = [behind if behind is not None and wanted[0] == "behind" else free[1], free[2]]
    radii = [math.hypot(*o.extent[:2]) / 2 for o in cast.states]
    places = np.full((n, 2), np.nan)
    order = [
        *((cast.person,) if cast.person is not None else ()),
        *((behind,) if behind is not None else ()),
    ]
    order += [i for i in range(n) if i not in order]
    for i in order:
        role = _role(i, cast, behind, targets, wanted)
        if not _place(i, role, places, radii, stage, random, cast, behind):
            return None
    states = [
        replace(
            o,
            position=(float(places[i, 0]), float(places[i, 1]), o.extent[2] / 2),
            heading=_heading(random),
        )
        for i, o in enumerate(cast.states)
    ]
    own_pairs = tuple(ReferencePair(t, r) for t, r in zip(targets, cast.references))
    for pair, label in zip(own_pairs, wanted):
        jitter = random.uniform(-1, 1) * (STEP / 2 - MARGIN)
        if pair.reference == cast.person:
            heading = -math.pi / 2  # towards the camera of 0 degrees
        else:
            way = places[pair.target] - places[pair.reference]
            heading = math.remainder(
                math.atan2(way[1], way[0]) - azimuth_of(label) - jitter, 2 * math.pi
            )
        states[pair.reference] = replace(states[pair.reference], heading=heading)
        azimuth = azimuth_in(own_axes(heading), places[pair.target] - places[pair.reference])
        if nearest_label(azimuth) != label or off(azimuth, label) > STEP / 2 - MARGIN:
            return None
    if behind is not None and not _clear_nearest(places, behind, cast.person):
        return None
    radius, elevation = random.uniform(*stage.radius), random.uniform(*stage.elevation)
    height = round(stage.target + radius * math.tan(elevation), 4)
    orbit = Orbit(round(radius, 4), height, stage.target, reading=reading)
    scene = Scene(tuple(_named(states)), orbit.axes(0), "gt", orbit.camera(0))
    if any(not scene.objects[k].name for p in own_pairs for k in (p.target, p.reference)):
        return None
    visible, visible_enough = np.zeros((2, len(VIEWS), n))
    for k, angle in enumerate(VIEWS):
        visible[k], area = visible_shares(scene, orbit.camera(angle))
        visible_enough[k] = (visible[k] >= LEAST_VISIBLE) & (area >= LEAST_AREA)
        if not all(
            visible_enough[k, p.target] and visible_enough[k, p.reference] for p in own_pairs
        ):
            return None
    visible_enough = visible_enough > 0
    orbit_scene = OrbitScene(
        scene,
        orbit,
        ground,
        tuple(cast.models),
        frozenset(i for i in range(n) if cast.kinds[i].seat),
        cast.person,
        behind,
        own_pairs,
        visible,
        visible_enough,
    )
    return orbit_scene if _good(orbit_scene) else None


def _cast(
    random: np.random.Generator, ground: str, split: str, objects: tuple[int, int] | None
) -> _Cast:
    """Sample the objects for a ground: first the references (including a person, if any), then the
    others.
    """
    here = [t for t in things().values() if ground in t.grounds]
    fronted = [t for t in here if t.front and t.name not in PEOPLE]
    person = ground != "table"
    kinds: list[CatalogueCategory] = []
    if person:
        kinds.append(things()[str(random.choice(PEOPLE))])
    kinds += [fronted[k] for k in random.choice(len(fronted), 1 if person else 2, replace=False)]
    others = [t for t in here if t.name not in PEOPLE and t not in kinds]
    low, high = objects or COUNT
    count = int(random.integers(low, high + 1))
    kinds += [others[k] for k in random.choice(len(others), count - len(kinds), replace=False)]
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
    states = [
        ObjectState(
            sure(name=t.name) | (sure(color=c) if c else {}), (0.0, 0.0, 0.0), 0.0, m.extent
        )
        for t, m, c in zip(kinds, models, colors)
    ]
    return _Cast(states, [m.name for m in models], kinds, 0 if person else None, (0, 1))


def _role(
    i: int, cast: _Cast, behind: int | None, targets: Sequence[int], wanted: Sequence[str]
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
    cast: _Cast,
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


def _heading(random: np.random.Generator) -> float:
    return float(random.uniform(-math.pi, math.pi))


def _named(states: Sequence[ObjectState]) -> list[ObjectState]:
    """Name each object unambiguously: its category, with its colour if several have it; "" if still
    ambiguous.
    """
    kinds = [o.value("name") for o in states]
    looks = [(k, o.value("color") if "color" in o.beliefs else "") for k, o in zip(kinds, states)]
    named = []
    for o, kind, look in zip(states, kinds, looks):
        name = (
            kind
            if kinds.count(kind) == 1
            else f"{look[1]} {kind}"
            if looks.count(look) == 1
            else ""
        )
        named.append(replace(o, name=f"standing {kind}" if kind in PEOPLE else name))
    return named


def _good(orbit_scene: OrbitScene) -> bool:
    """Return whether there are enough questions besides the pairs in their own frames."""
    return len(visible_pairs(orbit_scene)) >= 2 and (
        orbit_scene.behind is None or len(choices(orbit_scene)) >= 4
    )


def visible_pairs(orbit_scene: OrbitScene, near: bool = False) -> list[ReferencePair]:
    """Return the pairs that can be asked about in the camera's frame: visible in all views, with a
    direction at least MARGIN from a sector border, or with `near` closer to one.
    """
    everywhere = [
        i
        for i in np.flatnonzero(orbit_scene.visible_enough.all(0)).tolist()
        if orbit_scene.names[i]
    ]
    pairs = []
    for a in everywhere:
        for b in everywhere:
            azimuth = azimuth_in(
                orbit_scene.scene.axes,
                orbit_scene.scene.positions[a, :2] - orbit_scene.scene.positions[b, :2],
            )
            away = off(azimuth, nearest_label(azimuth))
            clear = away <= STEP / 2 - MARGIN
            if a != b and (not clear and away <= STEP / 2 - LEAST_MARGIN if near else clear):
                pairs.append(ReferencePair(a, b))
    return pairs


def _clear_nearest(ground: Array, behind: int, person: int) -> bool:
    """Return whether one object is clearly the nearest to the one behind the person, ignoring the
    person.
    """
    others = [i for i in range(len(ground)) if i not in (behind, person)]
    first, second = sorted(np.hypot(*(ground[others] - ground[behind]).T).tolist())[:2]
    return second >= CLEAR * first


def choices(orbit_scene: OrbitScene) -> list[int]:
    """Return the answer options of "the nearest object to the one behind the person", nearest
    first; [] if the answer is not clear. Objects without an unambiguous name are omitted and must
    not be the nearest.
    """
    if (
        orbit_scene.behind is None
        or orbit_scene.person is None
        or not orbit_scene.names[orbit_scene.behind]
    ):
        return []
    ground = orbit_scene.scene.positions[:, :2]
    others = [
        i
        for i in range(len(orbit_scene.scene))
        if i not in (orbit_scene.behind, orbit_scene.person)
    ]
    away = {i: float(np.hypot(*(ground[i] - ground[orbit_scene.behind]))) for i in others}
    others.sort(key=away.__getitem__)
    halves = (orbit_scene.visible_enough[0::2].any(0), orbit_scene.visible_enough[1::2].any(0))
    needed = (orbit_scene.person, orbit_scene.behind, *others)
    if not all(half[i] for half in halves for i in needed):
        return []
    if (
        not _clear_nearest(ground, orbit_scene.behind, orbit_scene.person)
        or not orbit_scene.names[others[0]]
    ):
        return []
    return [i for i in others if orbit_scene.names[i]]
