"""What each page of a Parquet file claims to unpack to, by its header, before anything is unpacked.

The reader makes room for as much as a page's header says, up to 2 GiB, whatever the file's own description says of the column. So the
headers are read first (Thrift's compact protocol), in the order in which the reader would come to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow.parquet as parquet

from tasks.reading.pinned_file import Content

TRUE, FALSE, BYTE, DOUBLE, BINARY, STRUCT = 1, 2, 3, 7, 8, 12
NUMBERS = (4, 5, 6)
DEEPEST = 8
UNPACKED, PACKED, DATA, DICTIONARY, DATA_2 = 2, 3, 5, 7, 8  # fields of a page's header
VALUES = 1  # a field of DATA, of DICTIONARY and of DATA_2: how many values the page holds
BESIDE = 8  # pages without values that a column may have: its dictionary, and some that a writer left empty


class FalsePage(ValueError):
    """A header that is none, or that claims what cannot be."""


@dataclass(frozen=True)
class Page:
    """Of one page: where it ends, what it unpacks to, and the entries that it has as a dictionary."""

    end: int
    unpacked: int
    entries: int


def require_true_pages(content: Content, chunks: Iterable[parquet.ColumnChunkMetaData]) -> None:
    """FalsePage where the pages of a column unpack to more than the file says of that column."""
    for chunk in chunks:
        room = chunk.total_uncompressed_size
        for page in pages_of(content, chunk):
            room -= page.unpacked
            if room < 0:
                raise FalsePage


def pages_of(content: Content, chunk: parquet.ColumnChunkMetaData) -> Iterator[Page]:
    """Up to the last that a reader comes to; FalsePage at a header that is none, or at more pages than there can be."""
    seen = pages = 0
    header = _Header(content, min(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset))
    while seen < chunk.num_values:
        said = header.read()
        unpacked, packed = said.get((UNPACKED,), -1), said.get((PACKED,), -1)
        pages += 1
        if unpacked < 0 or packed < 0 or pages > chunk.num_values + BESIDE:
            raise FalsePage
        seen += max(0, said.get((DATA, VALUES), 0)) + max(0, said.get((DATA_2, VALUES), 0))
        header.place += packed
        yield Page(header.place, unpacked, said.get((DICTIONARY, VALUES), 0))


@dataclass
class _Header:
    """Where the next byte is read. What goes beyond the end is IndexError."""

    content: Content
    place: int

    def read(self) -> dict[tuple[int, ...], int]:
        """The numbers of a header by their fields; FalsePage where it is none."""
        found: dict[tuple[int, ...], int] = {}
        try:
            self._struct((), found)
        except IndexError:
            raise FalsePage from None
        return found

    def _struct(self, path: tuple[int, ...], found: dict[tuple[int, ...], int]) -> None:
        if len(path) > DEEPEST:
            raise FalsePage
        field = 0
        while (byte := self._byte()) != 0:
            field = field + (byte >> 4) if byte >> 4 else self._signed()
            self._value(byte & 15, (*path, field), found)

    def _value(self, kind: int, path: tuple[int, ...], found: dict[tuple[int, ...], int]) -> None:
        if kind in NUMBERS:
            found[path] = self._signed()
        elif kind == STRUCT:
            self._struct(path, found)
        elif kind == BINARY:
            length = self._varint()
            self.place += length
        elif kind in (BYTE, DOUBLE):
            self.place += 1 if kind == BYTE else 8
        elif kind not in (TRUE, FALSE):
            raise FalsePage  # lists and maps are in no page's header

    def _byte(self) -> int:
        self.place += 1
        return self.content[self.place - 1]

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise FalsePage

    def _signed(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)
