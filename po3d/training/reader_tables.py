"""Scenes for the training sentences of the general parser: synthetic for sentences without a scene,
otherwise given scenes with objects added or removed.

An object is its name and appearance words, as in `ParserInput`. The scene contains the attributes
that a program mentions, so that the parser can resolve references: "the purple one" is the
motorbike that is purple.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from po3d.language.program import Call
from po3d.language.read.reader_tokens import STREET_NAMES, Kind, ParserInput
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES
from po3d.scene.vocabulary import COLORS as PAINTS
from po3d.scene.vocabulary import MATERIALS as TOY_MATERIALS
from po3d.scene.vocabulary import SHAPES, SIZES, SUPER_CATEGORIES
from po3d.systems.general_parser import LOOKS
from po3d.training.bank import tables

LISTED_SHARE = 0.9  # probability that the scene contains an object which the program mentions
# probability of a distractor with this name and other attributes, if the program gives attributes
ALIKE = 0.3
PASSED = (
    "relate",
    "best",
    "same",
    "exclude",
    "some",
)  # operations that return a subset of their last argument
# Appearance words of made-up objects, and the probability that an object has one.
_ROOM = {"color": (COLORS, 0.85), "material": (MATERIALS, 0.5), "state": (STATES, 0.35)}
_STREET = {"color": (PAINTS, 1.0), "material": (TOY_MATERIALS, 1.0), "size": (SIZES, 0.9)}
# Length in metres of a large vehicle by its name in the bank's streets; a small one has 0.7 of it.
LENGTHS = {
    "sedan": 1.6, "minivan": 1.6, "hatchback": 1.4, "SUV": 1.6, "wagon": 1.7, "truck": 2.0,
    "school bus": 2.0, "regular bus": 2.1, "articulated bus": 2.8, "double bus": 2.0,
    "cruiser": 1.3, "chopper": 1.3, "dirtbike": 1.2, "scooter": 1.0, "road bike": 1.1,
    "mountain bike": 1.1, "utility bike": 1.1, "tandem bike": 1.5, "airliner": 2.2,
    "biplane": 1.5, "jet": 1.9, "fighter": 1.9,
}  # fmt: skip
Thing = tuple[str, ...]
Random = np.random.Generator


def mentioned_things(program: Call) -> list[dict[str, str]]:
    """Return the descriptions in a program: the values of the filters of each chain, by
    attribute.
    """
    mentions: list[dict[str, str]] = []

    def walk(call: Call, values: dict[str, str]) -> None:
        if call.op == "filter":
            walk(call.args[2], {**values, call.args[0]: call.args[1]})
            return
        passed = len(call.args) - 1 if call.op in PASSED else None
        if passed is None and values:
            mentions.append(values)
        for k, arg in enumerate(call.args):
            if isinstance(arg, Call):
                walk(arg, values if k == passed else {})

    walk(program, {})
    return mentions


def synthetic_things(
    kind: Kind, program: Call | None, random: Random, share: float = LISTED_SHARE
) -> tuple[Thing, ...]:
    """Return the objects of a made-up scene: those that the program (if any) mentions, each with
    probability `share`, and distractors.
    """
    pool, looks = (street_names(), _STREET) if kind == "street" else (room_names(), _ROOM)
    things: list[Thing] = []
    for values in [] if program is None else mentioned_things(program):
        if random.random() >= share:
            continue
        name = values.get("name", values.get("shape", "object"))
        name = (
            pick(random, pool) if name == "object" else pick(random, members().get(name, (name,)))
        )
        if kind == "street" and name not in pool:
            continue
        things.append(_thing(name, values, looks, random))
        if random.random() < ALIKE and not values.keys().isdisjoint(looks):
            things.append(_thing(name, {}, looks, random))
    for _ in range(int(random.integers(0, 7 if kind == "street" else 16))):
        name = pick(random, pool)
        if all(name != there for there, *_ in things):
            things.append(_thing(name, {}, looks, random))
    return shuffled(things, random)


def _thing(name: str, values: dict[str, str], looks: dict, random: Random) -> Thing:
    """Return an object with the given attributes, and random values for some others."""
    looks_listed = []
    for attribute in LOOKS:
        words, share = looks.get(attribute, ((), 0.0))
        if attribute in values:
            looks_listed.append(values[attribute])
        elif random.random() < share:
            looks_listed.append(pick(random, words))
    return (name, *looks_listed)


def size_of(name: str, length: float) -> str | None:
    """Return the size class of one of the bank's vehicles from its length; None for other
    objects.
    """
    large = LENGTHS.get(name)
    if large is None:
        return None
    return "small" if length < 0.85 * large else "large"


def mixed(
    inputs: ParserInput, text: str, quoted: Sequence[str], closed: bool, random: Random
) -> ParserInput:
    """Return the input with other distractors: drop a random part of the objects that neither the
    sentences (`text`) nor the programs (their names and values, `quoted`) mention, and, unless
    `closed`, add up to five objects that they do not mention either.
    """

    def spoken(thing: Thing) -> bool:
        name, *looks = thing
        return (
            name in quoted
            or any(w in text for w in name.lower().split())
            or not set(quoted).isdisjoint(looks)
        )

    share = random.uniform(0.3, 1.0)
    retained = [thing for thing in inputs.things if spoken(thing) or random.random() < share]
    names = (
        () if closed else [pick(random, room_names()) for _ in range(int(random.integers(0, 6)))]
    )
    for name in names:
        if name not in inputs.names and not spoken(thing := _thing(name, {}, _ROOM, random)):
            retained.append(thing)
    return with_things(inputs, retained)


def with_things(inputs: ParserInput, things: Iterable[Sequence[str | None]]) -> ParserInput:
    """Return the input with its objects replaced by `things`: (name, attribute, ...) each, where
    None is left out.
    """
    return replace(inputs, things=tuple(tuple(filter(None, thing)) for thing in things))


def shuffled(listed: Sequence, random: Random) -> tuple:
    return tuple(listed[int(k)] for k in random.permutation(len(listed)))


def pick(random: Random, listed: Sequence):
    return listed[int(random.integers(len(listed)))]


@lru_cache(1)
def room_names() -> tuple[str, ...]:
    """Return object names of generated rooms and of the bank's training scenes."""
    names = dict.fromkeys(CATEGORIES)
    for scene in tables("train").values():
        if scene["kind"] != "street":
            for thing in scene["objects"]:
                names[thing["name"]] = None
    return tuple(names)


@lru_cache(1)
def street_names() -> tuple[str, ...]:
    return _in_bank(SHAPES)


@lru_cache(1)
def members() -> dict[str, tuple[str, ...]]:
    """Return the names of vehicles by category."""
    return {kind: _in_bank(shapes) for kind, shapes in SUPER_CATEGORIES.items()}


def _in_bank(shapes: Iterable[str]) -> tuple[str, ...]:
    return tuple(STREET_NAMES.get(shape, shape) for shape in shapes)
