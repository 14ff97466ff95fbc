"""Answer a benchmark's questions and score the answers.

    python evaluate.py                                  all benchmarks, po3d on the shipped data
    python evaluate.py benchmark=hypo3d                 one of them
    python evaluate.py system=oracle split=fresh seed=1 size=300
    python evaluate.py split=fresh benchmark.difficulty.near=0.5
                                                        a harder twin: configs/benchmark
    python evaluate.py parser=benchmark                 without the general parser; or general
    python evaluate.py 'oracle=[heading,color]'         an ablation: modules from ground truth
    python evaluate.py 'noise={heading: 10, color: 0.1}'
                                                        from ground truth with noise of that size
    python evaluate.py perception._target_=mymod.Mine   your own estimator: docs/extending.md
    python evaluate.py perception=file perception.path=SCENES
                                                        scenes from a file: docs/tables.md
    python evaluate.py +experiment=oracle_grid          all combinations of true, predicted and
                                                        noisy modules
    python evaluate.py abstain_below=0.9                abstain below this probability
    python evaluate.py data.root=DIR                    the official release, or VLMEvalKit's TSV
    python evaluate.py system=replay system.path=FILE   another model's predictions.jsonl
    python evaluate.py system=lmm system.base_url=URL system.model=NAME
                                                        a model behind an endpoint: docs/lmm.md
    python evaluate.py engine=ray                       distributed over a Ray cluster
    python evaluate.py 'wandb={project: po3d}'          log tables and the HTML report to wandb

Writes OUT/predictions.jsonl, OUT/run.json (their provenance), OUT/report.json and OUT/report.md. A
killed run is resumed by the same command. A folder that holds another run is not changed, unless
overwrite=true.
"""

import contextlib
import io
import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import BENCHMARKS, benchmark_of, difficulty_options
from po3d.benchmarks.twin_folder import kind_of_data, words_digest
from po3d.evaluation.ablation.grid import plan, run_grid, write_grid
from po3d.evaluation.distributed import spread
from po3d.evaluation.options import build_system, check_read, default_out, defaults, with_policies
from po3d.evaluation.overlap import overlap_notes, trained_on
from po3d.evaluation.provenance import data_digest, digests_beside, provenance
from po3d.evaluation.report.grid_tables import grid_markdown, grid_text
from po3d.evaluation.report.plots import sensitivity_plot
from po3d.evaluation.report.results import report_text
from po3d.evaluation.run import Answers, evaluate, predict, scored
from po3d.evaluation.run_report import log_to_wandb
from po3d.io.checkpoint import git_revision
from po3d.io.cli_errors import INTERRUPTED
from po3d.io.config import build, check_wandb, run_hydra
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.run_names import settings_of
from po3d.io.runs import CURVES, ERRORS, GRID, GRID_PAGE, HTML, described, locked
from po3d.synthesis.difficulty import difficulty_of
from po3d.systems.composition import buildable, identity_of, system_settings
from po3d.systems.estimators import checkpoints_of, modules_of, ours, title
from po3d.systems.oracle.grid import mixer
from po3d.systems.pipeline import Pipeline

FRESH_SIZE = 300  # images, or rooms


