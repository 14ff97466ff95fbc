"""Thousands of programs on thousands of scenes at once: exact set semantics as integer arithmetic on tensors.

    pack_scenes(scenes) ─► SceneBatch ───────────┐
                                                 ├─► execute_batch ─► BatchAnswers: answers(), reason(p)
    pack_programs(programs, ...) ─► ProgramBatch ┘

A set of objects is the bits of an int64, an object its index, any other value its code. All steps of all
programs lie in one array of registers, sorted by (level, operation) when the programs are packed: running
them is a few gathers for each such group, whatever the number of questions. Relations are computed once a
scene, and only those that some program asks for.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from po3d.io.errors import InputError
from po3d.language.programs.street import FILTER_VALUES, QUERY_ATTRIBUTES, Step
from po3d.reasoning import relations
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.packing import (
    COUNT,
    EQUAL,
    EXIST,
    FILTER,
    GREATER,
    INTERSECT,
    LESS,
    LOOKUP,
    QUERY,
    SCENE,
    UNION,
    UNIQUE,
    VALUES,
    ProgramBatch,
    SceneBatch,
    pack_programs,
    pack_scenes,
    pack_worlds,
    spelling,
)
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.scene.vocabulary import FACINGS, PARENT, SHAPES, SUPER_CATEGORIES

__all__ = [
    "BatchAnswers", "ProgramBatch", "SceneBatch",
    "execute_batch", "pack_programs", "pack_scenes", "pack_worlds",
]  # fmt: skip

_LEAVES = {s: [k for k, v in enumerate(VALUES["shape"]) if PARENT[v] == s] for s in SUPER_CATEGORIES}
_BICYCLES = [k for k, shape in enumerate(SHAPES) if PARENT[shape] == "bicycle"]


@dataclass(frozen=True, eq=False)
class BatchAnswers:
    """What each of P programs gave."""

    programs: ProgramBatch
    registers: Tensor  # (T,) the value of every step, in running order
    value: Tensor  # (P,) a number, 0 / 1, or the code of the attribute's value; meaningless where it failed
    failed: Tensor  # (P,) the first step that failed, -1 when none did
    found: Tensor  # (P,) size of the set that a failed `unique` got; meaningless elsewhere

    @cached_property
    def ok(self) -> NDArray[np.bool_]:
        """(P,) which programs have an answer."""
        return (self.failed < 0).cpu().numpy()

    def answers(self) -> list[str | None]:
        """The executor's answer strings; None where a program failed."""
        words_of = [spelling(p.answer_type) for p in self.programs.programs]
        codes = self.value.tolist()
        return [words[code] if good else None for words, code, good in zip(words_of, codes, self.ok.tolist())]

    def reason(self, p: int) -> str:
        """Why program `p` failed, "" when it did not."""
        return str(self.failure(p) or "")

    def failure(self, p: int) -> ExecutionFailure | None:
        k = int(self.failed[p])
        return None if k < 0 else failure(k, self.programs.programs[p].steps[k], int(self.found[p]))


def failure(k: int, step: Step, found: int) -> ExecutionFailure:
    """The reason of a failed step; `found` is the size of the set that `unique` got."""
    kind = "unknown"
    if step.op == "unique":
        kind = "ambiguous" if found else "not found"
        what = f"the set has {found} objects" if found else "the set is empty"
    elif "facing" in step.args or step.op == "aligned":
        what = "the object faces none of " + ", ".join(FACINGS)
    elif "occlusion" in step.args or step.op in ("occluder", "occludees"):
        what = "the scene says nothing about occlusion"
    else:
        what = f"the scene says nothing about its {step.args[0]}"
    return ExecutionFailure(kind, f"step {k} {step.token}: {what}")


