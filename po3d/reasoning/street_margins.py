"""How far every decision of a program was from going the other way, and which of them would change the answer.

The program runs on the most probable table (mode argmax). A decision is one object on one side of one boundary: left of
the bus or not, inside the window of "facing left" or not, inside the sweep of the jet or not, more likely red than
brown. Its distance is positive on the side of yes, in the boundary's own unit. What would flip the answer is found by
running the program again with that one decision the other way and everything else as it was.

Nothing here runs unless it is asked for: the executors know nothing of it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np
import shapely

from po3d.io.errors import InputError
from po3d.language.programs.street import Program, Step
from po3d.reasoning import packing, relations
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Task
from po3d.reasoning.relations import DEFAULT_RULES, Rules
from po3d.reasoning.street_executor import Interpreter, describe
from po3d.scene.geometry import Array
from po3d.scene.rectangles import footprints
from po3d.scene.table import Scene
from po3d.scene.vocabulary import FACINGS, lineage

Unit = Literal["units", "degrees", "pixels", "probability"]

# What a distance is divided by to compare it with others: the median errors of the shipped street estimator (position
# and yaw, docs/results.md), and for pixels the benchmark's own threshold.
TYPICAL: dict[str, float] = {"units": 0.1, "degrees": 2.0, "pixels": 15.0}
_QUARTILE = NormalDist().inv_cdf(0.75)  # a Gaussian error is above its median size this many sigmas out
_SWEEP = 100.0  # a sweep without limit, in units: far beyond any scene
_FORMS: dict[str, str] = {"units": "{:.2f} units", "degrees": "{:.1f}°", "pixels": "{:.0f} px",
                          "probability": "{:.2f} in probability"}  # fmt: skip


class Pixels(NamedTuple):
    """What is seen of one object, where a mask says so."""

    visible: int
    hidden: int


@dataclass(frozen=True)
class Margin:
    """One decision of a step."""

    step: int
    object: int  # index in the scene
    distance: float  # positive: on the side of yes
    unit: Unit  # of probabilities, the distance is how much the likelier side is ahead
    boundary: str  # what is decided: "facing left", "left of #2"
    text: str  # one line to read

    @property
    def normalised(self) -> float:
        """The distance in typical errors, at least 0. Of a probability: that of a Gaussian error which would be as
        likely on the other side."""
        if self.unit == "probability":
            return NormalDist().inv_cdf(min((1 + abs(self.distance)) / 2, 1 - 1e-15)) / _QUARTILE
        return abs(self.distance) / TYPICAL[self.unit]


@dataclass(frozen=True)
class Flip:
    """The nearest decision that changes the answer."""

    margin: Margin
    normalised: float
    answer: str | None  # the answer then; None when there would be none
    reason: str  # why there would be none

    @property
    def text(self) -> str:
        """One line: would flip to 3: #3 small red suv is 2.1° from facing left."""
        return f"would flip to {self.answer or 'no answer'}: {self.margin.text}"


@dataclass(frozen=True)
class Margins:
    """The decisions of a program on the most probable table."""

    answer: str | None  # of the most probable table, which other modes may not share
    steps: tuple[tuple[Margin, ...], ...]  # of each step of the program, the nearest first
    flip: Flip | None  # None: no single decision changes the answer


def margins(
    program: Program,
    scene: Scene,
    task: Task = "2d",
    rules: Rules = DEFAULT_RULES,
    pixels: Sequence[Pixels] | None = None,
    within: float = math.inf,
) -> Margins:
    """The program's decisions on `scene`; those of beliefs that are certain are left out, as nothing is near. What
    would flip the answer is looked for among the decisions of at most `within` typical errors.

    A table holds who hides whom as a probability. `pixels`, one for each object of the scene, gives the distances of
    occlusion in pixels instead.
    """
    if rules.first_hit_only:
        raise InputError(
            "margins are of each object alone, and first_hit_only makes hits depend on each other"
        )
    if pixels is not None and len(pixels) != len(scene):
        raise InputError(f"{len(pixels)} entries of pixels for a scene of {len(scene)} objects")
    search = _Search(program, scene, task, rules, pixels)
    found = [
        sorted(search.decisions(k), key=lambda d: d.margin.normalised) for k in range(len(program.steps))
    ]
    every = sorted((d for step in found for d in step), key=lambda d: d.margin.normalised)
    return Margins(
        search.outcome.answer,
        tuple(tuple(d.margin for d in step) for step in found),
        next(
            (
                flip
                for d in every
                if d.margin.normalised <= within and (flip := search.flipped(d)) is not None
            ),
            None,
        ),
    )


class _Decision(NamedTuple):
    """A margin, and the program's outcome when it goes the other way; None where nobody can say."""

    margin: Margin
    turned: Callable[[], Outcome] | None


