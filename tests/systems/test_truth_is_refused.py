"""No pipeline of any world answers from a true table, unless true tables are asked for by name."""

import inspect

import pytest

from po3d.reasoning.questions import Question
from po3d.scene.table import Scene
from po3d.systems.pipeline import Context, Pipeline
from po3d.systems.room_sources import TRUTH, Maps, checked
from po3d.systems.rooms import RoomPipeline, room_pipeline
from po3d.systems.scope import ScopePipeline, scope_pipeline
from po3d.systems.sr import SrPipeline, sr_pipeline

TRUE = Scene((), {}, "gt", image="v")
ASKED = [
    Question("q", "v", "?", "2d", "c", meta={"images": ["v"], "views": [0.0], "options": [], "change": ""})
]


class Leak:
    """A perception, and a source of tables, that hands out the truth without being called so."""

    true = False

    def estimate(self, images, names=None):
        return [TRUE]

    def table(self, context, things=()):
        return context.truth()

    def tables(self, names, context):
        return [context.truth() for _ in names]

    def parse(self, texts, sort=None):
        return []


@pytest.mark.parametrize(
    "pipeline",
    [Pipeline(Leak(), Leak()), RoomPipeline(Leak(), Leak()), SrPipeline(Leak()), ScopePipeline(Leak())],
    ids=lambda p: type(p).__name__,
)
def test_every_pipeline_refuses_a_true_table(pipeline):
    asked = ASKED if isinstance(pipeline, ScopePipeline) else []
    with pytest.raises(AssertionError, match="returned the ground truth of 'v'"):
        pipeline.answer(asked, Context(lambda: None, lambda: TRUE, "v"))


@pytest.mark.parametrize(
    ("make", "source"),
    [(RoomPipeline, "table"), (SrPipeline, "tables"), (ScopePipeline, "source"),
     (room_pipeline, "table"), (sr_pipeline, "table"), (scope_pipeline, "table")],
)  # fmt: skip
def test_no_pipeline_takes_true_tables_unasked(make, source):
    assert inspect.signature(make).parameters[source].default is inspect.Parameter.empty


def test_the_truth_by_its_name_is_what_was_asked_for():
    assert checked(TRUTH, Context(lambda: None, lambda: TRUE, "v")) is TRUE
    assert Maps() != TRUTH
