"""Pictures that can't be read: the end of a run, or failed answers that the report counts and
names.
"""

from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.evaluation.run import predict
from po3d.io.errors import InputError
from po3d.io.images import ImageError, read_image
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.input_errors import MARK, BadImageCounter, note


class Views:
    """A split of `count` scenes with two views each, of which those in `bad` can't be read; every
    question shows its image, or some of the views of its scene.
    """

    def __init__(self, count, bad, several):
        self.bad, self.questions = bad, []
        for k in range(count):
            display = [[f"{k}a"], [f"{k}b"], [f"{k}a", f"{k}b"]] if several else [[]] * 3
            self.questions += [
                Question(f"{k}-{n}", f"{k}", "?", "2d", "L1", "yes", images=tuple(names))
                for n, names in enumerate(display)
            ]

    def image(self, name):
        if name in self.bad:
            raise ImageError(f"{name} is torn")
        return np.zeros((1, 1, 3), np.uint8)

    def truth(self, name):
        raise InputError("there are no tables")

    def inputs(self, name):
        return self


class Looker:
    """Looks at all that its questions show, and says yes."""

    def __init__(self):
        self.asked = []

    def answer(self, questions, context):
        names = {n for q in questions for n in q.images}
        for name in sorted(names):
            context.inputs.image(name)
        if not names:
            context.image()
        self.asked += [q.id for q in questions]
        return [Prediction(q.id, "ok", "yes") for q in questions]


class EagerLooker(Looker):
    ahead = 2

    def begin(self, questions, context):
        done = Future()
        done.set_result(self.answer(questions, context))
        return done


class BatchedLooker(Looker):
    at_once = 2

    def answers(self, pose):
        return [self.answer(*image) for image in pose]


@given(
    bad=st.sets(st.sampled_from([f"{k}{view}" for k in range(3) for view in ("", "a", "b")])),
    several=st.booleans(),
    kind=st.sampled_from([Looker, EagerLooker, BatchedLooker]),
)
def test_the_questions_that_show_a_bad_picture_fail_and_no_others(
    tmp_path_factory, bad, several, kind
):
    split, out = Views(3, bad, several), tmp_path_factory.mktemp("out")
    looker = kind()
    assert bool(BadImageCounter(looker).ahead) == (kind is EagerLooker)
    predictions = predict(split, BadImageCounter(looker), out, {})
    assert [p.id for p in predictions] == [q.id for q in split.questions]
    lost = {q.id for q in split.questions if bad & set(q.images or [q.image])}
    assert {p.id for p in predictions if p.status == "failed"} == lost
    assert all(
        p.reason.startswith(MARK) and p.reason.endswith("is torn")
        for p in predictions
        if p.id in lost
    )
    assert all(p.answer == "yes" for p in predictions if p.id not in lost)
    right = sorted({q.id for q in split.questions} - lost)
    assert sorted(set(looker.asked)) == right
    assert kind is BatchedLooker or len(looker.asked) == len(right)
    reply = note(split.questions, predictions)
    assert (reply is None) == (not lost)
    if lost:
        assert f"{len(lost)} questions failed and count as wrong" in reply
        assert any(f"{name} is torn" in reply for name in bad)


def test_without_counting_a_bad_picture_ends_the_run(tmp_path):
    with pytest.raises(InputError, match="1 is torn"):
        predict(Views(3, {"1"}, False), Looker(), tmp_path, {})


def test_a_run_that_a_bad_picture_ended_goes_on_counting(tmp_path):
    split, looker = Views(3, {"1"}, False), Looker()
    with pytest.raises(ImageError, match=r"is torn; benchmark\.on_bad_image=count continues"):
        predict(split, looker, tmp_path, {})
    predictions = predict(split, BadImageCounter(looker), tmp_path, {})
    assert [p.status for p in predictions] == ["ok"] * 3 + ["failed"] * 3 + ["ok"] * 3
    assert looker.asked == [
        q.id for q in split.questions if q.image != "1"
    ]  # nobody was asked twice


def test_what_is_wrong_with_no_picture_still_ends_the_run(tmp_path):
    class Broken(Looker):
        def answer(self, questions, context):
            raise InputError("no weights")

    with pytest.raises(InputError, match="no weights"):
        predict(Views(1, set(), False), BadImageCounter(Broken()), tmp_path, {})


def test_only_some_reasons_are_named():
    split = Views(5, {f"{k}" for k in range(5)}, False)
    lost = [Prediction(q.id, "failed", reason=f"{MARK}{q.image} is torn") for q in split.questions]
    assert (
        note(split.questions, lost)
        == "cannot read 5 images: 15 questions failed and count as wrong (0 is torn; 1 is torn; 2"
        " is torn; ...)"
    )
    assert note(split.questions, [replace(p, reason="out of words") for p in lost]) is None


def test_every_unreadable_file_is_an_image_error(tmp_path):
    for name, content in (("missing.png", None), ("empty.png", b""), ("text.png", b"no picture")):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(ImageError, match=name):
            read_image(tmp_path / name)
