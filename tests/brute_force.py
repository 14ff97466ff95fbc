"""The meaning of a street's programs written down a second time, one object at a time: what the
executors are held to.
"""

import math

import numpy as np
from generators import LINKS

from po3d.language.programs.street import StreetProgram
from po3d.reasoning.questions import Task
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, PARENT

STREET_ZERO = {"left": 270, "right": 90, "front": 180, "back": 0}


class Fails(Exception):
    """The program has no answer."""


def brute_force(program: StreetProgram, scene: Scene, task: Task) -> str:
    """The answer by plain sets, geometry by plain trigonometry (collisions by sampling both
    outlines).
    """
    everyone = range(len(scene))
    objects = scene.objects

    def known(attribute):
        if any(attribute not in o.beliefs for o in objects):
            raise Fails
        return [o.value(attribute) for o in objects]

    def degree(i):
        return (140 - math.degrees(objects[i].heading)) % 360

    def facing(i):
        for name, centre in STREET_ZERO.items():
            if abs((degree(i) - centre + 180) % 360 - 180) < 30:
                return name
        return None

    def hider(i):
        if scene.occluders is None:
            raise Fails
        return next(iter(scene.occluders[i]), None)

    def keeps(i, attribute, value):
        if attribute == "facing":
            return facing(i) == value
        if attribute == "occlusion":
            occluding = any(hider(j) == i for j in everyone)
            occluded = hider(i) is not None
            return {"occluded": occluded, "unoccluded": not occluded, "occluding": occluding}[value]
        result = known(attribute)[i]
        return value in (result, PARENT.get(result))

    def towards(i, j, direction, frame):
        a, b = objects[i], objects[j]
        dx, dy = b.position[0] - a.position[0], b.position[1] - a.position[1]
        if {"task": {"2d": "camera", "6d": "object"}[task]}.get(frame, frame) == "camera":
            ax, ay = scene.axes[direction]
        else:
            turn = {"front": 0, "left": math.pi / 2, "behind": math.pi, "right": -math.pi / 2}[
                direction
            ]
            ax, ay = math.cos(a.heading + turn), math.sin(a.heading + turn)
        return dx * ax + dy * ay > 0.2

    def alignment(i, j, how):
        if facing(i) is None:
            raise Fails
        turn = abs((degree(i) - degree(j) + 180) % 360 - 180)
        name = "same" if turn < 45 else "opposite" if turn > 135 else "vertical"
        return name == how or (how == "parallel" and name != "vertical")

    def runs_into(i, j, travel):
        """Does any point of j's outline lie in i's path? (The path never fits inside one
        footprint.)
        """
        a, b = objects[i], objects[j]
        steps = np.linspace(-0.5, 0.5, 201)
        u = np.concatenate([steps, steps, np.full(201, 0.5), np.full(201, -0.5)]) * b.extent[0]
        v = np.concatenate([np.full(201, 0.5), np.full(201, -0.5), steps, steps]) * b.extent[1]
        x = b.position[0] + u * math.cos(b.heading) - v * math.sin(b.heading) - a.position[0]
        y = b.position[1] + u * math.sin(b.heading) + v * math.cos(b.heading) - a.position[1]
        heading = a.heading + (0 if travel == "forward" else math.pi)
        along = x * math.cos(heading) + y * math.sin(heading)
        aside = y * math.cos(heading) - x * math.sin(heading)
        return bool(((np.abs(aside) <= a.extent[1] / 2) & (along >= -a.extent[0] / 2)).any())

    def run(step, inputs):
        op, args = step.op, step.args
        if op == "scene":
            return set(everyone)
        if op == "filter":
            if args[0] in ATTRIBUTES:
                known(args[0])
            elif args[0] == "occlusion" and scene.occluders is None:
                raise Fails
            return {i for i in inputs[0] if keeps(i, *args)}
        if op == "unique":
            if len(inputs[0]) != 1:
                raise Fails
            return next(iter(inputs[0]))
        if op in LINKS:
            i = inputs[0]
            truth = {
                "relate": lambda j: towards(i, j, *args),
                "same": lambda j: known(args[0])[i] == known(args[0])[j],
                "aligned": lambda j: alignment(i, j, *args),
                "occludees": lambda j: hider(j) == i,
                "occluder": lambda j: hider(i) == j,
                "collide": lambda j: runs_into(i, j, *args),
            }[op]
            truth(i)  # fails here when the reference itself is the trouble
            return {j for j in everyone if j != i and truth(j)}
        if op == "query":
            value = facing(inputs[0]) if args[0] == "facing" else known(args[0])[inputs[0]]
            if value is None:
                raise Fails
            return value
        a, b = (*inputs, None)[:2]
        return {
            "union": lambda: a | b,
            "intersect": lambda: a & b,
            "count": lambda: len(a),
            "exist": lambda: len(a) > 0,
            "equal": lambda: a == b,
            "equal_integer": lambda: a == b,
            "less_than": lambda: a < b,
            "greater_than": lambda: a > b,
        }[op]()

    done = []
    for step in program.steps:
        done.append(run(step, [done[k] for k in step.inputs]))
    return {True: "yes", False: "no"}[done[-1]] if isinstance(done[-1], bool) else str(done[-1])
