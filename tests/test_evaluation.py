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

from po3d.evaluation.run import evaluate, predict, read_scenes, scored
from po3d.io.errors import InputError
from po3d.io.runs import (
    ERRORS,
    GRID,
    HTML,
    PARTIAL,
    PREDICTIONS,
    REPORT_PAGE,
    RUN,
    SCENES,
    described,
    locked,
)
from po3d.io.seeding import rng
from po3d.reasoning.execute import execute
from po3d.reasoning.questions import Prediction, Question, read_predictions, write_predictions
from po3d.scene.table import Scene
from po3d.systems import pipeline as parts
from po3d.systems.street import DOMAIN

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


class Oracle(parts.Oracle):
    def __init__(self):
        super().__init__(DOMAIN)


class Slow(Oracle):
    """An oracle that takes its time, and writes down which images it was asked about."""

    def answer(self, questions, context):
        with open(os.environ["ASKED"], "a") as file:
            file.write(context.name + "\n")
        time.sleep(0.1)
        context.on_scene(context.truth())
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
    whole, killed, query = tmp_path / "whole", tmp_path / "killed", tmp_path / "asked"
    monkeypatch.setenv("ASKED", str(query))
    predict(Geometry(), Slow(), whole, IDENTITY)
    query.unlink()
    script = (
        f"import test_evaluation as t; t.predict(t.Geometry(), t.Slow(), {str(killed)!r},"
        " t.IDENTITY)"
    )
    path = os.pathsep.join([str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}
    )
    partial = killed / PARTIAL
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (
        partial.exists() and partial.read_bytes().count(b"\n") >= 3
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it could be killed"
    assert not (killed / PREDICTIONS).exists()
    done = partial.read_bytes().count(b"\n") - 1
    with open(partial, "ab") as file:
        file.write(b'{"image": "7.png", "predic')  # a line torn by the kill
    query.unlink()
    predict(Geometry(), Slow(), killed, IDENTITY)
    assert len(query.read_text().split()) == 8 - done
    for name in (PREDICTIONS, SCENES):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


def start_run(out: Path, identity: dict = IDENTITY, revision: str = "abc") -> dict:
    """Leave an unfinished run of the first of two images; what runs it."""

    class Interrupted(Oracle):
        def answer(self, questions, context):
            if context.name == "1.png":
                raise KeyboardInterrupt
            return super().answer(questions, context)

    about = {
        "system": "oracle",
        "provenance": {"git_revision": revision, "date": "Monday", "machine": "mine"},
    }
    with pytest.raises(KeyboardInterrupt):
        predict(Geometry(2), Interrupted(), out, identity, about=about)
    return about


def test_an_unfinished_run_of_something_else_stays_unless_it_may_be_overwritten(tmp_path):
    start_run(tmp_path)
    held = (tmp_path / PARTIAL).read_bytes()
    other, later = {"system": "random"}, {"provenance": {"git_revision": "def"}}
    with pytest.raises(
        InputError,
        match=(
            r"unfinished run that differs in system \(oracle there, random here\).*overwrite=true"
        ),
    ):
        predict(
            Geometry(2), Oracle(), tmp_path, other, about={"provenance": {"git_revision": "abc"}}
        )
    with pytest.raises(InputError, match=r"revision \(abc there, def here\)"):
        predict(Geometry(2), Oracle(), tmp_path, IDENTITY, about=later, resume=True)
    assert (tmp_path / PARTIAL).read_bytes() == held
    predict(Geometry(2), Oracle(), tmp_path, other, about=later, overwrite=True)
    assert json.loads((tmp_path / RUN).read_text())["identity"]["system"] == "random"
    assert not (tmp_path / PARTIAL).exists()


def spoilt(line: bytes, **changes) -> bytes:
    """A line of partial.jsonl with other values in its first prediction."""
    record = json.loads(line)
    record["predictions"][0] |= changes
    return json.dumps(record).encode() + b"\n"


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda first, rest: b"garbage\n" + rest, 1),
        (lambda first, rest: rest, 1),  # the first line, which says what is run, is gone
        (lambda first, rest: b'{"run": 5}\n' + rest, 1),
        (lambda first, rest: b'{"run": {"identity": {}, "about": {"provenance": []}}}\n' + rest, 1),
        (lambda first, rest: first + b"\n" + rest, 2),
        (lambda first, rest: first + b"\0\0\n" + rest, 2),
        (lambda first, rest: first + b"\xff\xfe\n" + rest, 2),
        (lambda first, rest: first + b"17\n" + rest, 2),
        (lambda first, rest: first + b"[]\n" + rest, 2),
        (lambda first, rest: first + b'{"sitting": 1}\n' + rest, 2),
        (lambda first, rest: first + b'{"sitting": {}, "image": ["0.png"]}\n' + rest, 2),
        (lambda first, rest: first + b'{"sitting": {}, "predictions": 5}\n' + rest, 2),
        (lambda first, rest: first + b'{"image": ["0.png"], "predictions": [], "scenes": []}\n', 2),
        (lambda first, rest: first + b'{"image": "0.png", "scenes": []}\n', 2),
        (lambda first, rest: first + b'{"image": "0.png", "predictions": [], "scenes": []}\n', 2),
        (lambda first, rest: first + rest + rest, 3),  # answered twice
        (lambda first, rest: first + spoilt(rest, id=["0"]), 2),
        (lambda first, rest: first + spoilt(rest, status="fine"), 2),
        (lambda first, rest: first + spoilt(rest, key="unknown"), 2),
    ],
)
def test_a_damaged_unfinished_run_is_one_line_and_may_be_overwritten(tmp_path, damage, line):
    about = start_run(tmp_path)
    partial = tmp_path / PARTIAL
    first, rest = partial.read_bytes().split(b"\n", 1)
    partial.write_bytes(held := damage(first + b"\n", rest))
    with pytest.raises(
        InputError, match=rf"^[^\n]*partial.jsonl, line {line}: [^\n]*overwrite=true[^\n]*$"
    ):
        predict(Geometry(2), Oracle(), tmp_path, IDENTITY, about=about)
    assert partial.read_bytes() == held
    assert len(predict(Geometry(2), Oracle(), tmp_path, IDENTITY, about=about, overwrite=True)) == 6


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"identity": {}, "about": {"provenance": 5}}', b"\xff"]
)
def test_a_damaged_description_of_a_finished_run_is_one_line_and_may_be_overwritten(
    tmp_path, content
):
    predict(Geometry(2), Oracle(), tmp_path, IDENTITY)
    (tmp_path / RUN).write_bytes(content)
    with pytest.raises(InputError, match=r"its provenance \(run.json is missing\).*overwrite=true"):
        predict(Geometry(2), Oracle(), tmp_path, IDENTITY)
    predict(Geometry(2), Oracle(), tmp_path, IDENTITY, about={"system": "oracle"}, overwrite=True)
    assert described(tmp_path) == {"system": "oracle"}


