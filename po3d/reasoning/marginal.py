"""How streets' programs take what a table only believes: probabilities multiplied along the program, or votes of worlds.

* multiplied  A set is a probability per object. Steps multiply marginals as if independent. Relations under uncertain poses
              are frequencies over `samples` draws of all poses, the same draws at every step.
* sampled     `samples` joint draws of the whole table, each executed exactly (`batched`), then a vote. What the former treats
              as independent (two steps that read the same object) stays dependent here.

Both say what `execute` says on a table without uncertainty. Multiplied, a set holds P(object is in it | object exists);
existence enters where objects are counted or picked. `unique` weighs object i by P(i is in the set and no other object is),
and what is missing to 1 is the probability that the program fails. Answers are conditional on success, as votes over
successful samples are.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.language.programs.street import Program, Step
from po3d.reasoning import packing, relations
from po3d.reasoning.outcome import ExecutionFailure, Outcome, TraceStep, failed, of_objects, of_values
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import Rules
from po3d.reasoning.votes import vote
from po3d.reasoning.world import describe
from po3d.scene.geometry import Array
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, FACINGS, PARENT, UNSEEN_SHAPES, VALUES, lineage
from po3d.scene.worlds import occluder_table, uncertain, worlds

MIN_VALID = 1e-6  # a program that succeeds less often than this has failed
POSES_STAGE = "executor.poses"  # of the random numbers of poses


def multiplied(
    program: Program, scene: Scene, task: Task, rules: Rules, samples: int, seed: int, _draw: Collection[str]
) -> Outcome:
    """The answer with the highest probability, multiplied along the program."""
    return _Interpreter(scene, task, rules, samples, seed).run(program)


class _Value(NamedTuple):
    """A step's result: of a set, each object's probability; else a distribution over objects or values."""

    kind: str
    p: Array


class _Interpreter:
    """Executes one program on one table."""

    def __init__(self, scene: Scene, task: Task, rules: Rules, samples: int, seed: int) -> None:
        self.scene, self.task, self.rules = scene, task, rules
        self.samples, self.seed = samples, seed
        self.existence = np.array([o.existence for o in scene.objects], float)
        self.axes = packing.axes_array(scene)
        self.valid = 1.0  # probability that every step so far has a result
        self.where = ""  # where the input of the present step came from

    def run(self, program: Program) -> Outcome:
        done: list[_Value] = []
        for k, step in enumerate(program.steps):
            self.where = self._origin(program, k, done)
            try:
                value = _Value(step.types[1], self._step(step, [done[i].p for i in step.inputs]))
                if self.valid < MIN_VALID:
                    raise ExecutionFailure("unknown", f"an answer has probability {self.valid:.1g}")
            except (ExecutionFailure, InputError) as error:
                kind = error.kind if isinstance(error, ExecutionFailure) else "unknown"
                why = ExecutionFailure(kind, f"step {k} {step.token}: {error}")
                return failed(why, told=lambda: self._told(program, done))
            done.append(value)
        distribution = ranked(value.kind, value.p / value.p.sum())
        answer = next(iter(distribution))
        told = lambda: self._told(program, done)  # noqa: E731
        return Outcome("ok", answer, distribution[answer], distribution, valid=self.valid, told=told)

    def _told(self, program: Program, done: list[_Value]) -> list[TraceStep]:
        return [self._traced(step, value) for step, value in zip(program.steps, done)]

    # --- steps ---------------------------------------------------------------------------------------------

    def _step(self, step: Step, inputs: list[Array]) -> Array:
        op, *args = packing.resolve(step, self.task)
        return getattr(self, f"_op_{op}")(*inputs, *args)

    def _op_scene(self) -> Array:
        return np.ones(len(self.scene))

    def _op_filter(self, members: Array, attribute: str, value: str) -> Array:
        if attribute == "facing":
            return members * self._facing[:, FACINGS.index(value)]
        if attribute == "occlusion":
            if value == "occluding":
                return members * (1 - (1 - self.existence[:, None] * self._occlusion).prod(0))
            hidden = self._occlusion @ self.existence
            return members * (hidden if value == "occluded" else 1 - hidden)
        matching = [value in lineage(v) for v in self._values[attribute]]
        return members * self._belief(attribute)[:, matching].sum(1)

    def _op_unique(self, members: Array) -> Array:
        q = members * self.existence
        others = np.where(np.eye(len(q), dtype=bool), 1.0, 1 - q).prod(1)  # P(no other object is in the set)
        return self._given(q * others, lambda: self._not_one(q))

    def _op_relate(self, obj: Array, direction: str, frame: relations.Frame) -> Array:
        positions, headings = self._poses
        geometry = (positions, headings, self.axes)
        truth = relations.relate(*geometry, direction, frame, self.rules, self._bicycle)
        return obj @ truth.mean(0)

    def _op_same(self, obj: Array, attribute: str) -> Array:
        belief = self._belief(attribute)
        return obj @ np.where(np.eye(len(obj), dtype=bool), 0.0, belief @ belief.T)

    def _op_aligned(self, obj: Array, how: str) -> Array:
        truth = relations.aligned(self._degrees, how, self.rules)
        if not self.rules.aligned_needs_label:
            return obj @ truth.mean(0)
        labelled = self._labels != relations.NO_FACING  # (samples, n)
        weight = self._given(obj * labelled.mean(0), self._faces_nothing)
        # Of each reference, the samples in which it has a label.
        given = (truth & labelled[..., None]).mean(0) / np.maximum(labelled.mean(0), 1e-12)[:, None]
        return weight @ given

    def _op_occludees(self, obj: Array) -> Array:
        return self._occlusion @ obj

    def _op_occluder(self, obj: Array) -> Array:
        return obj @ self._occlusion

    def _op_collide(self, obj: Array, travel: str) -> Array:
        positions, headings = self._poses
        extents = self.scene.extents
        return obj @ relations.collide(positions, headings, extents, travel, self.rules).mean(0)

    def _op_union(self, first: Array, second: Array) -> Array:
        return 1 - (1 - first) * (1 - second)

    def _op_intersect(self, first: Array, second: Array) -> Array:
        return first * second

    def _op_count(self, members: Array) -> Array:
        counts = np.ones(1)
        for q in members * self.existence:
            counts = np.convolve(counts, [1 - q, q])
        return counts

    def _op_exist(self, members: Array) -> Array:
        return _boolean(1 - (1 - members * self.existence).prod())

    def _op_query(self, obj: Array, attribute: str) -> Array:
        if attribute == "facing":
            return self._given(obj @ self._facing, self._faces_nothing)
        return obj @ self._belief(attribute)

    def _op_equal(self, first: Array, second: Array, _attribute: str) -> Array:
        return _boolean(first @ second)

    def _op_equal_integer(self, first: Array, second: Array) -> Array:
        n = min(len(first), len(second))
        return _boolean(first[:n] @ second[:n])

    def _op_less_than(self, first: Array, second: Array) -> Array:
        return _boolean(np.triu(np.outer(first, second), 1).sum())

    def _op_greater_than(self, first: Array, second: Array) -> Array:
        return self._op_less_than(second, first)

    # --- what steps read -----------------------------------------------------------------------------------

    def _given(self, mass: Array, why: Callable[[], ExecutionFailure]) -> Array:
        """`mass` made to sum to 1; its sum is the probability that the step has a result."""
        total = float(mass.sum())
        self.valid *= total
        if self.valid < MIN_VALID:
            raise why()
        return mass / total

    def _belief(self, attribute: str) -> Array:
        return self.scene.belief(attribute, self._values[attribute])

    @cached_property
    def _values(self) -> Mapping[str, tuple[str, ...]]:
        """What the table's attributes can be; few tables have more than networks know."""
        rare = any(s in o.beliefs.get("shape", ()) for o in self.scene.objects for s in UNSEEN_SHAPES)
        return VALUES if rare else ATTRIBUTES

    @cached_property
    def _poses(self) -> tuple[Array, Array]:
        """Positions (k, n, 2) and headings (k, n): draws, or the one pose of a scene that is sure of it."""
        how = ("pose", "flip")  # the others are multiplied out; the stream is that of the published figures
        if uncertain(self.scene, how):
            drawn = worlds(self.scene, how, count=self.samples, seed=self.seed, stage=POSES_STAGE)
            return drawn.positions, drawn.headings
        return self.scene.positions[None, :, :2], self.scene.headings[None]

    @cached_property
    def _bicycle(self) -> NDArray[np.bool_]:
        """(n,) which objects are bicycles; none where the scene does not know every shape."""
        known = all("shape" in o.beliefs for o in self.scene.objects)
        return np.array([known and PARENT[o.value("shape")] == "bicycle" for o in self.scene.objects], bool)

    @cached_property
    def _degrees(self) -> Array:
        return relations.pose_degrees(self._poses[1], self.axes, self.rules)

    @cached_property
    def _labels(self) -> Array:
        return relations.facing_labels(self._degrees, self.rules)

    @cached_property
    def _facing(self) -> Array:
        """(n, 4) probability of each facing; what a row lacks to 1 is that the object faces none of them."""
        return (self._labels[..., None] == np.arange(len(FACINGS))).mean(0)

    @cached_property
    def _occlusion(self) -> Array:
        """(n, n) probability that j is the dominant occluder of i, given that j exists."""
        if self.scene.occluders is None:
            raise ExecutionFailure("unknown", "the scene says nothing about occlusion")
        return occluder_table(self.scene)[:, :-1]

    # --- words ---------------------------------------------------------------------------------------------

    def _origin(self, program: Program, k: int, done: list[_Value]) -> str:
        """Where the input of step k came from: "filter[color=green] over 5 objects"."""
        if not program.steps[k].inputs:
            return ""
        source = program.steps[program.steps[k].inputs[0]]
        over = len(self.scene)
        if source.op == "filter":
            over = (done[source.inputs[0]].p * self.existence).sum()
        return f"{source.token} over {over:.3g} object{'' if over == 1 else 's'}"

    def _not_one(self, q: Array) -> ExecutionFailure:
        if np.isin(q, (0, 1)).all():
            what = f"the set has {int(q.sum())} objects" if q.any() else "the set is empty"
        else:
            what = f"the set hardly ever has one object (its expected size is {q.sum():.2g})"
        return ExecutionFailure("ambiguous" if q.any() else "not found", f"{what} ({self.where})")

    def _faces_nothing(self) -> ExecutionFailure:
        return ExecutionFailure("unknown", f"the object faces none of {', '.join(FACINGS)} ({self.where})")

    def _traced(self, step: Step, value: _Value) -> TraceStep:
        if value.kind == "set":
            value = _Value("set", value.p * self.existence)
        return _trace_step(step, value, self.scene)


