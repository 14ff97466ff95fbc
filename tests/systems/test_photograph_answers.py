"""Answers about photographs whose objects come from a detector with a fixed list of classes."""

from dataclasses import replace

import numpy as np
import pytest

from po3d.language.program import Call
from po3d.perception.onnx_detector import coco_names
from po3d.perception.photo_detections import calibrated
from po3d.reasoning.grounding import ground
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.questions import Question
from po3d.scene.camera import CameraPose, held
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene
from po3d.systems import photograph_answers as answers
from po3d.systems import photograph_support
from po3d.systems.api import Model
from po3d.systems.parse_execution import run
from po3d.systems.photographs import PHOTOGRAPHS, question_parser
from po3d.systems.pipeline import ImageScenes, Pipeline

CLASSES = ("person", "dog", "chair", "skateboard", "bird")


def thing(name, x, y, box, existence=0.98, color="black"):
    """An object at x to the right and y ahead of the camera."""
    covariance = ((0.001, 0, 0), (0, 0.001, 0), (0, 0, 3.0))
    beliefs = {"name": {name: 1.0}, "color": {color: 1.0}}
    return ObjectState(beliefs, (x, y, 0.5), 0.0, (0.5, 0.5, 1.0), covariance, 0.5, existence, box)


def scene(*things):
    camera = held(CameraPose(1.5, 0.0, 0.0, 1.5707963), 640, 480, 1.0)
    return Scene(things, viewer_axes((0.0, 1.0)), "predicted", camera, image="view")


PARK = scene(
    thing("person", 0.5, 4.0, (300, 100, 400, 400)),
    thing("dog", 1.0, 20.0, (330, 250, 360, 280)),
    thing("skateboard", 0.5, 3.9, (290, 380, 410, 410)),
    thing("chair", -2.0, 5.0, (60, 200, 120, 300), 0.9),
)


def ask(text, table=PARK, options=(), classes=CLASSES):
    domain = replace(PHOTOGRAPHS, classes=classes)
    question = Question("q", "", text, "2d", "", options=options, images=("view",))
    (reading,) = question_parser(photographs=True).read([question])
    assert domain.own_wording(question, reading)
    return run(domain.bind(ImageScenes({"view": table})), question, reading).outcome


def test_counts_and_existence():
    assert ask("How many dogs are there?").answer == "1"
    assert ask("Is there a chair?").answer == "yes"
    absent = ask("Is there a bird?")
    assert absent.answer == "no"
    assert absent.probability == pytest.approx(1 - answers.presence(answers.ABSENT))
    assert ask("How many birds are there?").probability < absent.probability


def test_a_kind_that_the_detector_does_not_know_is_named():
    outcome = ask("Is there a window?")
    assert outcome.answer is None
    assert outcome.reason == "The detector has no class 'window'"
    assert ask("Which is nearer, the dog or the lamp?").answer is None


def test_a_thing_that_is_taken_for_granted_but_not_detected_is_improbable():
    table = scene(*PARK.objects[:2], thing("bird", 0.0, 6.0, (320, 200, 330, 210), 0.04))
    result = ask("Is the dog in front of the person or behind them?")
    doubtful = ask("Is the bird in front of the person or behind them?", table)
    assert result.probability > 0.9
    assert doubtful.probability < 0.5


def test_left_and_right_are_those_of_the_image():
    # the dog is 1 m to the right, yet far away: left of the person in the image
    assert ask("Is the dog left or right of the person?").answer == "left"
    assert ask("Is the dog to the left of the person?").answer == "yes"
    assert ask("Is the dog on the left or the right side of the picture?").answer == "right"


def test_without_a_named_point_of_view_and_a_known_heading_the_viewers_is_intended():
    viewers = ask("Is the dog on the left or the right side of the person?")  # the twin's wording
    own = ask("From the perspective of the person, is the dog on the left or on the right?")
    assert viewers.answer == "left"
    assert viewers.probability > 0.9
    assert own.probability <= 0.5
    assert "a guess" in own.reason


def test_the_nearest_thing_and_what_it_stands_on():
    assert ask("What is next to the person?").answer == "skateboard"
    assert ask("What is the person standing on?").answer == "skateboard"
    assert ask("What is the chair standing on?").answer is None


def test_of_several_the_larger_one_is_intended():
    table = scene(thing("person", 5.0, 30.0, (500, 200, 510, 220)), *PARK.objects)
    assert ask("What is the guy standing on?", table).answer == "skateboard"


