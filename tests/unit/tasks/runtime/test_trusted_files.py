from __future__ import annotations

import os
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.runtime import trusted_files
from tasks.runtime.trusted_files import read_trusted, require_safe_folders

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir(mode=0o700)
    path = tmp_path / "home" / "signers"
    path.write_bytes(b"ann\n")
    path.chmod(0o644)
    return path


def test_a_file_that_only_its_owner_can_change_is_read(file: Path) -> None:
    assert read_trusted(file) == b"ann\n"
    assert read_trusted(file.with_name("absent")) is None


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_a_file_that_others_can_change_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(InputRejected, match="Others on this machine can change") as refusal:
        read_trusted(file)
    assert "chmod go-w" in refusal.value.cure


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o707, 0o1777])
def test_a_folder_in_which_others_can_write_is_refused_even_with_the_sticky_bit(file: Path, mode: int, monkeypatch) -> None:
    if mode & 0o1000:
        monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid)
        os.chown(file.parent, NOBODY, -1) if os.geteuid() == 0 else None
    file.parent.chmod(mode)
    with pytest.raises(InputRejected, match=r"can write in|belongs to somebody else"):
        read_trusted(file)


def test_a_folder_further_up_counts_as_well(file: Path) -> None:
    deep = file.parent / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "signers").write_bytes(b"")
    file.parent.chmod(0o775)
    with pytest.raises(InputRejected, match="can write in"):
        read_trusted(deep / "signers")


def test_no_link_is_followed(file: Path) -> None:
    for target in (file, file.with_name("absent")):
        link = file.with_name("link")
        link.symlink_to(target)
        with pytest.raises(InputRejected, match="it is a link"):
            read_trusted(link)
        link.unlink()


def test_folders_behind_a_link_are_looked_at_too(file: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(file.parent)
    assert read_trusted(tmp_path / "way" / "signers") == b"ann\n"
    file.parent.chmod(0o775)
    with pytest.raises(InputRejected, match="can write in"):
        read_trusted(tmp_path / "way" / "signers")


@pytest.mark.parametrize("absolute", [True, False])
def test_a_folder_between_two_links_is_looked_at_too(file: Path, tmp_path: Path, absolute: bool) -> None:
    """Whoever can write in it leads the way to another home, all of whose own folders are safe."""
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o700)
    (shared / "current").symlink_to(file.parent if absolute else "../home")
    (tmp_path / "way").symlink_to(shared / "current" if absolute else "shared/current")
    assert read_trusted(tmp_path / "way" / "signers") == b"ann\n"
    shared.chmod(0o777)
    with pytest.raises(InputRejected, match=r"can write in .*shared"):
        read_trusted(tmp_path / "way" / "signers")


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(InputRejected, match="in a circle"):
        require_safe_folders(tmp_path / "one")


@as_root
def test_what_belongs_to_somebody_else_is_refused(file: Path) -> None:
    os.chown(file, NOBODY, -1)
    with pytest.raises(InputRejected, match="belongs to somebody else"):
        read_trusted(file)
    os.chown(file, 0, -1)
    os.chown(file.parent, NOBODY, -1)
    with pytest.raises(InputRejected, match="belongs to somebody else"):
        require_safe_folders(file.parent)


def test_a_file_without_end_is_refused(file: Path, monkeypatch) -> None:
    monkeypatch.setattr(trusted_files, "LARGEST", 3)
    with pytest.raises(InputRejected, match="larger than"):
        read_trusted(file)
