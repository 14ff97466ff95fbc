"""Speed and memory on this machine, each figure beside a plain reference implementation: python -m
tools.bench

executor    questions on ground truth, with traces
batched     packed programs, packing time included         plain: one by one
marginal    uncertain scenes, 64 pose samples              plain: one by one
parser      all questions in one call                      plain: one by one
reader      questions with the names of true scenes        plain: one by one
estimator   images at batch 1 and 16                       plain: one by one in fp32
end to end  image file and words to the answer             plain: one by one in fp32
rooms       parsed edits applied, questions answered       plain: every question edits its own room

For `scale` and `roofline` see tools.scale and tools.roofline.
"""

import argparse
import contextlib
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch

from po3d import __version__
from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.run import Split
from po3d.io.checkpoint import locate
from po3d.io.cli_errors import guarded
from po3d.io.progress import progress
from po3d.io.text_tables import Table, text
from po3d.language.program import Call
from po3d.language.programs import rooms as room_program
from po3d.language.programs.street import STREET, parse_text
from po3d.language.read.street_parser import Parser
from po3d.perception.street import StreetEstimator
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.execute import execute, run
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.rules import ROOM_RULES
from po3d.reasoning.street_batched import run_batch
from po3d.reasoning.street_tables import pack_tables
from po3d.reasoning.world import SceneGeometry
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems import general_parser
from po3d.systems.framed_rooms import framed
from po3d.systems.pipeline import Context, ImageScenes, Pipeline
from po3d.systems.scene_sources import Pictures
from po3d.systems.street import DOMAIN, question_parser
from tools import roofline
from tools.scale import SIZES, scale

BATCH = 16  # images
SECONDS = 3.0  # approximate measuring time of each figure, seconds
PERCEPTION, PARSER = "street_estimator", "street_parser"


class SpeedFigure(NamedTuple):
    """One row of the result: units per second, of po3d and of the plain implementation."""

    name: str
    unit: str
    ours: float
    plain: float | None  # None: no plain implementation


def rate(work: Callable[[], object], units: int, seconds: float) -> float:
    """Return units per second of the fastest of at least three runs within about `seconds`, after
    one warm-up run."""
    work()
    best, runs, end = float("inf"), 0, time.perf_counter() + seconds
    while runs < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
        runs += 1
    return units / best


def executor_figures(split: Split, seconds: float) -> list[SpeedFigure]:
    """Measure gold programs on ground-truth scenes."""
    names = list(dict.fromkeys(q.image for q in split.questions))
    place, scenes = {name: k for k, name in enumerate(names)}, [split.truth(name) for name in names]
    questions = [q for q in split.questions if q.program]
    programs, tasks = [parse_text(q.program).call for q in questions], [q.task for q in questions]
    where = [place[q.image] for q in questions]
    items = list(zip(programs, (scenes[k] for k in where), tasks))

    single = rate(lambda: [execute(p, s, t) for p, s, t in items], len(items), seconds)
    certain, question_batch = pack_tables(scenes), pack_programs(programs, where, tasks)
    batched = rate(lambda: run_batch(certain, question_batch), len(items), seconds)
    # Marginal answers need uncertain scenes: with the standard deviations of the shipped estimator.
    doubtful = [_doubtful(scene) for scene in scenes]
    few = [(p, doubtful[k], t) for p, k, t in zip(programs, where, tasks)][::20]
    alone = rate(lambda: [execute(*item, "marginal") for item in few], len(few), seconds)
    beliefs = pack_tables(doubtful)
    marginal = rate(lambda: run_batch(beliefs, question_batch), len(items), seconds)
    return [
        SpeedFigure(f"executor, marginal, batch of {len(items)}", "questions/s", marginal, alone),
        SpeedFigure("executor, one by one, with traces", "questions/s", single, None),
        SpeedFigure(f"executor, batch of {len(items)}", "questions/s", batched, single),
    ]


def _doubtful(scene: Scene) -> Scene:
    """Return a ground-truth scene with uncertain poses, flips and existence, and uniform
    distributions for missing attributes."""
    spread = tuple(tuple(row) for row in np.diag([0.01, 0.01, 0.003]).tolist())
    even = {
        attribute: dict.fromkeys(values, 1 / len(values))
        for attribute, values in ATTRIBUTES.items()
    }
    objects = (
        replace(o, beliefs={**even, **o.beliefs}, covariance=spread, flip=0.02, existence=0.98)
        for o in scene.objects
    )
    return replace(scene, objects=tuple(objects))


