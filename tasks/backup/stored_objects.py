"""The contents of a backup's target: each once, under its SHA-256, however many backups refer to it.

A content has its name only after it was written, forced to the disk and read back: what has its name was verified, and is not written
again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.stores.files import sync_folder

PIECE = 2**20
DRAFT = ".draft-"
DAMAGED = "Use another copy of the target, or another of its backups."


class ChangedMeanwhile(Exception):
    """A file is not the one that was listed: it was changed or removed since."""


@dataclass(frozen=True)
class Objects:
    """`folder`/ab/abcd…"""

    folder: Path

    def holds(self, sha256: str, size: int) -> bool:
        try:
            status = self._place(sha256).lstat()
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and status.st_size == size

    def put(self, pieces: Iterable[bytes], sha256: str) -> None:
        """ChangedMeanwhile if these bytes have another hash."""
        place = self._place(sha256)
        draft = self.folder / f"{DRAFT}{secrets.token_hex(8)}"
        digest = hashlib.sha256()
        place.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            with open(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400), "r+b") as file:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
                if digest.hexdigest() != sha256:
                    raise ChangedMeanwhile
                file.flush()
                os.fsync(file.fileno())
                with suppress(OSError, AttributeError):  # so that the disk is asked, not the memory
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                file.seek(0)
                if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                    raise StoreUnavailable(f"{self.folder} does not give back what was written to it.", "Replace the disk of the target.")
            os.rename(draft, place)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(place.parent)

    def clear_drafts(self) -> None:
        """What killed runs have left. Nobody else writes: the target is locked."""
        for draft in self.folder.glob(f"{DRAFT}*"):
            shutil.rmtree(draft) if draft.is_dir() else draft.unlink()

    def pieces(self, sha256: str, size: int) -> Iterator[bytes]:
        """The bytes of a content, hashed on the way: IntegrityBroken after the last if they are others, so nothing is to be believed before
        the end. No link is followed."""
        place, digest, read = self._place(sha256), hashlib.sha256(), 0
        try:
            if self.folder.is_symlink() or place.parent.is_symlink():
                raise _damaged(place)
            descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise _damaged(place)
                while piece := file.read(PIECE):
                    digest.update(piece)
                    read += len(piece)
                    if read > size:
                        break
                    yield piece
        except FileNotFoundError:
            raise IntegrityBroken(f"{place.name[:12]}… is missing from {self.folder}.", DAMAGED) from None
        except OSError as problem:
            raise StoreUnavailable(f"{place} cannot be read ({reason_of(problem)}).", DAMAGED) from None
        if read != size or digest.hexdigest() != sha256:
            raise _damaged(place)

    def check(self, sha256: str, size: int) -> None:
        for _ in self.pieces(sha256, size):
            pass

    def content(self, sha256: str, size: int) -> bytes:
        return b"".join(self.pieces(sha256, size))

    def _place(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256


def _damaged(place: Path) -> IntegrityBroken:
    return IntegrityBroken(f"{place} was changed or cut short since it was written.", DAMAGED)