def test_presence_and_calibration_rise():
    assert answers.presence(0.0) < 0.1 < 0.9 < answers.presence(0.6)
    assert answers.presence(0.3) < answers.presence(0.3, 4.0)
    assert [round(calibrated(s), 2) for s in (0.05, 0.25, 0.9)] == [0.3, 0.75, 0.99]


def test_choices_without_options_are_refused():
    with pytest.raises(ExecutionFailure, match="offers no answers"):
        answers.refuse_unknown(
            Call.parse("query(name, best(distance, least, viewer, choices))"), CLASSES
        )


def test_what_supports_an_undescribed_thing_is_unknown():
    program = Call.parse("query(name, unique(relate(supporting, unique(scene), scene)))")
    with pytest.raises(ExecutionFailure, match="no description"):
        photograph_support.support_outcome(program, PARK, lambda phrase, scene: [])


BASEBALL = scene(
    thing("person", 0.0, 4.0, (100, 50, 260, 400)),
    thing("person", 0.5, 5.0, (400, 100, 480, 300)),
    thing("person", -1.0, 6.0, (20, 100, 90, 300)),
    thing("baseball bat", 0.5, 5.0, (470, 90, 520, 160), 0.9),
    thing("baseball glove", -1.0, 6.0, (10, 180, 40, 210), 0.9),
)
SPORT = ("person", "baseball bat", "baseball glove", "surfboard", "stop sign", "traffic light")


def test_people_are_known_by_what_they_use():
    text = "Is the batter left or right of the catcher?"
    result = ask(text, BASEBALL, classes=SPORT)
    assert (result.answer, result.rows) == ("right", (2, 1))
    assert result.probability > 0.7
    assert ask(text, scene(*BASEBALL.objects[:3]), classes=SPORT).probability < 0.6
    umpire = ask("Is the umpire left or right of the batter?", BASEBALL, classes=SPORT)
    assert umpire.rows == (1, 0)  # the largest of those who hold nothing
    assert ask("How many batters are there?", BASEBALL, classes=SPORT).answer == "1"


def test_what_is_on_what():
    assert ask("Is the person standing on a skateboard?").answer == "yes"
    doubtful = ask("Is the person standing on some kind of bird?")  # none is detected
    assert doubtful.probability < 0.74
    unknown = ask("Is the dog lying on the rug?")
    assert unknown.probability < 0.74


def test_the_subject_of_a_question_is_taken_for_granted():
    man = ask("Is the man standing on a skateboard?")
    assert (man.answer, man.probability > 0.9) == ("yes", True)
    assert ask("Is a man standing on a skateboard?").probability < 0.8  # some person may be none
    weak = scene(*PARK.objects[:2], replace(PARK.objects[2], existence=0.4))
    assert ask("Is the man standing on a skateboard?", weak).probability < 0.7


def test_an_object_with_two_names_counts_by_their_probabilities():
    both = replace(PARK.objects[1], beliefs={"name": {"bird": 0.6, "dog": 0.4}})
    outcome = ask("How many swans are there?", scene(PARK.objects[0], both))
    assert outcome.answer == "1"
    assert outcome.probability < ask("How many birds are there?", scene(both)).probability < 0.9


PEOPLE = scene(  # the far one stands 9 m to the right, yet further left in the picture
    thing("person", 1.0, 4.0, (420, 300, 500, 460)),
    thing("person", 9.0, 60.0, (380, 20, 400, 60)),
    thing("person", 0.0, 5.0, (300, 200, 360, 400), color="orange"),
)


@pytest.mark.parametrize(
    ("noun", "name"),
    [
        ("grandma", "person"),
        ("students", "person"),
        ("flamingos", "bird"),
        ("bear cub", "bear"),
        ("train car", "train"),
        ("silverware", "fork"),
        ("speedboat", "boat"),
    ],
)
def test_everyday_words_are_kinds_of_the_classes(noun, name):
    known = [one for one in coco_names() if answers.knows(noun, one)]
    assert name in known
    assert noun != "train car" or known == [name]


def test_ranks_are_those_of_the_picture_and_a_color_of_a_part_counts():
    using = answers.salient(ground)
    for phrase, row in (
        ("person on the right", 0),
        ("person at the top", 1),
        ("person in the orange cap", 2),
    ):
        assert np.argmax(using(phrase, PEOPLE)) == row
    third = {"black": 0.9, "orange": 0.1}
    parts = [replace(o, beliefs={**o.beliefs, "color": third}) for o in PEOPLE.objects]
    sure = sum(using("person in the orange cap", scene(*parts)))
    assert sure > 0.9


