"""Which runs of `headgate serve` are still somebody's. That the next service starts them again is a functional test."""

from __future__ import annotations

import os
from dataclasses import replace

import psutil
import pytest

from tasks.ledger.dataset_lock import Process, this_process
from tasks.release.served_runs import LABEL, SERVED_BY, by_schedule, is_abandoned, is_ending, note_process, noted_form
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
