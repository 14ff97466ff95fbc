"""Batched executor for street programs: exact set semantics as integer arithmetic on tensors.

    pack_scenes(scenes) ─► SceneBatch ───────────┐
                                                 ├─► execute_batch ─► BatchAnswers:
    pack_programs(programs, ...) ─► ProgramBatch ┘                    answers(), reason(p)

The steps of all programs are in one array of registers, sorted by (level, operation) during
packing: `run` needs a few gathers for each such group, regardless of the number of questions.
Here a set of objects is the bits of an int64, an object its index, any other value its code;
`marginal_batched` runs these steps on probabilities. Relations are computed once per scene, and
only those that some program uses.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from po3d.io.errors import InputError
from po3d.language.program import Call
from po3d.reasoning import packing, relations
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
    COLUMNS,
    VALUES,
    PackedStep,
    ProgramBatch,
    SceneBatch,
    pack_programs,
    pack_scenes,
    pack_worlds,
    spelling,
    steps,
)
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.votes import vote
from po3d.reasoning.world import describe
from po3d.scene.posterior import posterior_samples
from po3d.scene.table import Scene
from po3d.scene.vocabulary import FACINGS, PARENT, SHAPES, lineage

__all__ = [
    "BatchAnswers", "ProgramBatch", "SceneBatch",
    "execute_batch", "pack_programs", "pack_scenes", "pack_worlds",
]  # fmt: skip

_BICYCLES = [k for k, shape in enumerate(SHAPES) if PARENT[shape] == "bicycle"]
_TAKES = {"scene": 0} | dict.fromkeys(
    ("union", "intersect", "equal", "less_than", "greater_than"), 2
)


class Steps(ABC):
    """The operations on registers: one method for each of OPERATIONS, for one kind of set.

    A method takes the registers (k, ...) of its inputs and the table rows (k,) that it reads. It
    returns the result registers, and (k,) what may be wrong with them, or None.
    """

    registers: Tensor  # (T, ...) in running order
    trouble: Tensor  # (T,)
    # (S, ..., values) the objects with each value of an attribute
    having: Mapping[str, Tensor]

    @abstractmethod
    def write(self, lo: int, hi: int, values: Tensor) -> None:
        """Store the results of steps lo to hi, in running order."""

    @abstractmethod
    def occluding(self) -> Tensor:
        """Return (S, ...) the objects that occlude another one."""

    @abstractmethod
    def occluded(self) -> Tensor:
        """Return (S, ...) the objects that are occluded."""

    @abstractmethod
    def complement(self, objects: Tensor) -> Tensor:
        """Return (S, ...) all other objects."""

    def filter_column(self, attribute: str, text: str) -> Tensor:
        """Return (S, ...) the objects with a value."""
        if attribute != "occlusion":
            fitting = [k for k, value in enumerate(VALUES[attribute]) if text in lineage(value)]
            return self.having[attribute][..., fitting].sum(-1)
        if text == "occluding":
            return self.occluding()
        return self.occluded() if text == "occluded" else self.complement(self.occluded())


def run(programs: ProgramBatch, steps: Steps) -> None:
    """Fill the registers of all steps of all programs."""
    for name, lo, hi in programs.groups:
        places = (programs.first, programs.second)[: _TAKES.get(name, 1)]
        inputs = [steps.registers.index_select(0, place[lo:hi]) for place in places]
        values, trouble = getattr(steps, name)(*inputs, programs.row[lo:hi])
        steps.write(lo, hi, values)
        if trouble is not None:
            steps.trouble[lo:hi] = trouble


@dataclass(frozen=True, eq=False)
class BatchAnswers:
    """The results of P programs."""

    programs: ProgramBatch
    registers: Tensor  # (T,) value of every step, in running order
    value: Tensor  # (P,) a number, 0 / 1, or the code of an attribute value; undefined if failed
    failed: Tensor  # (P,) the first step that failed, -1 for none
    set_size: Tensor  # (P,) size of the set passed to a failed `unique`; undefined elsewhere

    @cached_property
    def ok(self) -> NDArray[np.bool_]:
        """(P,) which programs have an answer."""
        return (self.failed < 0).cpu().numpy()

    def answers(self) -> list[str | None]:
        """Return the executor's answer strings; None where a program failed."""
        words_of = [spelling(steps(p)[-1].kind) for p in self.programs.programs]
        codes = self.value.tolist()
        return [
            words[code] if good else None
            for words, code, good in zip(words_of, codes, self.ok.tolist())
        ]

    def reason(self, p: int) -> str:
        """Return the reason why program `p` failed, "" if it did not."""
        return str(self.failure(p) or "")

    def failure(self, p: int) -> ExecutionFailure | None:
        """Return the failure of program `p`; None if it has an answer."""
        k = int(self.failed[p])
        return (
            None
            if k < 0
            else failure(k, steps(self.programs.programs[p])[k], int(self.set_size[p]))
        )