def execute_batch(
    scenes: SceneBatch,
    programs: ProgramBatch,
    rules: Rules = STREET_RULES,
    device: str | torch.device = "cpu",
) -> BatchAnswers:
    """Run every program on its scene. Answers equal those of `executor.execute` in mode argmax."""
    if programs.scene.device != torch.device(device):
        programs = programs.to(device)
    if len(programs) and not 0 <= int(programs.scene.min()) <= int(programs.scene.max()) < len(scenes):
        lowest, highest = int(programs.scene.min()), int(programs.scene.max())
        raise InputError(f"programs ask about scenes {lowest} to {highest} of a batch of {len(scenes)}")
    tables = _Tables(scenes, programs, rules, torch.device(device))
    n = scenes.mask.shape[1]
    registers = torch.zeros(len(programs.slot), dtype=torch.int64, device=device)
    bad = torch.zeros(len(programs.slot), dtype=torch.bool, device=device)
    everything, filters, lookups, values = (t.reshape(-1) for t in tables.all())

    for operation, lo, hi in programs.groups:
        row = programs.row[lo:hi]
        if operation == SCENE:
            torch.index_select(everything, 0, row, out=registers[lo:hi])
            continue
        x = registers.index_select(0, programs.first[lo:hi])
        if operation == FILTER:
            kept = filters.index_select(0, row)
            out = x & kept
            if tables.gaps:
                missing = kept < 0
                bad[lo:hi], out = missing, out.masked_fill(missing, 0)
        elif operation == UNIQUE:
            wrong = (x == 0) | ((x & (x - 1)) != 0)
            bad[lo:hi] = wrong
            out = popcount(x.masked_fill(wrong, 1) - 1)  # the place of the only bit
        elif operation in (LOOKUP, QUERY):
            out = (lookups if operation == LOOKUP else values).index_select(0, row * n + x)
            missing = out < 0
            bad[lo:hi], out = missing, out.masked_fill(missing, 0)
        elif operation == COUNT:
            out = popcount(x)
        elif operation == EXIST:
            out = x != 0
        else:
            y = registers.index_select(0, programs.second[lo:hi])
            out = _BINARY[operation](x, y)
        registers[lo:hi] = out

    # A failed program's registers hold harmless values. The reason is its first failed step in program order.
    slot, offset = programs.slot, programs.offset
    failed = torch.full((len(programs),), -1, dtype=torch.int64, device=device)
    found = torch.zeros_like(failed)
    step = bad[slot].nonzero()[:, 0]
    if len(step):
        program = torch.searchsorted(offset, step, right=True) - 1
        earliest = torch.cat([program[:1] >= 0, program[1:] != program[:-1]])
        step, program = step[earliest], program[earliest]
        failed[program] = step - offset[program]
        found[program] = popcount(registers[programs.first[slot[step]]])
    return BatchAnswers(programs, registers, registers[slot[offset[1:] - 1]], failed, found)


_BINARY = {
    UNION: torch.bitwise_or,
    INTERSECT: torch.bitwise_and,
    EQUAL: torch.eq,
    LESS: torch.lt,
    GREATER: torch.gt,
}


