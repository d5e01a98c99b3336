"""Runs tell how far they are, and are stopped by whoever owns them, and by nobody else."""

from __future__ import annotations

import threading
import time

import pytest

from headgate.grouping.watch import DONE, STOP, TOTAL, Stopped, Watch


def _until_stopped(watch, limit=10.0):
    """What a compiled loop does that looks at its state now and then."""

    def work():
        end = time.monotonic() + limit
        while not watch.state[STOP] and time.monotonic() < end:
            time.sleep(0.005)
        return "half done"

    return work


def test_the_result_of_the_work_is_handed_on():
    assert Watch().run(lambda: 7) == 7


def test_what_fails_in_the_thread_is_raised_where_the_caller_waits():
    with pytest.raises(ZeroDivisionError):
        Watch().run(lambda: 1 // 0)


def test_a_run_tells_how_far_it_is():
    heard = []
    watch = Watch(lambda done, total: heard.append((done, total)))

    def work():
        watch.state[DONE], watch.state[TOTAL] = 3, 10
        time.sleep(0.35)

    watch.run(work)
    assert set(heard) == {(3, 10)}


def test_a_stopped_run_has_no_result_however_the_work_ends():
    watch = Watch()
    threading.Timer(0.1, watch.stop).start()
    with pytest.raises(Stopped):
        watch.run(_until_stopped(watch))


def test_a_report_that_fails_stops_the_run():
    def report(done, total):
        raise BrokenPipeError

    watch = Watch(report)
    watch.state[TOTAL] = 1
    with pytest.raises(BrokenPipeError):
        watch.run(_until_stopped(watch))
    assert watch.state[STOP]


def test_an_owner_stops_all_its_runs_and_none_begins_afterwards():
    stopping, ended = threading.Event(), []

    def grouped():
        watch = Watch(stopping=stopping)
        with pytest.raises(Stopped):
            watch.run(_until_stopped(watch))
        ended.append(True)

    threads = [threading.Thread(target=grouped) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    stopping.set()
    for thread in threads:
        thread.join(5)
    assert ended == [True] * 3
    began = []
    with pytest.raises(Stopped):
        Watch(stopping=stopping).run(lambda: began.append(True))
    assert not began


@pytest.mark.slow
def test_one_release_that_is_stopped_leaves_another_in_the_same_process_alone():
    """Every run of the process used to be stopped, so that a release that failed ended those beside it."""
    one, other = threading.Event(), threading.Event()
    first, second = Watch(stopping=one), Watch(stopping=other)
    results = []
    beside = threading.Thread(target=lambda: results.append(second.run(_until_stopped(second, limit=0.6))))
    beside.start()
    threading.Timer(0.1, one.set).start()
    with pytest.raises(Stopped):
        first.run(_until_stopped(first))
    beside.join(5)
    assert results == ["half done"]
    assert not second.state[STOP]


def test_stopping_one_run_leaves_the_others_of_its_owner_going():
    stopping = threading.Event()
    first, second = Watch(stopping=stopping), Watch(stopping=stopping)
    first.stop()
    with pytest.raises(Stopped):
        first.run(lambda: 1)
    assert second.run(lambda: 2) == 2
