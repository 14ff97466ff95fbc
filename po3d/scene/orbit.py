"""A camera on a circle around a scene, and the eight directions of a viewer or an object.

Directions are cyclic (LABELS): when the viewer moves by 45 degrees along the orbit, the label of
every pair of objects moves on by one (SCOPE, Table 4). Two conventions are consistent with that
table, and the paper states both:

* its text rotates the observer counter-clockwise; then "front" is the side toward the camera: an
  object in front of another is nearer to the viewer;
* its figure 15 has a person who faces the camera at 0 degrees, and the camera at 90 degrees on
  the person's right: a clockwise orbit; then "front" is farther from the viewer.

READING is the first: the construction (3.2), the caption of Table 4 and every updating question
say counter-clockwise, while the figure shows a single prompt. All labels of an item are equal
under both, so the convention only decides where the camera of a view stands. An object's own
directions (front is its heading) do not depend on it.

The circle is centred at the world's origin, and the camera at 0 degrees is at -y.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from po3d.io.errors import InputError, printable
from po3d.scene.geometry import Array, Camera, look_at, wrap_angle

LABELS = (
    "front", "front-left", "left", "behind-left", "behind", "behind-right", "right", "front-right",
)  # fmt: skip
ORTHOGONAL = ("front", "right", "behind", "left")
DIAGONAL = ("front-right", "behind-right", "behind-left", "front-left")
GROUPS: dict[str, tuple[str, ...]] = {"orthogonal": ORTHOGONAL, "diagonal": DIAGONAL}
STEP = math.pi / 4
VIEWS = tuple(range(0, 360, 45))  # degrees

Axes = Mapping[str, tuple[float, float]]  # unit ground vectors of left, right, front, behind


@dataclass(frozen=True)
class OrbitConvention:
    """A convention for the directions of the orbit."""

    name: str
    sense: int  # +1: the orbit is counter-clockwise seen from above, -1: clockwise
    near: bool  # whether "front" is the side nearer to the camera


NEAR = OrbitConvention("counter-clockwise, front is nearer", 1, True)
FAR = OrbitConvention("clockwise, front is farther", -1, False)
ORBIT_CONVENTIONS = {"near": NEAR, "far": FAR}
READING = NEAR


# --- labels ---------------------------------------------------------------------------------------


def turned_label(label: str, degrees: float) -> str:
    """Return the label after the viewer moved `degrees` along the orbit: a row of Table 4.

    `degrees` is a multiple of 45.
    """
    return LABELS[(LABELS.index(label) + round(degrees / 45)) % 8]


def group_of(label: str) -> str:
    """Return "orthogonal" for front, left, behind and right, "diagonal" for the labels between."""
    return "orthogonal" if LABELS.index(label) % 2 == 0 else "diagonal"


def azimuth_of(label: str) -> float:
    """Return the angle of a label, radians from the front, increasing towards the left."""
    return LABELS.index(label) * STEP


def nearest_label(azimuth: float, labels: Sequence[str] = LABELS) -> str:
    """Return the label nearest to an azimuth, radians from the front to the left."""
    return min(labels, key=lambda label: off(azimuth, label))


def off(azimuth: float, label: str) -> float:
    """Return the absolute angle between an azimuth and the centre of a label, radians."""
    return abs(math.remainder(azimuth - azimuth_of(label), 2 * math.pi))


def label_beliefs(
    azimuth: float, sigma: float, flip: float = 0.0, labels: Sequence[str] = LABELS
) -> dict[str, float]:
    """Return the probability that each label of `labels` is the nearest one.

    The azimuth is normal with standard deviation `sigma` (radians), and off by pi with
    probability `flip`. `labels` lists all eight labels or the answer options.
    """
    half = math.pi / len(labels) if len(labels) in (2, 4, 8) else STEP
    sigma = max(sigma, 1e-9)
    result = {}
    for label in labels:
        inside = 0.0
        for shift, weight in ((0.0, 1 - flip), (math.pi, flip)):
            d = math.remainder(azimuth + shift - azimuth_of(label), 2 * math.pi)
            for lap in (-2 * math.pi, 0.0, 2 * math.pi):
                low, high = ((d + lap + side) / (sigma * math.sqrt(2)) for side in (-half, half))
                inside += weight * (math.erf(high) - math.erf(low)) / 2
        result[label] = inside
    total = sum(result.values())  # below 1 if sigma spans many circles, 0 if no label is near
    if total == 0:
        return {label: float(label == nearest_label(azimuth, labels)) for label in labels}
    return {label: p / total for label, p in result.items()}


# --- frames ---------------------------------------------------------------------------------------


def viewer_axes(
    ahead: Sequence[float], reading: OrbitConvention = READING
) -> dict[str, tuple[float, float]]:
    """Return the axes of a viewer who faces along the ground vector `ahead` (2,)."""
    x, y = (np.asarray(ahead, float) / np.linalg.norm(ahead)).tolist()
    front = (-x, -y) if reading.near else (x, y)
    return {"front": front, "behind": (-front[0], -front[1]), "left": (-y, x), "right": (y, -x)}


def own_axes(heading: float) -> dict[str, tuple[float, float]]:
    """Return the axes of an object with heading `heading` (radians)."""
    return viewer_axes((math.cos(heading), math.sin(heading)), FAR)


def azimuth_in(axes: Axes, vector: Sequence[float]) -> float:
    """Return the azimuth of a ground vector (2,), radians from the front to the left."""
    return math.atan2(float(np.dot(vector, axes["left"])), float(np.dot(vector, axes["front"])))


def sense_of(axes: Axes) -> int:
    """Return +1 if moving counter-clockwise (from above) advances the labels, else -1."""
    (fx, fy), (lx, ly) = axes["front"], axes["left"]
    return -1 if fx * ly - fy * lx > 0 else 1


def turned_axes(axes: Axes, degrees: float) -> dict[str, tuple[float, float]]:
    """Return the axes after the viewer moved, or imagined moving, `degrees` along the orbit.

    The rotation centre does not matter. This is the mental rotation of SCOPE's updating task,
    whose centre is the midpoint of two objects.
    """
    return rotated(axes, sense_of(axes) * math.radians(degrees))


def rotated(axes: Axes, angle: float) -> dict[str, tuple[float, float]]:
    """Return the axes rotated counter-clockwise, seen from above."""
    c, s = math.cos(angle), math.sin(angle)
    return {side: (c * x - s * y, s * x + c * y) for side, (x, y) in axes.items()}


# --- cameras --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Orbit:
    """A circle of cameras at one height, aimed at one point above the world's origin.

    Scene units, pixels.
    """

    radius: float
    height: float  # of the camera
    target: float  # height of the point that the cameras are aimed at
    width: int = 640
    tall: int = 480
    focal: float = 640.0
    reading: OrbitConvention = READING

    def place(self, angle: float) -> tuple[float, float]:
        """Return the ground position of the camera at `angle` degrees."""
        phi = self.phi(angle)
        return self.radius * math.cos(phi), self.radius * math.sin(phi)

    def phi(self, angle: float) -> float:
        """Return where the camera at `angle` degrees on the orbit stands: its azimuth about the
        world's origin, radians."""
        return -math.pi / 2 + self.reading.sense * math.radians(angle)

    def camera(self, angle: float) -> Camera:
        """Return the camera at `angle` degrees."""
        eye = (*self.place(angle), self.height)
        return Camera(self.width, self.tall, self.focal, look_at(eye, (0.0, 0.0, self.target)))

    def axes(self, angle: float) -> dict[str, tuple[float, float]]:
        """Return the axes of the camera at `angle` degrees."""
        facing = float(wrap_angle(self.phi(angle) + math.pi))
        return viewer_axes((math.cos(facing), math.sin(facing)), self.reading)

    def to_json(self) -> dict:
        """Return a JSON-ready record, which `from_json` reads back."""
        return asdict(self) | {
            "reading": next(k for k, r in ORBIT_CONVENTIONS.items() if r == self.reading)
        }

    @classmethod
    def from_json(cls, record: dict, where: str = "orbit") -> "Orbit":
        """Read a record written by `to_json`; InputError if it is invalid."""
        # imported here: importing pydantic takes 0.1 s
        from po3d.io.schemas import OrbitRecord, checked

        fields = dict(checked(OrbitRecord, record, where))
        if fields["reading"] not in ORBIT_CONVENTIONS:
            raise InputError(
                f"{where}: unknown reading {printable(fields['reading'])}; known:"
                f" {', '.join(ORBIT_CONVENTIONS)}"
            )
        return cls(**fields | {"reading": ORBIT_CONVENTIONS[fields["reading"]]})


def view_angle(degrees: float) -> int:
    """Return the nearest multiple of 45 in 0 .. 315: the bin of a camera angle."""
    return round(degrees / 45) % 8 * 45


def azimuth_deviation(vector: Sequence[float], covariance: Array) -> float:
    """Return the standard deviation (radians) of the azimuth of a ground vector, to first order.

    `vector` is (2,) with covariance (2, 2).
    """
    v = np.asarray(vector, float)
    length = float(np.hypot(*v))
    if length < 1e-9:
        return math.pi
    across = np.array([-v[1], v[0]]) / length
    return math.sqrt(max(float(across @ covariance @ across), 0.0)) / length
