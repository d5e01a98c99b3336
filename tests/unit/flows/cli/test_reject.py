"""`headgate reject`: one signed no is enough, and it is the last word."""

from __future__ import annotations

from typing import Any

from policies.ledger.states import State
from tasks.ledger.history import read_history


def test_one_rejection_ends_a_candidate(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    rejected = run("reject", candidate.id, "--key", key_file("cyd"), "--reason", "the region is too fine", "--json")
    assert (rejected.code, rejected.err) == (0, "")
    assert rejected.json == {"candidate": candidate.id, "state": "rejected", "principal": "cyd", "approvals": 1, "required": 2}
    assert run("approve", candidate.id, "--key", key_file("bob"), "--reason", "still", "--json").error["code"] == 4
    assert read_history(world.ledger).find(candidate.id).state is State.REJECTED


def test_people_are_told_who_rejected_what(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    rejected = run("reject", candidate.id[:8], "--key", key_file("bob"), "--reason", "too fine")
    assert rejected.err == ""
    assert rejected.out.splitlines() == [f"bob: rejected {candidate.id[:12]}.", "0 of 2 approvals; rejected."]


def test_a_stranger_rejects_nothing(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    assert run("reject", candidate.id, "--key", key_file("stranger"), "--reason", "no", "--json").error["code"] == 4
    assert read_history(world.ledger).find(candidate.id).state is State.AWAITING_APPROVAL
