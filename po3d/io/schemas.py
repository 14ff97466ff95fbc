"""Schemas of all external records.

Records are validated once, at the entry, so that no other code validates them. `checked` reports
the invalid field and its value in one line.

pydantic, because its errors are data (field path, value, expectation), and wandb depends on it
anyway; it is imported with the first record. Numbers are JSON numbers, finite and at most LARGEST;
texts are at most LONGEST characters; unknown fields are ignored, so that other tools may add
theirs.
"""

import functools
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails

from po3d.io.errors import InputError, printable, visible

OBJECTS = 500  # per scene: executors compare all pairs, and a room of 200 objects is a large one
# Scene units, pixels, degrees: above any scene, and squares and products do not overflow.
LARGEST = 1e6
LONGEST = 2000  # characters of a name
THINNEST = 1e-4  # scene units: least extent of an object
ROUNDING = 1e-3  # tolerance of sums of probabilities, unit vectors, rotations

Kind = TypeVar("Kind")
Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Size = Annotated[Number, Field(ge=THINNEST)]
Probability = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1 + 1e-6)]
Whole = Annotated[int, Field(strict=True, ge=0, le=10**9)]
Count = Annotated[int, Field(strict=True, ge=1, le=10**8)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
Flag = Annotated[bool, Field(strict=True)]
StreetLook = Literal["studio", "outdoor", "superclevr", "hdri"]
Name = Annotated[str, Field(strict=True, max_length=LONGEST)]
Text = Annotated[str, Field(strict=True, max_length=10_000_000)]
Packed = Annotated[str, Field(strict=True, max_length=200_000)]  # base64-encoded numbers
Words = Annotated[tuple[Name, ...], Field(max_length=5000)]
Hash = Annotated[str, Field(strict=True, pattern="^[0-9a-f]{64}$")]
Index = Annotated[int, Field(ge=0, lt=OBJECTS)]
Point = tuple[Number, Number]
Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]


class Record(BaseModel):
    """A JSON object; fields that are not listed are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Closed(BaseModel):
    """A JSON object without other fields: written only by po3d, or arguments of a network, which
    must not be able to request a download."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def checked(kind: type[Kind], value: object, where: str) -> Kind:
    """Validate `value` as `kind`; InputError, beginning with `where`, if it is invalid."""
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        more = f" ({len(details) - 1} more)" if len(details) > 1 else ""
        raise InputError(f"{where}: {_error_text(details[0])}{more}") from None


@functools.cache
def _adapter(kind: type[Kind]) -> TypeAdapter[Kind]:
    return TypeAdapter(kind)


# pydantic's names for the branches of a union; not part of a field's path.
_KINDS = ("str", "int", "float", "constrained-str", "constrained-int", "constrained-float")


def _error_text(error: ErrorDetails, sign: str = ": ") -> str:
    """Return one error: the path of the field, its value, and what it should be."""
    path = ""
    for part in (p for p in error["loc"] if p not in _KINDS):
        path += f"[{part}]" if isinstance(part, int) else f".{_key(part)}" if path else _key(part)
    if error["type"] == "missing":
        return f"the field {path!r} is missing"
    wanted = _wanted(error["type"], error.get("ctx", {}), error["msg"])
    return (
        f"{path}{sign}{printable(error['input'])} {wanted}"
        if path
        else f"{printable(error['input'])} {wanted}"
    )


def _key(part: str) -> str:
    return visible(part if len(part) <= 40 else f"{part[:37]}...")


