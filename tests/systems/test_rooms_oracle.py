"""`oracle=` on rooms: modules of a believed table and of the reading replaced by ground truth."""

from dataclasses import dataclass, replace

import pytest

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.io.errors import InputError
from po3d.io.paths import MINI as DATA
from po3d.language.read.parse import Parse
from po3d.scene.table import Scene
from po3d.systems.pipeline import Context, Pipeline, oracle
from po3d.systems.rooms import DOMAIN, question_parser
from po3d.systems.scene_sources import Truth

SPLIT = hypo3d.load(DATA / "hypo3d", "mini")
NAME = next(n for n in SPLIT.images if "aligned" not in n)
QUESTIONS = [q for q in SPLIT.questions if q.image == NAME]
TRUE = SPLIT.truth(NAME)


class Deaf:
    """Reads nothing."""

    def parse(self, texts, sort):
        return [Parse("unparsed", reason="not heard") for _ in texts]


@dataclass(frozen=True)
class Wrong:
    """Takes every other thing for a piano, and has lost one."""

    true = False

    def tables(self, looks) -> list[list[Scene]]:
        objects = [
            replace(o, beliefs=o.beliefs | {"name": {"piano": 1.0}}) if k % 2 else o
            for k, o in enumerate(TRUE.objects[1:])
        ]
        return [[replace(TRUE, objects=tuple(objects), source="predicted")] for _ in looks]


def system(tables, oracle) -> Pipeline:
    return Pipeline(tables, question_parser(Deaf()), DOMAIN, oracle)


def answers(system) -> list[str | None]:
    context = Context(lambda: None, lambda: TRUE, NAME)
    return [p.answer for p in system.answer(QUESTIONS, context)]


def test_with_every_module_true_it_answers_as_the_oracle():
    gold = answers(oracle("rooms"))
    assert None not in gold
    assert answers(system(Wrong(), DOMAIN.modules)) == gold
    spoken = answers(system(Wrong(), ("parsing", "edit")))
    assert spoken != gold
    assert any(a is not None for a in spoken)
    assert set(answers(system(Wrong(), ("shape",)))) == {None}


def test_modules_of_a_true_table_are_refused():
    with pytest.raises(InputError, match="predicted scenes"):
        system(Truth(), ("shape",))
    with pytest.raises(InputError, match="is not a module"):
        system(Wrong(), ("camera",))
