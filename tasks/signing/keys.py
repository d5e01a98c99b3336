"""Private keys: read and made without any ssh tool, held by the agent where they should not leave it, and refused when others could have
read them."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headgate.core.errors import InputRejected
from tasks.runtime.boundary import reason_of
from tasks.signing.agent import agent_signer
from tasks.signing.passphrases import PASSPHRASE, passphrases, remember
from tasks.signing.public_keys import ACCEPTED, ED25519, KINDS, RSA, SK_ECDSA, SK_ED25519, PublicKey, key_of_blob, public_key

AGENT = "SSH_AUTH_SOCK"
PRIVATE = b"PRIVATE KEY"  # in the first line of every file that ssh-keygen makes


@dataclass(frozen=True)
class PrivateKey:
    """A key that can sign: in memory, or in an agent. `sign` gives a signature in SSH's wire form."""

    key: PublicKey
    sign: Callable[[bytes], bytes] = field(repr=False, compare=False)

    @property
    def public(self) -> str:
        """Its OpenSSH line without a comment: comments name people and machines."""
        return self.key.line

    @property
    def fingerprint(self) -> str:
        return self.key.fingerprint


def make_key(path: Path, comment: str = "") -> PrivateKey:
    """A new key at `path` (readable by its owner only) and its public half beside it. Never over an existing file."""
    import asyncssh

    key = asyncssh.generate_private_key(ED25519, comment=comment or path.name)
    write_private(path, key.export_private_key())
    made = _private_key(key, str(path))
    write_public(path, made)
    return made


def load_key(path: Path, environment: Mapping[str, str] | None = None) -> PrivateKey:
    """The private key at `path`, or the agent's where `path` is a .pub file. A passphrase comes from HEADGATE_KEY_PASSPHRASE, or from the
    person at the terminal."""

    environment = os.environ if environment is None else environment
    content = read_key_file(path, "The key")
    words = content[:4096].decode("utf-8", "replace").split()
    if len(words) >= 2 and words[0] in KINDS:
        return _in_agent(public_key(words[0], words[1], str(path)), path, environment.get(AGENT, ""))
    if PRIVATE not in content:  # before its permissions: those of a file that is no key matter to nobody
        raise _unreadable(path, "", False)
    refuse_readable_by_others(path)
    return _private_key(_opened(path, content, environment), str(path))


def private_openssh(path: Path, environment: Mapping[str, str] | None = None) -> bytes:
    """The key at `path` in OpenSSH's form and without its passphrase, for what only decrypts: it stays in memory."""
    content = read_key_file(path, "The key")
    if PRIVATE not in content:
        raise _unreadable(path, "", False)
    refuse_readable_by_others(path)
    return bytes(_opened(path, content, os.environ if environment is None else environment).export_private_key("openssh"))


def _opened(path: Path, content: bytes, environment: Mapping[str, str]) -> Any:
    """Without a passphrase, and where it needs one, with each that is given in turn."""
    key = _imported(content, None)
    tried = False
    if isinstance(key, str) and "passphrase" in key:
        for passphrase in passphrases(path, environment):
            tried, key = True, _imported(content, passphrase)
            if not isinstance(key, str):
                remember(path, passphrase)
                return key
    if isinstance(key, str):
        raise _unreadable(path, key, tried)
    return key


def _imported(content: bytes, passphrase: str | None) -> Any:
    """The key, or what is wrong with it."""
    import asyncssh

    try:
        return asyncssh.import_private_key(content, passphrase)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as foreign:
        return str(foreign).lower()


def _in_agent(public: PublicKey, path: Path, socket: str) -> PrivateKey:
    if not socket:
        raise InputRejected(
            f"{path} is the public half of a key.", f"Give the private one: the same name without .pub; or add it to an agent ({AGENT})."
        )
    return PrivateKey(public, agent_signer(public, socket))


def _private_key(key: Any, place: str) -> PrivateKey:
    kind = key.get_algorithm()
    if kind in (SK_ED25519, SK_ECDSA):
        raise InputRejected(
            f"{place} needs its security key to sign.",
            "Add it to an agent (ssh-add) and give its .pub file; or sign with ssh-keygen -Y sign and give --signature FILE.",
        )
    if kind not in KINDS:
        raise InputRejected(f"{place} is a key of type {kind}.", ACCEPTED)
    public = key_of_blob(bytes(key.public_data), place)
    algorithm = "rsa-sha2-512" if kind == RSA else kind
    return PrivateKey(public, lambda signed: bytes(key.sign(signed, algorithm.encode())))


def _unreadable(path: Path, problem: str, given: bool) -> InputRejected:
    if "passphrase must be specified" in problem:
        return InputRejected(
            f"{path} is protected by a passphrase.", f"Set {PASSPHRASE}, or run the command at a terminal, where it is asked for."
        )
    if given and ("decrypt" in problem or "passphrase" in problem):
        return InputRejected(f"{path} does not open with the passphrase given.", f"Correct {PASSPHRASE}.")
    return InputRejected(f"{path} is not a private key.", "Give a private key as ssh-keygen makes it.")


def refuse_readable_by_others(path: Path) -> None:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputRejected(f"{path} can be read or changed by others, so it proves nothing.", f"chmod 600 '{path}', or make a new key.")


def read_key_file(path: Path, what: str) -> bytes:
    reason = ""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        reason = "it does not exist"
    except OSError as problem:
        reason = reason_of(problem)
    raise InputRejected(f"{what} {path} cannot be read: {reason}.", "Check the path and its permissions.")


def write_public(path: Path, key: PrivateKey) -> None:
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
