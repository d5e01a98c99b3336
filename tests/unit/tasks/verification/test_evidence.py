"""The archive, checked as an auditor would: by the recipe of the guide, in a shell, with ssh-keygen and sha256sum."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken, TransitionRefused
from policies.ledger.events import (
    ExpectationsChecked,
    GatesJudged,
    PlanChosen,
    ReleaseRefused,
    RunFailed,
    RunStarted,
    RunTracked,
    SourceIngested,
    TableAnonymized,
)
from tasks.approval.approvals import decisions_folder
from tasks.approval.decisions import reject, request_changes
from tasks.approval.kept_policies import keep_policy
from tasks.approval.operating import abandon
from tasks.publication.withdraw import withdraw
from tasks.reading.references import load_policy
from tasks.verification.cosigned_heads import cosign, read_cosigned
from tasks.verification.evidence import README, RECIPE, evidence, write_evidence
from tests.unit.flows.schedules.test_scheduled_policies import written
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
    revoked = world.home.root / "revoked_keys"
    environment = {
        "PATH": os.environ["PATH"],
        "SIGNERS": str(world.home.signers),
        "REVOKED": str(revoked) if revoked.exists() else "/dev/null",
        "LEDGER": str(world.home.keys / "ledger.pub"),
    }
    left = folder.parent.parent / "temporary"
    left.mkdir(exist_ok=True)
    environment["TMPDIR"] = str(left)
    ended = subprocess.run(["sh", "-c", recipe], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert list(left.iterdir()) == []
    proven = ended.returncode == 0
    assert ended.stdout.splitlines()[-1].startswith("All of it holds." if proven else "NOT PROVEN: something is wrong with ")
    assert ("All of it holds." in ended.stdout) is proven
    return proven


def test_the_recipe_of_the_guide_is_the_one_in_the_archive_and_is_short(world, tmp_path: Path) -> None:
    world.seal()
    (recipe,) = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert recipe == RECIPE == (unpacked(evidence(world.home, world.ledger, "release-1"), tmp_path) / "verify.sh").read_text()
    assert len(recipe.splitlines()) <= 38
    tools = set(re.findall(r"\b(jq|python3?|openssl|awk|perl|curl|cut|wc|headgate verify)\b", recipe))
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
    (folder / "bundle.signed").write_bytes((folder / "bundle.signed").read_bytes().replace(b"release-9", b"release-8"))
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
def test_a_release_that_a_gate_refused_has_its_events_proven_and_its_report_beside_them(world, tmp_path: Path) -> None:
    candidate = world.seal()
    base = {"release_id": "release-9", "at": world.ledger.now().isoformat()}
    events = (
        RunStarted(**base, dataset="people", policy_digest="a" * 64, runner=candidate.manifest.runner, product="headgate"),
        SourceIngested(**base, rows=9, columns=5, source_hmac="b" * 64),
        ExpectationsChecked(**base, direction="inbound", expectations=3, successful=3),
        PlanChosen(**base, method="given", tables=((0,), (1,)), association_loss=0.2, information_exposure=0.1, steps=0),
        TableAnonymized(**base, table=1, groups=10, suppressed=0, reached=True),
        GatesJudged(**base, verdicts=4, passed=3, failed=("linkability",)),
        RunTracked(**base, mlflow_run_id="run"),
        ReleaseRefused(**base, failed=("linkability",)),
    )
    world.ledger.append("release-9", events, 0, "runner")
    (world.home.refused / "release-9").mkdir(parents=True)
    (world.home.refused / "release-9" / "report.html").write_text("figures")
    folder = unpacked(evidence(world.home, world.ledger, "release-9"), tmp_path)
    assert (folder / "report.html").read_text() == "figures"
    assert not (folder / "manifest.json").exists()
    assert by_the_recipe(world, folder)
    (refused,) = [path for path in (folder / "events").iterdir() if b'"event":"refused"' in path.read_bytes()]
    honest = refused.read_bytes()
    refused.write_bytes(honest.replace(b"linkability", b"closeness__"))
    assert not by_the_recipe(world, folder)
    refused.unlink()
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
@pytest.mark.slow
def test_the_policy_lies_in_the_archive_as_it_was_and_is_the_one_of_the_events_by_the_recipe(world, tmp_path: Path) -> None:
    """Events name it by its digest, and an auditor had to ask for the file; what is published never holds it."""
    (tmp_path / "steward").mkdir()
    loaded = load_policy(written(tmp_path / "steward", "people.yaml", "people", "# why k is 5: see the minutes of March\n"))
    keep_policy(world.home, loaded)
    keep_policy(world.home, loaded)  # it runs again
    world.policy_sha256 = hashlib.sha256(loaded.content).hexdigest()
    published = world.published(policy_digest=loaded.digest)
    loaded.path.write_text("gone")
    folder = unpacked(evidence(world.home, world.ledger, published.release.candidate), tmp_path)
    assert (folder / "policy.yaml").read_bytes() == loaded.content
    assert b"minutes of March" in loaded.content
    assert hashlib.sha256((folder / "policy.json").read_bytes()).hexdigest() == loaded.digest
    assert by_the_recipe(world, folder)
    for name in ("policy.yaml", "policy.json"):
        honest = (folder / name).read_bytes()
        (folder / name).write_bytes(honest.replace(b"5", b"6"))
        assert not by_the_recipe(world, folder)
        (folder / name).unlink()
        assert not by_the_recipe(world, folder)
        (folder / name).write_bytes(honest)
    assert by_the_recipe(world, folder)
    everything = b"".join(path.read_bytes() for path in published.folder.rglob("*") if path.is_file())
    assert b"minutes of March" not in everything
    (kept,) = world.home.policies.glob("*.yaml")
    kept.write_bytes(b"another")
    with pytest.raises(IntegrityBroken, match="was changed"):
        evidence(world.home, world.ledger, published.release.candidate)
    kept.unlink()
    with pytest.raises(IntegrityBroken, match="is missing"):
        evidence(world.home, world.ledger, published.release.candidate)


@needs_ssh_keygen
def test_a_policy_that_no_event_names_does_not_hold_by_the_recipe(world, tmp_path: Path) -> None:
    folder = unpacked(evidence(world.home, world.ledger, world.seal().id), tmp_path)
    assert by_the_recipe(world, folder)
    (folder / "policy.yaml").write_text("schema: 1\n")
    assert not by_the_recipe(world, folder)


@needs_ssh_keygen
def test_cosigned_heads_lie_in_the_archive_and_hold_by_the_recipe(world, tmp_path: Path) -> None:
    candidate = world.seal()
    world.write_signers(*(world.line(name) for name in ("runner", "ann", "bob")), world.line("stranger", "auditor"))
    heads = [cosign(world.ledger, world.keys["stranger"], tmp_path / "head")]
    world.approve(candidate, "ann")
    heads.append(read_cosigned(tmp_path / "head"))
    folder = unpacked(evidence(world.home, world.ledger, candidate.id, cosigned=heads), tmp_path)
    assert sorted(path.name for path in (folder / "cosigned").iterdir()) == [
        f"00000008-{n}.sig{more}" for n in (1, 2) for more in ("", "ned")
    ]
    assert by_the_recipe(world, folder)
    said = folder / "cosigned" / "00000008-1.signed"
    honest = said.read_bytes()
    for forged in (honest.replace(b'"seq":8', b'"seq":7'), (folder / "bundle.signed").read_bytes()):
        said.write_bytes(forged)
        assert not by_the_recipe(world, folder)
    said.write_bytes(honest)
    for ending in (".sig", ".signed"):
        shutil.copy(folder / f"cosigned/00000008-1{ending}", folder / f"cosigned/00000007-1{ending}")  # of another event than it says
    assert not by_the_recipe(world, folder)
    for ending in (".sig", ".signed"):
        (folder / f"cosigned/00000007-1{ending}").unlink()
    world.write_signers(*(world.line(name) for name in ("runner", "ann", "bob")))
    assert not by_the_recipe(world, folder)


def test_a_head_that_does_not_lie_on_the_chain_is_in_no_archive(world, tmp_path: Path) -> None:
    candidate = world.seal()
    signed = cosign(world.ledger, world.keys["stranger"], tmp_path / "head")
    evidence(world.home, world.ledger, candidate.id, cosigned=[signed])
    for change in ({"hash": "0" * 64}, {"seq": 7}, {"release": "release-2"}):
        with pytest.raises(IntegrityBroken, match="does not lie on the chain"):
            evidence(world.home, world.ledger, candidate.id, cosigned=[replace(signed, head=signed.head.model_copy(update=change))])


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


def test_the_archive_names_what_it_does_not_prove() -> None:
    assert "What it does not prove:" in README


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
