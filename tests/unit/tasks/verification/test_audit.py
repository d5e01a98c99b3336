from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from policies.ledger.states import State
from tasks.approval.approvals import keep_envelope
from tasks.approval.decisions import reject
from tasks.ledger.history import read_whole
from tasks.ledger.open_ledger import open_ledger
from tasks.publication.withdraw import withdraw
from tasks.stores.seal import load_candidate
from tasks.verification.audit import examine_audit, export_ledger, show_release, verify_audit


def tamper(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in guards:
        connection.execute(sql)
    connection.execute("COMMIT")
    connection.close()


def fault(world) -> str:
    with pytest.raises(IntegrityBroken) as found:
        verify_audit(world.home, world.ledger)
    assert found.value.code == 5
    assert "backup" in found.value.cure or "find out who moved it" in found.value.cure
    return found.value.message


def test_an_untouched_ledger_and_store_verify(world) -> None:
    world.seal()
    world.published()
    world.published()
    withdraw(world.home, world.ledger, "release-3", world.keys["ann"], "a mistake")
    report = verify_audit(world.home, world.ledger)
    assert (report.releases, report.versions, report.faults, report.unfinished) == (3, 2, (), ())
    assert report.events == len(world.ledger.entries())
    assert report.head == world.ledger.entries()[-1].hash


def test_who_released_what_is_listed_with_its_state(world) -> None:
    world.seal()
    world.published()
    world.published()
    assert [(release.release_id, release.state) for release in read_whole(world.ledger).releases()] == [
        ("release-1", State.AWAITING_APPROVAL), ("release-2", State.SUPERSEDED), ("release-3", State.PUBLISHED),
    ]  # fmt: skip


def test_a_release_is_shown_with_all_that_happened_and_who_did_it(world) -> None:
    made = world.published()
    for name in ("release-1", made.release.candidate, made.release.candidate[:8]):
        release, events = show_release(world.home, world.ledger, name)
        assert release.state is State.PUBLISHED
        assert [line.entry.type for line in events][-5:] == ["approved", "approved", "publishing", "published", "settled"]
        assert [line.entry.actor for line in events][-5:] == ["ann", "bob", "publisher", "publisher", "publisher"]
        assert events[-5].says["reason"] == "read the report"
        assert events[-2].says["version"] == "1"
    with pytest.raises(InputRejected, match="knows no release"):
        show_release(world.home, world.ledger, "release-9")


def test_an_export_holds_every_event_and_is_checked_first(world, tmp_path: Path) -> None:
    world.published()
    text = export_ledger(world.ledger, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == text
    assert [json.loads(line)["seq"] for line in text.splitlines()] == list(range(1, 14))
    tamper(world.home.ledger, "UPDATE events SET actor = 'eve' WHERE seq = 2")
    with pytest.raises(IntegrityBroken):
        export_ledger(world.ledger)


@pytest.mark.parametrize("column", ["actor", "at", "payload", "type", "hash", "previous"])
def test_a_changed_row_is_found(world, column: str) -> None:
    world.published()
    tamper(world.home.ledger, f"UPDATE events SET {column} = {column} || ' ' WHERE seq = 9")
    assert "Event" in fault(world)


def test_a_deleted_row_is_found(world) -> None:
    world.published()
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 4")
    assert "Event 4 is missing" in fault(world)


def test_an_inserted_row_is_found(world) -> None:
    world.published()
    tamper(
        world.home.ledger,
        "INSERT INTO events SELECT 14, release, 14, type, at, actor, payload, release_previous, hash, 'f00d', '' FROM events "
        "WHERE seq = 13",
    )
    assert "Event 14" in fault(world)


def test_a_tail_cut_off_is_found_by_the_published_heads(world) -> None:
    """The chain that is left holds by itself: only what was published tells."""
    world.published()
    world.published()
    tamper(world.home.ledger, "DELETE FROM events WHERE seq > 13")
    world.ledger.verify_chain()
    said = fault(world)
    assert "Version 2 of people" in said
    assert "cut short" in said


def test_every_possible_cut_of_the_tail_is_found_or_shown_as_unfinished(world) -> None:
    world.published()
    world.published()
    whole = world.home.ledger.read_bytes()
    for last in range(world.ledger.entries()[-1].seq - 1, -1, -1):
        world.home.ledger.write_bytes(whole)
        tamper(world.home.ledger, f"DELETE FROM events WHERE seq > {last}")
        report = examine_audit(world.home, world.ledger)
        assert report.faults or report.unfinished, last


def test_a_ledger_replaced_by_a_new_one_is_found(world) -> None:
    world.published()
    world.home.ledger.unlink()
    open_ledger(world.home)
    assert "is in the store but not in the ledger" in fault(world)


def put_back(world, older: bytes) -> None:
    world.home.ledger.write_bytes(older)


def test_with_an_older_ledger_put_back_a_rejected_candidate_is_not_published(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    older = world.home.ledger.read_bytes()
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "too small")
    put_back(world, older)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        world.publish(candidate)
    assert not (world.home.releases / "people").exists()
    said = fault(world)
    assert "This home has seen event 11" in said
    assert "1 signed decision on candidate" in said


def test_without_the_homes_memory_the_kept_decision_stops_it(world) -> None:
    """The older state of the home put back with the older ledger: what remains are the decisions themselves."""
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    older, memory = world.home.ledger.read_bytes(), world.ledger.memory.file.read_bytes()
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "too small")
    put_back(world, older)
    world.ledger.memory.file.write_bytes(memory)
    for act in (lambda: world.publish(candidate), lambda: world.approve(candidate, "cyd")):
        with pytest.raises(IntegrityBroken, match="A signed decision on candidate .* missing from the ledger"):
            act()
    assert not (world.home.releases / "people").exists()
    assert "1 signed decision on candidate" in fault(world)


def test_an_older_ledger_undoes_no_withdrawal(world) -> None:
    made = world.published()
    older = world.home.ledger.read_bytes()
    withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "a mistake")
    put_back(world, older)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        world.publish(load_candidate(world.home.candidates, made.release.candidate))
    assert "an older ledger was put back" in fault(world)


