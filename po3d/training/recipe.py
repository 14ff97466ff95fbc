"""Training recipes: stages that produce checkpoint pairs from scratch and can be resumed after an
interruption.

A recipe (configs/recipe) lists stages; each writes to OUT/NAME:

    train: [OPTION, ...]                   a training; its pair is OUT/NAME/checkpoint
                                           (`gpu` or `cpu`: further options for that device; a key
                                           of `starts`: further options with those initial weights)
    twin: {benchmark, size, seed, ...}     a twin
    calibrate: STAGE, folders: [DIR, ...]  a copy of that stage's pair, calibrated on these folders;
                                           by default on the validation sets of the training

`starts` lists the possible initial weights (`start=`), the default first: "shipped" (the weights
that come with po3d), "imagenet" or "pretrained" (from an installed package) and "nothing" (random).
A stage with `for` is only part of the recipe with these.

In options, {NAME} stands for the output of an earlier stage, {out} for OUT. OUT/recipe.json records
the finished stages. `results` lists the stages whose pairs are the recipe's output.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from po3d.benchmarks.registry import benchmark_of
from po3d.io.errors import InputError, known, malformed
from po3d.io.files import read_json, write_json
from po3d.io.paths import EXPORTS
from po3d.io.runs import locked
from po3d.training.runner import ended

DONE = "recipe.json"
KINDS = ("train", "twin", "calibrate")

Composed = Callable[[list[str]], dict[str, Any]]  # function from options of train.py to its config


class Recipe:
    """A recipe with the options `given` on the command line: NAME.KEY=VALUE applies to the stage
    NAME, other options to all trainings. `start`: one of the recipe's `starts`; "" is the first.
    Raise InputError for an invalid recipe."""

    def __init__(
        self, content: Mapping[str, Any], inputs: Sequence[str], out: str | Path, start: str = ""
    ) -> None:
        self.out = Path(out)
        starts = content.get("starts", ["nothing"])
        self.start = start or starts[0]
        known("start of this recipe", self.start, starts)
        self.stages: dict[str, Mapping[str, Any]] = {}
        self.own: dict[str, list[str]] = {}  # options of each stage
        for stage in content["stages"]:
            if self.start in stage.get("for", starts):
                self.stages[stage["name"]], self.own[stage["name"]] = stage, []
        self.results = list(content["results"])
        self.shared_options: list[str] = []
        self.trainer = "cpu"
        for option in inputs:
            key, _, value = option.partition("=")
            name, dot, _ = key.partition(".")
            if dot and name in self.stages:
                self.own[name].append(option.partition(".")[2])
            elif option.startswith("trainer="):
                self.trainer = value
            else:
                self.shared_options.append(option)
        known("trainer of a recipe, which trains in one process", self.trainer, ("cpu", "gpu"))

    def output(self, name: str) -> Path:
        """Return a stage's output: the path of a pair without suffix, or a folder."""
        folder = self.out / name
        return folder if "twin" in self.stages[name] else folder / "checkpoint"

    def options(self, name: str) -> list[str]:
        """Return the options of a training; those of the command line come last."""
        stage = self.stages[name]
        places = {other: str(self.output(other)) for other in self.stages} | {"out": str(self.out)}
        options = []
        for option in (*stage["train"], *stage.get(self.start, ()), *stage.get(self.trainer, ())):
            if not option.startswith("trainer="):
                options.append(option.format(**places))
        options += [f"trainer={self.trainer}", *self.shared_options, *self.own[name]]
        return [*options, f"out={self.out / name}", f"export={self.output(name)}"]

    def request(self, name: str, composed: Composed) -> dict[str, Any]:
        """Return the inputs of a stage, by which a later run decides whether it is up to date."""
        stage = self.stages[name]
        if "train" in stage:
            return {"train": composed(self.options(name))}
        if "twin" in stage:
            return {"twin": {**stage["twin"], **self._of_twin(name)}}
        if self.own[name]:
            raise InputError(f"the stage {name} calibrates and has no options")
        return {"calibrate": stage["calibrate"], "folders": stage.get("folders")}

    def _of_twin(self, name: str) -> dict[str, int]:
        """Return the options of a twin on the command line."""
        result = {}
        for option in self.own[name]:
            key, _, value = option.partition("=")
            if key not in ("size", "seed"):
                raise InputError(
                    f"{name}.{key} is not an option of the stage {name}; its options are"
                    " size and seed"
                )
            if not re.fullmatch("[0-9]{1,18}", value):
                raise InputError(f"{name}.{key}={value} should be a whole number")
            result[key] = int(value)
        return result

    def finished(self) -> dict[str, Any]:
        """Return the requests of the finished stages; InputError for a damaged recipe.json, or if
        a finished stage's output is missing."""
        path = self.out / DONE
        done = read_json(path, "recipe") if path.exists() else {}
        if not isinstance(done, dict) or set(map(type, done.values())) - {dict}:
            raise InputError(f"{path} should be an object of finished stages; choose another out=")
        for name in done.keys() & self.stages.keys():
            pair = self.output(name)
            suffixes = ("",) if "twin" in self.stages[name] else (".safetensors", ".json")
            for suffix in suffixes:
                output = pair.with_name(pair.name + suffix)
                if not output.exists():
                    raise InputError(
                        f"{path} says that the stage {name} is finished, but {output} is missing;"
                        " choose another out="
                    )
        return done


