"""Pages that claim more than their file says of its columns are found by their headers; every honest file passes."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.parquet_pages import FalsePage, require_true_pages
from tasks.reading.source_parquet import open_parquet_bytes

TABLE = pa.table(
    {
        "number": pa.array(range(5000), pa.int64()),
        "town": pa.array([None if n % 7 == 0 else f"town {n % 50}" for n in range(5000)]),
        "codes": pa.array([[f"c{n % 3}"] * (n % 4) for n in range(5000)], pa.list_(pa.string())),
        "none": pa.array([None] * 5000, pa.int32()),
    }
)


def written(table: pa.Table = TABLE, **options: object) -> bytes:
    made = io.BytesIO()
    parquet.write_table(table, made, **options)
    return made.getvalue()


def chunks_of(content: bytes) -> Iterator[parquet.ColumnChunkMetaData]:
    metadata = parquet.ParquetFile(pa.BufferReader(content)).metadata
    return (metadata.row_group(group).column(place) for group in range(metadata.num_row_groups) for place in range(metadata.num_columns))


def varint(number: int) -> bytes:
    signed, coded = number << 1, b""
    while signed > 127:
        coded, signed = coded + bytes([signed & 127 | 128]), signed >> 7
    return coded + bytes([signed])


def lying() -> bytes:
    """A file whose one page says 1 GiB where the file says 24 kB. That number takes two bytes more, which the page's content lacks."""
    content = written(pa.table({"n": pa.array(range(3000), pa.int64())}), compression="snappy", use_dictionary=False)
    (chunk,) = chunks_of(content)
    start, end = chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size
    page = content[start:end]
    unpacked = next(size for size in range(24_000, 24_100) if page[3:].startswith(varint(size)))
    after = 3 + len(varint(unpacked)) + 1
    packed = next(size for size in range(1, 24_000) if page[after:].startswith(varint(size)))
    rest = page[after + len(varint(packed)) : -2]
    claimed = page[:3] + varint(2**30) + b"\x15" + varint(packed - 2) + rest
    assert len(claimed) == len(page)
    return content[:start] + claimed + content[end:]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
@pytest.mark.parametrize(
    "more", [{}, {"use_dictionary": False}, {"data_page_size": 200, "row_group_size": 700}, {"write_page_index": True}], ids=str
)
def test_honest_files_pass(version: str, compression: str, more: dict[str, object]) -> None:
    content = written(data_page_version=version, compression=compression, **more)
    require_true_pages(content, chunks_of(content))
    empty = written(TABLE.slice(0, 0), data_page_version=version, compression=compression)
    require_true_pages(empty, chunks_of(empty))


def test_a_page_that_claims_more_than_its_file_says_is_refused_before_room_is_made_for_it() -> None:
    content = lying()
    with pytest.raises(FalsePage):
        require_true_pages(content, chunks_of(content))
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(InputRejected, match="is damaged"):
        open_parquet_bytes(content, "The source t.parquet").read(["n"])
    assert pa.default_memory_pool().max_memory() - before < 2**28


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_headers_that_are_none_are_refused(share: float) -> None:
    content = written(compression="none", data_page_size=200)
    chunks = list(chunks_of(content))
    for noise in (b"\x00" * 64, b"\xff" * 64, b"\x1c" * 64):
        place = chunks[0].data_page_offset
        broken = content[:place] + noise + content[place + 64 :]
        with pytest.raises(FalsePage):
            require_true_pages(broken, chunks)
    with pytest.raises(FalsePage):
        require_true_pages(content[: int(share * chunks[-1].data_page_offset)], chunks)
