"""Tables of things for sentences that the reader learns from: made up where a sentence has none, with more or fewer things where it has one.

A thing is its name and the words for how it looks, as `reader_tokens.Asked` has it. What a program tells of a thing is in its table, so that
the reader learns which of the things is meant: "the purple one" is the motorbike that is purple.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from po3d.language.program import Call
from po3d.language.read.reader_tokens import STREET_NAMES, Asked, Kind
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES
from po3d.scene.vocabulary import COLORS as PAINTS
from po3d.scene.vocabulary import MATERIALS as TOY_MATERIALS
from po3d.scene.vocabulary import SHAPES, SIZES, SUPER_CATEGORIES
from po3d.systems.learned import LOOKS

SHOWN = 0.9  # that a table has what a program speaks of
ALIKE = 0.3  # that there is another thing of a name, with other looks, where a program tells the looks
PASSED = (
    "relate",
    "best",
    "same",
    "exclude",
    "some",
)  # operations whose last argument is what they choose among
# Words for looks in a made-up table, and how often a thing has one.
_ROOM = {"color": (COLORS, 0.85), "material": (MATERIALS, 0.5), "state": (STATES, 0.35)}
_STREET = {"color": (PAINTS, 1.0), "material": (TOY_MATERIALS, 1.0), "size": (SIZES, 0.9)}
# Metres, of the large vehicle of a name in the bank's streets; a small one has 0.7 of it.
LENGTHS = {
    "sedan": 1.6, "minivan": 1.6, "hatchback": 1.4, "SUV": 1.6, "wagon": 1.7, "truck": 2.0, "school bus": 2.0, "regular bus": 2.1,
    "articulated bus": 2.8, "double bus": 2.0, "cruiser": 1.3, "chopper": 1.3, "dirtbike": 1.2, "scooter": 1.0, "road bike": 1.1,
    "mountain bike": 1.1, "utility bike": 1.1, "tandem bike": 1.5, "airliner": 2.2, "biplane": 1.5, "jet": 1.9, "fighter": 1.9,
}  # fmt: skip
Thing = tuple[str, ...]
Random = np.random.Generator


def told(program: Call) -> list[dict[str, str]]:
    """What a program says of things: the values of the filters of each chain, by attribute."""
    found: list[dict[str, str]] = []

    def walk(call: Call, values: dict[str, str]) -> None:
        if call.op == "filter":
            walk(call.args[2], {**values, call.args[0]: call.args[1]})
            return
        passed = len(call.args) - 1 if call.op in PASSED else None
        if passed is None and values:
            found.append(values)
        for k, arg in enumerate(call.args):
            if isinstance(arg, Call):
                walk(arg, values if k == passed else {})

    walk(program, {})
    return found


def made_up(kind: Kind, program: Call | None, random: Random, shown: float = SHOWN) -> tuple[Thing, ...]:
    """Things of a table that a program, if any, can be about, among others. `shown`: how often what it speaks of is there."""
    pool, looks = (street_names(), _STREET) if kind == "street" else (room_names(), _ROOM)
    things: list[Thing] = []
    for values in [] if program is None else told(program):
        if random.random() >= shown:
            continue
        name = values.get("name", values.get("shape", "object"))
        name = one(random, pool) if name == "object" else one(random, members().get(name, (name,)))
        if kind == "street" and name not in pool:
            continue
        things.append(_thing(name, values, looks, random))
        if random.random() < ALIKE and any(a in values for a in looks):
            things.append(_thing(name, {}, looks, random))
    for _ in range(int(random.integers(0, 7 if kind == "street" else 16))):
        name = one(random, pool)
        if all(name != there for there, *_ in things):
            things.append(_thing(name, {}, looks, random))
    return shuffled(things, random)


def _thing(name: str, values: dict[str, str], looks: dict, random: Random) -> Thing:
    """A thing with the looks that are told, and some that are not."""
    found = []
    for attribute in LOOKS:
        words, share = looks.get(attribute, ((), 0.0))
        if attribute in values:
            found.append(values[attribute])
        elif random.random() < share:
            found.append(one(random, words))
    return (name, *found)


def size_of(name: str, length: float) -> str | None:
    """The size of a vehicle of the bank; None for another thing."""
    large = LENGTHS.get(name)
    return None if large is None else "small" if length < 0.85 * large else "large"


def mixed(asked: Asked, said: str, meant: Sequence[str], closed: bool, random: Random) -> Asked:
    """The question with some things of its table left out that nobody means or speaks of, and, but where it is `closed`, others added. `said`:
    its sentences; `meant`: texts of its programs."""

    def spoken(thing: Thing) -> bool:
        name, *looks = thing
        return name in meant or any(w in said for w in name.lower().split()) or any(w in meant for w in looks)

    share = random.uniform(0.3, 1.0)
    kept = [thing for thing in asked.things if spoken(thing) or random.random() < share]
    names = () if closed else [one(random, room_names()) for _ in range(int(random.integers(0, 6)))]
    fresh = [_thing(name, {}, _ROOM, random) for name in names if name not in asked.names]
    return with_things(asked, [*kept, *(thing for thing in fresh if not spoken(thing))])


def with_things(asked: Asked, things: Iterable[Sequence[str | None]]) -> Asked:
    """The question of a table of these things, name and looks each."""
    return replace(asked, things=tuple(tuple(w for w in thing if w) for thing in things))


def shuffled(listed: Sequence, random: Random) -> tuple:
    return tuple(listed[int(k)] for k in random.permutation(len(listed)))


def one(random: Random, listed: Sequence):
    return listed[int(random.integers(len(listed)))]


@lru_cache(1)
def room_names() -> tuple[str, ...]:
    """Names of things, of our rooms and of the bank's training tables."""
    from po3d.training.reader_pairs import tables

    found = dict.fromkeys(CATEGORIES)
    for scene in tables("train").values():
        if scene["kind"] != "street":
            found |= dict.fromkeys(t["name"] for t in scene["objects"])
    return tuple(found)


@lru_cache(1)
def street_names() -> tuple[str, ...]:
    return tuple(STREET_NAMES.get(s, s) for s in SHAPES)


@lru_cache(1)
def members() -> dict[str, tuple[str, ...]]:
    """The names of the vehicles of a kind."""
    return {
        kind: tuple(STREET_NAMES.get(s, s) for s in several) for kind, several in SUPER_CATEGORIES.items()
    }
