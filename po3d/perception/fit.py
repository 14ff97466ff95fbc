"""The joint fit: one camera and all objects of an image, solved together from what the network saw.

Unknowns are the camera's three jitter numbers and (x, y, heading) of every object; the lens, the tracking of the
world's origin, the ground plane and the boxes' sizes (shape and size decide them) are known. Damped Gauss-Newton with
Student weights on the image points; the inverse of the normal matrix gives each object's covariance.

One thing no picture tells: a camera that tracks the origin sees the same when it and all objects turn together about
the vertical. Only the prior on the camera's place bounds that turn (sd 1.7 degrees), so absolute headings can't be
better than about 1.2 degrees in the median, while relations between objects do not suffer.
"""

from typing import NamedTuple

import numpy as np

from po3d.scene.geometry import BOX_SIGNS, Array, wrap_angle
from po3d.scene.street import CAMERA_JITTER, CAMERA_POSITION, FOCAL, HEIGHT, WIDTH

POINT_SIGNS = np.concatenate([BOX_SIGNS, [[0.0, 0.0, 0.5]]])  # the box's corners and its centre
JITTER_SD = CAMERA_JITTER / np.sqrt(3)  # of a uniform distribution
# (Student degrees of freedom of the noise, iterations): Gaussian to come near, then with the tails errors really have.
PHASES = ((1e6, 5), (4.0, 6))


class Fit(NamedTuple):
    jitter: Array  # (B, 3)
    position: Array  # (B, N, 2)
    heading: Array  # (B, N)
    covariance: Array  # (B, N, 3, 3) of (x, y, heading), the camera held fixed
    chi2: Array  # (B, N) mean squared residual of an object's points, in units of their sigma


def camera_axes(jitter: Array) -> tuple[Array, Array]:
    """Eyes (B, 3) and rotations cam_R_world (B, 3, 3) of cameras that track the world's origin."""
    eye = np.asarray(CAMERA_POSITION) + jitter
    forward = -eye / np.linalg.norm(eye, axis=-1, keepdims=True)
    right = np.stack([forward[..., 1], -forward[..., 0], np.zeros_like(forward[..., 0])], -1)
    right /= np.linalg.norm(right, axis=-1, keepdims=True)
    return eye, np.stack([right, np.cross(forward, right), forward], -2)


def project_boxes(
    jitter: Array, position: Array, heading: Array, extent: Array
) -> tuple[Array, Array, Array]:
    """Pixels (B, N, 9, 2) of the boxes' points, with the points in the camera's frame (B, N, 9, 3) and the offsets
    in the world from each object's ground point (B, N, 9, 3)."""
    local = POINT_SIGNS * extent[..., None, :]
    c, s = np.cos(heading)[..., None], np.sin(heading)[..., None]
    offset = np.stack(
        [c * local[..., 0] - s * local[..., 1], s * local[..., 0] + c * local[..., 1], local[..., 2]], -1
    )
    eye, cam_R_world = camera_axes(jitter)
    p = offset - eye[:, None, None]
    p[..., :2] += position[:, :, None]
    p_cam = np.einsum("bij,bnkj->bnki", cam_R_world, p)
    z = np.maximum(p_cam[..., 2:], 0.5)
    return FOCAL * p_cam[..., :2] / z + (WIDTH / 2, HEIGHT / 2), p_cam, offset


def joint_fit(
    points: Array, sigma: Array, heading: Array, heading_sigma: Array, extent: Array, present: Array
) -> Fit:
    """Solve B images at once. points (B, N, 9, 2) in pixels of the 640 x 480 picture with noise sigma (B, N, 9),
    headings (B, N) as starting values and observations with noise heading_sigma (B, N), extents (B, N, 3),
    present (B, N) bool."""
    batch = len(heading)
    jitter = np.zeros((batch, 3))
    heading = heading.copy()
    observed = heading.copy()
    position = _ground_points(points[:, :, 8], extent[..., 2] / 2)
    mask = present[:, :, None, None]
    sigma = np.where(present[..., None], sigma, 1e6)[..., None]
    state = (jitter, position, heading)
    for dof, iterations in PHASES:
        state = _descend(state, iterations, (points, sigma, observed, heading_sigma, extent, mask, dof))
    jitter, position, heading = state
    _, (_, _, _, h_oo, _) = _normal_equations(
        state, points, sigma, observed, heading_sigma, extent, mask, PHASES[-1][0]
    )
    residual = (project_boxes(jitter, position, heading, extent)[0] - points) / sigma
    covariance = np.linalg.inv(h_oo + 1e-9 * np.eye(3))
    return Fit(jitter, position, wrap_angle(heading), covariance, (residual**2).mean((-1, -2)))


def _descend(state: tuple[Array, Array, Array], iterations: int, data: tuple) -> tuple[Array, Array, Array]:
    """Damped Gauss-Newton from `state`; every image keeps its best state so far."""
    damping = np.full(len(state[0]), 1e-6)
    best = np.full(len(state[0]), np.inf)
    kept = state
    for last in [False] * iterations + [True]:
        cost, blocks = _normal_equations(state, *data)
        better = cost <= best
        kept = tuple(np.where(_rows(better, a), a, b) for a, b in zip(state, kept))
        best = np.minimum(cost, best)
        if last:
            break
        if not better.all():  # a step that made things worse is taken back and tried shorter
            _, blocks = _normal_equations(kept, *data)
        damping = np.clip(np.where(better, damping / 16, damping * 100), 1e-10, 1e6)
        step_c, step_o = _solve(*blocks, damping)
        state = (kept[0] + step_c, kept[1] + step_o[..., :2], kept[2] + np.clip(step_o[..., 2], -0.5, 0.5))
    return kept


