"""Who works on the pieces of a table. What a piece comes to depends on the piece alone, so all workers give the same results."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

State = NDArray[np.int64]  # headgate.grouping.watch: how far the work is, and whether it is to stop
T = TypeVar("T")
R = TypeVar("R")


class Workers(Protocol):
    def each(self, work: Callable[[T, State], R], pieces: Sequence[T], state: State) -> list[R]:
        """The results in the order of the pieces. Where pieces are sent elsewhere, work, pieces and results are pickled."""


class Threads:
    """Of this process: the compiled loops let go of Python's lock."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most or os.cpu_count() or 1

    def each(self, work: Callable[[T, State], R], pieces: Sequence[T], state: State) -> list[R]:
        if len(pieces) < 2 or self.most < 2:
            return [work(piece, state) for piece in pieces]
        with ThreadPoolExecutor(min(self.most, len(pieces)), thread_name_prefix="pieces") as pool:
            return list(pool.map(lambda piece: work(piece, state), pieces))
