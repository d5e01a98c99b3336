import itertools
import threading
import time

import pytest

from headgate.advice.side_by_side import WORKERS, side_by_side
from headgate.grouping.watch import STOP, Watch


def test_results_come_in_the_order_of_the_items_whoever_is_done_first():
    def work(item):
        time.sleep(0.05 if item == 0 else 0)
        return item * item

    assert side_by_side(work, range(7), threading.Event()) == [0, 1, 4, 9, 16, 25, 36]
    assert side_by_side(work, [], threading.Event()) == []


def test_two_are_at_work_at_once():
    meeting = threading.Barrier(WORKERS, timeout=10)
    assert side_by_side(lambda item: meeting.wait() >= 0, range(2 * WORKERS), threading.Event()) == [True] * 4


def test_what_breaks_one_try_stops_a_loop_that_would_go_on_for_ever_and_all_that_wait():
    began, stopping = [], threading.Event()

    def work(item):
        began.append(item)
        if item == 0:
            raise ValueError("broken")
        watch = Watch(stopping=stopping)

        def forever():
            while not watch.state[STOP]:
                time.sleep(0.01)

        watch.run(forever)

    start = time.monotonic()
    with pytest.raises(ValueError, match="broken"):
        side_by_side(work, range(50), stopping)
    assert time.monotonic() - start < 5
    assert len(began) < 50


def test_a_worker_between_two_runs_when_it_is_stopped_does_not_begin_for_ever_again():
    """Stopped only once, it would start the next run, which nobody stops."""
    runs, begun, stopping = itertools.count(), threading.Event(), threading.Event()

    def work(item):
        if item == 0:
            begun.wait(10)
            raise ValueError("broken")
        begun.set()
        time.sleep(0.3)
        next(runs)
        watch = Watch(stopping=stopping)
        watch.run(lambda: [time.sleep(0.01) for _ in iter(lambda: int(watch.state[STOP]), 1)])

    with pytest.raises(ValueError, match="broken"):
        side_by_side(work, range(2), stopping)
    assert next(runs) == 1
