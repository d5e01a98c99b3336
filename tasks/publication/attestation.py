"""What lies beside the data of a published version: the attestation, the approvals, the release's own events and the signed head."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.ledger.standing import Release
from policies.sealed.manifest import Manifest
from tasks.approval.approvals import Approval
from tasks.ledger.chain import EVENTS_FILE, HEAD_FILE, HEAD_SIGNATURE, Entry, entries_to_lines, signed_head
from tasks.signing.detached import ENVELOPE, check_detached, detached_files, detached_paths, with_detached
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import ATTESTATION, Signed, sign_statement, statement, verify_envelope
from tasks.stores.files import Stored
from tasks.stores.release_store import WITHDRAWN
from tasks.stores.seal import MANIFEST, MANIFEST_SIGNATURE, Candidate

ATTESTATION_FILE = "attestation.dsse.json"
APPROVALS = "approvals"
# What no attestation can be about: itself, and what came after it.
WITHOUT = frozenset({ATTESTATION_FILE, *detached_paths(ATTESTATION_FILE), WITHDRAWN})
AGAIN = "Ask the publisher for the folder again."


def approval_path(principal: str) -> str:
    return f"{APPROVALS}/{principal}{ENVELOPE}"


def accompanying_files(
    candidate: Candidate, release: Release, entries: Sequence[Entry], approvals: Sequence[Approval], key: PrivateKey
) -> dict[str, bytes]:
    """Every file that publication adds, the attestation last. `entries` are the release's own, up to the start of its publication;
    `approvals` are those that count."""
    head, head_signature = signed_head(entries[-1], key)
    files = with_detached(
        {
            MANIFEST: candidate.manifest_bytes,
            MANIFEST_SIGNATURE: candidate.manifest_envelope,
            EVENTS_FILE: entries_to_lines(entries).encode(),
            HEAD_FILE: head,
            HEAD_SIGNATURE: head_signature,
            **{approval_path(approval.signer.principal): approval.envelope for approval in approvals},
        }
    )
    subjects = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    subjects.update({entry.path: entry.sha256 for entry in candidate.manifest.files})
    said = statement(subjects, ATTESTATION, _predicate(candidate.manifest, candidate.id, release, approvals))
    envelope = sign_statement(said, key)
    return {**files, **detached_files(ATTESTATION_FILE, envelope), ATTESTATION_FILE: envelope}


def _predicate(manifest: Manifest, candidate: str, release: Release, approvals: Sequence[Approval]) -> dict[str, Any]:
    """Figures, verdicts and approvals, so that a catalogue needs to read this one file only."""
    return {
        **_repeated(manifest, candidate),
        "version": release.version,
        "target": release.target,
        "approvals": [
            {
                **approval.signer.model_dump(mode="json"),
                "role": approval.role,
                "at": approval.at,
                "statement_sha256": approval.sha256,
            }
            for approval in sorted(approvals, key=lambda approval: approval.signer.principal)
        ],
    }


def _repeated(manifest: Manifest, candidate: str) -> dict[str, Any]:
    """What an attestation says again of the manifest, and must say alike."""
    return {
        "candidate": candidate,
        "dataset": manifest.dataset,
        "title": manifest.title,
        "release": manifest.release_id,
        "product": manifest.product,
        "policy_digest": manifest.policy_digest,
        "promise": manifest.promise.model_dump(mode="json"),
        "tables": [figures.model_dump(mode="json") for figures in manifest.tables],
        "verdicts": [verdict.model_dump(mode="json") for verdict in manifest.verdicts],
        "utility": manifest.utility.model_dump(mode="json"),
        "approvals_required": manifest.approvals_required,
        "roles_required": [role.model_dump(mode="json") for role in manifest.roles_required],
    }


NOTHING = object()  # equal to no figure


def _of_today(name: str, said: Mapping[str, Any]) -> Any:
    """What an earlier version attested, with what can be said besides today as it is where nobody says it."""
    known = Manifest.model_fields.get(name)
    if known is None or name not in said:
        return NOTHING
    form: Any = TypeAdapter(cast(Any, known.annotation))
    try:
        return form.dump_python(form.validate_python(said[name]), mode="json")
    except ValidationError:
        return NOTHING


def check_attestation(files: Mapping[str, Stored], manifest: Manifest, candidate: str) -> Signed:
    """That it is about exactly these files, repeats the manifest's figures and verdicts, and that the files beside each envelope, for
    ssh-keygen, hold the same."""
    signed = verify_envelope(files[ATTESTATION_FILE].content, ATTESTATION_FILE, ATTESTATION)
    for path in files:
        if path.endswith(ENVELOPE):
            check_detached(path, {beside: files[beside].content for beside in (path, *detached_paths(path)) if beside in files})
    subjects, digests = signed.statement.digests, {path: file.sha256 for path, file in files.items() if path not in WITHOUT}
    if len(subjects) != len(signed.statement.subject) or subjects != digests:
        raise IntegrityBroken(f"{ATTESTATION_FILE} does not match the files in this folder.", AGAIN)
    said = signed.statement.predicate
    unknown = sorted({*said} - {*_repeated(manifest, candidate), "version", "target", "approvals"})
    if unknown:
        raise IntegrityBroken(f"{ATTESTATION_FILE} claims something that headgate does not attest.", AGAIN)
    wrong = [name for name, value in _repeated(manifest, candidate).items() if value not in (said.get(name), _of_today(name, said))]
    if wrong:
        raise IntegrityBroken(f"{ATTESTATION_FILE} claims something else than the manifest ({wrong[0]}).", AGAIN)
    return signed


def check_place(attestation: Signed, number: int | None, target: str) -> None:
    """That it was signed for this version of this series: an old version must not pass for a new one, nor one series for another."""
    said = attestation.statement.predicate
    if (said.get("version"), said.get("target")) != (number, target):
        raise IntegrityBroken(f"{ATTESTATION_FILE} names another version or target than the one it lies at.", AGAIN)
