"""Evaluate perception on SCOPE's views.

    python -m tools.scope_views [--data DIR] [--perception NAME]
    python -m tools.scope_views --noise 40 [--seed 3]      the gain from fusing noisy true views

A room-view estimator processes every view of a twin, and its scene is compared with the visible
part of ground truth. Positions are compared in the camera's frame: both scenes are rotated and
translated until their cameras coincide. Then the views of a scene are fused with known rotations,
and the error of the fused scene is compared with those of the single views: the mean distance of
the objects from ground truth after the best rotation and translation, in metres at a camera
distance of 6. `--noise` fuses that many scenes of the twin whose objects have noise along the
viewing ray, across it, and on headings.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from po3d.benchmarks.metrics import match_in_view
from po3d.benchmarks.registry import opened
from po3d.benchmarks.scope.data import ScopeSplit
from po3d.benchmarks.scope.score import VIEW_SETS
from po3d.benchmarks.scope.views import SceneViews, image_name
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.fusion import ViewTable, fuse
from po3d.scene.geometry import Array, Camera, wrap_angle
from po3d.scene.orbit import VIEWS
from po3d.scene.registration import rotation
from po3d.scene.table import Scene
from po3d.synthesis.multi_view.catalogue import things
from po3d.synthesis.multi_view.scenes import LEAST_VISIBLE, sample_orbit_scene

# standard deviations at DISTANCE; they grow with the camera's distance
ALONG, ACROSS, HEADING = 0.25, 0.06, math.radians(8)
DISTANCE = 6.0
TURNED, FLIPPED = math.radians(22.5), math.radians(150)
FRONTED = frozenset(name for name, thing in things().items() if thing.front)


@dataclass
class Figures:
    """One entry for each object, view or scene."""

    # ground-truth objects at least half visible: detected or not
    detected: list[bool] = field(default_factory=list)
    named: list[bool] = field(default_factory=list)  # detected objects: correct category
    # detected objects with a colour: correct colour
    colored: list[bool] = field(default_factory=list)
    offset: list[float] = field(
        default_factory=list
    )  # detected objects: position error, metres at DISTANCE, cameras aligned
    # detected objects with a front: heading error, radians
    heading: list[float] = field(default_factory=list)
    spurious: list[int] = field(default_factory=list)  # number of false detections in a view
    fused: list[float] = field(default_factory=list)  # position error of a scene's fused scene
    best: list[float] = field(default_factory=list)  # of its best view, and the mean of all
    mean: list[float] = field(default_factory=list)
    merged: int = 0  # fused rows that contain different objects
    split: int = 0  # objects split into several rows


# the scene of a view, and estimated row -> row of the ground-truth scene
Matched = tuple[Scene, dict[int, int]]


def measure(split: ScopeSplit, estimator: Any) -> Figures:
    """Estimate and compare all views of a twin; `estimator`: a RoomViewEstimator."""
    figures = Figures()
    for scene in split.images:
        view = split.view(scene)
        names = [image_name(scene, angle) for angle in VIEWS]
        tables = estimator.estimate(
            [split.image(n) for n in names], [split.focal(n) for n in names]
        )
        scale = view.orbit.radius / DISTANCE
        matched = []
        for angle, table in zip(VIEWS, tables, strict=True):
            here, rows = as_camera_sees(table), view.rows(angle)
            pairs = {
                i: rows[j]
                for i, j in match_in_view(
                    here, as_camera_sees(view.table(angle)), (0.0, 0.0)
                ).items()
            }
            visible = set(
                np.flatnonzero(view.visible[VIEWS.index(angle)] >= LEAST_VISIBLE).tolist()
            )
            _count(
                figures,
                here,
                as_camera_sees(_at(view.scene, view.orbit.camera(angle))),
                pairs,
                visible,
                scale,
            )
            matched.append((here, pairs))
        _fuse(figures, matched, view.scene, view.orbit.reading.sense, scale)
    return figures


def _at(scene: Scene, camera: Camera) -> Scene:
    return replace(scene, camera=camera)


def as_camera_sees(scene: Scene) -> Scene:
    """Rotate and translate the scene so that its camera is above the origin and looks along +x;
    heights are unchanged."""
    eye, way = scene.camera.position[:2], scene.camera.cam_T_world.rotation[2, :2]
    yaw = -math.atan2(way[1], way[0])
    turn = rotation(yaw)
    objects = []
    for o in scene.objects:
        x, y = (turn @ (np.array(o.position[:2]) - eye)).tolist()
        spread = np.eye(3)
        spread[:2, :2] = turn
        covariance = spread @ np.array(o.covariance, float) @ spread.T
        objects.append(
            replace(o, position=(x, y, o.position[2]), heading=float(wrap_angle(o.heading + yaw)),
                    covariance=tuple(map(tuple, covariance.tolist())))
        )  # fmt: skip
    return replace(scene, objects=tuple(objects), camera=None, axes={})


def _count(
    figures: Figures,
    table: Scene,
    true: Scene,
    pairs: dict[int, int],
    visible: set[int],
    scale: float,
) -> None:
    of = {j: i for i, j in pairs.items()}
    figures.spurious.append(
        sum(o.value("name") != "table" for i, o in enumerate(table.objects) if i not in pairs)
    )
    for j in sorted(visible):
        figures.detected.append(j in of)
        if j not in of:
            continue
        predicted, thing = table.objects[of[j]], true.objects[j]
        figures.named.append(predicted.value("name") == thing.value("name"))
        if "color" in thing.beliefs:
            figures.colored.append(
                "color" in predicted.beliefs and predicted.value("color") == thing.value("color")
            )
        figures.offset.append(
            float(np.hypot(*np.subtract(predicted.position, thing.position)[:2])) / scale
        )
        if thing.value("name") in FRONTED:
            figures.heading.append(abs(float(wrap_angle(predicted.heading - thing.heading))))


def _fuse(
    figures: Figures, matched: Sequence[Matched], true: Scene, sense: int, scale: float
) -> None:
    views = [
        ViewTable(table, sense * math.radians(angle)) for (table, _), angle in zip(matched, VIEWS)
    ]
    fused = fuse(views)
    sights = [
        Counter(matched[v][1][i] for v, i in members if i in matched[v][1])
        for members in fused.members
    ]
    # An object split into several rows is located at the row with most of its detections; the other
    # rows count as split.
    row = {
        j: max(range(len(sights)), key=lambda k: sights[k][j]) for j in sorted(set().union(*sights))
    }
    singles = [position_error(table, true, rows) for table, rows in matched if len(rows) > 2]
    if not singles or len(row) < 3:
        return
    error = position_error(
        true, fused.scene, row
    )  # in this order, two objects merged into one row both count
    figures.fused.append(float(error.mean()) / scale)
    figures.best.append(min(float(e.mean()) for e in singles) / scale)
    figures.mean.append(float(np.mean([e.mean() for e in singles])) / scale)
    figures.merged += sum(len(held) > 1 for held in sights)
    figures.split += sum(map(len, sights)) - len(row)


def position_error(predicted: Scene, true: Scene, matches: dict[int, int]) -> Array:
    """Return the ground distances (k,) of the matched rows (predicted -> ground truth) after the
    best rotation and translation: each scene has its own world frame, so only relative positions
    can be wrong."""
    here = np.array([predicted.objects[i].position[:2] for i in matches])
    there = np.array([true.objects[j].position[:2] for j in matches.values()])
    if len(here) < 2:
        return np.zeros(len(here))
    a, b = here - here.mean(0), there - there.mean(0)
    yaw = math.atan2(float(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])), float(np.sum(a * b)))
    return np.hypot(*(a @ rotation(yaw).T - b).T)


def blurred(table: Scene, random: np.random.Generator, scale: float) -> Scene:
    """Return a view's scene with noise according to its covariances."""
    eye, objects = table.camera.position[:2], []
    for o in table.objects:
        place = np.array(o.position[:2])
        ray = (place - eye) / np.hypot(*(place - eye))
        across = np.array([-ray[1], ray[0]])
        place = place + scale * (random.normal(0, ALONG) * ray + random.normal(0, ACROSS) * across)
        covariance = np.zeros((3, 3))
        covariance[:2, :2] = scale**2 * (
            ALONG**2 * np.outer(ray, ray) + ACROSS**2 * np.outer(across, across)
        )
        covariance[2, 2] = HEADING**2
        heading = float(wrap_angle(o.heading + random.normal(0, HEADING)))
        objects.append(
            replace(o, position=(float(place[0]), float(place[1]), o.position[2]), heading=heading,
                    covariance=tuple(map(tuple, covariance.tolist())))
        )  # fmt: skip
    return replace(table, objects=tuple(objects), source="predicted")


