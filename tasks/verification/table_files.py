"""The file of a published table holds its cells and nothing else: what no figure is about could be anything.

A CSV has one spelling. Of a Parquet file, too, the bytes are those that headgate writes of these cells; where they are not, because another
version of Apache Arrow wrote it, every part of the file must still be one that cells are read from.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from headgate.core.errors import IntegrityBroken
from tasks.reading.parquet_pages import FalsePage, pages_of
from tasks.reading.source_csv import open_csv_bytes
from tasks.reading.source_parquet import MAGIC, chunks_of, open_parquet_bytes
from tasks.stores.files import Stored
from tasks.tables.write import write_csv, write_parquet
from tasks.verification.unchecked_claims import FALSE_CLAIM

WRITER = re.compile(r"parquet-cpp-arrow version \d+(\.\d+)*")
ROOT = re.compile(r"group field_id=-?\d+ schema \{")
FOOT = 8  # bytes after the description: its length, and the mark


def open_table(stored: Stored) -> tuple[pa.Table, bool]:
    """The table; and whether its file is, byte for byte, what this machine would write of it. IntegrityBroken if it holds anything else."""
    is_parquet, content = stored.path.endswith(".parquet"), stored.content
    source = (open_parquet_bytes if is_parquet else open_csv_bytes)(content, stored.path)
    table = source.read(source.names)
    again = io.BytesIO()
    (write_parquet if is_parquet else write_csv)(table.combine_chunks(), again)  # pages end where chunks do
    if again.getbuffer() == content:
        return table, True
    if not is_parquet:
        raise IntegrityBroken(f"{stored.path} is not spelt as headgate writes it: it is packed, or holds more than its cells.", FALSE_CLAIM)
    beside = _beside_cells(content)
    if beside:
        raise IntegrityBroken(f"{stored.path} holds {beside} about which nothing is claimed.", FALSE_CLAIM)
    return table, False


def _beside_cells(content: bytes) -> str:
    """What a Parquet file holds that its cells are not read from; "" if nothing was found."""
    file = parquet.ParquetFile(pa.BufferReader(content))
    said = file.metadata
    chunks = list(zip([group for group in range(said.num_row_groups) for _ in range(said.num_columns)], chunks_of(file), strict=True))
    if said.metadata or any(chunk.metadata or chunk.file_path for _, chunk in chunks):
        return "metadata"
    if not WRITER.fullmatch(said.created_by or "") or not ROOT.search(str(file.schema)):
        return "a name in its description"
    place = len(MAGIC)
    try:
        for group, chunk in sorted(chunks, key=lambda each: _start(each[1])):
            if _start(chunk) != place:
                return "bytes between its columns"
            column = file.read_row_group(group, [chunk.path_in_schema]).column(0)
            for page in pages_of(content, chunk):
                place = page.end
                if page.entries and page.entries > compute.count_distinct(column).as_py():
                    return "dictionary values that no row has"
            if place != _start(chunk) + chunk.total_compressed_size:
                return "bytes behind a column"
            if any(stated not in _ends(column) for stated in _stated(chunk)) or not _counts_hold(chunk, column):
                return "statistics"
    except FalsePage:
        return "pages"
    described = int.from_bytes(content[-FOOT:-4], "little")
    return "" if place == len(content) - FOOT - described else "bytes behind its columns"


def _start(chunk: parquet.ColumnChunkMetaData) -> int:
    return int(min(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset))


def _stated(chunk: parquet.ColumnChunkMetaData) -> Iterator[object]:
    """What is said to be a column's first and last value."""
    if chunk.is_stats_set and chunk.statistics.has_min_max:
        yield from (chunk.statistics.min, chunk.statistics.max)


def _counts_hold(chunk: parquet.ColumnChunkMetaData, column: pa.ChunkedArray) -> bool:
    if not chunk.is_stats_set:
        return True
    said = chunk.statistics
    missing = not said.has_null_count or said.null_count == column.null_count
    return missing and (not said.has_distinct_count or said.distinct_count == len(column.unique()))


def _ends(column: pa.ChunkedArray) -> tuple[object, ...]:
    return tuple(compute.min_max(column).as_py().values())