def run_recipe(
    recipe: Recipe,
    composed: Composed,
    fit: Callable[[dict[str, Any]], Any],
    data_of: Callable[[dict[str, Any]], Any],
    export: str = "",
) -> list[Path]:
    """Run the unfinished stages and return the pairs of `results`. `export`: copy them to that name
    (with _STAGE appended if there are several). `fit` trains a config; `data_of` builds its data
    module."""
    # report errors in the options before any stage runs
    requests = {name: recipe.request(name, composed) for name in recipe.stages}
    with locked(recipe.out, "recipe"):
        path, done = recipe.out / DONE, recipe.finished()
        for name, request in requests.items():
            if name in done:
                if done[name] != _plain(request):
                    raise InputError(
                        f"{recipe.out} contains a recipe whose stage {name} had other "
                        "options; choose another out=DIR"
                    )
                continue
            print(f"recipe: stage {name}", flush=True)
            _run(recipe, name, request, requests, fit, data_of)
            done[name] = _plain(request)
            write_json(path, done)
    pairs = []
    for name in recipe.results:
        pair = recipe.output(name)
        if export:
            target = Path(export if len(recipe.results) == 1 else f"{export}_{name}")
            pair = _copied(pair, target if target.parent != Path() else EXPORTS / target)
        card = read_json(pair.with_name(f"{pair.name}.json"), "checkpoint description")
        with malformed(f"{pair}.json is not the description of a trained checkpoint"):
            kind, metrics, steps = card["kind"], card["metrics"], card["training"]["steps"]
            trained = recipe.out / recipe.stages[name].get("calibrate", name)
            summary = ended(kind, metrics, steps, trained, str(pair))
        print(f"\n{name}: {pair}.safetensors\n{summary}")
        pairs.append(pair)
    return pairs


def _run(
    recipe: Recipe,
    name: str,
    request: Mapping[str, Any],
    requests: Mapping[str, Mapping[str, Any]],
    fit: Callable[[dict[str, Any]], Any],
    data_of: Callable[[dict[str, Any]], Any],
) -> None:
    """Run one stage."""
    if "train" in request:
        fit(request["train"])
    elif "twin" in request:
        twin = dict(request["twin"])
        benchmark = benchmark_of(twin.pop("benchmark"))
        with locked(recipe.output(name), "generation"):
            benchmark.generate(out=recipe.output(name), **twin)
    else:
        trained = request["calibrate"]
        pair = _copied(recipe.output(trained), recipe.output(name))
        _calibrate(recipe, pair, request["folders"], lambda: data_of(requests[trained]["train"]))


def _calibrate(
    recipe: Recipe, pair: Path, folders: Sequence[str] | None, data: Callable[[], Any]
) -> None:
    """Calibrate a pair on twins of streets, or on the validation sets of a room training."""
    if folders is None:
        from po3d.training import view_figures

        view_figures.calibrate(pair, data().validation_folders())
        return
    from po3d.training import calibrate

    places = {name: str(recipe.output(name)) for name in recipe.stages}
    twins = [folder.format(**places) for folder in folders]
    calibrate.calibrate(pair, *twins)
    calibrate.ranges(pair, *twins)


def _copied(pair: Path, target: Path) -> Path:
    """Copy a pair, JSON last, in the order of `checkpoint.save`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for suffix in (".safetensors", ".json"):
        shutil.copyfile(pair.with_name(pair.name + suffix), target.with_name(target.name + suffix))
    return target


def _plain(request: Mapping[str, Any]) -> Any:
    """Return the request as read back from JSON, without entries that may change when a run is
    resumed."""
    plain = json.loads(json.dumps(request))
    if "train" in plain:
        for key in ("wandb", "save_every"):
            plain["train"].pop(key, None)
    return plain
