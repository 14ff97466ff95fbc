"""The joint fit of one view: the camera pose and all objects, from the network's outputs.

Unknowns are the camera's roll, pitch and log height, and for every object its position (x, y, z),
heading and log sizes. The focal length is known. Observations, each with its standard deviation,
are the image points of the boxes' corners and centres, depths, headings relative to the viewing
ray, sizes, and the camera pose. Objects on the floor have their underside at z = 0, which ties
depths to the camera's height and pitch. Damped Gauss-Newton with Student-t weights; the inverse of
the normal matrix gives each object's covariance.

Metres, radians and pixels from the image's middle. The camera is above the origin.
"""

import math
from typing import NamedTuple

import numpy as np

from po3d.perception.fit import POINT_SIGNS
from po3d.scene.camera import CameraPose, held
from po3d.scene.geometry import Array, Pose, rotation_z, wrap_angle

DOF = 4.0  # degrees of freedom of the Student-t noise
ITERATIONS = 14
# factor on the deviations of an object's 18 image coordinates, whose errors are correlated
TOGETHER = 6.0
GROUND_SIGMA = 0.015  # metres between the floor and the underside of objects on it
GROUNDED = 0.5  # least probability of standing on the floor for the floor observation to be used
BEFORE = 0.1  # metres of depth below which a corner is not projected
# image widths from the middle beyond which predicted corners are ignored as unreliable
FAR_OUT = 1.5
LOWEST, NEAREST = 0.05, 0.1  # metres of the camera's height and of an object's depth
PER = 7  # unknowns of an object
CAMERA = 3  # unknowns of the camera


class ViewObservation(NamedTuple):
    """The network's outputs for an image with n objects."""

    focal: float  # pixels
    width: int
    height: int
    hold: Array  # (3, 2) roll, pitch and log height, each with its deviation
    points: Array  # (n, 9, 2) corners (geometry.BOX_SIGNS) and centre
    sigma: Array  # (n, 9, 2) deviations of their x and y
    alpha: Array  # (n,) heading minus the viewing ray's azimuth
    alpha_sigma: Array  # (n,)
    log_depth: Array  # (n, 2) of the centre, with its deviation
    extent: Array  # (n, 3)
    extent_sigma: float  # of log sizes
    grounded: Array  # (n,) probability of standing on the floor


class ViewFit(NamedTuple):
    """Result of the joint fit of a view with n objects."""

    hold: CameraPose
    cam_T_world: Pose
    position: Array  # (n, 3)
    heading: Array  # (n,)
    extent: Array  # (n, 3)
    covariance: Array  # (n, 3, 3) of (x, y, heading), including the camera's uncertainty


def fit_view(observed: ViewObservation, azimuth: float) -> ViewFit:
    """Solve for the view; the camera looks along `azimuth`."""
    state = _start(observed, azimuth)
    cost, normal, gradient = _equations(state, observed, azimuth)
    damping = 1e-4
    for _ in range(ITERATIONS):
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
        moved = state + np.clip(step, -0.5, 0.5)
        equations = _equations(moved, observed, azimuth)
        if equations[0] <= cost:
            settled = cost - equations[0] < 1e-6 * (1 + cost)
            state, (cost, normal, gradient), damping = moved, equations, max(damping / 10, 1e-8)
            if settled:
                break
        else:
            damping = min(damping * 30, 1e6)
    covariance = np.linalg.inv(normal)
    hold, things = _hold(state, azimuth), state[CAMERA:].reshape(-1, PER)
    blocks = [CAMERA + PER * k + np.array([0, 1, 3]) for k in range(len(things))]
    return ViewFit(
        hold,
        _pose(hold),
        things[:, :3],
        wrap_angle(things[:, 3]),
        np.exp(things[:, 4:]),
        np.array([covariance[np.ix_(b, b)] for b in blocks]).reshape(-1, 3, 3),
    )


def _hold(state: Array, azimuth: float) -> CameraPose:
    return CameraPose(math.exp(state[2]), float(state[1]), float(state[0]), azimuth)


def _pose(hold: CameraPose) -> Pose:
    return held(hold, 1, 1, 1.0).cam_T_world


def _start(observed: ViewObservation, azimuth: float) -> Array:
    """Return the initial state, from all observations except those of the floor."""
    roll, pitch, log_height = observed.hold[:, 0]
    log_height = max(float(log_height), math.log(LOWEST))
    pose = _pose(CameraPose(math.exp(log_height), float(pitch), float(roll), azimuth)).inverse()
    rays = np.concatenate(
        [observed.points[:, 8] / observed.focal, np.ones((len(observed.points), 1))], -1
    )
    position = pose.transform(rays * np.exp(observed.log_depth[:, :1]))
    heading = observed.alpha + np.arctan2(position[:, 1], position[:, 0])
    things = np.concatenate([position, heading[:, None], np.log(observed.extent)], 1)
    return np.concatenate([[roll, pitch, log_height], things.ravel()])


