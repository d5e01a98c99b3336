"""An archive that somebody changed, or signed with keys that do not count, does not hold by the recipe."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from policies.ledger.events import (
    CandidateApproved,
    CandidateRejected,
    ChangesRequested,
    Event,
    ReleaseWithdrawn,
)
from policies.sealed.manifest import Signer
from tasks.approval.decisions import reject
from tasks.ledger.chain import Entry, entry_bytes
from tasks.ledger.event_log import entry_after, event_of
from tasks.ledger.history import read_history
from tasks.publication.withdraw import withdraw
from tasks.signing.detached import detached_files
from tasks.signing.home_keys import ledger_key, machine_key
from tasks.signing.signatures import ATTESTATION, EVIDENCE, HEAD, sign_statement, statement
from tasks.signing.sshsig import sign_bytes
from tasks.verification.evidence import evidence, signed_extent
from tests.unit.tasks.signing.openssh import needs_ssh_keygen
from tests.unit.tasks.verification.test_evidence import by_the_recipe, unpacked


@needs_ssh_keygen
@pytest.mark.slow
def test_whatever_is_changed_or_taken_away_is_found_by_the_recipe(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    world.publish(candidate)
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, folder)
    told = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in ("README.txt", "verify.sh")]
    assert len(told) > 20
    for path in told:
        content = path.read_bytes()
        path.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
        assert not by_the_recipe(world, folder), path.name
        path.unlink()
        assert not by_the_recipe(world, folder), path.name
        path.write_bytes(content)
    for path in folder.glob("signed/*bob*"):
        path.unlink()
    assert not by_the_recipe(world, folder)


def recorded(world) -> tuple[object, list[Event], list[str]]:
    """A candidate that ann approved and that was withdrawn, with its events and who caused them, for a ledger to be rewritten."""
    candidate = world.seal()
    world.approve(candidate, "ann")
    withdraw(world.home, world.ledger, candidate.id, world.keys["runner"], "a wrong column")
    entries = read_history(world.ledger).of(candidate.manifest.release_id)
    return candidate, [event_of(entry) for entry in entries], [entry.actor for entry in entries]


def rewritten(world, folder: Path, events: list[Event], actors: list[str]) -> Path:
    """What somebody makes who has the ledger's key: another chain of events, and a head that is signed anew."""
    shutil.rmtree(folder / "events")
    (folder / "events").mkdir()
    own: list[Entry] = []
    for event, actor in zip(events, actors, strict=True):
        last = own[-1] if own else None
        own.append(entry_after(last, last, event, actor))
        (folder / "events" / f"{own[-1].seq:08}").write_bytes(entry_bytes(own[-1]))
    for path, content in detached_files("bundle.dsse.json", signed_extent(own, own[-1], ledger_key(world.home.keys))).items():
        (folder / path).write_bytes(content)
    return folder


@needs_ssh_keygen
@pytest.mark.slow
def test_a_signature_for_one_act_is_no_proof_of_another(world, tmp_path: Path) -> None:
    """The ledger's events rewritten by somebody who has its key, beside signatures that are genuine."""
    candidate, events, actors = recorded(world)
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, rewritten(world, folder, events, actors))
    (vote,) = [at for at, event in enumerate(events) if event.event == "approved"]
    said = events[vote].model_dump(exclude={"event", "roles"})
    for forged in (
        CandidateRejected(**said),
        ChangesRequested(**said),
        ReleaseWithdrawn(**said),
        CandidateApproved(**said | {"signer": Signer(principal="bob", fingerprint=world.keys["bob"].fingerprint)}),
    ):
        told = [*events[:vote], forged, *events[vote + 1 :]]
        assert not by_the_recipe(world, rewritten(world, folder, told, actors)), forged.event
    assert by_the_recipe(world, rewritten(world, folder, events, actors))


@needs_ssh_keygen
@pytest.mark.slow
def test_events_that_were_cut_off_are_missed_by_the_recipe(world, tmp_path: Path) -> None:
    """By somebody without a key: what the ledger signed for the published folder, or for an archive made earlier, is not about less."""
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    published = world.publish(candidate).folder
    withdraw(world.home, world.ledger, candidate.id, world.keys["cyd"], "a wrong column")
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, folder)
    known = len((published / "events.jsonl").read_text().splitlines())
    for event in sorted((folder / "events").iterdir())[known:]:
        event.unlink()
        for path in (folder / "signed").glob(f"{event.name}-*"):
            path.unlink()
    for ending in (".signed", ".sig"):
        (folder / f"attestation{ending}").unlink()
        shutil.copy(published / f"head{ending}", folder / f"bundle{ending}")
    shutil.copy(published / "head.json", folder)
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
@pytest.mark.slow
def test_only_a_statement_of_the_right_kind_in_its_place_is_taken(world, tmp_path: Path) -> None:
    """The ledger's key signs attestations too, and these hold digests of files and texts that a steward chooses."""
    candidate = world.seal()
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    (last,) = re.findall(r'"sha256":"([0-9a-f]{64})"', (folder / "bundle.signed").read_text())
    number = len(list((folder / "events").iterdir()))
    said = {"release": "release-1", "events": number, "event": "8", "hash": last, "at": "now"}

    def with_statement(subjects: dict[str, str], kind: str, predicate: dict[str, object]) -> bool:
        forged = sign_statement(statement(subjects, kind, predicate), ledger_key(world.home.keys))
        for path, content in detached_files("bundle.dsse.json", forged).items():
            (folder / path).write_bytes(content)
        return by_the_recipe(world, folder)

    assert with_statement({"last-event": last}, EVIDENCE, said)
    assert not with_statement({"last-event": last}, ATTESTATION, said)
    assert not with_statement({"last-event": last}, HEAD, said)
    assert not with_statement({"last-event": "0" * 64}, EVIDENCE, {**said, "title": last})
    assert not with_statement({"last-event": last}, EVIDENCE, {**said, "events": number + 1})
    assert not with_statement({"last-event": last}, EVIDENCE, {**said, "release": "release-2"})