def failure(k: int, step: PackedStep, size: int) -> ExecutionFailure:
    """Return the failure of a step; `size` is the size of the set passed to `unique`."""
    kind, what = cause(step, size)
    return ExecutionFailure(kind, f"step {k} {step.token}: {what}")


def cause(step: PackedStep, size: int) -> tuple[Kind, str]:
    """Return the kind and the message of a step's failure."""
    if step.call.op == "unique":
        return (
            ("ambiguous", f"the set has {size} objects")
            if size
            else ("not found", "the set is empty")
        )
    if "facing" in step.words or step.words[0] in relations.ALIGNED:
        return "unknown", "the object faces none of " + ", ".join(FACINGS)
    if step.words[0] in packing.OCCLUSION:
        return "unknown", "the scene has no occlusion"
    return ("unknown", f"the scene has no {next(word for word in step.words if word in VALUES)}")


def execute_batch(
    scenes: SceneBatch,
    programs: ProgramBatch,
    rules: Rules = STREET_RULES,
    device: str | torch.device = "cpu",
) -> BatchAnswers:
    """Run every program on its scene. Answers equal those of `execute.execute` in mode argmax."""
    if programs.scene.device != torch.device(device):
        programs = programs.to(device)
    if len(programs) and not 0 <= int(programs.scene.min()) <= int(programs.scene.max()) < len(
        scenes
    ):
        lowest, highest = int(programs.scene.min()), int(programs.scene.max())
        raise InputError(
            f"programs refer to scenes {lowest} to {highest} of a batch of {len(scenes)}"
        )
    sets = _Sets(scenes, programs, rules, torch.device(device))
    run(programs, sets)
    registers, bad = sets.registers, sets.trouble

    # Registers of a failed program hold harmless values. The reason is its first failed step in
    # program order.
    slot, offset = programs.slot, programs.offset
    failed = torch.full((len(programs),), -1, dtype=torch.int64, device=device)
    sizes = torch.zeros_like(failed)
    step = bad[slot].nonzero()[:, 0]
    if len(step):
        program = torch.searchsorted(offset, step, right=True) - 1
        earliest = torch.cat([program[:1] >= 0, program[1:] != program[:-1]])
        step, program = step[earliest], program[earliest]
        failed[program] = step - offset[program]
        sizes[program] = popcount(registers[programs.first[slot[step]]])
    return BatchAnswers(programs, registers, registers[slot[offset[1:] - 1]], failed, sizes)


