"""The joint fit: solve for the camera and all objects of an image from the network's outputs.

Unknowns are the camera's position jitter (3) and (x, y, heading) of every object. Known are the
intrinsics, the camera's look-at point (the world's origin), the ground plane and the boxes' sizes
(given by shape and size). Damped Gauss-Newton with Student-t weights on the image points; the
inverse of the normal matrix gives each object's covariance.

One gauge freedom remains: a camera that looks at the origin sees the same image when it and all
objects rotate together about the vertical. Only the prior on the camera's position bounds that
rotation (standard deviation 1.7 degrees), so the median error of absolute headings is at least
about 1.2 degrees, while relations between objects are unaffected.

All images of a batch are solved at once, in double precision on the device of their points, without
synchronisation: each image rejects its own steps that increase the cost. An image's result does not
depend on the others in the batch.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from po3d.scene.geometry import BOX_SIGNS
from po3d.scene.street import CAMERA_JITTER, CAMERA_POSITION, FOCAL, HEIGHT, WIDTH

POINT_SIGNS = np.concatenate([BOX_SIGNS, [[0.0, 0.0, 0.5]]])  # the box's corners and its centre
# standard deviation of a uniform distribution on [-CAMERA_JITTER, CAMERA_JITTER]
JITTER_SD = CAMERA_JITTER / math.sqrt(3)
# (Student-t degrees of freedom of the noise, iterations): Gaussian first to converge, then heavy
# tails as real errors have.
PHASES = ((1e6, 5), (4.0, 6))
NEAREST = 0.5  # smaller depths are clamped to this
STEP = 1e-5  # of the finite differences with respect to the camera's position


class Fit(NamedTuple):
    """Result of the joint fit of B images with N objects each."""

    jitter: Tensor  # (B, 3)
    position: Tensor  # (B, N, 2)
    heading: Tensor  # (B, N)
    covariance: Tensor  # (B, N, 3, 3) of (x, y, heading), given the camera
    chi2: Tensor  # (B, N) mean squared residual of an object's points, in units of their sigma


class Observed(NamedTuple):
    """Input of the joint fit: what the network observed in B images of N objects each. Nine image
    points per object (eight box corners and the centre) and a heading, with their standard
    deviations."""

    points: Tensor  # (B, N, 9, 2)
    sigma: Tensor  # (B, N, 9, 1)
    heading: Tensor  # (B, N)
    heading_sigma: Tensor  # (B, N)
    local: Tensor  # (B, N, 9, 3) the points in the object's frame
    present: Tensor  # (B, N) 1 or 0


State = tuple[Tensor, Tensor, Tensor]  # jitter, position, heading


def wrapped(angle: Tensor) -> Tensor:
    """Wrap angles to (-pi, pi]; `geometry.wrap_angle` for tensors."""
    return math.pi - torch.remainder(math.pi - angle, 2 * math.pi)


def camera_axes(jitter: Tensor) -> tuple[Tensor, Tensor]:
    """Return poses of cameras that look at the origin, at positions CAMERA_POSITION + jitter.

    These are distances (..., 1) from the origin and rotations cam_R_world (..., 3, 3).

    A point p of the world is R p + (0, 0, distance) in the camera frame.
    """
    eye = jitter + _at(jitter, CAMERA_POSITION)
    distance = eye.norm(dim=-1, keepdim=True)
    forward = -eye / distance
    right = torch.stack([forward[..., 1], -forward[..., 0], torch.zeros_like(forward[..., 0])], -1)
    right = right / right.norm(dim=-1, keepdim=True)
    return distance, torch.stack([right, torch.linalg.cross(forward, right), forward], -2)


def project_boxes(jitter: Tensor, position: Tensor, heading: Tensor, extent: Tensor) -> Tensor:
    """Project the boxes' points to pixels (B, N, 9, 2).

    jitter (B, 3), position (B, N, 2), heading (B, N), extent (B, N, 3).
    """
    p_cam, _ = _in_camera_frames(
        jitter[:, None], position, heading, _at(extent, POINT_SIGNS) * extent[..., None, :]
    )
    return FOCAL * p_cam[:, 0, ..., :2] / p_cam[:, 0, ..., 2:].clamp(min=NEAREST) + _at(
        p_cam, (WIDTH / 2, HEIGHT / 2)
    )


def _in_camera_frames(
    jitter: Tensor, position: Tensor, heading: Tensor, local: Tensor
) -> tuple[Tensor, Tensor]:
    """Transform the boxes' points to the frames of C cameras per image.

    jitter (B, C, 3); local (B, N, 9, 3): the points in the object's frame. Return the points in the
    camera frames, (B, C, N, 9, 3), and their ground offsets from the object's position, (B, N, 9,
    2).
    """
    c, s = heading.cos()[..., None], heading.sin()[..., None]
    x, y, z = local.unbind(-1)
    offset = torch.stack([c * x - s * y, s * x + c * y], -1)
    world = torch.cat([offset + position[:, :, None], z[..., None]], -1).flatten(1, 2)
    distance, rotation = camera_axes(jitter)
    p_cam = (world @ rotation.flatten(1, 2).mT).unflatten(2, (-1, 3)).transpose(1, 2)
    p_cam = p_cam + torch.nn.functional.pad(distance, (2, 0))[:, :, None]
    return p_cam.unflatten(2, local.shape[1:3]), offset


def rays(pixels: Tensor) -> Tensor:
    """Return world directions (..., 3) of unit depth of the nominal camera's rays.

    pixels: (..., 2).
    """
    _, rotation = camera_axes(torch.zeros(3, dtype=pixels.dtype, device=pixels.device))
    d_cam = (pixels - _at(pixels, (WIDTH / 2, HEIGHT / 2))) / FOCAL
    return d_cam[..., :1] * rotation[0] + d_cam[..., 1:] * rotation[1] + rotation[2]


def joint_fit(
    points: Tensor,
    sigma: Tensor,
    heading: Tensor,
    heading_sigma: Tensor,
    extent: Tensor,
    present: Tensor,
) -> Fit:
    """Solve B images at once; all inputs are doubles.

    Args:
      points: (B, N, 9, 2) in pixels of a 640 x 480 image, with noise sigma (B, N, 9).
      heading: (B, N) initial values, also observations with noise heading_sigma (B, N).
      extent: (B, N, 3).
      present: (B, N) bool.
    """
    sigma = sigma.where(present[..., None], 1e6)[..., None]
    local = _at(extent, POINT_SIGNS) * extent[..., None, :]
    observed = Observed(points, sigma, heading, heading_sigma, local, present.to(points))
    start = points.new_zeros((len(heading), 3))
    state = (start, _ground_points(points[:, :, 8], extent[..., 2] / 2), heading)
    for dof, iterations in PHASES:
        state = _descend(state, iterations, observed, dof)
    jitter, position, heading = state
    _, normal, _ = _normal_equations(state, observed, PHASES[-1][0])
    residual = (project_boxes(jitter, position, heading, extent) - points) / sigma
    object_block = normal[..., :3, :3] + 1e-9 * torch.eye(
        3, dtype=normal.dtype, device=normal.device
    )
    covariance = torch.linalg.inv_ex(object_block).inverse
    return Fit(jitter, position, wrapped(heading), covariance, residual.square().mean((-1, -2)))


def _at(like: Tensor, values: object) -> Tensor:
    """Return constants with the dtype and device of `like`."""
    return torch.tensor(np.asarray(values), dtype=like.dtype, device=like.device)


def _descend(state: State, iterations: int, observed: Observed, dof: float) -> State:
    """Run damped Gauss-Newton from `state`; return each image's best state."""
    cost, *equations = _normal_equations(state, observed, dof)
    best, accepted = cost, (*state, *equations)
    damping, better = torch.full_like(cost, 1e-6), torch.ones_like(cost, dtype=torch.bool)
    for _ in range(iterations):
        damping = torch.where(better, damping / 16, damping * 100).clamp(1e-10, 1e6)
        step_c, step_o = _solve(*accepted[3:], damping)
        jitter, position, heading = accepted[:3]
        turn = step_o[..., 2].clamp(-0.5, 0.5)
        state = (jitter + step_c, position + step_o[..., :2], heading + turn)
        cost, *equations = _normal_equations(state, observed, dof)
        better = cost <= best
        now = (*state, *equations)
        accepted = tuple(torch.where(_rows(better, a), a, b) for a, b in zip(now, accepted))
        best = torch.minimum(cost, best)
    return accepted[:3]


