"""What is put to somebody to sign, and how long it waits."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import pytest

from headgate.core.errors import InputRejected, TransitionRefused
from tasks.approval.handed_in import statements_folder
from tasks.approval.issued_statements import issue_statement, issued_before
from tasks.approval.statements import LONGEST_UNSIGNED
from tasks.ledger.history import read_history


def test_a_statement_names_everything_that_is_agreed_to(world: Any) -> None:
    candidate = world.seal()
    issued = issue_statement(world.home, world.ledger, candidate.id[:8], "approve", "ann", "  read the report ")
    said = issued.said
    assert (said.candidate, said.policy_digest, said.release) == (candidate.id, candidate.manifest.policy_digest, "release-1")
    assert (said.dataset, said.principal, said.action, issued.reason.text) == ("people", "ann", "approve", "read the report")
    assert all(text.encode() in issued.to_sign for text in (candidate.id, said.at, issued.reason.digest))
    assert said.reason_sha256 == hashlib.sha256(f"{issued.reason.salt}\nread the report".encode()).hexdigest()
    assert b"read the report" not in issued.to_sign
    (file,) = statements_folder(world.home, candidate.id).glob("*.json")
    assert file.stem == hashlib.sha256(file.read_bytes()).hexdigest()


def test_who_asks_for_a_statement_has_looked_at_the_candidate(world: Any) -> None:
    candidate = world.seal()
    before = read_history(world.ledger).find(candidate.id)
    issue_statement(world.home, world.ledger, candidate.id, "approve", "ann", "read")
    after = read_history(world.ledger).find(candidate.id)
    assert (after.state, after.events) == (before.state, before.events + 1)
    assert world.ledger.entries("release-1")[-1].type == "viewed"


@pytest.mark.parametrize("action", ["approve", "request-changes", "reject"])
def test_nobody_else_is_asked(world: Any, action: str) -> None:
    candidate = world.seal()
    for principal in ("stranger", ""):
        with pytest.raises(TransitionRefused, match="was not on the list of signers"):
            issue_statement(world.home, world.ledger, candidate.id, action, principal, "read")


@pytest.mark.parametrize("action", ["approve", "request-changes", "reject"])
def test_who_ran_the_release_is_not_asked_to_decide_on_it(world: Any, action: str) -> None:
    candidate = world.seal(signers=(*world.made.manifest.signers, world.made.manifest.runner))
    with pytest.raises(TransitionRefused, match="runner ran the release and cannot decide on it") as shown:
        issue_statement(world.home, world.ledger, candidate.id, action, "runner", "read")
    assert "runner" not in shown.value.cure
    assert issue_statement(world.home, world.ledger, candidate.id, "withdraw", "runner", "read").said.action == "withdraw"


def test_what_nobody_signs_and_a_reason_that_says_nothing_are_bad_input(world: Any) -> None:
    candidate = world.seal()
    for action, reason in (("publish", "now"), ("approve", " "), ("approve", "x" * 3000)):
        with pytest.raises(InputRejected):
            issue_statement(world.home, world.ledger, candidate.id, action, "ann", reason)
    assert not statements_folder(world.home, candidate.id).exists()


def test_statements_that_nobody_may_hand_in_any_more_are_removed(world: Any) -> None:
    candidate = world.seal()
    for reason in ("first", "second"):
        issue_statement(world.home, world.ledger, candidate.id, "approve", "ann", reason)
    assert len(list(statements_folder(world.home, candidate.id).iterdir())) == 4
    world.clock.moment += LONGEST_UNSIGNED + timedelta(hours=1)
    issue_statement(world.home, world.ledger, candidate.id, "approve", "ann", "third")
    file, reason = sorted(statements_folder(world.home, candidate.id).iterdir())
    assert (file.stem, file.suffix) == (reason.stem, ".json")
    assert reason.read_bytes().endswith(b"\nthird")


def test_what_was_issued_is_shown_again_by_its_digest_and_by_nothing_else(world: Any) -> None:
    candidate = world.seal()
    issued = issue_statement(world.home, world.ledger, candidate.id, "approve", "ann", "read")
    again = issued_before(world.home, candidate.id, issued.digest)
    assert (again.said, again.reason, again.to_sign) == (issued.said, issued.reason, issued.to_sign)
    (file,) = statements_folder(world.home, candidate.id).glob("*.json")
    file.write_bytes(file.read_bytes().replace(b'"approve"', b'"reject"'))
    for name in (issued.digest, "../" + issued.digest, "0" * 64, ""):
        with pytest.raises(InputRejected, match="not kept any more"):
            issued_before(world.home, candidate.id, name)


def test_who_looks_in_a_browser_is_named_as_the_one_who_looked(world: Any) -> None:
    candidate = world.seal()
    issue_statement(world.home, world.ledger, candidate.id, "approve", "ann", "read", viewer="ann")
    assert world.ledger.entries("release-1")[-1].actor == "ann"
