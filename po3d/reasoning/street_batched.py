"""Batched executor of street programs on certain and on uncertain tables.

    street_tables.pack_tables(scenes) ─► Tables ──────────┐
                                                          ├─► run_batch ─► BatchResult
    packing.pack_programs(programs, ...) ─► ProgramBatch ─┘

The steps of all programs are in one array of registers, sorted by (level, operation) during
packing: `run_batch` needs a few gathers for each such group, regardless of the number of questions.
Answers are conditional on success. On a certain table they are those of `execute`: `outcomes` (mode
marginal) and `sampled` (mode samples) run the same operations (`street_operations`).
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from po3d.io.errors import InputError
from po3d.language.program import Call
from po3d.reasoning import relations
from po3d.reasoning.outcome import (
    ExecutionFailure,
    Kind,
    Outcome,
    TraceStep,
    failed,
    of_objects,
    of_values,
)
from po3d.reasoning.packing import (
    OCCLUSION,
    VALUES,
    PackedStep,
    ProgramBatch,
    pack_programs,
    spelling,
    steps,
)
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.street_operations import Interpreter
from po3d.reasoning.street_tables import Tables, pack_samples, pack_tables, width
from po3d.reasoning.votes import vote
from po3d.scene.display import describe
from po3d.scene.posterior import posterior_samples
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, FACINGS

MIN_VALID = 1e-6  # a program with a smaller probability of success has failed


@dataclass(frozen=True, eq=False)
class BatchResult:
    """The results of P programs."""

    tables: Tables
    programs: ProgramBatch
    registers: Tensor  # (T, W) value of each step, in running order
    mass: Tensor  # (T,) probability that the step has a result
    value: Tensor  # (P, W) distribution over answers; undefined if failed
    valid: Tensor  # (P,) probability that there is an answer
    failed: Tensor  # (P,) whether there is no answer

    @cached_property
    def host(self) -> tuple[NDArray, list[float], list[bool]]:
        """Value, valid and failed in host memory."""
        return self.value.cpu().numpy(), self.valid.tolist(), self.failed.tolist()

    def answers(self) -> list[str | None]:
        """Return the most probable answer of each program; None if it failed."""
        value, _, failed = self.host
        best = value.argmax(1).tolist() if len(self.programs) else []
        spell = cache(partial(spelling, size=value.shape[1]))
        result = []
        for program, k, wrong in zip(self.programs.programs, best, failed):
            result.append(None if wrong else spell(steps(program)[-1].kind)[k])
        return result

    def distribution(self, p: int) -> dict[str, float] | None:
        """Return answer -> probability of program p, most probable first; None if it failed."""
        value, _, failed = self.host
        kind = steps(self.programs.programs[p])[-1].kind
        return None if failed[p] else _ranked(kind, value[p])

    def failure(self, p: int, scene: Scene, origin: bool = True) -> ExecutionFailure:
        """Return the reason why program p has no answer on its table, which was packed from
        `scene`; with `origin`, it includes the step before."""
        registers, mass = self.steps(p)
        k = int(np.argmax(mass.cumprod() < MIN_VALID))
        step = steps(self.programs.programs[p])[k]
        attribute = next((word for word in step.words if word in ATTRIBUTES), None)
        if attribute is not None:
            try:
                scene.belief(attribute, VALUES[attribute])
            except InputError as error:
                kind, what = "unknown", str(error)
        else:
            q = registers[step.inputs[-1]][: len(scene)] * self._existence(p, scene)
            kind, what = _cause(step, int(q.sum()))
            if step.call.op == "unique" and not np.isin(q, (0, 1)).all():
                kind = "ambiguous"
                what = f"the set hardly ever has one object (its expected size is {q.sum():.2g})"
            if origin and not any(word in OCCLUSION for word in step.words):
                what = f"{what} ({self._origin(p, k, scene)})"
        return ExecutionFailure(kind, f"step {k} {step.token}: {what}")

    def trace(self, p: int, scene: Scene) -> list[TraceStep]:
        """Return the trace of program p on its table, up to the step that failed."""
        registers, mass = self.steps(p)
        existence = self._existence(p, scene)
        trace_steps = []
        for step, value, valid in zip(steps(self.programs.programs[p]), registers, mass.cumprod()):
            if valid < MIN_VALID:
                break
            value = value[: len(scene)] * existence if step.kind == "set" else value
            trace_steps.append(_traced(step, value, scene))
        return trace_steps

    @cached_property
    def _host_steps(self) -> tuple[NDArray, NDArray, NDArray, list[int]]:
        """The steps' results (registers) and probabilities of having one (masses), with each step's
        row in them (slots) and each program's first step (offsets), in host memory."""
        tensors = self.registers, self.mass, self.programs.slot
        return *(t.cpu().numpy() for t in tensors), self.programs.offset.tolist()

    def steps(self, p: int) -> tuple[NDArray, NDArray]:
        """Return the registers of the steps of program p, and their masses."""
        registers, mass, slot, offset = self._host_steps
        places = slot[offset[p] : offset[p + 1]]
        return registers[places], mass[places]

    @cached_property
    def _host_existence(self) -> tuple[NDArray, list[int]]:
        """Existence probabilities of all tables and each program's table, in host memory."""
        return self.tables.exists.cpu().numpy(), self.programs.scene.tolist()

    def _existence(self, p: int, scene: Scene) -> NDArray:
        """Return (n,) existence probabilities in the table of program p."""
        exists, table = self._host_existence
        return exists[table[p]][: len(scene)]

    def _origin(self, p: int, k: int, scene: Scene) -> str:
        """Return the origin of the input of step k: "filter[color=green] over 5 objects"."""
        program_steps, (registers, _) = steps(self.programs.programs[p]), self.steps(p)
        source, over = program_steps[program_steps[k].inputs[0]], float(len(scene))
        if source.call.op == "filter":
            before = registers[source.inputs[0]][: len(scene)]
            over = float((before * self._existence(p, scene)).sum())
        return f"{source.token} over {over:.3g} object{'' if over == 1 else 's'}"


