"""Evaluate perception on SCOPE's views.

    python -m tools.scope_views [--data DIR] [--perception NAME]

A room-view estimator processes every view of a twin, and its scene is compared with the visible
part of ground truth. Positions are compared in the camera's frame: both scenes are rotated and
translated until their cameras coincide. Then the views of a scene are fused with known rotations,
and the error of the fused scene is compared with those of the single views (after the best rotation
and translation; metres at a camera distance of 6, as in `scope_fusion`).
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
from po3d.benchmarks.scope.views import image_name
from po3d.io.cli_errors import guarded
from po3d.scene.fusion import ViewTable, fuse
from po3d.scene.geometry import Array, Camera, wrap_angle
from po3d.scene.orbit import VIEWS
from po3d.scene.registration import rotation
from po3d.scene.table import Scene
from po3d.synthesis.multi_view.catalogue import things
from po3d.synthesis.multi_view.scenes import LEAST_VISIBLE
from tools.scope_fusion import DISTANCE, position_error

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
    heights are unchanged.
    """
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
    options = parser.parse_args(arguments)

    def run() -> None:
        from po3d.perception.room_view import RoomViewEstimator  # importing torch takes seconds

        split = replace(opened("scope", options.data), furniture=options.furniture)
        print(text(measure(split, RoomViewEstimator.named(options.perception))))

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
