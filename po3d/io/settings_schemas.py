"""Schemas of the options of evaluate.py, generate and train.py."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from po3d.io.errors import InputError
from po3d.io.schemas import (
    Closed,
    Count,
    Flag,
    Name,
    Number,
    Seed,
    Side,
    StreetLook,
    Whole,
    adapter,
    error_text,
    record,
)


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


_Benchmark = record(
    "_Benchmark",
    name=Name,
    sbert=(Flag, False),
    scans=(Name | None, None),
    furniture=(Name | None, None),
    look=(StreetLook | None, None),
    difficulty=(Group | None, None),
    assume_present=(Flag, True),
    known_yaw=(Flag, True),
)

_Executor = record(
    "_Executor",
    Closed,
    mode=Name | None,
    samples=Annotated[int, Field(strict=True, ge=0, le=100_000)] | None,
    margins=Flag | None,
)

_Perception = record(
    "_Perception",
    checkpoint=(Name | None, None),
    device=(Name | None, None),
    flip_tta=(Flag | None, None),
    modules=(dict[Name, Name | Group | None] | None, None),
)

_Parser = record(
    "_Parser", Closed, mode=Literal["benchmark", "general", "cascade"], checkpoint=Name | None
)
_Amount = Annotated[Number, Field(ge=0)]
_Engine = record("_Engine", workers=(Workers | None, None), cpus=(_Amount, 1), gpus=(_Amount, 0))

_Grid = record(
    "_Grid",
    Closed,
    images=(Count | None, None),
    groups=(dict[str, tuple[Name, ...]], {}),
    singles=(Flag, True),
    noise=(dict[str, tuple[_Amount, ...]], {}),
    cells=(tuple[dict[str, Name | Number], ...], ()),
)

# configs/evaluate.yaml.
EvaluateSettings = record(
    "EvaluateSettings",
    Closed,
    benchmark=_Benchmark,
    perception=_Perception,
    parser=_Parser,
    system=record("_System", seed=(Seed, 0)),
    grid=(_Grid | None, None),
    split=Literal["mini", "fresh"],
    seed=Seed,
    size=Count | None,
    synthetic_dir=Folder,
    data=record("_Data", Closed, root=(Name | None, None)),
    scorer=Name,
    oracle=Names,
    noise=dict[Name, _Amount] | None,
    executor=_Executor,
    abstain_below=Annotated[Number, Field(ge=0, le=1)],
    resume=Flag,
    overwrite=Flag,
    compare_to=Names,
    published=Literal[False, True, "later"],
    workers=Workers,
    engine=_Engine,
    wandb=Group | None,
    out=Folder | None,
)

# configs/generate.yaml.
GenerateSettings = record(
    "GenerateSettings",
    Closed,
    benchmark=_Benchmark,
    size=Count,
    seed=Seed,
    split=Name,
    out=Folder,
    images=Flag,
    look=StreetLook | None,
    photographs=Name | None,
    labels=Name | None,
    skies=Name | None,
    workers=Workers,
    engine=_Engine,
    format=Literal["folder", "webdataset"],
    renderer=Name,
    vehicles=Name | None,
    blender=Group,
)

Rate = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Loaders = Annotated[int, Field(strict=True, ge=0, le=1024)]


# Options of all models of configs/model: those of the optimizer, and others whose errors would
# only show after hours.
_Model = record(
    "_Model",
    learning_rate=(Rate, 1.0),
    encoder_rate=(Rate, 1.0),
    weight_decay=(_Amount, 0),
    warmup=(_Amount, 0),
    augment=(_Amount, 0),
    dropout=(Share, 0),
    smoothing=(Share, 0),
)

_Extra = record("_Extra", Closed, seed=(Seed, 0), images=(Count, 1), samples=(Count, 1))

# Options of all data of configs/data: amounts and sizes.
_Samples = record(
    "_Samples",
    images=(Count, 1),
    rooms=(Count, 1),
    pairs=(Count | Name, 1),
    validation=Count | Group,  # a count per kind; validated by the data
    batch=Count,
    width=(Side, 32),
    height=(Side, 32),
    seed=(Seed, 0),
    extra=(tuple[_Extra, ...], ()),
    workers=(Workers, 1),
    num_workers=(Loaders | None, None),
    share=(Share, 0),
    flip=(Flag, True),
)

# Options of Lightning whose errors would show after the first steps; its Trainer validates the
# others.
_Trainer = record(
    "_Trainer",
    precision=(Literal["bf16-mixed", "16-mixed", "32-true"], "32-true"),
    accumulate_grad_batches=(Count, 1),
    log_every_n_steps=(Count, 1),
    limit_val_batches=(Annotated[int | float, Field(gt=0)], 1),
    val_check_interval=(Annotated[int | float, Field(gt=0)] | None, None),
    monitor=(Name | None, None),
    patience=(Count | None, None),
    pictures=(Whole, 64),
)

# configs/train.yaml.
TrainSettings = record(
    "TrainSettings",
    Closed,
    model=_Model,
    data=_Samples,
    trainer=_Trainer,
    seed=Seed,
    start=(Name | None, None),
    out=Folder,
    export=Annotated[Name, AfterValidator(_file)],
    steps=Count,
    clip=_Amount | None,
    ema=Annotated[Number, Field(ge=0, lt=1)],
    save_every=Count,
    compile=Flag,
    wandb=Group | None,
    study=(Group | None, None),
    recipe=(Group | None, None),
)

SETTINGS = {"evaluate": EvaluateSettings, "generate": GenerateSettings, "train": TrainSettings}


def texts_of(name: str) -> Iterator[str]:
    """Yield the dotted keys of the config `name` whose value is a text or null."""
    schema = adapter(SETTINGS[name]).json_schema()

    def keys(part: dict[str, Any], prefix: str) -> Iterator[str]:
        for key, field in part.get("properties", {}).items():
            branches = []
            for branch in field.get("anyOf", [field]):
                if "$ref" in branch:
                    branch = schema["$defs"][branch["$ref"].rsplit("/", 1)[1]]
                branches.append(branch)
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
        adapter(SETTINGS[name]).validate_python(options)
    except ValidationError as error:
        raise InputError(error_text(error.errors(include_url=False)[0], "=")) from None
