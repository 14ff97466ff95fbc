"""Measure training and evaluation on a GPU, and compare its scene tables with those of the CPU.

    python -m tools.gpu_check                                one GPU, at most 9 minutes
    python -m tools.gpu_check --device cpu --seconds 1       a small version that shows that it runs

Prints a Markdown table for docs/performance.md. Training is a loop over the street estimator's own
data, losses and optimizer, without Lightning, validation and checkpoints:

    online      pictures rendered during training, each new
    folder      the shipped pictures, read from their files
    compiled    as folder, with torch.compile

A part that cannot be measured is a row with the reason. The exit code is 2 without a GPU.
"""

import argparse
import importlib.util
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import torch

from po3d.benchmarks.metrics import match
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.run import by_image
from po3d.io.cli_errors import guarded
from po3d.io.devices import device_of
from po3d.io.errors import InputError
from po3d.perception.detection import pays_bf16
from po3d.perception.street import StreetEstimator
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene
from po3d.systems.build import build_pipeline
from po3d.systems.pipeline import Context
from po3d.training.data import StreetData
from po3d.training.estimator import EstimatorModule
from po3d.training.losses import total
from po3d.training.ranks import means

RENDERER = "moderngl"  # package that rendering needs
WARM_UP = 3  # steps before the measurement
TABLES = 16  # pictures per call of an evaluation
LIMIT = 8.5  # minutes after the start; half a minute is for the start itself
SMALL = {"width": 160, "height": 120}  # pictures of the version for a CPU
NO_TRAINER = SimpleNamespace(
    max_steps=10**9, global_step=0, accumulate_grad_batches=1, global_rank=0, world_size=1
)


class Row(NamedTuple):
    """One row of the table."""

    what: str
    value: str
    memory: str = ""  # largest memory of the GPU, GiB


class Check(NamedTuple):
    """What to measure: the device, seconds per measurement, numbers of pictures and batch sizes."""

    device: torch.device
    seconds: float
    pictures: int
    batches: Sequence[int]

    @property
    def small(self) -> bool:
        return self.device.type == "cpu"

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def memory(self) -> str:
        if self.device.type != "cuda":
            return ""
        return f"{torch.cuda.max_memory_allocated(self.device) / 2**30:.1f}"

    def rate(self, work: Callable[[], int], warm_up: int) -> float:
        """Return units per second: `work` is called for `seconds` after `warm_up` calls, and
        returns its units."""
        for _ in range(warm_up):
            work()
        self.synchronize()
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        units, start = 0, time.perf_counter()
        while time.perf_counter() - start < self.seconds or not units:
            units += work()
        self.synchronize()
        return units / (time.perf_counter() - start)


def training(check: Check, source: str, batch: int, compiled: bool = False) -> Row:
    """Measure training steps of the street estimator."""
    workers = max((os.cpu_count() or 2) - 1, 1)
    size = SMALL if check.small else {}
    if source == "online":
        if importlib.util.find_spec(RENDERER) is None:
            raise InputError("rendering needs the extra synthesis")
        data = StreetData(
            "online", batch=batch, workers=min(workers, 2) if check.small else workers, **size
        )
        data.read_training()
    else:
        root, readers = str(BENCHMARKS["pulsecheck457"].mini), 0 if check.small else workers
        ranges = {"train": "0-99999"}  # all of them; the weights are thrown away
        data = StreetData(
            "superclevr", root, ranges=ranges, batch=batch, num_workers=readers, **size
        )
        data.setup("fit")
    data.trainer = NO_TRAINER
    torch.manual_seed(0)
    width, height = data.hparams.width, data.hparams.height
    module = EstimatorModule({"width": width, "height": height, "pose_hidden": 384}).to(
        check.device
    )
    module.configure_model()
    if compiled:
        module.compile()
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3)
    half = pays_bf16(check.device)
    batches, steps = iter(data.train_dataloader()), iter(range(10**9))

    def step() -> int:
        labels = {k: v.to(check.device, non_blocking=True) for k, v in next(batches).items()}
        with torch.autocast(check.device.type, torch.bfloat16, enabled=half):
            loss = total(means(module._terms(labels, "train", next(steps))))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return batch

    rate = check.rate(step, 1 if check.small else WARM_UP)
    name = "folder, compiled" if compiled else source
    return Row(f"training, {name}, batch {batch}, pictures/s", f"{rate:,.1f}", check.memory())


def evaluation(check: Check) -> Iterator[Row]:
    """Measure pictures to tables, and pictures with questions to answers."""
    split = pulsecheck457.open_mini().first(check.pictures)
    estimator = StreetEstimator.named("street_estimator", True, str(check.device))
    pictures = [split.image(name) for name in split.images]
    parts = [pictures[k : k + TABLES] for k in range(0, len(pictures), TABLES)]

    def tables() -> int:
        return sum(len(estimator.estimate(part)) for part in parts)

    yield Row(
        f"pictures to tables, {TABLES} at once, pictures/s",
        f"{check.rate(tables, 1):,.1f}",
        check.memory(),
    )
    system = build_pipeline("street", device=str(check.device), parser="benchmark")
    of = list(by_image(split.questions).items())

    def answers() -> int:
        batches = [of[k : k + TABLES] for k in range(0, len(of), TABLES)]
        done = 0
        for part in batches:
            done += sum(
                map(len, system.answers([(own, Context.of(split, name)) for name, own in part]))
            )
        return done

    yield Row(
        "pictures and questions to answers, questions/s",
        f"{check.rate(answers, 1):,.1f}",
        check.memory(),
    )


