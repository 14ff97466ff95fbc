"""What `python -m tools.bench scale` measures is right at a small size."""

import pytest

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction
from po3d.systems.pipeline import oracle
from tools import scale
from tools.scale import ScaleFigure, copies, evaluated, executed, figures


def test_copies_are_questions_of_their_own_on_the_same_tables():
    split = pulsecheck457.open_mini()
    found = copies(split, len(split.questions) + 10)
    assert len({q.id for q in found.questions}) == len(found.questions)
    first, again = found.questions[0], found.questions[len(split.questions)]
    assert first.text == again.text
    assert found.truth(first.image).objects == found.truth(again.image).objects


def test_with_one_question_each_there_are_as_many_pictures_as_questions():
    split = pulsecheck457.open_mini()
    found = copies(split, 400, each=1)
    assert len({q.image for q in found.questions}) == len(found.questions) == 400
    assert len({q.category for q in found.questions}) == len({q.category for q in split.questions})
    name = found.questions[200].image
    assert (found.image(name) == split.image(name.partition("/")[2])).all()


def test_batches_and_an_evaluation_answer_all_of_them():
    split = pulsecheck457.open_mini().first(3)
    executed(split, 150)
    report = evaluated(split, 150, oracle("street"))
    assert report["statuses"] == {"ok": 150}
    assert {row["value"] for row in report["rows"]} == {100.0}


def test_pictures_are_looked_at_once_each():
    class Looks:
        seen = 0

        def answer(self, questions, context):
            assert context.image().shape[2] == 3
            Looks.seen += 1
            return [Prediction(q.id, "ok", q.answer) for q in questions]

    evaluated(pulsecheck457.open_mini().first(3), 7, Looks(), 1)
    assert Looks.seen == 7


def test_what_was_measured_is_kept_and_drawn(tmp_path, monkeypatch, capsys):
    asked = []

    class Here:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def submit(self, work, *given):
            asked.append(given)
            return self

        def result(self):
            return ScaleFigure(*asked[-1], 2.0 * asked[-1][1], 0.5)

    monkeypatch.setattr(scale, "pool", lambda workers: Here())
    kept, picture = tmp_path / "kept.jsonl", tmp_path / "plot.svg"
    scale.scale(["executor", "pictures"], 10_000, kept, picture)
    assert asked == [
        ("executor", 1000),
        ("executor", 10_000),
        ("pictures", 100),
        ("pictures", 1000),
        ("pictures", 10_000),
    ]
    said = capsys.readouterr().out
    assert said.count("1.000 of linear") == 5
    assert list(figures(["pictures"], 1000, kept)) == [
        ScaleFigure("pictures", n, 2.0 * n, 0.5) for n in (100, 1000)
    ]
    assert len(asked) == 5  # what is kept is not measured again
    drawn = picture.read_bytes()
    assert b"<svg" in drawn
    assert b"executor, questions" in drawn
    scale.plot(list(figures(["executor", "pictures"], 10_000, kept)), picture)
    assert picture.read_bytes() == drawn
    kept.write_text('{"work": "executor"}\n')
    with pytest.raises(InputError, match="other records"):
        next(figures(["pictures"], 1000, kept))