def _wanted(kind: str, context: dict[str, Any], message: str) -> str:
    if kind == "value_error":
        return str(context["error"])
    messages = {
        "greater_than_equal": "should be at least {ge:g}",
        "greater_than": "should be more than {gt:g}",
        "less_than_equal": "should be at most {le:g}",
        "less_than": "should be less than {lt:g}",
        "too_long": "has too many entries; the limit is {max_length}",
        "too_short": "has too few entries; at least {min_length} are needed",
        "literal_error": "should be {expected}",
        "string_too_long": "is too long; the limit is {max_length} characters",
        "float_type": "should be a number",
        "finite_number": "should be a finite number",
        "int_type": "should be a whole number",
        "string_type": "should be text",
        "string_unicode": "should be valid UTF-8 text",
        "bool_type": "should be true or false",
        "extra_forbidden": "is not an option",
        "dict_type": "should be an object: {{key: value}}",
        "model_type": "should be an object",
        "list_type": "should be a list",
        "tuple_type": "should be a list",
    }
    return (
        messages[kind].format_map(context)
        if kind in messages
        else message.replace("Input should", "should", 1)
    )


# --- scene tables ---------------------------------------------------------------------------------


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
    if missing := [side for side in ("left", "right", "front", "behind") if side not in axes]:
        raise ValueError(f"should have four sides; {missing[0]!r} is missing")
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
Pixels = Annotated[int, Field(strict=True, ge=1, le=100_000)]


class Row(Record):
    """One object of a scene."""

    beliefs: Annotated[dict[Name, Belief], Field(max_length=100)]
    position: Vector
    heading_deg: Number
    heading: Number | None = None  # radians, in full precision
    extent: tuple[Size, Size, Size]
    covariance: Covariance = ((0.0,) * 3,) * 3
    flip: Probability = 0.0
    existence: Probability = 1.0
    box: Box | None = None
    name: Name = ""


class View(Record):
    """The camera of a scene."""

    width: Pixels
    height: Pixels
    focal: Annotated[Number, Field(ge=THINNEST)]
    center: Point
    cam_R_world: Rotation
    cam_t_world: Vector


def _named_in_a_room(row: Row, info: ValidationInfo) -> Row:
    if info.data.get("outline") is not None and "name" not in row.beliefs:
        raise ValueError("should have the belief 'name', which every object of a room needs")
    return row


class AnswerFit(Record):
    """Calibration of answers: `po3d.scene.answer_calibration.AnswerCalibration`."""

    slope: Annotated[float, Field(gt=0, le=100)]
    offset: Annotated[float, Field(ge=-100, le=100)]
    mode: Name


class SceneTable(Record):
    """A scene in po3d's format, `po3d.scene.table.FORMAT`."""

    source: Literal["gt", "predicted", "edited"]
    axes: Axes
    outline: Outline | None = None  # before the objects, whose validation uses it
    objects: Annotated[
        tuple[Annotated[Row, AfterValidator(_named_in_a_room)], ...], Field(max_length=OBJECTS)
    ]
    image: Name = ""
    occluders: tuple[Occluders, ...] | None = None
    camera: View | None = None
    answer_calibration: AnswerFit | None = None


# --- Super-CLEVR's scene records ------------------------------------------------------------------


