"""Operations of the batched executor of rooms that return sets: masks (W, m) over the objects."""

import math
from collections.abc import Sequence

import numpy as np

from po3d.language.program import Call
from po3d.reasoning import body_relations, relations
from po3d.reasoning.directions import azimuth
from po3d.reasoning.room_tables import LOOKS, Codes, Mask, NotBatchable
from po3d.reasoning.set_operations import EDITED_OBJECT, is_name
from po3d.scene.geometry import Array


class BatchedSets:
    """Operations that return sets; `batched.Runner` has all operations."""

    def _scene(self) -> Mask:
        return self.times()

    def _filter(self, attribute: str, text: str, set_call: Call) -> Mask:
        if attribute not in (*LOOKS, "name", "side", "purpose"):
            raise NotBatchable(f"the scenes lack {attribute}")
        fits, members = self.fits(attribute, text), self.value(set_call)
        having = members & fits
        if attribute not in LOOKS:
            return having & self.times() if attribute == "name" else having
        lacking = ~having.any(1) & members.any(1)
        known = (members & (self.rows("codes", attribute) >= 0)).any(1)
        if self.naming:
            return np.where((lacking & ~known)[:, None], members, having)
        has_attribute = self.tables.has_attribute[attribute]
        if set_call.op == "group":
            has_attribute = has_attribute & known
        self.fail(lacking & ~has_attribute)
        return having

    def _exclude(self, *args) -> Mask:
        if len(args) == 3:
            attribute, text, set_call = args
            if attribute not in LOOKS:
                raise NotBatchable(f"the scenes lack {attribute}")
            known = self.rows("codes", attribute) >= 0
            return self.value(set_call) & ~self.fits(attribute, text) & known
        anchor_call, set_call = args
        if anchor_call.op == "unique" and is_name(anchor_call.args[0]):
            named = anchor_call.args[0]
            candidates = self.value(named)
            about = candidates & self.rows("flags", "salient")
            single = self._picked(candidates, named, fail=candidates.sum(1) <= 1)
            excluded = np.where((about.sum(1) == 1)[:, None], about, candidates)
            out = np.where((candidates.sum(1) > 1)[:, None], excluded, self.one_hot(single))
        else:
            out = self.one_hot(self.object(anchor_call))
        return self.value(set_call) & ~out

    def _union(self, first: Call, second: Call) -> Mask:
        return self.value(first) | self.value(second)

    def _intersect(self, first: Call, second: Call) -> Mask:
        return self.value(first) & self.value(second)

    def _group(self, *ones: Call) -> Mask:
        if len(ones) == 1:
            return self.one_hot(self.object(ones[0]))
        a, b = self.both(*ones)
        return self.one_hot(a) | self.one_hot(b)

    def both(self, first: Call, second: Call) -> tuple[Codes, Codes]:
        if first != second or first.op != "unique":
            return self.object(first), self.object(second)
        bad, pair = self.bad, self.value(first.args[0])
        two, self.bad = pair.sum(1) == 2, bad
        single = self.object(first)
        self.bad = np.where(two, bad, self.bad)
        last = pair.shape[1] - 1 - pair[:, ::-1].argmax(1)
        return np.where(two, pair.argmax(1), single), np.where(two, last, single)

    def _changed(self, set_call: Call) -> Mask:
        return self.value(set_call) & self.rows("flags", "salient")

    def _relate(self, relation: str, *args: Call) -> Mask:
        if isinstance(args[0], str):
            raise NotBatchable(f"{args[0]} of a set")
        if len(args) == 3 and args[1].op == "frame":
            anchor, frame, set_call = self.object(args[0]), *args[1:]
            return self.lying(relation, anchor, frame) & self.value(set_call)
        *ones, set_call = args
        if relation == "on" and ones[0] == EDITED_OBJECT:
            bad, below = self.bad, self.tables.below_it
            anchor = self.object(ones[0])
            self.bad = np.where(below < 0, self.bad, bad)
            anchors = [np.where(below < 0, anchor, below)]
        else:
            anchors = list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]
        return self.related(relation, anchors) & self.value(set_call)

    def lying(self, direction: str, anchor: Codes, frame: Call) -> Mask:
        """Return (W, m): the other objects in the cone of a direction from an object."""
        off = np.abs(wrapped(self.turn(anchor, frame) + azimuth(direction)))
        inside = off <= body_relations.cone(direction, self.rules)
        return inside & ~self.stacked(anchor) & ~self.one_hot(anchor)

    def turn(self, anchor: Codes, frame: Call) -> Array:
        """Return (W, m): angles of the vectors from an object to all objects.

        Radians from the front, counter-clockwise.
        """
        if len(frame.args) != 1 or not isinstance(frame.args[0], str) or frame.args[0] == "task":
            raise NotBatchable(f"the frame {frame} is not batched")
        if frame.args[0] == "object":
            x, y = self.offsets(anchor, "x", "y")
            return np.arctan2(y, x) - np.arctan2(self.of("s", anchor), self.of("c", anchor))
        return -np.arctan2(*self.offsets(anchor, "right", "front"))

    def offsets(self, anchor: Codes, *names: str) -> list[Array]:
        """Return (W, m) differences of coordinates of all objects from those of one."""
        return [self.thing(name) - self.of(name, anchor) for name in names]

    def related(self, relation: str, ones: Sequence[Codes]) -> Mask:
        """Return (W, m): the objects in a relation to one object, or to two."""
        if len(ones) != body_relations.others_of(relation):
            raise NotBatchable(f"{relation} of {len(ones)} objects is not batched")
        anchor, every, others = ones[0], self.body(), ~self.one_hot(ones[0])
        if relation in body_relations.BODIES:
            for other in ones[1:]:
                self.fail(anchor == other)
                others = others & ~self.one_hot(other)
            bodies = list(map(self.body, ones))
            return body_relations.BODIES[relation].holds(bodies, every, self.rules, np) & others
        if relation == "on":
            return self.rows("codes", "below") == anchor[:, None]
        if relation == "supporting":
            below = self.of("below", anchor, "codes")[:, 0]
            return self.one_hot(below) & (below >= 0)[:, None]
        if relation in relations.ALIGNED:
            first = self.body(anchor)
            c, s = first.c * every.c + first.s * every.s, first.c * every.s - first.s * every.c
            turn = np.rad2deg(np.abs(np.arctan2(s, c)))
            spare = relations.alignment(turn, relation, self.rules, np)
            return relations.holds_at(spare, relation) & others
        raise NotBatchable(f"{relation} is not batched")

    def _same(self, attribute: str, like: Call, set_call: Call) -> Mask:
        if attribute not in (*LOOKS, "name", "purpose"):
            raise NotBatchable(f"a comparison of {attribute} is not batched")
        anchor = self.object(like)
        codes, code = self.rows("codes", attribute), self.of(attribute, anchor, "codes")
        if attribute == "purpose":
            shared = (codes & code) > 0
        else:
            self.fail(code[:, 0] < 0)
            shared = codes == code
        return self.value(set_call) & shared & ~self.one_hot(anchor)


def wrapped(turn: Array) -> Array:
    """Return angles wrapped into [-pi, pi]."""
    return turn - math.tau * np.round(turn / math.tau)