def gain(index: int, seed: int, angles: Sequence[int], known: bool) -> tuple[float, ...]:
    """Fuse the views of a scene of the twin, with independent noise on the objects of each view.

    Return the errors (metres at DISTANCE) of the fused scene, of the best single view and of their
    mean; the number of fused rows that contain different objects, and of further rows of an object.
    """
    orbit_scene = sample_orbit_scene(seed, index)
    truth = SceneViews(orbit_scene.scene, orbit_scene.orbit, orbit_scene.visible)
    random, scale = rng(seed, "scope fusion", index), orbit_scene.orbit.radius / DISTANCE
    views, rows = [], []
    for angle in angles:
        table = truth.table(angle)
        rows.append(truth.rows(angle))
        yaw = orbit_scene.orbit.reading.sense * math.radians(angle) if known else None
        views.append(ViewTable(blurred(table, random, scale), yaw))
    fused = fuse(views)
    owners = [{rows[v][i] for v, i in members} for members in fused.members]
    first = {}
    for k, owner in enumerate(owners):
        if len(owner) == 1:
            first.setdefault(next(iter(owner)), k)
    error = position_error(fused.scene, orbit_scene.scene, {k: i for i, k in first.items()}).mean()
    singles = [
        position_error(v.table, orbit_scene.scene, dict(enumerate(r))).mean()
        for v, r in zip(views, rows)
    ]
    merged = sum(len(owner) > 1 for owner in owners)
    split = len(owners) - len(set().union(*owners))
    errors = np.array([error, min(singles), np.mean(singles)]) / scale
    return (*errors.tolist(), merged, max(split, 0))


