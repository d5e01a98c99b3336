"""An audit finds what was changed where versions are published: files, versions, `latest` and withdrawals."""

from __future__ import annotations

import os
import shutil

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.approval.approvals import kept_envelope
from tasks.ledger.history import read_history
from tasks.publication.recorded_withdrawal import withdrawal_record
from tasks.publication.withdraw import withdraw
from tasks.stores.release_store import latest_file
from tasks.stores.seal import load_candidate
from tasks.stores.store_folder import FolderSeries
from tasks.verification.audit import verify_audit
from tests.unit.tasks.verification.test_audit import fault, tamper


def test_a_changed_published_file_is_found(world) -> None:
    made = world.published()
    table = made.folder / "tables" / "table-2.csv"
    table.chmod(0o644)
    table.write_bytes(table.read_bytes().replace(b"700", b"900", 1))
    assert "Version 1 of people" in fault(world)


@pytest.mark.parametrize("name", ["attestation.dsse.json", "head.json", "events.jsonl", "manifest.json", "approvals/ann.dsse.json"])
def test_a_missing_published_file_is_found(world, name: str) -> None:
    made = world.published()
    (made.folder / name).unlink()
    assert "Version 1 of people" in fault(world)


def test_a_file_or_version_too_many_and_a_version_gone_are_found(world) -> None:
    made = world.published()
    (made.folder / "more.txt").write_text("x")
    assert "does not match the files" in fault(world)
    (made.folder / "more.txt").unlink()
    shutil.copytree(made.folder, made.folder.parent / "2")
    assert "Version 2 of people" in fault(world)
    shutil.rmtree(made.folder.parent / "2")
    verify_audit(world.home, world.ledger)
    shutil.rmtree(made.folder)
    assert "was published and is missing" in fault(world)


def test_one_version_put_in_anothers_place_is_found(world) -> None:
    first, second = world.published(), world.published()
    shutil.rmtree(second.folder)
    shutil.copytree(first.folder, second.folder)
    assert "another candidate" in fault(world)


def test_a_latest_that_was_moved_is_found(world) -> None:
    world.published()
    world.published()
    link = world.home.releases / "people" / "latest"
    link.unlink()
    os.symlink("1", link)
    assert "latest of people names version 1, but according to the ledger it should name version 2" in fault(world)


def test_a_folder_in_the_place_of_latest_is_found(world) -> None:
    """It may hold any version, a withdrawn or a forged one, whatever `latest.json` says beside it."""
    published = world.published()
    link = world.home.releases / "people" / "latest"
    link.unlink()
    shutil.copytree(published.folder, link)
    link.with_name("latest.json").write_bytes(latest_file(1))
    assert "latest of people names something else than one version" in fault(world)


def test_a_latest_that_was_not_moved_yet_is_unfinished_and_one_that_names_something_else_is_not(world, monkeypatch) -> None:
    """Killed between the ledger's event and the move of `latest`: what is there now is what was there before."""
    world.published()
    second = world.published()
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")

    def killed(*_arguments: object) -> None:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(FolderSeries, "point_latest", killed)
        with pytest.raises(SystemExit):
            world.publish(candidate)
    report = verify_audit(world.home, world.ledger)
    assert [f"publish {candidate.id[:12]} again" in left for left in report.unfinished] == [True]
    link = second.folder.parent / "latest"
    link.unlink()
    link.symlink_to("1")
    assert "latest of people names version 1" in fault(world)
    assert world.publish(candidate).version == 3
    assert verify_audit(world.home, world.ledger).unfinished == ()
    link.unlink()
    link.symlink_to("2")
    assert "latest of people names version 2, but according to the ledger it should name version 3" in fault(world)


def test_a_first_version_that_latest_does_not_name_yet_is_unfinished(world, monkeypatch) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with monkeypatch.context() as dying:
        dying.setattr(FolderSeries, "point_latest", lambda *_arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            world.publish(candidate)
    assert len(verify_audit(world.home, world.ledger).unfinished) == 1
    world.publish(candidate)
    (world.home.releases / "people" / "latest").unlink()
    assert "latest of people names nothing" in fault(world)


def test_a_version_sold_under_another_number_or_name_is_found_by_its_attestation(world) -> None:
    """The ledger's own words would do for a copy of its own version; the signed ones tell where it belongs."""
    from tasks.publication.attestation import check_attestation, check_place
    from tasks.stores.files import read_folder
    from tasks.stores.seal import load_candidate

    made = world.published()
    candidate = load_candidate(world.home.candidates, made.release.candidate)
    attestation = check_attestation(read_folder(made.folder), candidate.manifest, candidate.id)
    check_place(attestation, 1, "people")
    for number, target in ((2, "people"), (1, "others"), (None, "people")):
        with pytest.raises(IntegrityBroken, match="another version or target"):
            check_place(attestation, number, target)


def test_a_withdrawal_put_into_a_version_by_hand_is_found(world) -> None:
    made = world.published()
    world.published()
    withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake")
    shutil.copy(made.folder.parent / "2" / "withdrawn.json", made.folder / "withdrawn.json")
    assert "carries a withdrawal that the ledger does not know" in fault(world)
    with pytest.raises(IntegrityBroken, match="carries a withdrawal"):
        world.publish(load_candidate(world.home.candidates, made.release.candidate))


def test_a_withdrawal_cut_from_the_ledger_is_found(world) -> None:
    world.published()
    withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "a mistake")
    tamper(world.home.ledger, "DELETE FROM events WHERE seq >= (SELECT seq FROM events WHERE type = 'withdrawn')")
    assert "withdrawal" in fault(world)


def test_a_finished_withdrawal_that_is_undone_in_the_store_is_found(world) -> None:
    made = world.published()
    second = world.published()
    withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake")
    kept = (second.folder / "withdrawn.json").read_bytes()
    (second.folder / "withdrawn.json").unlink()
    assert "Version 2 of people: its signed withdrawal, withdrawn.json, was taken away" in fault(world)
    history = read_history(world.ledger)
    own, event = history.of("release-2"), next(event for event in history.events("release-2") if event.event == "withdrawn")
    envelope = kept_envelope(world.home, event.candidate, event.statement_sha256)
    until = own[: 1 + [entry.type for entry in own].index("withdrawn")]
    (second.folder / "withdrawn.json").write_bytes(withdrawal_record(event.candidate, until, envelope, world.keys["ann"]))
    assert "its withdrawal is signed by another ledger's key" in fault(world)
    (second.folder / "withdrawn.json").write_bytes(kept)
    link = made.folder.parent / "latest"
    link.unlink()
    link.symlink_to("2")
    assert "latest of people names version 2, but according to the ledger it should name version 1" in fault(world)


def test_a_withdrawal_whose_last_event_is_missing_is_unfinished_and_finished_by_withdrawing_again(world, monkeypatch) -> None:
    from tasks.publication import withdraw as module

    world.published()
    world.published()
    with monkeypatch.context() as dying:
        dying.setattr(module, "_settled", lambda *_arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake")
    assert verify_audit(world.home, world.ledger).unfinished == ("Version 2 of people: withdraw release-2 again to finish it.",)
    withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake")
    assert verify_audit(world.home, world.ledger).unfinished == ()
    length = len(world.ledger.entries())
    withdraw(world.home, world.ledger, "release-2", world.keys["ann"], "a mistake")
    assert len(world.ledger.entries()) == length
