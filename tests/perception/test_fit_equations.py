"""The equations of the joint fit, against finite differences, dense solutions and NumPy."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.seeding import rng
from po3d.perception import fit as fits
from po3d.perception.fit import JITTER_SD, NEAREST, POINT_SIGNS, Observed
from po3d.scene.geometry import box_corners, wrap_angle
from po3d.scene.street import CAMERA_POSITION, FOCAL, HEIGHT, WIDTH, camera, extent
from po3d.scene.vocabulary import SHAPES, SIZES

DOUBLE = torch.float64


def case(seed: int, images: int = 2, objects: int = 3, noise: float = 2.0):
    """Return a state (jitter, position, heading) and an observation of it, the last object of the
    first image absent.
    """
    r = rng(seed, "fit-equations")
    jitter = torch.from_numpy(r.uniform(-0.5, 0.5, (images, 3)))
    position = torch.from_numpy(r.uniform(-3, 3, (images, objects, 2)))
    heading = torch.from_numpy(r.uniform(-3, 3, (images, objects)))
    sizes = torch.tensor(
        np.array([[extent(r.choice(SHAPES), r.choice(SIZES)) for _ in range(objects)]] * images)
    )
    points = fits.project_boxes(jitter, position, heading, sizes)
    points = points + torch.from_numpy(r.normal(0, noise, points.shape))
    present = torch.ones(images, objects, dtype=DOUBLE)
    present[0, -1] = 0
    local = torch.from_numpy(POINT_SIGNS) * sizes[..., None, :]
    observed = Observed(
        points,
        torch.from_numpy(r.uniform(1, 3, (images, objects, 9, 1))),
        heading + torch.from_numpy(r.normal(0, 0.2, (images, objects))),
        torch.from_numpy(r.uniform(0.1, 0.5, (images, objects))),
        local,
        present,
    )
    return (jitter, position, heading), observed, sizes


def residuals(state, observed: Observed, sizes):
    """Return the residuals of points (B, N, 9, 2) and headings (B, N) in deviations."""
    jitter, position, heading = state
    visible = fits.project_boxes(jitter, position, heading, sizes)
    off = (observed.points - visible) / observed.sigma * observed.present[..., None, None]
    turn = fits.wrapped(observed.heading - heading) / observed.heading_sigma * observed.present
    return off, turn


def cost(state, observed: Observed, sizes, dof: float):
    """Return the negative log likelihood of Student's distribution, and of the jitter's prior."""
    off, turn = residuals(state, observed, sizes)
    points = (dof + 2) / 2 * (1 + off.square().sum(-1) / dof).log()
    headings = (dof + 1) / 2 * (1 + turn.square() / dof).log()
    prior = (state[0] / JITTER_SD).square().sum(1) / 2
    return points.sum((1, 2)) + headings.sum(1) + prior


def slopes(function, values: torch.Tensor, step: float = 1e-5) -> torch.Tensor:
    """Return the derivatives (values, *result) of a function by central differences."""
    rows = []
    for k in range(len(values)):
        ahead, back = values.clone(), values.clone()
        ahead[k] += step
        back[k] -= step
        rows.append((function(ahead) - function(back)) / (2 * step))
    return torch.stack(rows)


@pytest.mark.parametrize("dof", [4.0, 1e6])
@pytest.mark.parametrize("seed", [1, 2])
def test_cost_and_gradient_are_those_of_students_distribution(seed, dof):
    state, observed, sizes = case(seed)
    result, _, gradient = fits._normal_equations(state, observed, dof)
    torch.testing.assert_close(result, cost(state, observed, sizes, dof), rtol=1e-9, atol=1e-9)
    on_camera = gradient[..., 3:6].sum(1) + gradient[:, 0, 6:] / JITTER_SD**2
    shapes = [part.shape for part in state]

    def total(flat: torch.Tensor) -> torch.Tensor:
        parts = flat.split([shape.numel() for shape in shapes])
        changed = [part.view(shape) for part, shape in zip(parts, shapes)]
        return cost(changed, observed, sizes, dof).sum()

    fall = -slopes(total, torch.cat([part.flatten() for part in state]))
    by_camera, by_place, by_turn = fall.split([shape.numel() for shape in shapes])
    torch.testing.assert_close(gradient[..., :2], by_place.view(shapes[1]), rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(gradient[..., 2], by_turn.view(shapes[2]), rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(on_camera, by_camera.view(shapes[0]), rtol=1e-3, atol=1e-2)
    assert gradient[0, -1, :6].abs().max() == 0  # absent


@pytest.mark.parametrize("dof", [4.0, 1e6])
def test_normal_matrices_are_weighted_products_of_the_jacobian(dof):
    state, observed, sizes = case(3)
    _, normal, _ = fits._normal_equations(state, observed, dof)
    off, turn = residuals(state, observed, sizes)
    weight = (dof + 2) / (dof + off.square().sum(-1)) * observed.present[..., None]
    on_heading = (dof + 1) / (dof + turn.square()) * observed.present

    def points(unknown, image, row):
        """Residuals of one object as a function of x, y, heading and jitter."""
        whole = fits.project_boxes(
            unknown[None, 3:],
            unknown[None, None, :2],
            unknown[None, None, 2],
            sizes[image, row][None, None],
        )[0, 0]
        return (observed.points[image, row] - whole) / observed.sigma[image, row]

    for image in range(2):
        for row in range(3):
            unknown = torch.cat([state[1][image, row], state[2][image, row][None], state[0][image]])
            jacobian = slopes(lambda u, i=image, k=row: points(u, i, k).flatten(), unknown).T
            each = weight[image, row].repeat_interleave(2)[:, None]
            want = jacobian.T @ (each * jacobian)
            here = observed.present[image, row] > 0
            want[:3, :3] += torch.eye(3, dtype=DOUBLE) * (1e-6 if here else 1.0)
            want[2, 2] += on_heading[image, row] / observed.heading_sigma[image, row] ** 2
            torch.testing.assert_close(normal[image, row], want, rtol=2e-3, atol=0.05)
            torch.testing.assert_close(
                normal[image, row, :3, :3], want[:3, :3], rtol=1e-6, atol=1e-6
            )


def test_a_step_solves_the_whole_system():
    """Eliminating the objects first gives the solution of the full matrix, damped on its
    diagonal blocks.
    """
    state, observed, _ = case(4)
    _, normal, gradient = fits._normal_equations(state, observed, 4.0)
    damping = torch.tensor([1e-3, 0.7], dtype=DOUBLE)
    step_c, step_o = fits._solve(normal, gradient, damping)
    for image in range(2):
        whole = torch.zeros(12, 12, dtype=DOUBLE)
        right = torch.zeros(12, dtype=DOUBLE)
        for row in range(3):
            own = slice(3 + 3 * row, 6 + 3 * row)
            whole[own, own] = normal[image, row, :3, :3]
            whole[own, :3] = normal[image, row, :3, 3:]
            whole[:3, own] = normal[image, row, :3, 3:].T
            whole[:3, :3] += normal[image, row, 3:, 3:]
            right[own] = gradient[image, row, :3]
            right[:3] += gradient[image, row, 3:6]
        whole[:3, :3] += torch.eye(3, dtype=DOUBLE) / JITTER_SD**2
        right[:3] += gradient[image, 0, 6:] / JITTER_SD**2
        for begin in range(0, 12, 3):
            for k in range(begin, begin + 3):
                whole[k, k] *= 1 + damping[image]
        want = torch.linalg.solve(whole, right)
        torch.testing.assert_close(step_c[image], want[:3], rtol=1e-7, atol=1e-9)
        torch.testing.assert_close(step_o[image].flatten(), want[3:], rtol=1e-7, atol=1e-9)


def fitted(observed: Observed, sizes, start):
    return fits.joint_fit(
        observed.points,
        observed.sigma[..., 0].expand(-1, -1, 9).clone(),
        start,
        observed.heading_sigma,
        sizes,
        observed.present > 0,
    )


def test_the_result_is_a_minimum_and_its_covariance_the_inverse_of_its_curvature():
    state, observed, sizes = case(5, noise=1.0)
    result = fitted(observed, sizes, observed.heading)
    final = (result.jitter, result.position, result.heading)
    sigma = observed.sigma.where(observed.present[..., None, None] > 0, 1e6)
    exact = observed._replace(sigma=sigma)
    _, normal, gradient = fits._normal_equations(final, exact, 4.0)
    on_camera = gradient[..., 3:6].sum(1) + gradient[:, 0, 6:] / JITTER_SD**2
    # small against a deviation of one
    curvature = torch.linalg.eigvalsh(normal[..., :3, :3]).amin(-1).sqrt()
    present = observed.present > 0
    assert (gradient[..., :3].norm(dim=-1) / curvature)[present].max() < 0.02
    assert (on_camera.norm(dim=-1) * JITTER_SD).max() < 0.2
    block = normal[..., :3, :3] + 1e-9 * torch.eye(3, dtype=DOUBLE)
    torch.testing.assert_close(result.covariance, torch.linalg.inv(block), rtol=1e-6, atol=1e-9)
    off, _ = residuals(final, exact._replace(present=torch.ones_like(exact.present)), sizes)
    torch.testing.assert_close(result.chi2, off.square().mean((-1, -2)), rtol=1e-9, atol=1e-12)
    assert (result.heading.abs() <= math.pi).all()
    better = cost(final, exact, sizes, 4.0) <= cost(state, exact, sizes, 4.0)
    assert better.all()


def test_a_fit_from_far_away_is_the_recorded_one():
    """Iterations, damping and limits of steps show in a fit that has not converged: headings start
    a radian off, and one object's points are 40 pixels off.
    """
    state, observed, sizes = case(6, images=1)
    start = state[2] + torch.tensor([[1.0, -1.2, 0.0]], dtype=DOUBLE)
    points = observed.points.clone()
    points[0, 1] += 40
    result = fitted(observed._replace(points=points, heading=start), sizes, start)
    for name, values in RECORDED.items():
        output = getattr(result, name)[0].flatten()
        np.testing.assert_allclose(output, values, atol=2e-6, err_msg=name)


RECORDED = {
    "jitter": [0.718034, -0.617272, 0.757904],
    "position": [-2.097411, 1.956373, 3.892289, 0.551918, -1.483236, -2.789694],
    "heading": [-2.123262, 0.556406, -2.175547],
}


@given(st.floats(-20, 20))
def test_angles_are_wrapped_like_those_of_scenes(angle):
    result = float(fits.wrapped(torch.tensor(angle, dtype=DOUBLE)))
    assert result == pytest.approx(float(wrap_angle(angle)), abs=1e-12)
    assert -math.pi < result <= math.pi
    assert float(fits.wrapped(torch.tensor(-math.pi, dtype=DOUBLE))) == math.pi


def test_cameras_are_those_of_the_scenes_and_near_points_are_clamped():
    jitter = torch.tensor([[0.3, -0.4, 0.2], [0.0, 0.0, 0.0]], dtype=DOUBLE)
    distance, rotation = fits.camera_axes(jitter)
    for k in range(2):
        known = camera(jitter[k].numpy())
        np.testing.assert_allclose(rotation[k], known.cam_T_world.rotation, atol=1e-12)
        np.testing.assert_allclose(distance[k], np.linalg.norm(CAMERA_POSITION + jitter[k].numpy()))
    # beside the camera: some corners are behind it, or nearer than NEAREST
    position = torch.tensor([[CAMERA_POSITION[:2]]], dtype=DOUBLE)
    size = torch.tensor([[[2.0, 1.0, 9.0]]], dtype=DOUBLE)
    heading = torch.tensor([[0.4]], dtype=DOUBLE)
    result = fits.project_boxes(jitter[1:], position, heading, size)[0, 0]
    corners = box_corners(position[0].numpy(), heading[0].numpy(), size[0].numpy())[0]
    middle = np.array([*CAMERA_POSITION[:2], 4.5])
    in_camera = np.vstack([corners, middle]) @ rotation[1].numpy().T + [0, 0, float(distance[1])]
    depth = np.maximum(in_camera[:, 2:], NEAREST)
    assert (in_camera[:, 2] < NEAREST).any()
    assert (in_camera[:, 2] > NEAREST).any()
    want = FOCAL * in_camera[:, :2] / depth + [WIDTH / 2, HEIGHT / 2]
    np.testing.assert_allclose(result, want, rtol=1e-9)


def test_rays_meet_the_ground_where_a_point_is_visible():
    known, heights = camera(), np.array([0.0, 0.5, 1.2])
    ground = np.array([[0.0, 0.0], [2.0, -1.0], [-3.0, 2.5]])
    pixels, _ = known.project(np.column_stack([ground, heights]))
    result = fits._ground_points(torch.from_numpy(pixels[None]), torch.from_numpy(heights[None]))
    np.testing.assert_allclose(result[0], ground, atol=1e-9)
    # above the horizon there is no ground: the start is within 8 units of the origin
    sky = torch.tensor([[[320.0, -900.0], [-4000.0, 10.0], [320.0, 60.0]]], dtype=DOUBLE)
    far = fits._ground_points(sky, torch.zeros(1, 3, dtype=DOUBLE))
    direction = fits.rays(sky)
    reach = -CAMERA_POSITION[2] / direction[..., 2].clamp(max=-0.05)
    want = torch.tensor(CAMERA_POSITION[:2], dtype=DOUBLE) + direction[..., :2] * reach[..., None]
    torch.testing.assert_close(far, want.clamp(-8, 8))
    assert far.abs().amax() == 8
    flat = torch.tensor([[[320.0, 240.0 - FOCAL * math.tan(math.radians(28))]]], dtype=DOUBLE)
    assert -0.05 < float(fits.rays(flat)[..., 2]) < 0.05
