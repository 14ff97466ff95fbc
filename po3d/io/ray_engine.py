"""Engine on a Ray cluster (extra `cluster`): that of RAY_ADDRESS, or one on this machine.

Ray places the actors and reports their deaths; this module distributes the items and orders the
results. An item is done when its result has arrived. An item whose actor died is repeated by
another one, so each item has exactly one result.
"""

import functools
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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
    """An engine of `po3d.io.pools`. `workers`: number of actors; None for as many as the
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
        each = {}
        for k, v in {"CPU": self.cpus, "GPU": self.gpus}.items():
            if v:
                each[k] = v
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
        remote = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus)(_Worker)
        workers = self.workers or self._room(ray)
        create = functools.partial(remote.remote, ray.put(work), os.getcwd())
        schedule = _Schedule(ray, create, items, lost, workers, self.tries)
        try:
            yield from schedule.results()
        finally:
            schedule.stop()


class _Schedule(Generic[Item, Result]):
    """The actors of one run, and the items without a yielded result."""

    def __init__(
        self,
        ray: Any,
        create: Callable[[], Any],
        items: Iterator[Item],
        lost: Callable[[Item, str], Result] | None,
        workers: int,
        tries: int,
    ) -> None:
        self.ray, self.create, self.items, self.lost = ray, create, items, lost
        self.workers, self.tries = workers, tries
        # Pending future -> its actor, the item's index (None: the actor starts).
        self.busy: dict[Any, tuple[Any, int | None]] = {}
        self.idle: deque[Any] = deque()
        self.pending: dict[int, Item] = {}  # items without a result
        self.queue: deque[int] = deque()  # those of them that no actor processes
        self.deaths: Counter[int | None] = Counter()  # by item; None: while starting
        self.done: dict[int, Result] = {}
        self.taken = self.yielded = 0

    def results(self) -> Iterator[Result]:
        """Yield the results in the order of the items."""
        for _ in range(self.workers):
            self.add_actor()
        while True:
            self.submit()
            if self.idle and not self.pending:
                return
            self.wait()
            while self.yielded in self.done:
                del self.pending[self.yielded]
                yield self.done.pop(self.yielded)
                self.yielded += 1

    def add_actor(self) -> None:
        actor = self.create()
        self.busy[actor.ready.remote()] = actor, None

    def submit(self) -> None:
        """Give items to idle actors, at most AHEAD per actor before the next result."""
        while self.idle:
            if not self.queue:
                ahead = self.taken - self.yielded
                if ahead >= self.workers * AHEAD or (item := next(self.items, None)) is None:
                    return
                self.pending[self.taken] = item
                self.queue.append(self.taken)
                self.taken += 1
            actor, number = self.idle.popleft(), self.queue.popleft()
            self.busy[actor.do.remote(self.pending[number])] = actor, number

    def wait(self) -> None:
        """Wait for one actor, and store its result or handle its failure."""
        ray = self.ray
        (ref,), _ = ray.wait(list(self.busy), num_returns=1)
        actor, number = self.busy.pop(ref)
        try:
            result = ray.get(ref)
        except ray.exceptions.RayTaskError as error:  # raised by the work itself
            cause = getattr(error, "cause", None) or error
            if number is None or isinstance(cause, InputError):
                raise cause from None
            self.idle.append(actor)
            why = f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
            self.give_up(number, why, cause)
        except ray.exceptions.RayError as error:
            ray.kill(actor)  # the actor, its machine, or the result is lost
            self.add_actor()
            self.retry(number, error)
        else:
            self.idle.append(actor)
            if number is None:
                self.deaths[None] = 0
            else:
                self.done[number] = result

    def retry(self, number: int | None, error: Exception) -> None:
        """Queue the item of a lost actor again, or give it up after `tries`."""
        self.deaths[number] += 1
        if number is None:
            if self.deaths[None] == STARTS:
                reason = " ".join(str(error).split())[-300:]
                raise InputError(f"workers of the Ray cluster exit at startup: {reason}") from None
        elif self.deaths[number] < self.tries:
            self.queue.append(number)
        else:
            why = f"{self.tries} workers exited while processing it"
            self.give_up(number, why, InputError(f"{self.pending[number]!r:.100}: {why}"))

    def give_up(self, number: int, why: str, error: BaseException) -> None:
        if self.lost is None:
            raise error from None
        self.done[number] = self.lost(self.pending[number], why)

    def stop(self) -> None:
        for actor in [*self.idle, *(actor for actor, _ in self.busy.values())]:
            self.ray.kill(actor)
