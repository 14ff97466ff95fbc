"""Runs a question of `sr_program` on a table: descriptions to rows, rows to an answer, with margins and a trace.

What a description means is somebody else's business: a `Ground` says how much it believes in each row. The answer is
the one with most belief over all readings of the descriptions, and its probability their share. With `samples`, poses
are drawn from the table's covariances too, so the probability knows how near the boundary is.
"""

import itertools
import math
import re
from collections.abc import Callable, Sequence

from po3d.language.programs.threedsrbench import SrProgram
from po3d.reasoning.outcome import ExecutionFailure, Outcome, failed
from po3d.reasoning.threedsrbench_geometry import DEFAULT_SR_RULES, SrRules, Verdict, View
from po3d.scene.table import Scene
from po3d.scene.worlds import worlds

# A description and a table -> a probability for each row; what is missing to 1 means "not there".
Ground = Callable[[str, Scene], Sequence[float]]

READINGS = 4  # the most probable rows of a description that are looked at
LEAST = 0.05  # belief below which a description is not found
LEAST_BELIEVED = 1e-6  # the same on a table that an estimator made, where what is named is taken for granted
TAKEN = "taken for granted: "  # how the reason of an answer begins that names what was not found
PRESENT = 0.5  # existence from which a row counts as there
_ROW = re.compile(r"#(\d+)(?:\s+(.+))?")  # a row and what it is called


def rows_only(phrase: str, scene: Scene) -> list[float]:
    """The `Ground` of gold programs: "#3" and "#3 brown chair" mean row 3, anything else nothing."""
    found = _ROW.fullmatch(phrase)
    return [float(found is not None and i == int(found[1])) for i in range(len(scene))]


def run(
    program: SrProgram,
    scene: Scene,
    ground: Ground = rows_only,
    rules: SrRules = DEFAULT_SR_RULES,
    samples: int = 0,
    seed: int = 0,
    assume_present: bool = True,
) -> Outcome:
    """Answer a program on a table. A description is found when some row that is there, by a half or more, may be meant. A
    question takes for granted that what it names is there, so on a table that an estimator made even an unlikely row is
    taken for what was not found, and the outcome's reason says so (TAKEN); with `assume_present` false the question fails
    instead, as it does on any other table."""
    predicted = scene.source == "predicted"
    beliefs, granted = [], []
    for phrase in program.things:
        meant = ground(phrase, scene)
        there = [p if o.existence >= PRESENT else 0.0 for p, o in zip(meant, scene.objects, strict=True)]
        belief = [p * o.existence for p, o in zip(meant, scene.objects)] if predicted else there
        found = sum(there) >= LEAST
        if not found and not (predicted and assume_present and sum(belief) >= LEAST_BELIEVED):
            missing = ExecutionFailure("not found", f"not found: {phrase!r} is not in the table")
            return failed(missing, probability=0.0)
        if not found:
            granted.append(repr(phrase))
        beliefs.append(belief)
    reason = f"{TAKEN}{', '.join(granted)}" if granted else ""
    readings = _readings(beliefs)
    if not readings:
        same = f"no row left: {', '.join(program.things)} mean the same thing"
        return failed(ExecutionFailure("ambiguous", same), probability=0.0)
    best = readings[0][1]
    steps = [f"{phrase!r} = {_named(scene, i)}" for phrase, i in zip(program.things, best)]
    try:
        verdict = View(scene, rules).decide(program.op, best)
        shares = _shares(program, scene, readings, rules, samples, seed)
    except ExecutionFailure as failure:
        return failed(failure, probability=0.0, rows=best, trace=tuple(steps))
    answer = max(shares, key=lambda a: (shares[a], a == verdict.answer))
    said = program.things[answer] if isinstance(answer, int) else answer
    steps.append(f"{program.op} = {said} ({_margins(verdict)})")
    margins = {"metres": verdict.metres, "degrees": verdict.degrees}
    return Outcome("ok", said, shares[answer], reason=reason, trace=tuple(steps), rows=best, **margins)


def called(thing: str) -> str:
    """A description without its row: "brown chair" of "#3 brown chair", which is what its option says."""
    found = _ROW.fullmatch(thing)
    return found[2] if found and found[2] else thing


def _readings(beliefs: Sequence[Sequence[float]]) -> list[tuple[float, tuple[int, ...]]]:
    """(weight, rows) of the most probable readings, heaviest first: different descriptions mean different rows. The
    weights sum to 1."""
    likely = [[i for i in sorted(range(len(b)), key=lambda i: -b[i])[:READINGS] if b[i] > 0] for b in beliefs]
    found = [
        (math.prod(b[i] for b, i in zip(beliefs, rows)), rows)
        for rows in itertools.product(*likely)
        if len(set(rows)) == len(rows)
    ]
    total = sum(weight for weight, _ in found)
    return sorted(((w / total, rows) for w, rows in found), key=lambda f: -f[0])


def _shares(
    program: SrProgram,
    scene: Scene,
    readings: Sequence[tuple[float, tuple[int, ...]]],
    rules: SrRules,
    samples: int,
    seed: int,
) -> dict[str | int, float]:
    """Answer -> its probability, over readings and drawn poses."""
    scenes = [scene]
    if samples:  # existence and looks are weighed by the readings, exactly; to draw them would only add noise
        scenes = worlds(scene, ("pose", "flip"), count=samples, seed=seed).scenes()
    shares: dict[str | int, float] = {}
    for one in scenes:
        view = View(one, rules)
        for weight, rows in readings:
            try:
                answer = view.decide(program.op, rows).answer
            except ExecutionFailure:  # of a less probable reading; the most probable one has an answer
                continue
            shares[answer] = shares.get(answer, 0.0) + weight / len(scenes)
    return shares


def _named(scene: Scene, i: int) -> str:
    state = scene.objects[i]
    name = state.value("name") if "name" in state.beliefs else state.name or "object"
    return f"#{i} {name}"


def _margins(verdict: Verdict) -> str:
    parts = [f"{verdict.metres:.2f} m"] if math.isfinite(verdict.metres) else []
    parts += [f"{verdict.degrees:.0f}°"] if math.isfinite(verdict.degrees) else []
    return f"{' and '.join(parts)} from the boundary"
