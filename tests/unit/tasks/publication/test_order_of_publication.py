"""What is guarded twice, each guard alone: the order of events and `latest`, and the seals of runner and ledger."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import PublicationFailed, StoreUnavailable, TransitionRefused
from policies.ledger.states import State
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.publication.attestation import ATTESTATION_FILE, WITHOUT
from tasks.signing.detached import with_detached
from tasks.signing.home_keys import ledger_key
from tasks.signing.signatures import ATTESTATION, sign_statement, statement, verify_envelope
from tasks.stores.seal import load_candidate
from tasks.stores.store_folder import FolderSeries
from tasks.verification.verify import examine_folder, verify_folder


def test_latest_moves_only_after_the_ledger_says_that_the_version_is_out(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.published()
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    honest = Ledger.append

    def refuse_published(self: Any, release: str, events: Any, after: int, actor: str) -> Any:
        if events[0].event == "published":
            raise StoreUnavailable("The ledger is gone.", "Bring it back.")
        return honest(self, release, events, after, actor)

    series = FolderSeries(world.home.releases, "people")
    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "append", refuse_published)
        with pytest.raises(StoreUnavailable, match="ledger is gone"):
            world.publish(candidate)
        assert series.version(2).exists()
        assert series.latest() == 1
        assert read_history(world.ledger).find(candidate.id).state is State.PUBLISHING
    assert world.publish(candidate).version == 2
    assert series.latest() == 2


def test_of_two_datasets_that_are_published_to_one_target_at_once_one_is_refused(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other comes while a slow store is asked for its numbers, between the look at the ledger and the event that takes one."""
    first, second = world.seal(), world.seal(dataset="others")
    for candidate in (first, second):
        world.approve(candidate, "ann", "bob")
    honest, refusals = FolderSeries.prepare, []

    def slow(series: FolderSeries) -> None:
        monkeypatch.setattr(FolderSeries, "prepare", honest)
        honest(series)
        with pytest.raises(TransitionRefused) as refused:
            world.publish(second)
        refusals.append(refused.value.message)

    monkeypatch.setattr(FolderSeries, "prepare", slow)
    assert world.publish(first).version == 1
    assert "is being published to people" in refusals[0]
    with pytest.raises(TransitionRefused, match="people is where dataset people is published"):
        world.publish(second)


def attested_anew(world: Any, folder: Path) -> Path:
    """What whoever holds the ledger's key can do: change a sealed file, and sign a true attestation of the folder as it is then."""
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / "report.html").write_text((folder / "report.html").read_text().swapcase())
    old = verify_envelope((folder / ATTESTATION_FILE).read_bytes(), ATTESTATION_FILE, ATTESTATION).statement
    present = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file() and path.name not in WITHOUT}
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in present.items()}
    assert set(digests) == {subject.name for subject in old.subject}
    envelope = sign_statement(statement(digests, ATTESTATION, old.predicate), ledger_key(world.home.keys))
    for path, content in with_detached({ATTESTATION_FILE: envelope}).items():
        (folder / path).write_bytes(content)
    return folder


def test_a_file_changed_by_the_ledgers_own_hand_is_found_by_the_runners_seal(world: Any, tmp_path: Path) -> None:
    made = world.published()
    shutil.copytree(made.folder, tmp_path / "download")
    report = examine_folder(attested_anew(world, tmp_path / "download"))
    assert {finding.check for finding in report.findings if not finding.passed} == {"contents"}
    verify_folder(made.folder)


def test_what_arrived_is_compared_with_what_was_sealed_not_only_with_what_is_attested(world: Any) -> None:
    made = world.published()
    attested_anew(world, made.folder)
    with pytest.raises(PublicationFailed, match="did not arrive"):
        world.publish(load_candidate(world.home.candidates, made.release.candidate))


def test_the_head_of_another_moment_is_not_the_end_of_these_events(world: Any, tmp_path: Path) -> None:
    """The head, signed by the same ledger, of another release: everything in the folder but the link between them holds."""
    from tasks.ledger.chain import HEAD_FILE, HEAD_SIGNATURE, signed_head

    made = world.published()
    folder = tmp_path / "download"
    shutil.copytree(made.folder, folder)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    content, envelope = signed_head(world.ledger.entries()[3], ledger_key(world.home.keys))
    (folder / HEAD_FILE).write_bytes(content)
    for path, bytes_of in with_detached({HEAD_SIGNATURE: envelope}).items():
        (folder / path).write_bytes(bytes_of)
    details = {finding.check: finding.detail for finding in examine_folder(folder).findings if not finding.passed}
    assert "do not lead up to the signed head" in details.get("events and signed head", "")
    assert json.loads(content)["seq"] == 4


def test_a_publication_that_was_cut_short_goes_on_only_while_its_approvals_count(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import tasks.publication.publish_version

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")

    def gone(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(tasks.publication.publish_version, "_put_in_place", gone)
        with pytest.raises(PublicationFailed, match="No space left"):
            world.publish(candidate)
    assert read_history(world.ledger).find(candidate.id).state is State.PUBLISHING
    world.revoke("bob")
    with pytest.raises(TransitionRefused, match="1 of 2 required approvals are valid") as refusal:
        world.publish(candidate)
    assert "key of bob" in str(refusal.value)
    series = FolderSeries(world.home.releases, "people")
    assert not series.version(1).exists()
    (world.home.root / "revoked_keys").unlink()
    assert world.publish(candidate).version == 1


def test_a_second_format_that_tells_something_else_is_found(world: Any, tmp_path: Path) -> None:
    """Sealed, approved and published in good faith; every figure is true of the CSV, which is the format that is measured."""
    folder = tmp_path / "edited"
    shutil.copytree(world.made.folder, folder)
    path = folder / "tables" / "table-1.parquet"
    table = parquet.read_table(path)
    place = table.column_names.index("job")
    jobs = table.column("job").to_pylist()
    other = jobs.index("nurse")
    jobs[other] = "clerk"
    path.chmod(0o644)
    parquet.write_table(table.set_column(place, "job", [jobs]), path, store_schema=False)
    world.made = type(world.made)(folder, world.made.manifest)
    failed = {finding.check: finding.detail for finding in examine_folder(world.published().folder).findings if not finding.passed}
    assert set(failed) == {"privacy claims"}
    assert "formats of table-1 hold different values" in failed["privacy claims"]
