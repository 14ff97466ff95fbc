"""Generate SCOPE's questions: the paper's fixed wordings, and paraphrases (scope.grammar)."""

from collections.abc import Sequence

import numpy as np

from po3d.language.english import with_article
from po3d.language.grammar import load
from po3d.language.program import Call, Tree
from po3d.language.programs.scope import SCOPE

ORDINALS = ("First", "Second", "Third", "Fourth")
IMAGES = tuple(f"{ordinal} Image" for ordinal in ORDINALS)


def say(
    program: Call,
    task: str,
    random: np.random.Generator | None = None,
    sitting: bool = False,
    angles: Sequence[int] = (),
    choices: Sequence[str] = (),
) -> str:
    """Return the paper's wording of a program, or a paraphrase if `random` is given.

    `sitting`: the reference is something to sit on; `angles`: of several images, in order.
    """
    key = f"{task}.sitting" if sitting else task
    words = _words(SCOPE.from_core(program))
    words["order"] = ", ".join(f"{o} Image is {v}°" for o, v in zip(ORDINALS, angles))
    words["choices"] = ", ".join(choices)
    if random is None:
        return load("scope").fill(f"paper.{key}", lambda n: 0, **words)
    return load("scope").fill(f"ours.{key}", lambda n: int(random.integers(n)), **words)


def _words(program: Tree) -> dict[str, str]:
    """Return the values of the templates' slots."""
    if program.op == "turned":
        angle, first, second, inner = program.args
        return {**_words(inner), "k": angle, "x": first.args[0], "y": second.args[0]}
    if program.op == "name":
        return {}
    if program.op == "which_view":
        label, target, reference = program.args
        (relation,) = load("scope").wordings(f"relation.{label.replace('-', '_')}")
        words = {"rel": relation}
    else:
        target, reference, _ = program.args
        words = {}
    a, b = target.args[0], reference.args[0]
    return words | {
        "a": a,
        "b": b,
        "r": b,
        "an_a": with_article(a),
        "an_b": with_article(b),
        "an_r": with_article(b),
    }
