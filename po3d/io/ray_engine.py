"""Engine on a Ray cluster (extra `cluster`): that of RAY_ADDRESS, or one on this machine.

Ray places the actors and reports their deaths; this module distributes the items and orders the
results. An item is done when its result has arrived. An item whose actor died is repeated by
another one, so each item has exactly one result.
"""

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from po3d.io.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
STARTS = 8  # consecutive workers that end before they are ready: the error then affects all of them
AHEAD = 16  # finished items per worker that may wait for an earlier one
STORE = 2**30  # bytes of shared memory of a cluster started here


class _Worker:
    """An actor with one piece of work, and the resources that it needs (a network, a renderer)."""

    def __init__(self, work: Callable[[Any], Any], folder: str) -> None:
        self.work = work
        if os.path.isdir(folder):  # relative paths refer to the folder of the command
            os.chdir(folder)

    def ready(self) -> None: ...

    def do(self, item: Any) -> Any:
        return self.work(item)


@dataclass(frozen=True)
class Ray:
    """An engine (`po3d.io.pools.Engine`). `workers`: number of actors; None for as many as the
    cluster has room for at the start. `cpus`, `gpus`: resources of each. An item is given up after
    `tries` deaths of its worker."""

    workers: int | None = None
    cpus: float = 1
    gpus: float = 0
    tries: int = 5

    def each(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """Yield the result of `work` for each item, in order. `lost` returns the result of an item
        that raised or was given up, given the reason. Without it such an item ends the run, as an
        InputError always does."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray  # extra, and slow to import

        started = not ray.is_initialized()
        if started:
            self._connect(ray)
        try:
            yield from self._results(ray, work, iter(items), lost)
        finally:
            if started:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        address = os.environ.get("RAY_ADDRESS")
        here = {"include_dashboard": False, "object_store_memory": STORE}
        if self.workers:
            here["num_cpus"] = max(1, round(self.workers * self.cpus))
        try:
            ray.init(address or "local", **quiet, **({} if address else here))
        except ConnectionError as error:
            reason = str(error).split("\n")[0]
            raise InputError(f"no Ray cluster at RAY_ADDRESS={address} ({reason})") from None

    def _room(self, ray: Any) -> int:
        """Return the number of workers that fit into the cluster."""
        there = ray.cluster_resources()
        each = {k: v for k, v in {"CPU": self.cpus, "GPU": self.gpus}.items() if v}
        room = min((int(there.get(k, 0) // v) for k, v in each.items()), default=1)
        if not room:
            wanted = ", ".join(f"{v:g} {k}" for k, v in each.items())
            raise InputError(f"no node of the Ray cluster has {wanted} for a worker")
        return room

    def _results(
        self,
        ray: Any,
        work: Callable[[Item], Result],
        items: Iterator[Item],
        lost: Callable[[Item, str], Result] | None,
    ) -> Iterator[Result]:
        count = self.workers or self._room(ray)
        remote = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus)(_Worker)
        shared, folder = ray.put(work), os.getcwd()
        # Pending future -> its actor, the item's index.
        busy: dict[Any, tuple[Any, int | None]] = {}
        idle: deque[Any] = deque()
        pending: dict[int, Item] = {}  # items without a result
        again: deque[int] = deque()
        deaths: Counter[int | None] = Counter()  # None: while starting
        done: dict[int, Result] = {}
        taken = submitted = 0

        def start() -> None:
            actor = remote.remote(shared, folder)
            busy[actor.ready.remote()] = actor, None

        def settle(number: int, why: str, error: BaseException) -> None:
            if lost is None:
                raise error from None
            done[number] = lost(pending[number], why)

        for _ in range(count):
            start()
        try:
            while True:
                while idle:
                    if not again:
                        if (
                            taken - submitted >= count * AHEAD
                            or (item := next(items, None)) is None
                        ):
                            break
                        pending[taken] = item
                        again.append(taken)
                        taken += 1
                    actor, number = idle.popleft(), again.popleft()
                    busy[actor.do.remote(pending[number])] = actor, number
                if idle and not pending:
                    return
                (ref,), _ = ray.wait(list(busy), num_returns=1)
                actor, number = busy.pop(ref)
                try:
                    result = ray.get(ref)
                except ray.exceptions.RayTaskError as error:  # raised by the work itself
                    cause = getattr(error, "cause", None) or error
                    if number is None or isinstance(cause, InputError):
                        raise cause from None
                    idle.append(actor)
                    settle(
                        number,
                        f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}",
                        cause,
                    )
                except ray.exceptions.RayError as error:
                    ray.kill(actor)  # the actor, its machine, or the result is lost
                    start()
                    deaths[number] += 1
                    if number is None and deaths[None] == STARTS:
                        reason = " ".join(str(error).split())[-300:]
                        raise InputError(
                            f"workers of the Ray cluster exit at startup: {reason}"
                        ) from None
                    if number is not None and deaths[number] < self.tries:
                        again.append(number)
                    elif number is not None:
                        why = f"{self.tries} workers exited while processing it"
                        settle(number, why, InputError(f"{pending[number]!r:.100}: {why}"))
                else:
                    idle.append(actor)
                    if number is None:
                        deaths[None] = 0
                    else:
                        done[number] = result
                while submitted in done:
                    del pending[submitted]
                    yield done.pop(submitted)
                    submitted += 1
        finally:
            for actor in [*idle, *(actor for actor, _ in busy.values())]:
                ray.kill(actor)
