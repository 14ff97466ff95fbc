"""What `python -m po3d.bench scale` measures is right at a small size."""

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.evaluation.scale import copies, evaluated, executed


def test_copies_are_questions_of_their_own_on_the_same_tables():
    split = pulsecheck457.open_mini()
    found = copies(split, len(split.questions) + 10)
    assert len({q.id for q in found.questions}) == len(found.questions)
    first, again = found.questions[0], found.questions[len(split.questions)]
    assert first.text == again.text
    assert found.truth(first.image).objects == found.truth(again.image).objects


def test_batches_and_an_evaluation_answer_all_of_them(capsys):
    split = pulsecheck457.open_mini().first(3)
    executed(split, 150)
    evaluated(split, 150)
