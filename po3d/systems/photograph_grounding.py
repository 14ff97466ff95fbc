"""Groundings of the descriptions in questions about photographs by ground truth, or with errors."""

from po3d.io.seeding import rng
from po3d.language.program import ProgramError
from po3d.language.programs.threedsrbench import parse_text
from po3d.reasoning.grounded import Ground, rows_only, without_row
from po3d.reasoning.grounding import ground
from po3d.reasoning.questions import Question
from po3d.scene.table import Scene
from po3d.systems.image_scenes import ImageScenes


def true_ground(question: Question, tables: ImageScenes) -> Ground:
    """Return the grounding by the gold program; a description that is not in it is grounded in the
    true scene."""
    try:
        things = parse_text(question.program).things if question.program else ()
    except ProgramError:
        things = ()
    truth, (rows,) = tables.true, tables.rows.values()
    referents = {without_row(thing): rows_only(thing, truth) for thing in things}
    row_of = {j: k for k, j in enumerate(rows) if j is not None}

    def grounded(phrase: str, scene: Scene) -> list[float]:
        beliefs = [0.0] * len(scene)
        for j, belief in enumerate(referents.get(phrase) or ground(phrase, truth)):
            if j in row_of:
                beliefs[row_of[j]] = belief
        return beliefs

    return grounded


def mistaken(using: Ground, sigma: float, seed: int = 0) -> Ground:
    """Return a grounding in which a share `sigma` of the descriptions refers to another object; an
    error is shared by all questions with that description."""

    def grounded(phrase: str, scene: Scene) -> list[float]:
        beliefs = list(using(phrase, scene))
        changed, other = rng(seed, f"noise/grounding/{scene.image}/{phrase}").random(2)
        if changed >= sigma or len(beliefs) < 2 or not any(beliefs):
            return beliefs
        likeliest = beliefs.index(max(beliefs))
        taken = int(other * (len(beliefs) - 1))
        taken += taken >= likeliest
        beliefs[likeliest], beliefs[taken] = beliefs[taken], beliefs[likeliest]
        return beliefs

    return grounded
