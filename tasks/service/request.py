"""A request, as it passes over the socket."""

from __future__ import annotations

import hashlib
import secrets
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictStr, ValidationError

from headgate.core.errors import InputRejected
from policies.words.frozen import Frozen
from tasks.service.frames import FileEntry, Frames, Kind
from tasks.signing.given_key import CallersKey
from tasks.signing.signatures import REQUEST, sign_statement, statement

LONGEST_REQUEST = 256 * 1024
LONGEST_SIGNATURE = 64 * 1024
MOST_FILES = 300
SIGNING_SECONDS = 120  # a security key waits for a touch and a PIN
SUBJECT = "request"
AGAIN = "Use the version of headgate that the service has."

Value = StrictBool | StrictStr | None


class Request(Frozen):
    """`values`: what the command is told, as it is; `key` and `salt`: the public half of the key that signs at the other end, and the salt
    of its owner's reason; `files`: what follows once the service wants it."""

    protocol: Literal[3] = 3
    command: str
    values: dict[str, Value]
    key: str | None = None
    salt: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""
    files: Annotated[tuple[FileEntry, ...], Field(max_length=MOST_FILES)] = ()

    @property
    def sha256(self) -> str:
        """The same at both ends."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class Ended(Frozen):
    """How the command ended; `files`: what follows. `message` and `cure`: why it was not even begun."""

    code: int
    message: str = ""
    cure: str = ""
    files: Annotated[tuple[FileEntry, ...], Field(max_length=1)] = ()


def receive_request(frames: Frames) -> Request:
    kind, payload = frames.receive(LONGEST_REQUEST)
    if kind is Kind.REQUEST:
        try:
            return Request.model_validate_json(payload)
        except (ValidationError, ValueError, RecursionError):
            pass
    raise InputRejected("This is not a request that the service understands.", AGAIN)


def prove_key(asked: Request, key: CallersKey, home: str) -> None:
    """Whoever asks holds the private half of the key that they name, and asks this `home`: a public key is known to anybody, and what was
    meant for another home could be passed on to this one. Nothing is run, recorded or told in the key's owner's name before."""
    sign_statement(statement({SUBJECT: asked.sha256}, REQUEST, {"home": home, "nonce": secrets.token_hex(32)}), key)


def ask_to_sign(frames: Frames, payload: bytes) -> bytes:
    """The armored signature that the caller makes over it."""
    frames.send(Kind.SIGN, payload)
    kind, signature = frames.receive(LONGEST_SIGNATURE, SIGNING_SECONDS)
    if kind is not Kind.SIGNED:
        raise InputRejected("This is not a signature.", AGAIN)
    return signature
