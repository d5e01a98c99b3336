"""Independent tries, two at a time: the compiled loops let go of Python's lock, and a table that is small or crowded uses one core."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

WORKERS = 2

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], items: Sequence[T], stopping: threading.Event) -> list[R]:
    """The results in the order of the items. An error in one try, or Ctrl-C, ends them all: `stopping` is the event that the runs of `work`
    watch, and is set then."""
    if len(items) < 2:
        return [work(item) for item in items]
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="advice")
    futures = [pool.submit(work, item) for item in items]
    try:
        return [future.result() for future in futures]
    except BaseException:
        stopping.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
