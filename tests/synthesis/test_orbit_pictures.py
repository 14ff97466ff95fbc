"""Orbit scenes drawn: every view shows the table, from where the orbit says, with the models that
it names.
"""

import math

import numpy as np
import pytest
import shapely
from boxes_library import boxes_library

from po3d.io.errors import InputError
from po3d.scene.geometry import footprint
from po3d.scene.orbit import VIEWS
from po3d.synthesis.furniture.models import TURNS, RoomModels
from po3d.synthesis.multi_view.pictures import (
    OPEN,
    TABLES,
    draw_views,
    orbit_view,
    styled_scene,
    visible_shares,
)
from po3d.synthesis.multi_view.scenes import sample_orbit_scene
from po3d.synthesis.splits import SPLITS, catalogue, split_of
from po3d.synthesis.top_view.looks import PAINTS
from po3d.synthesis.top_view.pictures import RoomRenderer

SEED = 3


@pytest.fixture(scope="module")
def scenes():
    """Scene and drawn scene of each ground."""
    result = {}
    for index in range(60):
        scene = sample_orbit_scene(SEED, index)
        if scene.ground not in result:
            result[scene.ground] = scene, styled_scene(scene, SEED, index, "test")
        if len(result) == 3:
            return result
    raise AssertionError("a ground is missing")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return RoomModels(boxes_library(tmp_path_factory.mktemp("furniture")))


@pytest.fixture(scope="module")
def renderer(models):
    try:
        with RoomRenderer(640, 480, 1, models) as built:
            yield built
    except InputError as error:
        pytest.skip(str(error))


def test_a_view_is_a_pure_function_of_seed_split_and_index():
    scene, look = orbit_view(SEED, "train", 19)
    again, same = orbit_view(SEED, "train", 19)
    assert (scene.objects, look) == (again.objects, same)
    result = sample_orbit_scene(SEED, 2, "train")
    assert [d.model for d in look.dresses[: len(result.scene)]] == list(result.models)
    other, shared = orbit_view(SEED, "train", 20)
    assert shared == look
    assert other.objects == scene.objects
    assert scene.axes == result.orbit.axes(135)
    assert other.axes == result.orbit.axes(180)


@pytest.mark.parametrize("ground", ["floor", "outdoor", "table"])
def test_a_rendered_thing_lies_where_the_orbit_scene_has_it(scenes, ground):
    """A table lifts things and cameras alike: no pixel moves."""
    result, sampled = scenes[ground]
    n = len(result.scene)
    assert len(sampled.scene) == n + (ground == "table")
    assert (sampled.lift > 0) == (ground == "table")
    for angle in VIEWS:
        here, _ = sampled.camera(angle).project(sampled.scene.positions[:n])
        there, _ = result.orbit.camera(angle).project(result.scene.positions)
        np.testing.assert_allclose(here, there, atol=1e-8)
        np.testing.assert_allclose(
            sampled.camera(angle).position - result.orbit.camera(angle).position,
            (0, 0, sampled.lift),
            atol=1e-9,
        )
    np.testing.assert_array_equal(sampled.scene.headings[:n], result.scene.headings)
    np.testing.assert_array_equal(sampled.scene.extents[:n], result.scene.extents)


def test_a_table_carries_all_that_stands_on_it(scenes):
    _, sampled = scenes["table"]
    *upon, table = sampled.scene.objects
    assert table.value("name") == "table"
    assert sampled.look.dresses[-1].model in TABLES
    top = shapely.Polygon(footprint(table.position, table.heading, table.extent))
    for o in upon:
        assert o.position[2] - o.extent[2] / 2 == pytest.approx(table.extent[2])
        assert top.contains(shapely.Polygon(footprint(o.position, o.heading, o.extent)))


def test_every_split_has_tables_of_its_own():
    assert {split_of(name) for name in TABLES} == set(SPLITS)


@pytest.mark.parametrize("ground", ["floor", "outdoor", "table"])
def test_cameras_stand_inside_the_walls_and_see_no_ceiling(scenes, ground):
    _, sampled = scenes[ground]
    floor = shapely.Polygon(sampled.look.shell.outline)
    for angle in VIEWS:
        camera = sampled.camera(angle)
        assert floor.contains(shapely.Point(camera.position[:2]))
        corners = camera.ray([(0, 0), (640, 0), (320, 0)])
        assert np.all(corners[:, 2] < 0)
        if ground == "outdoor":
            ends = camera.at_height([(0, 0), (640, 0)], 0.0)
            assert np.hypot(*ends[:, :2].T).max() < OPEN * math.cos(math.pi / 16)
        else:
            assert camera.position[2] < sampled.look.shell.height


def test_things_are_painted_where_the_table_says_a_colour(scenes):
    for _, sampled in scenes.values():
        for state, dress in zip(sampled.scene.objects, sampled.look.dresses):
            if state.value("name") == "table":
                continue
            assert (dress.color is not None) == ("color" in state.beliefs)
            if dress.color is not None:
                away = {
                    c: float(np.abs(np.log(np.array(dress.color)) - np.log(mid)).sum())
                    for c, (mid, *_) in PAINTS.items()
                }
                assert state.value("color") in sorted(away, key=away.__getitem__)[:2]


def test_models_have_the_size_that_the_table_says(models):
    """Also those that the library shows from a side."""
    for entry in [catalogue()[name] for name in TURNS] + list(catalogue().values())[::10]:
        np.testing.assert_allclose(models.model(entry.name).extent, entry.extent, atol=2e-3)
    with pytest.raises(InputError, match="lack the model"):
        models.model("Scopia#nothing")


@pytest.mark.render
@pytest.mark.parametrize("ground", ["floor", "outdoor", "table"])
def test_views_show_their_things_where_the_table_says(scenes, renderer, ground):
    result, sampled = scenes[ground]
    shots = draw_views(renderer, sampled, angles=(0, 225))
    visible, area = visible_shares(shots, len(result.scene))
    assert visible.shape == area.shape == (2, len(result.scene))
    # Boxes are drawn as boxes: their masks agree with the silhouettes that the scene was accepted
    # by.
    assert np.median(np.abs(visible - result.visible[[0, 5]])) < 0.02
    for angle, shot, shares in zip((0, 225), shots, visible):
        pixels, _ = sampled.camera(angle).project(sampled.scene.positions)
        for k in np.flatnonzero(shares > 0.98):
            rows, columns = np.nonzero(shot.ids == k + 1)
            middle = np.array([(columns.min() + columns.max()) / 2, (rows.min() + rows.max()) / 2])
            size = max(np.ptp(columns), np.ptp(rows))
            assert np.hypot(*(middle - pixels[k])) < 0.25 * size + 2
    assert 40 < np.mean([shot.rgb.mean() for shot in shots]) < 235
