"""The ledger's last word on a run comes last: nothing that can still fail follows it."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable


def test_a_store_that_fails_after_sealing_ends_the_run_and_leaves_no_candidate(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidate was recorded before MLflow had been told of it. When MLflow then failed, the run could not be recorded as failed any
    more: a candidate awaited approval, and the command ended with 4 and "cannot be changed by 'fail'" where the store was the reason."""
    from tasks.release import seal_candidate

    def unreachable(*_: Any) -> None:
        raise StoreUnavailable("MLflow could not be reached.", "Start it.")

    monkeypatch.setattr(seal_candidate, "tag_candidate", unreachable)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 6
    assert "MLflow" in outcome.json["error"]["message"]
    (release,) = project.run("releases", "--json").json["releases"]
    assert (release["state"], release["candidate"]) == ("failed", None)
