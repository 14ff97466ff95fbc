"""The reader of SCOPE's questions: the paper's examples, wordings that no generator of ours says,
and refusals.
"""

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.language.programs.scope import CAMERA, SCOPE, call
from po3d.language.read.scope_reader import read
from po3d.language.say.scope import say
from po3d.scene.orbit import LABELS
from po3d.synthesis.multi_view.catalogue import PEOPLE, things

EXAMPLES = {  # the paper's figures 18 to 23
    "From the camera's perspective, where is the green trash can relative to the orange trash can?": (
        'where(thing("green trash can"), thing("orange trash can"), camera)'
    ),
    "From the perspective of a standing man, where is rock relative to a standing man?": (
        'where(thing("rock"), thing("standing man"), own(thing("standing man")))'
    ),
    "Imagine you are sitting on the bench. From your perspective, where is metal drum relative to you?": (
        'where(thing("metal drum"), thing("bench"), own(thing("bench")))'
    ),
    "Consider the scene from the viewer's perspective. Imagine a point exactly between the plastic chair and the black parking sign. Rotate 90° counter-clockwise around this point. Now, where is the plastic chair relative to the black parking sign?": (
        'turned("90", thing("plastic chair"), thing("black parking sign"), '
        'where(thing("plastic chair"), thing("black parking sign"), camera))'
    ),
    "Imagine a point exactly between a standing man and a cat. Rotate 90° counter-clockwise around this point. Now, from the perspective of the man, where is the cat?": (
        'turned("90", thing("standing man"), thing("cat"), where(thing("cat"), thing("man"),'
        ' own(thing("man"))))'
    ),
    "Imagine a point exactly between the bench and the road. Rotate 180° counter-clockwise around this point. Now imagine you are sitting on the bench. From your perspective, where is the road relative to you?": (
        'turned("180", thing("bench"), thing("road"), where(thing("road"), thing("bench"),'
        ' own(thing("bench"))))'
    ),
    "From the camera's perspective, a cup is to the left of a black cellphone. When seeing these four images (First Image is 0° , Second Image is 90° , Third Image is 180° , Fourth Image is 270°), at which scene is this statement true? Answer with one of [First Image, Second Image, Third Image, Fourth Image].": (
        'which_view("left", thing("cup"), thing("black cellphone"))'
    ),
    "From the standing human's perspective, there is an object behind them. What is the nearest object to it? When seeing these four images (First Image is 45° , Second Image is 135° , Third Image is 225° , Fourth Image is 315°), answer with one of the given choices. Choices: [rock, bicycle, box, dog].": (
        'name(nearest(toward("behind", thing("standing human"))))'
    ),
}
OTHERS = {
    "Hey robot, from where your camera is, which side of the trash can is the bench on?": (
        'where(thing("bench"), thing("trash can"), camera)'
    ),
    "From your camera, is the apple in front of, behind, left or right of the phone?": (
        'where(thing("apple"), thing("phone"), camera)'
    ),
    "If you were sitting on the bench, which direction would the black tile be from you?": (
        'where(thing("black tile"), thing("bench"), own(thing("bench")))'
    ),
    "Standing where the man is and facing the way he faces, where is the rock?": (
        'where(thing("rock"), thing("man"), own(thing("man")))'
    ),
    "From the dog's point of view, where's the bed?": (
        'where(thing("bed"), thing("dog"), own(thing("dog")))'
    ),
    "If the camera moved a quarter turn clockwise around the point midway between the bicycle and the trash can, where would the bicycle appear relative to the trash can?": (
        'turned("270", thing("bicycle"), thing("trash can"), where(thing("bicycle"), thing("trash'
        ' can"), camera))'
    ),
    "In which of the four images does the camera see the cup behind the cellphone?": (
        'which_view("behind", thing("cup"), thing("cellphone"))'
    ),
}


@pytest.mark.parametrize(("text", "program"), [*EXAMPLES.items(), *OTHERS.items()])
def test_questions_are_read(text, program):
    assert SCOPE.text(read(text).program) == program


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("What is the weather like?", "the perspective"),
        ("Where is the cup?", "the perspective"),
        ("From the camera's perspective, where is the cup?", "the reference"),
        ("From the camera's perspective, how tall is the cup?", "the target"),
        (
            "Rotate 90° counter-clockwise. Where is the cup relative to the box?",
            "point around which the observer moves",
        ),
        (
            (
                "Imagine a point exactly between the cup and the box. Rotate 50° counter-clockwise"
                " around this point. Now, where is the cup relative to the box?"
            ),
            "not a multiple of 45",
        ),
        (
            (
                "Imagine a point exactly between the cup and the box. Rotate 90° around this point."
                " Now, where is the cup relative to the box?"
            ),
            "the direction",
        ),
        ("Look at these four images. How many cups are there?", "the question about these images"),
        ("x" * 5000, "limit"),
    ],
)
def test_what_is_not_understood_is_reported(text, reason):
    parsed = read(text)
    assert parsed.program is None
    assert reason in parsed.reason


def test_every_wording_and_paraphrase_is_read_as_it_was_intended():
    random = rng(5, "scope reader")
    names = [f"standing {t}" if t in PEOPLE else t for t in things()] + ["red crate"]
    for _ in range(60):
        a, b = (names[i] for i in random.choice(len(names), 2, replace=False))
        one, other = call("thing", a), call("thing", b)
        visible, own = (
            call("where", one, other, CAMERA),
            call("where", one, other, call("own", other)),
        )
        turn = str(random.choice((90, 180, 270)))
        query = [
            ("consistency_ego", visible, False),
            ("updating_ego", call("turned", turn, one, other, visible), False),
            (
                "integration_ego",
                call("which_view", LABELS[int(random.integers(8))], one, other),
                False,
            ),
            *(("consistency_allo", own, sitting) for sitting in (False, True)),
            *(
                ("updating_allo", call("turned", turn, other, one, own), sitting)
                for sitting in (False, True)
            ),
        ]
        for task, program, sitting in query:
            for generator in (None, random):
                text = say(program, task, generator, sitting, (45, 135, 225, 315))
                assert read(text).program == program, text


def test_paraphrases_vary_and_fill_every_slot():
    program = call("where", call("thing", "cup"), call("thing", "box"), CAMERA)
    texts = {say(program, "consistency_ego", np.random.default_rng(k)) for k in range(40)}
    assert len(texts) > 12
    assert not any(mark in text for text in texts for mark in "[]{}|")
