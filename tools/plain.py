"""The meaning of programs written down as directly as it can be: sets and loops, no arrays.

Slow on purpose: the tests hold the executors to its answers.
"""

import math

from po3d.language.programs.street import Program, Step
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import lineage


def plain_answer(program: Program, scene: Scene, task: Task = "2d", rules: Rules = STREET_RULES) -> str:
    """The answer on a certain scene with the street world's axes; ExecutionFailure where a step has no result."""
    results: list = []
    for step in program.steps:
        results.append(_step(step, [results[i] for i in step.inputs], scene, task, rules))
    last = results[-1]
    return {True: "yes", False: "no"}[last] if isinstance(last, bool) else str(last)


def _step(step: Step, inputs: list, scene: Scene, task: Task, rules: Rules):
    everything = range(len(scene))
    op, args = step.op, step.args
    if op == "scene":
        return set(everything)
    if op == "filter":
        return {i for i in inputs[0] if _has(scene, i, *args, rules)}
    if op == "unique":
        if len(inputs[0]) != 1:
            raise ExecutionFailure("ambiguous" if inputs[0] else "not found", f"{len(inputs[0])} objects")
        return next(iter(inputs[0]))
    if op in ("union", "intersect"):
        return inputs[0] | inputs[1] if op == "union" else inputs[0] & inputs[1]
    if op == "count":
        return len(inputs[0])
    if op == "exist":
        return bool(inputs[0])
    if op == "query":
        return _value(scene, inputs[0], args[0], rules)
    if op in ("equal", "equal_integer"):
        return inputs[0] == inputs[1]
    if op == "less_than":
        return inputs[0] < inputs[1]
    if op == "greater_than":
        return inputs[0] > inputs[1]
    i = inputs[0]
    if op == "aligned" and rules.aligned_needs_label:
        _value(scene, i, "facing", rules)
    return {j for j in everything if _related(op, args, scene, i, j, task, rules)}


def _related(op: str, args: tuple[str, ...], scene: Scene, i: int, j: int, task: Task, rules: Rules) -> bool:
    """Whether j is in the relation to i."""
    a, b = scene.objects[i], scene.objects[j]
    if op == "occludees":
        return _hider(scene, j) == i
    if op == "occluder":
        return _hider(scene, i) == j
    if i == j:
        return False
    if op == "same":
        return a.value(args[0]) == b.value(args[0])
    if op == "aligned":
        turn = abs(_pose_degree(a, rules) - _pose_degree(b, rules))
        turn = min(turn, 360 - turn)
        same, opposite = turn < rules.aligned_same_deg, turn > rules.aligned_opposite_deg
        return {"same": same, "opposite": opposite, "vertical": not same and not opposite,
                "parallel": same or opposite}[args[0]]  # fmt: skip
    if op == "relate":
        direction, frame = args
        if frame == "task":
            frame = {"2d": "camera", "6d": "object"}[task]
        dx, dy = b.position[0] - a.position[0], b.position[1] - a.position[1]
        if frame == "camera":
            x, y = scene.axes[direction]
            return dx * x + dy * y > rules.margin_2d
        turn = {"front": 0, "left": math.pi / 2, "behind": math.pi, "right": -math.pi / 2}[direction]
        return dx * math.cos(a.heading + turn) + dy * math.sin(a.heading + turn) > rules.margin_6d
    if op == "collide":
        return _hits(a, b, args[0] == "forward", rules)
    raise AssertionError(op)


def _hits(a: ObjectState, b: ObjectState, forward: bool, rules: Rules) -> bool:
    """Whether the strip that a's footprint sweeps meets b's: b's outline is clipped to the strip."""
    way = a.heading if forward else a.heading + math.pi
    c, s = math.cos(way), math.sin(way)
    outline = []
    for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        x, y = u * b.extent[0] / 2, v * b.extent[1] / 2
        dx = b.position[0] + x * math.cos(b.heading) - y * math.sin(b.heading) - a.position[0]
        dy = b.position[1] + x * math.sin(b.heading) + y * math.cos(b.heading) - a.position[1]
        outline.append((dx * c + dy * s, dy * c - dx * s))  # along the way, and across it
    half = a.extent[1] / 2 + rules.sweep_margin
    for inside in (
        lambda p: p[0] + a.extent[0] / 2,  # not behind the starting place
        lambda p: half - p[1],
        lambda p: half + p[1],
    ):
        kept = []
        for p, q in zip(outline, outline[1:] + outline[:1]):
            at_p, at_q = inside(p), inside(q)
            if at_p >= 0:
                kept.append(p)
            if at_p * at_q < 0:
                t = at_p / (at_p - at_q)
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
        outline = kept
    return bool(outline)


def _has(scene: Scene, i: int, attribute: str, value: str, rules: Rules) -> bool:
    if attribute == "facing":
        return _facing(scene.objects[i], rules) == value
    if attribute == "occlusion":
        hidden = _hider(scene, i) is not None
        hiding = any(_hider(scene, j) == i for j in range(len(scene)))
        return {"occluded": hidden, "unoccluded": not hidden, "occluding": hiding}[value]
    return value in lineage(scene.objects[i].value(attribute))


def _value(scene: Scene, i: int, attribute: str, rules: Rules) -> str:
    if attribute != "facing":
        return scene.objects[i].value(attribute)
    label = _facing(scene.objects[i], rules)
    if label is None:
        raise ExecutionFailure("unknown", "the object faces between two directions")
    return label


def _pose_degree(o: ObjectState, rules: Rules) -> float:
    return (rules.facing_zero_deg - math.degrees(o.heading)) % 360


def _facing(o: ObjectState, rules: Rules) -> str | None:
    degree, w = _pose_degree(o, rules), rules.facing_window_deg
    if degree < w or degree > 360 - w:
        return "back"
    for centre, label in ((90, "right"), (180, "front"), (270, "left")):
        if centre - w < degree <= centre + w:
            return label
    return None


def _hider(scene: Scene, i: int) -> int | None:
    """The dominant occluder of i; ExecutionFailure when the scene says nothing about occlusion."""
    if scene.occluders is None:
        raise ExecutionFailure("unknown", "occlusion is unknown")
    return next(iter(scene.occluders[i]), None)