def parser_figures(parser: Parser, split: Split, seconds: float) -> list[SpeedFigure]:
    texts = [q.text for q in split.questions]
    few = texts[:: max(1, len(texts) // 50)]
    slow = rate(lambda: [parser.parse([t]) for t in few], len(few), seconds)
    ours = rate(lambda: parser.parse(texts), len(texts), seconds)
    return [SpeedFigure(f"parser, {len(texts)} questions", "questions/s", ours, slow)]


def reader_figures(split: Split, seconds: float) -> list[SpeedFigure]:
    """Measure the general parser, most likely program only; empty if its extra is not installed."""
    if not general_parser.there():
        return []
    from po3d.language.read.reader import GeneralParser as SentenceReader

    names = list(dict.fromkeys(q.image for q in split.questions))[:BATCH]
    inputs = [
        a
        for name in names
        for a in general_parser.GeneralQuestionParser(DOMAIN).parser_inputs(
            [q for q in split.questions if q.image == name], ImageScenes({name: split.truth(name)})
        )[0]
    ]
    whole, half = (
        SentenceReader.from_checkpoint(locate(general_parser.CHECKPOINT), precision=p)
        for p in ("float32", "bfloat16")
    )
    few = inputs[:: max(1, len(inputs) // 20)]
    slow = rate(lambda: [whole.read([item]) for item in few], len(few), seconds)
    name = f"reader, {len(inputs)} questions"
    return [
        SpeedFigure(
            name, "questions/s", rate(lambda: whole.read(inputs), len(inputs), seconds), slow
        ),
        SpeedFigure(
            f"{name}, bfloat16",
            "questions/s",
            rate(lambda: half.read(inputs), len(inputs), seconds),
            slow,
        ),
    ]


def estimator_figures(
    ours: StreetEstimator,
    once: StreetEstimator,
    plain: StreetEstimator,
    split: Split,
    seconds: float,
) -> list[SpeedFigure]:
    names = list(dict.fromkeys(q.image for q in split.questions))[:BATCH]
    images = [split.image(name) for name in names]
    slow = rate(lambda: [plain.estimate([i]) for i in images], len(images), seconds)
    one_by_one = rate(lambda: [ours.estimate([i]) for i in images], len(images), seconds)
    together = rate(lambda: ours.estimate(images), len(images), seconds)
    single = rate(lambda: once.estimate(images), len(images), seconds)
    return [
        SpeedFigure("estimator, batch 1", "images/s", one_by_one, slow),
        SpeedFigure(f"estimator, batch {len(images)}", "images/s", together, slow),
        SpeedFigure(
            f"estimator, batch {len(images)}, perception.flip_tta=false", "images/s", single, slow
        ),
    ]


def end_to_end_figures(
    ours: StreetEstimator, plain: StreetEstimator, parser: Parser, split: Split, seconds: float
) -> list[SpeedFigure]:
    """Measure image files and questions to marginal answers, on the first images of the split."""
    names = list(dict.fromkeys(q.image for q in split.questions))[:BATCH]
    by_image = {name: [q for q in split.questions if q.image == name] for name in names}
    count = sum(map(len, by_image.values()))
    pipeline = Pipeline(Pictures(ours), question_parser(parser), replace(DOMAIN, mode="marginal"))

    def run() -> None:
        STREET.call.cache_clear()  # so that no program is cached from the previous run
        contexts = (Context(lambda name=name: split.image(name), _nothing, name) for name in names)
        pipeline.answers(list(zip(by_image.values(), contexts)))

    def run_plain() -> None:
        for name, questions in by_image.items():
            scene = plain.estimate([split.image(name)])[0].certain()
            for question in questions:
                (parsed,) = parser.parse([question.text])
                if parsed.program is not None:
                    execute(parsed.program, scene, question.task)

    return [
        SpeedFigure(
            "end to end", "questions/s", rate(run, count, seconds), rate(run_plain, count, seconds)
        )
    ]


def room_figures(seconds: float, rooms: int | None = None) -> list[SpeedFigure]:
    """Measure parsed edits and questions of the shipped Hypo3D rooms in their frames, on one core.
    Each room is prepared once for its edits, and each edit is applied once for its questions (two
    of each, as in the release; no controls, which repeat questions); the plain implementation
    starts from the bare scene for every question."""
    split = hypo3d.load(BENCHMARKS["hypo3d"].mini, "mini").first(rooms)
    changes: dict[str, dict[str, list[Call]]] = {}
    scenes = {}
    for q in split.questions:
        if not q.control:
            scenes[q.image] = scenes.get(q.image) or framed(split.truth(q.image), q.frame)
            programs = changes.setdefault(q.image, {}).setdefault(q.change_program, [])
            programs.append(room_program.ROOMS.parse(q.program))
    work = []
    for name, programs_of in changes.items():
        parsed = [(room_program.ROOMS.parse(change), own) for change, own in programs_of.items()]
        work.append((scenes[name], parsed))

    def edit() -> None:
        for scene, parsed in work:
            before = SceneGeometry.of(scene, ROOM_RULES)
            for change, _ in parsed:
                plan(before, change)

    def edit_plainly() -> None:
        for scene, parsed in work:
            for change, _ in parsed:
                plan(scene, change)

    def answer() -> None:
        for scene, parsed in work:
            before = SceneGeometry.of(scene, ROOM_RULES)
            for change, programs in parsed:
                world = before.after(plan(before, change).edited)
                for question in programs:
                    run(question, world)

    def answer_plainly() -> None:
        for scene, parsed in work:
            for change, programs in parsed:
                for question in programs:
                    run(question, SceneGeometry(plan(scene, change).edited, scene))

    edits = sum(len(parsed) for _, parsed in work)
    count = sum(len(programs) for _, parsed in work for _, programs in parsed)
    edit_rates = [rate(each, edits, seconds) for each in (edit, edit_plainly)]
    answer_rates = [rate(each, count, seconds) for each in (answer, answer_plainly)]
    return [
        SpeedFigure("rooms: edits", "changes/s", *edit_rates),
        SpeedFigure("rooms: edits and execution", "questions/s", *answer_rates),
    ]


def _nothing() -> Scene:
    raise AssertionError("the pipeline asked for the truth")


def _beside(figure: SpeedFigure) -> tuple[str, str]:
    return (
        ("", "")
        if figure.plain is None
        else (f"{figure.plain:,.1f}", f"{figure.ours / figure.plain:.1f}x")
    )


def _machine() -> str:
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next(
            (line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model
        )
    cores = f"{os.cpu_count()} cores, torch on {torch.get_num_threads()} threads"
    versions = f"Python {platform.python_version()}, torch {torch.__version__}, po3d {__version__}"
    return f"{model}, {cores}; {versions}"


def figures(
    seconds: float = SECONDS,
    perception: str = PERCEPTION,
    parser: str = PARSER,
    device: str = "cpu",
) -> Iterator[SpeedFigure]:
    """Return all figures, each measured for about `seconds`, with the checkpoints of these names or
    paths; networks run on `device`."""
    split = pulsecheck457.open_mini()
    yield from executor_figures(split, seconds)
    reader = Parser.from_checkpoint(locate(parser), device=device)
    yield from parser_figures(reader, split, seconds)
    yield from reader_figures(split, seconds)
    ours, once = (
        StreetEstimator.from_checkpoint(locate(perception), device, two) for two in (True, False)
    )
    plain = StreetEstimator.from_checkpoint(locate(perception), flip_tta=True, plain=True)
    yield from estimator_figures(ours, once, plain, split, seconds)
    yield from end_to_end_figures(ours, plain, reader, split, seconds)
    yield from room_figures(seconds)


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tools.bench", description="Speed and memory beside plain references."
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="about how long each figure is measured"
    )
    parser.add_argument(
        "what", nargs="?", choices=["all", "scale", "roofline"], default="all",
        help="scale: to a million questions; roofline: what limits each stage",
    )  # fmt: skip
    parser.add_argument("--device", default="cpu", help="of the networks: cpu, openvino or cuda")
    only = parser.add_argument_group("scale")
    only.add_argument(
        "--largest", type=int, default=1_000_000, help="number of questions or pictures"
    )
    only.add_argument(
        "--only", nargs="+", choices=list(SIZES), default=list(SIZES), help="default: all"
    )
    only.add_argument("--kept", dest="earlier", metavar="FILE", help="JSONL of measured figures")
    only.add_argument("--plot", metavar="FILE", help="a plot, .svg or .png")
    parser.add_argument("--perception-checkpoint", default=PERCEPTION)
    parser.add_argument("--parser-checkpoint", default=PARSER)
    arguments = parser.parse_args()

    def run() -> None:
        print(_machine())
        if arguments.what == "scale":
            scale(arguments.only, arguments.largest, arguments.earlier, arguments.plot)
            return
        if arguments.what == "roofline":
            split = pulsecheck457.open_mini()
            estimator = StreetEstimator.from_checkpoint(
                locate(arguments.perception_checkpoint), arguments.device
            )
            reader = Parser.from_checkpoint(
                locate(arguments.parser_checkpoint), device=arguments.device
            )
            for title, table in roofline.tables(estimator, reader, split):
                print(f"\n{title}\n\n{text(table)}", flush=True)
            return
        print(
            "data: the shipped PulseCheck457 mini split; fastest of at least three runs, no"
            " randomness\n"
        )
        names = (arguments.perception_checkpoint, arguments.parser_checkpoint)
        results = figures(arguments.seconds, *names, arguments.device)
        rows = [
            (f.name, f.unit, f"{f.ours:,.1f}", *_beside(f))
            for f in progress(results, "measuring", unit="figure", leave=False)
        ]
        print(text(Table(("what", "unit", "po3d", "plain", "ratio"), rows)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # Linux counts KiB
        print(f"\npeak memory of this run: {peak:.2f} GiB")

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main())
