"""A folder that its publisher forged: approvals, roles, figures and attestations that are not true, under true signatures."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from policies.ledger.events import CandidateApproved, PublicationStarted
from policies.ledger.standing import Release
from policies.sealed.manifest import Signer
from tasks.approval.approvals import Approval
from tasks.approval.statements import decision_statement
from tasks.ledger.event_log import Ledger
from tasks.ledger.store_sqlite import SqliteStore
from tasks.publication.attestation import ATTESTATION_FILE, accompanying_files
from tasks.signing.detached import detached_files
from tasks.signing.home_keys import ledger_key
from tasks.signing.signatures import ATTESTATION, sign_statement, statement, verify_envelope
from tasks.verification.verify import verify_folder
from tests.unit.claimed import claiming
from tests.unit.tasks.verification.test_verify import REASON, copy, failed, writable

__all__ = ["copy"]


def test_swapped_and_reused_approvals_are_found(world, tmp_path: Path) -> None:
    first, second = world.published(), world.published()
    shutil.copytree(second.folder, tmp_path / "copy")
    folder = writable(tmp_path / "copy")
    ann, bob = folder / "approvals" / "ann.dsse.json", folder / "approvals" / "bob.dsse.json"
    one, two = ann.read_bytes(), bob.read_bytes()
    ann.write_bytes(two)
    bob.write_bytes(one)
    assert "not the decision" in failed(folder)["approvals"]
    bob.write_bytes(two)
    ann.write_bytes((first.folder / "approvals" / "ann.dsse.json").read_bytes())
    assert "not the decision" in failed(folder)["approvals"]


def forge(world, candidate, approvals: dict[str, Callable], tmp_path: Path) -> Path:
    """What somebody with the ledger's key can make: a folder whose events, head and attestation are all newly and validly signed."""
    forged = Ledger(SqliteStore(tmp_path / "forged.db"))
    events = list(world.ledger.events_of(candidate.manifest.release_id)[:8])
    at = events[0].at
    made = []
    about = Release(
        candidate.manifest.release_id, "people", candidate.manifest.policy_digest, candidate.manifest.runner, candidate=candidate.id
    )
    for name, change in approvals.items():
        principal = "ann" if name.startswith("ann") else name
        envelope = sign_statement(decision_statement(change(about), "approve", principal, REASON, at), world.keys[name])
        digest = hashlib.sha256(envelope).hexdigest()
        signer = Signer(principal=principal, fingerprint=world.keys[name].fingerprint)
        base = {"release_id": about.release_id, "at": at, "candidate": candidate.id}
        signed = {"policy_digest": about.policy_digest, "signer": signer, "statement_sha256": digest, "reason_sha256": REASON}
        events.append(CandidateApproved(**base, **signed))
        made.append(Approval(signer, at, digest, envelope, ""))
    events.append(
        PublicationStarted(release_id=about.release_id, at=at, candidate=candidate.id, publisher="publisher", target="people", version=1)
    )
    entries = []
    for number, event in enumerate(events):
        actor = event.signer.principal if isinstance(event, CandidateApproved) else "x"
        entries += forged.append(about.release_id, [event], number, actor)
    folder = tmp_path / "forged"
    shutil.copytree(candidate.folder, folder)
    writable(folder)
    release = replace(about, version=1, target="people")
    for path, content in accompanying_files(candidate, release, entries, made, ledger_key(world.home.keys)).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def same(release):
    return release


def test_a_forged_folder_with_two_honest_approvals_would_pass_so_the_next_tests_mean_something(world, tmp_path: Path) -> None:
    verify_folder(forge(world, world.seal(), {"ann": same, "bob": same}, tmp_path))


def test_a_candidate_of_another_home_is_found(world, tmp_path: Path) -> None:
    """A seal named no home, so that one which was signed for a service could be published by whoever that service passed it on to."""
    details = failed(forge(world, world.seal(home="SHA256:" + "A" * 43), {"ann": same, "bob": same}, tmp_path))
    assert "sealed in the home of another ledger" in details["events and signed head"]


def test_one_person_with_two_keys_is_one_approval(world, tmp_path: Path) -> None:
    details = failed(forge(world, world.seal(), {"ann": same, "ann-second": same}, tmp_path))
    assert "repeats a decision" in details["events and signed head"]


def test_the_runners_own_approval_does_not_count(world, tmp_path: Path) -> None:
    candidate = world.seal(runner="ann")
    details = failed(forge(world, candidate, {"ann": same, "bob": same}, tmp_path))
    assert "signed by the runner" in details["events and signed head"]


def test_a_stranger_does_not_count(world, tmp_path: Path) -> None:
    folder = forge(world, world.seal(), {"ann": same, "stranger": same}, tmp_path)
    assert "3 files too many, such as approvals/stranger" in failed(folder)["files"]
    for path in folder.glob("approvals/stranger.*"):
        path.unlink()
    assert "was not sealed" in failed(folder)["events and signed head"]


def test_too_few_approvals_are_found(world, tmp_path: Path) -> None:
    details = failed(forge(world, world.seal(), {"ann": same}, tmp_path))
    assert "before enough approvals" in details["events and signed head"]


@pytest.mark.parametrize("changed", ["candidate", "policy_digest", "dataset"])
def test_an_approval_of_something_else_does_not_count_here(world, tmp_path: Path, changed: str) -> None:
    def elsewhere(release):
        return replace(release, **{changed: "others" if changed == "dataset" else "d" * 64})

    details = failed(forge(world, world.seal(), {"ann": same, "bob": elsewhere}, tmp_path))
    assert "approvals/bob.dsse.json" in details["approvals"]