def test_a_run_in_two_sittings_says_both(tmp_path):
    about = start_run(tmp_path)
    second = {**about["provenance"], "date": "Tuesday", "machine": "theirs"}
    predict(Geometry(2), Oracle(), tmp_path, IDENTITY, about={**about, "provenance": second})
    built = described(tmp_path)["provenance"]
    assert (built["date"], built["machine"]) == ("Monday", "mine")
    assert built["continued"] == [{"date": "Tuesday", "machine": "theirs"}]


def test_a_continued_run_is_scored_once_and_a_finished_one_again():
    built = {"git_revision": "a", "versions": {}, "machine": {}, "date": "Monday"}
    now = {"provenance": {**built, "date": "Tuesday"}}
    sitting = {"versions": {}, "machine": {}, "date": "Tuesday"}
    stored = {"provenance": {**built, "continued": [{**sitting, "date": "Monday"}, sitting]}}
    assert scored(stored, now) == stored
    later = {"provenance": {**built, "date": "Wednesday"}}
    assert scored(stored, later)["provenance"]["scored"]["date"] == "Wednesday"


def test_a_finished_run_of_something_else_stays_unless_it_may_be_overwritten(tmp_path):
    first = {"provenance": {"git_revision": "abc"}}
    retained = predict(
        Geometry(2), Oracle(), tmp_path, {"system": {"mode": "argmax", "seed": 0}}, about=first
    )
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = {"system": {"mode": "samples", "seed": 0}}
    for resume in (False, True):
        with pytest.raises(
            InputError,
            match=(
                r"finished run that differs in system.mode \(argmax there, samples here\); choose"
                r" another out="
            ),
        ):
            predict(Geometry(2), Oracle(), tmp_path, other, resume, about=first)
    with pytest.raises(InputError, match="differs in questions"):
        predict(
            Geometry(1), Oracle(), tmp_path, {"system": {"mode": "argmax", "seed": 0}}, about=first
        )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert predict(Geometry(2), Oracle(), tmp_path, other, about=first, overwrite=True) == retained
    assert described(tmp_path) == first


