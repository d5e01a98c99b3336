"""The ledger's last word on a run comes last: nothing that can still fail follows it."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from headgate.core.errors import RequirementNotMet, StoreUnavailable


def test_a_store_that_fails_after_sealing_ends_the_run_and_leaves_no_candidate(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidate was recorded before MLflow had been told of it. When MLflow then failed, the run could not be recorded as failed any
    more: a candidate awaited approval, and the command ended with 4 and "cannot be changed by 'fail'" where the store was the reason."""
    from tasks.release.closing import seal_candidate

    def unreachable(*_: Any) -> None:
        raise StoreUnavailable("MLflow could not be reached.", "Start it.")

    monkeypatch.setattr(seal_candidate, "tag_candidate", unreachable)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 6
    assert "MLflow" in outcome.json["error"]["message"]
    (release,) = project.run("releases", "--json").json["releases"]
    assert (release["state"], release["candidate"]) == ("failed", None)


def test_what_fails_after_sealing_is_told_as_it_is_and_leaves_the_candidate(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run was to be ended a second time, with a number of events that was no longer true: "Somebody else acted on release"."""
    from flows import release

    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(release, "account_of", broken)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 1
    assert "ZeroDivisionError" in outcome.json["error"]["message"]
    (ended,) = project.run("releases", "--json").json["releases"]
    assert ended["state"] == "awaiting_approval"
    assert ended["candidate"]


def test_when_one_table_refuses_the_others_have_stopped_before_the_run_ends(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They went on while the spool was closed and the dataset's lock was free."""
    from tasks.release import release_steps as steps

    noted: list[bool] = []
    begun = threading.Barrier(2)

    def gate(run: Any, transformed: Any, _planned: Any, written: Any) -> None:
        if written.table in ("table-1", "table-2"):
            begun.wait(30)
        if written.table == "table-1":
            raise RequirementNotMet("Table-1 does not pass.", "Lower k.", "k")
        if written.table == "table-2":
            noted.append(run.stopping.wait(60))
            time.sleep(0.2)
            noted.append(run.spool.get(transformed.columns).rows > 0)

    monkeypatch.setattr(steps, "gate", steps.Step("gate", gate, about="written"))
    policy = project.write_policy()
    text = policy.read_text(encoding="utf-8")
    policy.write_text(text.replace("method: codip*, association_loss: 1, join_threat: 0.9", "method: separate"), encoding="utf-8")
    outcome = project.run("release", policy, "--json")
    assert outcome.code == 3, outcome.out
    assert noted == [True, True]
