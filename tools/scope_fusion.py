"""Measure the gain from fusing views: python -m tools.scope_fusion [--scenes 40] [--seed 3]

Each view of a scene of the twin gets independent noise on its objects: along the viewing ray,
across it, and on headings. The error of a scene is the mean distance of its objects from ground
truth after the best rotation and translation, in metres at a camera distance of 6.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from po3d.benchmarks.scope.score import VIEW_SETS
from po3d.benchmarks.scope.views import SceneViews as Truth
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.fusion import ViewTable, fuse
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.registration import rotation
from po3d.scene.table import Scene
from po3d.synthesis.multi_view.scenes import sample_orbit_scene

# standard deviations at DISTANCE; they grow with the camera's distance
ALONG, ACROSS, HEADING = 0.25, 0.06, math.radians(8)
DISTANCE = 6.0


class Gain(NamedTuple):
    """Errors of one scene (metres at DISTANCE), and its association errors."""

    fused: float
    best: float  # of the single views
    mean: float
    merged: int  # fused rows that contain different objects
    split: int  # objects split into several rows


def position_error(predicted: Scene, true: Scene, matches: dict[int, int]) -> Array:
    """Return the ground distances (k,) of the matched rows (predicted -> ground truth) after the
    best rotation and translation: each scene has its own world frame, so only relative positions
    can be wrong.
    """
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


def gain(index: int, seed: int, angles: Sequence[int], known: bool) -> Gain:
    """Fuse the views of one scene and measure the gain."""
    orbit_scene = sample_orbit_scene(seed, index)
    truth = Truth(orbit_scene.scene, orbit_scene.orbit, orbit_scene.visible)
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
    return Gain(
        error / scale, min(singles) / scale, float(np.mean(singles)) / scale, merged, max(split, 0)
    )


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.scope_fusion", description=__doc__)
    parser.add_argument("--scenes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args(arguments)

    def run() -> None:
        if options.scenes < 1:
            raise InputError(f"--scenes should be at least 1, not {options.scenes}")
        for name, angles in VIEW_SETS.items():
            for known in (True, False):
                gains = [gain(k, options.seed, angles, known) for k in range(options.scenes)]
                fused, best, mean = np.mean([g[:3] for g in gains], axis=0)
                better = sum(g.fused < g.best for g in gains)
                print(
                    f"{name} views, yaw {'known' if known else 'estimated'}: fused {fused:.3f} m,"
                    f" best single view {best:.3f}, mean single view {mean:.3f}; better than the"
                    f" best in {better} of {len(gains)}; merged {sum(g.merged for g in gains)},"
                    f" split {sum(g.split for g in gains)}"
                )

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
