"""po3d ask on tables of photographs, with options, on several questions at once, and where it asks
back.
"""

import io
import json
from dataclasses import replace

import pytest
from study_room import study

from po3d.cli import ask_model
from po3d.cli.main import main
from po3d.io.files import write_json
from po3d.language.program import Call
from po3d.reasoning.questions import Question
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure, to_json
from po3d.systems import rooms
from po3d.systems.api import Answer
from po3d.systems.pipeline import ParsedQuestion, Pipeline
from po3d.systems.scene_question import SceneQuestion
from po3d.systems.scene_sources import Truth

ROOM, STREET = "data/examples/room.json", "data/examples/street.json"


@pytest.fixture
def photograph(tmp_path):
    """A table as networks make them of a photograph: a dog on the left, a car behind it on the
    right.
    """
    things = tuple(
        ObjectState(sure(name=name), (x, y, z), 0.0, (1.0, 1.0, 2 * z), name=f"{name}_{k}")
        for k, (name, x, y, z) in enumerate((("dog", -1.0, 3.0, 0.3), ("car", 1.0, 8.0, 0.8)))
    )
    camera = Camera(640, 480, 560.0, look_at((0.0, 0.0, 1.5), (0.0, 1.0, 1.5)))
    path = tmp_path / "photograph.json"
    write_json(path, to_json(Scene(things, viewer_axes((0.0, 1.0)), "gt", camera)))
    return str(path)


def text_of(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_photographs_table_is_queried_with_options_and_without(photograph, capsys):
    question = "Which is closer to the camera, the dog or the car?"
    assert main(["ask", photograph, question, "--parser", "benchmark", "--json"]) == 0
    options = ["--option", "the car", "--option", "the dog"]
    assert main(["ask", photograph, question, "--parser", "benchmark", "--json", *options]) == 0
    assert [record["answer"] for record in text_of(capsys)] == ["dog", "the dog"]


def test_an_orbits_question_is_answered_on_the_same_table(photograph, capsys):
    question = "From the camera's perspective, where is the car relative to the dog?"
    assert main(["ask", photograph, question, "--parser", "benchmark", "--json"]) == 0
    assert text_of(capsys)[0]["answer"] in ("behind", "behind right", "back right", "back")


def test_a_room_may_be_queried_with_options(capsys):
    options = ["--option", "one", "--option", "two", "--option", "three"]
    assert (
        main(
            ["ask", ROOM, "How many desks are there?", "--parser", "benchmark", "--json", *options]
        )
        == 0
    )
    assert text_of(capsys)[0]["answer"] == "two"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([STREET, "How many buses?", "--option", "2"], "--option applies to"),
        ([ROOM, "How many beds?", "--set", "a=b"], "--set applies to photo"),
        ([STREET, "-", "--save", "a.png"], "--save draws a single answer"),
    ],
)
def test_an_option_that_nobody_reads_is_refused(given, says, capsys):
    assert main(["ask", *given]) == 2
    assert says in capsys.readouterr().err


def test_lines_of_standard_input_are_answered_one_by_one(monkeypatch, capsys):
    lines = "What color is the chopper?\n\n  blorp the blip \nHow many buses are there?\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["ask", STREET, "-", "--parser", "benchmark", "--json"]) == 2
    first, bad, last = text_of(capsys)
    assert (first["answer"], bad["status"], last["answer"]) == ("green", "unparsed", "2")
    monkeypatch.setattr("sys.stdin", io.StringIO("What color is the chopper?\nblorp\n"))
    assert main(["ask", STREET, "-", "--parser", "benchmark"]) == 2
    printed = capsys.readouterr().out
    assert "> What color is the chopper?\nanswer: green" in printed
    assert "> blorp\nno answer: unknown words: blorp" in printed


class AsksBack:
    """A model that finds two meanings in everything."""

    def ask(self, scene, text, **how):
        pipeline = Pipeline(Truth(), rooms.question_parser(None), rooms.DOMAIN)
        question = Question("asked", "", text, "2d", "", images=("view",), views=(0,))
        about = SceneQuestion(pipeline, question, cli_tables(study()))
        answers = []
        for name in ("bed", "desk"):
            program = Call.parse(f'count(filter(name, "{name}", scene))')
            parse = rooms.DOMAIN.adapted(program, question)
            reading = ParsedQuestion(parse, by="general")
            ((words, _, execution),) = about.interpretations([reading])
            answers.append((words, about._explained(execution)))
        return Answer(
            text, "abstained", reason="the question has two interpretations",
            understood=tuple((words, answer.answer) for words, answer in answers),
            choices=tuple(answer for _, answer in answers),
        )  # fmt: skip


def cli_tables(scene):
    from po3d.systems.pipeline import ImageScenes

    return ImageScenes({"view": scene})


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("typed", "code", "last"),
    [
        ("2", 0, 'count(all("desk"))'),
        ("1", 0, 'count(all("bed"))'),
        ("", 1, None),
        ("7", 1, None),
        ("x", 1, None),
    ],
)
def test_a_key_chooses_between_two_meanings(typed, code, last, monkeypatch):
    monkeypatch.setattr(ask_model, "model_of", lambda *_: AsksBack())
    monkeypatch.setattr("sys.stdin", Terminal(f"{typed}\n"))
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    assert main(["ask", ROOM, "how many"]) == code
    printed = screen.getvalue()
    assert "  1. How many beds are there?  Answer: 1" in printed
    assert "  2. How many desks are there?" in printed
    assert "1, 2, or press return for none: " in printed
    assert (f"program: {last}" in printed) if last else ("program" not in printed)


def test_where_no_terminal_is_there_nothing_is_queried(monkeypatch, capsys):
    monkeypatch.setattr(ask_model, "model_of", lambda *_: AsksBack())
    assert main(["ask", ROOM, "how many", "--json"]) == 1
    (record,) = text_of(capsys)
    assert [one["answer"] for one in record["understood"]] == ["1", "1"]
    assert [one["program"] for one in record["understood"]] == [
        'count(all("bed"))',
        'count(all("desk"))',
    ]
    assert replace(Answer("x", "abstained"), choices=()).record()["answer"] is None
