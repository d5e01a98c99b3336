from __future__ import annotations

import shutil

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.approvals import decisions_folder
from tasks.approval.decisions import reject
from tasks.verification.audit import examine_audit, verify_audit


def memory(world) -> list:
    return [world.home.ledger, world.home.state]


def put_back_both(world, older) -> None:
    """The ledger and what the home remembers of it, of one moment: each agrees with the other."""
    for path in memory(world):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        copy = older / path.name
        shutil.copytree(copy, path) if copy.is_dir() else shutil.copy(copy, path)


def copied(world, folder):
    for path in memory(world):
        shutil.copytree(path, folder / path.name) if path.is_dir() else shutil.copy(path, folder)
    return folder


@pytest.fixture
def older(world, tmp_path):
    world.published()
    folder = tmp_path / "older"
    folder.mkdir()
    return copied(world, folder)


def test_a_run_that_an_older_ledger_does_not_know_is_found(world, older) -> None:
    candidate = world.seal()
    put_back_both(world, older)
    (fault,) = examine_audit(world.home, world.ledger).faults
    assert f"The ledger does not know candidate {candidate.id[:12]}" in fault
    shutil.rmtree(candidate.folder)
    assert verify_audit(world.home, world.ledger).releases == 1


@pytest.mark.parametrize("place", ["refused", "origins", "keys/seeds", "decisions"])
def test_whatever_else_is_kept_of_a_run_tells_too(world, older, place: str) -> None:
    name = "release-7" if place == "refused" else "ab" * 32
    (world.home.root / place / name).mkdir(parents=True)
    with pytest.raises(IntegrityBroken, match="The ledger does not know (candidate ababab|release release-7)"):
        verify_audit(world.home, world.ledger)


def test_a_candidate_whose_run_was_killed_before_its_event_is_no_fault(world, tmp_path) -> None:
    candidate = world.seal()
    seq = next(entry.seq for entry in world.ledger.entries() if entry.type == "sealed")
    from tests.unit.tasks.verification.test_audit import tamper

    tamper(world.home.ledger, f"DELETE FROM events WHERE seq >= {seq}")
    shutil.rmtree(world.home.state)
    assert candidate.folder.is_dir()
    assert not [fault for fault in examine_audit(world.home, world.ledger).faults if "does not know" in fault]


def test_a_sealed_candidate_that_is_gone_or_changed_is_found(world) -> None:
    candidate = world.seal()
    verify_audit(world.home, world.ledger)
    (candidate.folder / "report.html").chmod(0o600)
    (candidate.folder / "report.html").write_bytes(b"another")
    with pytest.raises(IntegrityBroken, match=f"Candidate {candidate.id[:12]}"):
        verify_audit(world.home, world.ledger)
    shutil.rmtree(candidate.folder)
    with pytest.raises(IntegrityBroken, match=f"Candidate {candidate.id[:12]}"):
        verify_audit(world.home, world.ledger)


def test_a_signed_decision_without_its_event_is_shown_until_it_is_made_again(world, tmp_path) -> None:
    candidate = world.seal()
    older = tmp_path / "older"
    older.mkdir()
    copied(world, older)
    reject(world.home, world.ledger, candidate.id, world.keys["bob"], "too fine")
    put_back_both(world, older)
    (envelope,) = decisions_folder(world.home, candidate.id).glob("*.dsse.json")
    envelope.rename(envelope.with_name(envelope.name + ".pending"))
    (left,) = verify_audit(world.home, world.ledger).unfinished
    assert "was signed and has no event" in left
    assert "bob" not in left
    reject(world.home, world.ledger, candidate.id, world.keys["bob"], "too fine")
    assert verify_audit(world.home, world.ledger).unfinished == ()
