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


Rows = tuple[Array, Array, Array]  # residuals and derivatives of one kind; see `_of_things`


def _of_things(hold: CameraPose, things: Array, observed: ViewObservation) -> list[Rows]:
    """Compute the object observations by kind, in units of their deviations.

    For each kind return residuals (n, m), and the derivatives of the predictions with respect to
    the camera (n, m, CAMERA) and the object (n, m, PER).
    """
    projection = _project(hold, things)
    return [
        _point_rows(projection, observed),
        _depth_rows(projection, observed),
        _heading_rows(things, observed),
        _size_rows(things, observed),
        _floor_rows(things, observed),
    ]


# corners and centres (n, 9, 3) of n objects in the camera frame, with derivatives by the camera
# (n, 9, 3, CAMERA) and by the object (n, 9, 3, PER)
Projection = tuple[Array, Array, Array]


def _project(hold: CameraPose, things: Array) -> Projection:
    position, heading, extent = things[:, :3], things[:, 3], np.exp(things[:, 4:])
    turn = rotation_z(heading)
    local = POINT_SIGNS - (0.0, 0.0, 0.5)  # relative to the box's middle
    local = local * extent[:, None]
    offset = np.einsum("nij,nkj->nki", turn, local)
    pose = _pose(hold)
    from_eye = position[:, None] + offset - (0.0, 0.0, hold.height)
    p_cam = from_eye @ pose.rotation.T
    by_camera = np.empty((*p_cam.shape, CAMERA))
    for k, moved in enumerate(
        (hold._replace(roll=hold.roll + 1e-6), hold._replace(pitch=hold.pitch + 1e-6))
    ):
        by_camera[..., k] = from_eye @ (_pose(moved).rotation - pose.rotation).T / 1e-6
    by_camera[..., 2] = -pose.rotation[:, 2] * hold.height
    by_thing = np.empty((*p_cam.shape, PER))
    by_thing[..., :3] = pose.rotation
    by_heading = np.stack([-offset[..., 1], offset[..., 0], np.zeros(offset.shape[:2])], -1)
    by_thing[..., 3] = by_heading @ pose.rotation.T
    by_thing[..., 4:] = np.einsum("ij,njk,nak->naik", pose.rotation, turn, local)
    return p_cam, by_camera, by_thing


def _point_rows(projection: Projection, observed: ViewObservation) -> Rows:
    """Return the rows of the image points; points behind the camera or far outside have none."""
    p_cam, by_camera, by_thing = projection
    count = len(p_cam)
    z = np.maximum(p_cam[..., 2:], BEFORE)
    pixels = observed.focal * p_cam[..., :2] / z
    # (n, 9, 2, 3) derivative of the pixel by the point in the camera frame
    identity = np.broadcast_to(np.eye(2), (*p_cam.shape[:2], 2, 2))
    d_pixel = (
        observed.focal
        / z[..., None]
        * np.concatenate([identity, -(p_cam[..., :2] / z)[..., None]], -1)
    )
    sigma = TOGETHER * observed.sigma
    known = (p_cam[..., 2] > BEFORE) & (np.abs(observed.points) < FAR_OUT * observed.width).all(-1)
    scale = np.where(known[..., None], 1 / sigma, 0.0)
    return (
        ((observed.points - pixels) * scale).reshape(count, -1),
        ((d_pixel @ by_camera) * scale[..., None]).reshape(count, -1, CAMERA),
        ((d_pixel @ by_thing) * scale[..., None]).reshape(count, -1, PER),
    )


def _depth_rows(projection: Projection, observed: ViewObservation) -> Rows:
    """Return the rows of the centres' log depths."""
    p_cam, by_camera, by_thing = projection
    depth = np.maximum(p_cam[:, 8, 2], NEAREST)
    scale = 1 / observed.log_depth[:, 1]
    return (
        ((observed.log_depth[:, 0] - np.log(depth)) * scale)[:, None],
        (by_camera[:, 8, 2] / depth[:, None] * scale[:, None])[:, None],
        (by_thing[:, 8, 2] / depth[:, None] * scale[:, None])[:, None],
    )


def _heading_rows(things: Array, observed: ViewObservation) -> Rows:
    """Return the rows of the headings relative to the viewing ray's azimuth."""
    count = len(things)
    x, y, heading = things[:, 0], things[:, 1], things[:, 3]
    away = np.maximum(x**2 + y**2, 1e-6)
    by_thing = np.zeros((count, 1, PER))
    by_thing[:, 0, 0], by_thing[:, 0, 1], by_thing[:, 0, 3] = y / away, -x / away, 1.0
    turned = wrap_angle(observed.alpha - (heading - np.arctan2(y, x))) / observed.alpha_sigma
    by_thing = by_thing / observed.alpha_sigma[:, None, None]
    return turned[:, None], np.zeros((count, 1, CAMERA)), by_thing


def _size_rows(things: Array, observed: ViewObservation) -> Rows:
    """Return the rows of the log sizes."""
    count = len(things)
    by_thing = np.zeros((count, 3, PER))
    by_thing[:, :, 4:] = np.eye(3) / observed.extent_sigma
    grown = (np.log(observed.extent) - things[:, 4:]) / observed.extent_sigma
    return grown, np.zeros((count, 3, CAMERA)), by_thing


def _floor_rows(things: Array, observed: ViewObservation) -> Rows:
    """Return the rows of the undersides of objects on the floor."""
    count, height = len(things), np.exp(things[:, 4:])[:, 2]
    weight = np.where(observed.grounded >= GROUNDED, observed.grounded, 0.0) / GROUND_SIGMA
    by_thing = np.zeros((count, 1, PER))
    by_thing[:, 0, 2], by_thing[:, 0, 6] = weight, -height / 2 * weight
    residual = -(things[:, 2] - height / 2) * weight
    return residual[:, None], np.zeros((count, 1, CAMERA)), by_thing
