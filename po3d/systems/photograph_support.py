"""What an object in a photograph stands or sits on, by the boxes in the image."""

import numpy as np

from po3d.language.program import Call
from po3d.reasoning.grounded import Ground
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.scene.table import Scene

# An object's support by the image's boxes: share of the narrower box that both have in common, the
# share of the object's height below which the support begins, and by which it may end higher.
SHARED, LOWER, SLACK = 0.5, 0.5, 0.1


def descriptions(program: Call) -> list[str]:
    """Return the descriptions of objects in a program, in order."""
    return [str(call.args[0]) for call in program.calls() if call.op == "refer"]


def under(scene: Scene, row: int) -> list[int]:
    """Return the objects that may carry an object, by their boxes in the image."""
    x0, y0, x1, y1 = scene.objects[row].box
    rows = []
    for i, o in enumerate(scene.objects):
        left, top, right, bottom = o.box
        shared = min(x1, right) - max(x0, left)
        beside = shared < SHARED * min(x1 - x0, right - left)
        low = top >= y0 + LOWER * (y1 - y0) and bottom >= y1 - SLACK * (y1 - y0)
        if i != row and low and not beside:
            rows.append(i)
    return rows


def support_outcome(program: Call, scene: Scene, using: Ground) -> Outcome:
    """Answer what an object stands or sits on, by the boxes in the image; ExecutionFailure if no
    detected object is under it."""
    phrases = descriptions(program)
    if len(phrases) != 1:
        raise ExecutionFailure("unknown", "The thing whose support is asked for has no description")
    phrase = phrases[0]
    beliefs = list(using(phrase, scene))
    if not beliefs or max(beliefs) <= 0:
        raise ExecutionFailure("not found", f"No object named {phrase!r} was detected")
    row = int(np.argmax(beliefs))
    candidates = []
    for k in under(scene, row):
        candidates.append((scene.objects[k].existence, scene.objects[k].value("name")))
    if not candidates:
        raise ExecutionFailure("unknown", f"Nothing that was detected is under {phrase!r}")
    chance, name = max(candidates)
    return Outcome("ok", name, chance * max(beliefs), valid=1.0, rows=(row,))