def _rows(keep: Tensor, like: Tensor) -> Tensor:
    return keep.view(keep.shape + (1,) * (like.ndim - 1))


def _ground_points(pixels: Tensor, z: Tensor) -> Tensor:
    """Intersect the nominal camera's rays through pixels with heights z: (B, N, 2)."""
    eye, d = _at(pixels, CAMERA_POSITION), rays(pixels)
    reach = (z - eye[2]) / d[..., 2].clamp(max=-0.05)
    return (eye[:2] + d[..., :2] * reach[..., None]).clamp(-8, 8)


def _normal_equations(
    state: State, observed: Observed, dof: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the cost (B,), normal matrices (B, N, 6, 6) and gradients (B, N, 6 + 3) at a state.

    The unknowns of an object's block are (x, y, heading) and the camera's three coordinates. The
    last three gradient entries are -jitter; `_solve` adds the camera's prior.
    """
    jitter, position, heading = state
    present = observed.present
    eye = torch.eye(3, dtype=jitter.dtype, device=jitter.device)
    # the camera's position and its three perturbations
    cameras = torch.cat([jitter[:, None], jitter[:, None] + STEP * eye], 1)
    places, offset = _in_camera_frames(cameras, position, heading, observed.local)
    here = places[:, 0]
    depth = here[..., 2:].clamp(min=NEAREST)
    slope = here[..., :2] / depth
    pixels = FOCAL * slope + _at(slope, (WIDTH / 2, HEIGHT / 2))
    residual = (observed.points - pixels) / observed.sigma * present[..., None, None]
    square = residual.square().sum(-1)
    weight = (dof + 2) / (dof + square) * present[..., None]
    turn = wrapped(observed.heading - heading) / observed.heading_sigma * present
    turn_weight = (dof + 1) / (dof + turn.square()) * present
    cost = (
        ((dof + 2) / 2 * (square / dof).log1p()).sum((1, 2))
        + ((dof + 1) / 2 * (turn.square() / dof).log1p()).sum(1)
        + 0.5 * (jitter / JITTER_SD).square().sum(1)
    )
    # Derivatives of each point in the camera frame with respect to the six unknowns, (B, N, 9, 3,
    # 6). The camera rotates as it moves, so finite differences are simpler than the analytic
    # derivative.
    _, rotation = camera_axes(jitter)
    ground = rotation[:, None, None, :, :2].expand(*here.shape, 2)
    turned = (ground * torch.stack([-offset[..., 1], offset[..., 0]], -1)[..., None, :]).sum(
        -1, keepdim=True
    )
    by_camera = ((places[:, 1:] - places[:, :1]) / STEP).movedim(1, -1)
    derivative = torch.cat([ground, turned, by_camera], -1)
    scale = FOCAL / (depth * observed.sigma)  # (B, N, 9, 1)
    jacobian = scale[..., None] * (
        derivative[..., :2, :] - slope[..., None] * derivative[..., 2:, :]
    )
    jacobian = jacobian.flatten(2, 3)  # (B, N, 18, 6)
    weighted = (jacobian * weight.repeat_interleave(2, -1)[..., None]).mT
    normal = weighted @ jacobian
    gradient = (weighted @ residual.flatten(2)[..., None])[..., 0]
    # The heading observation, and a regulariser for the matrices of absent objects.
    inertia = torch.where(present > 0, 1e-6, 1.0)
    on_heading = turn_weight / observed.heading_sigma.square()
    zero = torch.zeros_like(inertia)
    normal = normal + torch.diag_embed(
        torch.stack([inertia, inertia, inertia + on_heading, zero, zero, zero], -1)
    )
    pull = turn_weight * turn / observed.heading_sigma
    gradient = gradient + torch.stack([zero, zero, pull, zero, zero, zero], -1)
    return (
        cost,
        normal,
        torch.cat([gradient, -jitter[:, None].expand(-1, gradient.shape[1], -1)], -1),
    )


def _solve(normal: Tensor, gradient: Tensor, damping: Tensor) -> tuple[Tensor, Tensor]:
    """Return the camera step (B, 3) and object steps (B, N, 3) by the Schur complement.

    The objects are eliminated first.
    """
    eye = torch.eye(3, dtype=normal.dtype, device=normal.device)
    damped = 1 + damping[:, None, None] * eye
    h_oo, h_oc = normal[..., :3, :3] * damped[:, None], normal[..., :3, 3:]
    h_cc = (normal[..., 3:, 3:].sum(1) + eye / JITTER_SD**2) * damped
    g_o, g_c = gradient[..., :3], gradient[..., 3:6].sum(1) + gradient[:, 0, 6:] / JITTER_SD**2
    solved = torch.linalg.inv_ex(h_oo).inverse @ torch.cat([h_oc, g_o[..., None]], -1)
    gain, alone = solved[..., :3], solved[..., 3]  # h_oo^-1 h_oc, h_oo^-1 g_o
    reduced = h_cc - (h_oc[..., :, :, None] * gain[..., :, None, :]).sum((1, 2))
    right = g_c - (gain * g_o[..., None]).sum((1, 2))
    step_c = (torch.linalg.inv_ex(reduced).inverse * right[:, None]).sum(-1)
    return step_c, alone - (gain * step_c[:, None, None]).sum(-1)
