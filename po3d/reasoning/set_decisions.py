"""Decisions about sets: which objects a filter or a relation selects.

Distances are the signed distances of `relations`; `boundaries` gives the shortest way to a border.
"""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from po3d.language.program import Call
from po3d.reasoning import body_relations, boundaries, relations
from po3d.reasoning.boundaries import Shift
from po3d.reasoning.decisions import Decision, DecisionFinder
from po3d.reasoning.directions import AHEAD, azimuth, side_bounds
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.margin_values import Margin
from po3d.reasoning.set_operations import VIEWER_SET
from po3d.reasoning.world import VIEWER
from po3d.scene.display import describe
from po3d.scene.orbit import sense_of
from po3d.scene.vocabulary import lineage


class SetDecisions(DecisionFinder):
    """Finds the decisions of calls that return sets."""

    def exists(self) -> Iterator[Decision]:
        scene = self.subject.scene
        for row, o in enumerate(scene.objects):
            ahead = 2 * o.existence - 1
            if abs(ahead) < 1:
                objects = list(scene.objects)
                objects[row] = replace(o, existence=float(ahead <= 0))
                other = replace(scene, objects=tuple(objects))
                words = o.value("name") if "name" in o.beliefs else describe(o, row)
                margin = self._likelier(row, ahead, "there", words)
                yield Decision(margin, lambda other=other: self.subject.on(other))

    def filtered(self, attribute: str, text: str, set_call: Call) -> Iterator[Decision]:
        known = {"side": AHEAD, "facing": relations.CENTRES}
        if attribute in ("name", "purpose") or text not in known.get(attribute, (text,)):
            return
        for i in self.members(set_call):
            if attribute == "side":
                yield self._at_side(text, i)
            elif attribute == "facing":
                yield self._faces(i, text)
            elif attribute == "occlusion":
                yield from self._occlusion(i, text)
            else:
                yield from self._believed(i, attribute, text)

    def _at_side(self, side: str, i: int) -> Decision:
        (across, along), (middle, ahead) = self.world.half, self.world.was.middle
        thing, spare = self.world.things[i], []
        right, front = thing.right - middle, thing.front - ahead
        for x, y, least in side_bounds(side, self.rules):
            spare.append((x * right + y * front - least * (across if x else along), x, y))
        metres, shift = boundaries.over_border(spare)
        boundary = f"the {self.rules.spell('eight', side)} side of the room"
        return self.member(self.within(i, metres, self.unit, boundary, shift), i)

    def relating(self, relation: str, *args: Call) -> Iterator[Decision]:
        if isinstance(args[0], str):  # relations to a set have no margin
            return
        if args[-2].op == "frame":
            start, frame, set_call = args
            anchor = self.reference(start)
            for i in [VIEWER] if set_call == VIEWER_SET else self.members(set_call):
                if i != anchor and (margin := self._ahead(relation, anchor, frame, i)) is not None:
                    yield self.member(margin, i)
            return
        *ones, set_call = args
        anchors = self.anchors(ones)
        if len(anchors) != body_relations.others_of(relation):
            return
        if relation in relations.ALIGNED and self.rules.aligned_needs_label:
            yield self._faces(anchors[0], None)
        for i in self.members(set_call):
            if i in anchors:
                continue
            if relation == "occluded_by":
                yield from self._hides(i, anchors[0])
            elif relation != "occluding":
                margin = self._border(relation, anchors, i)
                if margin is not None:
                    yield self.member(margin, i)
        if relation == "occluding":
            yield from self._hidden(anchors[0])

    def _ahead(self, direction: str, anchor: int, frame: Call, i: int) -> Margin | None:
        """Return the margin of an object for the region of a direction."""
        direction_name = self.rules.spell("eight", direction).replace("_", " ")
        boundary = f"{direction_name} of {self.short(anchor)}"
        if i in self.tellers(frame):  # moving it would turn the frame too
            return None
        axes = self.axes(frame, anchor)
        if self.rules.region == "half plane":
            spare = []
            for side in direction.split("_"):
                spare.append((self.beyond(side, anchor, frame)[i], *AHEAD[side]))
            metres, shift = boundaries.over_border(spare)
            return self.within(i, metres, self.unit, boundary, shift, axes=axes)
        if VIEWER not in (anchor, i) and self.world.stacked(anchor, i):
            return None
        vector = self._image_shift(anchor, i, axes)
        if math.hypot(*vector) < 1e-9:  # at the viewer's position
            return None
        cone = body_relations.cone(direction, self.rules)
        off = -self.world.angle_from(direction, anchor, i, axes)  # clockwise
        shift = boundaries.to_ray(vector, azimuth(direction) + math.copysign(cone, off))
        return self.within(i, math.degrees(cone - abs(off)), "degrees", boundary, shift, axes=axes)

    def _border(self, relation: str, ones: Sequence[int], i: int) -> Margin | None:
        """Return the margin of an object for a relation to others; None without a border."""
        world, anchor = self.world, ones[0]
        if relation in relations.ALIGNED:
            return self._alignment(relation, anchor, i)
        if relation in relations.RELATIONS:
            _, words, unit, _ = relations.RELATIONS[relation]
            spare, boundary = world.spare(relation)[anchor][i], words.format(self.short(anchor))
            return self.within(i, spare, self.unit if unit == "length" else unit, boundary)
        definition = body_relations.BODIES.get(relation)
        if definition is None or not definition.crossable(self.rules):
            return None
        boundary = definition.words.format(*map(self.short, ones))
        if relation in _WAYS:
            reached = _WAYS[relation](self, *ones, i)
            return reached and self.within(i, reached[0], self.unit, boundary, reached[1])
        return self.within(i, world.inside(relation, ones, i), self.unit, boundary)

    def _way_beside(self, anchor: int, i: int) -> tuple[float, Shift | None] | None:
        """Return the distance to the border of "next to" and the shortest displacement to it; None
        for stacked objects."""
        metres = self.world.inside("next_to", [anchor], i)
        if self.rules.next_to_in == "sizes":
            return metres, None
        if self.world.stacked(anchor, i):
            return None
        # footprints that overlap also have to move apart
        gap, way = boundaries.aside(self.world.things[anchor].box, self.world.things[i].box)
        metres -= min(gap, 0.0)
        return metres, self._in_frame(way, metres)

    def _way_between(self, a: int, b: int, i: int) -> tuple[float, Shift] | None:
        things, spare = self.world.things, []
        bounds = body_relations.between_bounds(things[a], things[b], self.rules)
        if math.inf in bounds[0]:
            return None
        right, front = self._image_shift(a, i, self.world.axes)
        for x, y, least in bounds:
            spare.append((x * right + y * front - least, x, y))
        return boundaries.over_border(spare)

    def _way_off_path(self, a: int, b: int, i: int) -> tuple[float, Shift] | None:
        start, end, thing = (self.world.things[k] for k in (a, b, i))
        if not body_relations.BODIES["blocking"].condition([start, end], thing, self.rules):
            return None
        way, metres = boundaries.leaving(thing.box, start.box[:2], end.box[:2], self.rules.path)
        return metres, self._in_frame(way, metres)

    def _alignment(self, relation: str, anchor: int, i: int) -> Margin:
        degrees = self.world.street.degrees
        turn = float((degrees[i] - degrees[anchor] + 180) % 360 - 180)  # clockwise
        same, opposite = self.rules.aligned_same_deg, self.rules.aligned_opposite_deg
        distance = relations.alignment(abs(turn), relation, self.rules)
        edges = (same, -same) if relation == "same_direction" else (opposite, -opposite)
        if relation in ("perpendicular", "parallel"):
            edges = (same, -same, opposite, -opposite)
        way = min([math.remainder(turn - edge, 360) for edge in edges], key=abs)
        boundary = relations.RELATIONS[relation].words.format(self.short(anchor))
        return self.within(i, distance, "degrees", boundary, turn=way)

    # --- headings, attributes, occlusion ----------------------------------------------------------

    def _faces(self, i: int, value: str | None) -> Decision:
        """Return the decision about the facing window `value`.

        None: the window in which the object is, or the nearest one.
        """
        degree = float(self.world.street.degrees[i])
        off = {}  # clockwise from the centre of each window
        for facing, centre in relations.CENTRES.items():
            off[facing] = (degree - centre + 180) % 360 - 180
        value = value or min(off, key=lambda facing: abs(off[facing]))
        off = off[value]
        distance = self.rules.facing_window_deg - abs(off)
        label = value if distance <= 0 else boundaries.facing_beyond(degree, value, self.rules)
        world = copy.copy(self.world)
        world.facings = [*self.world.facings[:i], label, *self.world.facings[i + 1 :]]
        turn = off - math.copysign(self.rules.facing_window_deg, off)
        turn *= sense_of(self.world.axes)
        margin = self.within(i, distance, "degrees", f"facing {value}", turn=turn)
        info, program = self.info, self.subject.program
        return Decision(margin, lambda: Evaluator(world, info).answer_and_reason(program))

    def _beliefs(self, i: int, attribute: str) -> dict[str, float]:
        row = self.subject.row(i)
        if row is None:
            return {}
        return dict(self.subject.scene.objects[row].beliefs.get(attribute, {}))

    def _as(self, i: int, attribute: str, value: str) -> dict:
        row = self.subject.numbers[i]
        return {**self.subject.scene.objects[row].beliefs, attribute: {value: 1.0}}

    def _believed(self, i: int, attribute: str, value: str = "") -> Iterator[Decision]:
        belief = self._beliefs(i, attribute)
        if len(belief) < 2:
            return
        top = max(belief, key=belief.__getitem__)
        wanted = value or top
        # the most probable value of each side, and its probability
        best: dict[bool, tuple[float, str | None]] = {True: (0.0, None), False: (0.0, None)}
        for v, p in belief.items():
            side = wanted in lineage(v)
            if best[side][1] is None or p > best[side][0]:
                best[side] = p, v
        ahead = best[True][0] - best[False][0]
        holds = ahead > 0 or (wanted in lineage(top) and ahead == 0)
        other = best[not holds][1]
        if abs(ahead) < 1 and other is not None:
            beliefs = self._as(i, attribute, other)
            yield self.table(self._likelier(i, ahead, wanted), i, beliefs=beliefs)

    def same(self, attribute: str, like: Call, set_call: Call) -> Iterator[Decision]:
        """Yield the cheapest change of either value that makes two objects differ, or agree."""
        i = self.object(like)
        for j in self.members(set_call):
            mine, theirs = self._beliefs(i, attribute), self._beliefs(j, attribute)
            if j == i or not mine or not theirs:
                continue
            my_value = max(mine, key=mine.__getitem__)
            their_value = max(theirs, key=theirs.__getitem__)
            agree, ways = my_value == their_value, []
            for n, belief, value, other in (
                (i, mine, my_value, their_value),
                (j, theirs, their_value, my_value),
            ):
                for v, p in belief.items():
                    if v != value and (agree or v == other):
                        ways.append((belief[value] - p, n, v))
            if ways and (best := min(ways))[0] < 1:
                ahead, n, v = best
                border = f"of the {attribute} of {self.short(i)}"
                margin = self._likelier(j, ahead if agree else -ahead, border)
                yield self.table(margin, n, beliefs=self._as(n, attribute, v))

    def _occlusion(self, i: int, value: str) -> Iterator[Decision]:
        if self.subject.scene.occluders is None:
            return
        if value == "occluding":
            nearest = []
            for j in self.world.times(False):
                if j != i:
                    nearest += self._hides(j, i)
            hiding = [d for d in nearest if d.margin.distance > 0]
            if len(hiding) < 2:  # one inverted decision does not stop an object that hides several
                yield from sorted(hiding or nearest, key=lambda d: d.margin.normalised)[:1]
            return
        for decision in self._hidden(i):
            if value == "unoccluded":
                margin = self._likelier(i, -decision.margin.distance, "unoccluded")
                decision = decision._replace(margin=margin)
            yield decision

    def _hidden(self, i: int) -> Iterator[Decision]:
        """Decisions about whether any object occludes object i."""
        scene, row = self.subject.scene, self.subject.row(i)
        if scene.occluders is None or row is None:
            return
        belief = scene.occluders[row]
        present = [j for j in belief if j in self.subject.numbers]
        hider = max(present, key=belief.__getitem__, default=None)
        ahead = belief.get(hider, 0.0) - (1 - sum(scene.occluders[row].values()))
        if ahead > 0:
            turned = self._occluders(row, {})
        else:  # the table has no occluder for an object that is not occluded
            turned = None if hider is None else self._occluders(row, {hider: 1.0})
        if abs(ahead) < 1:
            yield Decision(self._likelier(i, ahead, "occluded"), turned)

    def _hides(self, i: int, j: int) -> Iterator[Decision]:
        """Decisions about whether j is the dominant occluder of i."""
        scene, row, by = self.subject.scene, self.subject.row(i), self.subject.row(j)
        if scene.occluders is None or row is None or by is None:
            return
        belief = scene.occluders[row]
        others: dict[int | None, float] = {}
        for n, p in belief.items():
            if n != by and n in self.subject.numbers:
                others[n] = p
        others[None] = 1 - sum(belief.values())
        best = max(others, key=others.__getitem__)
        ahead = belief.get(by, 0.0) - others[best]
        then = by if ahead <= 0 else best
        turned = self._occluders(row, {} if then is None else {then: 1.0})
        if abs(ahead) < 1:
            yield Decision(self._likelier(i, ahead, f"occluded by #{by}"), turned)

    def _occluders(
        self, row: int, belief: dict[int, float]
    ) -> Callable[[], tuple[str | None, str]]:
        occluders = list(self.subject.scene.occluders or ())
        occluders[row] = belief
        return lambda: self.subject.on(replace(self.subject.scene, occluders=tuple(occluders)))


# distance to the border of a relation and the shortest way there, where it is known
_WAYS: dict[str, Callable[..., tuple[float, Shift | None] | None]] = {
    "next_to": SetDecisions._way_beside,
    "between": SetDecisions._way_between,
    "blocking": SetDecisions._way_off_path,
}
