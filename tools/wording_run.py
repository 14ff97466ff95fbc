"""Interpreter of programs on the bank's scenes for checking annotations, with tolerant relations.

    Table(scene) ─► changed by `edit` ─► answers of `question`

The benchmarks' rules (the range of "next to", the borders of "left") differ from each other and
from the annotators'. Each set is therefore computed with narrow and with wide thresholds, and an
answer from either counts as correct. It shares no code with the executors, so that evaluations of
parsers do not depend on them.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from po3d.language.english import singular
from po3d.language.program import DIRECTIONS, Call
from po3d.scene.rooms import PURPOSES, SYNONYMS
from po3d.scene.vocabulary import PARENT
from po3d.training.reader_tables import size_of

ANYTHING = ("object", "thing", "vehicle", "item")
SIDES = {"deep": 0, "wide": 1, "tall": 2, "long": 0}  # index into a size, of a stated one
TOUCH = 0.08  # largest gap between an underside and its support, metres
SHAPE = {
    "SUV": "suv",
    "double bus": "double",
    "regular bus": "regular",
    "school bus": "school",
    "articulated bus": "articulated",
}


class NoAnswer(Exception):
    """Raised if a program has no answer on a scene; `args[0]` is the reason."""


@dataclass
class Thing:
    """An object of a scene. `id` is constant under edits."""

    id: int
    name: str
    color: str | None
    material: str | None
    state: str | None
    size: list[float]
    at: list[float]
    heading: float

    @property
    def top(self) -> float:
        return self.at[2] + self.size[2]

    def value(self, attribute: str) -> str | None:
        if attribute == "size":
            return size_of(self.name, self.size[0])
        return getattr(self, "name" if attribute == "shape" else attribute, None)

    def reach(self, way: float) -> float:
        """Return half its extent along a direction, metres."""
        off = math.radians(self.heading) - way
        return abs(math.cos(off)) * self.size[0] / 2 + abs(math.sin(off)) * self.size[1] / 2

    def holds(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Return whether a ground point is within its footprint."""
        a, dx, dy = math.radians(self.heading), x - self.at[0], y - self.at[1]
        along, across = dx * math.cos(a) + dy * math.sin(a), dy * math.cos(a) - dx * math.sin(a)
        return abs(along) <= self.size[0] / 2 + margin and abs(across) <= self.size[1] / 2 + margin


def gap(a: Thing, b: Thing) -> float:
    """Return the approximate ground distance between two boxes, metres."""
    way = math.atan2(b.at[1] - a.at[1], b.at[0] - a.at[0])
    return max(0.0, math.dist(a.at[:2], b.at[:2]) - a.reach(way) - b.reach(way))


def separation(a: Thing, b: Thing) -> float:
    """Return the approximate distance between two boxes including height, metres."""
    return math.hypot(gap(a, b), max(0.0, b.at[2] - a.top, a.at[2] - b.top))


def name_matches(name: str, text: str) -> bool:
    """Return whether a text refers to an object's name: the name, its last words, or a category of
    vehicles.
    """
    spoken, name = text.lower().strip(), name.lower()
    in_singular = " ".join([*spoken.split()[:-1], singular(spoken.split()[-1])])
    for form in (spoken, in_singular, SYNONYMS.get(in_singular, in_singular)):
        if form in ANYTHING or name == form or name.endswith(" " + form) or singular(name) == form:
            return True
        shape = {v.lower(): k for k, v in SHAPE.items()}.get(form, form).lower()
        if name == shape or PARENT.get(SHAPE_OF.get(name, name), "") == {
            "plane": "aeroplane",
            "bike": "bicycle",
        }.get(form, form):
            return True
    return False


SHAPE_OF = (
    {"hatchback": "sedan"}
    | {k.lower(): v for k, v in SHAPE.items()}
    | {f"{b} bike": b for b in ("road", "mountain", "utility", "tandem")}
)


@dataclass
class Frame:
    """Reference frame: ground directions from the angle of its front, degrees. `at`: position of
    the viewer, None if not given. `mirror`: front is towards the viewer, right is the viewer's
    right.
    """

    front: float
    at: tuple[float, float] | None = None
    mirror: bool = False

    def angle(self, direction: str) -> float:
        """Return the ground angle of a direction, degrees."""
        turn = -45.0 * DIRECTIONS.index(direction)
        return self.front + (180 - turn if self.mirror else turn)

    def off(self, direction: str, dx: float, dy: float) -> float:
        """Return the angle between a ground vector and a direction, degrees."""
        return abs((math.degrees(math.atan2(dy, dx)) - self.angle(direction) + 180) % 360 - 180)


