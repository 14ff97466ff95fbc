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
    nearest_label,
    off,
)
from po3d.scene.table import Scene
from po3d.synthesis.multi_view.placement import (
    MARGIN,
    STAGES,
    ReferencePair,
    named,
    place_all,
    random_heading,
    sample_cast,
    turn_references,
)
from po3d.synthesis.multi_view.views import visible_shares

# smallest angle to the nearest sector border of pairs that are near one on purpose
LEAST_MARGIN = math.radians(1)
LAYOUTS = 3000  # attempts per scene
# required of objects asked about: visible fraction, fraction of the image
LEAST_VISIBLE, LEAST_AREA = 0.5, 0.0012
CLEAR = 1.25  # smallest ratio of the distances of the second-nearest and the nearest object
GROUND_SHARES = {"floor": 0.5, "outdoor": 0.3, "table": 0.2}


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


def _layout(
    random: np.random.Generator,
    ground: str,
    wanted: Sequence[str],
    split: str,
    reading: OrbitConvention,
    objects: tuple[int, int] | None,
) -> OrbitScene | None:
    """Sample one scene; None if it misses a requirement. `wanted`: directions of the targets."""
    stage, cast = STAGES[ground], sample_cast(random, ground, split, objects)
    free = [i for i in range(len(cast.states)) if i not in cast.references]
    behind = free[0] if cast.person is not None else None
    targets = [behind if behind is not None and wanted[0] == "behind" else free[1], free[2]]
    places = place_all(random, cast, stage, behind, targets, wanted)
    if places is None:
        return None
    states = [
        replace(
            o,
            position=(float(places[i, 0]), float(places[i, 1]), o.extent[2] / 2),
            heading=random_heading(random),
        )
        for i, o in enumerate(cast.states)
    ]
    own_pairs = tuple(map(ReferencePair, targets, cast.references))
    if not turn_references(random, states, places, own_pairs, wanted, cast.person):
        return None
    if behind is not None and not _clear_nearest(places, behind, cast.person):
        return None
    radius, elevation = random.uniform(*stage.radius), random.uniform(*stage.elevation)
    height = round(stage.target + radius * math.tan(elevation), 4)
    orbit = Orbit(round(radius, 4), height, stage.target, reading=reading)
    scene = Scene(tuple(named(states)), orbit.axes(0), "gt", orbit.camera(0))
    if not all(scene.objects[p.target].name and scene.objects[p.reference].name for p in own_pairs):
        return None
    visibility = _visibility(scene, orbit, own_pairs)
    if visibility is None:
        return None
    orbit_scene = OrbitScene(
        scene,
        orbit,
        ground,
        tuple(cast.models),
        frozenset(i for i, kind in enumerate(cast.kinds) if kind.seat),
        cast.person,
        behind,
        own_pairs,
        *visibility,
    )
    return orbit_scene if _good(orbit_scene) else None


def _visibility(
    scene: Scene, orbit: Orbit, pairs: Sequence[ReferencePair]
) -> tuple[Array, Array] | None:
    """Return the visible fractions (8, n), and whether each is enough for questions; None if an
    object of a pair is hidden in a view.
    """
    visible, enough = np.zeros((2, len(VIEWS), len(scene)))
    for k, angle in enumerate(VIEWS):
        visible[k], area = visible_shares(scene, orbit.camera(angle))
        enough[k] = (visible[k] >= LEAST_VISIBLE) & (area >= LEAST_AREA)
        if not all(enough[k, p.target] and enough[k, p.reference] for p in pairs):
            return None
    return visible, enough > 0


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
    away = np.hypot(*(ground - ground[orbit_scene.behind]).T)
    others = []
    for i in np.argsort(away, kind="stable").tolist():
        if i not in (orbit_scene.behind, orbit_scene.person):
            others.append(i)
    even, odd = orbit_scene.visible_enough[0::2].any(0), orbit_scene.visible_enough[1::2].any(0)
    if not (even & odd).all():  # each object is visible in a view of both halves
        return []
    if (
        not _clear_nearest(ground, orbit_scene.behind, orbit_scene.person)
        or not orbit_scene.names[others[0]]
    ):
        return []
    return [i for i in others if orbit_scene.names[i]]
