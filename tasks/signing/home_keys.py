"""The keys that a home keeps: of the machine, with which schedules run, of the ledger, and the secret under which sources are named."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from pathlib import Path

from headgate.core.errors import StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.signing.keys import PrivateKey, load_key, make_key, read_key_file, refuse_readable_by_others, write_private, write_public

MACHINE_KEY = "runner"
LEDGER_KEY = "ledger"
LEDGER_SECRET = "ledger.secret"
SECRET_BYTES = 32


def machine_key(folder: Path) -> PrivateKey:
    """The key with which schedules run. Made the first time."""
    return load_or_make(folder / MACHINE_KEY)


def ledger_key(folder: Path) -> PrivateKey:
    """The key that signs heads of the chain. Made the first time; its .pub is what an auditor keeps elsewhere."""
    return load_or_make(folder / LEDGER_KEY)


def own_fingerprints(folder: Path) -> frozenset[str]:
    """Of the machine's and the ledger's key: a person who could use them would have a second name."""
    return frozenset(load_key(folder / name).fingerprint for name in (MACHINE_KEY, LEDGER_KEY) if (folder / name).exists())


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
