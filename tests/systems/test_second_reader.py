"""What a benchmark's own reader is not sure of goes to the second one, and offered answers are
honoured.
"""

import json
import math
from dataclasses import replace
from typing import ClassVar

import pytest

from po3d.benchmarks.hypo3d.twin import room
from po3d.cli import ask_model
from po3d.cli.main import main
from po3d.io.errors import InputError
from po3d.language.program import Call
from po3d.language.programs.rooms import parse_text
from po3d.language.read import room_style
from po3d.language.read.parse import Parse
from po3d.language.read.reader import ParserOutput as Read
from po3d.language.read.unspecified import UNSPECIFIED
from po3d.language.read.weighing import ALONE, Weighing
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.scene.answer_calibration import AnswerCalibration
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems import answer_options, general_parser, orbit, photographs, rooms, scene_question
from po3d.systems.api import Answer, Model, read_scene
from po3d.systems.domain import Execution
from po3d.systems.domain_router import KINDS, DomainRouter
from po3d.systems.general_parser import GeneralQuestionParser
from po3d.systems.parser_choice import LEAST_STYLE, own_is_right
from po3d.systems.pipeline import Context, ImageScenes, ParsedQuestion, Pipeline
from po3d.systems.scene_question import CHANGED, UNCHANGED, names_mentioned
from po3d.systems.scene_sources import Truth

ROOM, STREET = "data/examples/room.json", "data/examples/street.json"
BED = 'unique(filter(name, "bed", scene))'
DOOR = 'unique(filter(name, "door", scene))'


def question(text="", **more):
    return replace(Question("1", "", text, "2d", ""), **more)


class Own:
    """Reads "sure" and "unsure" alike, and nothing else."""

    def parse(self, texts, sort):
        known = {"sure": 0.99, "unsure": 0.5}
        program = parse_text('count(all("window"))')
        return [
            (
                Parse("ok", program, known[t])
                if t in known
                else Parse("unparsed", None, 0.0, "unknown words")
            )
            for t in texts
        ]


class Counting(GeneralQuestionParser):
    """The general parser, which notes the questions that it is asked."""

    asked_for: ClassVar[list[str]] = []

    def readings(self, questions, tables):
        self.asked_for.extend(q.text for q in questions)
        return super().readings(questions, tables)


class Network:
    """A reader that knows readings by sort and text."""

    def __init__(self, **known):
        self.known = known

    def together(self, query, width, things):
        reply = [
            {sort: getattr(one, sort) for sort in ("question", "change", "frame")} for one in query
        ]
        return [
            {sort: self.known[sort][text] for sort, text in one.items() if text} for one in reply
        ]

    def knows(self, text):
        return text != "qwerty"

    def has_word(self, word):
        return True

    weighing = ALONE

    def certain(self, share):
        return share


@pytest.fixture
def model(monkeypatch):
    def make(weighing=ALONE, **known):
        network = Network(**known)
        network.weighing = weighing
        monkeypatch.setattr(general_parser, "_reader", lambda *_: network)
        return Model(
            Pipeline(
                Truth(),
                rooms.question_parser(Own()),
                rooms.DOMAIN,
                second=GeneralQuestionParser(rooms.DOMAIN),
            )
        )

    return make


def read(program, probability=0.9):
    return Read(Call.parse(program), probability)


def test_the_second_reader_reads_what_the_first_is_not_sure_of(model):
    beds = [read('count(filter(name, "bed", scene))')]
    asks = model(
        question={
            "sure": [Read(None, 0.6, "none"), Read(Call.parse("count(scene)"), 0.4)],
            "unsure": beds,
            "other": beds,
            "no": [Read(None, 0.9, "none")],
        }
    )
    scene = read_scene(ROOM)
    assert asks.ask(scene, "sure").program == 'count(all("window"))'
    assert asks.ask(scene, "unsure").program == 'count(all("bed"))'
    other = asks.ask(scene, "other")
    assert (other.answer, other.understood) == ("1", (("How many beds are there?", "1"),))
    assert (asks.ask(scene, "no").status, asks.ask(scene, "no").reason) == (
        "failed",
        "this is not in the scene table",
    )


