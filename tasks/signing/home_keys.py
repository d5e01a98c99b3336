"""The keys that a home keeps: of the machine, with which schedules run, of the ledger, and the secret under which sources are named."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path

from headgate.core.errors import StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.signing.keys import PrivateKey, load_key, make_key, read_key_file, refuse_readable_by_others, write_private, write_public
from tasks.signing.public_keys import read_public_key

MACHINE_KEY = "runner"
LEDGER_KEY = "ledger"
OWN = "own"  # the public halves of all that the home has had
LEDGER_SECRET = "ledger.secret"
SECRET_BYTES = 32


def machine_key(folder: Path) -> PrivateKey:
    """The key with which schedules run. Made the first time."""
    return _own_key(folder, MACHINE_KEY)


def ledger_key(folder: Path) -> PrivateKey:
    """The key that signs heads of the chain. Made the first time, and the secret before it; its .pub is what an auditor keeps."""
    if not _had_ledger(folder):
        ledger_secret(folder)
    return _own_key(folder, LEDGER_KEY)


def home_fingerprint(folder: Path) -> str:
    """By which a home is known to those who ask it: that of its ledger's key."""
    public = folder / f"{LEDGER_KEY}.pub"
    return read_public_key(public).fingerprint if public.exists() else ledger_key(folder).fingerprint


def own_fingerprints(folder: Path) -> frozenset[str]:
    """Of every key that the machine or the ledger has or had: a person who could use them would have a second name. A private key is
    opened only where its public half is not beside it."""
    bare = [folder / name for name in (MACHINE_KEY, LEDGER_KEY) if (folder / name).exists() and not (folder / f"{name}.pub").exists()]
    return public_fingerprints(folder) | {load_key(path).fingerprint for path in bare}


def public_fingerprints(folder: Path) -> frozenset[str]:
    """The same by the public halves alone, also in a copy without private keys. Whose other keys lie in the folder is not asked."""
    present = [file for name in (MACHINE_KEY, LEDGER_KEY) if (file := folder / f"{name}.pub").exists()]
    return frozenset(read_public_key(file).fingerprint for file in (*present, *(folder / OWN).glob("*.pub")))


def _own_key(folder: Path, name: str) -> PrivateKey:
    """It is noted that the home had it: whoever replaces it may still hold it."""
    if (folder / f"{name}.pub").exists() and not (folder / name).exists():
        raise _lost(folder / name)
    key = load_or_make(folder / name)
    noted = folder / OWN / hashlib.sha256(key.key.blob).hexdigest()
    if not noted.with_name(f"{noted.name}.pub").exists():
        try:
            noted.parent.mkdir(mode=0o700, exist_ok=True)
            write_public(noted, key)
        except OSError as problem:
            raise StoreUnavailable(
                f"{noted.parent} cannot be written ({reason_of(problem)}).", "Make the folder of keys writable."
            ) from None
    return key


def lacks_ledger_key(folder: Path) -> bool:
    """As in a copy of a home for somebody who only reads it."""
    return (folder / f"{LEDGER_KEY}.pub").exists() and not (folder / LEDGER_KEY).exists()


def _had_ledger(folder: Path) -> bool:
    return any((folder / name).exists() for name in (LEDGER_KEY, f"{LEDGER_KEY}.pub"))


def _lost(path: Path) -> StoreUnavailable:
    """Never made anew without a word: what the former one signed or named would no longer hold."""
    return StoreUnavailable(
        f"{path} is missing: this home had it.",
        "Restore the folder of keys from a backup. Nothing can be signed in a copy that was made without it.",
    )


def load_or_make(path: Path) -> PrivateKey:
    if not path.exists():
        try:
            return make_key(path)
        except FileExistsError:
            return load_key(path)  # another process made it a moment ago
        except OSError as problem:
            reason = reason_of(problem)
        raise StoreUnavailable(f"A key could not be written to {path} ({reason}).", "Make the folder writable, or give --key.")
    key = load_key(path)
    if not path.with_name(path.name + ".pub").exists():
        write_public(path, key)  # whoever made the key was killed before its public half
    return key


def ledger_secret(folder: Path) -> bytes:
    """The secret under which source digests leave the ledger: a plain digest would let people confirm guesses of the source."""
    path = folder / LEDGER_SECRET
    if not path.exists():
        if _had_ledger(folder) and not path.exists():
            raise _lost(path)
        try:
            write_private(path, secrets.token_hex(SECRET_BYTES).encode())
        except FileExistsError:
            pass  # another process made it a moment ago; its secret is read below
        except OSError as problem:
            raise StoreUnavailable(f"{path} could not be written ({reason_of(problem)}).", "Make the folder of keys writable.") from None
    refuse_readable_by_others(path)
    try:
        secret = bytes.fromhex(read_key_file(path, "The ledger's secret").decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise StoreUnavailable(f"{path} does not hold a secret of {SECRET_BYTES} bytes.", "Restore it from a backup.")
    return secret


def source_hmac(secret: bytes, digest: str) -> str:
    """HMAC-SHA256 of a source's digest: equal for equal sources of one ledger, and nothing to anyone without its secret."""
    return hmac.new(secret, b"headgate source 1\n" + digest.encode(), hashlib.sha256).hexdigest()


def place_hmac(secret: bytes, place: str) -> str:
    """Likewise, of where a policy lies."""
    return hmac.new(secret, b"headgate place 1\n" + place.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()
