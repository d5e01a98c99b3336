"""Private keys: SSH ed25519, read and made without any ssh tool, and refused when others could have read them.

One algorithm only: every signature of a series can then be checked by the same few lines, and no key type with a weaker form
(RSA with SHA-1, DSA) can slip in through a signers file.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime.boundary import reason_of

KEY_TYPE = "ssh-ed25519"
PASSPHRASE = "HEADGATE_KEY_PASSPHRASE"
RUNNER_KEY = "runner"
LEDGER_KEY = "ledger"
LEDGER_SECRET = "ledger.secret"
SECRET_BYTES = 32


@dataclass(frozen=True)
class PrivateKey:
    """A private key in memory. `public` is its OpenSSH line without a comment: comments name people and machines."""

    public: str
    fingerprint: str
    private: Any = field(repr=False, compare=False)


def fingerprint_of(blob: bytes) -> str:
    """SHA256:… of the public key in wire form, as `ssh-keygen -l` writes it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def public_blob(key_type: str, text: str, place: str) -> bytes:
    """The wire form of a public key, checked to be a whole ed25519 key."""
    if key_type != KEY_TYPE:
        raise InputRejected(f"{place}: a key of type {key_type[:40]} is not accepted.", "Use an ed25519 key: ssh-keygen -t ed25519.")
    try:
        blob = base64.b64decode(text, validate=True)
    except ValueError:
        blob = b""
    head = len(KEY_TYPE).to_bytes(4, "big") + KEY_TYPE.encode() + (32).to_bytes(4, "big")
    if not blob.startswith(head) or len(blob) != len(head) + 32:
        raise InputRejected(f"{place}: the public key is not a complete {KEY_TYPE} key.", "Copy the line of the .pub file again.")
    return blob


def read_public_key(path: Path) -> str:
    """The OpenSSH line (type and key, no comment) of a `.pub` file."""
    parts = _read(path, "The public key").decode("utf-8", "replace").split()
    if len(parts) < 2 or not re.fullmatch(r"(ssh|ecdsa|sk-)[a-z0-9@.-]+", parts[0]):
        raise InputRejected(f"{path} does not hold a public key.", "Give a .pub file: one line, ssh-ed25519 AAAA….")
    return f"{KEY_TYPE} {base64.b64encode(public_blob(parts[0], parts[1], str(path))).decode()}"


def public_fingerprint(public: str) -> str:
    key_type, text = public.split()[:2]
    return fingerprint_of(public_blob(key_type, text, "The public key"))


def make_key(path: Path, comment: str = "") -> PrivateKey:
    """A new key at `path` (readable by its owner only) and its public half beside it. Never over an existing file."""
    import asyncssh

    key = asyncssh.generate_private_key(KEY_TYPE, comment=comment or path.name)
    write_private(path, key.export_private_key())
    made = _private_key(key)
    _write_public(path, made)
    return made


def load_key(path: Path, environment: Mapping[str, str] | None = None) -> PrivateKey:
    """The private key at `path`; a passphrase comes from HEADGATE_KEY_PASSPHRASE, never from an argument or a prompt."""
    import asyncssh

    content = _read(path, "The key")
    if content.startswith(KEY_TYPE.encode()):
        raise InputRejected(f"{path} is the public half of a key.", "Give the private one: the same name without .pub.")
    _refuse_readable_by_others(path)
    passphrase = (os.environ if environment is None else environment).get(PASSPHRASE)
    problem = ""
    try:
        key = asyncssh.import_private_key(content, passphrase)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as foreign:
        problem = str(foreign).lower()
    if problem:
        if content.startswith(b"-----BEGIN OPENSSH") and "passphrase" in problem and find_spec("bcrypt") is None:
            problem = "bcrypt"  # said at once, and not only when a passphrase has been set in vain
        raise _unreadable(path, problem, passphrase is not None)
    if key.get_algorithm() != KEY_TYPE:
        raise InputRejected(f"{path} is a key of type {key.get_algorithm()}.", "Use an ed25519 key: ssh-keygen -t ed25519.")
    return _private_key(key)


def runner_key(folder: Path, path: Path | None = None) -> PrivateKey:
    """The key that runs a release: the given one, or one kept in `folder`, which is made the first time."""
    if path is not None:
        return load_key(path)
    return load_or_make(folder / RUNNER_KEY)


def ledger_key(folder: Path) -> PrivateKey:
    """The key that signs heads of the chain. Made the first time; its .pub is what an auditor keeps elsewhere."""
    return load_or_make(folder / LEDGER_KEY)


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
        _write_public(path, key)  # whoever made the key was killed before its public half
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
    _refuse_readable_by_others(path)
    try:
        secret = bytes.fromhex(_read(path, "The ledger's secret").decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise StoreUnavailable(f"{path} does not hold a secret of {SECRET_BYTES} bytes.", "Restore it from a backup.")
    return secret


def source_hmac(secret: bytes, digest: str) -> str:
    """HMAC-SHA256 of a source's digest: equal for equal sources of one ledger, and nothing to anyone without its secret."""
    return hmac.new(secret, b"headgate source 1\n" + digest.encode(), hashlib.sha256).hexdigest()


def _private_key(key: Any) -> PrivateKey:
    blob = bytes(key.public_data)
    return PrivateKey(f"{KEY_TYPE} {base64.b64encode(blob).decode()}", fingerprint_of(blob), key)


def _unreadable(path: Path, problem: str, given: bool) -> InputRejected:
    if "bcrypt" in problem:
        return InputRejected(
            f"{path} is protected by a passphrase as ssh-keygen does it, and the package bcrypt, which opens it, is not installed.",
            f"Install bcrypt beside headgate and set {PASSPHRASE}; or use a copy without passphrase and remove it afterwards: "
            "ssh-keygen -p -N '' -f COPY.",
        )
    if "passphrase must be specified" in problem:
        return InputRejected(f"{path} is protected by a passphrase.", f"Set {PASSPHRASE}, or give a key without one.")
    if given and ("decrypt" in problem or "passphrase" in problem):
        return InputRejected(f"{path} does not open with the passphrase given.", f"Correct {PASSPHRASE}.")
    return InputRejected(f"{path} is not a private key.", "Give an ed25519 key as ssh-keygen -t ed25519 makes it.")


def _refuse_readable_by_others(path: Path) -> None:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputRejected(f"{path} can be read or changed by others, so it proves nothing.", f"chmod 600 '{path}', or make a new key.")


def _read(path: Path, what: str) -> bytes:
    reason = ""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        reason = "it does not exist"
    except OSError as problem:
        reason = reason_of(problem)
    raise InputRejected(f"{what} {path} cannot be read: {reason}.", "Check the path and its permissions.")


def _write_public(path: Path, key: PrivateKey) -> None:
    path.with_name(path.name + ".pub").write_text(key.public + "\n")


def write_private(path: Path, content: bytes) -> None:
    """Whole or not at all, and never over another's: written beside, then linked to its name."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    finally:
        beside.unlink()
