"""How streets' programs take what a table only believes: probabilities multiplied along the program, of thousands of programs on
thousands of tables at once.

    pack_beliefs(scenes) ─► Beliefs ──────────────────────┐
                                                          ├─► marginal_batch ─► Marginals: outcome(p)
    packing.pack_programs(programs, ...) ─► ProgramBatch ─┘

A set is a probability per object, of being in it if the object exists; existence enters where objects are counted or picked.
Steps multiply marginals as if independent. `unique` weighs object i by the probability that it is in the set and no other is;
what is missing to 1 is the probability that the program fails, and answers are conditional on success. Relations under uncertain
poses are frequencies over draws of all poses, the same draws at every step, worked out once a table. On a table without
uncertainty all this says what `execute` says.

A register is a row of doubles: of a set each object's probability, else a distribution. Every row is summed by itself: an
answer does not depend on what else is in the batch. The file is long because what a result says in words stands with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.reasoning import packing, relations
from po3d.reasoning.outcome import ExecutionFailure, Outcome, TraceStep, failed
from po3d.reasoning.packing import COLUMNS, VALUES, ProgramBatch, pack_programs, steps
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.street_batched import cause, ranked, run, traced
from po3d.scene.table import Scene
from po3d.scene.vocabulary import FACINGS, PARENT, lineage
from po3d.scene.worlds import occluder_table, uncertain

PAD = 16  # tables are padded to multiples of so many objects
MIN_VALID = 1e-6  # a program that succeeds less often than this has failed
POSES_STAGE = "executor.poses"  # of the random numbers of poses
ROWS = 8192  # of relations that are read at once
# Of objects in all draws, whose relations are worked out at once on a CPU: more leave its caches, fewer are many small operations.
PAIRS = 1 << 16
_ATTRIBUTES = tuple(a for a in VALUES if a != "facing")


@dataclass(frozen=True, eq=False)
class Beliefs:
    """S tables padded to n objects; poses in `groups`, which are the tables with equally many objects and draws."""

    exists: Tensor  # (S, n) 0 where there is no object
    mask: Tensor  # (S, n) which objects there are
    looks: dict[str, Tensor]  # attribute -> (S, n, values)
    hidden: Tensor  # (S, n, n) probability that j is the dominant occluder of i, given that j exists
    told: dict[str, Tensor]  # attribute, "occlusion" -> (S,) whether the table tells it of every object
    gaps: bool  # whether any table lacks any of them
    most: int  # objects of a table
    groups: tuple["Poses", ...]

    def __len__(self) -> int:
        return len(self.exists)


@dataclass(frozen=True, eq=False)
class Poses:
    """Draws of the poses of G tables of n objects each, in the order of `relations.Pairs`."""

    rows: Tensor  # (G,) which tables
    x: Tensor  # (n, G, draws); float32, of tables that are sure float64
    y: Tensor
    headings: Tensor
    axes: Tensor  # (4, 2, G, 1)
    extents: Tensor  # (n, 2, G, 1)
    bicycle: Tensor  # (n, G, 1)


def width(scene: Scene) -> int:
    """How many objects a table is padded to."""
    return max(1, -(-len(scene) // PAD)) * PAD


def pack_beliefs(
    scenes: Sequence[Scene], samples: int = 64, seed: int = 0, device: str | torch.device = "cpu"
) -> Beliefs:
    """The beliefs of tables, their poses drawn `samples` times: a table's draws depend on nothing but its number of objects and
    the seed."""
    s, pad = len(scenes), max(map(width, scenes), default=PAD)
    exists, mask = np.zeros((s, pad)), np.zeros((s, pad), bool)
    looks = {a: np.zeros((s, pad, len(VALUES[a]))) for a in _ATTRIBUTES}
    told = {a: np.ones(s, bool) for a in (*_ATTRIBUTES, "occlusion")}
    hidden = np.zeros((s, pad, pad))
    alike: dict[tuple[int, bool, bool], list[int]] = {}
    for k, scene in enumerate(scenes):
        n = len(scene)
        exists[k, :n], mask[k, :n] = [o.existence for o in scene.objects], True
        for attribute in _ATTRIBUTES:
            try:
                looks[attribute][k, :n] = scene.belief(attribute, VALUES[attribute])
            except InputError:  # which is told when it is asked for
                told[attribute][k] = False
        told["occlusion"][k] = scene.occluders is not None
        hidden[k, :n, :n] = occluder_table(scene)[:, :-1]
        if n:
            alike.setdefault((n, uncertain(scene, ("pose", "flip")), uncertain(scene, ("pose",))), []).append(
                k
            )
    at_once = PAIRS if torch.device(device).type == "cpu" else PAIRS * 4096
    groups = []
    for (n, drawn, moved), rows in alike.items():
        size = max(1, at_once // (n * n * (samples if drawn else 1)))
        for part in (rows[k : k + size] for k in range(0, len(rows), size)):
            groups.append(
                _poses([scenes[k] for k in part], part, samples if drawn else 0, moved, seed, device)
            )
    exists, mask, hidden = (torch.from_numpy(a).to(device) for a in (exists, mask, hidden))
    looks, known = ({a: torch.from_numpy(p).to(device) for a, p in of.items()} for of in (looks, told))
    gaps = not all(known.all() for known in told.values())
    return Beliefs(exists, mask, looks, hidden, known, gaps, max(map(len, scenes), default=0), tuple(groups))


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
    known = [all("shape" in o.beliefs for o in s.objects) for s in scenes]
    bicycle = [
        [tells and PARENT.get(o.value("shape")) == "bicycle" for o in s.objects]
        for s, tells in zip(scenes, known)
    ]
    parts = (
        *pose.transpose(3, 2, 0, 1),
        np.stack([packing.axes_array(s) for s in scenes], -1)[..., None],
        np.stack([s.extents[:, :2] for s in scenes], -1)[..., None],
        np.array(bicycle, float).T[..., None],
    )
    kind = np.float32 if samples else np.float64
    tensors = (torch.from_numpy(np.ascontiguousarray(a, kind)).to(device) for a in parts)
    return Poses(torch.tensor(rows, device=device), *tensors)


@dataclass(frozen=True, eq=False)
class Marginals:
    """What each of P programs gave."""

    beliefs: Beliefs
    programs: ProgramBatch
    registers: Tensor  # (T, W) what each step gave, in running order
    mass: Tensor  # (T,) probability that it gave something
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
        kind = steps(self.programs.programs[p])[-1].kind
        return None if failed[p] else ranked(kind, value[p])

    def failure(self, p: int, scene: Scene) -> ExecutionFailure:
        """Why program p has no answer on its table."""
        done, mass = self._steps(p)
        k = int(np.argmax(mass.cumprod() < MIN_VALID))
        step = steps(self.programs.programs[p])[k]
        attribute = next((word for word in step.words if word in _ATTRIBUTES), None)
        if attribute is not None:
            try:
                scene.belief(attribute, VALUES[attribute])
            except InputError as error:
                kind, what = "unknown", str(error)
        else:
            q = done[step.inputs[-1]][: len(scene)] * [o.existence for o in scene.objects]
            kind, what = cause(step, int(q.sum()))
            if step.call.op == "unique" and not np.isin(q, (0, 1)).all():
                kind = "ambiguous"
                what = f"the set hardly ever has one object (its expected size is {q.sum():.2g})"
            if not any(word in packing.OCCLUSION for word in step.words):
                what = f"{what} ({self._origin(p, k, scene)})"
        return ExecutionFailure(kind, f"step {k} {step.token}: {what}")

    def trace(self, p: int, scene: Scene) -> list[TraceStep]:
        """What each step of program p gave on its table, up to the one that failed."""
        done, mass = self._steps(p)
        existence = np.array([o.existence for o in scene.objects])
        found = []
        for step, value, valid in zip(steps(self.programs.programs[p]), done, mass.cumprod()):
            if valid < MIN_VALID:
                break
            value = value[: len(scene)] * existence if step.kind == "set" else value
            found.append(traced(step, value, scene))
        return found

    @cached_property
    def _done(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[int]]:
        """What every step gave, and where each program's steps are, where Python reads them."""
        tensors = self.registers, self.mass, self.programs.slot
        return *(t.cpu().numpy() for t in tensors), self.programs.offset.tolist()

    def _steps(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        """The registers of program p, step by step, and their masses."""
        registers, mass, slot, offset = self._done
        places = slot[offset[p] : offset[p + 1]]
        return registers[places], mass[places]

    def _origin(self, p: int, k: int, scene: Scene) -> str:
        """Where the input of step k came from: "filter[color=green] over 5 objects"."""
        own, (done, _) = steps(self.programs.programs[p]), self._steps(p)
        source, over = own[own[k].inputs[0]], float(len(scene))
        if source.call.op == "filter":
            over = float((done[source.inputs[0]][: len(scene)] * [o.existence for o in scene.objects]).sum())
        return f"{source.token} over {over:.3g} object{'' if over == 1 else 's'}"


def multiplied(
    program: Call, scene: Scene, task: Task, rules: Rules = STREET_RULES, samples: int = 64, seed: int = 0
) -> Outcome:
    """The outcome of one program on one table."""
    return outcomes([scene], [(program, 0, task)], rules, samples, seed)[0]


def outcomes(
    scenes: Sequence[Scene],
    asked: Sequence[tuple[Call, int, Task]],
    rules: Rules = STREET_RULES,
    samples: int = 64,
    seed: int = 0,
) -> list[Outcome]:
    """The outcome of each (program, index of its scene, task)."""
    found: list[Outcome | None] = [None] * len(asked)
    for pad in sorted({width(scene) for scene in scenes}):  # so that none is padded for another's sake
        place = {k: row for row, k in enumerate(k for k, scene in enumerate(scenes) if width(scene) == pad)}
        rows = [row for row, (_, k, _) in enumerate(asked) if k in place]
        if not rows:
            continue
        programs, where, tasks = zip(*(asked[row] for row in rows))
        packed = pack_programs(programs, [place[k] for k in where], tasks)
        result = marginal_batch(pack_beliefs([scenes[k] for k in place], samples, seed), packed, rules)
        for p, row in enumerate(rows):
            distribution, scene = result.distribution(p), scenes[where[p]]
            told = partial(_told, programs[p], scene, tasks[p], rules, samples, seed)
            if distribution is None:
                found[row] = failed(result.failure(p, scene), told=told)
                continue
            answer = next(iter(distribution))
            valid = result.host[1][p]
            found[row] = Outcome("ok", answer, distribution[answer], distribution, valid=valid, told=told)
    return found


def _told(program: Call, scene: Scene, task: Task, rules: Rules, samples: int, seed: int) -> list[TraceStep]:
    """The trace of a program, which is run once more: few are asked for, and a batch would have to be kept for them."""
    result = marginal_batch(pack_beliefs([scene], samples, seed), pack_programs([program], [0], task), rules)
    return result.trace(0, scene)


def marginal_batch(beliefs: Beliefs, programs: ProgramBatch, rules: Rules = STREET_RULES) -> Marginals:
    """Run every program on its table."""
    device = beliefs.exists.device
    if programs.scene.device != device:
        programs = programs.to(device)
    chances = _Chances(beliefs, programs, rules)
    run(programs, chances)
    registers, mass = chances.registers, chances.trouble
    # All masses are at most 1, so the product of a program's steps is the least of those on the way.
    program = torch.arange(len(programs), device=device).repeat_interleave(
        programs.offset.diff(), output_size=len(mass)
    )
    valid = torch.ones(len(programs), dtype=mass.dtype, device=device)
    valid = valid.scatter_reduce(0, program, mass[programs.slot], "prod")
    value = registers[programs.slot[programs.offset[1:] - 1]]
    value = value / value.sum(1, keepdim=True)
    return Marginals(beliefs, programs, registers, mass, value, valid, ~(valid >= MIN_VALID))


class _Chances:
    """Sets as a probability per object, and what programs read of each table; `trouble` is the probability that a step has a
    result."""

    def __init__(self, beliefs: Beliefs, programs: ProgramBatch, rules: Rules) -> None:
        self.beliefs, self.rules, self.keys = beliefs, rules, programs.relations
        like, (s, self.pad) = beliefs.exists, beliefs.exists.shape
        self.everything = beliefs.mask.double()
        wide = max(self.pad + 1, *map(len, VALUES.values()))
        self.registers = like.new_zeros((len(programs.slot), wide))
        self.trouble = like.new_ones(len(programs.slot))
        aligned = [key[0] in relations.ALIGNED for key in self.keys]
        self.labelled = any(aligned) and rules.aligned_needs_label
        self.aligned = torch.tensor(aligned, device=like.device)
        self.facing = like.new_zeros((s, self.pad, len(FACINGS)))
        frequent = like.new_zeros((s, len(self.keys), self.pad, self.pad))
        for group in beliefs.groups:
            self._frequencies(group, frequent, programs.facing or self.labelled)
        for column, (relation, *args) in enumerate(self.keys):
            if relation == "same":
                alike = sum(p[:, :, None] * p[:, None] for p in beliefs.looks[args[0]].unbind(-1))
                own = torch.eye(self.pad, dtype=torch.bool, device=like.device)
                frequent[:, column] = alike.masked_fill(own, 0.0)
            elif relation == "occluded_by":
                frequent[:, column] = beliefs.hidden.transpose(1, 2)
            elif relation == "occluding":
                frequent[:, column] = beliefs.hidden
        self.lookups = frequent.flatten(0, 1)
        self.filters = torch.stack([self._filter(*key) for key in COLUMNS["filter"]], 1).flatten(0, 1)
        codes = [self.facing if a == "facing" else beliefs.looks[a] for (a,) in COLUMNS["query"]]
        most = max(map(len, VALUES.values()))
        codes = [torch.nn.functional.pad(part, (0, most - part.shape[-1])) for part in codes]
        self.codes = torch.stack(codes, 1).flatten(0, 1)
        self.asks_facing = torch.tensor([a == "facing" for (a,) in COLUMNS["query"]], device=like.device)

    def write(self, lo: int, hi: int, values: Tensor) -> None:
        self.registers[lo:hi, : values.shape[1]] = values

    # --- steps ------------------------------------------------------------------------------------

    def scene(self, row: Tensor) -> tuple[Tensor, None]:
        return self.everything[row], None

    def filter(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor | None]:
        return x[:, : self.pad] * self.filters[row], self._known(COLUMNS["filter"], row)

    def unique(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        q = x[:, : self.pad] * self.beliefs.exists[row]
        return _given(q * _others(1 - q))

    def lookup(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor | None]:
        weight, mass = x[:, : self.pad], self._known(self.keys, row)
        if self.labelled:  # `aligned` may ask that what is compared with faces one of four ways
            needs = self.aligned[row % len(self.keys)]
            given, total = _given(weight * self.facing.sum(-1)[row // len(self.keys)])
            weight, total = torch.where(needs[:, None], given, weight), torch.where(needs, total, 1.0)
            mass = total if mass is None else mass * total
        out = torch.empty_like(weight)
        for start in range(0, len(row), ROWS):
            part = slice(start, start + ROWS)
            out[part] = (weight[part, :, None] * self.lookups[row[part]]).sum(1)
        return out, mass

    def query(self, x: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        value = (x[:, : self.pad, None] * self.codes[row]).sum(1)
        given, total = _given(value)
        facing = self.asks_facing[row % len(COLUMNS["query"])]
        mass = torch.where(facing, total, 1.0)
        known = self._known(COLUMNS["query"], row)
        return torch.where(facing[:, None], given, value), mass if known is None else mass * known

    def union(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return 1 - (1 - x[:, : self.pad]) * (1 - y[:, : self.pad]), None

    def intersect(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return x[:, : self.pad] * y[:, : self.pad], None

    def count(self, x: Tensor, row: Tensor) -> tuple[Tensor, None]:
        """How probably so many of independent objects are there."""
        q = (x[:, : self.pad] * self.beliefs.exists[row]).T.contiguous()
        counts = q.new_zeros((self.pad + 1, len(row)))
        counts[0] = 1
        for k, one in enumerate(q[: self.beliefs.most]):
            more = counts[: k + 1] * one
            counts[: k + 1] *= 1 - one
            counts[1 : k + 2] += more
        return counts.T, None

    def exist(self, x: Tensor, row: Tensor) -> tuple[Tensor, None]:
        return _boolean(1 - (1 - x[:, : self.pad] * self.beliefs.exists[row]).prod(1)), None

    def equal(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return _boolean((x * y).sum(1)), None

    def less_than(self, x: Tensor, y: Tensor, _row: Tensor) -> tuple[Tensor, None]:
        return _boolean((y[:, 1:] * x.cumsum(1)[:, :-1]).sum(1)), None

    def greater_than(self, x: Tensor, y: Tensor, row: Tensor) -> tuple[Tensor, None]:
        return self.less_than(y, x, row)

    # --- tables -----------------------------------------------------------------------------------

    def _frequencies(self, group: Poses, frequent: Tensor, labelled: bool) -> None:
        """How often over the draws of a group of tables each relation holds, and each thing faces each way."""
        n = len(group.x)
        pairs = relations.Pairs(
            group.x, group.y, group.headings, group.axes, group.extents, self.rules, group.bicycle, xp=torch
        )
        if labelled:
            share = [(pairs.facings == k).sum(-1).double() / group.x.shape[-1] for k in range(len(FACINGS))]
            self.facing[group.rows, :n] = torch.stack(share, -1).transpose(0, 1)
            faces = (pairs.facings != relations.NO_FACING).to(group.x.dtype)[:, None]
        columns, shares = [], []
        for column, (relation, *frame) in enumerate(self.keys):
            if relation == "same" or relation in packing.OCCLUSION:
                continue
            spare, closed = pairs.spare(relation, *frame), relations.closed(relation)
            # Of each reference, where rules want it, in the draws in which it has a label.
            among = faces if relation in relations.ALIGNED and self.labelled else None
            columns.append(column)
            shares.append(_positive(spare, closed, among))
        if shares:
            other = 1 - torch.eye(n, dtype=torch.float64, device=group.x.device)[..., None]
            columns = torch.tensor(columns, device=group.x.device)
            found = (torch.stack(shares) * other).permute(3, 0, 1, 2)
            frequent[group.rows[:, None], columns, :n, :n] = found

    def _filter(self, attribute: str, text: str) -> Tensor:
        """(S, n) how probably an object is so."""
        exists, hidden = self.beliefs.exists, self.beliefs.hidden
        if attribute == "facing":
            return self.facing[..., FACINGS.index(text)]
        if attribute != "occlusion":
            fitting = [k for k, value in enumerate(VALUES[attribute]) if text in lineage(value)]
            return self.beliefs.looks[attribute][..., fitting].sum(-1)
        if text == "occluding":
            return 1 - (1 - exists[..., None] * hidden).prod(1)
        occluded = (hidden * exists[:, None]).sum(-1)
        return occluded if text == "occluded" else 1 - occluded

    def _known(self, keys: Sequence[packing.Key], row: Tensor) -> Tensor | None:
        """(k,) 1 where the table tells what is asked, else 0; None where all tables tell all."""
        if not self.beliefs.gaps:
            return None
        every = torch.ones(len(self.beliefs), dtype=torch.bool, device=row.device)
        columns = [self.beliefs.told.get(_told_as(key), every) for key in keys]
        return torch.stack(columns, 1).flatten()[row].double()


def _told_as(key: packing.Key) -> str:
    """What a table has to tell of all objects for a step."""
    if key[0] in packing.OCCLUSION:
        return "occlusion"
    return key[1] if key[0] == "same" else key[0]


def _positive(spare: Tensor, closed: bool, among: Tensor | None) -> Tensor:
    """(..., draws) to the share of the draws in which a distance is positive, or ("closed") not negative; of those `among` which
    are 1. By arithmetic, which takes a third of a comparison's time."""
    share = (spare * (-1e30 if closed else 1e30)).clamp_(0, 1)
    share = (share if among is None else share.mul_(among)).mean(-1).double()
    whole = 1.0 if among is None else among.mean(-1).double()
    return (whole - share if closed else share) / (1.0 if among is None else whole.clamp(min=1e-12))


def _given(mass: Tensor) -> tuple[Tensor, Tensor]:
    """Rows made to sum to 1, and what they summed to."""
    total = mass.sum(1)
    return mass / total.clamp(min=1e-300)[:, None], total


def _others(absent: Tensor) -> Tensor:
    """(P, n) of each object the product over all others."""
    one = torch.ones_like(absent[:, :1])
    before = torch.cat([one, absent[:, :-1]], 1).cumprod(1)
    after = torch.cat([one, absent.flip(1)[:, :-1]], 1).cumprod(1).flip(1)
    return before * after


def _boolean(yes: Tensor) -> Tensor:
    yes = yes.clamp(0, 1)
    return torch.stack([1 - yes, yes], 1)
