"""`oracle=` on rooms: modules of a believed table and of the reading replaced by ground truth."""

from dataclasses import dataclass, replace

import pytest

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.io.errors import InputError
from po3d.io.shipped import MINI as DATA
from po3d.language.read.room_parser import RoomParse
from po3d.scene.table import Scene
from po3d.systems.pipeline import Context
from po3d.systems.room_sources import TRUTH
from po3d.systems.room_substitution import MODULES
from po3d.systems.rooms import RoomOracle, RoomPipeline

SPLIT = hypo3d.load(DATA / "hypo3d", "mini")
NAME = next(n for n in SPLIT.images if "aligned" not in n)
QUESTIONS = [q for q in SPLIT.questions if q.image == NAME]
TRUE = SPLIT.truth(NAME)


class Deaf:
    """Reads nothing."""

    def parse(self, texts, sort):
        return [RoomParse("unparsed", reason="not heard") for _ in texts]


@dataclass(frozen=True)
class Wrong:
    """Takes every other thing for a piano, and has lost one."""

    def table(self, context: Context) -> Scene:
        objects = [
            replace(o, beliefs=o.beliefs | {"name": {"piano": 1.0}}) if k % 2 else o
            for k, o in enumerate(TRUE.objects[1:])
        ]
        return replace(TRUE, objects=tuple(objects), source="predicted")


def answers(system) -> list[str | None]:
    context = Context(lambda: None, lambda: TRUE, NAME)
    return [p.answer for p in system.answer(QUESTIONS, context)]


def test_with_every_module_true_it_answers_as_the_oracle():
    gold = answers(RoomOracle())
    assert None not in gold
    assert answers(RoomPipeline(Deaf(), Wrong(), oracle=MODULES)) == gold
    heard = answers(RoomPipeline(Deaf(), Wrong(), oracle=("parsing", "edit")))
    assert heard != gold
    assert any(a is not None for a in heard)
    assert set(answers(RoomPipeline(Deaf(), Wrong(), oracle=("shape",)))) == {None}


def test_modules_of_a_true_table_are_refused():
    with pytest.raises(InputError, match="believed tables"):
        RoomPipeline(Deaf(), TRUTH, oracle=("shape",))
    with pytest.raises(InputError, match="is no module"):
        RoomPipeline(Deaf(), Wrong(), oracle=("camera",))