class _Turned(Interpreter):
    """The interpreter with some decisions turned: the facing of `facing`'s objects, and whether the pair `pair` (i, j)
    is in the relation `relation`."""

    facing: Mapping[int, int]
    relation: tuple[str, ...]
    pair: tuple[int, int]

    def _step(self, step: Step, inputs: list[Array]) -> Array:
        found = super()._step(step, inputs)
        i, j = self.pair
        if packing.resolve(step, self.task) == self.relation and inputs[0][i] > 0.5:
            found = np.where(np.arange(len(found)) == j, 1 - found, found)
        return found

    @cached_property
    def _labels(self) -> Array:
        labels = relations.facing_labels(self._degrees, self.rules)
        for i, label in self.facing.items():
            labels[:, i] = label
        return labels


class _Search:
    """One program on one scene. Indices are those of the scene; `row` finds an object in the certain table."""

    def __init__(
        self, program: Program, scene: Scene, task: Task, rules: Rules, pixels: Sequence[Pixels] | None
    ) -> None:
        self.program, self.scene, self.task, self.rules, self.pixels = program, scene, task, rules, pixels
        self.table, self.names = scene.certain(), scene.present
        self.row = {name: i for i, name in enumerate(self.names)}
        self.reader = Interpreter(self.table, self.names, task, rules, 1, 0)
        self.outcome = self.reader.run(program)

    def _run(
        self,
        scene: Scene | None = None,
        facing: Mapping[int, int] | None = None,
        relation: tuple[str, ...] = (),
        pair: tuple[int, int] = (0, 0),
    ) -> Outcome:
        scene = self.scene if scene is None else scene
        turned = _Turned(scene.certain(), scene.present, self.task, self.rules, 1, 0)
        turned.facing, turned.relation, turned.pair = facing or {}, relation, pair
        return turned.run(self.program, traced=False)

    def flipped(self, decision: _Decision) -> Flip | None:
        """What the decision does to the answer; None when it does nothing."""
        if decision.turned is None:
            return None
        after = decision.turned()
        if after.answer == self.outcome.answer:
            return None
        return Flip(decision.margin, decision.margin.normalised, after.answer, after.reason)

    # --- decisions of a step ---------------------------------------------------------------------------------

    def decisions(self, k: int) -> Iterator[_Decision]:
        """What step k decides; nothing when the program failed before it."""
        step, trace = self.program.steps[k], self.outcome.trace
        if any(i >= len(trace) for i in step.inputs):
            return
        inputs = [tuple(trace[i].objects) for i in step.inputs]
        op, *args = packing.resolve(step, self.task)
        if op == "scene":
            yield from self._existing(k)
        elif op in ("filter", "query") and args[0] == "facing":
            for i in inputs[0]:
                yield self._facing(k, i, args[1] if op == "filter" else None)
        elif op == "filter" and args[0] == "occlusion":
            for i in inputs[0]:
                yield from self._occlusion(k, i, *args[1:])
        elif op in ("filter", "query") and inputs[0]:
            for i in inputs[0]:
                yield from self._attribute(k, i, *args)
        elif op in ("relate", "aligned", "collide"):
            (i,) = inputs[0]
            if op == "aligned" and self.rules.aligned_needs_label:
                yield self._facing(k, i, None)
            for j in self.names:
                if j != i:
                    yield self._related(k, (op, *args), i, j)
        elif op == "same":
            (i,) = inputs[0]
            for j in self.names:
                if j != i:
                    yield from self._same(k, i, j, *args)
        elif op == "occluder":
            yield from self._hidden(k, inputs[0][0])
        elif op == "occludees":
            for j in self.names:
                if j != inputs[0][0]:
                    yield from self._hides(k, j, inputs[0][0])

    def _decision(
        self, k: int, i: int, distance: float, unit: Unit, boundary: str, turned: Callable[[], Outcome] | None
    ) -> _Decision:
        size = _FORMS[unit].format(abs(distance))
        if unit == "probability":
            where = f"{'' if distance > 0 else 'not '}{boundary} by {size}"
        else:
            where = f"{size} {'within' if distance > 0 else 'from'} {boundary}"
        margin = Margin(k, i, float(distance), unit, boundary, f"{describe(self.scene, i, i)} is {where}")
        return _Decision(margin, turned)

    # --- geometry --------------------------------------------------------------------------------------------

    def _facing(self, k: int, i: int, value: str | None) -> _Decision:
        """The window of `value`; None: the window that the object faces in, or the nearest."""
        degree = float(self.reader._degrees[0, self.row[i]])
        away = {f: abs((degree - centre + 180) % 360 - 180) for f, centre in _CENTRES.items()}
        value = value or min(away, key=away.__getitem__)
        distance = self.rules.facing_window_deg - away[value]
        label = FACINGS.index(value) if distance <= 0 else self._beyond(degree, value)
        facing = {self.row[i]: label}
        return self._decision(k, i, distance, "degrees", f"facing {value}", lambda: self._run(facing=facing))

    def _beyond(self, degree: float, value: str) -> int:
        """The label just outside the window of `value`, on the side of `degree`."""
        off = (degree - _CENTRES[value] + 180) % 360 - 180
        edge = _CENTRES[value] + math.copysign(self.rules.facing_window_deg + 1e-6, off)
        return int(relations.facing_labels(np.array([edge % 360]), self.rules)[0])

    def _related(self, k: int, relation: tuple[str, ...], i: int, j: int) -> _Decision:
        a, b = self.row[i], self.row[j]
        op, how, *_ = relation
        if op == "relate":
            distance, unit, words = self._ahead(*relation[1:])[a, b], "units", f"{how} of #{i}"
        elif op == "aligned":
            distance, unit, words = self._aligned(how, a, b), "degrees", f"{_ALIGNED[how]} #{i}"
        else:
            distance, unit, words = self._swept(how, a, b), "units", f"the {how} way of #{i}"
        return self._decision(k, j, distance, unit, words, lambda: self._run(relation=relation, pair=(a, b)))

    def _ahead(self, direction: str, frame: relations.Frame) -> Array:
        """(n, n) how far j of the certain table is past the margin to `direction` of i."""
        positions, headings = self.table.positions, self.table.headings
        bicycle = self.reader._bicycle
        found = relations.ahead(positions, headings, self.reader.axes, direction, frame, self.rules, bicycle)
        return found - (self.rules.margin_2d if frame == "camera" else self.rules.margin_6d)

    def _aligned(self, how: str, a: int, b: int) -> float:
        degrees = self.reader._degrees[0]
        turn = abs((degrees[b] - degrees[a] + 180) % 360 - 180)
        same, opposite = self.rules.aligned_same_deg - turn, turn - self.rules.aligned_opposite_deg
        parallel = max(same, opposite)
        return {"same": same, "opposite": opposite, "vertical": -parallel, "parallel": parallel}[how]

    def _swept(self, travel: str, a: int, b: int) -> float:
        """How deep the footprint of b is in the sweep of a; below 0 how far from it."""
        reach = min(self.rules.sweep_range, _SWEEP)
        sense = {"forward": 1.0, "backward": -1.0}[travel] * reach / 2
        heading, extent = self.table.headings[[a, b]], self.table.extents[[a, b], :2].copy()
        position = self.table.positions[[a, b], :2].copy()
        position[0] += sense * math.cos(heading[0]), sense * math.sin(heading[0])
        extent[0] += reach, 2 * self.rules.sweep_margin
        region, other = footprints(position, heading, extent)
        apart = float(shapely.distance(region, other))
        return -apart if apart > 0 else _depth(position, heading, extent)

    # --- beliefs ---------------------------------------------------------------------------------------------

    def _existing(self, k: int) -> Iterator[_Decision]:
        for i, o in enumerate(self.scene.objects):
            ahead = 2 * o.existence - 1
            if abs(ahead) < 1:
                scene = self._with(i, existence=float(ahead <= 0))
                yield self._decision(
                    k, i, ahead, "probability", "there", lambda scene=scene: self._run(scene)
                )

    def _attribute(self, k: int, i: int, attribute: str, value: str = "") -> Iterator[_Decision]:
        belief = self.scene.objects[i].beliefs.get(attribute, {})
        if not belief:
            return
        top = self.scene.objects[i].value(attribute)
        wanted = value or top
        yes = {v: p for v, p in belief.items() if wanted in lineage(v)}
        no = {v: p for v, p in belief.items() if v not in yes}
        ahead = max(yes.values(), default=0.0) - max(no.values(), default=0.0)
        other = no if ahead > 0 or (top in yes and ahead == 0) else yes
        if abs(ahead) < 1 and other:
            yield self._decision(
                k, i, ahead, "probability", wanted, self._as(i, attribute, max(other, key=other.__getitem__))
            )

    def _same(self, k: int, i: int, j: int, attribute: str) -> Iterator[_Decision]:
        """The cheapest change of either object's value that makes the two differ, or agree."""
        beliefs = {n: self.scene.objects[n].beliefs.get(attribute, {}) for n in (i, j)}
        if not all(beliefs.values()):
            return
        value = {n: self.scene.objects[n].value(attribute) for n in (i, j)}
        agree = value[i] == value[j]
        ways = []
        for n, other in ((i, j), (j, i)):
            for v, p in beliefs[n].items():
                if v != value[n] and (agree or v == value[other]):
                    ways.append((beliefs[n][value[n]] - p, n, v))
        if ways and (best := min(ways))[0] < 1:
            ahead, n, v = best
            yield self._decision(
                k, j, ahead if agree else -ahead, "probability", f"of the {attribute} of #{i}",
                self._as(n, attribute, v),
            )  # fmt: skip

    def _as(self, i: int, attribute: str, value: str) -> Callable[[], Outcome]:
        beliefs = {**self.scene.objects[i].beliefs, attribute: {value: 1.0}}
        return lambda: self._run(self._with(i, beliefs=beliefs))

    def _with(self, i: int, **changes: object) -> Scene:
        objects = list(self.scene.objects)
        objects[i] = replace(objects[i], **changes)
        return replace(self.scene, objects=tuple(objects))

    # --- occlusion -------------------------------------------------------------------------------------------

    def _occlusion(self, k: int, i: int, value: str) -> Iterator[_Decision]:
        if self.scene.occluders is None:
            return
        if value == "occluding":
            nearest = [d for j in self.names if j != i for d in self._hides(k, j, i)]
            hiding = [d for d in nearest if d.margin.distance > 0]
            if len(hiding) < 2:  # one turned decision does not stop an object that hides several
                yield from sorted(hiding or nearest, key=lambda d: d.margin.normalised)[:1]
            return
        for decision in self._hidden(k, i):
            if value == "unoccluded":
                margin = decision.margin
                decision = self._decision(k, i, -margin.distance, margin.unit, "unoccluded", decision.turned)
            yield decision

    def _hidden(self, k: int, i: int) -> Iterator[_Decision]:
        """Whether anything hides object i."""
        if self.scene.occluders is None:
            return
        belief = {j: p for j, p in self.scene.occluders[i].items() if j in self.row}
        hider = max(belief, key=belief.__getitem__, default=None)
        none = 1 - sum(self.scene.occluders[i].values())
        ahead = belief.get(hider, 0.0) - none
        if ahead > 0:
            turned = self._occluders(i, {})
        else:  # a table does not say who would hide an object that nothing hides
            turned = None if hider is None else self._occluders(i, {hider: 1.0})
        if self.pixels is not None:
            distance = min(self.pixels[i]) - self.rules.occlusion_min_px
            yield self._decision(k, i, distance, "pixels", "occluded", turned)
        elif abs(ahead) < 1:
            yield self._decision(k, i, ahead, "probability", "occluded", turned)

    def _hides(self, k: int, i: int, j: int) -> Iterator[_Decision]:
        """Whether it is j that hides i."""
        if self.scene.occluders is None:
            return
        belief = self.scene.occluders[i]
        others: dict[int | None, float] = {n: p for n, p in belief.items() if n != j and n in self.row}
        others[None] = 1 - sum(belief.values())
        best = max(others, key=others.__getitem__)
        ahead = belief.get(j, 0.0) - others[best]
        then = j if ahead <= 0 else best
        turned = self._occluders(i, {} if then is None else {then: 1.0})
        if self.pixels is not None and ahead > 0:
            distance = min(self.pixels[i]) - self.rules.occlusion_min_px
            yield self._decision(k, i, distance, "pixels", f"occluded by #{j}", turned)
        elif abs(ahead) < 1:
            yield self._decision(k, i, ahead, "probability", f"occluded by #{j}", turned)

    def _occluders(self, i: int, belief: dict[int, float]) -> Callable[[], Outcome]:
        occluders = list(self.scene.occluders or ())
        occluders[i] = belief
        return lambda: self._run(replace(self.scene, occluders=tuple(occluders)))


