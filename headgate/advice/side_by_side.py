"""Independent tries, two at a time: the compiled loops let go of Python's lock, and a table that is small or crowded uses one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from headgate.grouping.watch import stop_all

WORKERS = 2
EVERY = 0.05  # seconds between two requests to stop: a worker may be between two runs just then

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """The results in the order of the items. What breaks one try, or Ctrl-C, ends them all."""
    if len(items) < 2:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="advice")
    futures = [pool.submit(work, item) for item in items]
    try:
        return [future.result() for future in futures]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        while not all(future.done() for future in futures):
            stop_all()
            time.sleep(EVERY)
        raise
    finally:
        pool.shutdown()
