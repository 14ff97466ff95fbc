"""The two loops of an evaluation, on splits made of geometry alone."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from generators import random_program, random_scene

from po3d.errors import InputError
from po3d.evaluation import predict, read_scenes
from po3d.question import Prediction, Question, read_predictions
from po3d.reasoning.executor import execute
from po3d.runs import PARTIAL, PREDICTIONS, SCENES
from po3d.scene import Scene
from po3d.seeding import rng
from po3d.systems.pipeline import Oracle

TESTS = Path(__file__).parent
IDENTITY = {"system": "oracle"}


class Geometry:
    """A split of random scenes without images."""

    def __init__(self, images: int = 8, each: int = 3) -> None:
        self.scenes: dict[str, Scene] = {}
        self.questions: list[Question] = []
        for k in range(images):
            r, name = rng(7, "geometry", k), f"{k}.png"
            self.scenes[name] = scene = random_scene(r, 6)
            while sum(q.image == name for q in self.questions) < each:
                program = random_program(r, scene)
                outcome = execute(program, scene)
                if outcome.status == "ok":
                    number = f"{len(self.questions)}"
                    self.questions.append(
                        Question(number, name, "?", "2d", "L1", outcome.answer, program.text())
                    )

    def image(self, name):
        raise AssertionError(f"{name} was rendered for an oracle")

    def truth(self, name):
        return self.scenes[name]


class Slow(Oracle):
    """An oracle that takes its time, and writes down which images it was asked about."""

    def answer(self, questions, context):
        with open(os.environ["ASKED"], "a") as file:
            file.write(context.name + "\n")
        time.sleep(0.1)
        context.keep(context.truth())
        return super().answer(questions, context)


def test_predictions_come_in_the_order_of_the_questions(tmp_path):
    split = Geometry()
    split.questions.sort(key=lambda q: int(q.id) % 3)  # images interleave
    predictions = predict(split, Oracle(), tmp_path, IDENTITY)
    assert [p.id for p in predictions] == [q.id for q in split.questions]
    assert [p.answer for p in predictions] == [q.answer for q in split.questions]
    assert list(read_predictions(tmp_path / PREDICTIONS)) == predictions
    assert not (tmp_path / PARTIAL).exists()


def test_a_killed_run_goes_on_where_it_was_and_gives_the_same_files(tmp_path, monkeypatch):
    whole, killed, asked = tmp_path / "whole", tmp_path / "killed", tmp_path / "asked"
    monkeypatch.setenv("ASKED", str(asked))
    predict(Geometry(), Slow(), whole, IDENTITY)
    asked.unlink()
    script = f"import test_evaluation as t; t.predict(t.Geometry(), t.Slow(), {str(killed)!r}, t.IDENTITY)"
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path})
    partial = killed / PARTIAL
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (partial.exists() and partial.read_bytes().count(b"\n") >= 3):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it could be killed"
    assert not (killed / PREDICTIONS).exists()
    done = partial.read_bytes().count(b"\n") - 1
    with open(partial, "ab") as file:
        file.write(b'{"image": "7.png", "predic')  # a line torn by the kill
    asked.unlink()
    predict(Geometry(), Slow(), killed, IDENTITY)
    assert len(asked.read_text().split()) == 8 - done
    for name in (PREDICTIONS, SCENES):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


def test_an_unfinished_run_of_something_else_is_thrown_away(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    out = tmp_path / "out"
    out.mkdir()
    other = {"image": "0.png", "predictions": [], "scene": None}
    (out / PARTIAL).write_text(json.dumps({"key": "of another system"}) + "\n" + json.dumps(other) + "\n")
    predict(Geometry(), Slow(), out, IDENTITY)
    assert len((tmp_path / "asked").read_text().split()) == 8


def test_a_finished_run_is_answered_anew_unless_resumed(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    first = predict(Geometry(2), Slow(), tmp_path / "out", IDENTITY)
    assert predict(Geometry(2), Slow(), tmp_path / "out", IDENTITY, resume=True) == first
    assert len((tmp_path / "asked").read_text().split()) == 2
    assert predict(Geometry(2), Slow(), tmp_path / "out", IDENTITY) == first
    assert len((tmp_path / "asked").read_text().split()) == 4
    with pytest.raises(InputError, match="no line for 3 of 9 questions"):
        predict(Geometry(3), Slow(), tmp_path / "out", IDENTITY, resume=True)


def test_kept_tables_are_read_back(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    split = Geometry(3)
    predict(split, Slow(), tmp_path, IDENTITY)
    scenes = read_scenes(tmp_path / SCENES)
    assert list(scenes) == list(split.scenes)
    for name, scene in scenes.items():
        assert scene.objects[0].beliefs == split.scenes[name].objects[0].beliefs


def test_a_system_that_skips_a_question_is_caught(tmp_path):
    class Lazy:
        def answer(self, questions, context):
            return [Prediction(questions[0].id, "ok", "yes")]

    with pytest.raises(AssertionError, match="Lazy did not answer"):
        predict(Geometry(2), Lazy(), tmp_path, IDENTITY)
