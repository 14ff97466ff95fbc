"""Runs SCOPE's programs on what was seen: one view's table, or the fused table of several.

A direction is the nearest of the item's options (their group is orthogonal or diagonal), all eight without options.
Not found and ambiguous are outcomes; nothing guesses. The probability beside an answer comes from the table's
covariances and flips: to first order, or as a share of worlds drawn from them.

Longer than 400 lines because names, directions and probabilities are worked out in one evaluator, whose parts share its table.
"""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from po3d.io.errors import InputError
from po3d.language.program import Call, ProgramError
from po3d.language.programs.scope import SCOPE
from po3d.reasoning.outcome import ExecutionFailure, Outcome, failed
from po3d.reasoning.votes import vote
from po3d.scene.orbit import (
    LABELS,
    Axes,
    azimuth_deviation,
    azimuth_in,
    label_beliefs,
    nearest_label,
    off,
    own_axes,
    turned_axes,
)
from po3d.scene.rooms import SYNONYMS, is_a
from po3d.scene.table import ObjectState, Scene
from po3d.scene.worlds import worlds

AHEAD = math.radians(45)  # "behind" a person: within a quarter of the circle about that direction
RIVAL = 0.8  # a second thing whose odds of being meant are so near to the first's makes the name ambiguous
SYNONYM, LOOSE = 0.75, 0.5  # how much another word for a thing means it, and a compound's last word
KIN = 0.1  # how much a woman is meant by "girl": one sees that there is a person before one sees who
HEARD = 0.02  # a category that something fits so well is what a phrase's last words mean
INSIDE = 0.8  # of their narrower sides: things whose middles are nearer would stand in each other
LEAST = 1e-3  # a thing that fits a name less is not meant
OWN = Call("frame", ("object",))  # of what directions are said from
PEOPLE = ("man", "woman", "boy", "girl")
_PERSON = {
    "human",
    "person",
    "someone",
    "people",
    "figure",
    "pedestrian",
    "adult",
    "child",
    "kid",
    "human being",
}
_COLORS = {
    "red",
    "blue",
    "green",
    "yellow",
    "white",
    "black",
    "orange",
    "purple",
    "brown",
    "gray",
    "pink",
    "beige",
}
_SAME = {
    "bike": "bicycle", "motorcycle": "motorbike", "football": "soccer ball", "puppy": "dog", "kitten": "cat", "hen": "chicken",
    "bunny": "rabbit", "pony": "horse", "gentleman": "man", "guy": "man", "lady": "woman", "stone": "rock", "boulder": "rock",
    "hydrant": "fire hydrant", "cone": "traffic cone", "cellphone": "telephone", "smartphone": "telephone", "pram": "stroller",
    "mower": "lawn mower", "kennel": "dog house", "letter box": "mailbox", "guitar": "electric guitar", "teddy": "teddy bear",
    "present": "gift", "cake": "birthday cake", "fan": "table fan", "purse": "handbag", "grey": "gray",
}  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """What a question is answered from: a table, and the axes of each of its images in that table's world."""

    table: Scene
    views: tuple[Axes, ...]


def run(program: Call, seen: Seen, options: Sequence[str] = (), samples: int = 0, seed: int = 0) -> Outcome:
    """Answer a program: a direction, a view or a name. `options` are the texts to choose from; a view's answer is one of them
    by its number. `samples`: so many worlds of the table vote, whose poses and flips are drawn, and the probability is the
    answer's share of those that have one. What fails on the table itself fails; names are weighed, not drawn."""
    outcome = _run(program, seen, options)
    if not samples or outcome.answer is None:
        return outcome
    drawn = worlds(seen.table, ("pose", "flip"), count=samples, seed=seed)
    answers = (_run(program, Seen(world, seen.views), options).answer for world in drawn.scenes())
    found = vote(answers, ties=[outcome.answer])
    if found is None:
        return failed(ExecutionFailure("unknown", "no world has an answer"), trace=outcome.trace)
    return replace(outcome, answer=found.answer, probability=found.distribution[found.answer])


def _run(program: Call, seen: Seen, options: Sequence[str]) -> Outcome:
    if program.op not in ("direction", "view") and (program.op, program.args[:1]) != ("query", ("name",)):
        raise ProgramError(f"{program} asks nothing")
    evaluator = Evaluator(seen, options)
    try:
        answer, probability = evaluator.answer(program)
    except ExecutionFailure as failure:
        return failed(failure, trace=tuple(evaluator.steps))
    return Outcome("ok", answer, probability, trace=tuple(evaluator.steps))