def _equations(
    state: Array, observed: ViewObservation, azimuth: float
) -> tuple[float, Array, Array]:
    """Return cost, normal matrix and gradient of all observations at a state."""
    hold, things = _hold(state, azimuth), state[CAMERA:].reshape(-1, PER)
    count, size = len(things), len(state)
    # (n, PER) indices of each object's unknowns
    columns = CAMERA + PER * np.arange(count)[:, None] + np.arange(PER)
    residuals, jacobians = [(observed.hold[:, 0] - state[:CAMERA]) / observed.hold[:, 1]], []
    jacobians.append(np.eye(size)[:CAMERA] / observed.hold[:, 1:])
    if count:
        for residual, of_camera, of_thing in _of_things(hold, things, observed):
            rows = residual.shape[1]
            jacobian = np.zeros((count, rows, size))
            jacobian[:, :, :CAMERA] = of_camera
            np.put_along_axis(
                jacobian, np.broadcast_to(columns[:, None], (count, rows, PER)), of_thing, axis=2
            )
            residuals.append(residual.ravel())
            jacobians.append(jacobian.reshape(-1, size))
    r, j = np.concatenate(residuals), np.concatenate(jacobians)
    weight = (DOF + 1) / (DOF + r**2)
    cost = float((DOF + 1) / 2 * np.log1p(r**2 / DOF).sum())
    weighted = j * weight[:, None]
    return cost, weighted.T @ j + 1e-9 * np.eye(size), weighted.T @ r


def _of_things(
    hold: CameraPose, things: Array, observed: ViewObservation
) -> list[tuple[Array, Array, Array]]:
    """Compute the object observations by kind, in units of their deviations.

    For each kind return residuals (n, m), and the derivatives of the predictions with respect to
    the camera (n, m, CAMERA) and the object (n, m, PER).
    """
    position, heading, extent = things[:, :3], things[:, 3], np.exp(things[:, 4:])
    count = len(things)
    turn = rotation_z(heading)
    local = POINT_SIGNS - (0.0, 0.0, 0.5)  # relative to the box's middle
    local = local * extent[:, None]
    offset = np.einsum("nij,nkj->nki", turn, local)
    pose = _pose(hold)
    from_eye = position[:, None] + offset - (0.0, 0.0, hold.height)
    p_cam = from_eye @ pose.rotation.T
    z = np.maximum(p_cam[..., 2:], BEFORE)
    pixels = observed.focal * p_cam[..., :2] / z
    d_pixel = (
        observed.focal
        / z[..., None]
        * np.concatenate(
            [
                np.broadcast_to(np.eye(2), (*p_cam.shape[:2], 2, 2)),
                -(p_cam[..., :2] / z)[..., None],
            ],
            -1,
        )
    )  # (n, 9, 2, 3) with respect to the point in the camera frame
    # Derivatives of the point in the camera frame with respect to the unknowns: (n, 9, 3, CAMERA)
    # and (n, 9, 3, PER).
    by_camera = np.empty((*p_cam.shape, CAMERA))
    for k, moved in enumerate(
        (hold._replace(roll=hold.roll + 1e-6), hold._replace(pitch=hold.pitch + 1e-6))
    ):
        by_camera[..., k] = from_eye @ (_pose(moved).rotation - pose.rotation).T / 1e-6
    by_camera[..., 2] = -pose.rotation[:, 2] * hold.height
    by_thing = np.empty((*p_cam.shape, PER))
    by_thing[..., :3] = pose.rotation
    by_thing[..., 3] = (
        np.stack([-offset[..., 1], offset[..., 0], np.zeros(offset.shape[:2])], -1)
        @ pose.rotation.T
    )
    by_thing[..., 4:] = np.einsum("ij,njk,nak->naik", pose.rotation, turn, local)
    sigma = TOGETHER * observed.sigma
    known = (p_cam[..., 2] > BEFORE) & (np.abs(observed.points) < FAR_OUT * observed.width).all(-1)
    scale = np.where(known[..., None], 1 / sigma, 0.0)
    residuals = [
        (
            ((observed.points - pixels) * scale).reshape(count, -1),
            ((d_pixel @ by_camera) * scale[..., None]).reshape(count, -1, CAMERA),
            ((d_pixel @ by_thing) * scale[..., None]).reshape(count, -1, PER),
        )
    ]
    depth = np.maximum(p_cam[:, 8, 2], NEAREST)
    scale = 1 / observed.log_depth[:, 1]
    residuals.append(
        (
            ((observed.log_depth[:, 0] - np.log(depth)) * scale)[:, None],
            (by_camera[:, 8, 2] / depth[:, None] * scale[:, None])[:, None],
            (by_thing[:, 8, 2] / depth[:, None] * scale[:, None])[:, None],
        )
    )
    nothing, level = np.zeros((count, 1, CAMERA)), np.zeros((count, 1, PER))
    x, y = position[:, 0], position[:, 1]
    away = np.maximum(x**2 + y**2, 1e-6)
    level[:, 0, 0], level[:, 0, 1], level[:, 0, 3] = y / away, -x / away, 1.0
    turned = wrap_angle(observed.alpha - (heading - np.arctan2(y, x))) / observed.alpha_sigma
    residuals.append((turned[:, None], nothing, level / observed.alpha_sigma[:, None, None]))
    sizes = np.zeros((count, 3, PER))
    sizes[:, :, 4:] = np.eye(3) / observed.extent_sigma
    grown = (np.log(observed.extent) - things[:, 4:]) / observed.extent_sigma
    residuals.append((grown, np.zeros((count, 3, CAMERA)), sizes))
    weight = np.where(observed.grounded >= GROUNDED, observed.grounded, 0.0) / GROUND_SIGMA
    low = np.zeros((count, 1, PER))
    low[:, 0, 2], low[:, 0, 6] = weight, -extent[:, 2] / 2 * weight
    residuals.append(((-(position[:, 2] - extent[:, 2] / 2) * weight)[:, None], nothing, low))
    return residuals
