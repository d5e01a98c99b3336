"""Files that workers share tell nothing without the key, and nothing that was changed is read."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from policies.jobs.spool import Reference
from tasks.cluster import shared_files
from tasks.cluster.shared_files import SharedFiles, new_key

SECRET = "somebody's illness"


@pytest.fixture
def files(tmp_path: Path) -> SharedFiles:
    (tmp_path / "shared").mkdir()
    return SharedFiles(tmp_path / "shared", new_key())


@pytest.mark.parametrize("thing", [SECRET, None, b"", [SECRET] * 1000, {"a": 1.5}])
def test_what_is_put_can_be_had_by_whoever_has_the_key(files: SharedFiles, thing: Any) -> None:
    reference = files.put(thing)
    assert SharedFiles(files.folder, files.key).get(reference) == thing
    files.drop(reference)
    files.drop(reference)
    with pytest.raises(StoreUnavailable, match="could not be read"):
        files.get(reference)


def test_arrays_come_back_as_they_were_and_can_be_written(files: SharedFiles) -> None:
    there = files.get(files.put(np.arange(5, dtype=np.int32)))
    there[0] = 7
    assert there.tolist() == [7, 1, 2, 3, 4]
    assert there.dtype == np.int32


def test_nothing_readable_lies_there_and_nobody_else_may_look(files: SharedFiles) -> None:
    files.put(SECRET)
    files.put(SECRET)
    held = [path.read_bytes() for path in files.folder.iterdir()]
    assert len(held) == 2
    assert held[0][32:] != held[1][32:]
    assert all(SECRET.encode() not in content for content in held)
    assert {path.stat().st_mode & 0o777 for path in files.folder.iterdir()} == {0o600}
    files.close()
    assert not files.folder.exists()


def test_another_key_opens_nothing(files: SharedFiles) -> None:
    reference = files.put(SECRET)
    with pytest.raises(IntegrityBroken):
        SharedFiles(files.folder, new_key()).get(reference)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 128, 1000])
def test_frames_of_any_number_are_put_together(files: SharedFiles, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_files, "FRAME", 64)
    assert files.get(files.put(bytes(size))) == bytes(size)


def test_a_file_that_was_changed_cut_or_exchanged_is_refused(files: SharedFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_files, "FRAME", 64)
    one, two = files.put("x" * 300), files.put("y" * 300)
    path, other = (files.folder / reference.key for reference in (one, two))
    whole, frame = path.read_bytes(), 64 + 16
    salt, frames = whole[:32], [whole[at : at + frame] for at in range(32, len(whole), frame)]
    assert len(frames) > 3
    changed = [
        b"",
        salt,
        whole[:-1],
        whole + b"\0",
        salt + b"".join(frames[:-1]),
        salt + frames[1] + frames[0] + b"".join(frames[2:]),
        salt + frames[0] + b"".join(frames),
        whole[:40] + bytes([whole[40] ^ 1]) + whole[41:],
        other.read_bytes(),
    ]
    for content in changed:
        path.write_bytes(content)
        with pytest.raises(IntegrityBroken):
            files.get(one)
    path.write_bytes(whole)
    assert files.get(one) == "x" * 300


def test_a_full_disk_leaves_no_piece_and_says_so(files: SharedFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_files: object) -> None:
        raise OSError(errno.ENOSPC, "names a path")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreUnavailable, match="No space left on device") as refused:
        files.put(SECRET)
    assert "path" not in refused.value.message
    assert list(files.folder.iterdir()) == []


def test_a_reference_to_nothing_leads_nowhere(files: SharedFiles) -> None:
    with pytest.raises(StoreUnavailable):
        files.get(Reference("0123456789abcdef"))