_CENTRES = {"back": 0.0, "right": 90.0, "front": 180.0, "left": 270.0}
_ALIGNED = {"same": "the same way as", "opposite": "the opposite way of", "vertical": "across",
            "parallel": "parallel to"}  # fmt: skip


def _depth(position: Array, heading: Array, extent: Array) -> float:
    """How far one of two overlapping rectangles (2, ...) must move to leave the other, by separating axes."""
    signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) / 2
    c, s = np.cos(heading), np.sin(heading)
    along, across = np.stack([c, s], -1), np.stack([-s, c], -1)  # (2, 2) the sides' directions
    local = signs * extent[:, None]
    corners = position[:, None] + local[..., :1] * along[:, None] + local[..., 1:] * across[:, None]
    reach = corners @ np.concatenate([along, across]).T  # (2, 4 corners, 4 axes)
    low, high = reach.min(1), reach.max(1)
    return float(np.minimum(high[0] - low[1], high[1] - low[0]).min())


def record_of(found: Margins) -> dict:
    """JSON-ready: the answer of the likeliest table, the decisions of every step, and what would flip it."""
    flip = None if found.flip is None else {**asdict(found.flip), "text": found.flip.text}
    steps = [[{**asdict(m), "normalised": m.normalised} for m in step] for step in found.steps]
    return {"answer": found.answer, "steps": steps, "flip": flip}
