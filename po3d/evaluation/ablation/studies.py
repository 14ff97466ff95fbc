"""Studies of several trainings: `python train.py experiment=backbones`,
`experiment=data_efficiency` and `experiment=room_backbones`.

  a part      -> one run per value and variant -> OUT/PART/RUN: training, checkpoint, evaluation,
              result.json
  all results -> OUT/study.json, OUT/study.md, OUT/PART.png

Every run is an ordinary training in its own folder: an interrupted study is resumed, and finished
runs are not repeated. The trained module is used in the pipeline with a shipped one for the other
module; estimators of room views are evaluated on validation views (`po3d.training.view_errors`).
"""

import functools
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.ablation.study_tables import curve_plot, curves, study_markdown
from po3d.evaluation.provenance import data_digest, digest, provenance
from po3d.evaluation.run import Split, evaluate
from po3d.io.checkpoint import git_revision, locate
from po3d.io.errors import InputError
from po3d.io.files import read_json, sha256, write_file, write_json
from po3d.io.progress import progress
from po3d.language.read.street_parser import Parser
from po3d.perception.street import StreetEstimator
from po3d.reasoning.questions import images_of
from po3d.scene.table import Scene
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_sources import Pictures
from po3d.systems.street import DOMAIN, question_parser

BENCHMARK = "pulsecheck457"
FRESH_SIZE = 300  # number of images of a fresh split
TIMED = {"perception": 8, "parser": 200}  # number of images and questions for measuring speed
FILLS = (*TIMED, "views")
PARTS = {"fills", "experiment", "options", "over", "values", "variants", "oracle"}


@dataclass(frozen=True)
class TrainingRun:
    """One training of a study."""

    part: str
    name: str
    value: object  # value of the varied option; None: only variants
    variant: str
    # resolved config of train.py; its `out` is the run's folder, its `export` its checkpoint
    config: dict[str, Any]
    # the module that it trains; views: the estimator of room views
    fills: Literal["perception", "parser", "views"]
    oracle: tuple[str, ...] = ()  # modules at ground truth in its evaluation


@dataclass(frozen=True)
class Setting:
    """The data and modules with which the runs are evaluated."""

    split: str = "mini"
    root: str | None = None
    size: int | None = None
    seed: int = 0
    scorer: str = "strict"
    mode: Literal["argmax", "marginal", "samples"] = "marginal"
    perception: str = "street_estimator"
    parser: str = "street_parser"
    views: list[str] | None = None  # folders of validation views, for parts that fill "views"


# Returns the rows of a checkpoint's errors on Setting.views, and views a second, from the config of
# its training, its path and the folders.
Judge = Callable[[dict[str, Any], Path, Sequence[str]], tuple[list[dict[str, Any]], float]]


def planned(
    study: Mapping[str, Any],
    out: str | Path,
    varied: Callable[[str | None, Sequence[str], dict[str, Any]], dict[str, Any]],
) -> list[TrainingRun]:
    """Return the runs of a study's `parts`: every value of `over` in every variant, or every
    variant if a part has neither `over` nor `values`.

    `varied(experiment, options, changes)` returns the resolved config of train.py; `changes` maps
    dotted keys to values."""
    runs = []
    for part, wanted in study["parts"].items():
        where, values = f"study.parts.{part}", wanted.get("values") or []
        if unknown := sorted(set(wanted) - PARTS):
            listed = ", ".join(sorted(PARTS))
            raise InputError(f"{where}: unknown key {unknown[0]!r}; known: {listed}")
        if (fills := wanted.get("fills")) not in FILLS:
            raise InputError(f"{where}.fills={fills!r} should be one of {', '.join(FILLS)}")
        views = study.get("views")
        if fills == "views" and (not views or isinstance(views, str)):
            raise InputError("study.views should list folders of validation views")
        variants = wanted.get("variants") or {"": {}}
        if "over" not in wanted and "values" not in wanted and "" not in variants:
            values = [None]
        if not values or (values != [None] and not wanted.get("over")):
            raise InputError(f"{where} needs `over` (an option of train.py) and its `values`")
        for value in values:
            for variant, changes in variants.items():
                parts = ("" if value is None else _filename(value), variant)
                name = "-".join(filter(None, parts))
                folder = Path(out) / part / name
                changed = {**changes, "out": str(folder), "export": str(folder / "checkpoint")}
                if value is not None:
                    changed[wanted["over"]] = value
                options = wanted.get("experiment"), wanted.get("options") or []
                config = varied(*options, changed)
                oracle = tuple(wanted.get("oracle") or ())
                runs.append(TrainingRun(part, name, value, variant, config, fills, oracle))
    folders = [run.config["out"] for run in runs]
    if twice := next((f for f in folders if folders.count(f) > 1), None):
        raise InputError(f"two runs of the study have the same folder {twice}")
    return runs


