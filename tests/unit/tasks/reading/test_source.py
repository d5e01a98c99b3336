from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.ingest import ingest
from tasks.reading.source import Source, check_names, read_bytes, require_columns
from tasks.reading.source_csv import open_csv_bytes


def test_a_file_that_cannot_be_read_and_a_device_are_refused(clinic, refusal):
    if sys.platform != "linux":
        pytest.skip("needs /proc and /dev")
    assert "cannot be read" in refusal(lambda: ingest(clinic.load(), Path("/proc/self/mem"))).message
    assert "not a regular file" in refusal(lambda: ingest(clinic.load(), Path("/dev/zero"))).message


@pytest.mark.parametrize("keep", [0.5, 0.97])
def test_a_truncated_gzip_or_parquet_file_is_refused(clinic, refusal, keep):
    whole = gzip.compress(clinic.source.read_bytes())
    (clinic.folder / "cut.csv.gz").write_bytes(whole[: int(len(whole) * keep)])
    assert "cut short" in refusal(lambda: ingest(clinic.load(), clinic.folder / "cut.csv.gz")).message
    table = arrow_csv.read_csv(clinic.source)
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    (clinic.folder / "cut.parquet").write_bytes(sink.getvalue()[: int(len(sink.getvalue()) * keep)])
    assert "not a whole Parquet file" in refusal(lambda: ingest(clinic.load(), clinic.folder / "cut.parquet")).message


def table(*names: str) -> Source:
    return open_csv_bytes((",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").encode(), "The table t.csv")


@pytest.mark.parametrize(
    ("names", "lacking", "hint"),
    [
        (("age", "sexx"), "sex", "Did you mean 'sexx'?"),
        (("SEX", "place", "job"), "sex", "Did you mean 'SEX'? Names are case-sensitive."),
        (("age", "place", "job"), "sex", "It has: place, job."),
        (("age", *"abcdefgh"), "sex", "It has: a, b, c, d, e, f and 2 more."),
        (("CANARY", "CANARY-2"), "sex", "None of the expected columns is there: the first line must name the columns."),
    ],
)
def test_what_is_there_instead_of_a_column_is_named_unless_it_may_be_somebodys_cells(names, lacking, hint) -> None:
    with pytest.raises(InputRejected, match=f"has no column '{lacking}'") as refusal:
        require_columns(table(*names), ["age", lacking] if "age" in names else [lacking])
    assert refusal.value.cure == hint


def test_a_table_without_rows_or_with_odd_names_is_refused() -> None:
    with pytest.raises(InputRejected, match="a header and no rows"):
        open_csv_bytes(b"a,b\n", "t").read(["a"])
    with pytest.raises(InputRejected, match="Column 2 of t has no name"):
        check_names(["a", " "], "t")
    with pytest.raises(InputRejected, match="Columns 1 and 3 of t have the same name") as refusal:
        check_names(["CANARY", "b", "CANARY"], "t")
    assert "CANARY" not in refusal.value.message


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"\x00\xff")
    assert read_bytes(tmp_path / "t", "The table") == b"\x00\xff"
    (tmp_path / "empty").touch()
    for name, said in (("empty", "is empty"), ("gone", "does not exist"), (".", "is a folder")):
        with pytest.raises(InputRejected, match=said):
            read_bytes(tmp_path / name, "The table")


def test_a_file_that_is_written_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of codes that somebody is exporting would be half of it."""
    (tmp_path / "t").write_bytes(b"a" * 1000)
    os.utime(tmp_path / "t", (0, 0))
    honest = os.fdopen

    def meanwhile(*given: Any, **how: Any) -> Any:
        with (tmp_path / "t").open("r+b") as there:
            there.write(b"new")
        return honest(*given, **how)

    monkeypatch.setattr(os, "fdopen", meanwhile)
    with pytest.raises(InputRejected, match=r"^The table t changed while it was read\.") as refusal:
        read_bytes(tmp_path / "t", "The table")
    assert refusal.value.cure == "Wait until it is written, or give a copy of it."


def test_a_file_that_is_larger_than_may_be_read_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000")
    (tmp_path / "whole.csv").write_bytes(b"x" * 1000)
    assert len(read_bytes(tmp_path / "whole.csv", "The table")) == 1000
    with (tmp_path / "sparse.csv").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputRejected, match="more than 1,000 bytes"):
        read_bytes(tmp_path / "sparse.csv", "The table")


@pytest.mark.timeout(10)
def test_a_pipe_in_the_place_of_a_file_makes_nobody_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "people.csv")
    with pytest.raises(InputRejected, match="not a regular file"):
        read_bytes(tmp_path / "people.csv", "the source")
    with pytest.raises(InputRejected, match="is a folder"):
        read_bytes(tmp_path, "the source")
    with pytest.raises(InputRejected, match="does not exist"):
        read_bytes(tmp_path / "absent.csv", "the source")
