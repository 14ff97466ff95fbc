"""Work on a Ray cluster gives what it gives here, whoever dies."""

import os
import time
from pathlib import Path

import pytest
from ray_cluster import Squares, Told

from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.distributed import spread
from po3d.evaluation.run import predict
from po3d.io.errors import InputError
from po3d.io.paths import ROOT
from po3d.io.pools import each, on
from po3d.io.ray_engine import Ray
from po3d.reasoning.questions import read_predictions
from po3d.systems.input_errors import MARK
from tools.ray_kills import add, cluster, killing

pytest.importorskip("ray")
ITEMS = range(40)


@pytest.fixture(scope="module")
def machines():
    folders = [str(Path(__file__).parent), str(ROOT), os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(folders))  # workers find what this folder holds
        with cluster(2) as result:
            yield result


@pytest.mark.parametrize("workers", [1, None])
def test_results_come_in_order_whatever_the_number_of_workers(machines, workers, tmp_path):
    assert list(Ray(workers).each(Squares(tmp_path), ITEMS)) == [k * k for k in ITEMS]
    assert len(list(tmp_path.iterdir())) == len(ITEMS)


def test_pieces_of_a_twin_go_to_the_engine_that_is_on(machines, tmp_path):
    with on(Ray(1)):
        assert list(each(Squares(tmp_path), ITEMS, 1, "squares", "square")) == [
            k * k for k in ITEMS
        ]
    assert f"0.{os.getpid()}" not in [p.name for p in tmp_path.iterdir()]


def test_a_machine_that_dies_loses_nothing(machines, tmp_path):
    started = time.monotonic()
    killer = killing(machines, 2.0, seed=0)
    result = list(Ray(2).each(Squares(tmp_path, 0.1), ITEMS))
    assert result == [k * k for k in ITEMS]
    assert time.monotonic() - started > 2  # the machine died while there was work
    killer.join()
    add(machines)


def test_what_kills_its_workers_is_dropped_and_the_rest_goes_on(machines, tmp_path):
    reply = []

    def lost(item, why):
        reply.append((item, why))
        return -1

    engine = Ray(2, tries=2)
    result = list(engine.each(Squares(tmp_path, fatal=3, bad=7), range(12), lost))
    assert result == [-1 if k in (3, 7) else k * k for k in range(12)]
    assert sorted(reply) == [
        (3, "2 workers exited while processing it"),
        (7, "ValueError: 7 is bad"),
    ]
    assert len([p for p in tmp_path.iterdir() if p.name.startswith("3.")]) == 2
    with pytest.raises(InputError, match="3: 2 workers exited"):
        list(engine.each(Squares(tmp_path, fatal=3), range(4)))


def test_an_evaluation_has_the_bytes_of_the_plain_one(machines, tmp_path):
    split = BENCHMARKS["superclevr"].load(BENCHMARKS["superclevr"].mini, "mini").first(6)
    predict(split, Told(), tmp_path / "plain", {})
    predict(split, Told(), tmp_path / "ray", {}, answers=spread(Ray(2), Told))
    for name in ("predictions.jsonl", "scenes.jsonl"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()
    poisoned = split.images[2]
    answers = spread(Ray(2, tries=2), lambda: Told(poisoned))
    predictions = predict(split, Told(), tmp_path / "poisoned", {}, answers=answers)
    plain = {p.id: p for p in read_predictions(tmp_path / "plain" / "predictions.jsonl")}
    for q, p in zip(split.questions, predictions, strict=True):
        if q.image == poisoned:
            assert p.status == "failed"
            assert p.reason == f"{MARK}{poisoned}: 2 workers exited while processing it"
        else:
            assert p == plain[q.id]


def test_a_system_that_waits_for_a_service_is_no_work_for_a_cluster(tmp_path):
    system = Told()
    system.ahead = 4
    split = BENCHMARKS["superclevr"].load(BENCHMARKS["superclevr"].mini, "mini").first(1)
    with pytest.raises(InputError, match="concurrency"):
        predict(split, system, tmp_path, {}, answers=spread(Ray(1), Told))
