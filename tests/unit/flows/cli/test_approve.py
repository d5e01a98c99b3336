"""`headgate approve`: a signature that counts, shown to people or as one JSON object; and everything that does not count."""

from __future__ import annotations

from typing import Any

from policies.ledger.states import State
from tasks.approval.reasons import kept_reason
from tasks.ledger.history import read_history


def test_each_approval_is_counted_until_enough_stand(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    first = run("approve", candidate.id[:8], "--key", key_file("ann"), "--reason", "read the report", "--json")
    assert (first.code, first.err) == (0, "")
    assert first.json == {"candidate": candidate.id, "state": "awaiting_approval", "principal": "ann", "approvals": 1, "required": 2}
    second = run("approve", candidate.id, "--key", key_file("bob"), "--reason", "read it too", "--json")
    assert second.json == {"candidate": candidate.id, "state": "approved", "principal": "bob", "approvals": 2, "required": 2}
    events = read_history(world.ledger).events("release-1")[-2:]
    reasons = [kept_reason(world.home, candidate.id, event.reason_sha256).text for event in events]
    assert reasons == ["read the report", "read it too"]


def test_people_are_told_how_many_agree_and_what_comes_next(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    first = run("approve", candidate.id, "--key", key_file("ann"), "--reason", "read")
    assert first.err == ""
    told = [f"ann: approved {candidate.id[:12]}.", "1 of 2 approvals; awaiting approval.", "Still needed: 1 more person."]
    assert first.out.splitlines() == told
    second = run("approve", candidate.id, "--key", key_file("bob"), "--reason", "read")
    assert second.out.splitlines()[-2:] == ["2 of 2 approvals; approved.", f"  headgate publish {candidate.id[:12]}"]


def test_one_person_counts_once_whatever_keys_they_hold(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    assert run("approve", candidate.id, "--key", key_file("ann"), "--reason", "read").code == 0
    again = run("approve", candidate.id, "--key", key_file("ann-second"), "--reason", "read twice", "--json")
    assert again.error["code"] == 4
    assert again.err != ""
    assert read_history(world.ledger).find(candidate.id).standing() == 1


def test_a_stranger_and_a_second_thought_after_publication_are_not_allowed(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    assert run("approve", candidate.id, "--key", key_file("stranger"), "--reason", "me too", "--json").error["code"] == 4
    world.approve(candidate, "ann", "bob")
    world.publish(candidate)
    assert run("approve", candidate.id, "--key", key_file("cyd"), "--reason", "late", "--json").error["code"] == 4
    assert read_history(world.ledger).find(candidate.id).state is State.PUBLISHED


def test_a_candidate_that_nobody_knows_is_bad_input(run: Any, world: Any, key_file: Any) -> None:
    world.seal()
    for name in ("0" * 12, "abc"):
        unknown = run("approve", name, "--key", key_file("ann"), "--reason", "read", "--json")
        assert unknown.error["code"] == 2


def test_a_changed_candidate_is_not_signed(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    report = candidate.folder / "report.html"
    report.chmod(0o600)
    report.write_text("<p>something else</p>")
    assert run("approve", candidate.id, "--key", key_file("ann"), "--reason", "read", "--json").error["code"] == 5
    assert read_history(world.ledger).find(candidate.id).standing() == 0
