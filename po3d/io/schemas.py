"""Schemas of external records: types of fields, predictions, and the files of a data set.

Scene tables are in `scene_schemas`, checkpoints in `checkpoint_schemas`, options of the commands in
`settings_schemas`, reports in `po3d.benchmarks.report_schemas`. Records are validated once, at the
entry, so that no other code validates them. `checked` reports the invalid field and its value in
one line.

pydantic, because its errors are data (field path, value, expectation), and wandb depends on it
anyway; it is imported with the first record. Numbers are JSON numbers, finite and at most LARGEST;
texts are at most LONGEST characters; unknown fields are ignored, so that other tools may add
theirs.
"""

import functools
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
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
Pixels = Annotated[int, Field(strict=True, ge=1, le=100_000)]  # of an image's side
Side = Annotated[int, Field(strict=True, ge=32, le=4096)]  # of a network's input
Width = Annotated[int, Field(strict=True, ge=1, le=2048)]  # of a layer
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


def record(name: str, base: type[BaseModel] = Record, /, **fields: Any) -> type[BaseModel]:
    """Return a schema with these fields: a type each, or a type and its default."""
    definitions = {}
    for key, f in fields.items():
        definitions[key] = f if isinstance(f, tuple) else (f, ...)
    return create_model(name, __base__=base, **definitions)


def checked(kind: type[Kind], value: object, where: str) -> Kind:
    """Validate `value` as `kind`; InputError, beginning with `where`, if it is invalid."""
    try:
        return adapter(kind).validate_python(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        more = f" ({len(details) - 1} more)" if len(details) > 1 else ""
        raise InputError(f"{where}: {error_text(details[0])}{more}") from None


@functools.cache
def adapter(kind: type[Kind]) -> TypeAdapter[Kind]:
    return TypeAdapter(kind)


# pydantic's names for the branches of a union; not part of a field's path.
_KINDS = ("str", "int", "float", "constrained-str", "constrained-int", "constrained-float")


def error_text(error: ErrorDetails, sign: str = ": ") -> str:
    """Return one error: the path of the field, its value, and what it should be."""
    path = ""
    for part in error["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in _KINDS:
            path += f".{_key(part)}" if path else _key(part)
    if error["type"] == "missing":
        return f"the field {path!r} is missing"
    wanted = _wanted(error["type"], error.get("ctx", {}), error["msg"])
    where = f"{path}{sign}" if path else ""
    return f"{where}{printable(error['input'])} {wanted}"


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
    if kind in messages:
        return messages[kind].format_map(context)
    return message.replace("Input should", "should", 1)


# --- predictions ----------------------------------------------------------------------------------

_FIELDS = {
    "id": Name,
    "status": Literal["ok", "unparsed", "failed", "abstained"],
    "answer": (Text | None, None),
    "probability": (Probability | None, None),
    "program": (Text, ""),
    "reason": (Text, ""),
    "margin": (dict[Name, Any] | None, None),
}
# A line of a predictions file; the fields of `po3d.reasoning.questions.Prediction`.
PredictionRecord = record("PredictionRecord", **_FIELDS)

# The lines of partial.jsonl (`po3d.io.runs`), written only by po3d: the run, date and machine of a
# resumption, and the answers to an image's questions with the stored scenes.
_About = record("_About", provenance=(dict[str, Any], {}))
RunLine = record("RunLine", Closed, run=record("_Run", identity=dict[str, Any], about=_About))
SittingLine = record("SittingLine", Closed, sitting=dict[str, Any])
ImageLine = record(
    "ImageLine",
    Closed,
    image=Name,
    predictions=tuple[record("_Answer", Closed, **_FIELDS), ...],
    scenes=tuple[dict[str, Any], ...],
)

# --- data sets ------------------------------------------------------------------------------------


# twin.json: the settings of a twin.
TwinRecord = record(
    "TwinRecord",
    format=Name,
    size=Count,
    seed=Seed,
    split=(Name, "test"),
    look=(StreetLook | None, None),
    images=(Flag, True),
    dials=(dict[Name, Any] | None, None),
)

# A tar file of training images.
Shard = record(
    "Shard",
    name=Name,
    samples=Annotated[int, Field(strict=True, ge=1, le=10**9)],
    bytes=Annotated[int, Field(strict=True, ge=1)],
    sha256=Hash,
    scenes=(dict[Name, Name], {}),  # scene ids as ranges (`po3d.benchmarks.scene_ids`)
)

# index.json of a folder of shards.
ShardIndex = record("ShardIndex", shards=tuple[Shard, ...], models=(tuple[Name, ...], ()))

# A line of a SCOPE items file; `po3d.benchmarks.scope.data` checks the consistency of its
# fields.
ScopeItem = record(
    "ScopeItem",
    id=Name | Whole,
    scene=Name | Whole,
    task=Name,
    images=tuple[Name, ...],
    view=Annotated[
        tuple[Number, ...], BeforeValidator(lambda v: v if isinstance(v, list) else [v])
    ],
    question=Name,
    options=tuple[Name | Number, ...],
    answer=Name | Number,
    group=(Name | None, None),
    program=(Name | None, None),
    variant=(Name | None, None),
    of=(Name | Whole | None, None),
)

# The orbit beside a scene of SCOPE's twin; the fields of `po3d.scene.orbit.Orbit`.
OrbitRecord = record(
    "OrbitRecord",
    radius=Size,
    height=Number,
    target=Number,
    width=Pixels,
    tall=Pixels,
    focal=Size,
    reading=Name,
)
