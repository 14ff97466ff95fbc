"""Helper processes, made one way everywhere."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextvars import ContextVar
from typing import Protocol, TypeVar

from po3d.io.progress import progress

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Does pieces of work on other machines (`po3d.io.ray_engine`); where there is none, this process and its pools do."""

    def each(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """What `work` gives for each item, in order. `lost`: the result of an item that could not be done, and why; without it
        such an item ends the run."""
        ...


_ENGINE: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextlib.contextmanager
def on(engine: Engine | None) -> Iterator[None]:
    """`each` gives its work to this engine until the block ends."""
    token = _ENGINE.set(engine)
    try:
        yield
    finally:
        _ENGINE.reset(token)


def pool(workers: int) -> ProcessPoolExecutor:
    """A pool of processes that start anew and end with the process that made them, even when that one is killed.

    Spawned, not forked: a forked child would share what its parent set up, a graphics context, CUDA, the locks of torch's
    threads, and none of these survive that."""
    return ProcessPoolExecutor(max(workers, 1), multiprocessing.get_context("spawn"), _end_with_parent)


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    label: str,
    unit: str,
    done: int = 0,
    together: int = 4,
) -> Iterator[Result]:
    """What `work` gives for each item, in order, from the engine, where one is on, else from this process for one worker, or
    from a pool; with a bar, on which `done` others stand already. `together`: items that a process is given at once."""
    with contextlib.ExitStack() as stack:
        found = map(work, items)
        if engine := _ENGINE.get():
            found = engine.each(work, items)
        elif workers > 1:
            processes = pool(workers)
            stack.callback(processes.shutdown, cancel_futures=True)
            found = processes.map(work, items, chunksize=together)
        yield from progress(found, label, done + len(items), initial=done, unit=unit)


def _end_with_parent() -> None:
    end_with(multiprocessing.parent_process().pid)


def end_with(parent: int) -> None:
    """End this process when its parent process of that number does, even if that already happened. A killed parent can't
    end its children, and they would wait for it for long or forever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C is told by the parent, once
    threading.Thread(target=watch, daemon=True).start()