@dataclass
class Table:
    """A scene of the bank, possibly edited."""

    scene: dict
    task: str | None = None
    options: list[str] | None = None
    wide: bool = False
    things: list[Thing] = field(default_factory=list)
    past: list[Thing] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    room: Frame = field(default_factory=lambda: Frame(90.0))

    def __post_init__(self) -> None:
        self.things = [
            Thing(k, **{**o, "size": list(o["size"]), "at": list(o["at"])})
            for k, o in enumerate(self.scene["objects"])
        ]
        self.past = copy.deepcopy(self.things)

    # --- sets -------------------------------------------------------------------------------------

    def objects(self, call: Call) -> list[Thing]:
        return getattr(self, f"_{call.op}")(*call.args)

    def _scene(self) -> list[Thing]:
        return list(self.things)

    def _choices(self) -> list[Thing]:
        if not self.options:
            raise NoAnswer("the question offers no options")
        result = []
        for option in self.options:
            words = [
                w for w in option.lower().replace("'s", "").split() if w not in ("the", "a", "an")
            ]
            if not words:
                continue
            fits = [
                t
                for t in self.things
                if name_matches(t.name, words[-1])
                or name_matches(t.name, " ".join(words))
                or any(name_matches(t.name, w) for w in words)
            ]
            exact = [
                t
                for t in fits
                if name_matches(t.name, " ".join(words))
                or any(name_matches(t.name, " ".join(words[k:])) for k in range(len(words)))
            ]
            fits = exact or fits
            looks = [t for t in fits if any(w in words for w in (t.color, t.material, t.state))]
            named = [
                t for t in self.things if any(w in words for w in (t.color, t.material, t.state))
            ]
            result += (looks or fits or (named if len(named) == 1 else []))[:1]
        return list({t.id: t for t in result}.values())

    def _filter(self, attribute: str, text: str, source: Call) -> list[Thing]:
        return [t for t in self.objects(source) if self._so(t, attribute, text)]

    def _so(self, t: Thing, attribute: str, text: str) -> bool:
        if attribute in ("name", "shape"):
            return name_matches(t.name, text)
        if attribute == "purpose":
            return any(name_matches(t.name, name) for name in PURPOSES.get(text, ()))
        if attribute == "side":
            return any(word == text for word, _ in self._sides(t))
        if attribute == "facing":
            return self._facing(t) == {"away": "back"}.get(text, text)
        if attribute == "occlusion":
            raise NoAnswer("not run: the bank's tables tell of no occlusion")
        return t.value(attribute) == text

    def _exclude(self, first: Call | str, *rest: Call | str) -> list[Thing]:
        if isinstance(first, Call):
            excluded = self.object(first)
            return [t for t in self.objects(rest[0]) if t.id != excluded.id]
        text, source = rest
        known = lambda t: first in ("side", "facing", "purpose") or t.value(first) is not None  # noqa: E731
        return [t for t in self.objects(source) if known(t) and not self._so(t, first, text)]

    def _union(self, a: Call, b: Call) -> list[Thing]:
        return list({t.id: t for t in self.objects(a) + self.objects(b)}.values())

    def _intersect(self, a: Call, b: Call) -> list[Thing]:
        ids = {t.id for t in self.objects(b)}
        return [t for t in self.objects(a) if t.id in ids]

    def _group(self, *each: Call) -> list[Thing]:
        return [self.object(call) for call in each]

    def _some(self, amount: float, source: Call) -> list[Thing]:
        objects = self.objects(source)
        if len(objects) < amount:
            raise NoAnswer(f"there are {len(objects)}, not {amount:g} of {source}")
        return objects[: int(amount)]

    def _changed(self, source: Call) -> list[Thing]:
        return [t for t in self.objects(source) if t.id in self.touched]

    def _same(self, attribute: str, like: Call, source: Call) -> list[Thing]:
        a = self.object(like)
        if attribute == "purpose":
            uses = lambda t: {p for p in PURPOSES if self._so(t, "purpose", p)}  # noqa: E731
            return [t for t in self.objects(source) if t.id != a.id and uses(t) & uses(a)]
        return [
            t
            for t in self.objects(source)
            if t.id != a.id and t.value(attribute) == a.value(attribute) is not None
        ]

    def _relate(self, relation: str, *rest: Call) -> list[Thing]:
        *ends, source = rest
        if relation in DIRECTIONS:
            anchor, frame = self.object(ends[0]), None
            frame = self.frame(ends[1], anchor)
            return [
                t
                for t in self.objects(source)
                if t.id != anchor.id and self._lies(relation, anchor, t, frame)
            ]
        marks = [self.object(e) for e in ends]
        others = [t for t in self.objects(source) if t.id not in {m.id for m in marks}]
        if relation.startswith("collides"):
            return self._collides(relation, marks[0], others)
        return [t for t in others if self._holds_so(relation, t, *marks)]

    def _lies(self, direction: str, anchor: Thing, t: Thing, frame: Frame) -> bool:
        dx, dy = t.at[0] - anchor.at[0], t.at[1] - anchor.at[1]
        if math.hypot(dx, dy) < 0.02:
            return False
        if direction in ("front", "right", "behind", "left"):
            return frame.off(direction, dx, dy) < (88 if self.wide else 50)
        return frame.off(direction, dx, dy) < (45 if self.wide else 30)

    def _collides(self, relation: str, anchor: Thing, candidates: list[Thing]) -> list[Thing]:
        way = math.radians(anchor.heading + 180 * relation.endswith("backward"))
        ahead = []
        for t in candidates:
            dx, dy = t.at[0] - anchor.at[0], t.at[1] - anchor.at[1]
            along, across = (
                dx * math.cos(way) + dy * math.sin(way),
                dy * math.cos(way) - dx * math.sin(way),
            )
            if along > 0 and abs(across) < anchor.size[1] / 2 + t.reach(way + math.pi / 2):
                ahead.append((along - t.reach(way), t.id, t))
        return [min(ahead)[2]] if ahead else []

    def _holds_so(self, relation: str, a: Thing, b: Thing, c: Thing | None = None) -> bool:
        """Return whether a is in a relation to b (and c)."""
        over = b.holds(a.at[0], a.at[1], 0.15 if self.wide else 0.03) or (
            self.wide and gap(a, b) == 0 and a.holds(b.at[0], b.at[1])
        )
        if relation == "next_to":
            level = self.wide or min(a.top, b.top) > max(a.at[2], b.at[2]) - 0.3
            return (
                gap(a, b) < (1.2 if self.wide else 0.6)
                and level
                and not self._holds_so("on", a, b)
                and not self._holds_so("on", b, a)
            )
        if relation == "on":
            inside = self.wide and b.at[2] - 0.02 <= a.at[2] <= b.top + 0.3
            return over and (abs(a.at[2] - b.top) < TOUCH or inside)
        if relation == "supporting":
            return self._holds_so("on", b, a)
        if relation == "under":
            return (
                (b.holds(a.at[0], a.at[1], 0.2) or a.holds(b.at[0], b.at[1], 0.2))
                and a.at[2] + a.size[2] / 2 < b.at[2] + b.size[2] / 2
                and not self._holds_so("on", a, b)
            )
        if relation == "above":
            return self._holds_so("under", b, a) or (over and a.at[2] > b.top - TOUCH)
        if relation == "at":
            return gap(a, b) < 0.3
        if relation == "between" or relation == "blocking":
            if c is None:
                raise NoAnswer(f"{relation} one thing alone")
            first, second = b.at, c.at
            dx, dy = second[0] - first[0], second[1] - first[1]
            length = math.hypot(dx, dy) or 1e-9
            along = ((a.at[0] - first[0]) * dx + (a.at[1] - first[1]) * dy) / length
            across = abs((a.at[0] - first[0]) * dy - (a.at[1] - first[1]) * dx) / length
            way = math.atan2(dy, dx)
            room = a.reach(way + math.pi / 2) + (0.3 if relation == "blocking" else 0.25 * length)
            low = relation == "between" or (a.at[2] < 1.0 and a.size[2] > 0.03)
            return low and 0.1 * length < along < 0.9 * length and across < room
        if relation in ("same_direction", "opposite_direction", "perpendicular", "parallel"):
            off = abs((a.heading - b.heading + 180) % 360 - 180)
            return {
                "same_direction": off < 45,
                "opposite_direction": off > 135,
                "perpendicular": 45 <= off <= 135,
                "parallel": off < 45 or off > 135,
            }[relation]
        if relation == "fits":
            return all(x <= y + 0.05 for x, y in zip(sorted(a.size[:2]), sorted(b.size[:2])))
        if relation == "nearer_than_before":
            old = {t.id: t for t in self.past}
            before = [old.get(t.id, t) for t in (a, b)]
            return math.dist(a.at[:2], b.at[:2]) < math.dist(before[0].at[:2], before[1].at[:2])
        raise NoAnswer(f"not run: {relation}")

    # --- objects, frames --------------------------------------------------------------------------

    def object(self, call: Call) -> Thing:
        return getattr(self, f"_{call.op}")(*call.args)

    def _unique(self, source: Call) -> Thing:
        objects = self.objects(source)
        if len(objects) > 1 and source.op != "changed":
            objects = [t for t in objects if t.id in self.touched] or objects
        if not objects:
            raise NoAnswer(f"nothing is {source}")
        if len(objects) > 1:
            raise NoAnswer(f"{len(objects)} are {source}")
        return objects[0]

    def _best(self, what: str, sense: str, *rest: Call) -> Thing:
        *ends, source = rest
        objects = self.objects(source)
        if what in DIRECTIONS:
            anchor = self.object(ends[0]) if len(ends) == 2 else None
            frame = self.frame(ends[-1], anchor)
            if anchor:
                objects = [
                    t for t in objects if t.id != anchor.id and self._lies(what, anchor, t, frame)
                ]
                key: Callable = lambda t: separation(anchor, t)  # noqa: E731
                if sense == "most":
                    key = lambda t: frame.off(what, t.at[0] - anchor.at[0], t.at[1] - anchor.at[1])  # noqa: E731
            else:
                a = math.radians(frame.angle(what))
                sign = 1 if sense == "least" else -1
                key = lambda t: sign * (t.at[0] * math.cos(a) + t.at[1] * math.sin(a))  # noqa: E731
        elif what == "bearing":
            anchor = self.object(ends[0])
            objects = [t for t in objects if t.id != anchor.id]
            anchor_frame = Frame(anchor.heading)

            def key(t):
                return anchor_frame.off("front", t.at[0] - anchor.at[0], t.at[1] - anchor.at[1])

        elif what == "distance":
            anchor = self.object(ends[0])
            objects = [t for t in objects if t.id != anchor.id]
            measured = (
                (lambda t: math.dist(anchor.at, t.at))
                if self.wide
                else lambda t: separation(anchor, t)
            )
            key = lambda t: measured(t) * (-1 if sense == "most" else 1)  # noqa: E731
        else:
            key = lambda t: self._measure(what, t) * (-1 if sense == "most" else 1)  # noqa: E731
        if not objects:
            raise NoAnswer(f"nothing to choose from: {source}")
        return min(objects, key=key)

    def _measure(self, what: str, t: Thing) -> float:
        if what == "elevation":
            return t.top if self.wide else t.at[2] + t.size[2] / 2
        if what == "volume":
            return math.prod(t.size)
        if what == "distance":
            return math.dist(t.at, self._viewer().at)
        return {"height": t.size[2], "length": max(t.size[:2]), "width": min(t.size[:2])}[what]

    def _before(self, object_call: Call) -> Thing:
        now, self.things = self.things, self.past
        try:
            return self.object(object_call)
        finally:
            self.things = now

    def _refer(self, text: str) -> Thing:
        return self._unique(Call("filter", ("name", text, Call("scene"))))

    def _viewer(self) -> Thing:
        if self.scene["kind"] == "room":
            at = self.room.at or tuple(s / 2 for s in self.scene["size"])
            return Thing(
                -1, "viewer", None, None, None, [0.3, 0.4, 1.7], [*at, 0.0], self.room.front
            )
        at = {"photo": [0.0, 0.0, 1.5], "street": [0.0, -7.0, 2.0], "orbit": [0.0, -4.0, 1.5]}[
            self.scene["kind"]
        ]
        return Thing(-1, "viewer", None, None, None, [0.1, 0.1, 0.1], at, 90.0)

    def frame(self, call: Call, anchor: Thing | None = None) -> Frame:
        """Return the frame of a call; `anchor`: the object for frame(object)."""
        args = call.args
        if len(args) == 1 and isinstance(args[0], str):
            whose = args[0]
            if whose == "task":
                whose = "object" if self.task == "own" else "camera"
            if whose == "object":
                if anchor is None:
                    raise NoAnswer("frame(object) has no object")
                return Frame(anchor.heading, tuple(anchor.at[:2]))
            if whose == "room" or self.scene["kind"] == "room":
                return self.room
            return Frame(90.0, None, True)
        if len(args) == 1:
            reference = self.object(args[0])
            return Frame(reference.heading, tuple(reference.at[:2]))
        if len(args) == 4:
            frame = self.frame(args[3], anchor)
            return Frame(frame.front + args[0], frame.at, frame.mirror)
        if isinstance(args[0], str):
            t = self.object(args[1])
            width, depth = self.scene.get("size", (2.0, 2.0))
            dx, dy = (t.at[0] - width / 2) / width, (t.at[1] - depth / 2) / depth
            if abs(dx) == abs(dy) == 0:
                raise NoAnswer(f"{t.name} stands in the middle")
            way = (0 if dx > 0 else 180) if abs(dx) > abs(dy) else (90 if dy > 0 else -90)
            return Frame(way + 45.0 * DIRECTIONS.index(args[0]))
        a, b = map(self.object, args)
        return Frame(
            math.degrees(math.atan2(b.at[1] - a.at[1], b.at[0] - a.at[0])), tuple(a.at[:2])
        )

    # --- answers: all accepted words --------------------------------------------------------------

    def answers(self, call: Call) -> list[str]:
        """Return all correct answers."""
        if call.op in ("exist", "equal", "less_than", "greater_than", "holds"):
            return ["yes" if self.truth(call) else "no"]
        if call.op == "count" or (call.op == "query" and call.signature.output == "number"):
            return [f"{self.number(call):.2f}".rstrip("0").rstrip(".")]
        return list(self._words(call))

    def truth(self, call: Call) -> bool:
        if call.op == "exist":
            return bool(self.objects(call.args[0]))
        if call.op == "holds":
            relation, a, b = call.args
            return self._holds_so(relation, self.object(a), self.object(b))
        if call.op == "equal" and len(call.args) == 3:
            return bool(set(self._words(call.args[1])) & set(self._words(call.args[2])))
        a, b = map(self.number, call.args)
        return {"equal": abs(a - b) < 1e-6, "less_than": a < b, "greater_than": a > b}[call.op]

    def number(self, call: Call) -> float:
        if call.op == "count":
            if not isinstance(call.args[-1], Call):
                return call.args[0]
            objects = self.objects(call.args[-1])
            if len(call.args) == 1:
                return len(objects)
            return len({t.value(call.args[0]) for t in objects} - {None})
        what, object_call, *other = call.args
        t = self.object(object_call)
        if other:
            b = self.object(other[0])
            return math.dist(t.at[:2], b.at[:2]) if self.wide else separation(t, b)
        return self._measure(what, t)

    def _words(self, call: Call) -> Iterator[str]:
        if call.op == "query":
            what, t = call.args[0], self.object(call.args[1])
            if what == "side":
                yield from (word.replace("_", " ") for word, _ in self._sides(t))
            elif what == "facing":
                yield self._facing(t)
            elif what == "purpose":
                yield from (p for p in PURPOSES if self._so(t, "purpose", p))
            elif what in ("name", "shape"):
                yield t.name
                yield from (f"{look} {t.name}" for look in (t.color, t.material, t.state) if look)
            elif t.value(what) is None:
                raise NoAnswer(f"the table does not tell the {what} of {t.name}")
            else:
                yield t.value(what)
        elif call.op == "compare":
            what, a, b = call.args
            a, b = self.object(a), self.object(b)
            first, second = (
                separation(self._viewer(), t) if what == "distance" else self._measure(what, t)
                for t in (a, b)
            )
            more = {
                "elevation": "higher above over",
                "volume": "larger bigger",
                "height": "taller higher",
                "distance": "farther further",
            }
            less = {
                "elevation": "lower below under underneath beneath",
                "volume": "smaller",
                "height": "shorter lower",
                "distance": "nearer closer",
            }
            yield "same" if abs(first - second) < 1e-3 else ""
            yield from (
                (more if first > second else less).get(what, "more" if first > second else "less")
            ).split()
        elif call.op == "direction":
            a, b, frame, sectors = call.args
            a, b = self.object(a), self.object(b)
            frame = self.frame(frame, a)
            known = {
                "front_or_behind": ("front", "behind"), "left_or_right": ("left", "right"),
                "four": ("front", "right", "behind", "left"), "eight": DIRECTIONS,
            }[sectors]  # fmt: skip
            dx, dy = b.at[0] - a.at[0], b.at[1] - a.at[1]
            near = min(frame.off(d, dx, dy) for d in known)
            yield from (
                d.replace("_", " ")
                for d in known
                if frame.off(d, dx, dy) < near + (14 if self.wide else 0.1)
            )
            if sectors == "eight":  # the options may have only diagonal or only straight directions
                yield from (d.replace("_", " ") for d in DIRECTIONS if frame.off(d, dx, dy) < 35)
        elif call.op == "view":
            way, a, b = call.args
            a, b = self.object(a), self.object(b)
            views = [
                Frame(90.0 + 90 * k, None, True).off(way, b.at[0] - a.at[0], b.at[1] - a.at[1])
                for k in range(4)
            ]
            k = views.index(min(views))
            yield (
                (self.options or "1234")[k]
                if not self.options or len(self.options) == 4
                else str(k + 1)
            )
        else:
            raise NoAnswer(f"{call.op} asks nothing")

    def _facing(self, t: Thing) -> str:
        frame, a = Frame(90.0, None, True), math.radians(t.heading)
        return min(
            ("front", "right", "behind", "left"),
            key=lambda d: frame.off(d, math.cos(a), math.sin(a)),
        )

    def _sides(self, t: Thing) -> list[tuple[str, float]]:
        """Return the parts of a room in which an object is, with wide thresholds."""
        width, depth = self.scene.get("size", (6.0, 6.0))
        x, y = (
            (t.at[0] / width - 0.5, t.at[1] / depth - 0.5)
            if "size" in self.scene
            else (t.at[0] / 6, t.at[1] / 6)
        )
        sides = []
        for d in DIRECTIONS:
            a = math.radians(self.room.angle(d))
            sides += (
                [(d, x)]
                if math.hypot(x, y) > 0.05
                and self.room.off(d, x, y) < (67 if self.wide or "_" not in d else 40)
                and math.cos(a) * x + math.sin(a) * y > 0.08
                else []
            )
        if max(abs(x), abs(y)) < 0.2:
            sides += [("middle", 0), ("centre", 0)]
        return sides

    # --- edits ------------------------------------------------------------------------------------

    def edit(self, call: Call) -> None:
        """Apply an edit."""
        if call.op == "then":
            for part in call.args:
                self.edit(part)
            return
        touched = list(self.touched)
        self.touched = []
        getattr(self, f"_edit_{call.op}")(*call.args)
        self.touched = list(dict.fromkeys([*self.touched, *touched]))

    def _carried(self, t: Thing) -> list[Thing]:
        """Return everything that rests on an object, directly or indirectly."""
        carried, below = [], [t]
        while below:
            carrier = below.pop()
            on = [
                o
                for o in self.things
                if abs(o.at[2] - carrier.top) < TOUCH and carrier.holds(*o.at[:2], 0.03)
            ]
            on = [o for o in on if o not in carried and o.id != t.id]
            carried, below = carried + on, below + on
        return carried

    def _put(self, t: Thing, at: list[float]) -> None:
        by = [b - a for a, b in zip(t.at, at)]
        for item in [t, *self._carried(t)]:
            item.at = [a + d for a, d in zip(item.at, by)]
        self.touched.append(t.id)

    def place(self, call: Call, t: Thing, k: int = 0) -> list[float]:
        """Return the new position of an object, the k-th of several."""
        position, *rest = call.args
        if position in ("corner", "wall", "centre"):
            width, depth = self.scene["size"]
            x = y = 0.0
            if rest:
                a = math.radians(self.room.angle(rest[0]))
                x, y = math.cos(a), math.sin(a)
                x, y = (
                    ((x > 0) - (x < 0), (y > 0) - (y < 0))
                    if position == "corner"
                    else (round(x), round(y))
                )
            return [
                width / 2 + x * (width / 2 - 0.4),
                depth / 2 + y * (depth / 2 - 0.4) + 0.3 * k,
                0.0,
            ]
        if position in DIRECTIONS and not isinstance(rest[0], Call):
            a = math.radians(self.frame(Call("frame", ("room",))).angle(position))
            return [t.at[0] + rest[0] * math.cos(a), t.at[1] + rest[0] * math.sin(a), t.at[2]]
        anchor = self.object(rest[0])
        if position in DIRECTIONS:
            a = math.radians(self.frame(rest[1], anchor).angle(position))
            off = anchor.reach(a) + t.reach(a) + 0.1
            return [
                anchor.at[0] + off * math.cos(a),
                anchor.at[1] + off * math.sin(a),
                self._rest(anchor, t),
            ]
        if position == "on":
            return [anchor.at[0], anchor.at[1], anchor.top]
        if position in ("under", "at"):
            return [anchor.at[0], anchor.at[1], 0.0 if position == "under" else anchor.at[2]]
        if position == "above":
            return [anchor.at[0], anchor.at[1], anchor.top + 0.1]
        if position == "between":
            two = self.object(rest[1])
            return [
                (anchor.at[0] + two.at[0]) / 2,
                (anchor.at[1] + two.at[1]) / 2,
                self._rest(anchor, t),
            ]
        middle = self.scene.get("size", (0.0, 0.0))
        a = math.atan2(middle[1] / 2 - anchor.at[1], middle[0] / 2 - anchor.at[0])
        off = anchor.reach(a) + t.reach(a) + 0.1
        return [
            anchor.at[0] + off * math.cos(a),
            anchor.at[1] + off * math.sin(a),
            self._rest(anchor, t),
        ]

    def _rest(self, anchor: Thing, t: Thing) -> float:
        """Return the height of the surface that an object beside another one stands on."""
        return (
            anchor.at[2]
            if any(self._holds_so("on", anchor, o) for o in self.things if o.id != anchor.id)
            else 0.0
        )

    def _edit_move(self, which: Call, place: Call) -> None:
        for k, t in enumerate(self.objects(which)):
            self._put(t, self.place(place, t, k))

    def _edit_turn(self, which: Call, amount: float) -> None:
        for t in self.objects(which):
            t.heading -= amount
            self.touched.append(t.id)

    def _edit_face(self, which: Call, object_call: Call) -> None:
        to = self.object(object_call)
        for t in self.objects(which):
            t.heading = math.degrees(math.atan2(to.at[1] - t.at[1], to.at[0] - t.at[0]))
            self.touched.append(t.id)

    def _edit_swap(self, a: Call, b: Call) -> None:
        a, b = self.object(a), self.object(b)
        here, there = list(a.at), list(b.at)
        self._put(a, there)
        self._put(b, here)

    def _edit_remove(self, which: Call) -> None:
        objects = self.objects(which)
        if not objects:
            raise NoAnswer(f"nothing to remove: {which}")
        for t in objects:
            for o in self._carried(t):
                o.at[2] = max(0.0, o.at[2] - t.size[2])
        ids = {t.id for t in objects}
        self.things = [t for t in self.things if t.id not in ids]
        self.touched += list(ids)

    def _edit_set(self, attribute: str, text: str, which: Call) -> None:
        objects = self.objects(which)
        if not objects:
            raise NoAnswer(f"nothing to change: {which}")
        for t in objects:
            setattr(t, attribute, text)
            self.touched.append(t.id)

    def _new(self, thing: Call) -> Thing:
        name, traits = thing.args
        looks: dict = {"color": None, "material": None, "state": None}
        sides = {}
        while traits.op == "trait":
            (sides if traits.args[0] in SIDES else looks)[traits.args[0]] = traits.args[1]
            traits = traits.args[2]
        like = next((t for t in self.past if name_matches(t.name, name)), None)
        size = list(like.size) if like else [0.3, 0.3, 0.3]
        for extent, metres in sides.items():
            size[SIDES[extent] if extent != "long" else int(size[1] >= size[0])] = metres
        created = Thing(
            1000 + len(self.things) + len(self.touched),
            name,
            looks["color"],
            looks["material"],
            looks["state"],
            size,
            [0.0, 0.0, 0.0],
            90.0,
        )
        return created

    def _edit_add(self, amount: float, thing: Call, place: Call) -> None:
        for k in range(int(amount)):
            t = self._new(thing)
            t.at = self.place(place, t, k)
            self.things.append(t)
            self.touched.append(t.id)

    def _edit_replace(self, which: Call, thing: Call) -> None:
        for old in self.objects(which):
            t = self._new(thing)
            t.at, t.heading = list(old.at), old.heading
            self.things = [o for o in self.things if o.id != old.id] + [t]
            self.touched.append(t.id)