class Evaluator:
    """Evaluates calls on what was seen; `steps` grows with what each gave."""

    def __init__(self, seen: Seen, options: Sequence[str]) -> None:
        self.seen, self.table, self.options = seen, seen.table, tuple(options)
        self.steps: list[str] = []
        self.ground = self.table.positions[:, :2]
        self.meant: dict[str, int] = {}  # what a name means once that is settled

    def answer(self, program: Call) -> tuple[str, float]:
        ask = {"direction": self.label, "view": self.view, "query": self.word}[program.op]
        found = ask(program)
        self.steps.append(f"{SCOPE.text(program)} = {found[0]}")
        return found

    # --- directions -----------------------------------------------------------------------------------------

    def camera_axes(self) -> Axes:
        return self.seen.views[0] if self.seen.views else self.table.axes

    def gone(self, frame: Call) -> tuple[Call, float]:
        """The frame of an observer who has not moved, and how far (degrees) the one that is meant has gone along the orbit.
        About what is no matter: a direction is the same about any point."""
        degrees = 0.0
        while len(frame.args) == 4:
            angle, first, second, frame = frame.args
            self.object(first)
            self.object(second)
            degrees += angle
        return frame, degrees

    def label(self, program: Call) -> tuple[str, float]:
        """The direction of one thing from another."""
        reference, target, frame, _sectors = program.args
        frame, degrees = self.gone(frame)
        a, b = self.pair(target, reference)
        owner = self.owner(frame, b)
        if owner is None:
            azimuth, sigma = self.azimuth(turned_axes(self.camera_axes(), degrees), a, b)
            return self.nearest(azimuth, sigma, 0.0)
        return self.nearest(*self.own_azimuth(owner, a, b))

    def owner(self, frame: Call, reference: int) -> int | None:
        """The thing whose frame it is; None for the camera's."""
        whose = frame.args[0]
        if len(frame.args) > 1 or whose in ("task", "room"):
            raise ExecutionFailure("unknown", f"unknown: {frame} is nobody's who looks on")
        if isinstance(whose, Call):
            return self.object(whose)
        return reference if whose == "object" else None

    def azimuth(self, axes: Axes, a: int, b: int) -> tuple[float, float]:
        """(azimuth, its deviation) of `a` from `b`, radians."""
        vector = self.ground[a] - self.ground[b]
        if a == b or float(np.hypot(*vector)) < 1e-9:
            raise ExecutionFailure(
                "unknown", f"no direction: {self.said(a)} and {self.said(b)} are at the same place"
            )
        covariance = sum(np.array(self.table.objects[i].covariance, float)[:2, :2] for i in (a, b))
        return azimuth_in(axes, vector), azimuth_deviation(vector, covariance)

    def own_azimuth(self, owner: int, a: int, b: int) -> tuple[float, float, float]:
        """(azimuth, deviation, probability of a flipped front) in the frame of a thing."""
        state = self.table.objects[owner]
        azimuth, sigma = self.azimuth(own_axes(state.heading), a, b)
        flip = state.flip
        if flip > 0.5:
            azimuth, flip = azimuth + math.pi, 1 - flip
        return azimuth, math.hypot(sigma, math.sqrt(max(state.covariance[2][2], 0.0))), flip

    def nearest(self, azimuth: float, sigma: float, flip: float) -> tuple[str, float]:
        among = self.options or LABELS
        if unknown := [option for option in among if option not in LABELS]:
            raise ExecutionFailure("unknown", f"the option {unknown[0]!r} is no direction")
        label = nearest_label(azimuth, among)
        spaced = among if len(among) in (4, 8) else LABELS
        return label, label_beliefs(azimuth, sigma, flip, spaced)[label]

    # --- several views --------------------------------------------------------------------------------------

    def view(self, program: Call) -> tuple[str, float]:
        direction, reference, target = program.args
        direction = as_label(direction)
        a, b = self.pair(target, reference)
        if self.options and len(self.options) != len(self.seen.views):
            raise ExecutionFailure(
                "unknown", f"{len(self.seen.views)} images but {len(self.options)} options"
            )
        away, belief = [], []
        for axes in self.seen.views:
            azimuth, sigma = self.azimuth(axes, a, b)
            away.append(off(azimuth, direction))
            belief.append(label_beliefs(azimuth, sigma)[direction])
        best = int(np.argmin(away))
        if away[best] > math.pi / 4:
            raise ExecutionFailure(
                "not found", f"{self.said(a)} is {direction} of {self.said(b)} in no image"
            )
        options = self.options or tuple(str(k + 1) for k in range(len(away)))
        return options[best], belief[best] / sum(belief) if sum(belief) > 0 else 0.0

    def word(self, program: Call) -> tuple[str, float]:
        inner = program.args[1]
        if not is_nearest(inner):
            index = self.object(inner)
            return self.said(index), self.table.objects[index].existence
        start = self.object(inner.args[2])
        candidates = self.candidates(start)
        away = {
            name: float(np.hypot(*(self.ground[i] - self.ground[start]))) for name, i in candidates.items()
        }
        ranked = sorted(away, key=away.__getitem__)
        if len(ranked) == 1:
            return ranked[0], 1.0
        first, second = ranked[:2]
        i, j = candidates[first], candidates[second]
        return first, self.nearer(start, i, j)

    def candidates(self, start: int) -> dict[str, int]:
        """What may be the answer: the options that were seen; without options everything else."""
        if not self.options:
            found = {self.said(i): i for i in range(len(self.table)) if i != start}
            if not found:
                raise ExecutionFailure("not found", f"not found: there is nothing beside {self.said(start)}")
            return found
        found = {}
        for option in self.options:
            try:
                found[option] = self.find(option)
            except ExecutionFailure:
                self.steps.append(f"{option}: not among what was seen")
        found = self.apart(list(found), start)
        if not found:
            raise ExecutionFailure("not found", "not found: none of the choices was seen")
        return found

    def apart(self, nouns: Sequence[str], start: int) -> dict[str, int]:
        """What different names mean: different things, and none of them `start`."""
        scores = np.array([fits(self.table, noun) for noun in nouns]).reshape(len(nouns), len(self.table))
        scores[:, start] = 0.0
        rows, columns = linear_sum_assignment(-np.log(np.maximum(scores, LEAST / 10)))
        return {nouns[k]: int(i) for k, i in zip(rows, columns) if scores[k, i] > LEAST}

    def nearer(self, start: int, i: int, j: int) -> float:
        """The probability that `i` is nearer to `start` than `j` is, to first order."""
        to = [self.ground[k] - self.ground[start] for k in (i, j)]
        lengths = [max(float(np.hypot(*v)), 1e-9) for v in to]
        units = [v / length for v, length in zip(to, lengths)]
        sigmas = [np.array(self.table.objects[k].covariance, float)[:2, :2] for k in (start, i, j)]
        both = units[0] - units[1]
        variance = units[0] @ sigmas[1] @ units[0] + units[1] @ sigmas[2] @ units[1] + both @ sigmas[0] @ both
        z = (lengths[1] - lengths[0]) / math.sqrt(max(float(variance), 1e-18))
        return 0.5 * (1 + math.erf(z / math.sqrt(2)))

    # --- things ---------------------------------------------------------------------------------------------

    def object(self, program: Call) -> int:
        if program.op == "refer":
            found = self.find(program.args[0])
        elif is_toward(program):
            direction, _most, start, *_ = program.args
            found = self.toward(as_label(direction), self.object(start))
        else:
            raise ExecutionFailure("unknown", f"{program} stands where a thing should be named")
        self.steps.append(f"{SCOPE.text(program)} = {self.said(found)}")
        return found

    def pair(self, target: Call, reference: Call) -> tuple[int, int]:
        """Two things that a question tells apart: where both names fit one thing best, one of them means its next best."""
        a, b = self.object(target), self.object(reference)
        if a != b or target == reference or not target.op == reference.op == "refer":
            return a, b
        nouns = target.args[0], reference.args[0]
        first, second = (fits(self.table, noun) for noun in nouns)
        both = np.outer(first, second)
        np.fill_diagonal(both, 0.0)
        if both.max() > LEAST**2:
            a, b = (int(k) for k in np.unravel_index(np.argmax(both), both.shape))
            self.meant |= dict(zip(nouns, (a, b)))
        return a, b

    def toward(self, direction: str, start: int) -> int:
        """The thing that lies most squarely in a direction from `start`, as `start` itself has it."""
        away = {}
        for i in self.table.present:
            if i != start and float(np.hypot(*(self.ground[i] - self.ground[start]))) > 1e-9:
                away[i] = off(self.own_azimuth(start, i, start)[0], direction)
        best = min(away, key=away.__getitem__, default=None)
        if best is None or away[best] > AHEAD:
            raise ExecutionFailure(
                "not found", f"not found: there is nothing {direction} of {self.said(start)}"
            )
        return best

    def find(self, noun: str) -> int:
        """The thing that a name fits best. The name is ambiguous when two fit alike and each is more probably called so
        than not; a table that wavers over one thing's name is only unsure."""
        if noun in self.meant:
            return self.meant[noun]
        scores = fits(self.table, noun)
        best = int(np.argmax(scores)) if len(scores) else -1
        if best < 0 or scores[best] <= LEAST:
            raise ExecutionFailure("not found", f"not found: there is no {noun}")
        odds = scores.clip(max=1 - 1e-6) / (1 - scores.clip(max=1 - 1e-6))
        alike = np.flatnonzero(odds >= RIVAL * odds[best]).tolist()
        rivals = [i for i in alike if i != best and surely_called(self.table.objects[i], noun)]
        rivals = [i for i in rivals if not self.at_one_place(best, i)]
        if rivals and surely_called(self.table.objects[best], noun):
            raise ExecutionFailure("ambiguous", f"ambiguous: {noun} could be any of {1 + len(rivals)}")
        return best

    def at_one_place(self, i: int, j: int) -> bool:
        """Whether two rows are where no two things have room: one thing seen as two."""
        sides = self.table.extents[[i, j], :2].min(axis=1)
        return float(np.hypot(*(self.ground[i] - self.ground[j]))) < INSIDE * float(sides.mean())

    def said(self, index: int) -> str:
        state = self.table.objects[index]
        return state.name or state.value("name")


