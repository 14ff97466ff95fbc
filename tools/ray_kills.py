"""Kill machines of a Ray cluster during an evaluation: `python -m tools.ray_kills [--runs 20]`.

Each run evaluates the shipped Super-CLEVR pictures on ground truth (system=oracle) with 1, 3 or 8
workers in turn, on a simulated cluster of several machines on this one; two of them are killed at
random times. Prints how many runs gave bytes equal to those of a plain run.
"""

import argparse
import contextlib
import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.distributed import spread
from po3d.evaluation.run import predict
from po3d.io.paths import ROOT
from po3d.io.ray_engine import Ray
from po3d.io.runs import PREDICTIONS, SCENES
from po3d.systems.pipeline import Oracle, oracle

WORKERS = (1, 3, 8)
MACHINES = 4
STORE = 80 * 2**20
# A dead machine refuses at once; a slow one has ten seconds to respond.
SETTINGS = {
    "health_check_initial_delay_ms": 5000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 10000,
    "health_check_failure_threshold": 3,
    "worker_niceness": 0,
}


@contextlib.contextmanager
def cluster(machines: int, cpus: int = 1) -> Iterator:
    """Start this number of machines with `cpus` each, besides the driver's machine, which has none
    for work."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    head = {
        "num_cpus": 0,
        "_system_config": SETTINGS,
        "object_store_memory": STORE,
        "include_dashboard": False,
    }
    ray_cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(machines):
            add(ray_cluster, cpus)
        ray.init(ray_cluster.address, log_to_driver=False, logging_level="ERROR")
        yield ray_cluster
    finally:
        ray.shutdown()
        ray_cluster.shutdown()


def add(ray_cluster, cpus: int = 1) -> None:
    ray_cluster.add_node(wait=False, num_cpus=cpus, object_store_memory=STORE)


def killing(ray_cluster, after: float, seed: int) -> threading.Thread:
    """Kill a machine after this many seconds without a shutdown."""

    def kill() -> None:
        time.sleep(after)
        node = random.Random(seed).choice(
            [n for n in ray_cluster.list_all_nodes() if n is not ray_cluster.head_node]
        )
        ray_cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@dataclass
class Slow:
    """A slow system, so that there is time for kills."""

    system: Oracle
    seconds: float

    def answer(self, questions, context):
        time.sleep(self.seconds)
        return self.system.answer(questions, context)


def _slow_system(seconds: float) -> Slow:
    return Slow(oracle("street"), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m tools.ray_kills", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--images", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    benchmark = BENCHMARKS["superclevr"]
    split = benchmark.load(benchmark.mini, "mini").first(arguments.images)
    draws, equal = random.Random(arguments.seed), 0
    with tempfile.TemporaryDirectory() as folder, cluster(MACHINES, 2) as ray_cluster:
        plain = Path(folder) / "plain"
        predict(split, _slow_system(0), plain, {})
        for run in range(arguments.runs):
            workers, out = WORKERS[run % len(WORKERS)], Path(folder) / str(run)
            killers = [
                killing(ray_cluster, draws.uniform(0.5, 6), draws.randrange(2**30))
                for _ in range(2)
            ]
            start = time.monotonic()
            predict(
                split,
                _slow_system(0),
                out,
                {},
                answers=spread(Ray(workers), partial(_slow_system, 0.1 * workers)),
            )
            took = time.monotonic() - start
            for killer in killers:
                killer.join()
                add(ray_cluster, 2)
            same = all(
                (out / n).read_bytes() == (plain / n).read_bytes() for n in (PREDICTIONS, SCENES)
            )
            equal += same
            print(
                f"run {run}: {workers} workers, {took:.1f} s, {'equal' if same else 'DIFFERENT'}",
                flush=True,
            )
    print(f"two nodes killed in each run: equal {equal} of {arguments.runs}")


if __name__ == "__main__":
    main()
