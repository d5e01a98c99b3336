"""Published files that a worker has written arrive as they were, and lie nowhere on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import StoreUnavailable
from policies.jobs.spool import MemorySpool
from tasks.tables import spooled_stage
from tasks.tables.spooled_stage import SpooledStage, unpack


def test_files_are_unpacked_byte_for_byte_and_leave_the_spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spooled_stage, "AT_ONCE", 4)
    spool = MemorySpool()
    stage = SpooledStage(spool)
    for path, content in {"tables/one.csv": b"twelve bytes", "tables/empty.csv": b""}.items():
        with stage.create(path) as stream:
            stream.write(content)
        assert stage.content(path) == content
    assert [len(pieces) for pieces in stage.files.values()] == [3, 1]
    assert list(tmp_path.iterdir()) == []
    unpack(stage.files, spool, tmp_path)
    assert (tmp_path / "tables/one.csv").read_bytes() == b"twelve bytes"
    assert (tmp_path / "tables/empty.csv").read_bytes() == b""
    assert spool._things == {}


def test_nothing_is_written_over(tmp_path: Path) -> None:
    spool = MemorySpool()
    stage = SpooledStage(spool)
    with stage.create("one.csv") as stream:
        stream.write(b"new")
    (tmp_path / "one.csv").write_bytes(b"old")
    with pytest.raises(StoreUnavailable):
        unpack(stage.files, spool, tmp_path)
    assert (tmp_path / "one.csv").read_bytes() == b"old"
