"""Who may sign: an OpenSSH allowed_signers file, read by rules of our own.

The rules differ from `ssh-keygen -Y verify` where a release needs it: validity is judged at the ledger's time of the signature,
not now; times without a Z are UTC, so that a file means the same everywhere; one principal per line and one per key, because an
approval must count for exactly one person; patterns and certificate authorities are refused for the same reason.
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from headgate.core.errors import InputRejected
from tasks.runtime.boundary import reason_of
from tasks.signing.keys import KEY_TYPE, fingerprint_of, public_blob

NAMESPACE = "headgate"
REVOKED = "revoked_keys"
KEY_TYPES = ("ssh-", "ecdsa-", "sk-")
PRINCIPAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,126}")
EXAMPLE = 'Write one line per person: alice namespaces="headgate" ssh-ed25519 AAAA….'


@dataclass(frozen=True)
class SignerEntry:
    """One line of the file: during this time, this key signs for this principal."""

    principal: str
    fingerprint: str
    public: str
    valid_after: datetime | None = None
    valid_before: datetime | None = None
    namespaces: tuple[str, ...] = ()

    def valid_at(self, moment: datetime) -> bool:
        """From valid-after on, and up to but not at valid-before."""
        return (self.valid_after is None or moment >= self.valid_after) and (self.valid_before is None or moment < self.valid_before)

    @property
    def for_headgate(self) -> bool:
        """Without `namespaces` a key may sign anything; with them, `headgate` must be among them and not excluded."""
        if not self.namespaces:
            return True
        matching = [pattern for pattern in self.namespaces if _matches(pattern.removeprefix("!"), NAMESPACE)]
        return bool(matching) and not any(pattern.startswith("!") for pattern in matching)


@dataclass(frozen=True)
class TrustRoots:
    """The signers in force and the keys that no longer count, as read at one moment."""

    entries: tuple[SignerEntry, ...]
    revoked: frozenset[str]
    digest: str

    def why_not(self, fingerprint: str, principal: str, moment: datetime) -> str:
        """Empty if this key may speak for this principal at that moment; else the reason, as the end of a sentence."""
        if fingerprint in self.revoked:
            return "is revoked"
        lines = [entry for entry in self.entries if entry.fingerprint == fingerprint and entry.principal == principal]
        if not lines:
            return "is not on the list of signers"
        if not any(entry.for_headgate for entry in lines):
            return f"is not listed for the namespace {NAMESPACE}"
        if not any(entry.for_headgate and entry.valid_at(moment) for entry in lines):
            return f"was not valid at {moment:%Y-%m-%d %H:%M:%S}Z"
        return ""

    def principal_of(self, fingerprint: str) -> str | None:
        return next((entry.principal for entry in self.entries if entry.fingerprint == fingerprint), None)


def signers_from_text(text: str, file: str = "signers") -> tuple[SignerEntry, ...]:
    """Every line of an allowed_signers file; a line that is not understood refuses the file, which messages name."""
    entries: list[SignerEntry] = []
    owners: dict[str, str] = {}
    spellings: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{file}, line {number}"
        entry = _entry(line.strip(), place)
        if owners.setdefault(entry.fingerprint, entry.principal) != entry.principal:
            raise InputRejected(f"{place}: this key already belongs to another principal.", "Give every person their own key.")
        if spellings.setdefault(entry.principal.casefold(), entry.principal) != entry.principal:
            raise InputRejected(f"{place}: this principal is spelt in two ways.", "Write a person's name the same way everywhere.")
        entries.append(entry)
    return tuple(entries)


def revoked_from_text(text: str) -> frozenset[str]:
    """Fingerprints of the keys that void every signature: one public key or SHA256:… fingerprint per line."""
    fingerprints: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if re.fullmatch(r"SHA256:[A-Za-z0-9+/]{43}", words[0]):
            fingerprints.add(words[0])
        elif len(words) >= 2 and words[0] == KEY_TYPE:
            fingerprints.add(fingerprint_of(public_blob(words[0], words[1], f"{REVOKED}, line {number}")))
        else:
            raise InputRejected(
                f"{REVOKED}, line {number} is neither a public key nor a fingerprint.", "Write ssh-ed25519 AAAA… or SHA256:…, one per line."
            )
    return frozenset(fingerprints)


def read_signers(path: Path) -> tuple[tuple[SignerEntry, ...], str]:
    """The entries of a file and the SHA-256 of its bytes."""
    content = _read(path)
    if content is None:
        raise InputRejected(f"The signers file {path} does not exist.", EXAMPLE)
    return signers_from_text(_decode(content, path), str(path)), hashlib.sha256(content).hexdigest()


def read_revoked(path: Path) -> frozenset[str]:
    """Nobody is revoked where the file doesn't exist; a file that cannot be read refuses everything."""
    content = _read(path)
    if content is None:
        return frozenset()
    if content.startswith(b"SSHKRL"):
        raise InputRejected(f"{path} is a binary revocation list.", "Write the revoked public keys as text, one per line.")
    return revoked_from_text(_decode(content, path))


