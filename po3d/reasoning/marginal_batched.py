"""Marginal answers (`marginal.multiplied`) of thousands of street programs on thousands of tables at once.

    pack_beliefs(scenes) ─► Beliefs ──────────────────────┐
                                                          ├─► marginal_batch ─► Marginals: outcome(p)
    packing.pack_programs(programs, ...) ─► ProgramBatch ─┘

A register is a row of W doubles: of a set each object's probability, else a distribution. As in `street_batched` all steps of
all programs lie in one array, sorted by (level, operation). Relations are frequencies over the draws of all poses, worked out
once a scene. Tables are padded to whole PADs of objects, and every row is summed by itself: an answer does not depend
on what else is in the batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from po3d.io.seeding import rng
from po3d.language.programs.street import FILTER_VALUES, QUERY_ATTRIBUTES, Program
from po3d.reasoning import packing, relations
from po3d.reasoning.marginal import MIN_VALID, POSES_STAGE, multiplied, ranked
from po3d.reasoning.outcome import Outcome, TraceStep
from po3d.reasoning.packing import (
    COUNT,
    EQUAL,
    EXIST,
    FILTER,
    INTERSECT,
    LESS,
    LOOKUP,
    QUERY,
    SCENE,
    UNION,
    UNIQUE,
    ProgramBatch,
)
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, FACINGS, PARENT, UNSEEN_SHAPES, lineage
from po3d.scene.worlds import occluder_table, uncertain

PAD = 16
ROWS = 8192  # of relations that are read at once
PAIRS = (
    1 << 17
)  # of objects in all draws whose relations are worked out at once on a CPU: more leave its caches
_VALUES = packing.VALUES


def packable(scene: Scene) -> bool:
    """Whether the table says all that a program may ask for, in words that networks know, and has at most PAD objects."""
    known = all(o.beliefs.keys() >= ATTRIBUTES.keys() for o in scene.objects)
    rare = any(s in o.beliefs.get("shape", ()) for o in scene.objects for s in UNSEEN_SHAPES)
    return known and not rare and scene.occluders is not None and 0 < len(scene) <= PAD


@dataclass(frozen=True, eq=False)
class Beliefs:
    """S tables padded to PAD objects; poses in `groups`, which are the tables with equally many objects and draws."""

    exists: Tensor  # (S, PAD) 0 where there is no object
    mask: Tensor  # (S, PAD) which objects there are
    looks: dict[str, Tensor]  # attribute -> (S, PAD, values)
    hidden: Tensor  # (S, PAD, PAD) probability that j is the dominant occluder of i, given that j exists
    groups: tuple["Poses", ...]

    def __len__(self) -> int:
        return len(self.exists)


@dataclass(frozen=True, eq=False)
class Poses:
    """Draws of the poses of G tables of n objects each."""

    rows: Tensor  # (G,) which tables
    positions: Tensor  # (G, samples, n, 2)
    headings: Tensor  # (G, samples, n)
    extents: Tensor  # (G, 1, n, 2)
    axes: Tensor  # (G, 1, 4, 2)
    bicycle: Tensor  # (G, 1, n)


def pack_beliefs(
    scenes: Sequence[Scene], samples: int = 64, seed: int = 0, device: str | torch.device = "cpu"
) -> Beliefs:
    """The beliefs of `packable` tables, their poses drawn as `marginal` draws them."""
    s = len(scenes)
    exists, mask = np.zeros((s, PAD)), np.zeros((s, PAD), bool)
    looks = {a: np.zeros((s, PAD, len(values))) for a, values in ATTRIBUTES.items()}
    hidden = np.zeros((s, PAD, PAD))
    alike: dict[tuple[int, bool, bool], list[int]] = {}
    for k, scene in enumerate(scenes):
        n = len(scene)
        exists[k, :n], mask[k, :n] = [o.existence for o in scene.objects], True
        for attribute, values in ATTRIBUTES.items():
            looks[attribute][k, :n] = scene.belief(attribute, values)
        hidden[k, :n, :n] = occluder_table(scene)[:, :-1]
        alike.setdefault((n, uncertain(scene, ("pose", "flip")), uncertain(scene, ("pose",))), []).append(k)
    at_once = PAIRS if torch.device(device).type == "cpu" else PAIRS * 4096
    groups = []
    for (n, drawn, moved), rows in alike.items():
        size = max(1, at_once // (n * n * samples))
        for part in (rows[k : k + size] for k in range(0, len(rows), size)):
            groups.append(
                _poses([scenes[k] for k in part], part, samples if drawn else 0, moved, seed, device)
            )
    exists, mask, hidden = (torch.from_numpy(a).to(device) for a in (exists, mask, hidden))
    looks = {a: torch.from_numpy(p).to(device) for a, p in looks.items()}
    return Beliefs(exists, mask, looks, hidden, tuple(groups))


def _poses(
    scenes: Sequence[Scene], rows: list[int], samples: int, moved: bool, seed: int, device: str | torch.device
) -> Poses:
    """`worlds(scene, ("pose", "flip"), ...)` of tables that draw the same random numbers; `samples` 0: they are sure."""
    n = len(scenes[0])
    pose = np.stack([np.concatenate([s.positions[:, :2], s.headings[:, None]], 1) for s in scenes])[:, None]
    if samples:
        random = rng(seed, POSES_STAGE)
        if moved:
            covariance = np.array([[o.covariance for o in s.objects] for s in scenes], float)
            size, axis = np.linalg.eigh(covariance)
            root = axis * np.sqrt(np.maximum(size, 0))[..., None, :]
            pose = pose + (root[:, None] @ random.standard_normal((samples, n, 3))[..., None])[..., 0]
        flip = np.array([[o.flip for o in s.objects] for s in scenes])
        flipped = random.random((samples, n)) < flip[:, None]
        pose = np.concatenate([np.broadcast_to(pose, (*flipped.shape, 3))[..., :2],
                               pose[..., 2:] + np.pi * flipped[..., None]], -1)  # fmt: skip
    bicycle = [[PARENT[o.value("shape")] == "bicycle" for o in s.objects] for s in scenes]
    parts = (
        np.array(rows),
        pose[..., :2],
        pose[..., 2],
        np.stack([s.extents[:, :2] for s in scenes])[:, None],
        np.stack([packing.axes_array(s) for s in scenes])[:, None],
        np.array(bicycle)[:, None],
    )
    return Poses(*(torch.from_numpy(np.ascontiguousarray(a)).to(device) for a in parts))


@dataclass(frozen=True, eq=False)
class Marginals:
    """What each of P programs gave."""

    programs: ProgramBatch
    value: Tensor  # (P, W) the distribution over answers; meaningless where it failed
    valid: Tensor  # (P,) probability that there is an answer
    failed: Tensor  # (P,) whether it has none

    @cached_property
    def host(self) -> tuple[np.ndarray, list[float], list[bool]]:
        """All of it where Python reads it."""
        return self.value.cpu().numpy(), self.valid.tolist(), self.failed.tolist()

    def distribution(self, p: int) -> dict[str, float] | None:
        """Answer -> probability of program p, most probable first; None where it failed."""
        value, _, failed = self.host
        kind = self.programs.programs[p].answer_type
        return None if failed[p] else ranked(kind, value[p])


def outcomes(
    scenes: Sequence[Scene],
    asked: Sequence[tuple[Program, int, Task]],
    rules: Rules = STREET_RULES,
    samples: int = 64,
    seed: int = 0,
) -> list[Outcome | None]:
    """The outcome of each (program, index of its scene, task); None where there is no answer, or the table is not `packable`:
    `marginal.multiplied` says why."""
    place = {k: row for row, k in enumerate(k for k, scene in enumerate(scenes) if packable(scene))}
    rows = [row for row, (_, k, _) in enumerate(asked) if k in place]
    found: list[Outcome | None] = [None] * len(asked)
    if not rows:
        return found
    programs, where, tasks = zip(*(asked[row] for row in rows))
    packed = packing.pack_programs(programs, [place[k] for k in where], tasks)
    result = marginal_batch(pack_beliefs([scenes[k] for k in place], samples, seed), packed, rules)
    for p, row in enumerate(rows):
        distribution = result.distribution(p)
        if distribution is None:
            continue
        program, k, task = asked[row]
        alone = partial(multiplied, program, scenes[k], task, rules, samples, seed, ())
        answer = next(iter(distribution))
        found[row] = Outcome(
            "ok",
            answer,
            distribution[answer],
            distribution,
            valid=result.host[1][p],
            told=partial(_told, alone),
        )
    return found


def _told(alone: Callable[[], Outcome]) -> Sequence[TraceStep]:
    return alone().trace


def marginal_batch(beliefs: Beliefs, programs: ProgramBatch, rules: Rules = STREET_RULES) -> Marginals:
    """Run every program on its table."""
    device = beliefs.exists.device
    if programs.scene.device != device:
        programs = programs.to(device)
    tables = _Tables(beliefs, programs, rules)
    count = len(programs.slot)
    width = max(PAD + 1, *map(len, _VALUES.values()))
    registers = torch.zeros((count, width), dtype=torch.float64, device=device)
    mass = torch.ones(count, dtype=torch.float64, device=device)  # probability that the step has a result
    length = programs.offset.diff()
    scene = torch.empty(count, dtype=torch.int64, device=device)
    scene[programs.slot] = programs.scene.repeat_interleave(length, output_size=count)
    for operation, lo, hi in programs.groups:
        out, row = registers[lo:hi], programs.row[lo:hi]
        first = registers[programs.first[lo:hi]]
        x = first[:, :PAD]
        there = beliefs.exists[scene[lo:hi]]
        if operation == SCENE:
            out[:, :PAD] = tables.everything[row]
        elif operation == FILTER:
            out[:, :PAD] = x * tables.filters[row]
        elif operation == UNIQUE:
            q = x * there
            out[:, :PAD], mass[lo:hi] = _given(q * _others(1 - q))
        elif operation == LOOKUP:
            weight, mass[lo:hi] = tables.referred(x, row)
            for start in range(0, hi - lo, ROWS):
                part = slice(start, start + ROWS)
                out[part, :PAD] = (weight[part, :, None] * tables.lookups[row[part]]).sum(1)
        elif operation == QUERY:
            value = (x[:, :, None] * tables.codes[row]).sum(1)
            given, total = _given(value)
            facing = row % len(QUERY_ATTRIBUTES) == QUERY_ATTRIBUTES.index("facing")
            out[:, : value.shape[1]] = torch.where(facing[:, None], given, value)
            mass[lo:hi] = torch.where(facing, total, 1.0)
        elif operation == COUNT:
            out[:, : PAD + 1] = _counts(x * there)
        elif operation == EXIST:
            out[:, :2] = _boolean(1 - (1 - x * there).prod(1))
        else:
            second = registers[programs.second[lo:hi]]
            y = second[:, :PAD]
            if operation == UNION:
                out[:, :PAD] = 1 - (1 - x) * (1 - y)
            elif operation == INTERSECT:
                out[:, :PAD] = x * y
            elif operation == EQUAL:
                out[:, :2] = _boolean((first * second).sum(1))
            else:
                less, more = (first, second) if operation == LESS else (second, first)
                out[:, :2] = _boolean((more[:, 1:] * less.cumsum(1)[:, :-1]).sum(1))
    # The probability of an answer after every step, in the order of the steps.
    valid, failed = _validity(mass, programs)
    value = registers[programs.slot[programs.offset[1:] - 1]]
    return Marginals(programs, value / value.sum(1, keepdim=True), valid, failed)


def _validity(mass: Tensor, programs: ProgramBatch) -> tuple[Tensor, Tensor]:
    """(P,) the product of each program's step masses, and whether it has no answer. All masses are at most 1, so the product
    of all steps is the least of those on the way."""
    count = len(programs)
    program = torch.arange(count, device=mass.device).repeat_interleave(
        programs.offset.diff(), output_size=len(mass)
    )
    valid = torch.ones(count, dtype=mass.dtype, device=mass.device)
    valid = valid.scatter_reduce(0, program, mass[programs.slot], "prod")
    return valid, ~(valid >= MIN_VALID)


def _given(mass: Tensor) -> tuple[Tensor, Tensor]:
    """Rows made to sum to 1, and what they summed to."""
    total = mass.sum(1)
    return mass / total.clamp(min=1e-300)[:, None], total


def _others(absent: Tensor) -> Tensor:
    """(P, PAD) of each object the product over all others."""
    one = torch.ones_like(absent[:, :1])
    before = torch.cat([one, absent[:, :-1]], 1).cumprod(1)
    after = torch.cat([one, absent.flip(1)[:, :-1]], 1).cumprod(1).flip(1)
    return before * after


def _counts(q: Tensor) -> Tensor:
    """(P, PAD + 1) how probably so many of independent objects are there."""
    counts = q.new_zeros((len(q), q.shape[1] + 1))
    counts[:, 0] = 1
    for k in range(q.shape[1]):
        one = q[:, k : k + 1]
        more = counts[:, : k + 1] * one
        counts[:, : k + 1] *= 1 - one
        counts[:, 1 : k + 2] += more
    return counts


def _boolean(yes: Tensor) -> Tensor:
    yes = yes.clamp(0, 1)
    return torch.stack([1 - yes, yes], 1)


class _Tables:
    """What the programs read of each scene, as probabilities; rows as `ProgramBatch.row` counts them."""

    def __init__(self, beliefs: Beliefs, programs: ProgramBatch, rules: Rules) -> None:
        self.beliefs, self.rules = beliefs, rules
        self.keys = programs.relations
        self.everything = beliefs.mask.double()
        self.unlabelled = any(key[0] == "aligned" for key in self.keys) and rules.aligned_needs_label
        facing_read = programs.facing or any(key[0] == "aligned" for key in self.keys)
        s, like = len(beliefs), beliefs.exists
        self.facing = like.new_zeros((s, PAD, len(FACINGS)))
        frequent = like.new_zeros((s, len(self.keys), PAD, PAD))
        for group in beliefs.groups:
            n = group.headings.shape[-1]
            labels = None
            if facing_read:
                degrees = relations.pose_degrees(group.headings, group.axes, rules, torch)
                labels = relations.facing_labels(degrees, rules, torch)
                share = (labels[..., None] == torch.arange(len(FACINGS), device=like.device)).double().mean(1)
                self.facing[group.rows, :n] = share
            for column, (op, *args) in enumerate(self.keys):
                if op == "relate":
                    geometry = (group.positions, group.headings, group.axes)
                    truth = relations.relate(*geometry, *args, rules, group.bicycle, torch)
                elif op == "collide":
                    geometry = (group.positions, group.headings, group.extents)
                    truth = relations.collide(*geometry, *args, rules, None, torch)
                elif op == "aligned":
                    truth = relations.aligned(degrees, *args, rules, torch)
                else:
                    continue
                share = truth.double().mean(1)
                if op == "aligned" and rules.aligned_needs_label:
                    labelled = labels != relations.NO_FACING
                    share = (truth & labelled[..., None]).double().mean(1)
                    share = share / labelled.double().mean(1).clamp(min=1e-12)[..., None]
                frequent[group.rows, column, :n, :n] = share
        for column, (op, *args) in enumerate(self.keys):
            if op == "same":
                belief = beliefs.looks[args[0]]
                alike = (belief[:, :, None] * belief[:, None]).sum(-1)
                frequent[:, column] = alike.masked_fill(
                    torch.eye(PAD, dtype=torch.bool, device=like.device), 0.0
                )
            elif op == "occludees":
                frequent[:, column] = beliefs.hidden.transpose(1, 2)
            elif op == "occluder":
                frequent[:, column] = beliefs.hidden
        self.lookups = frequent.flatten(0, 1)
        self.filters = torch.cat([self._filter(a, names) for a, names in FILTER_VALUES.items()], 1).flatten(
            0, 1
        )
        width = max(len(_VALUES[a]) for a in QUERY_ATTRIBUTES)
        parts = [self.facing if a == "facing" else beliefs.looks[a] for a in QUERY_ATTRIBUTES]
        codes = [torch.nn.functional.pad(part, (0, width - part.shape[-1])) for part in parts]
        self.codes = torch.stack(codes, 1).flatten(0, 1)

    def referred(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        """The weights of reference objects for lookups, and how probably they can be compared with: `aligned` may ask that they
        face one of four ways."""
        if not self.unlabelled:
            return x, x.new_ones(len(x))
        needs = torch.tensor([key[0] == "aligned" for key in self.keys], device=x.device)[
            row % len(self.keys)
        ]
        labelled = self.facing.sum(-1)[row // len(self.keys)]
        given, total = _given(x * labelled)
        return torch.where(needs[:, None], given, x), torch.where(needs, total, 1.0)

    def _filter(self, attribute: str, names: tuple[str, ...]) -> Tensor:
        """(S, names, PAD)."""
        if attribute == "facing":
            return self.facing.transpose(1, 2)
        if attribute == "occlusion":
            exists, hidden = self.beliefs.exists, self.beliefs.hidden
            occluded = (hidden * exists[:, None]).sum(-1)
            occluding = 1 - (1 - exists[..., None] * hidden).prod(1)
            of = {"occluded": occluded, "unoccluded": 1 - occluded, "occluding": occluding}
            return torch.stack([of[name] for name in names], 1)
        values = ATTRIBUTES[attribute]
        meant = [[name in lineage(value) for value in values] for name in names]
        meant = torch.tensor(meant, dtype=torch.float64, device=self.facing.device)  # (names, values)
        return (self.beliefs.looks[attribute][:, None] * meant[:, None]).sum(-1)
