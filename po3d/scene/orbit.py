"""A camera on a circle around a scene, and the eight directions that it, or a thing, or an imagined observer sees.

Directions are cyclic (LABELS): a viewer who walks a step of 45 degrees along the orbit sees every pair of things one
label further (SCOPE, Table 4). Two readings of the words fit that table, and the paper says both:

* its text rotates the observer counter-clockwise, and then "front" is the side toward the camera: what is in front of a
  thing stands nearer to the viewer;
* its figure 15 has a person who faces the camera of 0 degrees and the camera of 90 degrees at the person's right,
  which is a clockwise orbit, and then "front" is farther from the viewer.

READING is the first: the construction (3.2), Table 4's caption and every updating question say counter-clockwise, the
figure is one prompt. Every label of an item is the same under both, so the reading decides only where the camera of a
view stands. A thing's own directions (front is where its nose points) depend on no reading.

The circle's centre is the world's origin and the camera of 0 degrees stands at -y.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from po3d.io.errors import InputError, shown
from po3d.scene.geometry import Array, Camera, look_at, wrap_angle

LABELS = ("front", "front-left", "left", "behind-left", "behind", "behind-right", "right", "front-right")
ORTHOGONAL = ("front", "right", "behind", "left")
DIAGONAL = ("front-right", "behind-right", "behind-left", "front-left")
GROUPS: dict[str, tuple[str, ...]] = {"orthogonal": ORTHOGONAL, "diagonal": DIAGONAL}
STEP = math.pi / 4
VIEWS = tuple(range(0, 360, 45))  # degrees

Axes = Mapping[str, tuple[float, float]]  # unit ground vectors of left, right, front, behind


@dataclass(frozen=True)
class Reading:
    """One meaning of the orbit's words."""

    name: str
    sense: int  # +1: the orbit is counter-clockwise seen from above, -1: clockwise
    near: bool  # whether "front" is nearer to the camera


NEAR = Reading("counter-clockwise, front is nearer", 1, True)
FAR = Reading("clockwise, front is farther", -1, False)
READINGS = {"near": NEAR, "far": FAR}
READING = NEAR


# --- labels ---------------------------------------------------------------------------------------


def turned_label(label: str, degrees: float) -> str:
    """The label of a pair after the viewer went `degrees` (a multiple of 45) along the orbit: a row of Table 4."""
    return LABELS[(LABELS.index(label) + round(degrees / 45)) % 8]


def group_of(label: str) -> str:
    """ "orthogonal" or "diagonal"."""
    return "orthogonal" if LABELS.index(label) % 2 == 0 else "diagonal"


def azimuth_of(label: str) -> float:
    """Radians from the front over the left."""
    return LABELS.index(label) * STEP


def nearest_label(azimuth: float, among: Sequence[str] = LABELS) -> str:
    """The label whose direction is nearest to an azimuth (radians from the front over the left)."""
    return min(among, key=lambda label: off(azimuth, label))


def off(azimuth: float, label: str) -> float:
    """Radians between an azimuth and the middle of a label, unsigned."""
    return abs(math.remainder(azimuth - azimuth_of(label), 2 * math.pi))


def label_beliefs(
    azimuth: float, sigma: float, flip: float = 0.0, among: Sequence[str] = LABELS
) -> dict[str, float]:
    """The probability that each of `among` is nearest when the azimuth is normal with `sigma`, and turned by half a
    circle with probability `flip`. `among`: all eight, or those that are offered."""
    half = math.pi / len(among) if len(among) in (2, 4, 8) else STEP
    sigma = max(sigma, 1e-9)
    result = {}
    for label in among:
        inside = 0.0
        for shift, weight in ((0.0, 1 - flip), (math.pi, flip)):
            d = math.remainder(azimuth + shift - azimuth_of(label), 2 * math.pi)
            for lap in (-2 * math.pi, 0.0, 2 * math.pi):
                low, high = ((d + lap + side) / (sigma * math.sqrt(2)) for side in (-half, half))
                inside += weight * (math.erf(high) - math.erf(low)) / 2
        result[label] = inside
    total = sum(result.values())  # below 1 when sigma is many circles wide, 0 where it is none of them
    if total == 0:
        return {label: float(label == nearest_label(azimuth, among)) for label in among}
    return {label: p / total for label, p in result.items()}


# --- frames ---------------------------------------------------------------------------------------


