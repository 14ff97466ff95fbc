"""Work on a Ray cluster (extra `cluster`): the one that RAY_ADDRESS names, or one that starts on this machine.

Ray places actors and says when one is gone; what is here hands each of them the next item and puts results in order. An item
counts when its result is here: one whose actor died is done again by another, so nothing is lost and nothing comes twice.
"""

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from po3d.io.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
STARTS = 8  # workers in a row that end before they are ready: then something is wrong with all of them
AHEAD = 16  # items of each worker that may wait for an earlier one
STORE = 2**30  # bytes of shared memory of a cluster that starts here


class _Worker:
    """An actor: one piece of work, with whatever it sets up for itself (a network, a renderer)."""

    def __init__(self, work: Callable[[Any], Any], folder: str) -> None:
        self.work = work
        if os.path.isdir(folder):  # paths mean the same as where the command was given
            os.chdir(folder)

    def ready(self) -> None: ...

    def do(self, item: Any) -> Any:
        return self.work(item)


@dataclass(frozen=True)
class Ray:
    """An engine (`po3d.io.pools.Engine`). `workers`: actors, None for as many as the cluster has room for when work begins;
    `cpus`, `gpus`: what each of them takes. An item whose workers died `tries` times is given up."""

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
        """What `work` gives for each item, in order. `lost` gives the result of an item that raised or was given up, and why;
        without it such an item ends the run, as an InputError of the work always does."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray  # an extra, and slow to import

        own = not ray.is_initialized()
        if own:
            self._connect(ray)
        try:
            yield from self._results(ray, work, iter(items), lost)
        finally:
            if own:
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
        """Workers that the cluster has room for."""
        there = ray.cluster_resources()
        each = {k: v for k, v in {"CPU": self.cpus, "GPU": self.gpus}.items() if v}
        room = min((int(there.get(k, 0) // v) for k, v in each.items()), default=1)
        if not room:
            wanted = ", ".join(f"{v:g} {k}" for k, v in each.items())
            raise InputError(f"no machine of the Ray cluster has {wanted} for a worker")
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
        busy: dict[Any, tuple[Any, int | None]] = {}  # what is awaited -> its actor, the item's number
        idle: deque[Any] = deque()
        asked: dict[int, Item] = {}  # items that have no result yet
        again: deque[int] = deque()
        deaths: Counter[int | None] = Counter()  # None: before they were ready
        done: dict[int, Result] = {}
        taken = given = 0

        def start() -> None:
            actor = remote.remote(shared, folder)
            busy[actor.ready.remote()] = actor, None

        def settle(number: int, why: str, error: BaseException) -> None:
            if lost is None:
                raise error from None
            done[number] = lost(asked[number], why)

        for _ in range(count):
            start()
        try:
            while True:
                while idle:
                    if not again:
                        if taken - given >= count * AHEAD or (item := next(items, None)) is None:
                            break
                        asked[taken] = item
                        again.append(taken)
                        taken += 1
                    actor, number = idle.popleft(), again.popleft()
                    busy[actor.do.remote(asked[number])] = actor, number
                if idle and not asked:
                    return
                (ref,), _ = ray.wait(list(busy), num_returns=1)
                actor, number = busy.pop(ref)
                try:
                    result = ray.get(ref)
                except ray.exceptions.RayTaskError as error:  # the work's own
                    cause = getattr(error, "cause", None) or error
                    if number is None or isinstance(cause, InputError):
                        raise cause from None
                    idle.append(actor)
                    settle(number, f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}", cause)
                except ray.exceptions.RayError as error:
                    ray.kill(actor)  # it is gone, its machine, or the result on it
                    start()
                    deaths[number] += 1
                    if number is None and deaths[None] == STARTS:
                        reason = " ".join(str(error).split())[-300:]
                        raise InputError(
                            f"the workers of the Ray cluster end as they begin: {reason}"
                        ) from None
                    if number is not None and deaths[number] < self.tries:
                        again.append(number)
                    elif number is not None:
                        why = f"{self.tries} workers ended while they were at it"
                        settle(number, why, InputError(f"{asked[number]!r:.100}: {why}"))
                else:
                    idle.append(actor)
                    if number is None:
                        deaths[None] = 0
                    else:
                        done[number] = result
                while given in done:
                    del asked[given]
                    yield done.pop(given)
                    given += 1
        finally:
            for actor in [*idle, *(actor for actor, _ in busy.values())]:
                ray.kill(actor)
