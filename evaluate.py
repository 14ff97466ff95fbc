"""Answer a benchmark's questions and score the answers.

    python evaluate.py                                          all benchmarks, po3d on what is shipped
    python evaluate.py benchmark=hypo3d                         one of them
    python evaluate.py system=oracle split=fresh seed=1 size=300
    python evaluate.py oracle=[heading,color]                   an ablation: these modules from ground truth
    python evaluate.py data.root=DIR                            the official release, or VLMEvalKit's TSV
    python evaluate.py system=replay system.path=FILE           another model's predictions.jsonl

Writes OUT/predictions.jsonl, OUT/report.json and OUT/report.md. A run that was killed goes on where it was
when the same command is given again.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.benchmarks.registry import BENCHMARKS, Source
from po3d.checkpoint import git_revision, locate
from po3d.entry import build, run_hydra
from po3d.errors import InputError
from po3d.evaluation import data_digest, evaluate, provenance
from po3d.files import read_json
from po3d.report.results import report_text

FRESH_SIZE = 300  # images, or rooms


def main(config: DictConfig) -> None:
    options: dict[str, Any] = OmegaConf.to_container(config, resolve=True)
    seed, size = _number(options, "seed", 0), _number(options, "size", 1)
    if options["split"] not in ("mini", "fresh"):
        raise InputError(
            f"split={options['split']!r} should be mini or fresh; a release is given by data.root"
        )
    benchmark = BENCHMARKS[options["benchmark"]["name"]]
    system_config = _system(options)
    system = build(system_config)  # before the data: what is wrong with a checkpoint shows at once
    split, root, name = _open(benchmark, options, seed, size)
    networks = {key: locate(system_config[key]) for key in ("perception", "parser") if key in system_config}
    checkpoints = {
        key: read_json(path.with_name(f"{path.stem}.json"), "checkpoint description")["sha256"]
        for key, path in networks.items()
    }
    data = {"root": str(root), "sha256": data_digest(root), "images": len(split.images)}
    revision = git_revision()
    identity = {"system": system_config, "checkpoints": checkpoints, "data": data, "revision": revision}
    about = {
        "benchmark": options["benchmark"]["name"],
        "split": name,
        "system": system_config["name"],
        "provenance": provenance(options, checkpoints, data, revision),
    }
    report = evaluate(
        benchmark.module, split, system, options["out"], options["scorer"], about, identity, options["resume"]
    )
    print(report_text(report))
    print(f"\nreport: {Path(options['out']) / 'report.json'}")


def _system(options: dict[str, Any]) -> dict[str, Any]:
    """The system's config: the benchmark's own one of that name, where it brings some."""
    own = options["benchmark"].pop("systems", None)
    name = options["system"]["name"]
    if own is None or name == "replay":
        return options["system"]
    if name not in own:
        known = ", ".join([*own, "replay"])
        raise InputError(f"system={name} does not answer {options['benchmark']['name']}; known: {known}")
    return {"name": name, **own[name]}


def _open(benchmark: Source, options: dict[str, Any], seed: int, size: int | None) -> tuple[Any, Path, str]:
    """The questions, the folder or file that they come from, and the split's name."""
    if options["data"]["root"] is not None:
        root = Path(options["data"]["root"])
        split = benchmark.load(root).first(size)
        if scans := options["benchmark"].get("scans"):
            split = replace(split, scans=Path(scans))
        return split, root, "release"
    if options["split"] == "mini":
        return benchmark.load(benchmark.mini, "mini").first(size), benchmark.mini, "mini"
    size, look = size or FRESH_SIZE, options["benchmark"].get("look")
    root = Path(options["twins"]) / f"{options['benchmark']['name']}-seed{seed}-size{size}-{look or 'mixed'}"
    return benchmark.open_fresh(root, size, seed, look, options["workers"]), root, "fresh"


def _number(options: dict[str, Any], key: str, least: int) -> int | None:
    value = options[key]
    if value is None and key == "size":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{key}={value!r} should be a whole number of at least {least}")
    return value


def run(arguments: list[str]) -> int:
    """One evaluation; without arguments one of every benchmark's shipped questions."""
    if arguments:
        return run_hydra(main, "evaluate", __doc__, arguments)
    return max(run_hydra(main, "evaluate", __doc__, [f"benchmark={name}"]) for name in BENCHMARKS)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
