"""What a backup says of itself: everything that is in it by its hash, up to which event, and the ledger's signature over that.

A backup is two files in `backups/`: NAME.json, and NAME.dsse.json, which is written last. Without the second one it is none.
"""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.words.frozen import Frozen
from tasks.signing.canonical import is_canonical
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import BACKUP, Signed, sign_statement, statement, verify_envelope

SUBJECT = "backup"
OTHER = "Use another backup of the target, or another copy of it."
PART = re.compile(r"[^\x00-\x1f\x7f/\\.][^\x00-\x1f\x7f/\\]{0,254}")
NAME = re.compile(r"(?P<stamp>[0-9]{8}T[0-9]{6}Z)-(?P<seq>[0-9]+)-(?P<number>[0-9]+)")

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class BackedFile(Frozen):
    """`path`: in the home. `stamp`: of its last change, as the backup saw it; the next one reads no file again that has the same."""

    path: str
    sha256: Sha256
    bytes: Count
    mode: Annotated[int, Field(ge=0, le=0o777)]
    stamp: str = ""


class BackedLink(Frozen):
    """`latest` of a published series, and the version that it names."""

    path: str
    target: Annotated[str, Field(pattern="^[1-9][0-9]{0,8}$")]


class Segment(Frozen):
    """Events `first` to `last` of the ledger, one JSON object per line; `hash` is that of the last."""

    first: Annotated[int, Field(ge=1)]
    last: Annotated[int, Field(ge=1)]
    hash: Sha256
    sha256: Sha256
    bytes: Count


class SealedKeys(Frozen):
    """The home's private keys in an age file. `mark`: a hash of them under the ledger's secret, so that the next backup knows whether they
    are the same. `recipients`: who can open it."""

    sha256: Sha256
    bytes: Count
    mark: Sha256
    recipients: tuple[str, ...]


class BackupManifest(Frozen):
    """`absent`: what the home needs and the backup does not hold, in sentences."""

    form: Literal[1] = 1
    product: str
    home: str
    at: str
    seq: Count
    hash: Sha256
    segments: tuple[Segment, ...]
    files: tuple[BackedFile, ...]
    links: tuple[BackedLink, ...]
    keys: SealedKeys
    absent: tuple[str, ...]

    @property
    def objects(self) -> dict[str, int]:
        """Everything that it refers to: the bytes of each by its hash."""
        parts: tuple[Segment | BackedFile | SealedKeys, ...] = (*self.segments, *self.files, self.keys)
        return {part.sha256: part.bytes for part in parts}


def safe_path(path: str) -> bool:
    """Inside the home, and in one spelling."""
    parts = path.split("/")
    return len(parts) <= 24 and all(PART.fullmatch(part) and part.isprintable() for part in parts)


def written_manifest(manifest: BackupManifest, key: PrivateKey) -> tuple[bytes, bytes]:
    """Its bytes, and the signature over them."""
    import rfc8785

    content = bytes(rfc8785.dumps(manifest.model_dump(mode="json")))
    said = statement(
        {SUBJECT: hashlib.sha256(content).hexdigest()}, BACKUP, {"seq": manifest.seq, "hash": manifest.hash, "at": manifest.at}
    )
    return content, sign_statement(said, key)


def checked_manifest(content: bytes, envelope: bytes, name: str) -> tuple[BackupManifest, Signed]:
    """What the backup of this name says, and the key that signed it: whether that is the home's own is the caller's question."""
    signed = verify_envelope(envelope, f"The signature of backup {name}", BACKUP)
    if signed.statement.digests != {SUBJECT: hashlib.sha256(content).hexdigest()}:
        raise IntegrityBroken(f"The manifest of backup {name} is not the one that was signed.", OTHER)
    try:
        manifest = BackupManifest.model_validate_json(content)
    except ValidationError:
        raise IntegrityBroken(f"The manifest of backup {name} is not one that this version reads.", OTHER) from None
    if not is_canonical(content) or signed.fingerprint != manifest.home:
        raise IntegrityBroken(f"The manifest of backup {name} is not one that its home has signed.", OTHER)
    _require_sound(manifest, name)
    return manifest, signed


def _require_sound(manifest: BackupManifest, name: str) -> None:
    """Every path lies inside, no two are in each other's way, and the segments follow each other up to the head."""
    paths = [*(file.path for file in manifest.files), *(link.path for link in manifest.links)]
    folders = {path.rsplit("/", depth)[0] for path in paths for depth in range(1, path.count("/") + 1)}
    if not all(map(safe_path, paths)) or len(set(paths)) != len(paths) or folders & set(paths):
        raise IntegrityBroken(f"Backup {name} names a file that would lie outside of the home, or twice.", OTHER)
    seq, last = 0, "0" * 64
    for segment in manifest.segments:
        if segment.first != seq + 1 or segment.last < segment.first:
            raise IntegrityBroken(f"The events of backup {name} do not follow each other.", OTHER)
        seq, last = segment.last, segment.hash
    if (seq, last) != (manifest.seq, manifest.hash):
        raise IntegrityBroken(f"The events of backup {name} do not end with its head.", OTHER)
