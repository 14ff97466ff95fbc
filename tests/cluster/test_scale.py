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
    result = copies(split, len(split.questions) + 10)
    assert len({q.id for q in result.questions}) == len(result.questions)
    first, again = result.questions[0], result.questions[len(split.questions)]
    assert first.text == again.text
    assert result.truth(first.image).objects == result.truth(again.image).objects


def test_with_one_question_each_there_are_as_many_pictures_as_questions():
    split = pulsecheck457.open_mini()
    result = copies(split, 400, each=1)
    assert len({q.image for q in result.questions}) == len(result.questions) == 400
    assert len({q.category for q in result.questions}) == len({q.category for q in split.questions})
    name = result.questions[200].image
    assert (result.image(name) == split.image(name.partition("/")[2])).all()


def test_batches_and_an_evaluation_answer_all_of_them():
    split = pulsecheck457.open_mini().first(3)
    executed(split, 150)
    report = evaluated(split, 150, oracle("street"))
    assert report["statuses"] == {"ok": 150}
    assert {row["value"] for row in report["rows"]} == {100.0}


def test_pictures_are_read_once_each():
    class Looks:
        visible = 0

        def answer(self, questions, context):
            assert context.image().shape[2] == 3
            Looks.seen += 1
            return [Prediction(q.id, "ok", q.answer) for q in questions]

    evaluated(pulsecheck457.open_mini().first(3), 7, Looks(), 1)
    assert Looks.seen == 7


def test_what_was_measured_is_retained_and_rendered(tmp_path, monkeypatch, capsys):
    query = []

    class Here:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def submit(self, work, *supplied):
            query.append(supplied)
            return self

        def result(self):
            return ScaleFigure(*query[-1], 2.0 * query[-1][1], 0.5)

    monkeypatch.setattr(scale, "pool", lambda workers: Here())
    retained, picture = tmp_path / "kept.jsonl", tmp_path / "plot.svg"
    scale.scale(["executor", "pictures"], 10_000, retained, picture)
    assert query == [
        ("executor", 1000),
        ("executor", 10_000),
        ("pictures", 100),
        ("pictures", 1000),
        ("pictures", 10_000),
    ]
    reply = capsys.readouterr().out
    assert reply.count("1.000 of linear") == 5
    assert list(figures(["pictures"], 1000, retained)) == [
        ScaleFigure("pictures", n, 2.0 * n, 0.5) for n in (100, 1000)
    ]
    assert len(query) == 5  # what is kept is not measured again
    sampled = picture.read_bytes()
    assert b"<svg" in sampled
    assert b"executor, questions" in sampled
    scale.plot(list(figures(["executor", "pictures"], 10_000, retained)), picture)
    assert picture.read_bytes() == sampled
    retained.write_text('{"work": "executor"}\n')
    with pytest.raises(InputError, match="other records"):
        next(figures(["pictures"], 1000, retained))