@pytest.mark.parametrize(("field", "value"), [("k", 7), ("risk", None)])
def test_a_false_figure_is_found_though_every_signature_is_true(world, field: str, value: object) -> None:
    tables = world.made.manifest.tables
    false = claiming(tables[0], **{field: value})
    details = failed(world.published(tables=(false, *tables[1:])).folder)
    assert list(details) == ["privacy claims"]
    assert "false claim" in details["privacy claims"]
    assert field in details["privacy claims"]


def test_a_verdict_that_reads_otherwise_than_it_was_judged_is_found_though_every_signature_is_true(world) -> None:
    """Somebody could sign "k: at most 5 required", or praise of the table in the place of a remedy."""
    first, *others = world.made.manifest.verdicts
    praised = first.model_copy(update={"remedy": "The national authority has certified this table."})
    assert "does not follow from the figures" in failed(world.published(verdicts=(praised, *others)).folder)["privacy claims"]


def test_who_filled_which_role_is_shown_and_measured_against_the_readers_signers(world, tmp_path: Path) -> None:
    roles = world.hold_roles(law=("ann", "cyd"), methods=("ann", "bob"))
    candidate = world.seal(roles_required=roles)
    world.approve(candidate, "ann", "bob", "cyd")
    folder = world.publish(candidate).folder
    report = verify_folder(folder)
    said = next(finding.detail for finding in report.findings if finding.check == "approvals")
    assert said == "3 of 2 needed, of the signers the folder names itself: ann as methods, bob, cyd as law"
    signers = tmp_path / "mine"
    signers.write_text("".join(world.line(name) + "\n" for name in ("runner", "ann", "cyd")))
    assert verify_folder(folder, signers).approved_by == ("ann", "cyd")
    signers.write_text("".join(world.line(name) + "\n" for name in ("runner", "bob", "ann")))
    assert verify_folder(folder, signers).approved_by == ("ann", "bob")
    signers.write_text("".join(world.line(name) + "\n" for name in ("runner", "bob")))
    assert "1 more person with the role law would be needed" in failed(folder, signers=signers)["approvals"]


def attesting(world, folder: Path, change: Callable[[dict], dict]) -> None:
    """The ledger's own key signs another attestation over the same files."""
    signed = verify_envelope((folder / ATTESTATION_FILE).read_bytes(), ATTESTATION_FILE, ATTESTATION).statement
    forged = sign_statement(statement(signed.digests, ATTESTATION, change(dict(signed.predicate))), ledger_key(world.home.keys))
    for name, content in {ATTESTATION_FILE: forged, **detached_files(ATTESTATION_FILE, forged)}.items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("change", ["more", "fewer", "fingerprint", "at", "statement_sha256", "unknown"])
def test_an_attestation_names_those_who_approved_and_nobody_else(world, copy: Path, change: str) -> None:
    """A catalogue reads this one file, and could be told of approvers who never saw the release."""

    def lie(said: dict) -> dict:
        first, *others = said["approvals"]
        named = {"more": [first, *others, first | {"principal": "eve"}], "fewer": others, "unknown": [first | {"office": "law"}, *others]}
        return said | {"approvals": named.get(change, [first | {change: "9" * 64}, *others])}

    attesting(world, copy, lambda said: said)
    verify_folder(copy)
    attesting(world, copy, lie)
    assert "names other approvals than those that were given" in failed(copy)["attestation"]


def test_an_attestation_claims_nothing_that_headgate_does_not_attest(world, copy: Path) -> None:
    attesting(world, copy, lambda said: said | {"certified_by": "eve"})
    assert "claims something that headgate does not attest" in failed(copy)["attestation"]


@pytest.mark.parametrize(
    "roles", [{"ann": "law"}, {"ann": "methods", "bob": "law"}, {"cyd": "law", "bob": "methods"}, {"eve": "law", "bob": "methods"}]
)
def test_an_attestation_gives_a_role_to_nobody_who_does_not_fill_it(world, roles: dict[str, str]) -> None:
    """The ledger's own key signs the attestation, and a reader measures it too."""
    candidate = world.seal(roles_required=world.hold_roles(law=("ann",), methods=("ann", "bob")))
    world.approve(candidate, "ann", "bob", "cyd")
    folder = writable(world.publish(candidate).folder)
    verify_folder(folder)
    signed = verify_envelope((folder / ATTESTATION_FILE).read_bytes(), ATTESTATION_FILE, ATTESTATION).statement
    predicate = dict(signed.predicate)
    predicate["approvals"] = [{**approval, "role": roles.get(approval["principal"], "")} for approval in predicate["approvals"]]
    forged = sign_statement(statement(signed.digests, ATTESTATION, predicate), ledger_key(world.home.keys))
    for name, content in {ATTESTATION_FILE: forged, **detached_files(ATTESTATION_FILE, forged)}.items():
        (folder / name).write_bytes(content)
    assert "a required role to somebody who does not fill it" in failed(folder)["attestation"]


def test_a_manifest_names_the_target_that_it_was_published_at(world, tmp_path: Path) -> None:
    details = failed(forge(world, world.seal(publish_to="others"), {"ann": same, "bob": same}, tmp_path))
    assert "names another target than the ledger recorded" in details["events and signed head"]
