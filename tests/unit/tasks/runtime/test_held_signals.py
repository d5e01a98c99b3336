from __future__ import annotations

import os
import signal
import threading

import pytest

from tasks.runtime.held_signals import HELD, held_signals


@pytest.mark.parametrize("number", HELD)
def test_a_signal_that_comes_after_the_point_of_no_return_is_obeyed_at_the_end(number: signal.Signals) -> None:
    done = []

    def work() -> None:
        with held_signals() as held:
            held.hold()
            os.kill(os.getpid(), number)
            done.append("the work")
            os.kill(os.getpid(), number)
            done.append("and the rest")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the work", "and the rest"]


def test_before_it_a_signal_stops_at_once() -> None:
    done = []

    def work() -> None:
        with held_signals():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("the work")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == []


def test_what_answers_signals_is_as_it_was_before() -> None:
    before = [signal.getsignal(number) for number in HELD]
    with held_signals() as held:
        held.hold()
        held.hold()
        assert [signal.getsignal(number) for number in HELD] != before
    assert [signal.getsignal(number) for number in HELD] == before


def test_in_a_thread_nothing_is_held_and_nothing_breaks() -> None:
    ended: list[str] = []

    def work() -> None:
        with held_signals() as held:
            held.hold()
        ended.append("well")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == ["well"]