# --- words --------------------------------------------------------------------------------------------------


def fits(table: Scene, noun: str) -> np.ndarray:
    """(n,) how probably each thing is meant by a noun phrase: its last words name the category, words before them
    are its colour or said of no attribute in the table."""
    words = re.findall(r"[a-z0-9']+", noun.lower())
    for least, start in itertools.product((HEARD, LEAST), range(len(words) if len(table) else 0)):
        head, before = " ".join(words[start:]), words[:start]
        chances = np.array([_called(o.beliefs.get("name", {}), head) * o.existence for o in table.objects])
        if chances.max() > least:
            for color in (w if w != "grey" else "gray" for w in before):
                if color in _COLORS:
                    chances = chances * [_colored(o.beliefs.get("color"), color) for o in table.objects]
            return chances
    return np.zeros(len(table))


def surely_called(o: ObjectState, noun: str) -> bool:
    """Whether a thing is there and of a category that the phrase's last words mean, more probably than not."""
    words = re.findall(r"[a-z0-9']+", noun.lower())
    heads = [" ".join(words[start:]) for start in range(len(words))]
    belief = o.beliefs.get("name", {})
    p = max((sum(p for value, p in belief.items() if _means(value, head) > 0) for head in heads), default=0.0)
    return p * o.existence >= 0.5