def fusion_text(scenes: int, seed: int) -> str:
    """Format the gains from fusing views."""
    lines = []
    for name, angles in VIEW_SETS.items():
        for known in (True, False):
            gains = np.array([gain(k, seed, angles, known) for k in range(scenes)])
            fused, best, mean = gains[:, :3].mean(0)
            merged, split = gains[:, 3:].sum(0).astype(int)
            lines.append(
                f"{name} views, yaw {'known' if known else 'estimated'}: fused {fused:.3f} m,"
                f" best single view {best:.3f}, mean single view {mean:.3f}; better than the"
                f" best in {(gains[:, 0] < gains[:, 1]).sum()} of {scenes}; merged {merged},"
                f" split {split}"
            )
    return "\n".join(lines)


def text(figures: Figures) -> str:
    """Format the figures as text."""
    headings = np.array(figures.heading)

    def percent(values: Sequence[bool] | Array) -> str:
        return f"{100 * float(np.mean(values)):.1f} %" if len(values) else "-"

    def middle(values: Sequence[float] | Array) -> float:
        return float(np.median(values)) if len(values) else math.nan

    lines = [
        (
            f"{len(figures.detected)} things at least half visible in {len(figures.spurious)}"
            f" views: found {percent(figures.detected)}, of these named {percent(figures.named)},"
            f" colour of painted ones {percent(figures.colored)}; rows that are nothing"
            f" {np.mean(figures.spurious):.2f} a view"
        ),
        (
            f"median offset {middle(figures.offset):.2f} m; headings of things with a front: median"
            f" error {math.degrees(middle(headings)):.1f} degrees, above 22.5 degrees"
            f" {percent(headings > TURNED)}, reversed {percent(headings > FLIPPED)}"
        ),
        (
            f"{len(figures.fused)} scenes of eight views fused: {np.mean(figures.fused):.3f} m,"
            f" best single view {np.mean(figures.best):.3f}, mean single view"
            f" {np.mean(figures.mean):.3f}; better than the best in"
            f" {int(np.sum(np.array(figures.fused) < np.array(figures.best)))}; merged"
            f" {figures.merged}, split {figures.split}"
        ),
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.scope_views", description=__doc__)
    parser.add_argument("--data", help="a twin of scope (default: the shipped one)")
    parser.add_argument("--furniture", help="furniture libraries for a twin without images")
    parser.add_argument(
        "--perception",
        default="room_view_estimator",
        help="name of a shipped checkpoint, or a path without suffix",
    )
    parser.add_argument("--noise", type=int, metavar="SCENES", help="fuse noisy true views instead")
    parser.add_argument("--seed", type=int, default=3, help="of --noise")
    options = parser.parse_args(arguments)

    def run() -> None:
        if options.noise is not None:
            if options.noise < 1:
                raise InputError(f"--noise should be at least 1, not {options.noise}")
            print(fusion_text(options.noise, options.seed))
            return
        from po3d.perception.room_view import RoomViewEstimator  # importing torch takes seconds

        split = replace(opened("scope", options.data), furniture=options.furniture)
        print(text(measure(split, RoomViewEstimator.named(options.perception))))

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
