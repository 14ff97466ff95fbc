"""Execute programs with descriptions (3DSRBench), marginalised over the rows they may denote.

A `Ground` gives the probability of each row for a description. The answer is the one with the
largest total probability over all assignments of rows to descriptions. With `samples`, poses are
also sampled from the table's covariances, so that the probability reflects the distance to the
decision border.
"""

import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from po3d.language.program import Call, ProgramError
from po3d.language.programs.threedsrbench import THREEDSRBENCH
from po3d.reasoning.counterfactuals import Counterfactual, margins_in
from po3d.reasoning.execute import QuestionInfo, run
from po3d.reasoning.outcome import ExecutionFailure, Outcome, failed
from po3d.reasoning.references import BoundPhrases
from po3d.reasoning.rules import THREEDSRBENCH_RULES, Rules
from po3d.reasoning.world import SceneGeometry
from po3d.scene.posterior import posterior_samples
from po3d.scene.table import Scene

# (description, table) -> a probability for each row; the remainder to 1 means "not there"
Ground = Callable[[str, Scene], Sequence[float]]

READINGS = 4  # number of most probable rows considered per description
LEAST = 0.05  # probability below which a description is not found
LEAST_BELIEVED = 1e-6  # the threshold on predicted tables, where the named object is presupposed
# prefix of the reason of an answer that presupposes an object that was not found
TAKEN = "assumed: "
PRESENT = 0.5  # minimum existence probability of a row that counts as present
_ROW = re.compile(r"#(\d+)(?:\s+(.+))?")  # a row number and its name


def rows_only(phrase: str, scene: Scene) -> list[float]:
    """The `Ground` of ground-truth programs: "#3" and "#3 brown chair" denote row 3.

    Other texts denote nothing.
    """
    match, belief = _ROW.fullmatch(phrase), [0.0] * len(scene)
    if match and int(match[1]) < len(scene):
        belief[int(match[1])] = 1.0
    return belief


def without_row(thing: str) -> str:
    """Return a description without its row number, as in the options: "brown chair"."""
    match = _ROW.fullmatch(thing)
    return match[2] if match and match[2] else thing


def with_unique_phrases(program: Call) -> tuple[Call, dict[str, str]]:
    """Return the program with a unique name for every description, and the words of each name.

    Two equal descriptions denote two objects if the benchmark asks about both.
    """
    words: dict[str, str] = {}
    two = _is_benchmark_form(program)

    def named(call: Call) -> Call:
        if call.op == "refer":
            phrase = name = str(call.args[0])
            while two and name in words:
                name += " again"
            words[name] = phrase
            return Call("refer", (name,))
        args = tuple(named(arg) if isinstance(arg, Call) else arg for arg in call.args)
        return Call(call.op, args)

    return named(program), words


def _is_benchmark_form(program: Call) -> bool:
    try:
        THREEDSRBENCH.from_core(program)
    except ProgramError:
        return False
    return True


def answered(
    program: Call,
    scene: Scene,
    ground: Ground = rows_only,
    rules: Rules = THREEDSRBENCH_RULES,
    samples: int = 0,
    seed: int = 0,
    assume_present: bool = True,
) -> Outcome:
    """Answer a program on a table.

    A description is found if a row with existence of at least PRESENT may be denoted. A question
    presupposes the objects that it names; so on a predicted table even an improbable row is used,
    and the outcome's reason says so (TAKEN). With `assume_present` false the question fails
    instead, as on any other table.
    """
    program, words = with_unique_phrases(program)
    predicted = scene.source == "predicted"
    beliefs: dict[str, list[float]] = {}
    assumed = []
    for name, phrase in words.items():
        beliefs[name], present = _belief(phrase, scene, ground)
        if present:
            continue
        assumed.append(repr(phrase))
        if not (predicted and assume_present and sum(beliefs[name]) >= LEAST_BELIEVED):
            missing = ExecutionFailure("not found", f"not found: {phrase!r} is not in the scene")
            return failed(missing, probability=0.0)
    reason = f"{TAKEN}{', '.join(assumed)}" if assumed else ""
    readings = _readings(beliefs)
    if not readings:
        same = f"nothing left to compare: {', '.join(words.values())} refer to the same object"
        return failed(ExecutionFailure("ambiguous", same), probability=0.0)
    best = readings[0][1]
    likeliest = run(program, SceneGeometry.of(scene, rules), QuestionInfo(refer=BoundPhrases(best)))
    known = {"make_trace": likeliest.make_trace, "rows": tuple(best.values())}
    if likeliest.answer is None:
        failure = ExecutionFailure(likeliest.kind, likeliest.reason)
        return failed(failure, probability=0.0, **known)
    shares = _shares(program, scene, readings, rules, samples, seed)
    answer = max(shares, key=lambda a: (shares[a], a == likeliest.answer))
    present = 1.0
    for belief in beliefs.values() if predicted else ():
        present *= 1 - math.prod(1 - p for p in belief)
    valid = present * sum(shares.values())
    word = words.get(answer, answer)
    return Outcome("ok", word, shares[answer], reason=reason, valid=valid, **known)