def _colored(belief: Mapping[str, float] | None, color: str) -> float:
    """The probability of a colour; a thing of which the table knows no colour stays possible."""
    return 0.1 if belief is None else belief.get(color, 0.0)


def _called(belief: Mapping[str, float], noun: str) -> float:
    return sum(p * _means(value, noun) for value, p in belief.items())


def _means(value: str, noun: str) -> float:
    """How well a noun means a category: "chair" means a chair, and an office chair where there is no plain one; "crate" a
    crate, and any box where there is none."""
    if value == noun or (value in PEOPLE and noun in _PERSON):
        return 1.0
    if _canonical(value) == _canonical(noun):
        return SYNONYM
    if value in PEOPLE and noun in PEOPLE:
        return KIN
    return LOOSE if is_a(value, noun) else 0.0


def is_nearest(program: Call) -> bool:
    """Whether it asks for the nearest of the choices."""
    return program.op == "best" and program.args[:2] == ("distance", "least") and len(program.args) == 4


def is_toward(program: Call) -> bool:
    """Whether it asks for what lies most squarely in a direction from a thing, as that has it."""
    return program.op == "best" and program.args[1] == "most" and program.args[3:4] == (OWN,)


def as_label(direction: str) -> str:
    """A direction as the options spell it."""
    return direction.replace("_", "-")


def _canonical(noun: str) -> str:
    noun = _SAME.get(noun, noun)
    return SYNONYMS.get(noun, noun)


def single(table: Scene) -> Seen:
    """What a question on one image is answered from; InputError for a table that knows no viewer."""
    if set(table.axes) != {"left", "right", "front", "behind"}:
        raise InputError(f"{table.image or 'the table'} has no viewer's axes")
    return Seen(table, (table.axes,))
