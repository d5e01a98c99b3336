"""The text of a CSV in UTF-8, however it is packed and encoded. It is looked through once when it is opened, then read as often as somebody
asks, piece by piece: it never lies in memory as a whole."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from headgate.core.errors import InputRejected
from tasks.formats.file_kind import refuse_other_kinds
from tasks.reading.pinned_file import Content, beginning, shown_kind, stream_of
from tasks.runtime.input_limits import BYTES

GZIP_MAGIC = b"\x1f\x8b"
PIECE = 2**20  # bytes that are unpacked and decoded at once
UTF_8 = "utf-8"
MARKS = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}
ORDER_OF_BYTES = "le" if sys.byteorder == "little" else "be"


class NotDecoded(InputRejected):
    """The bytes are not text in the encoding that they are said to have."""


@dataclass(frozen=True, eq=False)
class CsvText:
    """`line_ends`: no fewer than lines, whichever sign ends them."""

    content: Content
    where: str
    codec: str
    mark: int  # bytes before a text in UTF-8
    line_ends: int
    quotes: int

    @property
    def in_memory(self) -> memoryview | None:
        """The text, if it lies there as it is parsed."""
        if not isinstance(self.content, bytes) or self.codec != UTF_8 or _is_packed(self.content):
            return None
        return memoryview(self.content)[self.mark :]

    def stream(self) -> BinaryIO:
        """In UTF-8, without a byte order mark."""
        if self.codec != UTF_8:
            return io.BufferedReader(_Recoded(_decoded(self.content, self.where, self.codec)), PIECE)
        stream = plain_stream(self.content, self.where)
        stream.read(self.mark)
        return stream


def csv_text(content: Content, where: str, encoding: str = UTF_8) -> CsvText:
    """Refuses what is no text in this encoding: it is the declared one, never guessed."""
    refuse_other_kinds(shown_kind(plain_stream(content, where)), where, "csv")
    codec = _codec(content, where, encoding)
    newlines = returns = quotes = 0
    blank, has_nul = True, False
    for text in _decoded(content, where, codec, encoding):
        newlines, returns, quotes = newlines + text.count("\n"), returns + text.count("\r"), quotes + text.count('"')
        blank, has_nul = blank and not text.strip(), has_nul or "\x00" in text
    if has_nul:
        raise InputRejected(f"{where} holds NUL characters.", "It may be UTF-16 or not text at all: correct `encoding` or `kind`.")
    if blank:
        raise InputRejected(f"{where} is empty.", "Give a table with a header and at least one row.")
    marked = codec == UTF_8 and plain_stream(content, where).read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    return CsvText(content, where, codec, len(codecs.BOM_UTF8) if marked else 0, max(newlines, returns), quotes)


def plain_stream(content: Content, where: str) -> BinaryIO:
    """Unpacked, where it is packed."""
    return io.BufferedReader(_Unpacked(content, where), PIECE) if _is_packed(content) else stream_of(content)


def _is_packed(content: Content) -> bool:
    return beginning(content, len(GZIP_MAGIC)) == GZIP_MAGIC


class _Unpacked(io.RawIOBase):
    def __init__(self, content: Content, where: str) -> None:
        self._file, self._where, self._size = gzip.GzipFile(fileobj=stream_of(content)), where, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        try:
            piece: bytes | None = self._file.read(len(buffer))
        except (EOFError, OSError, zlib.error):
            piece = None
        if piece is None:
            raise InputRejected(f"{self._where} is a gzip file that is cut short or damaged.", "Copy it again.")
        self._size += len(piece)
        BYTES.check(self._size, f"{self._where}, unpacked,")
        buffer[: len(piece)] = piece
        return len(piece)


class _Recoded(io.RawIOBase):
    def __init__(self, texts: Iterator[str]) -> None:
        self._texts, self._left = texts, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        if not self._left:
            self._left = memoryview(next(self._texts, "").encode(UTF_8))
        piece = self._left[: len(buffer)]
        buffer[: len(piece)] = piece
        self._left = self._left[len(piece) :]
        return len(piece)


def _codec(content: Content, where: str, encoding: str) -> str:
    try:
        known: codecs.CodecInfo | None = codecs.lookup(encoding)
    except (LookupError, ValueError):
        known = None
    if known is None or not known._is_text_encoding or known.incrementaldecoder is None:
        raise InputRejected(f"'{encoding}' is not an encoding.", "Write utf-8, latin-1, windows-1252 or another name that Python knows.")
    marks = MARKS.get(known.name)
    if marks is None or plain_stream(content, where).read(4).startswith(marks):
        return known.name
    return f"{known.name}-{ORDER_OF_BYTES}"  # without a mark, bytes are in the order of this machine


def _decoded(content: Content, where: str, codec: str, encoding: str = "") -> Iterator[str]:
    """Some text at a time, never none, without a byte order mark."""
    stream, decoder, lines, first = plain_stream(content, where), codecs.getincrementaldecoder(codec)(), 0, True
    piece = b"-"
    while piece:
        piece, wrong = stream.read(PIECE), 0
        try:
            text = decoder.decode(piece, final=not piece)
            if codec != UTF_8:
                text.encode(UTF_8)  # some encodings can write what is not a character
        except UnicodeDecodeError as problem:
            seen = problem.object[: max(0, len(problem.object) - len(piece))]  # what was left of the piece before
            wrong = lines - seen.count(b"\n") + problem.object[: problem.start].count(b"\n") + 1
        except UnicodeEncodeError as problem:
            wrong = lines + problem.object[: problem.start].count("\n") + 1
        except UnicodeError:
            wrong = lines + 1
        if wrong:
            raise NotDecoded(
                f"{where} is not {encoding}: line {wrong} cannot be decoded.",
                "Declare the `encoding` it was written in, such as latin-1 or windows-1252, or convert it to utf-8.",
            )
        lines += piece.count(b"\n")
        text = text.removeprefix("\ufeff") if first else text
        first = first and not text
        if text:
            yield text