def _belief(phrase: str, scene: Scene, ground: Ground) -> tuple[list[float], bool]:
    """Return a description's probability for each row, on a predicted table times its existence;
    and whether any row that counts as present may be denoted."""
    weighted, there = [], []
    for p, o in zip(ground(phrase, scene), scene.objects, strict=True):
        weighted.append(p * o.existence)
        there.append(p if o.existence >= PRESENT else 0.0)
    return weighted if scene.source == "predicted" else there, sum(there) >= LEAST


def nearest(
    program: Call, scene: Scene, outcome: Outcome, rules: Rules = THREEDSRBENCH_RULES
) -> Counterfactual | None:
    """Return the nearest decision that changes an answer, for the most probable assignment of rows.

    None without an answer, or if less probable assignments together give another answer.
    """
    if outcome.answer is None:
        return None
    program, words = with_unique_phrases(program)
    context = QuestionInfo(refer=BoundPhrases(dict(zip(words, outcome.rows))))
    near = margins_in(program, SceneGeometry.of(scene, rules), context)
    return near.flip if words.get(near.answer, near.answer) == outcome.answer else None


def _readings(beliefs: Mapping[str, Sequence[float]]) -> list[tuple[float, dict[str, int]]]:
    """Return (weight, row of each phrase) of the most probable assignments of rows to phrases, in
    descending order.

    Different descriptions denote different rows. The weights sum to 1.
    """
    likely = []
    for belief in beliefs.values():
        ranked = sorted(range(len(belief)), key=lambda i: -belief[i])
        likely.append([i for i in ranked[:READINGS] if belief[i] > 0])
    weights, readings = [], []
    for rows in itertools.product(*likely):
        if len(set(rows)) == len(rows):
            weights.append(math.prod(map(operator.getitem, beliefs.values(), rows)))
            readings.append(dict(zip(beliefs, rows)))
    total = sum(weights)
    shares = [weight / total for weight in weights]
    return sorted(zip(shares, readings), key=lambda reading: -reading[0])


def _shares(
    program: Call,
    scene: Scene,
    readings: Sequence[tuple[float, Mapping[str, int]]],
    rules: Rules,
    samples: int,
    seed: int,
) -> dict[str, float]:
    """Return the probability of each answer over assignments of rows and sampled poses."""
    scenes = [scene]
    # readings weigh existence and attributes exactly; sampling them would only add noise
    if samples:
        scenes = posterior_samples(scene, ("pose", "flip"), count=samples, seed=seed).scenes()
    shares: dict[str, float] = {}
    for sampled_scene in scenes:
        world = SceneGeometry.of(sampled_scene, rules)
        for weight, rows in readings:
            answer = run(program, world, QuestionInfo(refer=BoundPhrases(rows))).answer
            # a less probable reading may have no answer; the most probable one has
            if answer is not None:
                shares[answer] = shares.get(answer, 0.0) + weight / len(scenes)
    return shares