def _camera_matrix(rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    _rotation(tuple(row[:3] for row in rows[:3]))
    return rows


PixelSample = tuple[
    Vector, Any
]  # pixel x, pixel y and depth of an origin; width and height of the image
Row4 = tuple[Number, Number, Number, Number]


class Vehicle(Record):
    """One object of a Super-CLEVR scene; names are validated against the street vocabulary."""

    shape: Name
    size: Name
    color: Name | None = None
    material: Name | None = None
    coords: Vector = Field(validation_alias="3d_coords")
    rotation: Number
    pixel_coords: PixelSample | None = None


class Extras(Record):
    """Fields added by the twin."""

    boxes: tuple[Box, ...] | None = None


class Hidden(Record):
    """Occlusion of an object in Super-CLEVR's format: [state, mask, flag, occluder's index]."""

    obj: Annotated[tuple[Any, ...], Field(min_length=1, max_length=20)] = (0,)


class VehicleScene(Record):
    """A scene of Super-CLEVR, Super-CLEVR-3D or Spatial457, and of their twin."""

    image_filename: Name = ""
    objects: Annotated[tuple[Vehicle, ...], Field(max_length=OBJECTS)]
    matrix_world: (
        Annotated[tuple[Row4, Row4, Row4, Row4], AfterValidator(_camera_matrix)] | None
    ) = None
    occlusion: dict[Name, Hidden] | None = None
    po3d: Extras = Extras()


# --- predictions and checkpoints ------------------------------------------------------------------


class PredictionRecord(Record):
    """A line of a predictions file; the fields of `po3d.reasoning.questions.Prediction`."""

    id: Name
    status: Literal["ok", "unparsed", "failed", "abstained"]
    answer: Text | None = None
    probability: Probability | None = None
    program: Text = ""
    reason: Text = ""
    margin: dict[Name, Any] | None = None


class _Provenance(Record):
    provenance: dict[str, Any] = {}


class _Run(Record):
    identity: dict[str, Any]
    about: _Provenance


class RunLine(Closed):
    """The first line of partial.jsonl (`po3d.io.runs`), written only by po3d."""

    run: _Run


class SittingLine(Closed):
    """The line that begins a resumption."""

    sitting: dict[str, Any]


class _Answer(PredictionRecord):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ImageLine(Closed):
    """Any other line: the answers to an image's questions, and the stored scenes."""

    image: Name
    predictions: tuple[_Answer, ...]
    scenes: tuple[dict[str, Any], ...]


MOST_PIXELS = 2048 * 2048  # of a network's input, which determines its memory
Side = Annotated[int, Field(strict=True, ge=32, le=4096)]
Width = Annotated[int, Field(strict=True, ge=1, le=2048)]


class SceneNetwork(Closed):
    """Arguments of `po3d.perception.network.SceneNet`; the backbone is the name of a timm model."""

    backbone: Annotated[str, Field(strict=True, pattern="^[a-z0-9_.]{1,80}$")] = "regnetx_004"
    width: Side = 640
    height: Side = 480
    fold: Annotated[int, Field(strict=True, ge=1, le=8)] = 2
    neck: Annotated[int, Field(strict=True, ge=1, le=512)] = 96
    hidden: Width = 256
    pose_hidden: Annotated[int, Field(strict=True, ge=0, le=2048)] = 0
    layers: Annotated[int, Field(strict=True, ge=1, le=8)] = 1

    @model_validator(mode="after")
    def _not_too_large(self) -> Self:
        if self.width * self.height > MOST_PIXELS:
            raise ValueError(f"should have at most {MOST_PIXELS:,} pixels")
        return self


class CropNetwork(Closed):
    """Arguments of `po3d.perception.crops.CropNet`."""

    backbone: Annotated[str, Field(strict=True, pattern="^[a-z0-9_.]{1,80}$")]
    width: Side = 640
    height: Side = 480
    crop: Annotated[int, Field(strict=True, ge=16, le=640)] = 96
    hidden: Width = 256


class ParserNetwork(Closed):
    """Arguments of `po3d.language.read.seq2seq.Seq2Seq`."""

    width: Width = 128
    dilations: (
        Annotated[tuple[Annotated[int, Field(ge=1, le=128)], ...], Field(max_length=64)] | None
    ) = None
    heads: Annotated[int, Field(strict=True, ge=1, le=64)] = 4
    reach: Annotated[int, Field(strict=True, ge=1, le=256)] = 15
    dropout: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.1
    longest: Annotated[int, Field(strict=True, ge=1, le=1024)] = 72


class DomainRecord(Closed):
    """The output of `po3d.perception.ood.FeatureDistribution.record`: base64-encoded numbers."""

    mean: Packed
    spread: Packed
    direction: Packed
    limits: tuple[Number, Number]


class MaterialShiftRecord(Closed):
    """The output of `po3d.perception.material_shift.MaterialShift.record`."""

    direction: Packed
    offset: Number
    shift: Number


class EstimatorConfig(Record):
    """`config` of an estimator's checkpoint."""

    network: SceneNetwork
    attributes: Annotated[dict[Name, Words], Field(max_length=20)] | None = None
    calibration: Annotated[dict[Name, Number], Field(max_length=100)] | None = None
    domains: Annotated[dict[Name, DomainRecord], Field(max_length=20)] = {}
    ranges: Annotated[dict[Name, tuple[Number, Number]], Field(max_length=2000)] | None = None
    material_shift: MaterialShiftRecord | None = None


class CropConfig(EstimatorConfig):
    """`config` of a checkpoint for attributes or poses alone."""

    network: CropNetwork


class ParserConfig(Record):
    """`config` of a parser's checkpoint."""

    network: ParserNetwork
    words: Annotated[tuple[Name, ...], Field(min_length=1, max_length=200_000)]


class ReaderShape(Closed):
    """Fields of `po3d.language.read.reader_network.Shape`."""

    pieces: Annotated[int, Field(strict=True, ge=4, le=200_000)]
    width: Width
    layers: Annotated[int, Field(strict=True, ge=1, le=24)]
    heads: Annotated[int, Field(strict=True, ge=1, le=64)]
    inner: Annotated[int, Field(strict=True, ge=1, le=8192)]
    positions: Annotated[int, Field(strict=True, ge=256, le=4096)]
    decoder: Width
    decoder_layers: Annotated[int, Field(strict=True, ge=1, le=24)]
    decoder_heads: Annotated[int, Field(strict=True, ge=1, le=64)]
    dropout: Annotated[float, Field(strict=True, ge=0, lt=1)]


class WeighingRecord(Closed):
    """Fields of `po3d.language.read.weighing.Weighing`."""

    probability: Number = 1.0
    calls: Number = 0.0
    fails: Number = 0.0
    unchanged: Number = 0.0


class ReaderConfig(Record):
    """`config` of the general parser's checkpoint."""

    texts: Annotated[tuple[Name, ...], Field(min_length=1, max_length=20_000)]
    amounts: Annotated[tuple[Name, ...], Field(min_length=1, max_length=1000)]
    shape: ReaderShape
    certainty: tuple[Number, Number] | None = None
    weighing: WeighingRecord | None = None


CONFIGS = {
    "reader": ReaderConfig,
    **dict.fromkeys(("parser", "room_parser"), ParserConfig),
    **dict.fromkeys(
        ("street_estimator", "top_view_estimator", "room_view_estimator"), EstimatorConfig
    ),
    **dict.fromkeys(("street_attributes", "street_pose"), CropConfig),
}


class CheckpointRecord(Record):
    """The description of a checkpoint pair; its `config` is validated by CONFIGS."""

    kind: Name
    config: dict[Name, Any]
    training: dict[Name, Any] = {}
    metrics: dict[Name, Any] = {}
    sha256: Hash


class ModelOptions(Closed):
    """Options of the domains' pipelines that a model folder may store; each pipeline accepts some
    of them."""

    mode: Name = ""
    table: Name = ""
    frame: Name = ""
    reader: Name = ""
    verify: Name | None = None
    samples: Annotated[int, Field(strict=True, ge=0, le=10_000)] = 0
    seed: Seed = 0
    oracle: Words = ()
    draw: Words | Name = ()
    margins: Flag = False
    mirror: Flag = True
    known_yaw: Flag = True
    assume_present: Flag = True


class ModelFolder(Record):
    """config.json of a model folder: records of pairs by their kind. `options`: of the domain's
    pipeline."""

    world: Name
    options: ModelOptions = Field(default_factory=lambda: ModelOptions())
    parts: dict[Name, dict[Name, Any]]
    sha256: Hash


class TwinRecord(Record):
    """twin.json: the settings of a twin."""

    format: Name
    size: Count
    seed: Seed
    split: Name = "test"
    look: StreetLook | None = None
    images: Flag = True
    dials: dict[Name, Any] | None = None


class Shard(Record):
    """A tar file of training images."""

    name: Name
    samples: Annotated[int, Field(strict=True, ge=1, le=10**9)]
    bytes: Annotated[int, Field(strict=True, ge=1)]
    sha256: Hash
    scenes: dict[Name, Name] = {}  # scene ids as ranges (`po3d.benchmarks.scene_ids`)


class ShardIndex(Record):
    """index.json of a folder of shards."""

    shards: tuple[Shard, ...]
    models: tuple[Name, ...] = ()


class ScopeItem(Record):
    """A line of a SCOPE items file; `po3d.benchmarks.scope.data` checks the consistency of its
    fields."""

    id: Name | Whole
    scene: Name | Whole
    task: Name
    images: tuple[Name, ...]
    view: Annotated[
        tuple[Number, ...], BeforeValidator(lambda v: v if isinstance(v, list) else [v])
    ]
    question: Name
    options: tuple[Name | Number, ...]
    answer: Name | Number
    group: Name | None = None
    program: Name | None = None
    variant: Name | None = None
    of: Name | Whole | None = None


class OrbitRecord(Record):
    """The orbit beside a scene of SCOPE's twin; the fields of `po3d.scene.orbit.Orbit`."""

    radius: Size
    height: Number
    target: Number
    width: Pixels
    tall: Pixels
    focal: Size
    reading: Name


# --- settings of the commands ---------------------------------------------------------------------


def _folder(path: str) -> str:
    """Require a folder that exists or can be created."""
    there = next((p for p in (Path(path), *Path(path).parents) if os.path.lexists(p)), None)
    if not path.strip() or "\0" in path or (there is not None and not there.is_dir()):
        raise ValueError(
            "should be a folder"
            + (f", but {there} is a file" if there and not there.is_dir() else "")
        )
    return path


def _file(path: str) -> str:
    """Require a file that exists or can be created; "" for none."""
    if path:
        _folder(str(Path(path).parent))
    return path


Workers = Annotated[int, Field(strict=True, ge=1, le=1024)]
Folder = Annotated[Name, AfterValidator(_folder)]
# A list, or a single value for a list of one: `oracle=heading`.
Names = Annotated[
    tuple[Name, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]
Group = dict[str, Any]  # options that are validated by the object built from them


class _Options(BaseModel):
    """Options of a command; an unknown option is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Data(_Options):
    root: Name | None = None


class _System(Record):
    seed: Seed = 0


class _Benchmark(Record):
    name: Name
    sbert: Flag = False
    scans: Name | None = None
    furniture: Name | None = None
    look: StreetLook | None = None
    dials: Group | None = None
    assume_present: Flag = True
    known_yaw: Flag = True


class _Executor(_Options):
    mode: Name | None
    samples: Annotated[int, Field(strict=True, ge=0, le=100_000)] | None
    margins: Flag | None


class _Perception(Record):
    checkpoint: Name | None = None
    device: Name | None = None
    mirror: Flag | None = None
    modules: dict[Name, Name | Group | None] | None = None


class _Parser(_Options):
    checkpoint: Name | None


class _Engine(Record):
    workers: Workers | None = None
    cpus: Annotated[Number, Field(ge=0)] = 1
    gpus: Annotated[Number, Field(ge=0)] = 0


class _Grid(_Options):
    images: Count | None = None
    groups: dict[str, tuple[Name, ...]] = {}
    singles: Flag = True
    noise: dict[str, tuple[Annotated[Number, Field(ge=0)], ...]] = {}
    cells: tuple[dict[str, Name | Number], ...] = ()


class EvaluateSettings(_Options):
    """configs/evaluate.yaml."""

    benchmark: _Benchmark
    perception: _Perception
    parser: _Parser
    system: _System
    grid: _Grid | None = None
    split: Literal["mini", "fresh"]
    seed: Seed
    size: Count | None
    synthetic_dir: Folder
    data: _Data
    scorer: Name
    oracle: Names
    noise: dict[Name, Annotated[Number, Field(ge=0)]] | None
    reader: Name
    executor: _Executor
    abstain_below: Annotated[Number, Field(ge=0, le=1)]
    resume: Flag
    overwrite: Flag
    compare_to: Names
    published: Literal[False, True, "later"]
    workers: Workers
    engine: _Engine
    wandb: Group | None
    out: Folder | None


class GenerateSettings(_Options):
    """configs/generate.yaml."""

    benchmark: _Benchmark
    size: Count
    seed: Seed
    split: Name
    out: Folder
    images: Flag
    look: StreetLook | None
    photographs: Name | None
    labels: Name | None
    skies: Name | None
    workers: Workers
    engine: _Engine
    format: Literal["folder", "webdataset"]
    renderer: Name
    vehicles: Name | None
    blender: Group


Rate = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Loaders = Annotated[int, Field(strict=True, ge=0, le=1024)]


class _Model(Record):
    """Options of all models of configs/model: those of the optimizer, and others whose errors would
    only show after hours."""

    learning_rate: Rate = 1.0
    encoder_rate: Rate = 1.0
    weight_decay: Annotated[Number, Field(ge=0)] = 0
    warmup: Annotated[Number, Field(ge=0)] = 0
    augment: Annotated[Number, Field(ge=0)] = 0
    dropout: Share = 0
    smoothing: Share = 0


class _Extra(_Options):
    seed: Seed = 0
    images: Count = 1
    samples: Count = 1


class _Samples(Record):
    """Options of all data of configs/data: amounts and sizes."""

    images: Count = 1
    rooms: Count = 1
    pairs: Count | Name = 1
    validation: Count | Group  # a count per kind; validated by the data
    batch: Count
    width: Side = 32
    height: Side = 32
    seed: Seed = 0
    extra: tuple[_Extra, ...] = ()
    workers: Workers = 1
    num_workers: Loaders | None = None
    share: Share = 0
    mirror: Flag = True


class _Trainer(Record):
    """Options of Lightning whose errors would show after the first steps; its Trainer validates the
    others."""

    precision: Literal["bf16-mixed", "16-mixed", "32-true"] = "32-true"
    accumulate_grad_batches: Count = 1
    log_every_n_steps: Count = 1
    limit_val_batches: Annotated[int | float, Field(gt=0)] = 1
    val_check_interval: Annotated[int | float, Field(gt=0)] | None = None
    monitor: Name | None = None
    patience: Count | None = None
    pictures: Whole = 64


class TrainSettings(_Options):
    """configs/train.yaml."""

    model: _Model
    data: _Samples
    trainer: _Trainer
    seed: Seed
    start: Name | None = None
    out: Folder
    export: Annotated[Name, AfterValidator(_file)]
    steps: Count
    clip: Annotated[Number, Field(ge=0)] | None
    ema: Annotated[Number, Field(ge=0, lt=1)]
    save_every: Count
    compile: Flag
    wandb: Group | None
    study: Group | None = None
    recipe: Group | None = None


SETTINGS = {"evaluate": EvaluateSettings, "generate": GenerateSettings, "train": TrainSettings}


def texts_of(name: str) -> Iterator[str]:
    """Yield the dotted keys of the config `name` whose value is a text or null."""
    schema = _adapter(SETTINGS[name]).json_schema()

    def keys(part: dict[str, Any], prefix: str) -> Iterator[str]:
        for key, field in part.get("properties", {}).items():
            branches = [
                schema["$defs"][b["$ref"].rsplit("/", 1)[1]] if "$ref" in b else b
                for b in field.get("anyOf", [field])
            ]
            kinds = {branch.get("type") for branch in branches}
            if kinds <= {"string", "null"} and not any("enum" in branch for branch in branches):
                yield prefix + key
            for branch in branches:
                yield from keys(branch, f"{prefix}{key}.")

    yield from keys(schema, "")


def check_settings(name: str, options: dict[str, Any]) -> None:
    """Raise InputError for invalid options of the config `name`, in the notation of the command
    line (`size='abc' should be a whole number`)."""
    try:
        _adapter(SETTINGS[name]).validate_python(options)
    except ValidationError as error:
        raise InputError(_error_text(error.errors(include_url=False)[0], "=")) from None
