"""The joint fit recovers camera and objects from exact points, and knows how wrong it may be from
noisy ones.
"""

import numpy as np
import pytest
import torch

from po3d.io.seeding import rng
from po3d.perception import fit as fits
from po3d.scene.geometry import box_corners, wrap_angle
from po3d.scene.street import camera, extent
from po3d.scene.vocabulary import SHAPES, SIZES


def project_boxes(*arrays):
    return fits.project_boxes(*map(torch.from_numpy, arrays)).numpy()


def joint_fit(*arrays):
    return fits.Fit(*(part.numpy() for part in fits.joint_fit(*map(torch.from_numpy, arrays))))


def scenes(seed: int, images: int = 40, objects: int = 6):
    r = rng(seed, "fit-test")
    jitter = r.uniform(-0.5, 0.5, (images, 3))
    position = r.uniform(-3, 3, (images, objects, 2))
    heading = r.uniform(-np.pi, np.pi, (images, objects))
    sizes = [
        [extent(r.choice(SHAPES), r.choice(SIZES)) for _ in range(objects)] for _ in range(images)
    ]
    return jitter, position, heading, np.array(sizes), r


def test_projection_is_the_cameras():
    jitter, position, heading, extents, _ = scenes(0)
    expected, _ = camera(jitter[3]).project(box_corners(position[3], heading[3], extents[3]))
    np.testing.assert_allclose(
        project_boxes(jitter, position, heading, extents)[3, :, :8], expected, atol=1e-9
    )


def turned_back(fit, position, heading):
    """The fitted positions and headings after the common turn about the vertical that fits the
    truth best. No picture tells it: a camera that tracks the origin sees the same when it and all
    objects turn together.
    """
    turn = np.angle(np.exp(1j * (heading - fit.heading)).mean(1))
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    x, y = fit.position[..., 0], fit.position[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], -1), wrap_angle(fit.heading + turn[:, None])


def test_exact_points_give_the_exact_scene_up_to_a_common_turn():
    jitter, position, heading, extents, r = scenes(1)
    points = project_boxes(jitter, position, heading, extents)
    fit = joint_fit(
        points,
        np.full(points.shape[:3], 0.01),
        heading + r.normal(0, 0.2, heading.shape),
        np.full(heading.shape, 1.0),
        extents,
        np.ones(heading.shape, bool),
    )
    fitted_position, fitted_heading = turned_back(fit, position, heading)
    assert np.median(np.linalg.norm(fitted_position - position, axis=-1)) < 1e-3
    assert np.median(np.abs(wrap_angle(fitted_heading - heading))) < 1e-3
    assert (
        np.degrees(np.abs(wrap_angle(fit.heading - heading))).max() < 5
    )  # the prior on the camera bounds the turn


def test_joint_camera_beats_the_nominal_one_and_absent_objects_change_nothing():
    jitter, position, heading, extents, r = scenes(2)
    points = project_boxes(jitter, position, heading, extents) + r.normal(
        0, 2, (*heading.shape, 9, 2)
    )
    sigma, start, spread = (
        np.full(points.shape[:3], 2.0),
        heading + 0.1,
        np.full(heading.shape, 0.2),
    )
    fit = joint_fit(points, sigma, start, spread, extents, np.ones(heading.shape, bool))
    assert np.median(np.linalg.norm(fit.position - position, axis=-1)) < 0.06
    assert np.degrees(np.median(np.abs(wrap_angle(fit.heading - heading)))) < 2.0
    present = np.ones(heading.shape, bool)
    present[:, -1] = False
    spoiled = points.copy()
    spoiled[:, -1] = 1e3
    with_garbage = joint_fit(spoiled, sigma, start, spread, extents, present)
    without = joint_fit(
        points[:, :-1],
        sigma[:, :-1],
        start[:, :-1],
        spread[:, :-1],
        extents[:, :-1],
        present[:, :-1],
    )
    np.testing.assert_allclose(with_garbage.position[:, :-1], without.position, atol=1e-6)
    np.testing.assert_allclose(with_garbage.jitter, without.jitter, atol=1e-6)


def test_covariance_tells_the_spread_of_errors():
    jitter, position, heading, extents, r = scenes(3, images=150)
    jitter[:] = 0
    points = project_boxes(jitter, position, heading, extents) + r.normal(
        0, 1.5, (*heading.shape, 9, 2)
    )
    fit = joint_fit(
        points,
        np.full(points.shape[:3], 1.5),
        heading,
        np.full(heading.shape, 1.0),
        extents,
        np.ones(heading.shape, bool),
    )
    error = wrap_angle(fit.heading - heading) / np.sqrt(fit.covariance[..., 2, 2])
    assert 0.7 < error.std() < 1.6


def test_how_many_images_are_solved_together_changes_no_bit():
    jitter, position, heading, extents, r = scenes(4, images=9)
    points = project_boxes(jitter, position, heading, extents) + r.normal(
        0, 2, (*heading.shape, 9, 2)
    )
    query = (
        points,
        np.full(points.shape[:3], 2.0),
        heading + 0.1,
        np.full(heading.shape, 0.2),
        extents,
    )
    query = (*query, r.random(heading.shape) < 0.8)
    together = joint_fit(*query)
    for part in (slice(0, 1), slice(4, 5), slice(2, 8)):
        for whole, own in zip(together, joint_fit(*(a[part] for a in query))):
            np.testing.assert_array_equal(whole[part], own)


@pytest.mark.parametrize("off", [60, 3000])
def test_one_wrong_point_of_each_object_does_not_move_it(off):
    """Errors of networks have long tails, which Student's distribution expects: a corner that is
    far off counts little, and the less the farther off it is.
    """
    jitter, position, heading, extents, r = scenes(5)
    points = project_boxes(jitter, position, heading, extents) + r.normal(
        0, 2, (*heading.shape, 9, 2)
    )
    sigma, spread = np.full(points.shape[:3], 2.0), np.full(heading.shape, 0.2)

    def error(visible):
        fit = joint_fit(
            visible, sigma, heading + 0.05, spread, extents, np.ones(heading.shape, bool)
        )
        return np.linalg.norm(turned_back(fit, position, heading)[0] - position, axis=-1)

    wrong = points.copy()
    wrong[:, :, 3, 0] += off
    right = error(points)
    assert np.median(error(wrong)) < 1.3 * np.median(right)
    assert np.quantile(error(wrong), 0.9) < 1.5 * np.quantile(right, 0.9)


def test_a_heading_that_was_read_the_wrong_way_round_is_outvoted_by_the_points():
    jitter, position, heading, extents, r = scenes(6)
    points = project_boxes(jitter, position, heading, extents) + r.normal(
        0, 1, (*heading.shape, 9, 2)
    )
    sigma, spread = np.full(points.shape[:3], 1.0), np.full(heading.shape, 0.02)
    start = heading + r.normal(0, 0.02, heading.shape)
    start[:, 0] += 0.6  # 30 deviations
    fit = joint_fit(points, sigma, start, spread, extents, np.ones(heading.shape, bool))
    _, fitted = turned_back(fit, position, heading)
    wrong = np.abs(wrap_angle(fitted - heading))
    assert np.median(wrong[:, 0]) < 3 * np.median(wrong[:, 1:])
