"""Speed and memory on this machine, each figure beside a plain way of doing the same: python -m po3d.bench

executor   questions on true tables; plain: sets and loops (po3d.plain)
batched    the same with packed programs, relations computed inside the timing; plain: the same loop
parser     questions a second in batches; plain: one by one
estimator  images a second; plain: one by one in fp32
end to end image file and words to answer, everything included; plain: the same with the plain parts
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from po3d.parsing.parser import Parser
from po3d.perception.estimator import Estimator
from po3d.plain import NoAnswer, plain_answer
from po3d.question import Question
from po3d.reasoning.batched import execute_batch, pack_programs, pack_scenes
from po3d.reasoning.executor import execute
from po3d.reasoning.program import Program
from po3d.scene import Scene

TILES = 16  # copies of the split in the batched executor's run: scenes and questions both


class Figure(NamedTuple):
    """One line of the result: so many units a second, and the plain way's."""

    name: str
    unit: str
    ours: float
    plain: float


class Data(NamedTuple):
    """The shipped split, image by image."""

    questions: list[Question]
    programs: list[Program]
    names: list[str]
    scenes: list[Scene]
    scene_of: list[int]  # of each question


def rate(work: Callable[[], object], units: int, seconds: float) -> float:
    """Units a second of the fastest of at least three runs within about `seconds`, after one to warm up."""
    work()
    best, runs, end = float("inf"), 0, time.perf_counter() + seconds
    while runs < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
        runs += 1
    return units / best


def executor_figures(data: Data, seconds: float) -> list[Figure]:
    tasks = [q.task for q in data.questions]
    items = list(zip(data.programs, (data.scenes[k] for k in data.scene_of), tasks))

    def plain() -> None:
        for program, scene, task in items:
            try:
                plain_answer(program, scene, task)
            except NoAnswer:
                pass

    slow = rate(plain, len(items), seconds)
    single = rate(lambda: [execute(p, s, t) for p, s, t in items], len(items), seconds)
    n = len(data.scenes)
    scenes = pack_scenes(data.scenes * TILES)
    index = [k + tile * n for tile in range(TILES) for k in data.scene_of]
    packed = pack_programs(data.programs * TILES, index, tasks * TILES)
    batched = rate(lambda: execute_batch(scenes, packed), len(index), seconds)
    return [
        Figure("executor, one by one, with trace", "questions/s", single, slow),
        Figure(f"executor, batch of {len(index)}", "questions/s", batched, slow),
    ]


def parser_figures(parser: Parser, data: Data, seconds: float) -> list[Figure]:
    texts = [q.text for q in data.questions]
    few = texts[:: max(1, len(texts) // 100)]
    slow = rate(lambda: [parser.parse([t]) for t in few], len(few), seconds)
    return [
        Figure(
            f"parser, {len(texts)} questions",
            "questions/s",
            rate(lambda: parser.parse(texts), len(texts), seconds),
            slow,
        )
    ]


def estimator_figures(
    estimator: Estimator, plain: Estimator, images: Sequence[np.ndarray], seconds: float
) -> list[Figure]:
    slow = rate(lambda: [plain.estimate([i]) for i in images], len(images), seconds)
    one = rate(lambda: [estimator.estimate([i]) for i in images], len(images), seconds)
    all_at_once = rate(lambda: estimator.estimate(images), len(images), seconds)
    return [
        Figure("estimator, batch 1", "images/s", one, slow),
        Figure(f"estimator, batch {len(images)}", "images/s", all_at_once, slow),
    ]