def test_a_question_that_no_table_answers_ends_as_others_without_an_answer(
    model, monkeypatch, capsys
):
    """Exit code 1; what nobody can read is bad input."""
    asks = model(
        question={
            "who owns it": [Read(None, 0.9, "none")],
            "hm": [Read(None, 0.9)],
            "qwerty": [Read(None, 0.9, "none")],
        }
    )
    monkeypatch.setattr(ask_model, "model_of", lambda *_: asks)
    assert main(["ask", ROOM, "who owns it"]) == 1
    assert capsys.readouterr() == ("no answer: this is not in the scene table\n", "")
    assert main(["ask", ROOM, "who owns it", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["status"], record["answer"], record["reason"]) == (
        "failed",
        None,
        "this is not in the scene table",
    )
    for unread in ("hm", "qwerty"):
        assert main(["ask", ROOM, unread]) == 2
        assert capsys.readouterr().err.startswith("error: no answer: ")


def test_a_question_that_one_world_refuses_may_be_answered_in_another():
    def refuses(status, **more):
        return type("World", (), {"ask": lambda *_, **__: Answer("x", status, **more)})

    def said(*worlds):
        models = dict(zip(KINDS["rooms"], worlds, strict=True))
        return DomainRouter(models).ask(Scene((), viewer_axes((0.0, 1.0)), "gt"), "x")

    refused, unread = (
        refuses("failed", reason="this is not in the scene table"),
        refuses("unparsed", reason="cannot express"),
    )
    assert said(refused, refuses("ok", answer="1", program="count(scene)")).answer == "1"
    assert said(refused, refuses("abstained")).status == "abstained"
    assert said(unread, refused).reason == "this is not in the scene table"
    assert said(refused, unread).reason == "this is not in the scene table"
    assert said(unread, unread).status == "unparsed"


def worded(monkeypatch, style):
    """Let sentences be worded like the benchmark's with these log odds."""
    monkeypatch.setattr(rooms.room_style, "style", lambda text: style)


def test_where_two_readers_answer_differently_it_asks_back_unless_the_second_is_sure(
    model, monkeypatch
):
    worded(monkeypatch, -9.0)
    scene = read_scene(ROOM)
    windows, desks = 'count(filter(name, "window", scene))', 'count(filter(name, "desk", scene))'

    def asks(program, p):
        return model(question={"sure": [read(program, p), Read(None, 1 - p, "none")]}).ask(
            scene, "sure"
        )

    assert asks(windows, 0.6).answer == asks(windows, 0.95).answer
    result = asks(desks, 0.6)
    assert (result.status, result.answer) == ("abstained", None)
    assert [words for words, _ in result.understood] == [
        "How many windows are there?",
        "How many desks are there?",
    ]
    assert asks(desks, 0.95).program == 'count(all("desk"))'


PLAIN = "How many windows are there?"


def test_the_general_parser_is_not_consulted_where_the_own_one_is_sure_and_knows_the_wording(
    monkeypatch,
):
    class Parser(Own):
        def parse(self, texts, sort):
            return [Parse("ok", parse_text('count(all("window"))'), 0.99) for _ in texts]

    desks = [read('count(filter(name, "desk", scene))', 0.6)]
    network = Network(question={PLAIN: desks, "Windows?": desks})
    worded(monkeypatch, 2.0)
    monkeypatch.setattr(general_parser, "_reader", lambda *_: network)
    second = Counting(rooms.DOMAIN)
    second.asked_for.clear()
    pipeline = Pipeline(Truth(), rooms.question_parser(Parser()), rooms.DOMAIN, second=second)
    scene = read_scene(ROOM)
    assert Model(pipeline).ask(scene, PLAIN).program == 'count(all("window"))'
    assert second.asked_for == []
    context = Context(lambda: None, lambda: scene, "view")
    query = [question(PLAIN, image="view"), question("Windows?", image="view")]
    result = pipeline.answer(query, context)
    assert [p.program for p in result] == ['count(all("window"))'] * 2
    assert second.asked_for == []  # an evaluation keeps a likely parse of a sentence in the style
    worded(monkeypatch, -9.0)
    assert Model(pipeline).ask(scene, "Windows?", ask_below=0).program == 'count(all("desk"))'
    assert second.asked_for == ["Windows?"]


@pytest.mark.parametrize(
    ("probability", "style", "program"),
    [(0.49, 2.0, "desk"), (0.51, 2.0, "window"), (0.51, -9.0, "desk")],
)
def test_an_evaluation_consults_the_general_parser_below_a_probability(
    monkeypatch, probability, style, program
):
    worded(monkeypatch, style)

    class Parser(Own):
        def parse(self, texts, sort):
            return [Parse("ok", parse_text('count(all("window"))'), probability) for _ in texts]

    network = Network(question={"Windows?": [read('count(filter(name, "desk", scene))', 0.6)]})
    monkeypatch.setattr(general_parser, "_reader", lambda *_: network)
    second = Counting(rooms.DOMAIN)
    pipeline = Pipeline(Truth(), rooms.question_parser(Parser()), rooms.DOMAIN, second=second)
    scene = read_scene(ROOM)
    (result,) = pipeline.answer(
        [question("Windows?", image="view")], Context(lambda: None, lambda: scene, "view")
    )
    assert result.program == f'count(all("{program}"))'


def test_where_answers_differ_the_more_probable_parser_is_right(monkeypatch):
    assert own_is_right(0.99, 0.6, style=2.0) > 0.9
    assert own_is_right(0.99, 0.9, style=-9.0) < 0.3
    assert own_is_right(0.5, 0.9, style=0.0) < 0.5


def test_style_tells_the_twins_sentences_from_peoples():
    _, _, questions = room(3, 5, "test", False)
    ours = [room_style.style(text) for q in questions for text in (q.text, q.change)]
    people = [
        "bin, which hand?",
        "so what have we got left on that little table then",
        "Did it hurt, honey?",
    ]
    assert sum(style >= LEAST_STYLE for style in ours) >= 0.9 * len(ours)
    assert all(room_style.style(text) < LEAST_STYLE for text in people)
    assert room_style.style("How many red chairs?") == room_style.style("How many blue sofas?")


def test_evaluations_and_ask_take_the_same_parse_where_the_own_one_is_not_likely(model):
    """The likeliest answer, which `ask` gives with ask_below=0."""
    windows, desks = (f'count(filter(name, "{name}", scene))' for name in ("window", "desk"))
    asks = model(
        question={
            "sure": [read(desks, 0.6)],
            "unsure": [read(desks, 0.6)],
            "other": [read(windows, 0.6)],
            "no": [Read(None, 0.9, "none")],
        }
    )
    scene = read_scene(ROOM)
    context = Context(lambda: None, lambda: scene, "view")
    for text in ("other", "no"):
        (result,) = asks.pipeline.answer([question(text, image="view")], context)
        reply = asks.ask(scene, text, ask_below=0)
        assert (result.status, result.answer or None, result.program) == (
            reply.status,
            reply.answer,
            reply.program,
        )


def test_a_mended_word_is_displayed(monkeypatch):
    class Spelled(Network):
        def has_word(self, word):
            return not word.startswith("windw")

    network = Spelled(question={"how many windows": [read('count(filter(name, "window", scene))')]})
    monkeypatch.setattr(general_parser, "_reader", lambda *_: network)
    asks = Model(
        Pipeline(
            Truth(),
            rooms.question_parser(Own()),
            rooms.DOMAIN,
            second=GeneralQuestionParser(rooms.DOMAIN),
        )
    )
    result = asks.ask(read_scene(ROOM), "how many windws")
    assert (result.answer, result.record()["mended"]) == ("1", {"windws": "windows"})
    assert '"windws" is interpreted as "windows"' in str(result)


def test_amounts_have_their_unit(model):
    def answer(program):
        return model(question={"x": [read(program)]}).ask(read_scene(ROOM), "x").answer

    door = next(o for o in read_scene(ROOM).objects if o.value("name") == "door")
    assert answer(f"query(height, {DOOR})") == f"{door.extent[2]:.2f} m"
    assert answer(f"query(volume, {DOOR})").endswith(" m³")
    assert float(answer(f"query(distance, {BED}, {DOOR})").removesuffix(" m")) > 0.5
    assert answer('count(filter(name, "door", scene))') == "1"


def test_below_its_threshold_it_asks_back_in_words(model):
    several = [
        read('count(filter(name, "bed", scene))', 0.4),
        read('count(filter(name, "desk", scene))', 0.3),
    ]
    asks = model(question={"x": several})
    result = asks.ask(read_scene(ROOM), "x")
    assert (result.status, result.answer) == ("abstained", None)
    assert result.understood == (
        ("How many beds are there?", "1"),
        ("How many desks are there?", "2"),
    )
    assert "How many desks are there?" in str(result)
    assert "count(" not in str(result)
    assert json.loads(json.dumps(result.record()))["understood"][1]["answer"] == "2"
    assert asks.ask(read_scene(ROOM), "x", ask_below=0.1).answer == "1"


def test_the_threshold_is_compared_with_the_printed_probability(model):
    """An estimator's calibration changes both."""
    asks = model(
        question={
            "x": [
                read('count(filter(name, "bed", scene))', 0.7),
                read('count(filter(name, "desk", scene))', 0.3),
            ]
        }
    )
    mode = asks.pipeline.domain.belief_mode
    lower, higher = (
        replace(read_scene(ROOM), answer_calibration=AnswerCalibration(1.0, offset, mode))
        for offset in (-1.0, 1.0)
    )
    plain = asks.ask(read_scene(ROOM), "x", ask_below=0)
    for scene, status in ((lower, "abstained"), (higher, "ok")):
        answer = asks.ask(scene, "x", ask_below=plain.probability)
        assert answer.status == status
        assert (answer.probability >= plain.probability) == (status == "ok")
        assert asks.ask(scene, "x", ask_below=answer.probability).status == "ok"


def test_what_depends_on_an_unspecified_object_has_no_answer(model):
    desks = 'filter(name, "desk", scene)'
    asks = model(
        question={
            "x": [read(f"query(distance, unique({desks}), {DOOR})")],
            "y": [read(f"count({desks})")],
        },
        change={"One desk went.": [read(f"remove(some(1, {desks}))")]},
    )
    answer = asks.ask(read_scene(ROOM), "x", change="One desk went.")
    assert (answer.status, answer.reason) == ("failed", UNSPECIFIED)
    assert asks.ask(read_scene(ROOM), "y", change="One desk went.").answer == "1"


def test_an_ambiguous_description_has_an_answer_if_it_is_the_same_for_each_object(model):
    desk = 'unique(filter(name, "desk", scene))'
    asks = model(
        question={
            "name": [read(f"query(name, {desk})")],
            "distance": [read(f"query(distance, {desk}, {DOOR})")],
            "count": [read('count(filter(name, "desk", scene))')],
        },
        change={"The desk went.": [read(f"remove(group({desk}))")]},
    )
    scene = read_scene(ROOM)  # with two desks
    assert asks.ask(scene, "name", ask_below=0).answer == "desk"
    assert asks.ask(scene, "distance", ask_below=0).answer is None
    assert asks.ask(scene, "count", change="The desk went.", ask_below=0).answer == "1"


def test_a_new_object_has_its_stated_size(model):
    vase = 'unique(filter(name, "vase", scene))'
    asks = model(
        question={size: [read(f"query({size}, {vase})")] for size in ("height", "width", "length")},
        change={"A vase was put in.": [read('add(1, thing("vase", plain), place(centre))')]},
    )
    change = "A vase 37 cm tall and 0.2 m wide was put in."
    scene = read_scene(ROOM)
    assert asks.ask(scene, "height", change=change).answer == "0.37 m"
    assert asks.ask(scene, "width", change=change).answer == "0.20 m"
    usual = asks.ask(scene, "length", change="A vase was put in.").answer
    assert asks.ask(scene, "length", change=change).answer == usual


@pytest.mark.parametrize(
    ("name", "height"), [("hen", "0.38 m"), ("terrier", "0.55 m"), ("vase", "0.36 m")]
)
def test_a_new_object_has_the_typical_size_of_its_kind(model, name, height):
    asks = model(
        question={"x": [read(f'query(height, unique(filter(name, "{name}", scene)))')]},
        change={"It came.": [read(f'add(1, thing("{name}", plain), place(centre))')]},
    )
    assert asks.ask(read_scene(ROOM), "x", change="It came.").answer == height


def test_it_asks_back_what_would_be_answered_otherwise(model):
    reply = lambda what, p: read(f'count(filter(name, "{what}", scene))', p)  # noqa: E731
    nowhere = read('query(color, unique(filter(name, "cello", scene)))', 0.35)  # has no answer
    asks = model(
        Weighing(fails=-0.2),
        question={
            "x": [nowhere, reply("bed", 0.3), reply("door", 0.25), reply("desk", 0.1)],
            "y": [nowhere, reply("bed", 0.3)],
        },
    )
    result = asks.ask(read_scene(ROOM), "x", ask_below=0.7)
    assert result.understood == (
        ("How many beds are there?", "1"),
        ("How many desks are there?", "2"),
    )
    assert "Did you mean one of the following?" in str(result)
    unclear = str(asks.ask(read_scene(ROOM), "y", ask_below=0.7))
    assert unclear.startswith("The question is unclear (")
    assert "Did you mean this?" in unclear


def test_where_the_own_reading_has_no_answer_the_second_one_is_queried_back(model):
    """A frame that the benchmark's reader can't read is no reason for silence where the other
    can.
    """
    desks = 'count(filter(name, "desk", scene))'
    seated = {"I sit on the bed.": [read(f"frame({BED})")]}
    asks = model(question={"sure": [read(desks, 0.6), Read(None, 0.4, "none")]}, frame=seated)
    result = asks.ask(read_scene(ROOM), "sure", frame="I sit on the bed.")
    assert (result.status, result.understood[0][1]) == ("abstained", "2")


def test_the_likeliest_reading_that_has_an_answer_is_taken_but_a_refusal_stands(model):
    absent = read('query(color, unique(filter(name, "piano", scene)))', 0.95)
    beds = read('count(filter(name, "bed", scene))', 0.9)
    known = {"x": [absent, beds], "y": [Read(None, 0.95, "none"), beds]}
    assert model(question=known).ask(read_scene(ROOM), "x", ask_below=0.4).answer is None
    asks = model(Weighing(fails=-1.0), question=known)
    assert asks.ask(read_scene(ROOM), "x", ask_below=0.4).answer == "1"
    assert asks.ask(read_scene(ROOM), "y", ask_below=0.4).answer is None


def test_readings_with_the_same_answer_are_believed_together(model):
    several = [
        read(f'count(filter(name, "{name}", scene))', p)
        for name, p in (("desk", 0.4), ("bed", 0.3), ("door", 0.3))
    ]
    asks = model(question={"x": several})
    result = asks.ask(read_scene(ROOM), "x", ask_below=0.0)  # one bed, one door, two desks
    assert (result.answer, result.program) == ("1", 'count(all("bed"))')
    stays = 0.6 / (0.6 + 0.4 * math.exp(-UNCHANGED))  # a number does not depend on centimetres
    assert result.probability == pytest.approx(stays)


@pytest.mark.parametrize(
    ("second", "spread", "expected"),
    [(1.5, 0.0, UNCHANGED), (1.01, 0.0, CHANGED), (1.01, 1e-9, 0.0)],
    ids=["stays", "changes", "predicted"],
)
def test_an_answer_that_changes_with_small_displacements_is_less_probable(
    model, second, spread, expected
):
    nearest = (
        'best(distance, least, unique(filter(name, "lamp", scene)), filter(name, "{}", scene))'
    )
    chairs = nearest.format("chair")
    asks = model(question={"x": [read(f"query(color, {chairs})", 0.8), read("count(scene)", 0.2)]})
    rows = [
        *(("lamp", "blue", 0.0), ("chair", "red", 1.0), ("chair", "green", -second)),
        ("bed", "white", 5.0),
    ]
    covariance = tuple(tuple(spread * (a == b) for b in range(3)) for a in range(3))
    things = tuple(
        ObjectState(sure(name=name, color=color), (x, 0.0, 0.5), 0.0, (0.2, 0.2, 1.0), covariance)
        for name, color, x in rows
    )
    answer = asks.ask(Scene(things, viewer_axes((0.0, 1.0)), "gt"), "x", ask_below=0.0)
    odds = math.exp(expected) * 0.8 / 0.2
    assert (answer.answer, answer.probability) == ("red", pytest.approx(odds / (1 + odds)))


@pytest.mark.parametrize(
    ("answers", "weights", "found"),
    [
        (["a", "b", "b"], [0.4, 0.3, 0.3], (1, 0.6)),
        ([None, "b"], [0.9, 0.1], (0, 0.9)),
        ([None, None], [0.6, 0.4], (0, 1.0)),
        ([answer_options.REFUSED, "b", None], [0.5, 0.3, 0.2], (0, 0.5)),
        (["a", "b"], [0.5, 0.5], (0, 0.5)),
        (["a"], [0.0], (0, 0.0)),
    ],
)
def test_the_likeliest_answer_is_that_of_most_weight(answers, weights, found):
    k, share = answer_options.likeliest(answers, weights)
    assert (k, share) == (found[0], pytest.approx(found[1]))


def test_a_change_that_did_not_happen_changes_nothing(model):
    beds, none = [read('count(filter(name, "bed", scene))')], [Read(None, 0.95, "none")]
    gone = [read('remove(filter(name, "bed", scene))', 0.95)]
    asks = model(
        question={"x": beds}, change={"Nobody took the bed.": none, "The bed is gone.": gone}
    )
    scene = read_scene(ROOM)
    assert asks.ask(scene, "x", change="Nobody took the bed.").answer == "1"
    assert asks.ask(scene, "x", change="The bed is gone.").answer == "0"


def test_people_tell_of_changes_that_matter_for_the_answer(model):
    beds, desks = (
        read(f'count(filter(name, "{name}", scene))', p)
        for name, p in (("bed", 0.6), ("desk", 0.4))
    )
    known = {
        "question": {"x": [beds, desks]},
        "change": {"y": [read('remove(filter(name, "desk", scene))', 1.0)]},
    }
    how = {"change": "y", "ask_below": 0.0}
    assert model(**known).ask(read_scene(ROOM), "x", **how).answer == "1"
    asks = model(Weighing(unchanged=-1.0), **known)
    assert asks.ask(read_scene(ROOM), "x", **how).answer == "0"
    assert asks.ask(read_scene(ROOM), "x", ask_below=0.0).answer == "1"  # nothing was changed


def test_a_frame_is_reported_as_rooms_are_framed():
    red = 'unique(filter(color, "red", filter(name, "door", scene)))'
    assert (
        general_parser.frame_text(Call.parse(f"frame(behind, {red})"))
        == "The red door was located at the back of the scene."
    )
    # Sentences of rooms tell no corner, and "front door" would be taken for a side.
    front = 'unique(filter(name, "front door", scene))'
    saint = 'unique(filter(name, "St. Mary", scene))'
    report = (
        f"frame(behind_left, {red})",
        f"frame(left, {front})",
        f"frame(left, {saint})",
        f"frame({DOOR}, {BED})",
    )
    for program in report:
        assert general_parser.frame_text(Call.parse(program)) == ""


@pytest.mark.parametrize(
    ("text", "options", "sectors"),
    [
        ("Is it left or right?", (), "left_or_right"),
        ("In front of it or behind it?", (), "front_or_behind"),
        ("Is it in front, behind, left or right?", (), "four"),
        ("In front of me, behind me, to my left or to my right?", (), "four"),
        ("Left of the back door, or right of it?", (), "left_or_right"),
        ("Which side?", ("back", "front"), "front_or_behind"),
        ("Which side?", ("left", "right", "front", "back"), "four"),
        ("Where is it?", (), "eight"),
        ("Which side?", ("front left", "right"), "eight"),
    ],
)
def test_offered_directions_are_honoured(text, options, sectors):
    query = Call.parse(f"direction({BED}, {DOOR}, frame(room), eight)")
    assert (
        answer_options.restrict_to_options(query, question(text, options=options)).args[3]
        == sectors
    )


@pytest.mark.parametrize(
    ("answer", "options", "said"),
    [
        ("behind", ("on the left side", "at the back"), "at the back"),
        ("left", ("front left", "right"), None),
        ("chair", ("the red chair", "the bed"), "the red chair"),
        ("chair", ("the red chair", "the blue chair"), None),
        ("2", ("two", "three"), "two"),
        ("fishman", ("the fish man", "bird cage"), "the fish man"),
        ("birdcage", ("the fish man", "bird cage"), "bird cage"),
        ("sofa", ("couch", "TV stand"), "couch"),
        ("tv cabinet", ("couch", "TV stand", "filing cabinet"), "TV stand"),
        ("sofa", ("the red couch", "the blue couch"), None),
        ("sofa", ("the lamp", "the door"), None),
        ("higher", ("on the bench", "underneath it"), "on the bench"),
        ("lower", ("on the bench", "underneath it"), "underneath it"),
        ("higher", ("on the bench", "on the floor"), None),
        ("higher", ("above the bench", "below the bench", "on the same level"), "above the bench"),
        ("higher", ("on the left", "below"), None),
        ("120", ("1200", "30"), None),
        ("-3", ("-3", "3"), "-3"),
        ("-3", ("3", "4"), None),
        ("unfolded", ("folded", "crumpled"), None),
        ("foldd", ("folded", "crumpled"), "folded"),
        ("closed", ("open", "shut"), "shut"),
        ("chair", ("the chair below the window", "the bed"), "the chair below the window"),
    ],
)
def test_an_answer_is_reported_by_its_option(answer, options, said):
    assert answer_options.chosen(answer, options) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Is it on the bench or underneath it?", ("on the bench", "underneath it")),
        ("Where is it: under the bench, or on top of it?", ("on top of it", "under the bench")),
        ("Is the lamp above or below the shelf?", ("above", "below")),
        ("Is it higher or lower?", ("higher", "lower")),
        ("How high is it?", ("higher", "lower")),
    ],
)
def test_a_height_is_reported_in_the_words_that_were_offered(text, said):
    query = question(text)
    result = [
        answer_options.chosen(a, answer_options.offered_answers(a, query)) or a
        for a in ("higher", "lower")
    ]
    assert tuple(result) == said
    assert answer_options.offered_answers("bench", query) == ()


