"""The home's private keys in a backup: a tar file in the age format, which only the operators' own keys open, with headgate or without.

`age -d -i KEY FILE | tar x` gives them too.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import re
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.backup.backup_manifest import OTHER, safe_path
from tasks.signing.home_keys import LEDGER_SECRET
from tasks.signing.keys import private_openssh, read_key_file
from tasks.signing.public_keys import ED25519, RSA, public_key

AGE = re.compile(r"age1[02-9ac-hj-np-z]{58}")
IDENTITY = re.compile(r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}")
ACCEPTED = "Give an ssh-ed25519 or ssh-rsa public key, or an age recipient (age1…)."


def recipient_of(line: str) -> str:
    """A public key or age recipient in the one form in which it is noted; comments name people and machines."""
    words = line.split()
    if len(words) == 1 and AGE.fullmatch(words[0]):
        return words[0]
    if len(words) >= 2 and words[0] in (ED25519, RSA):
        return public_key(words[0], words[1], "The recipient").line
    raise InputRejected("A recipient of the backup is not a key that keys can be encrypted to.", ACCEPTED)


def recipients_in(file: Path) -> tuple[str, ...]:
    """One per line; lines that begin with # are comments."""
    lines = read_key_file(file, "The recipient").decode("utf-8", "replace").splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not said:
        raise InputRejected(f"{file} names no recipient.", ACCEPTED)
    return tuple(map(recipient_of, said))


def packed(contents: Mapping[str, bytes]) -> bytes:
    """The same contents always give the same bytes."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(contents.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), 0o600
            archive.addfile(member, io.BytesIO(content))
    return whole.getvalue()


def mark_of(archive: bytes, secret: bytes) -> str:
    return hmac.digest(secret, b"headgate backup 1\n" + archive, "sha256").hex()


def sealed_for(archive: bytes, recipients: Sequence[str]) -> bytes:
    import pyrage

    try:
        known: list[Any] = [
            pyrage.x25519.Recipient.from_str(line) if AGE.fullmatch(line) else pyrage.ssh.Recipient.from_str(line) for line in recipients
        ]
    except pyrage.RecipientError:
        raise InputRejected("A recipient of the backup is not a key that keys can be encrypted to.", ACCEPTED) from None
    return bytes(pyrage.encrypt(archive, known))


def opened_with(sealed: bytes, key: Path) -> dict[str, bytes]:
    """The keys by their paths in the home; InputRejected if this key does not open them."""
    import pyrage

    try:
        archive = bytes(pyrage.decrypt(sealed, [_identity(key)]))
    except pyrage.DecryptError:
        raise InputRejected(
            f"{key} does not open the keys of this backup.", "Give the private key of one of its recipients, or restore without keys."
        ) from None
    return _contents(archive)


def _identity(key: Path) -> Any:
    import pyrage

    found = IDENTITY.search(read_key_file(key, "The key").decode("utf-8", "replace"))
    try:
        return pyrage.x25519.Identity.from_str(found[0]) if found else pyrage.ssh.Identity.from_buffer(private_openssh(key))
    except pyrage.IdentityError:
        raise InputRejected(f"{key} is not a key that opens a backup.", "Give the private half of one of its recipients.") from None


def _contents(archive: bytes) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isreg() else None
                if file is None or not safe_path(member.name) or not member.name.startswith("keys/") or member.name in contents:
                    raise _foreign()
                contents[member.name] = file.read()
    except tarfile.TarError:
        raise _foreign() from None
    return contents


def require_marked(contents: Mapping[str, bytes], mark: str) -> None:
    """That they are the keys whose manifest was signed, and not others that somebody encrypted to the same recipient."""
    said = contents.get(f"keys/{LEDGER_SECRET}", b"").decode("ascii", "replace").strip()
    secret = bytes.fromhex(said) if re.fullmatch("[0-9a-f]{64}", said) else b""
    if not hmac.compare_digest(mark_of(packed(contents), secret), mark):
        raise _foreign()


def _foreign() -> IntegrityBroken:
    return IntegrityBroken("The keys of this backup are not those that its manifest was signed with.", OTHER)


def fingerprint_of(recipient: str) -> str:
    """As people compare it."""
    words = recipient.split()
    return words[0] if len(words) == 1 else public_key(words[0], words[1], "The recipient").fingerprint


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