@pytest.mark.parametrize("name", [RUN, PREDICTIONS])
def test_predictions_that_nothing_vouches_for_are_not_used_again(tmp_path, name):
    predict(Geometry(2), Oracle(), tmp_path, IDENTITY)
    if name == RUN:
        (tmp_path / RUN).unlink()
    else:
        write_predictions(tmp_path / PREDICTIONS, [])
    with pytest.raises(InputError, match=name):
        predict(Geometry(2), Oracle(), tmp_path, IDENTITY, resume=True)


def scored_at(out: Path, revision: str, **options) -> dict:
    """The report of an evaluation of an oracle by code of that revision."""
    run = {
        "config": {},
        "git_revision": revision,
        "versions": {"po3d": "1"},
        "date": revision,
        "checkpoints": {},
        "data": {},
    }
    about = {
        "benchmark": "pulsecheck457",
        "split": "mini",
        "system": "oracle",
        "settings": {},
        "provenance": run,
    }

    class Module:
        @staticmethod
        def score(questions, predictions, scorer):
            rows = [
                {
                    "name": "mean",
                    "n": len(questions),
                    "value": 100.0,
                    "ci_low": None,
                    "ci_high": None,
                }
            ]
            return {
                "rows": rows,
                "scorer": scorer,
                "images": 2,
                "other_scorers": {},
                "published": [],
            }

    class Split(Geometry):
        def hidden(self, name):
            return None

        def notes(self):
            return []

    return evaluate(
        Module, Split(2), options.pop("system", Oracle()), out, "strict", about, IDENTITY, **options
    )


def test_a_report_says_the_revision_that_built_its_predictions_and_the_one_that_scored_them(
    tmp_path,
):
    assert "scored" not in scored_at(tmp_path, "aaa")["provenance"]
    built = scored_at(tmp_path, "bbb", resume=True)["provenance"]
    assert (built["git_revision"], built["date"]) == ("aaa", "aaa")
    assert built["scored"]["git_revision"] == "bbb"
    page = (tmp_path / REPORT_PAGE).read_text()
    assert "revision aaa" in page
    assert "scored again: revision bbb" in page
    again = scored_at(tmp_path, "bbb")["provenance"]  # answered anew
    assert again["git_revision"] == "bbb"
    assert "scored" not in again


def test_what_was_built_of_other_predictions_goes_and_logs_of_them_stay_apart(tmp_path):
    scored_at(tmp_path, "aaa")
    for name in (HTML, GRID, ERRORS):
        (tmp_path / name).write_text("old")
    (tmp_path / "wandb").mkdir()
    scored_at(tmp_path, "aaa")  # the same predictions
    assert not (tmp_path / HTML).exists()
    assert (tmp_path / GRID).exists()

    class Silent(Oracle):
        def answer(self, questions, context):
            return [Prediction(q.id, "abstained") for q in questions]

    scored_at(tmp_path, "bbb", system=Silent())
    assert not (tmp_path / GRID).exists()
    assert not (tmp_path / ERRORS).exists()
    assert not (tmp_path / "wandb").exists()
    assert (tmp_path / "wandb-of-aaa").is_dir()


def test_two_evaluations_do_not_work_in_one_folder(tmp_path):
    with locked(tmp_path), pytest.raises(InputError, match="another evaluation is running in"):
        scored_at(tmp_path, "aaa")
    assert not (tmp_path / PARTIAL).exists()
    scored_at(tmp_path, "aaa")  # nothing is left of the lock


def test_a_lock_ends_with_its_process(tmp_path):
    script = (
        f"from po3d.io.runs import locked\nwith locked({str(tmp_path)!r}):\n print(1, flush=True)\n"
        " import time; time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"1\n"
    with pytest.raises(InputError, match="is running"), locked(tmp_path):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    with locked(tmp_path):
        pass


def test_a_finished_run_is_answered_anew_unless_resumed(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    first = predict(Geometry(2), Slow(), tmp_path / "out", IDENTITY)
    assert predict(Geometry(2), Slow(), tmp_path / "out", IDENTITY, resume=True) == first
    assert len((tmp_path / "asked").read_text().split()) == 2
    assert predict(Geometry(2), Slow(), tmp_path / "out", IDENTITY) == first
    assert len((tmp_path / "asked").read_text().split()) == 4


def test_retained_tables_are_read_back(tmp_path, monkeypatch):
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

    with pytest.raises(AssertionError, match=r"Lazy did not answer .* about 0\.png, each once"):
        predict(Geometry(2), Lazy(), tmp_path, IDENTITY)
