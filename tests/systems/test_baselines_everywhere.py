"""random and frequency: an answer to every question of every benchmark, from its options or a
training twin.
"""

from collections import Counter

import pytest
from omegaconf import OmegaConf

from po3d.benchmarks.registry import BENCHMARKS, opened, training_questions
from po3d.io.config import build, compose
from po3d.io.errors import InputError
from po3d.reasoning.questions import Question
from po3d.systems.answer_kinds import queried_kind
from po3d.systems.baselines import frequency_answer, random_answer
from po3d.systems.pipeline import Context


def ask_question(answer, category="movement", options=(), number="q"):
    return Question(number, "i", "Where?", "2d", category, answer, options=tuple(options))


TRAINING = [
    ask_question("left"),
    ask_question("left"),
    ask_question("bed"),
    ask_question("3", "removal"),
    ask_question("yes", "above", ("yes", "no")),
]


def answers(system, *questions):
    return [p.answer for p in system.answer(questions, None)]


def test_the_most_frequent_answer_is_of_the_category_and_among_the_options():
    system = frequency_answer(TRAINING)
    assert answers(
        system, ask_question("?"), ask_question("?", "removal"), ask_question("?", "unheard of")
    ) == ["left", "3", "left"]
    assert answers(system, ask_question("?", "above", ("no", "yes"))) == ["yes"]
    assert answers(system, ask_question("?", "above", ("b", "a"))) == [
        "a"
    ]  # in every rotation the same
    with pytest.raises(InputError, match="needs training questions"):
        frequency_answer([])


def test_a_random_answer_is_one_of_the_categorys_and_the_seed_decides():
    questions = [ask_question("?", number=f"q{k}") for k in range(40)]
    result = answers(random_answer(TRAINING, 1), *questions)
    assert set(result) == {"left", "bed"}
    assert (
        result
        == answers(random_answer(TRAINING, 1), *questions)
        != answers(random_answer(TRAINING, 2), *questions)
    )


@pytest.mark.parametrize("name", sorted(BENCHMARKS))
@pytest.mark.parametrize("system", ["random", "frequency"])
def test_every_benchmark_has_them(name, system):
    config = compose(
        "evaluate", [f"benchmark={name}", f"system={system}", "system.training.size=2"]
    )
    built = build(OmegaConf.to_container(config.system, resolve=True))
    split = opened(name, None, 1)
    questions = [q for q in split.questions if q.image == split.images[0]]
    supplied = built.answer(questions, Context.of(split, split.images[0]))
    assert [p.id for p in supplied] == [q.id for q in questions]
    assert all(
        p.status == "ok" and (not q.options or p.answer in q.options)
        for p, q in zip(supplied, questions)
    )


def test_training_questions_are_no_test_questions():
    for name in BENCHMARKS:
        own = training_questions(name, 1, 3)
        assert own
        assert all(q.answer for q in own)


def test_frequency_on_super_clevr_learns_from_super_clevr(monkeypatch):
    from po3d.systems import composition

    requested = []
    training = training_questions("superclevr", 2, 457)
    monkeypatch.setattr(
        composition.registry,
        "training_questions",
        lambda *supplied: requested.append(supplied) or training,
    )
    system = composition.frequency("superclevr", "street", {"size": 2, "seed": 457})
    assert requested == [("superclevr", 2, 457)]
    counts = {}
    for q in training:
        counts.setdefault((q.category, queried_kind(q.text)), Counter())[q.answer] += 1
    for q, p in zip(training, system.answer(training, None), strict=True):
        kind = counts[q.category, queried_kind(q.text)]
        assert kind[p.answer] == max(kind.values())
    others = {q.category for q in opened("pulsecheck457", None, 1).questions}
    assert not others & {q.category for q in training}