def popcount(x: Tensor) -> Tensor:
    """Return the number of set bits of non-negative int64 values, by sums of ever wider fields."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101) >> 56


class _Sets(Steps):
    """Sets as bits, and the table columns of each scene as sets and codes. -1 marks unknown."""

    def __init__(
        self, scenes: SceneBatch, programs: ProgramBatch, rules: Rules, device: torch.device
    ) -> None:
        self.scenes, self.rules, self.device = scenes, rules, device
        self.registers = torch.zeros(len(programs.slot), dtype=torch.int64, device=device)
        self.trouble = torch.zeros(len(programs.slot), dtype=torch.bool, device=device)
        self.mask = self._tensor(scenes.mask)
        s, self.n = scenes.mask.shape
        self.bit = torch.ones((), dtype=torch.int64, device=device) << torch.arange(
            self.n, device=device
        )
        self.codes = {a: self._tensor(c) for a, c in scenes.codes.items()}
        known = {a: ((c >= 0) | ~self.mask).all(1) for a, c in self.codes.items()}
        self.codes = {a: c.where(known[a][:, None], -1) for a, c in self.codes.items()}
        self.unknown = {a: None if k.all() else ~k[:, None] for a, k in known.items()}
        bicycle = torch.isin(self.codes["shape"], self.codes["shape"].new_tensor(_BICYCLES))
        x, y = self._last(scenes.positions)
        headings, axes = self._last(scenes.headings), self._last(scenes.axes)
        extents = self._last(scenes.extents).transpose(0, 1)
        self.pairs = relations.Pairs(
            x, y, headings, axes.transpose(0, 1), extents, rules, bicycle.T, self.mask.T, torch
        )
        faced = programs.facing or any(key[0] in relations.ALIGNED for key in programs.relations)
        nothing = torch.full((s, self.n), relations.NO_FACING, device=device)
        self.codes["facing"] = self.pairs.facings.T if faced else nothing
        self.unknown["facing"] = None
        # Sets by value, with one more column for objects without a value: (S, values + 1).
        self.having = {a: self._sets(a) for a in VALUES}
        occluder = self._tensor(scenes.occluder)
        self.occluder = occluder.where(self.mask, -1)
        occlusion_known = scenes.occlusion_known
        known = occlusion_known.all()
        self.unknown["occlusion"] = None if known else ~self._tensor(occlusion_known)[:, None]
        # All objects (S), filters (S x columns), lookups (S x columns x n) and codes (S x
        # attributes x n).
        self.everything = self._pack(self.mask)
        filters = [
            self._known(self.filter_column(*key), self.unknown[key[0]], 0)
            for key in COLUMNS["filter"]
        ]
        self.filters = torch.stack(filters, 1).flatten()
        rows = [self._lookup(*key) for key in programs.relations]
        self.lookups = torch.stack(rows, 1).flatten() if rows else None
        self.values = torch.stack([self.codes[a] for (a,) in COLUMNS["query"]], 1).flatten()
        # Whether some filter cannot be evaluated on some scene.
        self.gaps = any(u is not None for u in self.unknown.values())

    def write(self, lo: int, hi: int, values: Tensor) -> None:
        self.registers[lo:hi] = values

    # --- steps ------------------------------------------------------------------------------------

    def scene(self, row: Tensor) -> tuple[Tensor, None]:
        return self.everything.index_select(0, row), None

    def filter(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor | None]:
        fits = self.filters.index_select(0, row)
        if not self.gaps:
            return x & fits, None
        missing = fits < 0
        return (x & fits).masked_fill(missing, 0), missing

    def unique(self, x: Tensor, _row: Tensor) -> tuple[Tensor, Tensor]:
        wrong = (x == 0) | ((x & (x - 1)) != 0)
        return popcount(x.masked_fill(wrong, 1) - 1), wrong  # index of the only set bit

    def lookup(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        return self._read(self.lookups, x, row)

    def query(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        return self._read(self.values, x, row)

    def _read(self, table: Tensor, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        out = table.index_select(0, row * self.n + x)
        missing = out < 0
        return out.masked_fill(missing, 0), missing

    def union(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x | y, None

    def intersect(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x & y, None

    def count(self, x: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return popcount(x), None

    def exist(self, x: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x != 0, None

    def equal(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x == y, None

    def less_than(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x < y, None

    def greater_than(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x > y, None

    # --- tables -----------------------------------------------------------------------------------

    def _tensor(self, array: NDArray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _last(self, array: NDArray) -> Tensor:
        """Move the scene axis to the end, after the coordinate axis, as `relations.Pairs` needs."""
        return (
            self._tensor(array).movedim(0, -1).movedim(0, -2 if array.ndim > 2 else 0).contiguous()
        )

    def _pack(self, truth: Tensor) -> Tensor:
        """Return (...) sets of (..., n) booleans."""
        return (truth * self.bit).sum(-1)

    def _sets(self, attribute: str) -> Tensor:
        codes, count = self.codes[attribute], len(VALUES[attribute])
        column = codes.where(self.mask & (codes >= 0), count)
        sets = torch.zeros((len(codes), count + 1), dtype=torch.int64, device=self.device)
        return sets.scatter_add_(1, column, self.bit.expand_as(column))

    def occluding(self) -> Tensor:
        return self._pack(self._occludees != 0)

    def occluded(self) -> Tensor:
        return self._pack(self.occluder >= 0)

    def complement(self, objects: Tensor) -> Tensor:
        return self.everything & ~objects

    @cached_property
    def _occludees(self) -> Tensor:
        others = torch.arange(self.n, device=self.device)[:, None]
        return self._pack(self.occluder[:, None, :] == others)

    def _lookup(self, relation: str, *args: str) -> Tensor:
        """Return (S, n) the set that a relation assigns to each object."""
        if relation == "same":
            (attribute,) = args
            codes = self.codes[attribute]
            sets = self.having[attribute].gather(1, codes.clamp(min=0)) & ~self.bit
            return self._known(sets, self.unknown[attribute])
        if relation == "occluded_by":
            return self._known(self._occludees, self.unknown["occlusion"])
        if relation == "occluding":
            hider = self.bit[self.occluder.clamp(min=0)].masked_fill(self.occluder < 0, 0)
            return self._known(hider, self.unknown["occlusion"])
        truth = self.pairs.truth(relation, *args)  # (n, n, S)
        sets = (truth * self.bit[:, None]).sum(1).T
        if relation in relations.ALIGNED and self.rules.aligned_needs_label:
            return self._known(sets, self.codes["facing"] == relations.NO_FACING)
        return sets

    @staticmethod
    def _known(sets: Tensor, unknown: Tensor | None, column: int | None = None) -> Tensor:
        if unknown is None:
            return sets
        return sets.masked_fill(unknown if column is None else unknown[:, column], -1)


# --- samples --------------------------------------------------------------------------------------


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
    tables = pack_worlds(posterior_samples(scene, draw, count=samples, seed=seed))
    packed = pack_programs([program] * samples, range(samples), task)
    result = execute_batch(tables, packed, rules)
    majority = vote(result.answers(), ties=spelling(steps(program)[-1].kind))
    if majority is None:
        reasons = Counter(result.reason(p) for p in range(samples))
        reason, times = reasons.most_common(1)[0]
        why = next(f for p in range(samples) if str(f := result.failure(p)) == reason)
        if len(reasons) > 1:
            reason += f" (the most frequent failure, {times} of {samples} samples)"
        return failed(why, reason)
    registers = result.registers[packed.slot].reshape(samples, -1).numpy()[result.ok]

    def trace() -> list[TraceStep]:
        return [_sampled(s, registers[:, k], scene) for k, s in enumerate(steps(program))]

    shares, valid = majority.distribution, majority.answered / samples
    return Outcome(
        "ok", majority.answer, shares[majority.answer], shares, valid=valid, make_trace=trace
    )


def _sampled(step: PackedStep, register: NDArray, scene: Scene) -> TraceStep:
    """Return the trace step with frequencies over the values (v,) in the valid samples."""
    kind, n = step.kind, len(scene)
    if kind == "set":
        return traced(step, ((register[:, None] >> np.arange(n)) & 1).mean(0), scene)
    size = n if kind == "object" else len(packing.spelling(kind))
    return traced(step, np.bincount(register, minlength=size) / len(register), scene)


def ranked(kind: str, p: NDArray) -> dict[str, float]:
    """Return value -> probability, most probable first; ties keep the vocabulary's order."""
    words = map(str, range(len(p))) if kind == "integer" else spelling(kind)
    return {w: float(q) for w, q in sorted(zip(words, p), key=lambda item: -item[1]) if q > 0}


def traced(step: PackedStep, p: NDArray, scene: Scene) -> TraceStep:
    """Return the trace step of a set (probability per object) or of any other distribution."""
    kind = step.kind
    if kind not in ("set", "object"):
        return of_values(step.token, kind, ranked(kind, p))
    chances = {i: float(p[i]) for i in range(len(scene)) if p[i] > 0}
    return of_objects(
        step.token, kind, chances, len(scene), lambda i: describe(scene.objects[i], i)
    )
