"""The signers in force and the keys that no longer count, as the files stand at one moment."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from headgate.core.errors import InputRejected
from tasks.runtime.trusted_files import read_trusted
from tasks.signing.public_keys import PublicKey
from tasks.signing.revocation import Revoked, revoked_from
from tasks.signing.signers_file import EXAMPLE, NAMESPACE, SignerEntry, signers_from_text


@dataclass(frozen=True)
class TrustRoots:
    entries: tuple[SignerEntry, ...]
    revoked: Revoked
    digest: str
    own: frozenset[str] = frozenset()  # fingerprints of the home's keys, which anybody who uses the home could sign with

    def why_not(self, fingerprint: str, principal: str, moment: datetime) -> str:
        """Empty if this key may speak for this principal at that moment; else the reason, as the end of a sentence."""
        if fingerprint in self.own:
            return "is the home's own and speaks for nobody"
        lines = [entry for entry in self.entries if entry.fingerprint == fingerprint]
        if fingerprint in self.revoked.fingerprints or any(self.revoked.holds(entry.key.blob) for entry in lines):
            return "is revoked"
        lines = [entry for entry in lines if entry.principal == principal]
        if not lines:
            return "is not on the list of signers"
        if not any(entry.for_headgate for entry in lines):
            return f"is not listed for the namespace {NAMESPACE}"
        if not any(entry.for_headgate and entry.valid_at(moment) for entry in lines):
            return f"was not valid at {moment:%Y-%m-%d %H:%M:%S}Z"
        return ""

    def people(self, moment: datetime) -> tuple[str, ...]:
        """Everyone with a key that counts at that moment, once each."""
        return tuple(sorted({entry.principal for entry in self.entries if not self.why_not(entry.fingerprint, entry.principal, moment)}))

    def sealed(self, moment: datetime, ran: Collection[str]) -> tuple[tuple[str, str], ...]:
        """(principal, fingerprint) of every key that counts at that moment, in a fixed order: what a manifest holds. The keys that ran the
        release are always among them, so that who had them is known."""
        counting = {
            (entry.principal, entry.fingerprint)
            for entry in self.entries
            if entry.fingerprint in ran or not self.why_not(entry.fingerprint, entry.principal, moment)
        }
        return tuple(sorted(counting))

    def principal_of(self, fingerprint: str) -> str | None:
        return next((entry.principal for entry in self.entries if entry.fingerprint == fingerprint), None)

    def revokes(self, key: PublicKey) -> bool:
        return self.revoked.holds(key.blob)


def trust_roots(signers: Path, revoked: Path, own: frozenset[str] = frozenset()) -> TrustRoots:
    """The trust roots as the files are now."""
    entries, digest = read_signers(signers)
    return TrustRoots(entries, read_revoked(revoked), digest, own)


def read_signers(path: Path) -> tuple[tuple[SignerEntry, ...], str]:
    """The entries of a file and the SHA-256 of its bytes."""
    content = read_trusted(path)
    if content is None:
        raise InputRejected(f"The signers file {path} does not exist.", EXAMPLE)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputRejected(f"{path} is not text.", EXAMPLE) from None
    return signers_from_text(text, str(path)), hashlib.sha256(content).hexdigest()


def read_revoked(path: Path) -> Revoked:
    """Nobody is revoked where the file doesn't exist; a file that cannot be read refuses everything."""
    content = read_trusted(path)
    return Revoked() if content is None else revoked_from(content, str(path))