@pytest.mark.parametrize(
    ("text", "answer", "offered"),
    [
        ("Is it nearer the soccer ball or the desk?", "football", ("soccer ball",)),
        ("Is it nearer the football or the desk?", "football", ()),
        ("What is nearest to the soccer ball?", "football", ()),
        ("Is it the soccer ball or the desk?", "lamp", ()),
    ],
)
def test_a_name_is_reported_in_the_words_of_the_question(text, answer, offered):
    assert answer_options.named_in(question(text), answer) == offered
    assert answer_options.chosen(answer, offered) == next(iter(offered), None)


@pytest.mark.parametrize("world", [photographs, orbit])
def test_options_may_use_other_words_than_the_table(world):
    rows = [
        ("fishman", -1, 2),
        ("birdcage", 2, 3),
        ("sofa", -3, 5),
        ("tv cabinet", 3, 6),
        ("lamp", 0.2, 2.5),
    ]
    things = tuple(
        ObjectState(sure(name=name), (x, y, 0.5), 0.0, (0.5, 0.5, 1.0)) for name, x, y in rows
    )
    scene = Scene(
        things,
        viewer_axes((0.0, 1.0)),
        "gt",
        Camera(640, 480, 560.0, look_at((0, 0, 1.5), (0, 1, 1.5))),
    )
    answering = world.DOMAIN.bind(ImageScenes({"view": scene}))
    nearest = Call.parse('query(name, best(distance, least, refer("lamp"), choices))')

    def said(*options):
        query = question(options=options, images=("view",), views=(0,))
        reading = ParsedQuestion(world.DOMAIN.adapted(nearest, query))
        return reading.format_answer(answering.run(query, reading).outcome.answer, query)

    assert said("couch", "bird cage", "the fish man", "TV stand") == "the fish man"
    assert said("couch", "bird cage", "TV stand") == "bird cage"
    assert said("couch", "TV stand") == "couch"


