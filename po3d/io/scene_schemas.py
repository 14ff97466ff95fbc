"""Schemas of scenes: po3d's tables and Super-CLEVR's scene records."""

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo

from po3d.io.schemas import (
    OBJECTS,
    ROUNDING,
    THINNEST,
    Index,
    Matrix,
    Name,
    Number,
    Pixels,
    Point,
    Probability,
    Size,
    Vector,
    record,
)


def _sums_to_one(belief: dict[str, float]) -> dict[str, float]:
    if abs(sum(belief.values()) - 1) > ROUNDING:
        raise ValueError("should be probabilities that sum to 1")
    return belief


def _at_most_one(belief: dict[int, float]) -> dict[int, float]:
    if sum(belief.values()) > 1 + ROUNDING:
        raise ValueError("should be probabilities whose sum is at most 1")
    return belief


def _possible_covariance(rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """Require a symmetric covariance without negative eigenvalues, up to rounding."""
    if any(map(any, rows)):
        matrix = np.array(rows)
        slack = 1e-4 * np.abs(matrix).max() + 1e-9
        if np.abs(matrix - matrix.T).max() > slack:
            raise ValueError("should be a covariance, but is not symmetric")
        if np.linalg.eigvalsh(matrix)[0] < -slack:
            raise ValueError("should be a covariance, but has a negative variance")
    return rows


def _ordered(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    if box[0] > box[2] or box[1] > box[3]:
        raise ValueError("should be left, top, right, bottom in pixels")
    return box


def _four_sides(axes: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    for side in ("left", "right", "front", "behind"):
        if side not in axes:
            raise ValueError(f"should have four sides; {side!r} is missing")
    for side, (x, y) in axes.items():
        if abs(math.hypot(x, y) - 1) > ROUNDING:
            raise ValueError(
                f"should be unit vectors; {side!r} has the length {math.hypot(x, y):.4g}"
            )
    for side, other in (("left", "right"), ("front", "behind")):
        if math.dist(axes[side], (-axes[other][0], -axes[other][1])) > ROUNDING:
            raise ValueError(f"should have {side!r} opposite to {other!r}")
    (x, y), (a, b) = axes["left"], axes["front"]
    if abs(x * b - y * a) < ROUNDING:
        raise ValueError("should have 'left' perpendicular to 'front', not parallel")
    return axes


def _rotation(rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    matrix = np.array(rows)
    if np.abs(matrix @ matrix.T - np.eye(3)).max() > ROUNDING or np.linalg.det(matrix) < 0:
        raise ValueError("should be a rotation matrix: orthonormal rows, right-handed")
    return rows


def _closed(outline: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Require corners whose edges enclose a floor; the last corner is joined to the first."""
    import shapely  # rooms only

    polygon = shapely.Polygon(outline)
    if not polygon.is_valid or polygon.area < THINNEST:
        raise ValueError("should be the corners of a floor polygon whose edges do not cross")
    return outline


Belief = Annotated[
    dict[Name, Probability], Field(min_length=1, max_length=2000), AfterValidator(_sums_to_one)
]
Covariance = Annotated[Matrix, AfterValidator(_possible_covariance)]
Box = Annotated[tuple[Number, Number, Number, Number], AfterValidator(_ordered)]
Axes = Annotated[
    dict[Literal["left", "right", "front", "behind"], Point], AfterValidator(_four_sides)
]
Occluders = Annotated[dict[Index, Probability], AfterValidator(_at_most_one)]
Rotation = Annotated[Matrix, AfterValidator(_rotation)]
Outline = Annotated[
    tuple[Point, ...], Field(min_length=3, max_length=2000), AfterValidator(_closed)
]


# One object of a scene.
Row = record(
    "Row",
    beliefs=Annotated[dict[Name, Belief], Field(max_length=100)],
    position=Vector,
    heading_deg=Number,
    heading=(Number | None, None),  # radians, in full precision
    extent=tuple[Size, Size, Size],
    covariance=(Covariance, ((0.0,) * 3,) * 3),
    flip=(Probability, 0.0),
    existence=(Probability, 1.0),
    box=(Box | None, None),
    name=(Name, ""),
)

# The camera of a scene.
View = record(
    "View",
    width=Pixels,
    height=Pixels,
    focal=Annotated[Number, Field(ge=THINNEST)],
    center=Point,
    cam_R_world=Rotation,
    cam_t_world=Vector,
)


def _named_in_a_room(row: Row, info: ValidationInfo) -> Row:
    if info.data.get("outline") is not None and "name" not in row.beliefs:
        raise ValueError("should have the belief 'name', which every object of a room needs")
    return row


# Calibration of answers: `po3d.scene.answer_calibration.AnswerCalibration`.
AnswerFit = record(
    "AnswerFit",
    slope=Annotated[float, Field(gt=0, le=100)],
    offset=Annotated[float, Field(ge=-100, le=100)],
    mode=Name,
)

# A scene in po3d's format, `po3d.scene.table.FORMAT`.
SceneTable = record(
    "SceneTable",
    source=Literal["gt", "predicted", "edited"],
    axes=Axes,
    outline=(Outline | None, None),  # before the objects, whose validation uses it
    objects=Annotated[
        tuple[Annotated[Row, AfterValidator(_named_in_a_room)], ...], Field(max_length=OBJECTS)
    ],
    image=(Name, ""),
    occluders=(tuple[Occluders, ...] | None, None),
    camera=(View | None, None),
    answer_calibration=(AnswerFit | None, None),
)


# --- Super-CLEVR's scene records ------------------------------------------------------------------


def _camera_matrix(rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    _rotation(tuple(row[:3] for row in rows[:3]))
    return rows


PixelSample = tuple[
    Vector, Any
]  # pixel x, pixel y and depth of an origin; width and height of the image
Row4 = tuple[Number, Number, Number, Number]


# One object of a Super-CLEVR scene; names are validated against the street vocabulary.
Vehicle = record(
    "Vehicle",
    shape=Name,
    size=Name,
    color=(Name | None, None),
    material=(Name | None, None),
    coords=(Vector, Field(validation_alias="3d_coords")),
    rotation=Number,
    pixel_coords=(PixelSample | None, None),
)

# Fields added by the twin.
Extras = record("Extras", boxes=(tuple[Box, ...] | None, None))

# Occlusion of an object in Super-CLEVR's format: [state, mask, flag, occluder's index].
Hidden = record(
    "Hidden", obj=(Annotated[tuple[Any, ...], Field(min_length=1, max_length=20)], (0,))
)

# A scene of Super-CLEVR, Super-CLEVR-3D or Spatial457, and of their twin.
VehicleScene = record(
    "VehicleScene",
    image_filename=(Name, ""),
    objects=Annotated[tuple[Vehicle, ...], Field(max_length=OBJECTS)],
    matrix_world=(
        Annotated[tuple[Row4, Row4, Row4, Row4], AfterValidator(_camera_matrix)] | None,
        None,
    ),
    occlusion=(dict[Name, Hidden] | None, None),
    po3d=(Extras, Extras()),
)
