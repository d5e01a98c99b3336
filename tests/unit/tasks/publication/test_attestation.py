from __future__ import annotations

import copy
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken
from policies.sealed.promise import Promise
from tasks.approval.reasons import kept_reason
from tasks.publication.attestation import ATTESTATION_FILE, approval_path, check_attestation
from tasks.signing.detached import with_detached
from tasks.signing.home_keys import ledger_key
from tasks.signing.signatures import ATTESTATION, sign_statement, statement, verify_envelope
from tasks.stores.files import Stored, read_folder
from tasks.stores.seal import load_candidate
from tests.unit.tasks.signing.openssh import accepted_by_keygen, needs_ssh_keygen


@pytest.fixture
def published(world):
    """The candidate, and the files of its published version."""
    made = world.published()
    return load_candidate(world.home.candidates, made.release.candidate), dict(read_folder(made.folder))


def test_it_is_signed_by_the_ledger_and_covers_every_other_file(world, published) -> None:
    candidate, files = published
    signed = check_attestation(files, candidate.manifest, candidate.id)
    assert signed.fingerprint == ledger_key(world.home.keys).fingerprint
    assert set(signed.statement.digests) == set(files) - {ATTESTATION_FILE, "attestation.signed", "attestation.sig"}
    assert {approval_path("ann"), approval_path("bob"), "manifest.json", "events.jsonl", "head.json"} < set(files)


def test_it_names_version_target_and_who_approved(published) -> None:
    _, files = published
    said = verify_envelope(files[ATTESTATION_FILE].content, ATTESTATION_FILE, ATTESTATION).statement.predicate
    assert (said["version"], said["target"], [approval["principal"] for approval in said["approvals"]]) == (1, "people", ["ann", "bob"])


def test_a_file_more_or_fewer_or_of_other_bytes_is_not_covered(published) -> None:
    candidate, files = published
    for wrong in (
        {**files, "more.txt": Stored("more.txt", b"x")},
        {path: file for path, file in files.items() if path != "report.html"},
        {**files, "report.html": Stored("report.html", b"x")},
    ):
        with pytest.raises(IntegrityBroken, match="does not match the files in this folder"):
            check_attestation(wrong, candidate.manifest, candidate.id)


def test_a_file_beside_an_envelope_that_holds_something_else_does_not_hold(published) -> None:
    """The attestation's own two are covered by no hash: only the comparison finds them changed."""
    candidate, files = published
    for name in ("attestation.signed", "attestation.sig"):
        for wrong in ({**files, name: Stored(name, b"x")}, {path: file for path, file in files.items() if path != name}):
            with pytest.raises(IntegrityBroken, match=f"{name} is missing or is not what {ATTESTATION_FILE} holds"):
                check_attestation(wrong, candidate.manifest, candidate.id)


@pytest.mark.parametrize("change", [{"title": "Others"}, {"verdicts": ()}, {"approvals_required": 1}, {"policy_digest": "9" * 64}])
def test_it_repeats_the_manifest_or_does_not_hold(published, change: dict[str, object]) -> None:
    candidate, files = published
    with pytest.raises(IntegrityBroken, match=next(iter(change))):
        check_attestation(files, candidate.manifest.model_copy(update=change), candidate.id)


def attested(world, files: dict[str, Stored], change) -> dict[str, Stored]:
    """The folder with what the ledger's key would have attested."""
    signed = verify_envelope(files[ATTESTATION_FILE].content, ATTESTATION_FILE, ATTESTATION).statement
    said = copy.deepcopy(dict(signed.predicate))
    change(said)
    envelope = sign_statement(statement(signed.digests, ATTESTATION, said), ledger_key(world.home.keys))
    made = with_detached({ATTESTATION_FILE: envelope})
    return {**files, **{path: Stored(path, content) for path, content in made.items()}}


def test_what_an_earlier_version_attested_without_todays_keys_holds_and_what_it_attested_otherwise_does_not(world, published) -> None:
    """Each key that a promise learned made every folder that was published before "Integrity broken"."""
    candidate, files = published
    defaulted = [name for name, form in Promise.model_fields.items() if not form.is_required()]
    full = candidate.manifest.promise.model_dump(mode="json")
    new = next(name for name in defaulted if full[name] == Promise.model_fields[name].get_default(call_default_factory=True))
    check_attestation(attested(world, files, lambda said: said["promise"].pop(new)), candidate.manifest, candidate.id)
    for change in (lambda said: said["promise"].pop("requirements"), lambda said: said["promise"].update(quasi=[])):
        with pytest.raises(IntegrityBroken, match="promise"):
            check_attestation(attested(world, files, change), candidate.manifest, candidate.id)


def test_no_reason_is_published(world, published) -> None:
    _, files = published
    text = b"read the report"
    assert all(text not in file.content for file in files.values())
    (ann,) = [event for event in world.ledger.events_of("release-1") if event.event == "approved" and event.signer.principal == "ann"]
    assert kept_reason(world.home, ann.candidate, ann.reason_sha256).text.encode() == text


@needs_ssh_keygen
def test_stock_ssh_keygen_takes_every_signature_as_it_lies_there(world, published, tmp_path: Path) -> None:
    _, files = published
    lines = [world.line(name) for name in ("runner", "ann", "bob")]
    ledger = (world.home.keys / "ledger.pub").read_text()
    signers = tmp_path / "signers"
    signers.write_text("".join(line + "\n" for line in lines) + f"ledger {ledger}")
    who = {"manifest": "runner", "head": "ledger", "attestation": "ledger", "approvals/ann": "ann", "approvals/bob": "bob"}
    assert {path.removesuffix(".sig") for path in files if path.endswith(".sig")} == set(who)
    for name, principal in who.items():
        signature = tmp_path / "one.sig"
        signature.write_bytes(files[f"{name}.sig"].content)
        signed = files[f"{name}.signed"].content
        assert accepted_by_keygen(signers, signature, signed, principal)
        assert not accepted_by_keygen(signers, signature, signed + b" ", principal)