def trust_roots(signers: Path, revoked: Path) -> TrustRoots:
    """The trust roots as the files are now."""
    entries, digest = read_signers(signers)
    return TrustRoots(entries, read_revoked(revoked), digest)


def people(entries: Iterable[SignerEntry]) -> tuple[str, ...]:
    """Everyone who could approve, once each."""
    return tuple(sorted({entry.principal for entry in entries if entry.for_headgate}))


def _entry(line: str, place: str) -> SignerEntry:
    words = _words(line, place)
    if words[0].startswith(KEY_TYPES) and words[1:2] and words[1].startswith("AAAA"):
        raise InputRejected(f"{place} names nobody.", "Put the person's name before the key.")
    if len(words) < 3:
        raise InputRejected(f"{place} is not complete.", EXAMPLE)
    principal, *rest = words
    if not PRINCIPAL.fullmatch(principal):
        raise InputRejected(f"{place}: the principal is a pattern, a list or has unsafe characters.", "Name one person per line.")
    options = [] if rest[0].startswith(KEY_TYPES) else _options(rest.pop(0), place)
    if rest and not rest[0].startswith(KEY_TYPES) and "=" in rest[0]:
        raise InputRejected(f"{place} has a blank between its options.", "Separate options by commas, without blanks.")
    if len(rest) < 2:
        raise InputRejected(f"{place} has no public key.", EXAMPLE)
    blob = public_blob(rest[0], rest[1], place)
    after, before, namespaces = _meaning(options, place)
    return SignerEntry(principal, fingerprint_of(blob), f"{KEY_TYPE} {rest[1]}", after, before, namespaces)


def _meaning(options: Sequence[str], place: str) -> tuple[datetime | None, datetime | None, tuple[str, ...]]:
    """From when on and up to when a key counts, and for which namespaces."""
    after = before = None
    namespaces: tuple[str, ...] = ()
    for option in options:
        name, _, value = option.partition("=")
        if name.lower() == "valid-after":
            after = _moment(value, place)
        elif name.lower() == "valid-before":
            before = _moment(value, place)
        elif name.lower() == "namespaces" and value:
            namespaces = tuple(value.split(","))
        elif name.lower() == "cert-authority":
            raise InputRejected(f"{place}: certificate authorities are not accepted.", "List every person's own key.")
        else:
            raise InputRejected(f"{place}: option {name[:40]} is not understood.", "Use namespaces, valid-after and valid-before.")
    return after, before, namespaces


def _words(line: str, place: str) -> list[str]:
    """Split at blanks outside double quotes; the quotes stay."""
    if line.count('"') % 2:
        raise InputRejected(f"{place} has a quote that is not closed.", EXAMPLE)
    return re.findall(r'(?:[^\s"]|"[^"]*")+', line)


def _options(text: str, place: str) -> list[str]:
    parts = re.findall(r'(?:[^,"]|"[^"]*")+', text)
    if ",".join(parts) != text:
        raise InputRejected(f"{place} has an empty option.", EXAMPLE)
    names = [part.partition("=")[0].lower() for part in parts]
    if len(set(names)) != len(names):
        raise InputRejected(f"{place} gives an option twice.", "Keep one of them.")
    return [part.replace('"', "") for part in parts]


def _moment(text: str, place: str) -> datetime:
    digits = text.removesuffix("Z").removesuffix("z")
    layout = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}.get(len(digits))
    try:
        if layout is None or not digits.isascii() or not digits.isdigit():
            raise ValueError
        return datetime.strptime(digits, layout).replace(tzinfo=UTC)
    except ValueError:
        raise InputRejected(f"{place}: the time cannot be read.", "Write YYYYMMDDZ or YYYYMMDDHHMMSSZ.") from None


def _matches(pattern: str, text: str) -> bool:
    wild = "".join(".*" if sign == "*" else "." if sign == "?" else re.escape(sign) for sign in pattern)
    return re.fullmatch(wild, text) is not None


def _read(path: Path) -> bytes | None:
    """A file that everyone may change cannot be a trust root."""
    reason = ""
    try:
        content = path.read_bytes()
        writable = bool(stat.S_IMODE(path.stat().st_mode) & 0o002)
    except FileNotFoundError:
        return None
    except OSError as problem:
        reason = reason_of(problem)
    if reason:
        raise InputRejected(f"{path} cannot be read: {reason}.", "Check the path and its permissions.")
    if writable:
        raise InputRejected(f"Anyone on this machine may change {path}, so it proves nothing.", f"chmod o-w '{path}' and check its lines.")
    return content


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputRejected(f"{path} is not text.", EXAMPLE) from None


def sealed_signers(entries: Sequence[SignerEntry]) -> tuple[tuple[str, str], ...]:
    """(principal, fingerprint) of everyone listed for headgate, in a fixed order: what a manifest holds."""
    return tuple(sorted({(entry.principal, entry.fingerprint) for entry in entries if entry.for_headgate}))
