"""`headgate request-changes`: it ends a candidate, and the next one is shown with what was asked."""

from __future__ import annotations

from typing import Any

from policies.ledger.states import State
from tasks.ledger.history import read_history


def test_a_request_ends_a_candidate_and_is_shown_with_the_next(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    asked = run("request-changes", candidate.id[:8], "--key", key_file("bob"), "--reason", "Region is too fine.")
    assert asked.err == ""
    assert asked.out.splitlines() == [f"bob: requested changes of {candidate.id[:12]}.", "0 of 2 approvals; changes requested."]
    assert run("approve", candidate.id, "--key", key_file("ann"), "--reason", "still", "--json").error["code"] == 4
    assert read_history(world.ledger).find(candidate.id).state is State.CHANGES_REQUESTED
    answer = world.seal(answers=(candidate.id,), suppressed=3)
    shown = run("show", answer.id)
    assert f"answers candidate {candidate.id[:12]}\nchanges requested by bob on" in shown.out
    assert "Region is too fine.\nThe policy is the same." in shown.out
    assert [line.split() for line in shown.out.splitlines() if line.startswith("suppressed")] == [["suppressed", "release", "0", "3"]]
    before = run("show", candidate.id)
    assert f"answered by candidate {answer.id}" in before.out
    assert "Region is too fine." in before.out
    document = run("show", answer.id, "--json").json
    assert document["answers"][0]["request"]["reason"] == "Region is too fine."
    assert document["answers"][0]["changes"] == [{"figure": "suppressed", "table": "", "before": 0, "after": 3, "better": False}]


def test_the_document_names_the_state_and_a_reason_is_needed(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    assert run("request-changes", candidate.id, "--key", key_file("bob"), "--json").error["code"] == 2
    asked = run("request-changes", candidate.id, "--key", key_file("bob"), "--reason", "Too fine.", "--json")
    assert asked.json == {"candidate": candidate.id, "state": "changes_requested", "principal": "bob", "approvals": 0, "required": 2}
