"""From a question's words and options to the option's content, on tables."""

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from po3d.benchmarks.threedsrbench.data import PhotoQuestion, rotations
from po3d.benchmarks.threedsrbench.score import consistency, mirrored_answer, row_hits, score
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.programs.threedsrbench import (
    ANSWERS,
    CATEGORY,
    OPERATIONS,
    THREEDSRBENCH,
    PhraseCall,
    parse_text,
)
from po3d.language.say.threedsrbench import STYLES, speak
from po3d.reasoning.grounded import TAKEN, answered, nearest, without_row
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.scene.camera import CameraPose, held, mirrored
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems.baselines import random_option
from po3d.systems.photographs import DOMAIN, question_parser
from po3d.systems.pipeline import Context, Pipeline, oracle
from po3d.systems.scene_sources import Pictures, Truth

AXES = {"left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0)}
NAMES = (("red", "chair"), ("blue", "sofa"), ("green", "plant"), ("white", "dog"), ("black", "tv"))


def scene(seed: int) -> Scene:
    r = rng(seed, "sr scene")
    objects = []
    for k, (color, name) in enumerate(NAMES):
        x, y = 2.5 + 1.2 * k + r.uniform(-0.2, 0.2), r.uniform(-2, 2)
        extent = tuple(r.uniform(0.3, 1.2, 3))
        objects.append(
            ObjectState(
                sure(name=name, color=color), (x, y, r.uniform(0.2, 1.8)), r.uniform(-3, 3), extent
            )
        )
    camera = held(CameraPose(1.6, r.uniform(-0.8, 0.2), r.uniform(-0.5, 0.5), 0.0), 640, 480, 450.0)
    return Scene(tuple(objects), AXES, "gt", camera, image=f"{seed}.png")


def run(program: PhraseCall, table: Scene) -> Outcome:
    return answered(THREEDSRBENCH.to_core(program), table)


def questions(seed: int) -> tuple[Scene, list[Question]]:
    """Rotations of one question of every operation in every style, answered by the gold program."""
    table, result = scene(seed), []
    for op, signature in OPERATIONS.items():
        for style in STYLES:
            r = rng(seed, f"{op}/{style}")
            rows = [int(i) for i in r.choice(len(NAMES), len(signature.inputs), replace=False)]
            phrases = tuple(" ".join(NAMES[i]) for i in rows)
            gold = PhraseCall(op, tuple(f"#{i} {p}" for i, p in zip(rows, phrases)))
            reply = speak(PhraseCall(op, phrases), style, r)
            right = reply.option_of[without_row(run(gold, table).answer)]
            own = {
                "options": tuple(reply.options),
                "letter": "ABCD"[reply.options.index(right)],
                "scene": str(seed),
            }
            name = f"{seed}{op.replace('_', '')}{style}"
            q = PhotoQuestion(
                name, table.image, reply.text, "6d", CATEGORY[op], right, gold.text(), **own
            )
            result += rotations(q)
    return table, result


def system(tables, **how) -> Pipeline:
    return Pipeline(tables, question_parser(), replace(DOMAIN, **how))


def context(table: Scene) -> Context:
    return Context(lambda: np.zeros((1, 1, 3), np.uint8), lambda: table, table.image)


@pytest.mark.parametrize(
    "answering", [oracle("photographs"), system(Truth())], ids=["oracle", "pipeline"]
)
def test_on_true_tables_every_rotation_of_every_type_is_right(answering):
    for seed in range(5):
        table, query = questions(seed)
        predictions = answering.answer(query, context(table))
        wrong = [
            (q.text, p)
            for q, p, hit in zip(query, predictions, row_hits(query, predictions))
            if not hit
        ]
        assert wrong == []
        report = score(query, predictions)
        assert all(row["value"] == 100 for row in report["rows"])
        assert consistency(query, predictions)["circular"]["value"] == 0


def test_a_mirror_image_gets_the_mirrored_answer():
    for seed in range(5):
        table, query = questions(seed)
        flipped = mirrored(table)
        for q in query:
            program = parse_text(q.program)
            answers = run(program, table).answer, run(program, flipped).answer
            word = answers[0] in sum(ANSWERS.values(), ())
            assert answers[1] == (mirrored_answer(q.category, answers[0]) if word else answers[0])


def test_a_margin_makes_flips_agree_under_noise():
    """Heading noise of 5 degrees, drawn apart for picture and mirror image: with 10 degrees from
    every boundary at most 2 % of the sides disagree, without margins far more.
    """
    table, r, disagree = scene(3), rng(0, "flip noise"), {True: [], False: []}
    for _ in range(600):
        turned = replace(table.objects[0], heading=float(r.uniform(-math.pi, math.pi)))
        truth = replace(table, objects=(turned, *table.objects[1:]))
        reply = []
        for one in (truth, mirrored(truth)):
            noisy = replace(
                one.objects[0],
                heading=float(wrap_angle(one.objects[0].heading + r.normal(0, math.radians(5)))),
            )
            reply.append(
                run(
                    PhraseCall("side_to_camera", ("#0",)),
                    replace(one, objects=(noisy, *one.objects[1:])),
                ).answer
            )
        gold = THREEDSRBENCH.to_core(PhraseCall("side_to_camera", ("#0",)))
        clear = nearest(gold, truth, answered(gold, truth)).distance >= 10
        disagree[clear].append(mirrored_answer("orientation_viewpoint", reply[0]) != reply[1])
    assert np.mean(disagree[True]) <= 0.02
    assert np.mean(disagree[False]) > 0.2


def test_what_cannot_be_answered_says_why():
    table, query = questions(0)
    q = replace(query[0], text="Why is the sky blue?")
    assert system(Truth()).answer([q], context(table))[0].status == "unparsed"
    lost = replace(
        query[0], text="Which is higher, the zebra or the sofa?", options=("zebra", "sofa")
    )
    (prediction,) = system(Truth()).answer([lost], context(table))
    assert (prediction.status, prediction.reason) == (
        "failed",
        "not found: 'zebra' is not in the scene",
    )
    with pytest.raises(InputError, match="needs a synthetic twin"):
        oracle("photographs").answer([replace(query[0], program="")], context(table))
    (bad,) = oracle("photographs").answer([replace(query[0], program="higher(1)")], context(table))
    assert bad.status == "failed"


class Estimator:
    """Gives a table, and notes what it was shown."""

    def __init__(self, table: Scene) -> None:
        self.table, self.seen = table, []

    def estimate(self, pictures, focals, names=None):
        self.seen.append((pictures[0].shape, focals[0]))
        return [self.table]


def test_an_estimator_that_returns_the_truth_is_refused():
    table, query = questions(0)
    display = replace(context(table), inputs=SimpleNamespace(focal=lambda name: 0.7))
    with pytest.raises(InputError, match="ground truth"):
        system(Pictures(Estimator(table), "photographs")).answer(query, display)


def test_an_estimator_sees_the_picture_and_its_focal_length_alone():
    table, query = questions(0)
    retained = []

    def truth():
        raise AssertionError("nobody may look at the truth")

    display = replace(
        context(table),
        truth=truth,
        on_scene=retained.append,
        inputs=SimpleNamespace(focal=lambda name: 0.7),
    )
    estimator = Estimator(replace(table, source="predicted"))
    predictions = system(Pictures(estimator, "photographs")).answer(query, display)
    assert all(row_hits(query, predictions))
    assert estimator.seen == [((1, 1, 3), 0.7)]
    assert retained == [estimator.table]


def test_random_guesses_are_consistent_only_when_queried_to_be():
    table, query = questions(1)
    loose, same = (random_option(0, c).answer(query, context(table)) for c in (False, True))
    assert consistency(query, same)["circular"]["value"] == 0
    assert consistency(query, loose)["circular"]["value"] > 30


def doubted(existence: float) -> tuple[Scene, list[Question]]:
    """A predicted table in which each thing is there with that probability, and questions about two
    of its things.
    """
    table, query = questions(0)
    objects = tuple(replace(o, existence=existence) for o in table.objects)
    return replace(table, objects=objects, source="predicted"), query


@dataclass(frozen=True)
class Provided:
    true = False

    scene: Scene

    def tables(self, looks):
        return [[self.scene] for _ in looks]


def test_an_answer_about_what_was_not_detected_says_so_or_fails_where_nothing_is_taken_for_granted():
    for existence, result in ((0.6, True), (0.4, False), (0.01, False)):
        table, query = doubted(existence)
        supplied = system(Provided(table)).answer(query, context(table))
        assert {p.status for p in supplied} == {"ok"}
        assert {p.reason.startswith(TAKEN) for p in supplied} == {not result}
        strict = system(Provided(table), assume_present=False).answer(query, context(table))
        assert {p.status for p in strict} == {"ok" if result else "failed"}
        if result:
            assert strict == supplied
        report = score(query, supplied)
        assert (report["not_found"] == {}) == result
        if not result:
            assert (report["not_found"]["n"], report["not_found"]["rows"]) == (
                report["rows"][0]["n"],
                report["rows"],
            )


def test_only_questions_about_what_was_not_detected_are_counted():
    table, query = doubted(0.9)
    lost = replace(table, objects=(replace(table.objects[0], existence=0.1), *table.objects[1:]))
    supplied = system(Provided(lost)).answer(query, context(lost))
    about = [q for q, p in zip(query, supplied, strict=True) if p.reason.startswith(TAKEN)]
    name = " ".join(NAMES[0])
    assert about == [q for q in query if f"#0 {name}" in q.program]
    counted = score(query, supplied)["not_found"]
    assert 0 < counted["n"] < counted["of"]
