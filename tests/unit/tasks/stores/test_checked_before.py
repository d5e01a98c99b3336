from __future__ import annotations

import os
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from tasks.stores import checked_before
from tasks.stores.checked_before import CheckedBefore, marks_of
from tests.unit.tasks.world import World


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which candidates were hashed."""
    asked: list[str] = []
    load = checked_before.load_sealed

    def noted(candidates: Path, digest: str):
        asked.append(digest)
        return load(candidates, digest)

    monkeypatch.setattr(checked_before, "load_sealed", noted)
    monkeypatch.setattr(checked_before, "SETTLED", -1)
    return asked


def test_a_candidate_is_hashed_once_while_no_file_of_it_is_written(world: World, hashed: list[str]) -> None:
    candidate = world.seal()
    checked = CheckedBefore()
    for name in (candidate.id, candidate.id, candidate.id[:12]):
        assert checked.load(world.home.candidates, name) == candidate
    assert hashed == [candidate.id]
    with pytest.raises(InputRejected):
        checked.load(world.home.candidates, "0" * 64)


@pytest.mark.parametrize("change", ["bytes", "exchanged", "added", "removed", "link"])
def test_whatever_is_done_to_a_file_it_is_hashed_again(world: World, hashed: list[str], change: str) -> None:
    candidate = world.seal()
    checked = CheckedBefore()
    checked.load(world.home.candidates, candidate.id)
    folder = candidate.folder
    file = folder / next(entry.path for entry in candidate.manifest.files if entry.path.startswith("tables/"))
    for place in (folder, file.parent, file):
        place.chmod(0o755)
    state, content = file.stat(), file.read_bytes()
    changed = content[:-2] + bytes([content[-2] ^ 1]) + content[-1:]
    if change == "bytes":  # of the same length, with the times that it had
        with open(file, "r+b") as written:
            written.write(changed)
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    elif change == "exchanged":
        (folder.parent / "other").write_bytes(changed)
        os.utime(folder.parent / "other", ns=(state.st_atime_ns, state.st_mtime_ns))
        os.replace(folder.parent / "other", file)
    elif change == "added":
        (folder / "one-more.txt").write_text("x")
    elif change == "removed":
        file.unlink()
    else:
        (folder.parent / "elsewhere").write_bytes(content)
        file.unlink()
        file.symlink_to(folder.parent / "elsewhere")
    with pytest.raises(IntegrityBroken):
        checked.load(world.home.candidates, candidate.id)


def test_what_was_written_a_moment_ago_is_hashed_again(world: World, hashed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writes within one tick of the clock leave the same times."""
    monkeypatch.setattr(checked_before, "SETTLED", 10**12)
    candidate = world.seal()
    checked = CheckedBefore()
    for _ in range(2):
        checked.load(world.home.candidates, candidate.id)
    assert hashed == [candidate.id] * 2


def test_what_was_written_while_it_was_hashed_is_not_remembered(world: World, hashed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    candidate = world.seal()
    checked = CheckedBefore()
    load = checked_before.load_sealed

    def touched(candidates: Path, digest: str):
        loaded = load(candidates, digest)
        os.utime(loaded.folder / "manifest.json")
        return loaded

    monkeypatch.setattr(checked_before, "load_sealed", touched)
    for _ in range(2):
        checked.load(world.home.candidates, candidate.id)
    assert hashed == [candidate.id] * 2


def test_only_so_many_are_remembered(world: World, hashed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked_before, "MOST", 1)
    one, other = world.seal(), world.seal()
    checked = CheckedBefore()
    for candidate in (one, other, one):
        checked.load(world.home.candidates, candidate.id)
    assert hashed == [one.id, other.id, one.id]
    assert {path for path, *_ in marks_of(one.folder)} > {entry.path for entry in one.manifest.files}
    with pytest.raises(HeadgateError):
        marks_of(one.folder / "none")
