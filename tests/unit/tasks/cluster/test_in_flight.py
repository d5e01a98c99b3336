"""What becomes of tasks, told by a client that does as the test says."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed.scheduler import KilledWorker

from headgate.core.errors import InputRejected, StoreUnavailable
from headgate.grouping.watch import Stopped
from tasks.cluster import in_flight
from tasks.cluster.in_flight import Answer, InFlight, Shared, threads_of
from tasks.cluster.shared_files import SharedFiles, new_key
from tasks.cluster.taking_part import build_here

WAITING_SECONDS = 5.0


class Cluster:
    """Ends each task in the next of the ways given; then by what its function gives."""

    def __init__(self, *ways: Any, threads: int = 2) -> None:
        self.ways, self.threads, self.status = list(ways), threads, "running"
        self.submitted: list[int] = []
        self.most = self.running = 0
        self.cancelled: list[Any] = []
        self.scheduler = SimpleNamespace(ncores=None)

    def submit(self, function: Any, *given: Any, key: str, pure: bool) -> Any:
        self.submitted.append(given[0])
        self.running += 1
        self.most = max(self.most, self.running)
        way = self.ways.pop(0) if self.ways else None
        if way == "hangs":
            return _Ended(done=lambda: False, status="pending")

        def done() -> bool:
            return True

        def result() -> Any:
            self.running -= 1
            return function(*given)

        if way is None:
            return _Ended(done=done, status="finished", result=result)
        if isinstance(way, BaseException):
            return _Ended(done=done, status="error", exception=lambda: way)
        return _Ended(done=done, status=way)

    def sync(self, _function: Any, callback_timeout: float) -> Any:
        if self.threads < 0:
            raise OSError("gone")
        return {"worker": self.threads}

    def cancel(self, futures: Any, force: bool) -> None:
        self.cancelled += futures


class _Ended(SimpleNamespace):
    __hash__ = object.__hash__


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(in_flight, "COUNT_SECONDS", 0.0)
    monkeypatch.setattr(in_flight, "NO_WORKERS_SECONDS", 0.05)


@pytest.fixture
def files(tmp_path: Path) -> SharedFiles:
    (tmp_path / "shared").mkdir()
    return SharedFiles(tmp_path / "shared", new_key())


def ran(cluster: Any, files: SharedFiles, many: int = 3, at_once: int = 2, stopped: Any = lambda: False, going_on: bool = True) -> Any:
    heard: dict[int, Answer] = {}

    def note(number: int, answer: Answer) -> bool:
        heard[number] = answer
        return going_on

    until = time.monotonic() + WAITING_SECONDS

    def enough() -> bool:
        assert time.monotonic() < until, "it never ends"
        return bool(stopped())

    flight = InFlight(cluster, files, lambda number: files.put(Answer(number * 10)).key, lambda number: (number,), enough)
    flight.run(many, at_once, note)
    return heard


def test_each_task_is_answered_and_no_more_are_begun_than_may_be_at_once(files: SharedFiles) -> None:
    cluster = Cluster()
    assert {number: answer.thing for number, answer in ran(cluster, files, 7).items()} == {number: number * 10 for number in range(7)}
    assert cluster.submitted == list(range(7))
    assert cluster.most == 2
    assert list(files.folder.iterdir()) == []


def test_after_a_no_those_that_have_begun_are_heard_and_no_other_begins(files: SharedFiles) -> None:
    cluster = Cluster()
    assert sorted(ran(cluster, files, 7, going_on=False)) == [0, 1]


def test_what_the_scheduler_lost_is_tried_again_but_not_for_ever(files: SharedFiles) -> None:
    cluster = Cluster("cancelled", "lost")
    assert sorted(ran(cluster, files)) == [0, 1, 2]
    assert sorted(cluster.submitted) == [0, 0, 1, 1, 2]
    with pytest.raises(StoreUnavailable, match="lost its tasks"):
        ran(Cluster(*["cancelled"] * 9), files)


@pytest.mark.parametrize(
    ("raised", "kind", "sentence"),
    [
        (KilledWorker("key", SimpleNamespace(address="tls://secret"), 3), StoreUnavailable, "Several workers died"),  # type: ignore[arg-type]
        (ModuleNotFoundError("secret"), StoreUnavailable, "has no headgate"),
        (ValueError("secret"), StoreUnavailable, "could not do its work"),
        (InputRejected("Ours.", "So."), InputRejected, "Ours."),
    ],
)
def test_what_ended_a_task_is_told_without_its_text(files: SharedFiles, raised: Any, kind: type, sentence: str) -> None:
    problem = ran(Cluster(raised), files, 1)[0].problem
    assert type(problem) is kind
    assert sentence in str(problem)
    assert "secret" not in str(problem)


@pytest.mark.parametrize("threads", [0, -1])
def test_without_workers_the_release_fails_after_a_while(files: SharedFiles, threads: int) -> None:
    with pytest.raises(StoreUnavailable, match="No worker has been there"):
        ran(Cluster("hangs", threads=threads), files, 1)


def test_a_scheduler_that_is_gone_is_not_waited_for(files: SharedFiles) -> None:
    cluster = Cluster("hangs")
    cluster.status = "closed"
    with pytest.raises(StoreUnavailable, match="cannot be reached any more"):
        ran(cluster, files, 1)


def test_a_run_that_is_stopped_cancels_its_tasks(files: SharedFiles) -> None:
    cluster, begun = Cluster("hangs", "hangs"), time.monotonic()
    with pytest.raises(Stopped):
        ran(cluster, files, 5, stopped=lambda: time.monotonic() > begun + 0.02)
    assert len(cluster.cancelled) == 2


def test_the_key_is_shown_nowhere() -> None:
    shared = Shared("/folder", b"0123456789", build_here(), "topic")
    assert "0123456789" not in repr(shared)


def test_threads_are_those_of_all_workers() -> None:
    assert threads_of(Cluster(threads=3)) == 3  # type: ignore[arg-type]