def test_absence_is_uncertain_where_the_classes_are_a_part_of_a_kind():
    assert ask("Is there a sign?", BASEBALL, classes=SPORT).probability < 0.74
    assert ask("Is there a stop sign?", BASEBALL, classes=SPORT).probability > 0.9
    assert ask("Is there a lamp?", BASEBALL, classes=SPORT).answer is None
    assert ask("Is there an animal?", scene(PARK.objects[0])).probability > 0.9


class Second:
    alone = False

    def readings(self, questions, tables):
        raise AssertionError("consulted")


def answer_of(text, table=PARK, **options):
    """Ask a model whose detector always gives this table."""

    class Looks:
        true = False

        def tables(self, looks):
            return [[table] for _ in looks]

    domain = replace(PHOTOGRAPHS, classes=CLASSES, **options)
    model = Model(Pipeline(Looks(), question_parser(True), domain, second=Second()))
    return model.ask(np.zeros((8, 8, 3), np.uint8), text)


def test_what_the_detector_does_not_know_is_not_read_by_another_parser():
    answer = answer_of("Which is nearer, the dog or the lamp?")
    assert (answer.status, answer.answer) == ("failed", None)
    assert answer.reason == "The detector has no class 'lamp'"


TWO_PEOPLE = scene(*PARK.objects, thing("person", -0.5, 4.0, (200, 100, 299, 400)))
WEAK_BIRD = scene(*PARK.objects, thing("bird", 0.0, 6.0, (320, 200, 330, 210), 0.04))
OWN_VIEW = "From the perspective of the person, is the dog on the left or on the right?"


@pytest.mark.parametrize(
    ("question", "table", "reason"),
    [
        (OWN_VIEW, PARK, "Headings need an orientation network (--set perception."),
        ("Is the bird nearer than the dog?", WEAK_BIRD, "No object named 'bird' was detected with"),
        ("Is the bird nearer than the dog?", PARK, "No object named 'bird' was detected"),
        ("Is the dog to the left of the man?", TWO_PEOPLE, "'man' fits 2 of the detected objects"),
    ],
)
def test_no_answer_says_why_in_one_sentence(question, table, reason):
    answer = answer_of(question, table)
    assert answer.status != "ok"
    assert answer.reason.startswith(reason)
    assert answer.record()["reason"] == answer.reason
    lines = str(answer).splitlines()
    assert lines[0] == f"no answer: {answer.reason}"
    assert lines[1].startswith("likeliest: ") == (answer.status == "abstained")
    if answer.probability:
        assert lines[1].endswith(f"(probability {answer.probability:.2f})")


def test_an_answer_says_that_a_man_is_only_known_as_a_person():
    answer = answer_of("Is there a man?", WEAK_BIRD)
    note = "the detector's class is person, not man"
    assert note in str(answer)
    assert answer.record()["notes"] == [note]
    assert "notes" not in answer_of("Is there a dog?").record()


def test_an_orientation_network_that_finds_no_front_is_another_reason():
    assert "find no front" in answer_of(OWN_VIEW, headings=True).reason


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is nearer, the dog or the graffiti wall?", "dog"),
        ("Which is farther away, the dog or the shoreline?", "shoreline"),
        ("Is the crowd behind the dog or in front of it?", "behind"),
        ("Is the dog in front of the building?", "yes"),
        ("Is the building closer than the dog?", "no"),
        ("What is higher, the fire escape or the dog?", "fire escape"),
        ("Who is nearer to the camera, the person taking the picture or the dog?", "picture"),
    ],
)
def test_scenery_without_a_class_is_where_it_usually_is_and_that_is_reported(question, answer):
    supplied = answer_of(question)
    assert answer in (supplied.answer or ""), supplied.reason
    assert 0.5 < supplied.probability < 1
    assert supplied.reason.startswith("assumed: ")
    assert "assumed: " in str(supplied)


def test_scenery_beside_nothing_that_is_detected_is_no_answer():
    for question in (
        "Which is nearer, the bird or the graffiti wall?",
        "Which is nearer, the wall or the building?",
        "Is the wall to the left of the dog?",
    ):
        assert answer_of(question).answer is None


def test_a_part_of_a_thing_is_where_the_thing_is_but_not_as_high():
    side = "on the left or the right side of the picture?"
    whole, part = (answer_of(f"Is the {name} {side}") for name in ("dog", "dog's body"))
    assert (part.answer, part.probability) == (whole.answer, whole.probability)
    assert answer_of("What is higher, the dog's tail or the person?").answer is None