def _boolean(yes: float) -> Array:
    yes = min(max(float(yes), 0.0), 1.0)
    return np.array([1 - yes, yes])


def ranked(kind: str, p: Array) -> dict[str, float]:
    """Value -> probability, most probable first; a tie keeps the vocabulary's order."""
    words = map(str, range(len(p))) if kind == "integer" else packing.spelling(kind)
    return {w: float(q) for w, q in sorted(zip(words, p), key=lambda item: -item[1]) if q > 0}


def _trace_step(step: Step, value: _Value, scene: Scene) -> TraceStep:
    """The record of a step; of a set, `value.p` counts existence."""
    kind, p = value
    if kind not in ("set", "object"):
        return of_values(step.token, kind, ranked(kind, p))
    chances = {i: float(p[i]) for i in range(len(p)) if p[i] > 0}
    return of_objects(step.token, kind, chances, len(scene), lambda i: describe(scene.objects[i], i))


# --- samples ------------------------------------------------------------------------------------------------


def sampled(
    program: Program, scene: Scene, task: Task, rules: Rules, samples: int, seed: int, draw: Collection[str]
) -> Outcome:
    """The answer of most worlds."""
    from po3d.reasoning import street_batched as batched  # torch takes seconds to import

    tables = batched.pack_worlds(worlds(scene, draw, count=samples, seed=seed))
    packed = batched.pack_programs([program] * samples, range(samples), task)
    result = batched.execute_batch(tables, packed, rules)
    found = vote(result.answers(), ties=packing.spelling(program.answer_type))
    if found is None:
        reasons = Counter(result.reason(p) for p in range(samples))
        reason, times = reasons.most_common(1)[0]
        why = next(f for p in range(samples) if str(f := result.failure(p)) == reason)
        if len(reasons) > 1:
            reason += f" (the most frequent failure, {times} of {samples} samples)"
        return failed(why, reason)
    registers = result.registers[packed.slot].reshape(samples, -1).numpy()[result.ok]
    told = lambda: [_sampled(step, registers[:, k], scene) for k, step in enumerate(program.steps)]  # noqa: E731
    shares, valid = found.distribution, found.answered / samples
    return Outcome("ok", found.answer, shares[found.answer], shares, valid=valid, told=told)


def _sampled(step: Step, register: np.ndarray, scene: Scene) -> TraceStep:
    """A step's record as frequencies over its values (v,) in the valid samples."""
    kind, n = step.types[1], len(scene)
    if kind == "set":
        p = ((register[:, None] >> np.arange(n)) & 1).mean(0)
    else:
        size = n if kind == "object" else len(packing.spelling(kind))
        p = np.bincount(register, minlength=size) / len(register)
    return _trace_step(step, _Value(kind, p), scene)