def test_a_harness_frame_is_taken_off():
    framed = question(
        "Question: Which is higher?\nOptions: A. the cup B. the bed\nAnswer with the letter."
    )
    result = answer_options.strip_prompt_template(framed)
    assert (result.text, result.options) == ("Which is higher?", ("the cup", "the bed"))
    plain = question("Is the option left or right?")
    assert answer_options.strip_prompt_template(plain) is plain


def test_words_that_are_none_and_things_that_are_not_there_are_no_change(model):
    windows = [read('count(filter(name, "window", scene))')]
    gone = [read('remove(filter(name, "chair", scene))', 0.95)]
    asks = model(question={"x": windows}, change={"qwerty": gone, "The sofa is gone.": gone})
    scene = read_scene(ROOM)
    assert asks.ask(scene, "x", change="qwerty").status == "unparsed"
    assert asks.ask(scene, "x", change="  ").answer == "1"
    sofa = asks.ask(scene, "x", change="The sofa is gone.")
    assert (sofa.status, sofa.reason) == ("abstained", "there is no sofa in the scene")


@pytest.mark.parametrize(
    ("text", "name", "mentioned"),
    [
        ("The sofa is gone.", "chair", False),
        ("Somebody tidied the ironing board.", "charcoal iron", False),
        ("The phone rang, so the suitcase stayed open.", "suitcase", True),
        ("The trash can went under the desk.", "pedal bin", True),
        ("She took the chopsticks to the sink.", "sink unit", True),
        ("The comfy chair was sold.", "armchair", True),
    ],
)
def test_a_name_of_a_change_is_mentioned_by_a_word_of_it_or_by_another_noun(text, name, mentioned):
    change = Call.parse(f'remove(filter(name, "{name}", scene))')
    assert names_mentioned(text, change) is mentioned


