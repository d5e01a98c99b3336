"""Jobs in threads: in order, reported as one, and ended together."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from policies.jobs import engine as module
from policies.jobs.engine import LocalEngine
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import Workplace


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A job is a function of its workplace here."""
    monkeypatch.setattr(module, "try_table", lambda job, place: job(place))
    return lambda workers=2, report=None: LocalEngine(Workplace(MemorySpool(), report=report), workers)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_outcomes_come_in_the_order_of_the_jobs(work: Any, workers: int) -> None:
    def after(seconds: float, answer: int) -> Any:
        return lambda _place: time.sleep(seconds) or answer

    assert work(workers).map([after(0.05, 1), after(0.0, 2), after(0.02, 3)]) == [1, 2, 3]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_end_of_each_job_is_told(work: Any, workers: int) -> None:
    ends: list[int] = []
    assert work(workers).map([lambda _place: 1, lambda _place: 2], lambda: ends.append(1)) == [1, 2]
    assert ends == [1, 1]


def test_several_jobs_at_once_are_reported_as_one(work: Any) -> None:
    told: list[tuple[int, int]] = []
    both = threading.Barrier(2)

    def job(place: Workplace) -> None:
        both.wait(60)
        assert place.report is not None
        place.report(10, 100)

    work(2, lambda done, total: told.append((done, total))).map([job, job])
    assert told == [(10, 100), (20, 200)]


def test_a_refusal_waits_for_the_others_and_stops_nothing_else(work: Any) -> None:
    engine, ended, both = work(), [], threading.Barrier(2)

    def refuse(_place: Workplace) -> None:
        both.wait(60)
        raise InputRejected("No.", "Yes.")

    def work_on(_place: Workplace) -> None:
        both.wait(60)
        time.sleep(0.05)
        ended.append(1)

    with pytest.raises(InputRejected):
        engine.map([refuse, work_on])
    assert ended == [1]
    assert not engine.place.stopping.is_set()


def test_what_else_breaks_one_stops_them_all(work: Any) -> None:
    engine = work()

    def broken(_place: Workplace) -> None:
        raise ZeroDivisionError

    def patient(place: Workplace) -> None:
        assert place.stopping.wait(60)

    with pytest.raises(ZeroDivisionError):
        engine.map([broken, patient])
    assert engine.place.stopping.is_set()
