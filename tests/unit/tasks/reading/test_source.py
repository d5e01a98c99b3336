from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from tasks.reading.ingest import ingest


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
