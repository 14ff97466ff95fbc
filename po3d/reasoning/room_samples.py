"""Rooms that are only believed: worlds drawn from a table's beliefs, and the answer that most of them give.

A sentence that is said of a room presupposes what it names: "the red picture" exists, the anchors of a frame stand at
different sides. Worlds in which a frame, a change or a question fails have no vote, so the answer is that of most of the
others. They count for its probability: such a world speaks neither for the answer nor against it, so it counts half.
Where the sentences fit few worlds, worlds are drawn again in which everything that is named exists: the object that most
likely is that thing takes its name. What fails in every world fails.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.io.seeding import rng
from po3d.language.programs.rooms import SIGNATURES, Call
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.rooms import SYNONYMS, is_a
from po3d.scene.table import ObjectState, Scene

WORLDS = 64
SILENT = 0.5  # how much a world that failed counts for the answer of the others


class Vote(NamedTuple):
    """What the worlds say."""

    answer: str
    probability: float  # its share of all worlds, those without an answer counted as SILENT
    answered: int  # worlds


class Named(NamedTuple):
    """A thing that a sentence takes for granted."""

    noun: str
    looks: tuple[tuple[str, str], ...] = ()  # (attribute, value)


def presupposed(program: Call) -> list[Named]:
    """What a change or a question takes for granted: what is changed, and every thing that is spoken of as one. "How
    many chairs are there?" takes no chair for granted."""
    return list(dict.fromkeys(_presupposed(program, program.output == "edit", ())))


def _presupposed(call: Call, granted: bool, looks: tuple[tuple[str, str], ...]) -> Iterator[Named]:
    if call.op == "all" and granted:
        yield Named(str(call.args[0]), looks)
    here = ()
    if call.op == "having":
        here = (*looks, (str(call.args[0]), str(call.args[1])))
    for arg, kind in zip(call.args, SIGNATURES[call.op].inputs):
        if isinstance(arg, Call):
            yield from _presupposed(arg, granted or kind == "object", here)


def uncertain(scene: Scene) -> bool:
    """Whether the table leaves anything open that `worlds` draws."""
    return any(
        o.existence < 1 or o.flip > 0 or any(len(belief) > 1 for belief in o.beliefs.values())
        for o in scene.objects
    )


def worlds(scene: Scene, count: int, named: Sequence[Named] = (), seed: int = 0) -> list[Scene]:
    """The most probable table, then `count` tables drawn from the beliefs: who exists, every attribute and which way
    things face, independently of each other, but so that each of `named` is there where the beliefs allow it. A pure
    function of the arguments."""
    random = rng(seed, f"room worlds/{scene.image}")
    exists = random.random((count, len(scene))) < [o.existence for o in scene.objects]
    flipped = random.random((count, len(scene))) < [o.flip for o in scene.objects]
    drawn = [_looks(state, count, random) for state in scene.objects]
    for wanted in named:
        _grant(wanted, scene.objects, exists, drawn, random)
    return [
        scene.certain(),
        *(
            replace(
                scene,
                objects=tuple(
                    _state(o, {a: values[k] for a, values in drawn[i].items()}, bool(flipped[k, i]))
                    for i, o in enumerate(scene.objects)
                    if exists[k, i]
                ),
                occluders=None,
            )
            for k in range(count)
        ),
    ]


def vote(answers: Sequence[Callable[[], str | None]]) -> Vote | None:
    """The answer of most of the worlds; each gives None when its sentences do not fit it. Of equally frequent answers
    the one that came first counts. None when no world answers."""
    given = [answer for ask in answers if (answer := ask()) is not None]
    if not given:
        return None
    (answer, votes), *_ = Counter(given).most_common(1)
    silent = len(answers) - len(given)
    return Vote(answer, (votes + SILENT * silent) / len(answers), len(given))


def _looks(state: ObjectState, count: int, random: np.random.Generator) -> dict[str, list[str]]:
    """`count` draws of each attribute."""
    drawn = {}
    for attribute, belief in state.beliefs.items():
        values = list(belief)
        cumulative = np.cumsum(list(belief.values()))
        at = np.searchsorted(cumulative, random.random(count) * cumulative[-1], side="right")
        drawn[attribute] = [values[min(k, len(values) - 1)] for k in at.tolist()]
    return drawn


def possible(scene: Scene, wanted: Named) -> bool:
    """Whether any object may be the wanted thing."""
    return bool(_chances(wanted, scene.objects).any())


def _chances(wanted: Named, objects: Sequence[ObjectState]) -> Array:
    """(n,) how probably each object exists and is the wanted thing."""
    chances = np.zeros(len(objects))
    for i, o in enumerate(objects):
        names = o.beliefs.get("name", {})
        chances[i] = o.existence * sum(p for name, p in names.items() if _means(name, wanted.noun))
        for attribute, value in wanted.looks:
            if attribute in o.beliefs:
                chances[i] *= o.beliefs[attribute].get(value, 0.0)
    return chances


def _grant(
    wanted: Named,
    objects: Sequence[ObjectState],
    exists: NDArray[np.bool_],
    drawn: list[dict[str, list[str]]],
    random: np.random.Generator,
) -> None:
    """Where no drawn object is the wanted thing, one becomes it, each as probably as it is that by its beliefs."""
    chances = _chances(wanted, objects)
    if not chances.any():
        return
    draws = random.choice(len(objects), exists.shape[0], p=chances / chances.sum())
    for k, i in enumerate(draws.tolist()):
        there = any(
            exists[k, j]
            and _means(drawn[j]["name"][k], wanted.noun)
            and all(drawn[j].get(a, {k: v})[k] == v for a, v in wanted.looks)
            for j in range(len(objects))
        )
        if not there:
            exists[k, i] = True
            names = objects[i].beliefs["name"]
            drawn[i]["name"][k] = max((n for n in names if _means(n, wanted.noun)), key=names.__getitem__)
            for attribute, value in wanted.looks:
                if attribute in drawn[i]:
                    drawn[i][attribute][k] = value


def _means(name: str, noun: str) -> bool:
    return is_a(name, noun) or is_a(SYNONYMS.get(name, name), SYNONYMS.get(noun, noun))


def _state(state: ObjectState, looks: dict[str, str], flipped: bool) -> ObjectState:
    heading = float(wrap_angle(state.heading + math.pi)) if flipped else state.heading
    beliefs = {attribute: {value: 1.0} for attribute, value in looks.items()}
    return replace(state, beliefs=beliefs, heading=heading, flip=0.0, existence=1.0)
