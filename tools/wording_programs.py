"""Made-up rooms and random programs about them, for `wording_prompts`.

A room is a training scene in which most objects are replaced by others of similar size, so that
programs run on it. `Programs` samples edits, frames and questions of every operation; its
descriptions are unambiguous.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from po3d.io.paths import ROOT
from po3d.language.program import DIRECTIONS, Call, ProgramError, call
from po3d.scene.rooms import COLORS
from po3d.training.reader_pairs import records, tables
from po3d.training.reader_tables import pick
from tools.wording_run import NoAnswer, Table, Thing

EXCHANGED = 0.6  # share of a scene's names that are replaced
FIXED = ("door", "window", "wall")  # objects that are never moved
WAYS = ("front", "behind", "left", "right")
SCENE = call("scene")
ROOM = call("frame", "room")
Random = np.random.Generator


def weighed(random: Random, weights: str) -> str:
    """Draw a word of "on 3, under 1" with the given weights."""
    words, numbers = zip(*(each.split() for each in weights.split(", ")), strict=True)
    shares = np.array([float(number) for number in numbers])
    return words[int(random.choice(len(words), p=shares / shares.sum()))]


# --- tables ---------------------------------------------------------------------------------------


@lru_cache(1)
def names_by_use() -> dict[str, tuple[str, ...]]:
    """Return the names of things.txt and of the training scenes' objects, by use."""
    names: dict[str, list[str]] = {}
    for line in (ROOT / "data" / "wording" / "things.txt").read_text("utf-8").splitlines():
        use, _, listed = line.partition(": ")
        if not use.startswith("#"):
            names[use] = listed.split(", ")
    for scene in tables("train").values():
        if scene["kind"] == "room":
            for thing in scene["objects"]:
                if thing["name"].split()[-1] not in FIXED:
                    names[use_of(thing)].append(thing["name"])
    return {use: tuple(dict.fromkeys(listed)) for use, listed in names.items()}


def use_of(thing: dict) -> str:
    """Return the class of objects that can replace an object: a line of things.txt."""
    (length, width, height), bottom = thing["size"], thing["at"][2]
    if any(thing["name"].endswith(w) for w in ("chair", "stool", "bench", "sofa", "couch", "pew", "cushion")):
        return "seat"
    if bottom > 0.25 and min(length, width) < 0.12 and max(length, width) > 0.25:
        return "wall"
    if bottom > 0.05 or max(length, width, height) < 0.4:
        return "small"
    return "large" if length * width > 0.6 or height > 1.3 else "floor"


@lru_cache(1)
def states_of() -> dict[str, tuple[str, ...]]:
    """Return, for each name, the states that its objects have or get in the training scenes."""
    values: dict[str, dict[str, None]] = {}
    for scene in tables("train").values():
        for thing in scene["objects"]:
            if thing["state"]:
                values.setdefault(thing["name"], {})[thing["state"]] = None
    for record in records("programs", "train"):
        if record.get("change"):
            for part in Call.parse(record["change"]).calls():
                if part.op == "set" and part.args[0] == "state":
                    for named in part.args[2].calls():
                        if named.op == "filter" and named.args[0] == "name":
                            values.setdefault(named.args[1], {})[part.args[1]] = None
    return {name: tuple(states) for name, states in values.items()}


def synthetic_room(random: Random) -> dict:
    """Return a training room with objects replaced consistently by name; some get another
    colour.
    """
    rooms = [s for s in tables("train").values() if s["kind"] == "room"]
    scene = pick(random, rooms)
    exchanged: dict[str, str] = {}
    taken = {t["name"] for t in scene["objects"]}
    for thing in scene["objects"]:
        name = thing["name"]
        if name in exchanged or name.split()[-1] in FIXED or random.random() > EXCHANGED:
            continue
        fresh = pick(random, names_by_use()[use_of(thing)])
        if fresh not in taken:
            exchanged[name] = fresh
            taken.add(fresh)
    things = []
    for thing in scene["objects"]:
        new = exchanged.get(thing["name"], thing["name"])
        state = thing["state"]
        if new != thing["name"]:
            state = pick(random, states_of()[new]) if state and new in states_of() else None
        color = pick(random, COLORS) if random.random() < 0.35 else thing["color"]
        material = None if new != thing["name"] and random.random() < 0.7 else thing["material"]
        things.append({**thing, "name": new, "state": state, "color": color, "material": material})
    return {**scene, "objects": things}