def test_the_last_event_deleted_is_found(world) -> None:
    candidate = world.seal()
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "too small")
    tamper(world.home.ledger, "DELETE FROM events WHERE type = 'rejected'")
    assert "last events were deleted" in fault(world)


def test_a_ledger_and_a_store_deleted_are_found(world) -> None:
    world.published()
    world.home.ledger.unlink()
    shutil.rmtree(world.home.releases)
    open_ledger(world.home)
    said = fault(world)
    assert "it was started anew" in said
    assert "2 signed decisions on candidate" in said
    with pytest.raises(IntegrityBroken, match="started anew"):
        world.seal()


def test_a_decision_whose_event_was_never_recorded_counts_for_nothing_and_is_no_fault(world) -> None:
    """Killed between the envelope and its event."""
    candidate = world.seal()
    keep_envelope(world.home, candidate.id, b"signed, and then the power failed")
    verify_audit(world.home, world.ledger)
    world.approve(candidate, "ann", "bob")
    verify_audit(world.home, world.ledger)


def test_a_decision_that_has_its_event_and_not_yet_its_name_is_found(world) -> None:
    """Killed between the event and the name."""
    made = world.published()
    for file in (world.home.root / "decisions" / made.release.candidate).glob("*.dsse.json"):
        file.rename(file.with_name(file.name + ".pending"))
    verify_audit(world.home, world.ledger)


def test_a_ledger_replaced_by_another_history_is_found(world) -> None:
    """Another ledger, valid in itself, in which the same version was published: heads are not on its chain."""
    world.published()
    kept = world.home.root / "kept"
    shutil.move(world.home.releases, kept)
    world.home.ledger.unlink()
    shutil.rmtree(world.home.state)
    open_ledger(world.home)
    world.published()
    shutil.rmtree(world.home.releases)
    shutil.move(kept, world.home.releases)
    assert "signed head is not on the chain" in fault(world)


def test_a_decision_whose_envelope_is_gone_or_changed_is_found(world) -> None:
    made = world.published()
    one, two = sorted((world.home.root / "decisions" / made.release.candidate).glob("*.dsse.json"))
    one.unlink()
    assert "decision of event" in fault(world)
    shutil.copy(two, one)
    assert "not the decision that the ledger recorded" in fault(world)


def test_a_reason_that_was_changed_is_found_and_shown_as_not_kept(world) -> None:
    made = world.published()
    path = min((world.home.root / "decisions" / made.release.candidate).glob("*.reason"))
    path.write_bytes(path.read_bytes() + b", nearly")
    assert "not the one that was signed" in fault(world)
    _, events = show_release(world.home, world.ledger, "release-1")
    assert sorted(line.says["reason"] for line in events if line.entry.type == "approved") == [
        "A reason in decisions/ is not the one that was signed.",
        "read the report",
    ]


def test_a_head_signed_by_another_ledger_is_found(world) -> None:
    from tasks.signing.keys import make_key

    world.published()
    for name in ("ledger", "ledger.pub"):
        (world.home.keys / name).unlink()
    make_key(world.home.keys / "ledger")
    assert "another ledger's key" in fault(world)


def test_an_audit_without_the_ledgers_public_key_fails_with_a_cure(world) -> None:
    world.published()
    (world.home.keys / "ledger.pub").unlink()
    with pytest.raises(HeadgateError, match="ledger.pub is missing") as found:
        verify_audit(world.home, world.ledger)
    assert found.value.cure


def test_votes_that_are_hidden_are_in_no_listing_and_no_export(world) -> None:
    candidate = world.seal(blind=True)
    world.approve(candidate, "ann")
    _, lines = show_release(world.home, world.ledger, "release-1")
    vote = lines[-1]
    assert (vote.entry.type, vote.entry.actor, vote.entry.at, vote.entry.payload, vote.says) == ("approved", "", "", "", {})
    stored = world.ledger.entries("release-1")[-1]
    assert (vote.entry.hash, vote.entry.seq) == (stored.hash, stored.seq)
    exported = export_ledger(world.ledger).splitlines()
    assert len(exported) == len(world.ledger.entries())
    told = json.loads(stored.payload)
    for secret in (world.keys["ann"].fingerprint, told["statement_sha256"], told["reason_sha256"]):
        assert secret not in exported[-1]
    world.approve(candidate, "bob")
    _, lines = show_release(world.home, world.ledger, "release-1")
    assert [line.entry.actor for line in lines][-2:] == ["ann", "bob"]
    assert lines[-2].says["reason"] == "read the report"
    assert '"actor": "ann"' in export_ledger(world.ledger)


@pytest.mark.parametrize("ends", ["reject", "request_changes", "withdraw"])
def test_whatever_ends_a_candidate_shows_its_votes(world, ends: str) -> None:
    from tasks.approval import decisions

    candidate = world.seal(blind=True)
    world.approve(candidate, "ann")
    if ends == "withdraw":
        decisions.record_withdrawal(world.home, world.ledger, candidate.id, world.keys["cyd"], "no")
    else:
        getattr(decisions, ends)(world.home, world.ledger, candidate.id, world.keys["cyd"], "no")
    _, lines = show_release(world.home, world.ledger, "release-1")
    assert [line.entry.actor for line in lines][-2:] == ["ann", "cyd"]
