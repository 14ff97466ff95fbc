"""Schemas of checkpoints: arguments of the networks, configs, and model folders."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from po3d.io.schemas import (
    Closed,
    Flag,
    Hash,
    Name,
    Number,
    Packed,
    Seed,
    Side,
    Width,
    Words,
    record,
)

MOST_PIXELS = 2048 * 2048  # of a network's input, which determines its memory


def _not_too_large(network: Closed) -> Closed:
    if network.width * network.height > MOST_PIXELS:
        raise ValueError(f"should have at most {MOST_PIXELS:,} pixels")
    return network


# The name of a timm model.
_Backbone = Annotated[str, Field(strict=True, pattern="^[a-z0-9_.]{1,80}$")]
# Arguments of `po3d.perception.network.SceneNet`.
SceneNetwork = Annotated[
    record(
        "SceneNetwork",
        Closed,
        backbone=(_Backbone, "regnetx_004"),
        width=(Side, 640),
        height=(Side, 480),
        fold=(Annotated[int, Field(strict=True, ge=1, le=8)], 2),
        neck=(Annotated[int, Field(strict=True, ge=1, le=512)], 96),
        hidden=(Width, 256),
        pose_hidden=(Annotated[int, Field(strict=True, ge=0, le=2048)], 0),
        layers=(Annotated[int, Field(strict=True, ge=1, le=8)], 1),
        context=(Annotated[int, Field(strict=True, ge=0, le=2048)], 0),
    ),
    AfterValidator(_not_too_large),
]
# Arguments of `po3d.perception.crops.CropNet`.
CropNetwork = record(
    "CropNetwork",
    Closed,
    backbone=_Backbone,
    width=(Side, 640),
    height=(Side, 480),
    crop=(Annotated[int, Field(strict=True, ge=16, le=640)], 96),
    hidden=(Width, 256),
)

# Arguments of `po3d.language.read.seq2seq.Seq2Seq`.
ParserNetwork = record(
    "ParserNetwork",
    Closed,
    width=(Width, 128),
    dilations=(
        Annotated[tuple[Annotated[int, Field(ge=1, le=128)], ...], Field(max_length=64)] | None,
        None,
    ),
    heads=(Annotated[int, Field(strict=True, ge=1, le=64)], 4),
    reach=(Annotated[int, Field(strict=True, ge=1, le=256)], 15),
    dropout=(Annotated[float, Field(strict=True, ge=0, lt=1)], 0.1),
    longest=(Annotated[int, Field(strict=True, ge=1, le=1024)], 72),
)

# The output of `po3d.perception.ood.FeatureDistribution.record`: base64-encoded numbers.
DomainRecord = record(
    "DomainRecord",
    Closed,
    mean=Packed,
    spread=Packed,
    direction=Packed,
    limits=tuple[Number, Number],
)
# The output of `po3d.perception.material_shift.MaterialShift.record`.
MaterialShiftRecord = record(
    "MaterialShiftRecord", Closed, direction=Packed, offset=Number, shift=Number
)

# `config` of an estimator's checkpoint.
EstimatorConfig = record(
    "EstimatorConfig",
    network=SceneNetwork,
    attributes=(Annotated[dict[Name, Words], Field(max_length=20)] | None, None),
    calibration=(Annotated[dict[Name, Number], Field(max_length=100)] | None, None),
    domains=(Annotated[dict[Name, DomainRecord], Field(max_length=20)], {}),
    ranges=(Annotated[dict[Name, tuple[Number, Number]], Field(max_length=2000)] | None, None),
    material_shift=(MaterialShiftRecord | None, None),
)

# `config` of a checkpoint for attributes or poses alone.
CropConfig = record("CropConfig", EstimatorConfig, network=CropNetwork)

# `config` of a parser's checkpoint.
ParserConfig = record(
    "ParserConfig",
    network=ParserNetwork,
    words=Annotated[tuple[Name, ...], Field(min_length=1, max_length=200_000)],
)

# Fields of `po3d.language.read.reader_network.Shape`.
ReaderShape = record(
    "ReaderShape",
    Closed,
    pieces=Annotated[int, Field(strict=True, ge=4, le=200_000)],
    width=Width,
    layers=Annotated[int, Field(strict=True, ge=1, le=24)],
    heads=Annotated[int, Field(strict=True, ge=1, le=64)],
    inner=Annotated[int, Field(strict=True, ge=1, le=8192)],
    positions=Annotated[int, Field(strict=True, ge=256, le=4096)],
    decoder=Width,
    decoder_layers=Annotated[int, Field(strict=True, ge=1, le=24)],
    decoder_heads=Annotated[int, Field(strict=True, ge=1, le=64)],
    dropout=Annotated[float, Field(strict=True, ge=0, lt=1)],
)

# Fields of `po3d.language.read.weighing.Weighing`.
WeighingRecord = record(
    "WeighingRecord",
    Closed,
    probability=(Number, 1.0),
    calls=(Number, 0.0),
    fails=(Number, 0.0),
    unchanged=(Number, 0.0),
)

# `config` of the general parser's checkpoint.
ReaderConfig = record(
    "ReaderConfig",
    texts=Annotated[tuple[Name, ...], Field(min_length=1, max_length=20_000)],
    amounts=Annotated[tuple[Name, ...], Field(min_length=1, max_length=1000)],
    shape=ReaderShape,
    certainty=(tuple[Number, Number] | None, None),
    weighing=(WeighingRecord | None, None),
)

CONFIGS = {
    "reader": ReaderConfig,
    **dict.fromkeys(("parser", "room_parser"), ParserConfig),
    **dict.fromkeys(
        ("street_estimator", "top_view_estimator", "room_view_estimator"), EstimatorConfig
    ),
    **dict.fromkeys(("street_attributes", "street_pose"), CropConfig),
}


# The description of a checkpoint pair; its `config` is validated by CONFIGS.
CheckpointRecord = record(
    "CheckpointRecord",
    kind=Name,
    config=dict[Name, Any],
    training=(dict[Name, Any], {}),
    metrics=(dict[Name, Any], {}),
    sha256=Hash,
)

# Options of the domains' pipelines that a model folder may store; each pipeline accepts some of
# them.
ModelOptions = record(
    "ModelOptions",
    Closed,
    mode=(Name, ""),
    scenes=(Name, ""),
    frame=(Name, ""),
    parser=(Name, ""),
    refine=(Name | None, None),
    samples=(Annotated[int, Field(strict=True, ge=0, le=10_000)], 0),
    seed=(Seed, 0),
    oracle=(Words, ()),
    draw=(Words | Name, ()),
    margins=(Flag, False),
    flip_tta=(Flag, True),
    known_yaw=(Flag, True),
    assume_present=(Flag, True),
)

# config.json of a model folder: records of pairs by their kind. `options`: of the domain's
# pipeline.
ModelFolder = record(
    "ModelFolder",
    world=Name,
    options=(ModelOptions, ModelOptions()),
    parts=dict[Name, dict[Name, Any]],
    sha256=Hash,
)
