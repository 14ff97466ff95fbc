"""Random edits of a room as programs: the benchmark's five types, each feasible in its room."""

from collections.abc import Callable

import numpy as np

from po3d.language.programs.rooms import ROOMS, RoomCall, call
from po3d.reasoning.apply_edit import Planned, plan
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, category_of, hangs, stands_on_top
from po3d.scene.table import Scene
from po3d.synthesis.top_view.describe import CORNERS, SIDES, PhraseGenerator

FIXED = (
    "door", "window", "radiator", "fireplace", "sink", "toilet", "bathtub", "counter", "stove",
    "oven", "closet",
)  # fmt: skip
MOVED = 0.4  # smallest displacement of a move, metres
TALL = ("table", "desk", "window", "coffee table", "picture", "whiteboard")  # leave room below
SHIFTS = ("0.5", "1", "1", "1.5", "2", "0.6", "0.9")  # metres
TRIES = 30  # sampled edits before none is returned


def sample_change(
    scene: Scene, kind: str, random: np.random.Generator
) -> tuple[RoomCall, Planned] | None:
    """Sample an edit of one of the TYPES of a scene in its frame, as its program and its result;
    None if none was found."""
    teller = PhraseGenerator(SceneGeometry(unchanged(scene), scene), random)
    for _ in range(TRIES):
        program = SAMPLERS[kind](teller, random)
        if program is None:
            continue
        try:
            planned = plan(scene, ROOMS.to_core(program))
        except ExecutionFailure:
            continue
        if any("no free place" in note for note in planned.notes):
            continue
        moves = kind == "movement" and program.op not in ("turn", "face")
        if not moves or _farthest(scene, planned) > MOVED:
            return program, planned
    return None


def _farthest(scene: Scene, planned: Planned) -> float:
    """Return the longest displacement of a touched object, in metres."""
    edited, farthest = planned.edited, 0.0
    for k, old in enumerate(edited.origin):
        if old is not None and k in edited.touched:
            way = edited.scene.positions[k] - scene.positions[old]
            farthest = max(farthest, float(np.linalg.norm(way)))
    return farthest


def _movable(teller: PhraseGenerator) -> list[int]:
    return [i for i in range(teller.world.now) if teller.world.names[i] not in FIXED]


def _pick(items: list[int], random: np.random.Generator) -> int | None:
    return items[int(random.integers(len(items)))] if items else None


def _targets(
    teller: PhraseGenerator, random: np.random.Generator, candidates: list[int], share: float = 0.2
) -> RoomCall | None:
    """Return a set of objects to edit: usually one described object, sometimes all of a name, two
    objects, or all but one."""
    world = teller.world
    chosen = _pick(candidates, random)
    if chosen is None:
        return None
    name = world.names[chosen]
    if random.random() < share:
        alike = [i for i in candidates if world.names[i] == name]
        kind = call("all", name)
        if len(alike) > 1 and sorted(teller.sure_set(kind) or []) == sorted(alike):
            keep = teller.describe(chosen, relations=True)
            if len(alike) > 2 and keep is not None and random.random() < 0.4:
                return call("other", keep, kind)
            return kind
        two = _pick([i for i in candidates if i != chosen and world.names[i] != name], random)
        if two is not None:
            a, b = teller.landmark(chosen), teller.landmark(two)
            if a is not None and b is not None:
                return call("pair", a, b)
    described = teller.describe(chosen)
    return None if described is None else call("just", described)


def _movement(teller: PhraseGenerator, random: np.random.Generator) -> RoomCall | None:
    movable = _movable(teller)
    roll = random.random()
    if roll < 0.06:
        marks = []
        for i in random.permutation(movable)[:4].tolist():
            if (mark := teller.describe(i, relations=False)) is not None:
                marks.append(mark)
        return call("swap", *marks[:2]) if len(marks) > 1 else None
    what = _targets(teller, random, movable, share=0.12)
    if what is None:
        return None
    if roll < 0.12:
        return call("turn", what, str(random.choice(["90", "90", "180", "180", "270", "45"])))
    moved = set(teller.sure_set(what) or [])
    others = [i for i in range(teller.world.now) if i not in moved]
    if roll < 0.17:
        mark = _landmark(teller, random, others)
        return call("face", what, mark) if mark is not None else None
    name = teller.world.names[min(moved)] if moved else ""
    place = _place(teller, random, others, name, moving=True)
    return None if place is None else call("move", what, place)


def _landmark(
    teller: PhraseGenerator, random: np.random.Generator, candidates: list[int]
) -> RoomCall | None:
    for i in random.permutation(candidates).tolist():
        if random.random() < 0.85:
            if (mark := teller.landmark(i)) is not None:
                return mark
        elif (mark := teller.describe(i)) is not None:
            return mark
    return None


