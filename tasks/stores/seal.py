"""A candidate: a folder under the digest of its manifest, signed by its runner. What was read there is what will be released."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from headgate.core.errors import Defect, InputRejected, IntegrityBroken, StoreUnavailable
from headgate.core.published_form.file_parts import TABLES
from policies.gates.figures import TableFigures
from policies.sealed.manifest import FileEntry, Manifest
from tasks.runtime.boundary import reason_of
from tasks.signing.canonical import is_canonical
from tasks.signing.detached import ENVELOPE, SIGNATURE, SIGNED, detached_paths
from tasks.signing.keys import PrivateKey
from tasks.signing.registration import REGISTRATION, check_registration
from tasks.signing.signatures import CANDIDATE, Signed, sign_statement, statement, verify_envelope
from tasks.stores.files import check_files, file_entry, list_files, place_folder, plain_path, read_file, remove_folder, write_file

MANIFEST = "manifest.json"
MANIFEST_SIGNATURE = "manifest.dsse.json"
SHORTEST_PREFIX = 8
DATAPACKAGE, REPORT, PAGE, EXPECTATIONS = "datapackage.json", "report.html", "page.json", "expectations.json"
DDI_CODEBOOK, CROISSANT = "ddi.xml", "croissant.json"  # where the policy publishes one
CHANGES_FILE = "changes.json"  # of the version that was published last at this target, where there is one
MEASURED = ("csv", "parquet")  # endings of the files of a table from which claims are measured
LABELLED_ENDINGS = {"spss": "sav", "stata": "dta"}  # and of those that are written from them, by format
SIGNERS_FILE = "signers"  # of a policy that has its own
CHANGED = "Find out who else can write in the home, and run the release again."
# Names that publication adds beside the sealed files.
RESERVED = frozenset(
    {MANIFEST, "head.json", "events.jsonl", "approvals", "withdrawn.json"}
    | {name + form for name in ("manifest", "head", "attestation") for form in (ENVELOPE, SIGNED, SIGNATURE)}
)


@dataclass(frozen=True)
class Candidate:
    """A sealed candidate whose every byte has been checked."""

    id: str
    folder: Path
    manifest: Manifest
    manifest_bytes: bytes
    manifest_envelope: bytes


def seal(candidates: Path, staged: Path, manifest: Manifest, key: PrivateKey, examined: Mapping[str, str], home: str) -> Candidate:
    """Hashes every file of `staged` into the manifest, signs it for this `home` and renames the folder to candidates/<digest of the
    manifest>. Every file must have been `examined`, and have the SHA-256 that it had then.

    The same bytes sealed again are the same candidate; a candidate is never written over."""
    if key.fingerprint != manifest.sealed_by:
        raise Defect("The manifest names another runner than the key that seals it.", "This is a defect of headgate; please report it.")
    names = list_files(staged)
    for name in names:
        if name.split("/")[0] in RESERVED:
            raise Defect(f"{name} is a reserved name.", "Write that file under another name.")
    entries = {name: file_entry(staged, name) for name in names}
    _require_examined(entries, examined)
    sealed = manifest.model_copy(update={"files": tuple(entries.values())})
    _require_declared(sealed)
    content = manifest_bytes(sealed)
    digest = hashlib.sha256(content).hexdigest()
    about = {"dataset": sealed.dataset, "release": sealed.release_id, "policy": sealed.policy_digest, "home": home}
    said = statement({MANIFEST: digest}, CANDIDATE, about)
    envelope = sign_statement(said, key)
    try:
        for name in names:
            _settle(staged / name)
        write_file(staged, MANIFEST, content)
        write_file(staged, MANIFEST_SIGNATURE, envelope)
        if place_folder(staged, candidates / digest):
            return Candidate(digest, candidates / digest, sealed, content, envelope)
        remove_folder(staged)
    except OSError as problem:
        raise StoreUnavailable(
            f"The candidate could not be written ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None
    return load_sealed(candidates, digest)


def _require_examined(entries: Mapping[str, FileEntry], examined: Mapping[str, str]) -> None:
    """All files, and nothing of what was examined has changed since."""
    unexamined = [name for name in entries if name not in examined]
    if unexamined:
        raise IntegrityBroken(f"{unexamined[0]} has not been examined.", CHANGED)
    changed = sorted(path for path, digest in examined.items() if path not in entries or entries[path].sha256 != digest)
    if changed:
        raise IntegrityBroken(f"{changed[0]} was changed after it had been examined.", CHANGED)


def table_files(table: TableFigures) -> frozenset[str]:
    """The names that the files of a table may have. What is written for statistics programs is never in parts."""
    measured = (path for ending in MEASURED for path in table.paths(ending))
    return frozenset({*measured, *(f"{TABLES}{table.name}.{ending}" for ending in LABELLED_ENDINGS.values())})


def declared_files(manifest: Manifest) -> frozenset[str]:
    """The names that the files of a candidate may have: any other file holds something about which nothing is claimed."""
    tables = {path for table in manifest.tables for path in table_files(table)}
    registered = {REGISTRATION, *detached_paths(REGISTRATION)} if manifest.machine else ()
    return frozenset({*tables, DATAPACKAGE, DDI_CODEBOOK, CROISSANT, CHANGES_FILE, REPORT, PAGE, EXPECTATIONS, SIGNERS_FILE, *registered})


def _require_declared(manifest: Manifest) -> None:
    declared = declared_files(manifest)
    undeclared = [entry.path for entry in manifest.files if entry.path not in declared]
    if undeclared:
        raise IntegrityBroken(f"{undeclared[0]} is a file about which the manifest claims nothing.", "Run the release again.")


def manifest_bytes(manifest: Manifest) -> bytes:
    """Canonical JSON (RFC 8785): written once, then only ever read as bytes."""
    import rfc8785

    try:
        return bytes(rfc8785.dumps(manifest.model_dump(mode="json")))
    except rfc8785.CanonicalizationError:
        raise Defect(
            "A figure of the manifest cannot be written as exact JSON.", "This is a defect of headgate; please report it."
        ) from None


def read_manifest(content: bytes) -> Manifest:
    """A manifest as stored; a stranger's may be of any form, and one of another form is refused."""
    manifest = _parsed(content)
    if not is_canonical(content):
        raise IntegrityBroken(f"{MANIFEST} is not in canonical form: two readers could take it differently.", "Fetch the folder again.")
    return manifest