@needs_ssh_keygen
@pytest.mark.slow
def test_another_releases_attestation_does_not_stand_in_because_its_title_is_a_digest(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    world.publish(candidate)
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, folder)
    forged = statement({"manifest.json": "0" * 64}, ATTESTATION, {"title": candidate.id})
    for path, content in detached_files("attestation.dsse.json", sign_statement(forged, ledger_key(world.home.keys))).items():
        (folder / path).write_bytes(content)
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
def test_a_revoked_key_proves_nothing_by_the_recipe(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    revoked = world.home.root / "revoked_keys"
    revoked.write_text(world.keys["stranger"].public + "\n")
    assert by_the_recipe(world, folder)
    revoked.write_text(world.keys["ann"].public + "\n")
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
@pytest.mark.slow
def test_a_revoked_key_of_a_machine_or_of_the_ledger_proves_nothing_by_the_recipe(world, tmp_path: Path) -> None:
    """The recipe looked for the machine's fingerprint alone: whoever stole that key ran what they liked under a true registration."""
    candidate = world.seal(scheduled=True)
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, folder)
    for key in (machine_key(world.home.keys), ledger_key(world.home.keys)):
        (world.home.root / "revoked_keys").write_text(key.public + "\n")
        assert not by_the_recipe(world, folder)


@needs_ssh_keygen
@pytest.mark.slow
def test_a_signed_rejection_is_no_approval(world, tmp_path: Path) -> None:
    candidate = world.seal()
    reject(world.home, world.ledger, candidate.id, world.keys["bob"], "not under any circumstances")
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    entries = read_history(world.ledger).of(candidate.manifest.release_id)
    events, actors = [event_of(entry) for entry in entries], [entry.actor for entry in entries]
    assert by_the_recipe(world, rewritten(world, folder, events, actors))
    events[-1] = CandidateApproved(**events[-1].model_dump(exclude={"event"}))
    assert not by_the_recipe(world, rewritten(world, folder, events, actors))


@needs_ssh_keygen
@pytest.mark.slow
def test_the_runners_signature_stands_in_for_no_vote(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    (vote,), (run,) = folder.glob("signed/*-ann.sig"), folder.glob("signed/*-runner.sig")
    for ending in (".sig", ".signed"):
        for who in ("ann", "runner"):
            shutil.copy(run.with_suffix(ending), folder / "signed" / f"{vote.name[:8]}-{who}{ending}")
        if ending == ".sig":
            vote.unlink()
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
@pytest.mark.slow
def test_a_scheduled_runs_manifest_is_signed_by_the_machine_that_its_runner_registered(world, tmp_path: Path) -> None:
    candidate = world.seal(scheduled=True)
    world.approve(candidate, "ann", "bob")
    world.publish(candidate)
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, folder)
    (run,) = folder.glob("signed/*-runner.sig")
    honest = {path: path.read_bytes() for path in (run, folder / "registration.sig", folder / "registration.signed")}
    run.write_bytes(sign_bytes(run.with_suffix(".signed").read_bytes(), world.keys["stranger"]))
    assert not by_the_recipe(world, folder)  # another machine's
    run.write_bytes(honest[run])
    for ending in (".sig", ".signed"):
        shutil.copy(run.with_suffix(ending), folder / f"registration{ending}")
    assert not by_the_recipe(world, folder)
    for path, content in honest.items():
        path.write_bytes(content)
    assert by_the_recipe(world, folder)
    world.write_signers(world.line("stranger", "runner"), world.line("ann"), world.line("bob"))
    assert not by_the_recipe(world, folder)
    world.write_signers(world.line("runner"), world.line("ann"), world.line("bob"))
    for path in folder.glob("registration.*"):
        path.unlink()
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
@pytest.mark.slow
def test_other_signers_or_another_ledgers_key_do_not_do(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann")
    folder = unpacked(evidence(world.home, world.ledger, candidate.id), tmp_path)
    assert by_the_recipe(world, folder)
    world.write_signers(world.line("runner"), world.line("stranger", "ann"))
    assert not by_the_recipe(world, folder)
    world.write_signers(world.line("runner"), world.line("ann"))
    assert by_the_recipe(world, folder)
    (world.home.keys / "ledger.pub").write_text(world.keys["stranger"].public + "\n")
    assert not by_the_recipe(world, folder)