def viewer_axes(ahead: Sequence[float], reading: Reading = READING) -> dict[str, tuple[float, float]]:
    """The axes of a viewer who looks along the ground vector `ahead` (2,)."""
    x, y = (np.asarray(ahead, float) / np.linalg.norm(ahead)).tolist()
    front = (-x, -y) if reading.near else (x, y)
    return {"front": front, "behind": (-front[0], -front[1]), "left": (-y, x), "right": (y, -x)}


def own_axes(heading: float) -> dict[str, tuple[float, float]]:
    """The axes of a thing whose nose points to `heading` (radians)."""
    return viewer_axes((math.cos(heading), math.sin(heading)), FAR)


def azimuth_in(axes: Axes, vector: Sequence[float]) -> float:
    """Radians from the front over the left of a ground vector (2,)."""
    return math.atan2(float(np.dot(vector, axes["left"])), float(np.dot(vector, axes["front"])))


def sense_of(axes: Axes) -> int:
    """+1 when walking counter-clockwise (seen from above) takes labels one further, -1 when clockwise does."""
    (fx, fy), (lx, ly) = axes["front"], axes["left"]
    return -1 if fx * ly - fy * lx > 0 else 1


def turned_axes(axes: Axes, degrees: float) -> dict[str, tuple[float, float]]:
    """The axes after the viewer went `degrees` along the orbit, or imagined to, about any point: the mental rotation of SCOPE's updating
    task, whose point is the middle of two things."""
    return rotated(axes, sense_of(axes) * math.radians(degrees))


def rotated(axes: Axes, angle: float) -> dict[str, tuple[float, float]]:
    """The axes turned counter-clockwise, seen from above."""
    c, s = math.cos(angle), math.sin(angle)
    return {side: (c * x - s * y, s * x + c * y) for side, (x, y) in axes.items()}


# --- cameras --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Orbit:
    """A circle of cameras of one height that look at one point over the world's origin. Scene units, pixels."""

    radius: float
    height: float  # of the camera
    target: float  # height of the point looked at
    width: int = 640
    tall: int = 480
    focal: float = 640.0
    reading: Reading = READING

    def place(self, angle: float) -> tuple[float, float]:
        """Where the camera of `angle` degrees stands, on the ground."""
        phi = self.phi(angle)
        return self.radius * math.cos(phi), self.radius * math.sin(phi)

    def phi(self, angle: float) -> float:
        """The azimuth of that camera in the world, radians."""
        return -math.pi / 2 + self.reading.sense * math.radians(angle)

    def camera(self, angle: float) -> Camera:
        eye = (*self.place(angle), self.height)
        return Camera(self.width, self.tall, self.focal, look_at(eye, (0.0, 0.0, self.target)))

    def axes(self, angle: float) -> dict[str, tuple[float, float]]:
        """Those of who looks through that camera."""
        facing = float(wrap_angle(self.phi(angle) + math.pi))
        return viewer_axes((math.cos(facing), math.sin(facing)), self.reading)

    def to_json(self) -> dict:
        return asdict(self) | {"reading": next(k for k, r in READINGS.items() if r == self.reading)}

    @classmethod
    def from_json(cls, record: dict, where: str = "orbit") -> "Orbit":
        """The orbit of a record that `to_json` wrote; InputError when it is none."""
        from po3d.io.schemas import OrbitRecord, checked  # pydantic takes a tenth of a second

        fields = dict(checked(OrbitRecord, record, where))
        if fields["reading"] not in READINGS:
            raise InputError(
                f"{where}: unknown reading {shown(fields['reading'])}; known: {', '.join(READINGS)}"
            )
        return cls(**fields | {"reading": READINGS[fields["reading"]]})


def view_angle(degrees: float) -> int:
    """The bin of a camera's angle: the nearest multiple of 45 in 0 .. 315."""
    return round(degrees / 45) % 8 * 45


def azimuth_deviation(vector: Sequence[float], covariance: Array) -> float:
    """Standard deviation (radians) of the azimuth of a ground vector (2,) with a covariance (2, 2), to first order."""
    v = np.asarray(vector, float)
    length = float(np.hypot(*v))
    if length < 1e-9:
        return math.pi
    across = np.array([-v[1], v[0]]) / length
    return math.sqrt(max(float(across @ covariance @ across), 0.0)) / length