def agreement(check: Check) -> Iterator[Row]:
    """Compare the tables and answers of the device with those of the CPU."""
    split = pulsecheck457.open_mini().first(check.pictures)
    contexts = [
        ([q for q in split.questions if q.image == name], Context.of(split, name))
        for name in split.images
    ]
    results = []
    for device in ("cpu", str(check.device)):
        estimator = StreetEstimator.named("street_estimator", True, device)
        scenes: list[Scene] = []
        for k in range(0, len(split.images), TABLES):
            names = split.images[k : k + TABLES]
            scenes += estimator.estimate([split.image(name) for name in names], names)
        predictions = build_pipeline("street", device=device, parser="benchmark").answers(contexts)
        results.append((scenes, [p.answer for own in predictions for p in own]))
    (one, answers_cpu), (other, answers) = results
    rows, attributes, moved, turned = 0, 0, [0.0], [0.0]
    for a, b in zip(one, other, strict=True):
        for i, j in match(a, b).items():
            o, p = a.objects[i], b.objects[j]
            rows += 1
            attributes += sum(o.value(name) != p.value(name) for name in o.beliefs)
            moved.append(float(np.hypot(*np.subtract(o.position[:2], p.position[:2]))))
            turned.append(abs(float(wrap_angle(o.heading - p.heading))))
    counts = sum(map(len, one)), sum(map(len, other))
    same = sum(x == y for x, y in zip(answers_cpu, answers, strict=True))
    yield Row(f"tables of {len(one)} pictures: objects on the CPU, on the device, matched",
              f"{counts[0]}, {counts[1]}, {rows}")  # fmt: skip
    yield Row("attributes that differ", f"{attributes}")
    yield Row("largest difference of a position (scene units), of a heading (degrees)",
              f"{max(moved):.2g}, {np.degrees(max(turned)):.2g}")  # fmt: skip
    yield Row("equal answers", f"{same:,} of {len(answers_cpu):,}")


def rows(check: Check, minutes: float = LIMIT) -> Iterator[Row]:
    """Measure everything in `minutes`: then the running part is stopped and the others are
    skipped."""
    end = time.perf_counter() + 60 * minutes
    first = check.batches[0]
    parts: list[tuple[str, Callable[[], Row | Iterator[Row]]]] = [
        ("agreement with the CPU", lambda: agreement(check)),
        ("evaluation", lambda: evaluation(check)),
        *(
            (f"training, {source}, batch {batch}", lambda s=source, b=batch: training(check, s, b))
            for source in ("folder", "online")
            for batch in check.batches
        ),
        (
            f"training, compiled, batch {first}",
            lambda: training(check, "folder", first, compiled=True),
        ),
    ]
    for name, part in parts:
        if time.perf_counter() > end:
            yield Row(name, f"skipped after {minutes:g} minutes")
            continue
        measured: list[Row] = []
        try:
            with _stopped_at(end):
                result = part()
                for row in [result] if isinstance(result, Row) else result:
                    measured.append(row)
        except _OutOfTimeError:
            measured.append(Row(name, f"stopped after {minutes:g} minutes"))
        except (
            Exception
        ) as error:  # out of memory, no compiler, no renderer: the other rows still count
            reason = " ".join(str(error).split())[:100]
            measured.append(Row(name, f"not possible: {type(error).__name__}: {reason}"))
        yield from measured


class _OutOfTimeError(BaseException):
    """The time for all parts is over."""


@contextmanager
def _stopped_at(end: float) -> Iterator[None]:
    """Raise _OutOfTimeError in the running code at a time of `time.perf_counter`."""

    def stop(*_: Any) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(end - time.perf_counter(), 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _machine(device: torch.device) -> str:
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else "no GPU"
    return f"{gpu}, {os.cpu_count()} CPUs, {platform.machine()}, torch {torch.__version__}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m tools.gpu_check", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each measurement")
    parser.add_argument("--pictures", type=int, help="default: 100, on a CPU 4")
    parser.add_argument("--batches", type=int, nargs="+", help="default: 32 128, on a CPU 2")
    parser.add_argument("--minutes", type=float, default=LIMIT, help="then the rest is left out")
    a = parser.parse_args(argv)

    def run() -> None:
        if a.device.startswith("cuda") and not torch.cuda.is_available():
            raise InputError(
                f"torch {torch.__version__} finds no GPU here; --device cpu runs a small version"
            )
        device = device_of(a.device)
        small = device.type == "cpu"
        check = Check(
            device,
            a.seconds,
            a.pictures or (4 if small else 100),
            a.batches or ([2] if small else [32, 128]),
        )
        print(
            f"{_machine(device)}; {a.seconds:g} s each\n\n| what | value | GPU memory, GiB"
            " |\n|---|---:|---:|"
        )
        for row in rows(check, a.minutes):
            print(f"| {row.what} | {row.value} | {row.memory} |", flush=True)

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main())