def run_study(
    runs: Sequence[TrainingRun],
    fit: Callable[[dict[str, Any]], object],
    setting: Setting,
    out: str | Path,
    judge: Judge,
) -> dict[str, Any]:
    """Train the missing runs (`fit` is called with a run's config), evaluate them (`judge`: those
    that fill "views"), write tables and curves under `out`, and return the content of
    OUT/study.json."""
    out = Path(out)
    split, data = None, {}
    if any(run.fills != "views" for run in runs):
        split, root = _opened(setting, out)
        data = {"root": str(root), "sha256": data_digest(root, split)}
    if setting.views:
        data["views"] = digest({folder: _views_digest(Path(folder)) for folder in setting.views})
    others = _shipped(setting)
    results = []
    for run in progress(runs, "study", unit="run"):
        folder = Path(run.config["out"])
        identity = {"config": run.config, "oracle": list(run.oracle), "setting": setting.__dict__}
        identity["data"] = data
        _claim(folder, run.config)
        done = folder / "result.json"
        record = read_json(done, "result of a study's run") if done.is_file() else None
        if not isinstance(record, dict) or record.get("identity") != identity:
            fit(run.config)
            if run.fills == "views":
                rows, speed = judge(run.config, folder / "checkpoint", setting.views)
                result = _record(run, rows, speed)
            else:
                result = _result(run, split, data, others, setting)
            record = {"identity": identity, **result}
            write_json(done, record)
            record = read_json(done)
        results.append({k: v for k, v in record.items() if k != "identity"})
        study = {"setting": setting.__dict__, "data": data, "runs": results}
        # after every run, so that a long study can be inspected early
        write_json(out / "study.json", study)
        write_file(out / "study.md", study_markdown(results))
    for part in curves(results):
        if importlib.util.find_spec("matplotlib") is None:
            print("curves are not drawn; they need matplotlib: pip install 'po3d[report]'")
            break
        curve_plot(curves(results)[part], out / f"{part}.png")
    return study


def _filename(value: object) -> str:
    return "".join(c if c.isalnum() or c in "._" else "-" for c in str(value))


def _opened(setting: Setting, out: Path) -> tuple[Split, Path]:
    source = BENCHMARKS[BENCHMARK]
    if setting.root is not None or setting.split == "mini":
        root = Path(setting.root or source.mini)
        return opened(BENCHMARK, setting.root, setting.size), root
    if setting.split != "fresh":
        raise InputError(
            f"study.split={setting.split!r} should be mini or fresh; for a release, set study.root"
        )
    size = setting.size or FRESH_SIZE
    folder = out / f"twin-seed{setting.seed}-size{size}"
    return source.open_fresh(folder, size, setting.seed), folder


def _claim(folder: Path, config: dict[str, Any]) -> None:
    """Raise InputError for a folder with a different training, which would be continued from its
    weights."""
    mark = folder / "run.json"
    if mark.is_file() and read_json(mark) != config:
        raise InputError(
            f"{folder} holds a training with other options; choose another out=DIR or remove it"
        )
    write_json(mark, config)


def _shipped(setting: Setting) -> Callable[[str], Any]:
    """Return a function that returns the shipped "parser" or "perception", loaded on first use."""

    @functools.cache
    def module(name: str) -> Any:
        if name == "parser":
            return Parser.from_checkpoint(locate(setting.parser))
        return CachedPerception(StreetEstimator.from_checkpoint(locate(setting.perception)))

    return module