def main(config: DictConfig, quiet: bool = False) -> None:
    for key in ("oracle", "compare_to"):  # one name stands for a list of one
        config[key] = [config[key]] if isinstance(config[key], str) else config[key]
    options: dict[str, Any] = OmegaConf.to_container(config, resolve=True)
    seed, size = options["seed"], options["size"]
    if size is None and options.get("grid"):
        size = options["grid"].get("images")
    below = options["abstain_below"]
    check_wandb(options["wandb"])
    benchmark = benchmark_of(options["benchmark"]["name"])
    usual = defaults(options)
    check_read(config, options, usual)
    default = system_settings(usual["system"])
    if options["out"] is None:
        config.out = default_out(
            options, settings_of(system_settings(options["system"]), default, below), default
        )
        # The log of a system may be in that folder.
        options = OmegaConf.to_container(config, resolve=True)
    system_config = options["system"]
    engine = build(options["engine"]) if options["engine"] else None
    # Before the data, so that errors in a checkpoint show at once. With an engine, its workers use
    # the GPUs.
    system = reading = build(buildable(system_config, on_cpu=engine is not None))
    answering = modules_of(system)
    settings = settings_of(system_settings(system_config, answering), default, below)
    measures = {**benchmark.measures(options["benchmark"]), **getattr(system, "measures", {})}
    split, root, name = _open(benchmark, options, seed, size)
    observed = trained_on(checkpoints_of(system), root, split.images)
    measures |= {"trained_on": lambda *_: observed} if observed else {}
    data = {"root": str(root), "sha256": data_digest(root, split), "images": len(split.images)}
    revision = git_revision()
    counts = _counts_bad_images(options) or engine is not None
    system = with_policies(system, below, counts)
    answers = (
        spread(engine, partial(build_system, system_config, below, counts)) if engine else None
    )
    notes = [
        *(reading.notes(split.questions) if hasattr(reading, "notes") else []),
        *overlap_notes(observed),
    ]
    for note in (*split.notes(), *notes):
        print(f"note: {note}", file=sys.stderr)
    identity = {
        "benchmark": options["benchmark"]["name"],
        "system": identity_of(system_config, answering),
        "abstain_below": below,
        "checkpoints": {
            name: overrides["sha256"]
            for name, overrides in answering.items()
            if "sha256" in overrides
        },
        "data": {"sha256": data["sha256"], "images": data["images"], **digests_beside(split)},
    }
    about = {
        "benchmark": options["benchmark"]["name"],
        "split": name,
        "system": system_config["name"] if ours(reading) else title(answering["system"]),
        "settings": settings,
        "provenance": provenance(options, answering, data, revision),
    }
    if options.get("grid"):
        _grid(options, benchmark, split, system, about, identity, answers, notes)
        return
    report = evaluate(
        benchmark,
        split,
        system,
        options["out"],
        options["scorer"],
        about,
        identity,
        options["resume"],
        measures,
        options["overwrite"],
        options["compare_to"],
        answers,
        notes,
    )
    if not quiet:
        print(report_text(report, options["published"]))
        if read_by := getattr(reading, "read_by", {}):
            counts = [f"{name} {n:,}" for name, n in sorted(read_by.items())]
            print(f"\nparser: {', '.join(counts)}")
        print(f"\nreport: {Path(options['out']) / 'report.json'}")
    _log(options)


def _grid(
    options: dict[str, Any],
    benchmark: Benchmark,
    split: Any,
    system: Any,
    about: dict[str, Any],
    identity: dict,
    answers: Answers | None,
    notes: Sequence[str],
) -> None:
    """Compute the oracle grid."""
    kind, scorer = _kind(system), options["scorer"]
    if options["compare_to"]:
        raise InputError(
            "compare_to= needs a single evaluation, not a grid; the grid already compares its cells"
        )
    plan(kind, options["grid"])  # report errors in the grid before the images are processed
    for note in notes:
        raise InputError(f"the grid needs a scene for every image: {note}")
    with locked(options["out"]) as out:
        work = {"grid": options["grid"], "scorer": scorer, "seed": options["seed"]}
        if not options["resume"]:  # resume: another grid on the same predictions
            _check_grid(out / GRID, work, options["overwrite"])
        again = options["resume"], about, options["overwrite"]
        predictions = predict(split, system, out, identity, *again, answers)
        cells = run_grid(
            kind,
            benchmark,
            split,
            options["grid"],
            out,
            scorer,
            options["seed"],
            options["workers"],
        )
        counted = benchmark.score(split.questions, predictions, scorer)["images"]
        result = {**scored(described(out), about), "images": counted, **work, **cells}
        (out / HTML).unlink(missing_ok=True)  # an earlier page, now stale
        write_grid(result, out, {GRID_PAGE: grid_markdown(result)})
        if result["curves"]:
            sensitivity_plot(result["curves"], result["units"], out / CURVES)
    print(grid_text(result))
    print(f"\ngrid: {out / GRID}; wrong answers with the responsible modules: {out / ERRORS}")
    _log(options)
    if result["problems"]:
        raise InputError("; ".join(result["problems"]))


