"""The key of the person who acts: in their file, in their agent, or, where a request is answered, at the other end of the connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from headgate.core.errors import Defect, InputRejected
from tasks.signing.keys import PrivateKey, load_key
from tasks.signing.public_keys import PublicKey


@dataclass(frozen=True)
class CallersKey(PrivateKey):
    """It stays where the caller is. They are sent the payload and not its digest, so that they can read what they sign; `ask` gives the
    armored signature. The salt of their reasons is theirs too, so that they know beforehand which digest they will sign."""

    salt: str = field(default="", repr=False)
    ask: Callable[[bytes], bytes] = field(default=bytes, repr=False, compare=False)


def callers_key(key: PublicKey, salt: str, ask: Callable[[bytes], bytes]) -> CallersKey:
    return CallersKey(key, _nothing_but_statements, salt, ask)


def _nothing_but_statements(_signed: bytes) -> bytes:
    raise Defect("Tried to sign something else than a statement with a caller's key.", "This is a defect of headgate; please report it.")


_caller: CallersKey | None = None


def speak_for(caller: CallersKey | None) -> None:
    """From now on, in this whole process, no path that somebody names is read as a key."""
    global _caller
    _caller = caller


def given_key(path: Path | None) -> PrivateKey:
    """There is no other in its place."""
    if path is None:
        raise InputRejected("No key was given.", "Give your SSH private key with --key, or set HEADGATE_KEY.")
    return load_key(path) if _caller is None else _caller
