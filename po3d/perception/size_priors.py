"""Distances from one picture without a depth map: a joint least-squares fit of size priors.

    boxes, names ──► sizes of their kinds, ground contact, horizon, focal length ──► distances

`sizes.csv` has mean depth, width and height in metres for each kind, the spread of heights (a
standard deviation of their logarithm) and the height of the base over the ground with its standard
deviation. The values are estimates from general knowledge, rounded. World and camera are those of
`foundation_geometry`; the camera is assumed to have no roll.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from po3d.io.files import rows_beside
from po3d.language.lexicon import fits
from po3d.scene.geometry import Array
from po3d.scene.rooms import category_of

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

# Priors of the camera: means and standard deviations; of the logarithm for height and focal length.
PITCH = math.radians(-5), math.radians(12)
EYE = 1.5, 0.35  # metres
FOCAL = 0.3  # about the focal length of the usual field of view
EDGE = 3.0  # pixels; a box that ends so close to the picture's edge is cut off there
BOX_ERROR = 0.04, 2.0  # of a box's edge: share of its height, pixels at least
WIDTH_ERROR = 0.12  # of the logarithm of a box's width
KNOWN_ERROR = 0.03  # of the logarithm of a height that the user gives
# of the ground's height, relative to the distance: a standard deviation of slopes and unevenness
UNEVEN = 0.015
NEAREST = 0.2  # least distance of an object's near side, relative to its centre's
START_ERROR = 1.0  # of the logarithm of a distance from the size of one box alone
LARGEST_SIGMA = 0.7
MOST_STEPS = 80


class SizePrior(NamedTuple):
    """Typical size and height above the ground of objects of one kind, with deviations. Lengths in
    metres."""

    extent: tuple[float, float, float]  # mean depth, width, height
    spread: float  # standard deviation of the logarithm of the height
    base: float  # height of the base over the ground
    base_spread: float


def _prior(row: Mapping[str, str]) -> SizePrior:
    extent = float(row["depth"]), float(row["width"]), float(row["height"])
    return SizePrior(extent, *map(float, (row["spread"], row["base"], row["base_spread"])))


SIZES = {row["name"]: _prior(row) for row in rows_beside(__file__, "sizes.csv")}
UNKNOWN = SizePrior((0.5, 0.5, 0.5), 0.7, 0.3, 0.6)  # of things of no listed kind
_SPREAD_OF_FURNITURE = 0.25
_BASE_OF = {"top": (0.75, 0.3), "wall": (1.2, 0.6)}  # by where it stands, else on the floor


@cache
def prior_of(name: str) -> SizePrior | None:
    """Return the prior of a name, its kind's or its synonym's; None if neither is listed."""
    if name in SIZES:
        return SIZES[name]
    if (category := category_of(name)) is not None:
        base = _BASE_OF.get(category.stands, (0.0, 0.05))
        if category.stands == "wall":
            base = category.bottom, base[1]
        return SizePrior(category[:3], _SPREAD_OF_FURNITURE, *base)
    kind = max(SIZES, key=lambda listed: fits(listed, name))
    return SIZES[kind] if fits(kind, name) >= 0.9 else None


class PriorFit(NamedTuple):
    """Result of the fit for n objects."""

    focal: float  # pixels
    pitch: float
    height: float  # of the camera
    position: Array  # (n, 3) centres
    extent: Array  # (n, 3)
    # (n,) standard deviation of the logarithm of each distance relative to the others
    sigma: Array
    common: float  # the same of the factor that all distances share


def fit(
    box: Array,
    names: Sequence[str],
    size: tuple[int, int],
    usual_focal: float,
    focal: float | None = None,
    center: tuple[float, float] | None = None,
    known: Mapping[int, float] | None = None,
) -> PriorFit:
    """Fit camera and objects to image boxes (n, 4) in pixels.

    `size`: width and height of the picture. `usual_focal`: in pixels, if `focal` is unknown.
    `center`: principal point, by default the middle. `known`: heights in metres by row.
    """
    problem = _Problem(box, names, size, usual_focal, focal, center, known or {})
    start = problem.start()
    if not len(box):
        return PriorFit(
            focal or usual_focal,
            PITCH[0],
            EYE[0],
            np.zeros((0, 3)),
            np.zeros((0, 3)),
            np.zeros(0),
            0.0,
        )
    # imported here: importing scipy.optimize takes 0.25 s
    from scipy.optimize import least_squares

    result = least_squares(
        problem.residuals, start, loss="soft_l1", x_scale="jac", max_nfev=MOST_STEPS, method="trf"
    )
    return problem.result(result)


class _Problem:
    """Residuals of the fit. Unknowns: log focal, pitch, log height; for each object log distance
    along the ground, log size relative to its kind, and height of its base.
    """

    def __init__(
        self,
        box: Array,
        names: Sequence[str],
        size: tuple[int, int],
        usual_focal: float,
        focal: float | None,
        center: tuple[float, float] | None,
        known: Mapping[int, float],
    ) -> None:
        width, height = size
        self.box, self.count = np.asarray(box, float), len(box)
        self.center = center or (width / 2, height / 2)
        self.focal = (focal, 0.002) if focal else (usual_focal, FOCAL)
        priors = [prior_of(name) or UNKNOWN for name in names]
        extent, spread, *base = zip(*priors) if priors else ((), (), (), ())
        self.extent, self.spread = np.reshape(extent, (-1, 3)), np.array(spread)
        self.base = np.stack(base, 1)
        for row, metres in known.items():
            self.extent[row] *= metres / self.extent[row, 2]
            self.spread[row] = KNOWN_ERROR
        self.radius = self.extent[:, :2].mean(1) / 2
        flat = np.sort(self.extent[:, :2], 1)
        self.across = np.sqrt(flat.prod(1))
        ambiguous = np.log(flat[:, 1] / flat[:, 0]) / math.sqrt(12)
        self.across_error = np.sqrt(WIDTH_ERROR**2 + ambiguous**2 + self.spread**2 / 4)
        x0, y0, x1, y1 = self.box.reshape(-1, 4).T
        self.pixel_error = np.maximum(BOX_ERROR[0] * (y1 - y0), BOX_ERROR[1])
        self.bottom_seen = y1 < height - EDGE
        self.top_seen = y0 > EDGE
        self.sides_seen = (x0 > EDGE) & (x1 < width - EDGE)
        self.middle = (x0 + x1) / 2
        self.near = self._start_distances()
        self.base[:, 1] = np.hypot(self.base[:, 1], UNEVEN * self.near)

    def start(self) -> Array:
        """Return the unknowns at the priors' means, with distances from the boxes' sizes."""
        objects = np.stack([np.log(self.near), np.zeros(self.count), self.base[:, 0]], 1)
        return np.concatenate(
            [[math.log(self.focal[0]), PITCH[0], math.log(EYE[0])], objects.ravel()]
        )

    def _start_distances(self) -> Array:
        """Return distances (n,) from the heights of boxes, or from the widths of those cut off."""
        x0, y0, x1, y1 = self.box.reshape(-1, 4).T
        by_height = self.focal[0] * self.extent[:, 2] / np.maximum(y1 - y0, 1)
        by_width = self.focal[0] * self.across / np.maximum(x1 - x0, 1)
        return np.where(
            self.top_seen & self.bottom_seen, by_height, np.minimum(by_height, by_width)
        )

    def _row(self, focal: float, pitch: float, away: Array, above: Array) -> Array:
        """Return the image row of points `away` metres ahead and `above` metres over the eye."""
        c, s = math.cos(pitch), math.sin(pitch)
        depth = np.maximum(c * away + s * above, 1e-3)
        return self.center[1] + focal * (s * away - c * above) / depth

    def residuals(self, unknown: Array) -> Array:
        """Return all residuals in standard deviations."""
        focal, pitch, eye = math.exp(unknown[0]), float(unknown[1]), math.exp(unknown[2])
        log_away, log_size, base = unknown[3:].reshape(-1, 3).T
        away, scale = np.exp(log_away.clip(-5, 8)), np.exp(log_size.clip(-3, 3))
        radius = np.minimum(self.radius * scale, (1 - NEAREST) * away)
        low, high = base - eye, base + self.extent[:, 2] * scale - eye
        x0, y0, x1, y1 = self.box.T
        bottom = np.maximum(
            self._row(focal, pitch, away - radius, low), self._row(focal, pitch, away + radius, low)
        )
        top = np.minimum(
            self._row(focal, pitch, away - radius, high),
            self._row(focal, pitch, away + radius, high),
        )
        depth = np.maximum(math.cos(pitch) * away + math.sin(pitch) * (low + high) / 2, 1e-3)
        width = np.log(np.maximum(x1 - x0, 1) * depth / (focal * self.across * scale))
        return np.concatenate([
            [(unknown[0] - math.log(self.focal[0])) / self.focal[1], (pitch - PITCH[0]) / PITCH[1],
             (unknown[2] - math.log(EYE[0])) / EYE[1]],
            self.bottom_seen * (bottom - y1) / self.pixel_error,
            self.top_seen * (top - y0) / self.pixel_error,
            self.sides_seen * width / self.across_error,
            log_size / self.spread,
            (base - self.base[:, 0]) / self.base[:, 1],
            (log_away - np.log(self.near)) / START_ERROR,
        ])  # fmt: skip

    def result(self, solution: "OptimizeResult") -> PriorFit:
        unknown = solution.x
        focal, pitch, eye = math.exp(unknown[0]), float(unknown[1]), math.exp(unknown[2])
        log_away, log_size, base = unknown[3:].reshape(-1, 3).T
        away, scale = np.exp(log_away.clip(-5, 8)), np.exp(log_size.clip(-3, 3))
        extent = self.extent * scale[:, None]
        middle = base + extent[:, 2] / 2
        depth = np.maximum(math.cos(pitch) * away + math.sin(pitch) * (middle - eye), 1e-3)
        across = (self.middle - self.center[0]) / focal * depth
        # `jac` has the weights of the loss in it.
        information = solution.jac.T @ solution.jac
        covariance = np.linalg.pinv(information + 1e-9 * np.eye(len(information)), hermitian=True)
        of_away = covariance[3::3, 3::3]
        return PriorFit(
            focal, pitch, eye, np.stack([across, away, middle], 1), extent, *_shared(of_away)
        )


def _shared(covariance: Array) -> tuple[Array, float]:
    """Split the covariance (n, n) of log distances.

    Return the standard deviations of each distance relative to the mean of all, and of that mean.
    """
    count = len(covariance)
    mean = float(covariance.mean())
    if count == 1:
        return np.sqrt(np.diag(covariance)).clip(max=LARGEST_SIGMA), 0.0
    relative = np.diag(covariance) - 2 * covariance.mean(1) + mean
    sigma = np.sqrt(np.maximum(relative, 1e-6) * count / (count - 1))
    return sigma.clip(max=LARGEST_SIGMA), math.sqrt(max(mean, 0.0))