def popcount(x: Tensor) -> Tensor:
    """The number of set bits of non-negative int64 values, by sums over ever wider fields."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101) >> 56


class _Tables:
    """What the programs read of each scene, as sets and codes. -1 marks what a scene can't say."""

    def __init__(
        self, scenes: SceneBatch, programs: ProgramBatch, rules: Rules, device: torch.device
    ) -> None:
        self.scenes, self.rules, self.device = scenes, rules, device
        self.relations, self.facing_asked = programs.relations, programs.facing
        self.mask = self._tensor(scenes.mask)
        self.positions, self.headings = self._tensor(scenes.positions), self._tensor(scenes.headings)
        self.axes = self._tensor(scenes.axes)
        s, n = scenes.mask.shape
        self.bit = torch.ones((), dtype=torch.int64, device=device) << torch.arange(n, device=device)
        self.codes = {a: self._tensor(c) for a, c in scenes.codes.items()}
        known = {a: ((c >= 0) | ~self.mask).all(1) for a, c in self.codes.items()}
        self.codes = {a: c.where(known[a][:, None], -1) for a, c in self.codes.items()}
        self.unknown = {a: None if k.all() else ~k[:, None] for a, k in known.items()}
        self.degrees = None
        if self.facing_asked or any(r[0] == "aligned" for r in self.relations):
            self.degrees = relations.pose_degrees(self.headings, self.axes, rules, torch)
            self.codes["facing"] = relations.facing_labels(self.degrees, rules, torch)
        else:
            self.codes["facing"] = torch.full((s, n), relations.NO_FACING, device=device)
        self.unknown["facing"] = None
        # Sets by value, one more column for objects without the value: (S, values + 1).
        self.sets = {a: self._sets(a) for a in VALUES}
        occluder = self._tensor(scenes.occluder)
        self.occluder = occluder.where(self.mask, -1)
        seen = scenes.occlusion_known
        self.occlusion_unknown = None if seen.all() else ~self._tensor(seen)[:, None]

    @property
    def gaps(self) -> bool:
        """Whether some filter of some scene can't be evaluated."""
        return self.occlusion_unknown is not None or any(u is not None for u in self.unknown.values())

    def all(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Everything (S,), filters (S, columns), relations (S, columns, n), codes (S, attributes, n)."""
        s, n = self.mask.shape
        rows = [self._relation(*key) for key in self.relations]
        lookups = torch.stack(rows, 1) if rows else self.codes["facing"].new_zeros((s, 0, n))
        values = torch.stack([self.codes[a] for a in QUERY_ATTRIBUTES], 1)
        return self._pack(self.mask), self._filters(), lookups, values

    def _tensor(self, array: NDArray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def _pack(self, truth: Tensor) -> Tensor:
        """(...) sets of (..., n) truth values."""
        return (truth * self.bit).sum(-1)

    def _sets(self, attribute: str) -> Tensor:
        codes, count = self.codes[attribute], len(VALUES[attribute])
        column = codes.where(self.mask & (codes >= 0), count)
        sets = torch.zeros((len(codes), count + 1), dtype=torch.int64, device=self.device)
        return sets.scatter_add_(1, column, self.bit.expand_as(column))

    def _filters(self) -> Tensor:
        parts: list[Tensor] = []
        for attribute, names in FILTER_VALUES.items():
            if attribute == "occlusion":
                parts.append(self._known(self._occlusion(names), self.occlusion_unknown))
                continue
            sets = self.sets[attribute][:, :-1]
            if (
                attribute == "shape"
            ):  # leaves, super-categories, the rest; sets of different leaves are disjoint
                supers = [sets[:, own].sum(1, keepdim=True) for own in _LEAVES.values()]
                sets = torch.cat([sets[:, : len(SHAPES)], *supers, sets[:, len(SHAPES) :]], 1)
            parts.append(self._known(sets, self.unknown[attribute]))
        return torch.cat(parts, 1)

    def _occlusion(self, names: tuple[str, ...]) -> Tensor:
        occluded = self._pack((self.occluder >= 0) & self.mask)
        sets = {
            "occluded": occluded,
            "occluding": self._pack(self._occludees() != 0),
            "unoccluded": self._pack(self.mask) & ~occluded,
        }
        return torch.stack([sets[name] for name in names], 1)

    def _occludees(self) -> Tensor:
        n = self.mask.shape[1]
        return self._pack(self.occluder[:, None, :] == torch.arange(n, device=self.device)[:, None])

    def _relation(self, op: str, *args: str) -> Tensor:
        """(S, n) the set that each object leads to."""
        if op == "relate":
            bicycle = torch.isin(self.codes["shape"], self.codes["shape"].new_tensor(_BICYCLES))
            geometry = (self.positions, self.headings, self.axes)
            return self._pack_pairs(relations.relate(*geometry, *args, self.rules, bicycle, torch))
        if op == "collide":
            geometry = (self.positions, self.headings, self._tensor(self.scenes.extents))
            return self._pack(relations.collide(*geometry, *args, self.rules, self.mask, torch))
        if op == "aligned":
            sets = self._pack_pairs(relations.aligned(self.degrees, *args, self.rules, torch))
            unlabelled = self.codes["facing"] == relations.NO_FACING
            return self._known(sets, unlabelled if self.rules.aligned_needs_label else None)
        if op == "same":
            codes = self.codes[args[0]]
            sets = self.sets[args[0]].gather(1, codes.clamp(min=0)) & ~self.bit
            return self._known(sets, self.unknown[args[0]])
        if op == "occludees":
            return self._known(self._occludees(), self.occlusion_unknown)
        hider = self.bit[self.occluder.clamp(min=0)].masked_fill(self.occluder < 0, 0)
        return self._known(hider, self.occlusion_unknown)

    def _pack_pairs(self, truth: Tensor) -> Tensor:
        return self._pack(truth & self.mask[:, None, :])

    @staticmethod
    def _known(sets: Tensor, unknown: Tensor | None) -> Tensor:
        return sets if unknown is None else sets.masked_fill(unknown, -1)
