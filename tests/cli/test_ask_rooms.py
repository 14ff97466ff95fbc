"""po3d ask on rooms: what it prints and draws, and what it refuses."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from study_room import study

from po3d.cli.main import main
from po3d.evaluation.report.draw import SIDE, TOUCHED, draw_change
from po3d.io.errors import InputError
from po3d.io.files import write_json
from po3d.language.programs.rooms import parse_text
from po3d.language.read.parse import Parse
from po3d.reasoning.questions import Question, read_predictions, write_predictions
from po3d.scene.table import from_json, to_json
from po3d.synthesis.top_view.layouts import sample_room
from po3d.systems import rooms
from po3d.systems.api import Answer, Model
from po3d.systems.framed_rooms import framed
from po3d.systems.pipeline import Context, Pipeline
from po3d.systems.scene_sources import Truth

CHANGE, QUESTION = "The lamp has been put on the bed.", "What is the lamp on?"
WHERE = "Which way is the desk from the red chair?"
PROGRAMS = {
    CHANGE: 'move(just(only(all("lamp"))), on(only(all("bed"))))',
    QUESTION: 'name(support(only(all("lamp"))))',
    WHERE: 'whither(only(having(color, "red", all("chair"))), only(all("desk")))',
    "The piano is gone.": 'remove(just(only(all("piano"))))',
}


class Reader:
    """A parser that knows three sentences."""

    def parse(self, texts, sort):
        return [
            Parse("ok", parse_text(PROGRAMS[t]), 1.0)
            if t in PROGRAMS
            else Parse("unparsed", None, 0.0, "cannot express")
            for t in texts
        ]


ROOMS = Pipeline(Truth(), rooms.question_parser(Reader()), rooms.DOMAIN)


def ask_question(question, frame="", change="") -> Answer:
    return Model(ROOMS).ask(study(), question, frame=frame, change=change)


def test_the_answer_comes_with_programs_trace_and_the_edited_table():
    answer = ask_question(QUESTION, "The picture is at the front of the room.", CHANGE)
    assert answer.answer == "bed"
    printed = str(answer)
    assert printed.startswith("answer: bed (probability 1.00)")
    for part in (PROGRAMS[CHANGE], PROGRAMS[QUESTION], "move lamp to (-2.0", "2*"):
        assert part in printed
    record = json.loads(json.dumps(answer.record()))
    assert record["answer"] == "bed"
    assert len(from_json(record["scene"])) == len(study())


def test_the_trace_says_how_near_another_answer_was():
    answer = ask_question(WHERE)
    printed = str(answer)
    assert "[nearest: desk is 6.3° from right of chair (0.50 m to the front" in printed
    assert (
        "closest call: desk is 6.3° from right of chair (0.50 m to the front) (else: right)"
        in printed
    )
    record = answer.record()["margins"]
    assert record["flip"]["answer"] == "right"
    assert record["flip"]["distance"] == pytest.approx(
        math.degrees(math.atan2(4, -2.2)) - 112.5, abs=1e-5
    )
    assert record["steps"][-1][0]["text"] in record["flip"]["text"]


def test_predictions_say_it_too_and_are_the_same_without(tmp_path):
    q = Question("1", "room", WHERE, "2d", "movement", "back right")
    (result,) = ROOMS.answer([q], Context(lambda: None, study, "room"))
    assert result.margin["answer"] == "right"
    assert result == replace(result, margin=None)
    write_predictions(tmp_path / "p.jsonl", [result])
    (again,) = read_predictions(tmp_path / "p.jsonl")
    assert again.margin == result.margin
    # Of a table that is only believed: the likeliest room's, where it agrees with the vote.
    doubted = replace(study(), objects=tuple(replace(o, existence=0.9) for o in study().objects))
    (voted,) = ROOMS.answer([q], Context(lambda: None, lambda: doubted, "room"))
    assert (voted.answer, voted.margin) == ("back right", result.margin)


@pytest.mark.parametrize(
    ("question", "frame", "change", "says"),
    [
        ("Sing!", "", "", "cannot express"),
        (QUESTION, "", "Blah.", "change: cannot express"),
        (QUESTION, "", "The piano is gone.", "change: not found: there are no pianos"),
        (QUESTION, "The piano is at the front.", "", "the anchor 'piano' is not in the room"),
    ],
)
def test_what_cannot_be_done_says_why(question, frame, change, says):
    answer = ask_question(question, frame, change)
    assert (answer.status != "ok", answer.answer, answer.probability) == (True, None, None)
    assert says in answer.reason
    assert says in str(answer)
    assert answer.record()["reason"] == answer.reason


def test_a_room_is_rendered_before_and_after():
    result = ask_question(QUESTION, change=CHANGE).explanation
    picture = np.array(draw_change(result.before, result.edited))
    assert picture.shape[0] == SIDE
    assert picture.shape[1] > 2 * SIDE
    assert (picture == TOUCHED).all(-1).any()  # what was touched is outlined


def test_frame_and_change_are_for_rooms_alone(tmp_path, capsys):
    scene = to_json(sample_room(1, 0))
    del scene["outline"]
    write_json(tmp_path / "street.json", scene)
    assert main(["ask", str(tmp_path / "street.json"), "How many?", "--change", "x"]) == 2
    assert "apply to rooms" in capsys.readouterr().err


def test_the_frame_settings_of_the_paper():
    scene = study()
    text = "The bed is at the front of the room."
    np.testing.assert_allclose(framed(scene, text).axes["front"], (-1, 0), atol=1e-9)
    np.testing.assert_allclose(framed(scene, text, "none").axes["front"], (0, 1), atol=1e-9)
    with pytest.raises(InputError, match="no camera"):
        framed(scene, text, "camera")


def test_a_pipeline_counts_what_it_cannot_read():
    def q(change: str, text: str) -> Question:
        return Question("1", "room", text, "2d", "movement", "bed", change=change)

    questions = [
        q(CHANGE, QUESTION),
        q("Blah.", QUESTION),
        q(CHANGE, "Sing!"),
        q("The piano is gone.", QUESTION),
    ]
    result = ROOMS.answer(questions, Context(lambda: None, study, "room"))
    assert [p.status for p in result] == ["ok", "unparsed", "unparsed", "failed"]
    assert result[0].answer == "bed"
    assert "change" in result[1].reason
    assert "piano" in result[3].reason