def _cause(step: PackedStep, size: int) -> tuple[Kind, str]:
    """Return the kind and the message of a step's failure; `size` is that of the set passed to
    `unique`."""
    if step.call.op == "unique":
        if size:
            return "ambiguous", f"the set has {size} objects"
        return "not found", "the set is empty"
    if "facing" in step.words or step.words[0] in relations.ALIGNED:
        return "unknown", "the object faces none of " + ", ".join(FACINGS)
    return "unknown", "the scene has no occlusion"


def _ranked(kind: str, p: NDArray) -> dict[str, float]:
    """Return value -> probability, most probable first; ties keep the vocabulary's order."""
    words, ranked = spelling(kind, len(p)), {}
    for k in np.argsort(-p, kind="stable").tolist():
        if k < len(words) and p[k] > 0:
            ranked[words[k]] = float(p[k])
    return ranked


def _traced(step: PackedStep, p: NDArray, scene: Scene) -> TraceStep:
    """Return the trace step of a set (probability per object) or of any other distribution."""
    kind = step.kind
    if kind not in ("set", "object"):
        return of_values(step.token, kind, _ranked(kind, p))
    chances = {i: float(p[i]) for i in range(len(scene)) if p[i] > 0}
    name = lambda i: describe(scene.objects[i], i)  # noqa: E731
    return of_objects(step.token, kind, chances, len(scene), name)


