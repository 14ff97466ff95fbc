"""Decisions about choices and answers: the nearest object, a sector, an image, a comparison."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from po3d.language.program import Call
from po3d.reasoning import body_relations, boundaries
from po3d.reasoning.decisions import Decision, toggled
from po3d.reasoning.directions import AHEAD, azimuth
from po3d.reasoning.evaluator import MORE_OR_LESS, is_measure, nearest_direction
from po3d.reasoning.margin_values import Margin
from po3d.reasoning.set_decisions import SetDecisions
from po3d.reasoning.world import VIEWER
from po3d.scene.orbit import Axes

_SUPERLATIVES = {
    "elevation": ("highest", "lowest"),
    "height": ("tallest", "shortest"),
    "volume": ("largest", "smallest"),
    "length": ("longest", "shortest"),
    "width": ("widest", "narrowest"),
}


class MarginFinder(SetDecisions):
    """Finds the decisions of any call."""

    def best(self, what: str, sense: str, *args: Call) -> Iterator[Decision]:
        *where, set_call = args
        if what in _SUPERLATIVES:
            if not where:
                yield from self._most(what, sense, self.members(set_call))
        elif what in ("distance", "bearing"):
            anchor = self.object(where[0], viewer=True) if where else VIEWER
            members = self.rivals_of(what, anchor, set_call)
            if what == "bearing":
                yield from self._turned_between(anchor, members)
            else:
                yield from self._by_distance(anchor, members, sense)
        elif len(where) == 1:
            axes = self.axes(where[0], VIEWER)
            sign = 1.0 if sense == "least" else -1.0
            x, y = (-sign * part for part in AHEAD[what])
            far = "least far" if sense == "least" else "furthest"
            border = f"being {far} to the {self.rules.spell('eight', what).replace('_', ' ')}"
            key = lambda i: sign * self._along(what, i, axes)  # noqa: E731
            for i, gap in self._rivals(self.members(set_call), key):
                if i in self.tellers(where[0]):
                    continue
                metres = gap / (x * x + y * y)
                shift = metres * x, metres * y
                away = -math.hypot(*shift)
                yield self.chosen(self.within(i, away, self.unit, border, shift, axes=axes), i)
        elif sense in ("most", "first"):
            anchor = self.reference(where[0])
            decisions = self._squarest if sense == "most" else self._first_that_way
            yield from decisions(what, anchor, where[1], self.members(set_call))

    def _rivals(
        self, candidates: Sequence[int], key: Callable[[int], float]
    ) -> Iterator[tuple[int, float]]:
        """Yield the candidates except the one with the smallest key, with the excess of their key
        over it."""
        best = min(candidates, key=key, default=None)
        for i in candidates:
            if i != best:
                yield i, key(i) - key(best)

    def _most(self, what: str, sense: str, candidates: Sequence[int]) -> Iterator[Decision]:
        sign, word = (-1.0 if sense == "most" else 1.0), _SUPERLATIVES[what][sense != "most"]
        for i, gap in self._rivals(candidates, lambda i: sign * self.measure(what, i)):
            yield self.chosen(self._measured(i, what, gap, -sign * gap, f"being the {word}"), i)

    def _measured(self, i: int, what: str, gap: float, up: float, border: str) -> Margin:
        """Return an object's margin to having `gap` more or less of a measure."""
        if what == "volume":
            percent = 100 * (math.exp(gap) - 1)
            return self.within(i, -percent, "%", border)
        shift = (0.0, 0.0) if what == "elevation" else None
        return self.within(i, -gap, self.unit, border, shift, up=up)

    def _by_distance(self, anchor: int, members: Sequence[int], sense: str) -> Iterator[Decision]:
        """Decisions about the nearest (farthest) object.

        Either a rival moves until it is as near as the nearest, or the reference moves until both
        are.
        """
        away, sign = self.world.distance_from(anchor), -1.0 if sense == "most" else 1.0
        word = "farthest from" if sense == "most" else "nearest to"
        best = min(members, key=lambda i: sign * away(i), default=None)
        in_space = self.rules.distance == "space"
        if anchor == VIEWER:  # a viewer who stands in a room measures on the ground
            in_space = self.rules.viewer != "stands"
        flat = np.array([1.0, 1.0, float(in_space)])
        start = np.array(self.world.point(anchor)) * flat
        for i, gap in self._rivals(members, lambda i: sign * away(i)):
            place, other = (np.array(self.world.point(k)) * flat for k in (i, best))
            if length := away(i):
                shift = -sign * gap / length * (place - start)
                border = f"being the {word} {self.short(anchor)}"
                yield self.chosen(self._moved(i, shift, border), i)
            offset = place - other
            length = float(np.linalg.norm(offset))
            if anchor != VIEWER and length > 1e-9:
                metres = float(((place + other) / 2 - start) @ offset) / length
                border = f"being nearer to {self.short(i)} than to {self.short(best)}"
                if sense == "most":
                    border = f"being farther from {self.short(i)} than {self.short(best)}"
                yield self.chosen(self._moved(anchor, offset * (metres / length), border), i)

    def _moved(self, i: int, shift: np.ndarray, border: str) -> Margin:
        """Return a margin that an object reaches by a world displacement."""
        x, y, z = map(float, shift)
        (rx, ry), (fx, fy) = self.world.axes["right"], self.world.axes["front"]
        over = x * rx + y * ry, x * fx + y * fy
        return self.within(i, -math.hypot(x, y, z), self.unit, border, over, up=z)

    def _turned_between(self, anchor: int, members: Sequence[int]) -> Iterator[Decision]:
        """Decisions about the object nearest to the front of `anchor`.

        `anchor` turns until two objects are equally far off its front, the shorter way.
        """
        axes = self.world.own_axes(anchor)
        turns = {i: self.world.turn(anchor, i, axes) for i in members}
        best = min(turns, key=lambda i: abs(turns[i]), default=None)
        for i, turn in turns.items():
            if i != best:
                halves = _both_halves((turn + turns[best]) / 2)
                by = math.degrees(min(halves, key=abs))
                border = f"facing {self.short(i)} more than {self.short(best)}"
                yield self.chosen(self.turning(anchor, -abs(by), by, border, border), i)

    def _squarest(
        self, direction: str, anchor: int, frame: Call, candidates: Sequence[int]
    ) -> Iterator[Decision]:
        """Decisions about the object most squarely in a direction.

        Another object takes its place, or the object itself leaves the cone.
        """
        axes, tellers = self.axes(frame, anchor), self.tellers(frame)
        signed = self.angles_from(direction, anchor, axes, candidates)
        ranked = sorted(signed, key=lambda i: abs(signed[i]))
        words = f"being the one {self.rules.spell('eight', direction)} of {self.short(anchor)}"
        cone = math.radians(self.rules.cone)
        if not ranked:
            return
        limit = min(abs(signed[ranked[0]]), cone)
        for i in ranked if abs(signed[ranked[0]]) > cone else ranked[1:]:
            if i not in tellers:
                turn = math.copysign(limit, signed[i]) - signed[i]
                yield self.chosen(self._swung(anchor, i, axes, turn, words), i)
        edge = min([cone, *(abs(signed[i]) for i in ranked[1:2])])
        if abs(signed[ranked[0]]) <= cone and ranked[0] not in tellers:
            turn = math.copysign(edge, signed[ranked[0]]) - signed[ranked[0]]
            then = ranked[1] if len(ranked) > 1 and abs(signed[ranked[1]]) <= cone else None
            yield self.chosen(self._swung(anchor, ranked[0], axes, turn, f"not {words}"), then)

    def _swung(self, anchor: int, i: int, axes: Axes, turn: float, border: str) -> Margin:
        """Return the margin of moving object i until its azimuth from `anchor` is larger by `turn`.

        The displacement is the shortest possible.
        """
        vector = self._image_shift(anchor, i, axes)
        shift = boundaries.to_ray(vector, math.atan2(*vector) - turn)
        return self.within(i, -math.degrees(abs(turn)), "degrees", border, shift, axes=axes)

    def _first_that_way(
        self, direction: str, anchor: int, frame: Call, candidates: Sequence[int]
    ) -> Iterator[Decision]:
        """Decisions about the nearest object in a direction, and about which objects are in it."""
        others = [i for i in candidates if i != anchor]
        lying = self.lying(direction, anchor, frame, others)
        away = self.world.distance_from(anchor)
        yield from self._by_distance(anchor, lying, "least")
        for i in others:
            if (margin := self._ahead(direction, anchor, frame, i)) is not None:
                left = toggled(lying, i)
                yield self.chosen(margin, min(left, key=away, default=None))

    # --- answers ----------------------------------------------------------------------------------

    def queried(self, what: str, object_call: Call, *_start: Call) -> Iterator[Decision]:
        if what in (*_SUPERLATIVES, "name", "purpose", "occlusion", "distance", "bearing"):
            return
        i = self.object(object_call)
        if what == "facing":
            yield self._faces(i, None)
        # the eight sectors are relative to the room, scaled to be as wide as it is long
        elif what == "side":
            right, front = self.world.off_centre(i)
            (across, along), middle = self.world.half, self.world.was.middle
            off = self.world.things[i].right - middle[0], self.world.things[i].front - middle[1]
            for border, turn, word in self._neighbours(-math.atan2(right, front), "eight"):
                ray = math.atan2(-math.sin(border) * across, math.cos(border) * along)
                where, shift = f"the {word} of the room", boundaries.to_ray(off, ray)
                margin = self.within(i, -math.degrees(abs(turn)), "degrees", where, shift)
                yield self.gives(margin, word)
        else:
            yield from self._believed(i, what)

    def _neighbours(self, turn: float, sectors: str) -> Iterator[tuple[float, float, str]]:
        """Yield (azimuth of the border, turn to it, answer beyond) on both sides of an azimuth.

        Radians from the front, counter-clockwise.
        """
        directions = self.sector_names(sectors)
        nearest = nearest_direction(turn, directions)
        for sense in (1, -1):
            away = {}
            for d in directions:
                if d != nearest:
                    away[d] = sense * (azimuth(nearest) - azimuth(d)) % math.tau
            other = min(away, key=away.__getitem__)
            border = -azimuth(nearest) + sense * away[other] / 2
            yield border, math.remainder(border - turn, math.tau), self.rules.spell(sectors, other)

    def way(self, start: Call, goal: Call, frame: Call, sectors: str) -> Iterator[Decision]:
        """Decisions about both borders of a sector.

        The goal moves to the border, or the object that defines the front turns.
        """
        b, a = self.disambiguate(goal, start, viewer=True)
        axes = self.axes(frame, a)
        owner = a if self._whose(frame) == "object" else None
        if len(frame.args) == 1 and isinstance(frame.args[0], Call):
            owner = self.object(frame.args[0])
        for border, turn, word in self._neighbours(self.world.turn(a, b, axes), sectors):
            if b != VIEWER and b not in self.tellers(frame):
                shift = boundaries.to_ray(self._image_shift(a, b, axes), -border)
                where, off = f"{word} of {self.short(a)}", -math.degrees(abs(turn))
                margin = self.within(b, off, "degrees", where, shift, axes=axes)
                yield self.gives(margin, word)
            if owner is not None:
                degrees = -math.degrees(turn)
                where = f"having {self.short(b)} {word}"
                yield self.gives(self.turning(owner, -abs(degrees), degrees, where, where), word)

    def image(self, direction: str, start: Call, goal: Call) -> Iterator[Decision]:
        """Decisions about an image.

        The pair turns, either way, until it leaves the cone in its image or is more squarely in
        the direction in another image.
        """
        b, a = self.disambiguate(goal, start, viewer=True)
        views, cone = self.info.views, math.radians(self.rules.cone)
        signed = [self.world.angle_from(direction, a, b, axes) for axes in views]
        best = min(range(len(signed)), key=lambda k: abs(signed[k]), default=None)
        if best is None or abs(signed[best]) > cone:
            return
        ends = [-signed[best] + side for side in (cone, -cone)]
        for k, other in enumerate(signed):
            if k != best:  # equally far from the direction, on both sides of it
                ends += _both_halves(-(signed[best] + other) / 2)
        direction_name = self.rules.spell("eight", direction)
        what = f"being as squarely {direction_name} of {self.short(a)} in another image"
        for sense in (1, -1):
            that_way = [end for end in ends if end * sense > 0]
            if not that_way:
                continue
            turn = min(that_way, key=abs)
            beyond = [abs(math.remainder(s + turn + sense * 1e-6, math.tau)) for s in signed]
            image = min(range(len(beyond)), key=beyond.__getitem__)
            then = None if beyond[image] > cone else str(image + 1)
            if then is not None and self.info.options:
                then = self.info.options[image]
            yield self.gives(self._swung(a, b, views[best], turn, what), then)

    def compared(self, what: str, first: Call, second: Call) -> Iterator[Decision]:
        words = MORE_OR_LESS.get(what, ("more", "less"))
        for margin, more in self._differing(what, first, second):
            yield self.gives(margin, self.rules.spell(what, words[more]))

    def greater(self, first: Call, second: Call) -> Iterator[Decision]:
        if is_measure(first, second):
            for margin, more in self._differing(first.args[0], first.args[1], second.args[1]):
                yield self.gives(margin, not more)

    def less(self, first: Call, second: Call) -> Iterator[Decision]:
        yield from self.greater(second, first)

    def _differing(self, what: str, first: Call, second: Call) -> Iterator[tuple[Margin, bool]]:
        """Yield (margin of two objects' measures, whether the first has more)."""
        a, b = self.object(first), self.object(second)
        gap = self.measure(what, a) - self.measure(what, b)
        words = MORE_OR_LESS.get(what, ("more", "less"))
        border = f"being {words[gap > 0]} than {self.short(b)}"
        yield self._measured(a, what, abs(gap), -gap, border), gap > 0

    def held(self, relation: str, first: Call, second: Call) -> Iterator[Decision]:
        two = self.both if relation == "nearer_than_before" else self.disambiguate
        a, b = two(first, second)
        if relation == "fits":
            spare = self.spare_width(a, b)
            word = "too wide" if spare >= 0 else "narrow enough"
            margin = self.within(a, -abs(spare), self.unit, f"being {word} for {self.short(b)}")
            yield self.gives(margin, not spare >= -1e-9)
        elif relation == "nearer_than_before":
            now, before = self.distances(a, b)
            if now >= 1e-9:
                x, y = self._image_shift(b, a, self.world.axes)
                shift = (x * (before - now) / now, y * (before - now) / now)
                border = f"being as far from {self.short(b)} as before"
                margin = self.within(a, -math.hypot(*shift), self.unit, border, shift)
                yield self.gives(margin, not now < before)
        elif body_relations.others_of(relation) == 1:
            margin = self._border(relation, [b], a)
            if margin is not None:
                yield self.gives(margin, not margin.distance > 0)


def _both_halves(angle: float) -> list[float]:
    """Return an angle and its opposite, in [-pi, pi]."""
    return [math.remainder(angle, math.tau), math.remainder(angle + math.pi, math.tau)]


DECISIONS: dict[str, Callable[..., Iterator[Decision]]] = {
    "scene": MarginFinder.exists,
    "filter": MarginFinder.filtered,
    "relate": MarginFinder.relating,
    "same": MarginFinder.same,
    "best": MarginFinder.best,
    "query": MarginFinder.queried,
    "direction": MarginFinder.way,
    "view": MarginFinder.image,
    "compare": MarginFinder.compared,
    "greater_than": MarginFinder.greater,
    "less_than": MarginFinder.less,
    "holds": MarginFinder.held,
}
