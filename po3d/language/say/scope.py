"""SCOPE's questions in English: the paper's wordings, which are a format, and our own paraphrases.

A paraphrase is drawn from a template with alternatives in brackets, nested as deep as one likes:
"[where|on which side] is {a}". It says what the wording says, to a robot or a person, and no more."""

from collections.abc import Sequence

import numpy as np

from po3d.language.program import Call, Tree
from po3d.language.programs.scope import SCOPE

ORDINALS = ("First", "Second", "Third", "Fourth")
IMAGES = tuple(f"{ordinal} Image" for ordinal in ORDINALS)

# The task of each template is that of `scope_score.TASKS`; {r} is the reference that lends its eyes, {k} the angle.
_PAPER = {
    "consistency_ego": "From the camera's perspective, where is the {a} relative to the {b}?",
    "consistency_allo": "From the perspective of a {r}, where is {a} relative to a {r}?",
    "consistency_allo sitting": "Imagine you are sitting on the {r}. From your perspective, where is the {a} relative to you?",
    "updating_ego": "Consider the scene from the viewer's perspective. Imagine a point exactly between the {a} and the {b}. "
    "Rotate {k}° counter-clockwise around this point. Now, where is the {a} relative to the {b}?",
    "updating_allo": "Imagine a point exactly between {an_r} and {an_a}. Rotate {k}° counter-clockwise around this point. "
    "Now, from the perspective of the {r}, where is the {a}?",
    "updating_allo sitting": "Imagine a point exactly between the {r} and the {a}. Rotate {k}° counter-clockwise around this "
    "point. Now imagine you are sitting on the {r}. From your perspective, where is the {a} relative to you?",
    "integration_ego": "From the camera's perspective, {an_a} is {rel} {an_b}. When seeing these four images ({order}), at "
    "which scene is this statement true? Answer with one of [First Image, Second Image, Third Image, Fourth Image].",
    "integration_allo": "From the standing human's perspective, there is an object behind them. What is the nearest object to "
    "it? When seeing these four images ({order}), answer with one of the given choices. Choices: [{choices}].",
}  # fmt: skip

_TURN = (
    "[Picture the spot|Take the point|Find the place] [halfway|midway|right in the middle] between the {x} and the {y}. "
    "[Walk|Move|Go|Swing] {k} [degrees|°] [counterclockwise|anticlockwise|counter-clockwise] around [it|that spot|that point]"
    "[ and look again|, still looking at it|]. "
)
_OURS = {
    "consistency_ego": (
        "[Looking through the camera|As the camera sees it|Seen from where the picture was taken], [where is the {a} relative to "
        "the {b}|on which side of the {b} is the {a}|in which direction from the {b} is the {a}]?",
        "[Tell me|Robot, tell me|Please tell me], from [the camera's point of view|the viewer's side|your camera], where the {a} "
        "[is|lies|stands] [relative to|with respect to|in relation to] the {b}.",
        "[Where is|Where do you see] the {a} [relative to|with respect to|compared with] the {b} "
        "[in this view|as the viewer sees it|as seen from the camera]?",
    ),
    "consistency_allo": (
        "[Put yourself in the place of the {r}|Be the {r} for a moment|Think yourself into the {r}] and look where [it|that one] "
        "looks: [where is the {a}|on which side of you is the {a}|in which direction from you is the {a}]?",
        "[Seen through the eyes of the {r}|From the {r}'s point of view|As the {r} sees it], [where is the {a}|on which side is "
        "the {a}|in which direction is the {a}]?",
        "If you were the {r}, [where would the {a} be|on which side of you would the {a} be]?",
    ),
    "consistency_allo sitting": (
        "[Say you sit|Suppose you are sitting|Let's say you are seated] on the {r}[, looking ahead|, facing the way it faces|]. "
        "[Where is the {a} then|On which side of you is the {a}|In which direction from you is the {a}]?",
        "If you [sat down on|were sitting on|took a seat on] the {r}, [where would the {a} be|on which side of you would the {a} "
        "be]?",
    ),
    "updating_ego": (
        _TURN + "[Where is the {a} relative to the {b} now|On which side of the {b} is the {a} now|From there, where is the {a} "
        "with respect to the {b}]?",
        "You see this scene [as the camera does|from the camera]. If you [walked|went|moved] {k} degrees [counterclockwise|"
        "counter-clockwise|anticlockwise] around the [midpoint|middle] between the {x} and the {y}, [where would the {a} be "
        "relative to the {b}|on which side of the {b} would the {a} be]?",
    ),
    "updating_allo": (
        _TURN + "[Through the eyes of the {r}|From the {r}'s point of view|As the {r} sees it], [where is the {a} now|on which side "
        "is the {a} now]?",
    ),
    "updating_allo sitting": (
        _TURN + "[Now sit down on|Then take a seat on|Now say you sit on] the {r}. [Where is the {a} then|On which side of you is "
        "the {a}]?",
    ),
    "integration_ego": (
        "Here are four [views|pictures|images] of one scene ({order}). [In which of them|In which one] is the {a} {rel} the {b}, "
        "[as the camera sees it|from the camera's point of view]?",
        "[Look at|Go through] the four [pictures|images|views] ({order}) and [pick|name] the one in which the camera sees the {a} "
        "{rel} the {b}.",
    ),
    "integration_allo": (
        "[Something|There is something that] stands behind the standing [person|human]. [Taking all four|Given the four] [images|"
        "views|pictures] together ({order}), which of these is [closest|nearest] to it: {choices}?",
        "[Think of|Take] the object [behind the standing person|at the back of the standing human]. Which of [these|the following] "
        "is [nearest|closest] to it, [going by|judging from] the four [images|views] ({order}): {choices}?",
    ),
}  # fmt: skip
_RELATIONS = {
    "front": "in front of", "behind": "behind", "left": "to the left of", "right": "to the right of",
    "front-left": "to the front-left of", "front-right": "to the front-right of",
    "behind-left": "to the behind-left of", "behind-right": "to the behind-right of",
}  # fmt: skip


def say(
    program: Call,
    task: str,
    random: np.random.Generator | None = None,
    sitting: bool = False,
    angles: Sequence[int] = (),
    choices: Sequence[str] = (),
) -> str:
    """The paper's wording of a program, or a paraphrase when a generator is given. `sitting`: the reference is sat on;
    `angles`: of several images, in order."""
    key = f"{task} sitting" if sitting else task
    words = _words(SCOPE.spelled(program))
    words["order"] = ", ".join(f"{o} Image is {v}°" for o, v in zip(ORDINALS, angles))
    words["choices"] = ", ".join(choices)
    template = (
        _PAPER[key] if random is None else _drawn(_OURS[key][int(random.integers(len(_OURS[key])))], random)
    )
    return template.format(**words)


def with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _words(program: Tree) -> dict[str, str]:
    """What the templates' slots hold."""
    if program.op == "turned":
        angle, first, second, inner = program.args
        return {**_words(inner), "k": angle, "x": first.args[0], "y": second.args[0]}
    if program.op == "name":
        return {}
    if program.op == "which_view":
        label, target, reference = program.args
        words = {"rel": _RELATIONS[label]}
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


def _drawn(template: str, random: np.random.Generator) -> str:
    """The template with one alternative of each bracket."""
    while "]" in template:
        end = template.index("]")
        start = template.rindex("[", 0, end)
        options = template[start + 1 : end].split("|")
        template = template[:start] + options[int(random.integers(len(options)))] + template[end + 1 :]
    return template
