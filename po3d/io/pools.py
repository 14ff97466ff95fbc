"""Helper processes, made one way everywhere."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor


def pool(workers: int) -> ProcessPoolExecutor:
    """A pool of processes that start anew and end with the process that made them, even when that one is killed.

    Spawned, not forked: a forked child would share what its parent set up, a graphics context, CUDA, the locks of torch's
    threads, and none of these survive that."""
    return ProcessPoolExecutor(max(workers, 1), multiprocessing.get_context("spawn"), _end_with_parent)


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