def run_batch(tables: Tables, programs: ProgramBatch, rules: Rules = STREET_RULES) -> BatchResult:
    """Run every program on its table."""
    if programs.tables > len(tables):
        raise InputError(
            f"programs refer to {programs.tables} scenes, but the batch has {len(tables)}"
        )
    device = tables.exists.device
    if programs.scene.device != device:
        programs = programs.to(device)
    interpreter = Interpreter(tables, programs, rules)
    registers, mass = interpreter.run(programs)
    # All masses are at most 1, so the product over a program's steps bounds every partial product
    # from below.
    program = torch.arange(len(programs), device=device).repeat_interleave(
        programs.offset.diff(), output_size=len(mass)
    )
    valid = torch.ones(len(programs), dtype=mass.dtype, device=device)
    valid = valid.scatter_reduce(0, program, mass[programs.slot], "prod")
    value = registers[programs.slot[programs.offset[1:] - 1]]
    value = value / value.sum(1, keepdim=True)
    return BatchResult(tables, programs, registers, mass, value, valid, ~(valid >= MIN_VALID))


# --- modes of `execute` ---------------------------------------------------------------------------


def outcomes(
    scenes: Sequence[Scene],
    items: Sequence[tuple[Call, int, Task]],
    rules: Rules = STREET_RULES,
    samples: int = 64,
    seed: int = 0,
) -> list[Outcome]:
    """Return the marginal outcome of each (program, index of its scene, task)."""
    results: list[Outcome | None] = [None] * len(items)
    # one batch per padded size, so that no table is padded more than necessary
    for pad in sorted(set(map(width, scenes))):
        alike = [k for k, scene in enumerate(scenes) if width(scene) == pad]
        place = dict(zip(alike, range(len(alike))))
        rows = [row for row, (_, k, _) in enumerate(items) if k in place]
        if not rows:
            continue
        programs, where, tasks = zip(*[items[row] for row in rows])
        packed = pack_programs(programs, list(map(place.__getitem__, where)), tasks)
        result = run_batch(pack_tables([scenes[k] for k in alike], samples, seed), packed, rules)
        for p, row in enumerate(rows):
            distribution, scene = result.distribution(p), scenes[where[p]]
            trace = partial(_trace_again, programs[p], scene, tasks[p], rules, samples, seed)
            if distribution is None:
                results[row] = failed(result.failure(p, scene), make_trace=trace)
                continue
            answer, valid = next(iter(distribution)), result.host[1][p]
            results[row] = Outcome(
                "ok", answer, distribution[answer], distribution, valid=valid, make_trace=trace
            )
    return results


def _trace_again(
    program: Call, scene: Scene, task: Task, rules: Rules, samples: int, seed: int
) -> list[TraceStep]:
    """Return the trace of a program by running it again: traces are rare, batches are not kept."""
    tables, packed = pack_tables([scene], samples, seed), pack_programs([program], [0], task)
    return run_batch(tables, packed, rules).trace(0, scene)


def sampled(
    program: Call,
    scene: Scene,
    task: Task,
    rules: Rules,
    samples: int,
    seed: int,
    draw: Collection[str],
) -> Outcome:
    """Return the most frequent answer over posterior samples of a table.

    Each sample is executed exactly, so steps that read one object stay dependent; marginals treat
    them as independent.
    """
    tables = pack_samples(posterior_samples(scene, draw, count=samples, seed=seed))
    packed = pack_programs([program] * samples, range(samples), task)
    result = run_batch(tables, packed, rules)
    program_steps = steps(program)
    ties = spelling(program_steps[-1].kind, len(scene) + 1)
    majority = vote(result.answers(), ties=ties)
    if majority is None:
        failures = [result.failure(p, scene, origin=False) for p in range(samples)]
        reasons = list(map(str, failures))
        reason, times = Counter(reasons).most_common(1)[0]
        why = failures[reasons.index(reason)]
        if times < samples:
            reason += f" (the most frequent failure, {times} of {samples} samples)"
        return failed(why, reason)
    answered = ~np.array(result.host[2])
    registers = result.registers[packed.slot].reshape(samples, len(program_steps), -1).numpy()
    present = tables.exists.numpy()[answered, : len(scene)]

    def trace() -> list[TraceStep]:
        trace_steps = []
        for k, step in enumerate(program_steps):
            values = registers[answered, k]
            if step.kind == "set":
                values = values[:, : len(scene)] * present
            trace_steps.append(_traced(step, values.mean(0), scene))
        return trace_steps

    return majority.outcome(trace)