def _check_grid(path: Path, work: dict[str, Any], overwrite: bool) -> None:
    """Raise InputError if the folder has a grid with other settings."""
    if overwrite or not path.is_file():
        return
    there = read_json(path, "oracle grid")
    different = [k for k, v in work.items() if not isinstance(there, dict) or there.get(k) != v]
    if different:
        raise InputError(
            f"{path} holds a grid that differs in {', '.join(different)}; choose another "
            "out=, or set overwrite=true to replace it"
        )


def _kind(system: Any) -> Pipeline:
    """Return the system's combinations of true and predicted modules."""
    kind = mixer(system)
    if kind is None:
        raise InputError(
            "the grid needs system=po3d with predicted scenes (benchmark=hypo3d: "
            "benchmark.scenes=map; 3dsrbench and scope: benchmark.scenes=predicted), without "
            "oracle= or abstain_below="
        )
    return kind


def _counts_bad_images(options: dict[str, Any]) -> bool:
    """Whether an unreadable image counts as a failed answer instead of ending the run."""
    value = options["benchmark"].get("on_bad_image", "fail")
    if value not in ("fail", "count"):
        raise InputError(f"benchmark.on_bad_image={value!r} should be fail or count")
    if value == "count" and options.get("grid"):
        raise InputError("the grid needs every image: set benchmark.on_bad_image=fail")
    return value == "count"


def _log(options: dict[str, Any]) -> None:
    if options["wandb"] is not None:
        log_to_wandb(options["out"], options["wandb"])


def _open(
    benchmark: Benchmark, options: dict[str, Any], seed: int, size: int | None
) -> tuple[Any, Path, str]:
    """Return the split, the folder or file it was loaded from, and its name."""
    split, root, name = _open_split(benchmark, options, seed, size)
    folders = {
        key: Path(path) for key in ("scans", "furniture") if (path := options["benchmark"].get(key))
    }
    for key, path in folders.items():
        if not path.exists():
            raise InputError(f"benchmark.{key}={path} is neither a file nor a folder")
    return replace(split, **folders) if folders else split, root, name


def _open_split(
    benchmark: Benchmark, options: dict[str, Any], seed: int, size: int | None
) -> tuple[Any, Path, str]:
    if options["data"]["root"] is not None:
        root = Path(options["data"]["root"])
        return benchmark.load(root).first(size), root, kind_of_data(root)
    if options["split"] == "mini":
        return benchmark.load(benchmark.mini, "mini").first(size), benchmark.mini, "mini"
    size, look = size or FRESH_SIZE, options["benchmark"].get("look")
    difficulty = difficulty_options(options["benchmark"])
    tag = (
        f"{look or 'mixed'}{difficulty_of(difficulty.get('difficulty'), benchmark.difficulty).tag}"
    )
    folder_name = f"{options['benchmark']['name']}-seed{seed}-size{size}-{tag}-{words_digest()}"
    root = Path(options["synthetic_dir"]) / folder_name
    return (
        benchmark.open_fresh(root, size, seed, look, options["workers"], **difficulty),
        root,
        "fresh",
    )


def run(arguments: list[str]) -> int:
    """Run one evaluation; without arguments, one on the shipped questions of every benchmark, two
    at a time."""
    if arguments:
        return run_hydra(main, "evaluate", __doc__, arguments)
    runs = [
        [[f"benchmark={name}", *overrides] for overrides in b.default_runs]
        for name, b in BENCHMARKS.items()
    ]
    print(
        f"evaluating {len(runs)} benchmarks; takes about three minutes on two cores",
        file=sys.stderr,
    )
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # two processes share the cores
    os.environ.setdefault("TQDM_DISABLE", "1")
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        longest, *others = [pool.submit(_default_runs, commands) for commands in runs]
        codes = []
        try:
            for done in (*others, longest):
                code, printed = done.result()
                print(printed, flush=True)
                codes.append(code)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            print("interrupted; run the same command again to resume", file=sys.stderr)
            return INTERRUPTED
    return max(codes)


def _default_runs(commands: list[list[str]]) -> tuple[int, str]:
    """Run some evaluations in turn; return the exit code and the output of the last one."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for arguments in commands:
            last = arguments is commands[-1]
            if code := run_hydra(partial(main, quiet=not last), "evaluate", __doc__, arguments):
                return code, printed.getvalue()
    return 0, printed.getvalue()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
