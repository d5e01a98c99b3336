"""What workers of other processes and machines need of a release: files in one folder that all of them can read, encrypted.

The key belongs to one release and lies in the memory of its flow and of its workers, nowhere else: what a run leaves behind when it is
killed tells nothing. A file is a salt and frames (AES-256-GCM); each frame is bound to the file's name, its own number and whether it is
the last one, so frames cannot be exchanged, repeated or left out.
"""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from policies.jobs.spool import Reference
from tasks.runtime.boundary import reason_of

T = TypeVar("T")

SALT, TAG, FRAME = 32, 16, 1 << 24


def new_key() -> bytes:
    return secrets.token_bytes(32)


class SharedFiles:
    """A spool whose folder exists. Whoever has made the folder removes it with `close`."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self.folder, self.key = folder, key

    def put(self, thing: T) -> Reference[T]:
        reference: Reference[T] = Reference(secrets.token_hex(8))
        self.keep(reference, thing)
        return reference

    def keep(self, reference: Reference[T], thing: T) -> None:
        """Under a reference that it has already. A file is whole or not there. Nothing waits for a disk: a release does not outlive its
        machines, and storage that is shared tells when a file is closed that it could not be kept."""
        plain, unfinished = memoryview(pickle.dumps(thing, protocol=5)), self.folder / f"{reference.key}.{secrets.token_hex(4)}.part"
        try:
            with open(unfinished, "xb", opener=_private) as file:
                salt = secrets.token_bytes(SALT)
                cipher = self._cipher(salt, reference)
                file.write(salt)
                for number, start in enumerate(range(0, max(1, len(plain)), FRAME)):
                    last = start + FRAME >= len(plain)
                    file.write(cipher.encrypt(_nonce(number, last), plain[start : start + FRAME], None))
            unfinished.replace(self._path(reference))
        except OSError as problem:
            with suppress(OSError):
                unfinished.unlink()
            raise StoreUnavailable(
                f"The spool could not be written ({reason_of(problem)}).", "Check permissions and free space of HEADGATE_SPOOL or the home."
            ) from None

    def get(self, reference: Reference[T]) -> T:
        plain = bytearray()
        try:
            with self._path(reference).open("rb") as file:
                cipher = self._cipher(file.read(SALT), reference)
                for number, (frame, last) in enumerate(_frames(file)):
                    plain += cipher.decrypt(_nonce(number, last), frame, None)
        except OSError as problem:
            raise StoreUnavailable(
                f"The spool could not be read ({reason_of(problem)}).",
                "All workers must see the folder HEADGATE_SPOOL under the same path, and be able to read and write there.",
            ) from None
        except InvalidTag:
            raise IntegrityBroken(
                "A file of the spool is not what was written there.", "Find out who can write to it, and run again."
            ) from None
        thing: T = pickle.loads(plain)  # only who has the key can have written it
        return thing

    def holds(self, reference: Reference[Any]) -> bool:
        return self._path(reference).exists()

    def drop(self, reference: Reference[Any]) -> None:
        with suppress(OSError):
            self._path(reference).unlink()

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, reference: Reference[Any]) -> Path:
        return self.folder / reference.key

    def _cipher(self, salt: bytes, reference: Reference[Any]) -> AESGCM:
        return AESGCM(HKDF(SHA256(), 32, salt, b"headgate spool " + reference.key.encode()).derive(self.key))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _frames(file: Any) -> Iterator[tuple[bytes, bool]]:
    """The frames of a file; an empty one where a file ends too early, which then no key opens."""
    frame = file.read(FRAME + TAG)
    while True:
        following = file.read(FRAME + TAG)
        yield frame, not following
        if not following:
            return
        frame = following
