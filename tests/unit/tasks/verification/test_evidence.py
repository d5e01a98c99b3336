"""The archive, checked as an auditor would: by the recipe of the guide, in a shell, with ssh-keygen and sha256sum."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken, TransitionRefused
from policies.ledger.events import CandidateApproved, CandidateRejected, ChangesRequested, Event, ReleaseWithdrawn, RunFailed, RunStarted
from policies.sealed.manifest import Signer
from tasks.approval.approvals import decisions_folder
from tasks.approval.decisions import reject, request_changes
from tasks.approval.operating import abandon
from tasks.ledger.chain import entry_bytes, signed_head
from tasks.ledger.event_log import entry_after, event_of
from tasks.ledger.history import read_history
from tasks.publication.withdraw import withdraw
from tasks.signing.detached import detached_files
from tasks.signing.home_keys import ledger_key
from tasks.signing.sshsig import sign_bytes
from tasks.verification.evidence import RECIPE, evidence, write_evidence
from tests.unit.tasks.signing.openssh import needs_ssh_keygen

GUIDE = Path(__file__).resolve().parents[4] / "docs" / "guide-auditor.md"


def unpacked(content: bytes, folder: Path) -> Path:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # 3.11.4 and newer
        archive.extractall(folder / "unpacked")
    (top,) = (folder / "unpacked").iterdir()
    return top


def by_the_recipe(world, folder: Path) -> bool:
    """In a shell that knows nothing but where the auditor's two files are."""
    (recipe,) = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    environment = {"PATH": os.environ["PATH"], "SIGNERS": str(world.home.signers), "LEDGER": str(world.home.keys / "ledger.pub")}
    left = folder.parent.parent / "temporary"
    left.mkdir(exist_ok=True)
    environment["TMPDIR"] = str(left)
    ended = subprocess.run(["sh", "-c", recipe], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert list(left.iterdir()) == []
    assert ended.returncode != 0 or ended.stdout.endswith("All of it holds.\n")
    return ended.returncode == 0


def test_the_recipe_of_the_guide_is_the_one_in_the_archive_and_is_short(world, tmp_path: Path) -> None:
    world.seal()
    (recipe,) = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert recipe == RECIPE == (unpacked(evidence(world.home, world.ledger, "release-1"), tmp_path) / "verify.sh").read_text()
    assert len(recipe.splitlines()) < 20
    tools = set(re.findall(r"\b(jq|python3?|openssl|awk|perl|curl|headgate verify)\b", recipe))
    assert tools == set()


@needs_ssh_keygen
@pytest.mark.slow
@pytest.mark.parametrize("end", ["published", "withdrawn", "changed", "rejected", "waiting"])
def test_an_archive_holds_by_the_recipe_whatever_became_of_the_release(world, tmp_path: Path, end: str) -> None:
    world.seal()  # another release between the events
    candidate = world.seal()
    if end in ("published", "withdrawn"):
        world.approve(candidate, "ann", "bob")
        world.publish(candidate)
    if end == "withdrawn":
        withdraw(world.home, world.ledger, candidate.id, world.keys["cyd"], "a wrong column")
    if end == "rejected":
        reject(world.home, world.ledger, candidate.id, world.keys["bob"], "too fine")
    if end == "changed":
        request_changes(world.home, world.ledger, candidate.id, world.keys["bob"], "coarser")
    folder = unpacked(evidence(world.home, world.ledger, candidate.id[:10]), tmp_path)
    reasons = sorted(path.read_text().split("\n", 1)[1] for path in folder.glob("signed/*.reason"))
    assert (
        reasons
        == {
            "published": ["read the report"] * 2,
            "withdrawn": ["a wrong column", "read the report", "read the report"],
            "changed": ["coarser"],
            "rejected": ["too fine"],
            "waiting": [],
        }[end]
    )
    assert (folder / "attestation.sig").exists() is (end in ("published", "withdrawn"))
    assert by_the_recipe(world, folder)


@needs_ssh_keygen
def test_a_run_that_ended_without_a_candidate_has_its_events_proven(world, tmp_path: Path) -> None:
    candidate = world.seal()
    base = {"release_id": "release-9", "at": world.ledger.now().isoformat()}
    begun = RunStarted(**base, dataset="people", policy_digest="a" * 64, runner=candidate.manifest.runner, product="headgate")
    world.ledger.append("release-9", (begun, RunFailed(**base, step="ingest", error="InputRejected", code=2)), 0, "runner")
    folder = unpacked(evidence(world.home, world.ledger, "release-9"), tmp_path)
    assert by_the_recipe(world, folder)
    (folder / "head.json").write_bytes((folder / "head.json").read_bytes().replace(b"release-9", b"release-8"))
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
def test_a_run_that_somebody_gave_up_has_that_decision_proven_too(world, tmp_path: Path) -> None:
    candidate = world.seal()
    base = {"release_id": "release-9", "at": world.ledger.now().isoformat()}
    begun = RunStarted(**base, dataset="people", policy_digest="a" * 64, runner=candidate.manifest.runner, product="headgate")
    world.ledger.append("release-9", (begun,), 0, "runner")
    abandon(world.home, world.ledger, "release-9", world.keys["runner"], "the machine is gone")
    folder = unpacked(evidence(world.home, world.ledger, "release-9"), tmp_path)
    assert by_the_recipe(world, folder)
    (reason,) = folder.glob("signed/*.reason")
    reason.write_bytes(reason.read_bytes() + b"!")
    assert not by_the_recipe(world, folder)


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
    last = None
    for event, actor in zip(events, actors, strict=True):
        last = entry_after(last, last, event, actor)
        (folder / "events" / f"{last.seq:08}").write_bytes(entry_bytes(last))
    head, signature = signed_head(last, ledger_key(world.home.keys))
    for path, content in {"head.json": head, **detached_files("head.dsse.json", signature)}.items():
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


def test_the_same_release_gives_the_same_bytes(world, tmp_path: Path) -> None:
    made = world.published()
    first = evidence(world.home, world.ledger, "release-1")
    assert write_evidence(world.home, world.ledger, made.release.candidate, tmp_path / "it.tar.gz").read_bytes() == first
    world.published()
    assert evidence(world.home, world.ledger, "release-1") != first  # it was superseded


def test_what_does_not_hold_is_not_exported(world) -> None:
    made = world.published()
    path = min(decisions_folder(world.home, made.release.candidate).glob("*.reason"))
    path.write_bytes(path.read_bytes() + b"!")
    with pytest.raises(IntegrityBroken, match="not the one that was signed"):
        evidence(world.home, world.ledger, "release-1")


def test_votes_that_are_hidden_are_in_no_archive(world) -> None:
    candidate = world.seal(blind=True)
    world.approve(candidate, "ann")
    with pytest.raises(TransitionRefused, match="nobody is shown the votes before it is decided"):
        evidence(world.home, world.ledger, candidate.id)
    world.approve(candidate, "bob")
    assert evidence(world.home, world.ledger, candidate.id)