def _place(
    teller: PhraseGenerator, random: np.random.Generator, others: list[int], name: str, moving: bool
) -> RoomCall | None:
    small, hung = stands_on_top(name), hangs(name)
    options: list[tuple[float, Callable[[], RoomCall | None]]] = []

    def near(op: str, pool: list[int], *words: str) -> RoomCall | None:
        mark = _landmark(teller, random, pool)
        return None if mark is None else call(op, *words, mark)

    def amid() -> RoomCall | None:
        a = _landmark(teller, random, others)
        b = _landmark(teller, random, others)
        return call("amid", a, b) if a is not None and b is not None and a != b else None

    carriers, tall = [], []
    for i in others:
        object_name = teller.world.names[i]
        if object_name in CATEGORIES and CATEGORIES[object_name].carries:
            carriers.append(i)
        if object_name in TALL:
            tall.append(i)
    side = str(random.choice(SIDES))
    options.append((3.0, lambda: near("next_to", others)))
    options.append((2.0, lambda: near("at", others, side)))
    if carriers and (small or random.random() < 0.1):
        options.append((6.0 if small else 0.5, lambda: near("on", carriers)))
    if not hung:
        options.append((1.5, lambda: call("corner", str(random.choice(CORNERS)))))
        options.append((1.0, lambda: call("wall", side)))
        options.append((0.7, lambda: call("centre")))
        options.append((0.8, amid))
        if tall:
            options.append((0.7, lambda: near("under", tall)))
    if moving:
        options.append((0.9, lambda: call("shift", side, str(random.choice(SHIFTS)))))
    weights = np.array([w for w, _ in options])
    return options[int(random.choice(len(options), p=weights / weights.sum()))][1]()


def _removal(teller: PhraseGenerator, random: np.random.Generator) -> RoomCall | None:
    what = _targets(teller, random, _movable(teller), share=0.35)
    return None if what is None else call("remove", what)


def _attribute(teller: PhraseGenerator, random: np.random.Generator) -> RoomCall | None:
    world = teller.world
    what = _targets(teller, random, list(range(world.now)), share=0.25)
    if what is None:
        return None
    targets = teller.sure_set(what)
    if not targets:
        return None
    states: set[str] | None = None  # those that all targets can have
    for i in targets:
        category = category_of(world.names[i])
        own = set(category.states) if category else set()
        states = own if states is None else states & own
    roll = random.random()
    attribute, values = ("color", COLORS) if roll < 0.85 else ("material", MATERIALS)
    if states and roll < 0.45:
        attribute, values = "state", sorted(states)
    for value in random.permutation(values).tolist():
        if all(world.value(i, attribute) not in (None, value) for i in targets):
            return call("set", attribute, value, what)
    return None


def _thing(random: np.random.Generator, stands: tuple[str, ...] | None = None) -> RoomCall:
    pool, weights = [], []
    for noun, category in CATEGORIES.items():
        if category.weight and (stands is None or category.stands in stands):
            pool.append(noun)
            weights.append(category.weight)
    weights = np.array(weights)
    name = pool[int(random.choice(len(pool), p=weights / weights.sum()))]
    category, traits = CATEGORIES[name], call("plain")
    if random.random() < 0.55:
        traits = call("trait", "color", str(random.choice(COLORS)), traits)
    if random.random() < 0.2:
        traits = call("trait", "material", str(random.choice(category.materials)), traits)
    return call("thing", name, traits)


def _addition(teller: PhraseGenerator, random: np.random.Generator) -> RoomCall | None:
    thing = _thing(random)
    place = _place(teller, random, list(range(teller.world.now)), thing.args[0], moving=False)
    number = "1" if random.random() < 0.85 else str(random.choice(["2", "3"]))
    return None if place is None else call("add", number, thing, place)


def _replacement(teller: PhraseGenerator, random: np.random.Generator) -> RoomCall | None:
    world = teller.world
    what = _targets(teller, random, _movable(teller), share=0.12)
    targets = None if what is None else teller.sure_set(what)
    if not targets or len({world.names[i] for i in targets}) > 1:
        return None
    old = CATEGORIES.get(world.names[targets[0]])
    thing = _thing(random, (old.stands,) if old else None)
    if thing.args[0] == world.names[targets[0]] and thing.args[1].op == "plain":
        return None
    return call("replace", what, thing)


SAMPLERS: dict[str, Callable[[PhraseGenerator, np.random.Generator], RoomCall | None]] = {
    "movement": _movement,
    "removal": _removal,
    "attribute": _attribute,
    "addition": _addition,
    "replacement": _replacement,
}
TYPES = tuple(SAMPLERS)