def _rows(keep: Array, like: Array) -> Array:
    return keep.reshape(keep.shape + (1,) * (like.ndim - 1))


def _ground_points(pixels: Array, z: Array) -> Array:
    """(B, N, 2) where the nominal camera's rays through pixels (B, N, 2) reach heights z (B, N)."""
    eye, cam_R_world = camera_axes(np.zeros((1, 3)))
    d_cam = np.concatenate([(pixels - (WIDTH / 2, HEIGHT / 2)) / FOCAL, np.ones_like(pixels[..., :1])], -1)
    d = d_cam @ cam_R_world[0]
    return np.clip(
        eye[0, :2] + d[..., :2] * ((z - eye[0, 2]) / np.minimum(d[..., 2], -0.05))[..., None], -8, 8
    )


def _normal_equations(state, points, sigma, observed, heading_sigma, extent, mask, dof):
    """Cost (B,) and the blocks of the normal equations at a state: camera-camera, camera-object, camera gradient,
    object-object, object gradient."""
    jitter, position, heading = state
    pixels, p_cam, offset = project_boxes(jitter, position, heading, extent)
    residual = np.where(mask, (points - pixels) / sigma, 0.0)
    square = (residual**2).sum(-1, keepdims=True)
    weight = np.where(mask, (dof + 2) / (dof + square), 0.0)
    turn = wrap_angle(observed - heading) / heading_sigma * mask[..., 0, 0]
    turn_weight = (dof + 1) / (dof + turn**2)
    cost = (
        ((dof + 2) / 2 * np.log1p(square / dof)).sum((1, 2, 3))
        + ((dof + 1) / 2 * np.log1p(turn**2 / dof)).sum(1)
        + 0.5 * ((jitter / JITTER_SD) ** 2).sum(1)
    )
    # d pixel / d world point, divided by sigma
    _, cam_R_world = camera_axes(jitter)
    z = np.maximum(p_cam[..., 2], 0.5)[..., None]
    d_pixel = (
        FOCAL
        / z[..., None]
        * (cam_R_world[:, None, None, :2] - (p_cam[..., :2] / z)[..., None] * cam_R_world[:, None, None, 2:])
    )  # (B, N, 9, 2, 3)
    d_turn = np.stack([-offset[..., 1], offset[..., 0]], -1)  # of a point on the ground plane by heading
    j_object = np.concatenate(
        [d_pixel[..., :2], np.einsum("bnkij,bnkj->bnki", d_pixel[..., :2], d_turn)[..., None]], -1
    )
    j_camera = np.empty((*pixels.shape, 3))
    for k in range(
        3
    ):  # the camera turns as it moves: differences are simpler than the derivative, and exact enough
        moved = jitter.copy()
        moved[:, k] += 1e-4
        j_camera[..., k] = (project_boxes(moved, position, heading, extent)[0] - pixels) / 1e-4
    j_object, j_camera = j_object / sigma[..., None], j_camera / sigma[..., None]
    w = weight[..., None]
    h_oo = np.einsum("bnkip,bnkiq->bnpq", w * j_object, j_object)
    turn_information = turn_weight / heading_sigma**2 * mask[..., 0, 0]
    h_oo[..., 2, 2] += turn_information
    h_oo += np.where(mask[..., 0, 0], 1e-6, 1.0)[..., None, None] * np.eye(3)
    g_o = np.einsum("bnkip,bnki->bnp", w * j_object, residual)
    g_o[..., 2] += turn_weight * turn / heading_sigma * mask[..., 0, 0]
    h_cc = np.einsum("bnkip,bnkiq->bpq", w * j_camera, j_camera) + np.eye(3) / JITTER_SD**2
    h_co = np.einsum("bnkip,bnkiq->bnpq", w * j_camera, j_object)
    g_c = np.einsum("bnkip,bnki->bp", w * j_camera, residual) - jitter / JITTER_SD**2
    return cost, (h_cc, h_co, g_c, h_oo, g_o)


def _solve(h_cc, h_co, g_c, h_oo, g_o, damping):
    """Camera step (B, 3) and object steps (B, N, 3): objects are eliminated first (Schur complement)."""
    h_oo = h_oo * (1 + damping[:, None, None, None] * np.eye(3))
    h_cc = h_cc * (1 + damping[:, None, None] * np.eye(3))
    gain = np.linalg.solve(h_oo, np.swapaxes(h_co, -1, -2))  # (B, N, 3, 3): h_oo^-1 h_oc
    reduced = h_cc - np.einsum("bnpq,bnqr->bpr", h_co, gain)
    step_c = np.linalg.solve(reduced, (g_c - np.einsum("bnqp,bnq->bp", gain, g_o))[..., None])[..., 0]
    step_o = np.linalg.solve(h_oo, (g_o - np.einsum("bnpq,bp->bnq", h_co, step_c))[..., None])[..., 0]
    return step_c, step_o
