from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken, TransitionRefused
from policies.ledger.states import State
from tasks.approval.approvals import decisions_folder
from tasks.approval.decisions import approve, record_withdrawal, reject
from tasks.ledger.history import read_history, read_whole
from tasks.signing.home_keys import load_or_make
from tasks.signing.keys import make_key


def rules(refusal) -> set[str]:
    return {one.rule for one in refusal.value.refusals}


def test_two_approvals_by_two_people_approve_a_candidate(world) -> None:
    candidate = world.seal()
    first = approve(world.home, world.ledger, candidate.id[:8], world.keys["ann"], "read the report")
    assert (first.release.state, first.principal, first.approvals, first.required) == (State.AWAITING_APPROVAL, "ann", 1, 2)
    second = approve(world.home, world.ledger, candidate.id, world.keys["bob"], "  agreed ")
    assert (second.release.state, second.approvals) == (State.APPROVED, 2)
    assert read_history(world.ledger).find(candidate.id[:10]) == second.release
    assert [entry.actor for entry in world.ledger.entries("release-1")][-2:] == ["ann", "bob"]


def test_one_rejection_ends_it(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    assert reject(world.home, world.ledger, candidate.id, world.keys["bob"], "too few rows").release.state is State.REJECTED
    with pytest.raises(TransitionRefused) as refusal:
        world.approve(candidate, "cyd")
    assert "state" in rules(refusal)


def test_the_runner_never_approves_by_key_or_by_name(world) -> None:
    world.write_signers(world.line("ann"), world.line("ann-second", "ann"), world.line("bob"))
    candidate = world.seal(runner="ann")
    for name in ("ann", "ann-second"):
        with pytest.raises(TransitionRefused) as refusal:
            world.approve(candidate, name)
        assert rules(refusal) == {"not_the_runner"}
        assert refusal.value.code == 4
        assert refusal.value.cure


def test_one_person_with_two_keys_counts_once(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    with pytest.raises(TransitionRefused) as refusal:
        world.approve(candidate, "ann-second")
    assert rules(refusal) == {"not_decided_yet"}


def test_a_stranger_and_a_key_added_after_sealing_do_not_count(world) -> None:
    candidate = world.seal()
    with pytest.raises(TransitionRefused, match="signers"):
        world.approve(candidate, "stranger")
    world.write_signers(world.line("ann"), world.line("bob"), world.line("stranger"))
    with pytest.raises(TransitionRefused) as refusal:
        world.approve(candidate, "stranger")
    assert rules(refusal) == {"sealed_key"}


def test_a_revoked_an_expired_and_a_removed_key_are_refused_by_their_reason(world) -> None:
    world.write_signers(
        world.line("ann"),
        world.line("bob", options='valid-before="20250601115959Z"'),
        world.line("cyd", options='namespaces="headgate"'),
    )
    candidate = world.seal()
    world.revoke("ann")
    with pytest.raises(TransitionRefused, match="this key is revoked"):
        world.approve(candidate, "ann")
    with pytest.raises(TransitionRefused, match="not valid at 2025-06-01"):
        world.approve(candidate, "bob")
    world.write_signers(world.line("ann"), world.line("bob"))
    with pytest.raises(TransitionRefused, match="this key is not on the list of signers"):
        world.approve(candidate, "cyd")


def test_a_decision_needs_a_reason(world) -> None:
    candidate = world.seal()
    for reason in ("", "   ", "x" * 3000):
        with pytest.raises(TransitionRefused) as refusal:
            approve(world.home, world.ledger, candidate.id, world.keys["ann"], reason)
        assert rules(refusal) >= {"reason"}
    assert not decisions_folder(world.home, candidate.id).exists()


def test_every_reason_is_said_at_once(world) -> None:
    candidate = world.seal()
    with pytest.raises(TransitionRefused) as refusal:
        approve(world.home, world.ledger, candidate.id, world.keys["stranger"], " ")
    assert rules(refusal) == {"reason", "key"}
    assert f"nobody on the list of signers has this key ({world.keys['stranger'].fingerprint})" in refusal.value.message


def test_a_changed_candidate_cannot_be_approved(world) -> None:
    candidate = world.seal()
    report = candidate.folder / "report.html"
    report.chmod(0o644)
    report.write_text("<p>something nicer</p>")
    with pytest.raises(IntegrityBroken, match=r"report\.html"):
        world.approve(candidate, "ann")


def test_a_candidate_the_ledger_does_not_know_cannot_be_approved(world, tmp_path) -> None:
    from tasks.ledger.event_log import Ledger
    from tasks.ledger.store_sqlite import SqliteStore

    candidate = world.seal()
    with pytest.raises(IntegrityBroken, match="does not know candidate"):
        approve(world.home, Ledger(SqliteStore(tmp_path / "new.db")), candidate.id, world.keys["ann"], "fine")


def test_nothing_is_decided_on_a_broken_chain(world) -> None:
    import sqlite3

    candidate = world.seal()
    connection = sqlite3.connect(world.home.ledger, isolation_level=None)
    (guard,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'events_no_update'").fetchone()
    connection.execute("DROP TRIGGER events_no_update")
    connection.execute("UPDATE events SET payload = replace(payload, '\"required\":2', '\"required\":1')")
    connection.execute(guard)
    connection.close()
    with pytest.raises(IntegrityBroken, match="was changed"):
        world.approve(candidate, "ann")


def test_a_candidate_is_withdrawn_by_a_signer_or_by_its_runner_only(world) -> None:
    first, second, third = world.seal(), world.seal(), world.seal()
    assert record_withdrawal(world.home, world.ledger, first.id, world.keys["runner"], "a mistake").release.state is State.WITHDRAWN
    assert record_withdrawal(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake").release.state is State.WITHDRAWN
    with pytest.raises(TransitionRefused, match="signers"):
        record_withdrawal(world.home, world.ledger, third.id, world.keys["stranger"], "mischief")
    assert read_history(world.ledger).find(second.id).state is State.WITHDRAWN


@pytest.mark.parametrize("how", ["expired", "removed", "revoked"])
def test_a_runner_takes_back_only_with_a_key_that_counts(world, how: str) -> None:
    """Somebody who had been dismissed withdrew what they had run, and `verify` then took the version for forged."""
    candidate = world.seal()
    if how == "revoked":
        world.revoke("runner")
    else:
        runner = [world.line("runner", options='valid-before="20200101Z"')] if how == "expired" else []
        world.write_signers(*runner, world.line("ann"), world.line("bob"))
    said = {"expired": "was not valid at", "removed": "is not on the list of signers", "revoked": "is revoked"}[how]
    with pytest.raises(TransitionRefused, match=f"this key {said}"):
        record_withdrawal(world.home, world.ledger, candidate.id, world.keys["runner"], "I was dismissed")
    assert read_history(world.ledger).find(candidate.id).state is State.AWAITING_APPROVAL


def test_a_key_that_is_no_key_decides_nothing(world, tmp_path) -> None:
    candidate = world.seal()
    with pytest.raises(TransitionRefused):
        approve(world.home, world.ledger, candidate.id, make_key(tmp_path / "new"), "fine")
    assert len(world.ledger.entries()) == 8


@pytest.fixture
def overdue(world):
    """Two approved it in time, and then nobody published it."""
    world.expires = timedelta(days=30)
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    world.clock.moment += timedelta(days=31)
    return candidate


def test_an_overdue_candidate_is_expired_before_any_event_says_so(world, overdue) -> None:
    before = world.ledger.entries()
    for history in (read_history(world.ledger), read_whole(world.ledger)):
        assert history.find(overdue.id).state is State.EXPIRED
        assert history.release("release-1").state is State.EXPIRED
        assert history.open_candidates() == ()
    assert [release.state for release in read_whole(world.ledger).releases()] == [State.EXPIRED]
    assert world.ledger.entries() == before  # who only reads writes nothing


def test_an_overdue_candidate_is_neither_approved_nor_published_nor_withdrawn(world, overdue) -> None:
    for act in (
        lambda: world.approve(overdue, "cyd"),
        lambda: reject(world.home, world.ledger, overdue.id, world.keys["cyd"], "too late"),
        lambda: record_withdrawal(world.home, world.ledger, overdue.id, world.keys["ann"], "too late"),
        lambda: world.publish(overdue),
    ):
        with pytest.raises(TransitionRefused, match="in the state 'expired'"):
            act()


def test_the_next_command_that_writes_records_what_expired(world, overdue) -> None:
    in_time = world.seal()
    assert [release.release_id for release in read_history(world.ledger).overdue()] == ["release-1"]
    world.approve(in_time, "ann")
    assert [entry.type for entry in world.ledger.entries("release-1")][-1] == "expired"
    assert read_history(world.ledger).overdue() == ()
    assert read_history(world.ledger).find(overdue.id).state is State.EXPIRED
    world.approve(in_time, "bob")
    assert [entry.type for entry in world.ledger.entries()].count("expired") == 1


@pytest.mark.parametrize("own", ["runner", "ledger"])
def test_whoever_ran_a_release_does_not_approve_it_with_a_key_of_the_home(world: Any, own: str) -> None:
    key = load_or_make(world.home.keys / own)
    world.write_signers(world.line("runner"), world.line("ann"), world.line("bob"), f"machine {key.public}")
    candidate = world.seal()
    for decide in (approve, reject):
        with pytest.raises(TransitionRefused, match="speaks for nobody"):
            decide(world.home, world.ledger, candidate.id, key, "mine too")


def test_what_somebody_ran_is_approved_only_while_their_key_counts_and_they_may_run(world: Any) -> None:
    candidate, listed, operator = world.seal(), world.home.signers.read_text(), world.home.root / "operator.yaml"
    world.revoke("runner")
    with pytest.raises(TransitionRefused, match="the key of runner, who ran the release, is revoked") as refusal:
        world.approve(candidate, "ann")
    assert "runs it again" in refusal.value.cure
    (world.home.root / "revoked_keys").unlink()
    world.home.signers.write_text(listed.replace("runner ", 'runner valid-before="20200101Z" '))
    with pytest.raises(TransitionRefused, match="who ran the release, was not valid"):
        world.approve(candidate, "ann")
    world.home.signers.write_text(listed)
    operator.write_text("runners: [bob]\n")
    with pytest.raises(TransitionRefused, match="runner, who ran the release, is no longer among those who may run"):
        world.approve(candidate, "ann")
    operator.write_text("runners: [runner]\n")
    world.approve(candidate, "ann")
    world.revoke("runner")
    assert reject(world.home, world.ledger, candidate.id, world.keys["bob"], "who ran it?").release.state is State.REJECTED


def test_what_was_sealed_for_another_home_is_not_approved(world: Any) -> None:
    """A service that was asked for a release could have it run, sealed and approved in any other home where its caller may run releases."""
    candidate = world.seal(home="SHA256:" + "A" * 43)
    with pytest.raises(TransitionRefused, match="runner ran the release in another home") as refusal:
        world.approve(candidate, "ann")
    assert "runs it again" in refusal.value.cure
    world.approve(world.seal(), "ann")


def test_what_a_machine_ran_is_approved_only_while_its_key_is_not_revoked(world: Any) -> None:
    candidate = world.seal(scheduled=True)
    (world.home.root / "revoked_keys").write_text(candidate.manifest.machine + "\n")
    with pytest.raises(TransitionRefused, match="the key of the machine that ran the release is revoked"):
        world.approve(candidate, "ann")


@pytest.mark.parametrize("line", ['bob valid-after="20300101Z"', 'bob valid-before="20200101Z"', "revoked"])
def test_a_key_that_did_not_count_when_the_candidate_was_sealed_never_counts_for_it(world: Any, line: str) -> None:
    listed = world.home.signers.read_text()
    if line == "revoked":
        world.revoke("bob")
    else:
        world.home.signers.write_text(listed.replace("bob", line))
    candidate = world.seal()
    assert {signer.principal for signer in candidate.manifest.signers} == {"runner", "ann", "cyd"}
    (world.home.root / "revoked_keys").unlink(missing_ok=True)
    world.home.signers.write_text(listed)
    with pytest.raises(TransitionRefused, match="not on the list of signers when the candidate was sealed"):
        world.approve(candidate, "bob")