def test_what_a_question_says_and_its_program_leaves_out_is_queried_back(model):
    one, two = (
        'exist(filter(name, "desk", scene))',
        'equal(count(filter(name, "desk", scene)), count(1))',
    )
    asks = model(question={"Do we have exactly one desk?": [read(one), read(two, 0.02)]}, change={})
    query = asks.ask(read_scene(ROOM), "Do we have exactly one desk?")
    assert (query.status, query.reason) == ("abstained", "the program omits 'exactly one'")
    assert query.understood == (("Is the number of desks the same as 1?", "no"),)


def test_a_table_that_was_put_in_a_frame_is_queried_in_it(model):
    scene = read_scene(ROOM)
    side = [read('query(side, unique(filter(name, "bed", scene)))')]
    asks = model(question={"x": side}, frame={})
    ways = [
        asks.ask(s, "x", ask_below=0).answer
        for s in (scene, scene.in_frame("The door is at the back of the room."))
    ]
    assert len(set(ways)) == 2


def test_what_is_not_intended_for_a_table_is_refused(model):
    asks, room = model(question={"sure": []}), read_scene(ROOM)
    street = read_scene(STREET)
    with pytest.raises(TypeError, match="chnage"):
        asks.ask(room, "sure", chnage="x")
    with pytest.raises(InputError, match="an object has no name"):
        asks.ask(street, "sure")
    with pytest.raises(InputError, match="should be strings"):
        asks.ask(room, None)
    with pytest.raises(InputError, match="whose objects have names"):
        street.in_frame("The bus is at the front.")
    with pytest.raises(InputError, match="finite"):
        room.moved(0, left=float("nan"))
    with pytest.raises(InputError, match="the scene has objects 0 to"):
        room.moved("bed")
    assert room == read_scene(ROOM)
    assert street == read_scene(STREET)
    assert street != street.moved(0, left=1.0)