@dataclass(frozen=True)
class CachedPerception:
    """Caches the scene of each image across several parsers."""

    perception: Any
    cache: dict[str, Scene] = field(default_factory=dict)

    def estimate(
        self, images: Sequence[NDArray[np.uint8]], names: Sequence[str] | None = None
    ) -> list[Scene]:
        if names is None:
            return self.perception.estimate(images)
        for image, name in zip(images, names, strict=True):
            if name not in self.cache:
                (self.cache[name],) = self.perception.estimate([image], [name])
        return [self.cache[name] for name in names]


def _result(
    run: TrainingRun,
    split: Split,
    data: dict[str, Any],
    others: Callable[[str], Any],
    setting: Setting,
) -> dict[str, Any]:
    """Return the figures of a trained run: accuracy, perception, size, speed."""
    folder = Path(run.config["out"])
    pair = folder / "checkpoint"
    about = read_json(pair.with_name("checkpoint.json"), "checkpoint description")
    if run.fills == "perception":
        perception, parser = StreetEstimator.from_checkpoint(pair), others("parser")
        names = list(dict.fromkeys(images_of(split.questions)))[: TIMED["perception"]]
        images = list(map(split.image, names))
        speed = _rate(lambda: [perception.estimate([image]) for image in images], len(images))
    else:
        perception, parser = others("perception"), Parser.from_checkpoint(pair)
        texts = [q.text for q in split.questions[: TIMED["parser"]]]
        speed = _rate(lambda: parser.parse(texts), len(texts))
    system = Pipeline(
        Pictures(perception),
        question_parser(parser),
        replace(DOMAIN, mode=setting.mode),
        run.oracle,
    )
    modules = {run.fills: {"sha256": about["sha256"]}}
    description = {
        "benchmark": BENCHMARK,
        "split": setting.split if setting.root is None else kind_of_data(Path(setting.root)),
        "system": f"po3d, {run.part} {run.name}",
        "settings": {},
        "provenance": provenance(run.config, modules, data, git_revision()),
    }
    identity = {"checkpoint": about["sha256"], "setting": setting.__dict__}
    identity |= {"oracle": run.oracle, "data": data}
    out = folder / "evaluation"
    benchmark = BENCHMARKS[BENCHMARK]
    report = evaluate(benchmark, split, system, out, setting.scorer, description, identity)
    rows = []
    for row in report["rows"]:
        rows.append({k: row.get(k) for k in ("name", "n", "value", "ci_low", "ci_high")})
    figures = report["perception"].get("all", {}) if run.fills == "perception" else {}
    return _record(run, rows, speed, figures)


def _record(
    run: TrainingRun,
    rows: list[dict[str, Any]],
    speed: float,
    perception: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    about = read_json(Path(run.config["out"]) / "checkpoint.json", "checkpoint description")
    return {
        "part": run.part,
        "name": run.name,
        "value": run.value,
        "variant": run.variant,
        "fills": run.fills,
        "parameters": about["parameters"],
        "validation": about["metrics"],
        "speed": speed,
        "rows": rows,
        "perception": perception or {},
    }


def _views_digest(folder: Path) -> str:
    """Return one hash of the annotations of a set of views."""
    if not (folder / "set.json").is_file():
        raise InputError(f"study.views: {folder} is not a folder of views (set.json is missing)")
    return digest({str(p.relative_to(folder)): sha256(p) for p in sorted(folder.rglob("*.json"))})


def _rate(work: Callable[[], object], units: int) -> float:
    """Return units per second of the fastest of three runs, after a warm-up."""
    work()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return units / min(times)


def setting_of(study: Mapping[str, Any], seed: int) -> Setting:
    """Return the study's evaluation options."""
    known = {}
    for k, v in study.items():
        if k != "parts":
            known[k] = v
    if unknown := set(known) - set(Setting.__dataclass_fields__):
        raise InputError(f"study.{sorted(unknown)[0]} is not an option of a study")
    return replace(Setting(seed=seed), **known)
