"""Which runs of `headgate serve` are still somebody's. That the next service starts them again is a functional test."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import psutil
import pytest

from tasks.ledger.dataset_lock import Process, this_process
from tasks.release.served_runs import DUE, LABEL, SERVED_BY, by_schedule, is_abandoned, is_ending, note_process, noted_form
from tasks.runtime.parent_watch import VARIABLE

HERE = this_process()
OTHER_BOOT = replace(HERE, machine="/".join([HERE.machine.split("/")[0], "another-boot", "pid:[1]"]))
OTHER_HOST = replace(HERE, machine="elsewhere/boot/pid:[1]")


def test_a_process_that_lives_keeps_its_run() -> None:
    for own_server in (True, False):
        assert not is_abandoned(noted_form(HERE), HERE, own_server)


def test_a_process_that_has_ended_does_not_though_its_number_is_another_process_now() -> None:
    for gone in (replace(HERE, number=2**22 + 1), replace(HERE, started="0.01")):
        for own_server in (True, False):
            assert is_abandoned(noted_form(gone), HERE, own_server)


@pytest.mark.parametrize(("noted", "shared"), [(OTHER_BOOT, True), (OTHER_HOST, False)], ids=["after a restart", "another machine"])
def test_a_run_of_before_a_restart_is_gone_and_of_another_machine_nothing_is_known(noted: Process, shared: bool) -> None:
    """Only the operator's own server is spoken to by other machines."""
    assert is_abandoned(noted_form(noted), HERE, own_server=False) == shared
    assert is_abandoned(noted_form(noted), HERE, own_server=True)


@pytest.mark.parametrize("note", [None, "", "a b", "a b c", "a/b/c 12x 3.0"])
def test_a_run_without_a_note_is_gone_where_nobody_else_speaks_to_the_server(note: object) -> None:
    assert is_abandoned(note, HERE, own_server=True)
    assert not is_abandoned(note, HERE, own_server=False)


def test_a_run_whose_service_is_gone_is_ending_and_one_whose_service_lives_is_not() -> None:
    """The next service came before it had ended, and took it for one that goes on."""
    born = psutil.Process().create_time()
    lively, orphaned = f"{os.getpid()}:{born}", f"{2**22 + 1}:{born}"
    assert is_ending({LABEL: noted_form(HERE), SERVED_BY: orphaned}, HERE)
    assert is_ending({LABEL: noted_form(HERE)}, HERE)
    assert not is_ending({LABEL: noted_form(HERE), SERVED_BY: lively}, HERE)
    for other in (replace(HERE, started="0.01"), OTHER_HOST):
        assert not is_ending({LABEL: noted_form(other), SERVED_BY: orphaned}, HERE)
    assert not is_ending({}, HERE)


def test_a_run_that_nobody_serves_notes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would ask a server that is not there."""
    for value in ("", f"{os.getpid()}:1.0"):
        monkeypatch.setenv(VARIABLE, value)
        note_process()


def test_what_nobody_serves_was_started_by_no_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is asked."""
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not by_schedule()


class Client:
    """In the place of Prefect's: what it is asked about one run, and told of it."""

    def __init__(self, **run: object) -> None:
        self.run, self.told = SimpleNamespace(**run), {}

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_problem: object) -> None:
        """Nothing is open."""

    def read_flow_run(self, _id: object) -> SimpleNamespace:
        return self.run

    def update_flow_run_labels(self, _id: object, labels: dict[str, object]) -> None:
        self.told.update(labels)


@pytest.fixture
def at_a_worker(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Client]:
    """A run of a deployment, which nobody serves."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", str(uuid.UUID(int=1)))
    monkeypatch.setenv("PREFECT__RUNTIME__FLOW_RUN__ID", str(uuid.UUID(int=2)))

    def give(**run: object) -> Client:
        client = Client(**run)
        monkeypatch.setattr("prefect.client.orchestration.get_client", lambda sync_client: client)
        return client

    return give


def test_a_run_that_a_worker_has_started_is_a_schedules_if_prefect_says_so(at_a_worker: Callable[..., Client]) -> None:
    """Of three runs that were late after a pause of three months, all three released: only those of `serve` asked if they were due."""
    for scheduled, tags, expected in ((True, [], True), (False, [DUE], True), (False, [], False)):
        at_a_worker(auto_scheduled=scheduled, tags=tags, expected_start_time=None)
        assert by_schedule() is expected


def test_a_workers_run_notes_its_process_and_is_not_ending_while_that_lives(at_a_worker: Callable[..., Client]) -> None:
    client = at_a_worker()
    note_process()
    assert client.told[LABEL] == noted_form(HERE)
    assert not is_ending(client.told, HERE)
