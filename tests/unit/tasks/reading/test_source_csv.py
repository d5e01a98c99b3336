from __future__ import annotations

import gzip
import hashlib
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import tasks.reading.source_csv as room
from headgate.core.errors import InputRejected
from tasks.reading.ingest import ingest
from tasks.reading.pinned_file import PinnedFile
from tasks.reading.source_csv import open_csv, open_csv_bytes, open_guessed_csv
from tests.unit.tasks.clinic import decoded


def test_a_gzipped_file_gives_the_same_table_and_the_digest_of_its_own_bytes(clinic):
    plain = ingest(clinic.load())
    zipped = clinic.folder / "clinic.csv.gz"
    zipped.write_bytes(gzip.compress(clinic.source.read_bytes(), mtime=0))
    found = ingest(clinic.load(), zipped)
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name)
    assert found.source_digest == hashlib.sha256(zipped.read_bytes()).hexdigest() != plain.source_digest


def test_line_ends_byte_order_mark_quoted_breaks_and_column_order_do_not_matter(clinic, write_csv):
    plain = ingest(clinic.load())
    clinic.rows[3]["notes"] = 'two\nlines, and "quotes"'
    names = list(reversed(clinic.rows[0]))
    text = write_csv(clinic.rows, header=names)
    clinic.write_source(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    found = ingest(clinic.load())
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name)


def test_a_declared_encoding_and_separator_are_used(clinic, write_csv):
    for row in clinic.rows:
        row["zip"] = "Zürich"
    clinic.policy["source"] |= {"encoding": "latin-1", "separator": "\t"}
    clinic.write_source(write_csv(clinic.rows, separator="\t").encode("latin-1"))
    assert set(decoded(ingest(clinic.load()).table, "zip")) == {"Zürich"}


@pytest.mark.parametrize(
    ("content", "separator", "encoding"),
    [
        (b"a,b;c\n1,2;3\n", ",", "utf-8"),
        (b"a;b;c,d\n1;2;3\n", ";", "utf-8"),
        (b"a\tb\n1\t2\n", "\t", "utf-8"),
        ("ä|b\nö|2\n".encode(), "|", "utf-8"),
        (b"\xef\xbb\xbfa;b\r\n1;2\r\n", ";", "utf-8"),
        ("ä;b\nö;2\n".encode("utf-16"), ";", "utf-16"),
        ("ä;b\nö;2\n".encode("cp1252"), ";", "cp1252"),
        (gzip.compress("ä;b\nö;2\n".encode("cp1252"), mtime=0), ";", "cp1252"),
    ],
)
def test_a_csv_that_nobody_described_is_guessed_and_reads_as_if_it_had_been_declared(content: bytes, separator: str, encoding: str) -> None:
    guessed, *how = open_guessed_csv(content, "t")
    assert how == [separator, encoding]
    declared = open_csv_bytes(content, "t", separator, encoding)
    assert (guessed.names, guessed.digest) == (declared.names, declared.digest)
    assert guessed.read(guessed.names) == declared.read(declared.names)
    assert guessed.digest == hashlib.sha256(content).hexdigest()


def test_only_the_columns_asked_for_are_parsed_and_an_empty_cell_is_missing() -> None:
    table = open_csv_bytes(b'a,b,c\n007,,x\n"8",y,z\n', "t").read(["b", "a"])
    assert table.to_pydict() == {"b": [None, "y"], "a": ["007", "8"]}


@pytest.mark.parametrize("open_bytes", [open_csv_bytes, open_guessed_csv])
def test_a_gzip_bomb_is_refused_while_it_is_unpacked(open_bytes: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    """100 MB in 100 kB; no more of it is held than may be."""
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000000")
    squeezed = gzip.compress(b"a,b\n" + b"1,2\n" * 25_000_000, compresslevel=1)
    tracemalloc.start()
    try:
        with pytest.raises(InputRejected, match="The table, unpacked, has more than 1,000,000 bytes") as refusal:
            open_bytes(squeezed, "The table")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert "HEADGATE_MAX_BYTES" in refusal.value.cure


def test_a_table_of_more_cells_than_are_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_MAX_CELLS", "20")
    content = b"a,b,c\n" + b"1,2,3\n" * 9
    assert open_csv_bytes(content, "The table").read(["a", "b"]).num_rows == 9
    with pytest.raises(InputRejected, match="more than 20 cells"):
        open_csv_bytes(content, "The table").read(["a", "b", "c"])


def test_a_header_of_too_many_columns_is_refused() -> None:
    with pytest.raises(InputRejected, match="has 100,001 columns; at most 100,000"):
        open_csv_bytes(b",".join(b"%d" % place for place in range(100_001)) + b"\n", "The table")


def test_lines_of_another_length_are_counted_and_the_first_is_described() -> None:
    with pytest.raises(
        InputRejected, match=r"3 lines do not have the 2 fields of the header \(in lines 3, 4 and 5; the first of them has 3\)"
    ):
        open_csv_bytes(b"a,b\n1,2\n1,2,3\n1\n1,2,3\n", "The table").read(["a"])


@pytest.mark.parametrize("content", [b"\na,a\n1,2\n", b"\r\na,b\n1,2\n"])
def test_a_blank_first_line_is_refused(content: bytes) -> None:
    """Previously the next line was taken for the header unseen, even if it named two columns alike."""
    for open_it in (open_csv_bytes, open_guessed_csv):
        with pytest.raises(InputRejected, match="first line of t is blank"):
            open_it(content, "t")


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_csv_never_lies_in_memory_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """Previously its bytes did, twice if it was packed. Arrow reads up to 32 blocks ahead."""
    monkeypatch.setattr(room, "BLOCK", 2**16)
    path, line, lines = tmp_path / "t.csv", b"y" * 98 + b",1\n", 200_000
    content = b"a,b\n" + line * lines
    path.write_bytes(gzip.compress(content, compresslevel=0) if packed else content)
    reached, parsed, ahead = 0, 0, 0

    class Watched(PinnedFile):
        def part(self, start: int, length: int) -> bytes:
            nonlocal reached
            reached = start + length
            return super().part(start, length)

    for part in open_csv_bytes(Watched(path, "The source"), "t").parts(["b"]):
        parsed += part.num_rows
        ahead = max(ahead, reached - parsed * len(line))
    assert parsed == lines
    assert ahead < 6_000_000 < path.stat().st_size


def test_a_csv_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 3_000_000)
    source = open_csv(path)
    with path.open("r+b") as there:
        there.seek(11_000_000)
        there.write(b"7")
    with pytest.raises(InputRejected, match=r"^The source t\.csv changed while it was read\. Wait until it is written, or give a copy"):
        source.read(["a"])


def test_nothing_is_read_ahead_once_nobody_asks_for_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ended meanwhile was aborted."""
    reads: list[int] = []

    class Slow(PinnedFile):
        def part(self, start: int, length: int) -> bytes:
            time.sleep(0.001)
            reads.append(start)
            return super().part(start, length)

    monkeypatch.setattr(room, "BLOCK", 2**16)
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 5_000_000)
    parts = open_csv_bytes(Slow(path, "The source"), "t").parts(["a"])
    assert next(parts).num_rows
    parts.close()
    before = len(reads)
    time.sleep(0.05)
    assert len(reads) == before