# --- programs of a table --------------------------------------------------------------------------


class Programs:
    """Samples programs about a room. Each method returns one; it returns None or raises NoAnswer if
    the room has no match.
    """

    def __init__(self, scene: dict, random: Random) -> None:
        self.scene, self.random, self.table = scene, random, Table(scene)
        self.things = self.table.things
        self.movable = [t for t in self.things if t.name.split()[-1] not in FIXED]
        self.plural_names = [
            n
            for n in dict.fromkeys(t.name for t in self.movable)
            if len(self.rows_of(self.filter_name(n))) > 1
        ]

    def pick(self, listed: Sequence):
        return pick(self.random, listed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def filter_name(self, name: str, source: Call = SCENE) -> Call:
        return call("filter", "name", name, source)

    def rows_of(self, objects: Call) -> list[Thing]:
        try:
            return self.table.objects(objects)
        except NoAnswer:
            return []

    def ref(self, thing: Thing, plain: bool = False) -> Call | None:
        """Return an unambiguous description of the object: by its name, an attribute, what it is on
        or next to, or its place.
        """
        bare = self.filter_name(thing.name)
        looks = [(a, v) for a in ("color", "material", "state") if (v := getattr(thing, a))]
        ways = [bare] * (6 if plain else 4)
        ways += [call("filter", a, v, bare) for a, v in looks] * 2
        if not plain:
            others = [
                o
                for o in self.things
                if o.id != thing.id and len(self.rows_of(self.filter_name(o.name))) == 1
            ]
            near = self.pick(others) if others else None
            if near is not None:
                mark = call("unique", self.filter_name(near.name))
                ways += [
                    call("relate", relation, mark, bare)
                    for relation in ("on", "next_to", "under", "supporting", "next_to")
                ]
            ways += [call("filter", "side", self.pick(DIRECTIONS), bare)]
        order = [ways[int(k)] for k in self.random.permutation(len(ways))]
        for way in order:
            if [t.id for t in self.rows_of(way)] == [thing.id]:
                return call("unique", way)
        if not plain and len(self.rows_of(bare)) > 1:
            for _ in range(3):
                best = call("best", self.pick(("left", "right", "front", "behind")), "most", ROOM, bare)
                if self.table.object(best).id == thing.id:
                    return best
        return None

    def any(self, candidates: Sequence[Thing] | None = None, plain: bool = False) -> Call:
        """Return a description of a random object."""
        for _ in range(20):
            if (described := self.ref(self.pick(candidates or self.things), plain)) is not None:
                return described
        raise NoAnswer("nothing can be told from the others")

    def two(self, candidates: Sequence[Thing] | None = None) -> tuple[Call, Call]:
        a, b = self.any(candidates, True), self.any(candidates, True)
        if self.table.object(a).id == self.table.object(b).id:
            raise NoAnswer("the same thing twice")
        return a, b

    def a_set(self, least: int = 2) -> Call:
        """Return a set of objects: by name, attribute, use or support, of two names, or all but
        one.
        """
        kind = weighed(self.random, "name 5, look 3, on 2, union 2, but 2, not 1, group 1, use 1, by 1")
        named = [self.filter_name(n) for n in self.plural_names] or [SCENE]
        if kind == "name":
            objects_call = self.pick(named)
        elif kind == "look":
            t = self.pick(self.movable)
            looks = [(a, v) for a in ("color", "material", "state") if (v := getattr(t, a))]
            objects_call = call(
                "filter",
                *self.pick(looks or [("color", "red")]),
                self.pick([SCENE, self.filter_name(t.name)]),
            )
        elif kind == "on":
            objects_call = call("relate", "on", self.any(), self.pick([SCENE, SCENE, *named]))
        elif kind == "by":
            objects_call = call("relate", "next_to", self.any(), self.pick([SCENE, *named]))
        elif kind == "union":
            names = [self.pick(self.movable).name for _ in "ab"]
            objects_call = call("union", *(self.filter_name(n) for n in names))
            if names[0] == names[1]:
                raise NoAnswer("the same name twice")
        elif kind == "but":
            source = self.pick(named)
            objects_call = call("exclude", self.any(self.rows_of(source)), source)
        elif kind == "not":
            t = self.pick(self.movable)
            if not t.color:
                raise NoAnswer("no colour")
            objects_call = call("exclude", "color", t.color, self.pick(named))
        elif kind == "use":
            objects_call = call(
                "filter",
                "purpose",
                self.pick(("sitting", "storage", "lighting", "drinking", "reading")),
                SCENE,
            )
        else:
            objects_call = call("group", *self.two(self.movable))
        if len(self.rows_of(objects_call)) < least:
            raise NoAnswer("too few")
        return objects_call

    # --- changes

    def change(self) -> Call:
        kind = weighed(
            self.random, "move 34, remove 18, set 17, swap 10, replace 9, add 6, turn 2, face 2, then 12"
        )
        return self.then() if kind == "then" else getattr(self, kind)()

    def what(self) -> Call:
        """Return the objects of an edit: usually one object, often several."""
        kind = weighed(self.random, "one 62, set 12, some 14, two 7, all 5")
        if kind == "one":
            return call("group", self.any(self.movable))
        if kind == "two":
            return call("group", *self.two(self.movable))
        if kind == "set":
            return self.a_set()
        if not self.plural_names:
            raise NoAnswer("nothing stands twice")
        objects_call = self.filter_name(self.pick(self.plural_names))
        if kind == "all":
            return objects_call
        t = self.pick(self.rows_of(objects_call))
        if (
            t.color
            and self.chance(0.25)
            and len(self.rows_of(call("filter", "color", t.color, objects_call))) > 1
        ):
            objects_call = call("filter", "color", t.color, objects_call)
        number = len(self.rows_of(objects_call))
        return call("some", float(self.pick(range(1, min(number, 4)))), objects_call)

    def move(self) -> Call:
        kind = weighed(
            self.random,
            "next_to 24, on 22, between 12, way 11, corner 9, wall 6, centre 5, metres 4, under 5, at 3, above 3",
        )
        objects = self.what()
        moved = {t.id for t in self.rows_of(objects)}
        others = [t for t in self.things if t.id not in moved]
        wide = [t for t in others if t.size[0] * t.size[1] > 0.1 and t.size[2] < 1.6 and t.name not in FIXED]
        if kind in ("on", "under"):
            return call("move", objects, call("place", kind, self.any(wide or others)))
        if kind in ("next_to", "at", "above"):
            return call("move", objects, call("place", kind, self.any(others)))
        if kind == "between":
            return call("move", objects, call("place", kind, *self.two(others)))
        if kind == "way":
            return call("move", objects, call("place", self.pick(WAYS), self.any(others), ROOM))
        if kind == "corner":
            corners = ("front_left", "front_right", "behind_left", "behind_right")
            return call(
                "move",
                objects,
                call("place", kind, self.pick(corners)) if self.chance(0.8) else call("place", kind),
            )
        if kind == "wall":
            return call("move", objects, call("place", kind, self.pick(WAYS)))
        if kind == "metres":
            return call("move", objects, call("place", self.pick(WAYS), self.pick((0.5, 1.0, 1.5, 2.0))))
        return call("move", objects, call("place", "centre"))

    def remove(self) -> Call:
        return call("remove", self.what())

    def set(self) -> Call:
        known = [t for t in self.movable if len(states_of().get(t.name, ())) > 1 or t.name in states_of()]
        known += [t for t in self.things if t.name.split()[-1] in ("door", "window")]
        if known and self.chance(0.65):
            t = self.pick(known)
            states = [
                *states_of().get(t.name, ()),
                *(("open", "closed") if t.name.split()[-1] in ("door", "window") else ()),
            ]
            fresh = [s for s in states if s != t.state]
            if fresh and (described := self.ref(t)) is not None:
                objects = call("group", described)
                if t.name in self.plural_names and self.chance(0.35):
                    objects = self.filter_name(t.name)
                    objects = objects if self.chance(0.5) else call("some", 1.0, objects)
                return call("set", "state", self.pick(fresh), objects)
        if self.chance(0.75):
            return call("set", "color", self.pick(COLORS), self.what())
        return call(
            "set",
            "material",
            self.pick(("wood", "metal", "leather", "fabric", "plastic", "glass")),
            self.what(),
        )

    def swap(self) -> Call:
        a, b = self.any(self.movable), self.any(self.movable)
        if self.table.object(a).id == self.table.object(b).id:
            raise NoAnswer("the same thing twice")
        return call("swap", a, b)

    def thing(self, use: str) -> Call:
        traits = call("plain")
        if self.chance(0.55):
            traits = call("trait", "color", self.pick(COLORS), traits)
        if self.chance(0.15):
            traits = call(
                "trait",
                *self.pick(
                    (("material", "wood"), ("material", "metal"), ("state", "new"), ("state", "empty"))
                ),
                traits,
            )
        return call("thing", self.pick(names_by_use()[use]), traits)

    def replace(self) -> Call:
        objects = self.what()
        t = self.rows_of(objects)[0]
        raw = {"name": t.name, "size": t.size, "at": t.at}
        return call("replace", objects, self.thing(use_of(raw)))

    def add(self) -> Call:
        use = self.pick(("small", "small", "seat", "floor"))
        number = float(self.pick((1, 1, 1, 1, 2, 3)))
        kind = weighed(self.random, f"next_to 4, on {4 * (use == 'small')}, between 1, corner 1, centre 1")
        if kind == "between":
            place = call("place", kind, *self.two())
        elif kind in ("corner", "centre"):
            place = call("place", kind)
        else:
            place = call("place", kind, self.any())
        thing = self.thing(use)
        if self.plural_names and self.chance(0.3):  # another of the existing ones
            thing = call("thing", self.pick(self.plural_names), call("plain"))
        return call("add", number, thing, place)

    def turn(self) -> Call:
        return call("turn", call("group", self.any(self.movable)), float(self.pick((90, 180, 270))))

    def face(self) -> Call:
        a, b = self.two(self.movable)
        return call("face", call("group", a), b)

    def then(self) -> Call:
        kinds = "move 5, remove 4, set 5, add 1, replace 1"
        a = getattr(self, weighed(self.random, kinds))()
        b = getattr(self, weighed(self.random, kinds))()
        if self.chance(0.35) and a.op == "set" and b.op == "move":  # of one object
            b = call("move", a.args[2], b.args[1])
        return call("then", a, b)

    # --- frames

    def frame(self) -> Call:
        kind = weighed(self.random, "side 38, own 27, facing 35")
        if kind == "side":
            way = self.pick(("front", "front", "front", "behind", "behind", "left", "right", *DIRECTIONS))
            if self.plural_names and self.chance(0.12):
                return call(
                    "frame",
                    way,
                    call("unique", call("some", 1.0, self.filter_name(self.pick(self.plural_names)))),
                )
            return call("frame", way, self.any())
        if kind == "own":
            fit = [t for t in self.things if t.name.split()[-1] in FIXED or self.seat(t)]
            return call("frame", self.any(fit or self.things))
        places = [t for t in self.things if t.at[2] < 0.1 and max(t.size) > 0.4]
        return call("frame", self.any(places or self.things), self.any())

    def seat(self, t: Thing) -> bool:
        return (
            use_of({"name": t.name, "size": t.size, "at": t.at}) == "seat" or t.name in names_by_use()["seat"]
        )

    # --- questions

    def question(self) -> Call:
        makers: dict[Callable[[], Call], float] = {
            self.looks: 14, self.related: 13, self.nearest: 10, self.outermost: 8, self.extreme: 5, self.counted: 17, self.there: 10,
            self.way: 14, self.all_of: 5, self.compared: 5, self.earlier: 3, self.how_much: 3,
        }  # fmt: skip
        shares = np.array(list(makers.values()))
        return list(makers)[int(self.random.choice(len(shares), p=shares / shares.sum()))]()

    def looks(self) -> Call:
        what = self.pick(("color", "color", "material", "state", "side", "side"))
        fit = [t for t in self.things if what == "side" or getattr(t, what)]
        thing = self.any(fit or self.things)
        if what != "side" and self.chance(0.25):
            other = self.any(fit or self.things)
            return call("equal", what, call("query", what, thing), call("query", what, other))
        return call("query", what, thing)

    def related(self) -> Call:
        """Return the objects in a relation to an object, or an attribute of it."""
        relation = self.pick(("on", "on", "next_to", "under", "between", "supporting", "blocking", *WAYS))
        named = self.pick([SCENE, SCENE, *(self.filter_name(n) for n in self.plural_names)])
        if relation in ("between", "blocking"):
            objects_call = call("relate", relation, *self.two(), named)
        elif relation in WAYS:
            objects_call = call("relate", relation, self.any(), self.whose(), named)
        else:
            objects_call = call("relate", relation, self.any(), named)
        what = "name" if named == SCENE else self.pick(("color", "color", "state", "material"))
        return call("query", what, call("unique", objects_call))

    def whose(self) -> Call:
        return call("frame", "object") if self.chance(0.15) else ROOM

    def nearest(self) -> Call:
        sense = "least" if self.chance(0.75) else "most"
        kind = weighed(self.random, "two 4, three 1, set 4, all 3")
        if kind == "two":
            source = call("group", *self.two())
        elif kind == "three":
            source = call("union", call("group", *self.two()), call("group", self.any(plain=True)))
        else:
            source = SCENE if kind == "all" else self.a_set()
        to = call("viewer") if self.chance(0.1) else self.any()
        best = call("best", "distance", sense, to, source)
        return call(
            "query", "color" if kind == "set" and source.op == "filter" and self.chance(0.6) else "name", best
        )

    def outermost(self) -> Call:
        if self.chance(0.5):
            best = call(
                "best", self.pick(WAYS), "first", self.any(), ROOM, self.pick([SCENE, SCENE, self.a_set()])
            )
        else:
            best = call("best", self.pick(WAYS), "most", ROOM, self.a_set())
        return call("query", "name" if self.chance(0.6) else "color", best)

    def extreme(self) -> Call:
        what = self.pick(("height", "volume", "elevation", "length", "width"))
        source = call("group", *self.two()) if self.chance(0.4) else self.a_set()
        return call(
            "query", self.pick(("name", "color")), call("best", what, self.pick(("most", "least")), source)
        )

    def counted(self) -> Call:
        kind = weighed(self.random, "set 5, on 3, way 2, by 2, between 1, values 1")
        if kind == "set":
            return call("count", self.a_set())
        if kind == "values":
            return call("count", "color", self.a_set())
        named = self.pick([SCENE, SCENE, *(self.filter_name(n) for n in self.plural_names)])
        if kind == "way":
            return call("count", call("relate", self.pick(WAYS), self.any(), ROOM, named))
        if kind == "between":
            return call("count", call("relate", "between", *self.two(), named))
        return call("count", call("relate", {"on": "on", "by": "next_to"}[kind], self.any(), named))

    def there(self) -> Call:
        kind = weighed(self.random, "on 3, so 3, lies 4, by 2, name 2")
        if kind == "on":
            return call(
                "exist",
                call(
                    "relate",
                    "on",
                    self.any(),
                    self.pick([SCENE, self.filter_name(self.pick(self.movable).name)]),
                ),
            )
        if kind == "by":
            return call(
                "exist",
                call(
                    "relate",
                    self.pick(("next_to", "under")),
                    self.any(),
                    self.filter_name(self.pick(self.movable).name),
                ),
            )
        if kind == "name":
            t = self.pick(self.movable)
            look = ("color", self.pick(COLORS)) if t.color else ("name", t.name)
            return call(
                "exist",
                call("filter", *look, self.filter_name(t.name))
                if self.chance(0.6)
                else self.filter_name(t.name),
            )
        if kind == "so":
            t = self.pick([t for t in self.things if t.state] or self.things)
            described = self.ref(t, True)
            state = self.pick([*states_of().get(t.name, ()), t.state or "open"])
            if described is None or f'"{t.state}"' in described.text():
                raise NoAnswer("its state is said")
            return call("exist", call("filter", "state", state, call("group", described)))
        a, b = self.two()
        if self.chance(0.3):
            return call("holds", self.pick(("next_to", "on", "under", "above")), a, b)
        return call("exist", call("relate", self.pick(WAYS), a, self.whose(), call("group", b)))

    def way(self) -> Call:
        sectors = weighed(self.random, "four 4, left_or_right 3, eight 2, front_or_behind 1")
        a, b = self.any(), self.any()
        if self.chance(0.3):
            a = call("viewer")
        elif self.table.object(a).id == self.table.object(b).id:
            raise NoAnswer("the same thing twice")
        frame = ROOM
        if a.op != "viewer" and self.chance(0.25):
            frame = self.pick(
                (
                    call("frame", "object"),
                    call("frame", a, self.any(plain=True)),
                    call("frame", self.any(plain=True)),
                )
            )
        return call("direction", a, b, frame, sectors)

    def all_of(self) -> Call:
        kind = weighed(self.random, "all 3, clear 2, both 1")
        if kind == "clear":
            source = call("relate", "on", self.any(), SCENE)
            if self.chance(0.3):
                source = call("relate", "blocking", *self.two(), SCENE)
            return call("equal", call("count", source), call("count", 0.0))
        t = self.pick(self.things)
        look = self.pick([(a, v) for a in ("color", "state") if (v := getattr(t, a))] or [("color", "white")])
        if kind == "both":
            return call(
                "equal", call("count", call("filter", *look, call("group", *self.two()))), call("count", 2.0)
            )
        source = self.a_set()
        return call("equal", call("count", call("filter", *look, source)), call("count", source))

    def compared(self) -> Call:
        kind = weighed(self.random, "counts 3, what 3, higher 2")
        if kind == "counts":
            return call(
                self.pick(("greater_than", "less_than", "equal")),
                call("count", self.a_set(1)),
                call("count", self.a_set(1)),
            )
        measure = self.pick(("height", "elevation", "volume", "length"))
        a, b = self.two()
        if kind == "what":
            return call("compare", measure, a, b)
        return call(
            self.pick(("greater_than", "less_than")), call("query", measure, a), call("query", measure, b)
        )

    def earlier(self) -> Call:
        what = self.pick(("color", "state", "material", "side"))
        return call(
            "query",
            what,
            call("before", self.any([t for t in self.things if what == "side" or getattr(t, what)])),
        )

    def how_much(self) -> Call:
        if self.chance(0.6):
            return call("query", "distance", *self.two())
        return call("query", self.pick(("height", "length", "width")), self.any())

    def runs(self, sort: str, program: Call) -> bool:
        """Return whether the program has an answer, or can be applied, in the room."""
        table = Table(self.scene)
        try:
            if sort == "question":
                return bool(table.answers(program))
            _ = table.frame(program) if sort == "frame" else table.edit(program)
        except (NoAnswer, KeyError, TypeError, ValueError):
            return False
        return True

    def sample(self, sort: str, fits: Callable[[Call], bool]) -> Call:
        """Sample a program of a kind ("change", "frame", "question") that runs and satisfies
        `fits`.
        """
        while True:
            try:
                program = getattr(self, sort)()
                if self.runs(sort, program) and fits(program):
                    return program
            except (NoAnswer, ProgramError, IndexError):
                continue
