"""Predicted scenes from a file, in place of an estimator: `perception=file`.

The file has one JSON record for each image, in the format of scenes.jsonl; docs/tables.md has the
schema. Only `image` and `objects` are required. A field that is missing in an object is unknown: a
missing heading or position gets the variance of a uniform distribution.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from po3d.io.errors import InputError, malformed, printable
from po3d.io.files import read_json, read_jsonl
from po3d.io.images import ImageError
from po3d.io.runs import SCENES
from po3d.perception.room_furnishing import usual
from po3d.reasoning.questions import Question, pictures
from po3d.scene.frames import axes_from_front
from po3d.scene.orbit import viewer_axes
from po3d.scene.street import AXES, SPREAD, camera, extent, origin_height
from po3d.scene.table import FORMAT, Scene, from_json, to_json
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.interfaces import PerceptionInput, TableSource
from po3d.systems.scene_sources import Domain, completed

ANYWHERE = {
    "street": SPREAD**2 / 3,
    "rooms": 4.0,
    "photographs": 4.0,
    "orbit": 4.0,
}  # variance of a position
ANY_HEADING = math.pi**2 / 3  # variance of a heading


class TableFile:
    """The predicted scenes of a .jsonl or .json file, or of a finished run's folder. `name` and
    `checkpoint`: see `po3d.systems.estimators`."""

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self.checkpoint = path / SCENES if path.is_dir() else path
        named = self.checkpoint.resolve()
        self.name = f"tables of {named.parent.name if named.name == SCENES else named.stem}"
        self.records = _records(self.checkpoint)

    def source(self, domain: Domain) -> "FromFile":
        """Return the source of scenes for a domain; InputError names the invalid record."""
        where = self.checkpoint.name
        scenes = {}
        for image, record in self.records.items():
            scenes[image] = from_json(
                _whole(record, domain, f"{where}, {image!r}"), f"{where}, {image!r}"
            )
        return FromFile(self, domain, scenes)


@dataclass(frozen=True)
class FromFile(TableSource):
    estimator: TableFile  # origin of the scenes, for provenance
    domain: Domain
    scenes: Mapping[str, Scene]

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        return list(map(self._of, looks))

    def notes(self, questions: Sequence[Question]) -> list[str]:
        """Return a remark if some images of the questions have no scene; InputError if none has
        one."""
        names = dict.fromkeys(itertools.chain.from_iterable(map(pictures, questions)))
        there = sum(name in self.scenes for name in names)
        text = f"{self.estimator.checkpoint} has scenes for {there:,} of the {len(names):,} images"
        if names and not there:
            raise InputError(f"{text}; it may be for another benchmark or split")
        return (
            [] if there == len(names) else [f"{text}; questions on the other images count as wrong"]
        )

    def _of(self, look: PerceptionInput) -> list[Scene]:
        file = self.estimator.checkpoint.name
        result = []
        if missing := [name for name in look.names if name not in self.scenes]:
            raise ImageError(f"no scene for {', '.join(missing)} in {file}", missing)
        for name in look.names:
            result.append(completed(self.scenes[name], self.domain, look.context, file))
        return result


def _records(path: Path) -> dict[str, dict]:
    """Return image -> record; InputError if the file is not a list of scenes, or has two for one
    image."""
    if path.suffix == ".json":
        result: Any = read_json(path, "file of scenes")
        records = result if isinstance(result, list) else [result]
    else:
        records = list(read_jsonl(path, "file of scenes"))
    tables: dict[str, dict] = {}
    for k, record in enumerate(records):
        where = f"{path.name}, record {k}"
        if not isinstance(record, dict) or not isinstance(record.get("objects"), list):
            raise InputError(
                f"{where}: not a scene: it should be an object with 'image' and 'objects'"
            )
        name = record.get("image")
        if not isinstance(name, str) or not name:
            raise InputError(f"{where}: the field 'image' should hold the image's name")
        if name in tables:
            raise InputError(f"{where}: second scene of {printable(name)}")
        if record.get("source", "predicted") == "gt":
            raise InputError(
                f'{where}: source="gt" marks ground truth; only predicted scenes are accepted'
            )
        tables[name] = record
    return tables


def _whole(record: Mapping[str, Any], domain: Domain, where: str) -> dict[str, Any]:
    """Return the record with all fields that `from_json` requires."""
    objects = []
    for k, o in enumerate(record["objects"]):
        objects.append(_object(o, domain, f"{where}, objects[{k}]"))
    view = record.get("camera")
    if view is None and domain == "street":
        view = to_json(Scene((), AXES, "predicted", camera()))["camera"]
    if record.get("axes") is not None:
        axes = record["axes"]
    elif domain == "street":
        axes = AXES
    elif domain == "rooms" or not isinstance(view, Mapping):
        axes = axes_from_front((0.0, 1.0))
    else:
        axes = viewer_axes(_ahead(view, where))
    inputs = {"format": record.get("format", FORMAT), "source": "predicted", "axes": dict(axes)}
    return {**record, **inputs, "objects": objects, **({} if view is None else {"camera": view})}


def _ahead(view: Mapping[str, Any], where: str) -> tuple[float, float]:
    with malformed(f"{where}: the camera needs 'cam_R_world', three rows of three numbers"):
        return float(view["cam_R_world"][2][0]), float(view["cam_R_world"][2][1])


def _object(record: Any, domain: Domain, where: str) -> dict[str, Any]:
    """Return one object, with missing fields as unknown."""
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: should be an object with 'beliefs'")
    beliefs = record.get("beliefs", {})
    if not isinstance(beliefs, Mapping):
        raise InputError(
            f"{where}: 'beliefs' should be an object: attribute -> value -> probability"
        )
    result = dict(record)
    result["beliefs"] = {}
    for attribute, belief in beliefs.items():
        if belief is not None:
            result["beliefs"][attribute] = {belief: 1.0} if isinstance(belief, str) else belief
    vague = [record.get("position") is None] * 2
    vague.append(record.get("heading_deg") is None and record.get("heading") is None)
    if record.get("heading_deg") is None:
        heading = record.get("heading")
        result["heading_deg"] = math.degrees(heading) if isinstance(heading, int | float) else 0.0
    if result.get("extent") is None:
        result["extent"] = list(_usual(result["beliefs"], domain))
    if record.get("position") is None:
        result["position"] = [0.0, 0.0, _height(result, domain)]
    if any(vague) and record.get("covariance") is None:
        variances = np.array([ANYWHERE[domain], ANYWHERE[domain], ANY_HEADING])
        result["covariance"] = np.diag(variances * vague).tolist()
    if vague[2]:
        result.setdefault("flip", 0.5)
    return result


def _usual(beliefs: Mapping[str, Any], domain: Domain) -> tuple[float, ...]:
    """Return the usual size of the most probable category."""
    if domain == "street":
        return tuple(extent(*_shape_and_size(beliefs)).tolist())
    return tuple(usual(_likeliest(beliefs, "name", ""))[0])


def _height(result: Mapping[str, Any], domain: Domain) -> float:
    """Return the height of the origin of an object on the ground."""
    if domain == "street":
        return origin_height(*_shape_and_size(result["beliefs"]))
    return float(result["extent"][2]) / 2


def _shape_and_size(beliefs: Mapping[str, Any]) -> tuple[str, str]:
    shape = _likeliest(beliefs, "shape", ATTRIBUTES["shape"][0])
    size = _likeliest(beliefs, "size", ATTRIBUTES["size"][0])
    known = shape in ATTRIBUTES["shape"] and size in ATTRIBUTES["size"]
    return (shape, size) if known else ("sedan", "large")


def _likeliest(beliefs: Mapping[str, Any], attribute: str, otherwise: str) -> str:
    belief = beliefs.get(attribute)
    if not isinstance(belief, Mapping) or not belief:
        return otherwise
    numbers = {}
    for v, p in belief.items():
        if isinstance(p, int | float):
            numbers[v] = p
    return max(numbers, key=numbers.__getitem__, default=otherwise)
