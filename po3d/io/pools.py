"""Process pools and engines for parallel work."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from po3d.io.progress import progress

if TYPE_CHECKING:
    from po3d.io.ray_engine import Ray

Item = TypeVar("Item")
Result = TypeVar("Result")


# The engine that executes work on other machines; without one, this process and its pools do.
_ENGINE: "ContextVar[Ray | None]" = ContextVar("engine", default=None)


@contextlib.contextmanager
def on(engine: "Ray | None") -> Iterator[None]:
    """Within this context, `each` uses this engine."""
    token = _ENGINE.set(engine)
    try:
        yield
    finally:
        _ENGINE.reset(token)


def pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of spawned processes that end with their parent, even if that is killed.

    Spawned, not forked: a forked child would inherit a graphics context, CUDA and the locks of
    torch's threads, none of which survive a fork."""
    return ProcessPoolExecutor(
        max(workers, 1), multiprocessing.get_context("spawn"), _end_with_parent
    )


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    label: str,
    unit: str,
    done: int = 0,
    together: int = 4,
) -> Iterator[Result]:
    """Yield the result of `work` for each item, in order: by the engine if there is one, else by
    this process for one worker, or by a pool. A progress bar includes `done` earlier items.
    `together`: items per task of a process."""
    with contextlib.ExitStack() as stack:
        results = map(work, items)
        if engine := _ENGINE.get():
            results = engine.each(work, items)
        elif workers > 1:
            processes = pool(workers)
            stack.callback(processes.shutdown, cancel_futures=True)
            results = processes.map(work, items, chunksize=together)
        yield from progress(results, label, done + len(items), initial=done, unit=unit)


def _end_with_parent() -> None:
    end_with(multiprocessing.parent_process().pid)


def end_with(parent: int) -> None:
    """End this process when its parent process (id `parent`) does, even if that already happened. A
    killed parent cannot end its children, which would wait for it forever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent reports Ctrl+C, once
    threading.Thread(target=watch, daemon=True).start()
