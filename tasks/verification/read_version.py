"""Reading a stranger's version: its manifest tells which files there are and how large, and nothing else is read."""

from __future__ import annotations

import os
from pathlib import Path

from headgate.core.errors import IntegrityBroken
from headgate.core.units import counted
from policies.sealed.manifest import Manifest
from tasks.ledger.chain import EVENTS_FILE, HEAD_FILE, HEAD_SIGNATURE
from tasks.publication.attestation import ATTESTATION_FILE, approval_path
from tasks.runtime.input_limits import BYTES
from tasks.signing.detached import detached_paths
from tasks.stores.files import KEPT_BYTES, Stored, list_files, look_at_file
from tasks.stores.release_store import WITHDRAWN
from tasks.stores.seal import MANIFEST, MANIFEST_SIGNATURE

AGAIN = "Ask the publisher for the folder again; do not use this one."


def added_files() -> frozenset[str]:
    """What publication adds to the sealed files of every version."""
    envelopes = (MANIFEST_SIGNATURE, HEAD_SIGNATURE, ATTESTATION_FILE)
    return frozenset({MANIFEST, EVENTS_FILE, HEAD_FILE, *envelopes, *(path for name in envelopes for path in detached_paths(name))})


def read_version(folder: Path, manifest: Manifest) -> dict[str, Stored]:
    """Nothing is read if a name or a sealed file's size is not as it should be (IntegrityBroken), or if all is too much (InputRejected)."""
    sealed = {entry.path: entry.bytes for entry in manifest.files}
    approvals = [approval_path(signer.principal) for signer in manifest.signers]
    may_be = {*sealed, *added_files(), WITHDRAWN, *approvals, *(path for name in approvals for path in detached_paths(name))}
    names = list_files(folder)
    extra = [path for path in names if path not in may_be]
    if extra:
        raise IntegrityBroken(f"{counted(len(extra), 'file')} too many, such as {extra[0]}.", AGAIN)
    sizes = {path: os.lstat(folder / path).st_size for path in names}
    changed = [path for path, size in sizes.items() if sealed.get(path, size) != size]
    if changed:
        raise IntegrityBroken(
            f"{counted(len(changed), 'file')} changed since the candidate was sealed, such as {changed[0]}: the size differs.", AGAIN
        )
    BYTES.check(sum(size for size in sizes.values() if size <= KEPT_BYTES), f"{folder.name}, with all its small files,")
    return {path: look_at_file(folder, path, size) for path, size in sizes.items()}
