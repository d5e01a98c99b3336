from __future__ import annotations

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.publication.attestation import ATTESTATION_FILE, approval_path, check_attestation
from tasks.signing.home_keys import ledger_key
from tasks.signing.signatures import ATTESTATION, verify_envelope
from tasks.stores.files import read_folder
from tasks.stores.seal import load_candidate


@pytest.fixture
def published(world):
    """The manifest, the attestation and the digests of a published version."""
    made = world.published()
    files = read_folder(made.folder)
    attestation = files.pop(ATTESTATION_FILE).content
    digests = {path: file.sha256 for path, file in files.items()}
    return load_candidate(world.home.candidates, made.release.candidate), attestation, digests


def test_it_is_signed_by_the_ledger_and_covers_every_other_file(world, published) -> None:
    candidate, attestation, digests = published
    signed = check_attestation(attestation, digests, candidate.manifest, candidate.id)
    assert signed.fingerprint == ledger_key(world.home.keys).fingerprint
    assert {approval_path("ann"), approval_path("bob"), "manifest.json", "events.jsonl", "head.json"} < set(digests)


def test_it_names_version_target_and_who_approved(published) -> None:
    _, attestation, _ = published
    said = verify_envelope(attestation, ATTESTATION_FILE, ATTESTATION).statement.predicate
    assert (said["version"], said["target"], [approval["principal"] for approval in said["approvals"]]) == (1, "people", ["ann", "bob"])


def test_a_file_more_or_fewer_or_of_other_bytes_is_not_covered(published) -> None:
    candidate, attestation, digests = published
    for wrong in (
        {**digests, "more.txt": "0" * 64},
        {path: digest for path, digest in digests.items() if path != "report.html"},
        {**digests, "report.html": "0" * 64},
    ):
        with pytest.raises(IntegrityBroken, match="does not match the files in this folder"):
            check_attestation(attestation, wrong, candidate.manifest, candidate.id)


@pytest.mark.parametrize("change", [{"title": "Others"}, {"verdicts": ()}, {"approvals_required": 1}, {"policy_digest": "9" * 64}])
def test_it_repeats_the_manifest_or_does_not_hold(published, change: dict[str, object]) -> None:
    candidate, attestation, digests = published
    with pytest.raises(IntegrityBroken, match=next(iter(change))):
        check_attestation(attestation, digests, candidate.manifest.model_copy(update=change), candidate.id)
