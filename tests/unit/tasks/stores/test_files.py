from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from policies.sealed.manifest import FileEntry
from tasks.stores import files
from tasks.stores.files import (
    check_files,
    file_entry,
    list_files,
    place_folder,
    plain_path,
    read_file,
    read_folder,
    replace_file,
    write_file,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    write_file(folder, "a.txt", b"first")
    write_file(folder, "tables/b.csv", b"x\n1\n")
    return folder


def test_every_file_is_listed_read_and_hashed(folder: Path) -> None:
    assert list_files(folder) == ("a.txt", "tables/b.csv")
    stored = read_folder(folder)
    assert {path: file.content for path, file in stored.items()} == {"a.txt": b"first", "tables/b.csv": b"x\n1\n"}
    assert stored["a.txt"].sha256 == hashlib.sha256(b"first").hexdigest()
    assert file_entry(folder, "a.txt") == FileEntry(path="a.txt", sha256=stored["a.txt"].sha256, bytes=5)


def test_a_file_is_hashed_once_however_often_its_hash_is_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[bytes] = []

    class Counting:
        @staticmethod
        def sha256(content: bytes) -> object:
            hashed.append(content)
            return hashlib.sha256(content)

    monkeypatch.setattr(files, "hashlib", Counting)
    stored = read_file(folder, "a.txt")
    assert stored.sha256 == stored.sha256
    assert hashed == [b"first"]


@pytest.mark.parametrize("name", ["link", "fifo", "linked folder"])
def test_what_is_no_regular_file_is_refused_whatever_it_is(folder: Path, name: str) -> None:
    if name == "fifo":
        os.mkfifo(folder / "odd")
    else:
        (folder / "odd").symlink_to(folder / ("a.txt" if name == "link" else "tables"))
    with pytest.raises(IntegrityBroken, match="link or a special file"):
        list_files(folder)
    with pytest.raises(IntegrityBroken, match="odd"):
        read_file(folder, "odd")


def test_a_path_that_leads_out_or_through_a_link_is_not_read(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "through").symlink_to(tmp_path)
    for path in ("../outside.txt", "/etc/hostname", "through/outside.txt", "a.txt/../a.txt"):
        with pytest.raises(IntegrityBroken):
            read_file(folder, path)


def test_a_file_or_a_folder_that_is_gone_is_said(folder: Path) -> None:
    with pytest.raises(IntegrityBroken, match="is missing"):
        read_file(folder, "gone.txt")
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        list_files(folder / "gone")


def test_exactly_the_listed_files_are_there_with_their_bytes(folder: Path) -> None:
    entries = [file_entry(folder, path) for path in list_files(folder)]
    check_files(folder, entries)
    check_files(folder, entries[:1], beside=["tables/b.csv"])
    with pytest.raises(IntegrityBroken, match="too many"):
        check_files(folder, entries[:1])
    with pytest.raises(IntegrityBroken, match="lacks"):
        check_files(folder, [*entries, entries[0].model_copy(update={"path": "c.txt"})])
    with pytest.raises(IntegrityBroken, match="hash differs"):
        check_files(folder, [entries[0].model_copy(update={"bytes": 6}), entries[1]])


def test_a_file_is_never_written_over(folder: Path) -> None:
    with pytest.raises(FileExistsError):
        write_file(folder, "a.txt", b"second")
    assert (folder / "a.txt").read_bytes() == b"first"


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(folder: Path) -> None:
    replace_file(folder / "a.txt", b"second")
    replace_file(folder / "new.txt", b"new")
    assert read_file(folder, "a.txt").content == b"second"
    assert list_files(folder) == ("a.txt", "new.txt", "tables/b.csv")


def test_a_folder_takes_a_name_once(folder: Path, tmp_path: Path) -> None:
    assert place_folder(folder, tmp_path / "1")
    assert not folder.exists()
    again = tmp_path / "again"
    write_file(again, "a.txt", b"other")
    for taken in (tmp_path / "1", tmp_path / "dangling"):
        if taken.name == "dangling":
            taken.symlink_to("nowhere")
        assert not place_folder(again, taken)
    assert read_file(tmp_path / "1", "a.txt").content == b"first"


def test_which_names_are_plain() -> None:
    for good in ("a.csv", "tables/table-1.csv", "datapackage.json", "approvals/ann@example.org.dsse.json", "a=b.csv"):
        assert plain_path(good)
    for bad in ("", "/", "a/", "/a", "..", "a/..", "a/./b", "a b ", "a.", "\x00", "ü.csv", "a\u2028b", "a" * 300, "a/b/c/d/e"):
        assert not plain_path(bad)


def test_a_folder_of_too_many_names_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_NAMES", 3)
    list_files(folder)
    for made in (folder / "empty", folder / "tables" / "empty"):
        made.mkdir()
        with pytest.raises(IntegrityBroken, match="more than 3 files and folders"):
            list_files(folder)
        made.rmdir()


def test_a_file_of_another_size_than_it_should_have_is_refused(folder: Path) -> None:
    assert read_file(folder, "a.txt", 5).content == b"first"
    for size in (4, 6):
        with pytest.raises(IntegrityBroken, match=r"size of a\.txt in folder is not the one"):
            read_file(folder, "a.txt", size)


def test_a_strangers_file_is_read_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_MAX_BYTES", "1000")
    monkeypatch.setenv("HEADGATE_MAX_LIST_BYTES", "100")
    (tmp_path / "table.csv").write_bytes(b"x" * 1000)
    (tmp_path / "manifest.json").write_bytes(b" " * 101)
    assert len(files.read_file(tmp_path, "table.csv").content) == 1000
    (tmp_path / "table.csv").write_bytes(b"x" * 1001)
    for path in ("table.csv", "manifest.json"):
        with pytest.raises(InputRejected, match=path.replace(".", r"\.")):
            files.read_file(tmp_path, path)
