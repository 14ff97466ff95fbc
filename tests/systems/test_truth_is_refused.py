"""No pipeline of any world answers from a true table, unless true tables are asked for by name."""

import pytest

from po3d.io.errors import InputError
from po3d.language.read.parse import Parse
from po3d.reasoning.questions import Question
from po3d.scene.table import Scene
from po3d.systems import orbit, photographs, rooms, street
from po3d.systems.pipeline import Context, PerceptionInput, Pipeline
from po3d.systems.scene_sources import Truth

TRUE = Scene((), {}, "gt", image="v")
ASKED = [Question("q", "v", "?", "2d", "c", images=("v",), views=(0.0,))]


class Leak:
    """A perception, and a source of tables, that hands out the truth without being called so."""

    true = False

    def estimate(self, images, names=None):
        return [TRUE]

    def tables(self, looks):
        return [[look.context.truth() for _ in look.names] for look in looks]

    def parse(self, texts, sort=None):
        return [Parse("unparsed") for _ in texts]


@pytest.mark.parametrize("world", [street, rooms, photographs, orbit])
def test_every_pipeline_refuses_a_true_table(world):
    parsers = {
        street: lambda: street.question_parser(Leak()),
        rooms: lambda: rooms.question_parser(Leak()),
        photographs: photographs.question_parser,
        orbit: orbit.question_parser,
    }
    reader = parsers[world]()
    pipeline = Pipeline(Leak(), reader, world.DOMAIN)
    with pytest.raises(InputError, match="returned ground truth for 'v'"):
        pipeline.answer(ASKED, Context(lambda: None, lambda: TRUE, "v"))


@pytest.mark.parametrize("world", [rooms, photographs, orbit])
def test_no_pipeline_takes_true_tables_unasked(world):
    assert world.DOMAIN.options["scenes"] != "ground_truth"


def test_the_truth_by_its_name_is_what_was_requested():
    context = Context(lambda: None, lambda: TRUE, "v")
    pipeline = Pipeline(Truth(), street.question_parser(Leak()), street.DOMAIN)
    (tables,) = pipeline.look([PerceptionInput(context, ["v"])])
    assert tables.scene is TRUE
