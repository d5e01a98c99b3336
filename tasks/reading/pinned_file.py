"""A file that is read more than once, and never whole: once for its digest, then for its cells. Nobody is given a byte that is not the one
that was hashed."""

from __future__ import annotations

import hashlib
import io
import os
import weakref
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from headgate.core.errors import InputRejected
from tasks.formats.file_kind import ZIP, FileKind, file_kind
from tasks.reading.source import changed, last_written, open_regular, unreadable
from tasks.runtime.input_limits import BYTES, Limit

BLOCK = 2**20  # bytes
KEPT = 8  # blocks
LOOKED_AT = 2**16  # bytes


class PinnedFile:
    """Stays open: another file in its place changes nothing. What is written into it meanwhile is refused, also behind its end: the file
    was not whole when its digest was taken."""

    def __init__(self, path: Path, what: str, limit: Limit = BYTES) -> None:
        self._where = f"{what} {path.name}"
        whole, blocks, size = hashlib.sha256(), [], 0
        with ExitStack() as opened:
            self._file = open_regular(path, what, limit)
            opened.callback(os.close, self._file)
            self._written = last_written(self._file)
            while block := self._read(size):
                whole.update(block)
                blocks.append(hashlib.sha256(block).digest())
                size += len(block)
                limit.check(size, f"{what} {path}")
                if len(block) < BLOCK:
                    break
            if not size:
                raise InputRejected(f"{what} {path} is empty.", "Give a table with a header and at least one row.")
            self._require_unchanged()
            opened.pop_all()
        weakref.finalize(self, os.close, self._file)
        self.digest, self._blocks, self._size = whole.hexdigest(), tuple(blocks), size
        self._held: dict[int, bytes] = {}  # the blocks read last

    def _read(self, start: int) -> bytes:
        """A block, shorter only where the file ends."""
        try:
            pieces, wanted = [], BLOCK
            while wanted and (piece := os.pread(self._file, wanted, start + BLOCK - wanted)):
                pieces.append(piece)
                wanted -= len(piece)
        except OSError as problem:
            reason = problem
        else:
            return b"".join(pieces)
        raise unreadable(self._where, reason)

    def _require_unchanged(self) -> None:
        if last_written(self._file) != self._written:
            raise changed(self._where)

    def _block(self, number: int) -> bytes:
        held = self._held.get(number)
        if held is not None:
            return held
        block = self._read(number * BLOCK)
        if hashlib.sha256(block).digest() != self._blocks[number]:
            raise changed(self._where)
        if len(self._held) == KEPT:
            self._held.pop(next(iter(self._held)), None)
        self._held[number] = block
        return block

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int) -> int:
        if not 0 <= place < self._size:
            raise IndexError(place)
        return self._block(place // BLOCK)[place % BLOCK]

    def part(self, start: int, length: int) -> bytes:
        """As much of it as the file has."""
        end = min(start + length, self._size)
        pieces = []
        while start < end:
            piece = self._block(start // BLOCK)[start % BLOCK : end - start // BLOCK * BLOCK]
            pieces.append(piece)
            start += len(piece)
        self._require_unchanged()
        return b"".join(pieces)

    def stream(self) -> io.BufferedReader:
        return io.BufferedReader(_Stream(self), BLOCK)


class _Stream(io.RawIOBase):
    def __init__(self, file: PinnedFile) -> None:
        self._pinned, self._place = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: len(self._pinned)}[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        piece = self._pinned.part(self._place, min(len(buffer), BLOCK - self._place % BLOCK))
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


Content = bytes | PinnedFile


def stream_of(content: Content) -> BinaryIO:
    return content.stream() if isinstance(content, PinnedFile) else io.BytesIO(content)


def beginning(content: Content, length: int) -> bytes:
    return content.part(0, length) if isinstance(content, PinnedFile) else content[:length]


def shown_kind(stream: BinaryIO) -> bytes:
    """As much from its beginning as it takes to see of which kind a file is: of an archive all, for the names in it."""
    head = stream.read(LOOKED_AT)
    return head + stream.read() if head.startswith(ZIP) else head


def kind_of(content: Content) -> FileKind | None:
    return file_kind(shown_kind(stream_of(content)))


def whole(content: Content) -> bytes:
    """For readers that cannot take less."""
    return content if isinstance(content, bytes) else content.stream().read()


def digest_of(content: Content) -> str:
    return content.digest if isinstance(content, PinnedFile) else hashlib.sha256(content).hexdigest()