@pytest.mark.parametrize(
    ("text", "frame", "result"),
    [
        (
            "If I sit on the bed, is the lamp on my left?",
            "",
            ("Is the lamp on my left?", "I sit on the bed."),
        ),
        ("If I sit on the bed, is the lamp on my left?", "The door is at the front.", None),
        ("Is the lamp on my left?", "", None),
    ],
)
def test_a_clause_about_the_viewer_becomes_the_frame(text, frame, result):
    question = Question("q", "view", text, "2d", "", frame=frame)
    output = general_parser.with_viewpoint(question)
    assert (output.text, output.frame) == (result or (text, frame))


@pytest.mark.parametrize(
    ("general", "differ", "p"),
    [(("ok", "3", 0.93), False, 0.93), (("ok", "4", 0.4), True, 0.85), (None, False, 0.85)],
)
def test_in_free_wording_the_own_parser_is_as_probable_as_the_general_one(general, differ, p):
    def execution(status, answer, probability, by=""):
        parse = Parse("ok", Call.parse("count(scene)"), probability)
        return Execution(Outcome(status, answer), ParsedQuestion(parse, by=by or "benchmark"))

    own = execution("ok", "3", 0.999)
    other = None if general is None else execution(*general, by="general")
    result = scene_question._in_free_wording(own, other, differ)
    assert result.reading.probability == pytest.approx(p)
    assert result.outcome == own.outcome
    assert result.reading.by == own.reading.by
