"""The measure of how pictures of SCOPE's views are understood, tried with estimators whose mistakes
are known.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from po3d.benchmarks.metrics import match_in_view
from po3d.benchmarks.scope import data as scope
from po3d.benchmarks.scope import twin as scope_twin
from po3d.benchmarks.scope import views as scope_views
from po3d.scene.geometry import Pose, rotation_z
from po3d.scene.table import sure
from tools.scope_views import as_camera_sees, measure, text


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scope") / "twin"
    scope_twin.generate(folder, 2, 8)
    return scope.load(folder)


class Mistaken:
    """The truth of each view in its order, in a world that lies elsewhere, with something done to
    every row.
    """

    def __init__(self, split, change=lambda o: o, extra=0):
        self.names = [scope_views.image_name(s, a) for s in split.images for a in scope.VIEWS]
        self.split, self.change, self.extra = split, change, extra

    def estimate(self, pictures, focals):
        names, self.names = self.names[: len(pictures)], self.names[len(pictures) :]
        return [self._moved(self.split.truth(name)) for name in names]

    def _moved(self, table):
        turn, shift = rotation_z(1.1), np.array([3.0, -2.0, 0.0])
        pose = table.camera.cam_T_world
        camera = replace(
            table.camera,
            cam_T_world=Pose(
                pose.rotation @ turn.T, pose.translation - pose.rotation @ turn.T @ shift
            ),
        )
        objects = []
        for o in map(self.change, table.objects):
            x, y, z = (turn @ np.array(o.position) + shift).tolist()
            objects.append(replace(o, position=(x, y, z), heading=o.heading + 1.1))
        objects += [
            replace(o, beliefs=sure(name="cactus"), position=(99.0, 0.0, 0.0))
            for o in objects[: self.extra]
        ]
        return replace(table, objects=tuple(objects), camera=camera, source="predicted")


@pytest.fixture(autouse=True)
def grey(split, monkeypatch):
    monkeypatch.setattr(type(split), "image", lambda self, name: np.zeros((480, 640, 3), np.uint8))


def test_the_truth_in_another_world_is_without_fault(split):
    figures = measure(split, Mistaken(split))
    assert all(figures.detected)
    assert all(figures.named)
    assert max(figures.offset) < 1e-6
    assert max(figures.heading) < 1e-6
    assert figures.spurious == [0] * 16
    assert max(figures.fused) < 1e-6
    assert (figures.merged, figures.split) == (0, 0)
    assert "found 100.0 %" in text(figures)


def test_mistakes_are_counted_for_what_they_are(split):
    def reversed_and_near(o):
        x, y, z = o.position
        return replace(o, heading=o.heading + math.pi, position=(x, y + 0.1, z))

    figures = measure(split, Mistaken(split, reversed_and_near, extra=1))
    assert min(figures.heading) > math.radians(179)
    scales = [split.view(s).orbit.radius / 6 for s in split.images]
    assert {round(v, 5) for v in figures.offset} == {round(0.1 / s, 5) for s in scales}
    assert figures.spurious == [1] * 16

    figures = measure(split, Mistaken(split, lambda o: replace(o, beliefs=sure(name="cactus"))))
    assert all(figures.detected)
    assert not any(figures.named)


class Torn(Mistaken):
    """In the first view of a scene, its first row has another name and another place."""

    def estimate(self, pictures, focals):
        first, *others = super().estimate(pictures, focals)
        o = first.objects[0]
        odd = replace(
            o, beliefs=sure(name="cactus"), position=(o.position[0] + 0.2, *o.position[1:])
        )
        return [replace(first, objects=(odd, *first.objects[1:])), *others]


def test_a_thing_torn_in_two_is_where_most_of_its_sights_are(split):
    figures = measure(split, Torn(split))
    assert figures.split == 2
    assert max(figures.fused) < 1e-6


def test_a_table_is_as_the_camera_sees_it(split):
    q = next(q for q in split.questions if q.views == (90,))
    table = split.truth(q.images[0])
    visible = as_camera_sees(table)
    for before, after in zip(table.objects, visible.objects):
        depth = table.camera.cam_T_world.transform(before.position)
        right = depth[0]
        assert after.position[1] == pytest.approx(-right)  # y is left
        assert np.hypot(*after.position[:2]) == pytest.approx(
            np.hypot(*(np.array(before.position) - table.camera.position)[:2])
        )
    assert match_in_view(visible, visible, (0.0, 0.0)) == {i: i for i in range(len(visible))}
    assert match_in_view(replace(visible, objects=()), visible, (0.0, 0.0)) == {}
