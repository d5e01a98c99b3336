"""What is read of a file is what was hashed, however often it is read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

import tasks.reading.pinned_file as room
from headgate.core.errors import InputRejected
from tasks.formats.file_kind import EXCEL, PARQUET
from tasks.reading.pinned_file import PinnedFile, beginning, digest_of, kind_of, shown_kind, stream_of, whole

CONTENT = bytes(range(256)) * 5


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(room, "BLOCK", 64)
    (tmp_path / "t.csv").write_bytes(CONTENT)
    os.utime(tmp_path / "t.csv", (0, 0))  # longer ago than a file system's clock ticks
    return tmp_path / "t.csv"


def test_a_file_gives_its_bytes_its_size_and_its_digest(path: Path) -> None:
    file = PinnedFile(path, "The source")
    assert (file.digest, len(file)) == (hashlib.sha256(CONTENT).hexdigest(), len(CONTENT)) == (digest_of(CONTENT), 1280)
    assert [file[place] for place in (0, 63, 64, 1279)] == [CONTENT[place] for place in (0, 63, 64, 1279)]
    for place in (-1, 1280):
        with pytest.raises(IndexError):
            file[place]
    assert file.part(60, 200) == CONTENT[60:260]
    assert file.part(1270, 200) == CONTENT[1270:]
    stream = file.stream()
    assert stream.read(100) + stream.read() == CONTENT
    stream.seek(-5, os.SEEK_END)
    assert (stream.tell(), stream.read()) == (1275, CONTENT[-5:])


def test_bytes_in_memory_are_read_alike(path: Path) -> None:
    for content in (CONTENT, PinnedFile(path, "The source")):
        assert beginning(content, 70) == CONTENT[:70]
        assert stream_of(content).read() == CONTENT
        assert whole(content) == CONTENT


def test_as_much_is_looked_at_as_shows_the_kind() -> None:
    archive = b"PK\x03\x04" + b"x" * 100_000 + b"xl/workbook.xml"
    assert (shown_kind(stream_of(archive)), len(shown_kind(stream_of(b"a" * 100_000)))) == (archive, 65_536)
    assert (kind_of(archive), kind_of(b"PAR1" + b"x" * 10), kind_of(b"a,b")) == (EXCEL, PARQUET, None)


@pytest.mark.parametrize("change", ["other byte", "cut short", "emptied", "written on"])
def test_a_file_that_changes_while_it_is_read_is_refused(path: Path, change: str) -> None:
    file = PinnedFile(path, "The source")
    assert file.part(0, 64) == CONTENT[:64]
    with path.open("r+b") as there:
        if change == "other byte":
            there.seek(700)
            there.write(b"!")
        elif change == "written on":
            there.seek(0, os.SEEK_END)
            there.write(b"more")
        else:
            there.truncate(0 if change == "emptied" else 650)
    if change == "other byte":
        os.utime(path, (0, 0))  # as where the file system's clock has not ticked
    with pytest.raises(InputRejected, match=r"^The source t\.csv changed while it was read\.") as refusal:
        file.stream().read()
    assert refusal.value.cure == "Wait until it is written, or give a copy of it."


@pytest.mark.parametrize("change", ["above", "below"])
def test_a_file_that_is_written_while_its_digest_is_taken_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    """What is there then is the beginning of one file and the end of another, or a file whose end is still to come."""
    honest, reads = PinnedFile._read, []

    def meanwhile(file: PinnedFile, start: int) -> bytes:
        reads.append(start)
        if len(reads) == 5:
            with path.open("r+b") as there:
                there.seek(0 if change == "above" else len(CONTENT))
                there.write(b"new" * 10)
        return honest(file, start)

    monkeypatch.setattr(PinnedFile, "_read", meanwhile)
    with pytest.raises(InputRejected, match=r"^The source t\.csv changed while it was read\."):
        PinnedFile(path, "The source")


def test_another_file_in_its_place_changes_nothing(path: Path) -> None:
    file = PinnedFile(path, "The source")
    (path.parent / "other").write_bytes(b"other")
    (path.parent / "other").replace(path)
    assert file.stream().read() == CONTENT


def test_a_file_that_cannot_be_read_is_closed_and_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path.parent / "empty").touch()
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for name, said in (("empty", "is empty"), ("gone", "does not exist"), (".", "is a folder")):
        with pytest.raises(InputRejected, match=said):
            PinnedFile(path.parent / name, "The source")
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000")
    with pytest.raises(InputRejected, match="more than 1,000 bytes"):
        PinnedFile(path, "The source")
    held = PinnedFile(path.parent / "one", "The source") if (path.parent / "one").write_bytes(b"1") else None
    del held
    assert not before or len(os.listdir("/proc/self/fd")) == before
