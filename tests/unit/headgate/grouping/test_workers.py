"""Pieces of work, and threads that share them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from headgate.grouping.watch import Watch
from headgate.grouping.workers import Threads

STATE = np.zeros(3, dtype=np.int64)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_results_are_in_the_order_of_the_pieces(most):
    assert Threads(most).each(lambda piece, _state: piece * piece, list(range(9)), STATE) == [piece * piece for piece in range(9)]
    assert Threads(most).each(lambda piece, _state: piece, [], STATE) == []


def test_two_threads_work_at_once():
    both = threading.Barrier(2, timeout=20)
    assert sorted(Threads(2).each(lambda _piece, _state: both.wait(), [0, 1], STATE)) == [0, 1]


def test_what_breaks_one_piece_is_raised():
    def work(piece, _state):
        return 1 // piece

    with pytest.raises(ZeroDivisionError):
        Threads(2).each(work, [1, 0, 1], STATE)


def test_a_run_has_workers_of_its_own_where_none_are_given():
    assert Watch().workers.each(lambda piece, state: piece + len(state), [1], STATE) == [4]
    threads = Threads(1)
    assert Watch(workers=threads).workers is threads