def _parsed(content: bytes) -> Manifest:
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as problem:
        place = ".".join(str(part) for part in problem.errors(include_url=False, include_input=False)[0]["loc"][:2])
        raise IntegrityBroken(
            f"{MANIFEST} is not a manifest this version reads (at {place if plain_path(place) else 'its start'}).",
            "Fetch the folder again, or use the version of headgate it names in `product`.",
        ) from None
    paths = [entry.path for entry in manifest.files]
    if len(set(paths)) != len(paths) or not all(plain_path(path) and path.split("/")[0] not in RESERVED for path in paths):
        raise IntegrityBroken(f"{MANIFEST} lists a file twice, under an unsafe name, or outside the folder.", "Fetch the folder again.")
    _require_declared(manifest)
    return manifest


def load_candidate(candidates: Path, prefix: str) -> Candidate:
    """The one candidate whose id begins with `prefix` (at least 8 hexadecimal digits), with every file hashed again."""
    return load_sealed(candidates, find_candidate(candidates, prefix))


def find_candidate(candidates: Path, prefix: str) -> str:
    """The whole id that a prefix means, if it means exactly one."""
    wanted = prefix.strip().lower()
    if not re.fullmatch(rf"[0-9a-f]{{{SHORTEST_PREFIX},64}}", wanted):
        raise InputRejected(f"A candidate is named by at least {SHORTEST_PREFIX} hexadecimal digits of its id.", "See `headgate releases`.")
    try:
        matching = sorted(name for name in os.listdir(candidates) if re.fullmatch("[0-9a-f]{64}", name) and name.startswith(wanted))
    except OSError as problem:
        raise StoreUnavailable(f"{candidates} cannot be read ({reason_of(problem)}).", "Check HEADGATE_HOME and its permissions.") from None
    if not matching:
        raise InputRejected(
            f"No candidate in {candidates} has an id that begins with {wanted}.", "See `headgate releases`, and check HEADGATE_HOME."
        )
    if len(matching) > 1:
        raise InputRejected(f"{len(matching)} candidates' ids begin with {wanted}.", "Give more digits.")
    return matching[0]


def load_sealed(candidates: Path, digest: str, recorded: bool = False) -> Candidate:
    """`recorded`: the ledger's chain holds this digest, so its manifest was in canonical form when it was sealed."""
    folder = candidates / digest
    if folder.is_symlink():
        raise IntegrityBroken(f"Candidate {digest[:12]} is a link.", "Run the release again.")
    content = read_file(folder, MANIFEST).content
    if hashlib.sha256(content).hexdigest() != digest:
        raise IntegrityBroken(f"The manifest of candidate {digest[:12]} was changed: its digest is not its id.", "Run the release again.")
    manifest = _parsed(content) if recorded else read_manifest(content)
    envelope = read_file(folder, MANIFEST_SIGNATURE).content
    check_manifest_signature(manifest, digest, envelope)
    check_files(folder, manifest.files, (MANIFEST, MANIFEST_SIGNATURE))
    if manifest.machine:
        check_registration(read_file(folder, REGISTRATION).content, manifest)
    return Candidate(digest, folder, manifest, content, envelope)


def sealed_manifest(candidates: Path, digest: str) -> Manifest:
    """What a candidate of the ledger's chain says; of its files none is looked at."""
    content = read_file(candidates / digest, MANIFEST).content
    if (candidates / digest).is_symlink() or hashlib.sha256(content).hexdigest() != digest:
        raise IntegrityBroken(f"The manifest of candidate {digest[:12]} was changed: its digest is not its id.", "Run the release again.")
    return _parsed(content)


def sealed_for(envelope: bytes, home: str) -> bool:
    """Whether whoever signed a manifest did so for this home, or before seals named one."""
    said = verify_envelope(envelope, MANIFEST_SIGNATURE, CANDIDATE).statement
    return bool(said.predicate.get("home", home) == home)


def check_manifest_signature(manifest: Manifest, digest: str, envelope: bytes) -> Signed:
    """What the runner named in the manifest, or the machine that ran it on a schedule, signed: this manifest and no other."""
    signed = verify_envelope(envelope, MANIFEST_SIGNATURE, CANDIDATE)
    if signed.statement.digests != {MANIFEST: digest}:
        raise IntegrityBroken("The runner's signature is over another manifest.", "Run the release again.")
    if signed.fingerprint != manifest.sealed_by:
        raise IntegrityBroken("The manifest is signed by another key than the runner's that it names.", "Run the release again.")
    return signed


def _settle(path: Path) -> None:
    """On disk, and no longer to be written."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    path.chmod(0o444)
