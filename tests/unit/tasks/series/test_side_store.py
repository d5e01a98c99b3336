"""Who was in which group is kept encrypted, whole, and for one home, dataset and candidate."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from tasks.runtime.home import Home
from tasks.series.side_store import drop, keep, kept, kept_candidates, kept_datasets
from tests.unit.tasks.series.some_version import NAMES, assert_same, some_version

CANDIDATE, OTHER = "ab" * 32, "cd" * 32
DAMAGED = "was changed or cut short, or belongs to another home"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.open(tmp_path / "home")
    keep(home, "people", CANDIDATE, some_version())
    return home


def file_of(home: Home) -> Path:
    return home.series / "people" / CANDIDATE


def test_what_is_kept_comes_back(home: Home) -> None:
    version = kept(home, "people", CANDIDATE)
    assert version is not None
    assert_same(version, some_version())
    assert kept(home, "people", OTHER) is None


def test_nobody_else_can_read_it_and_nothing_of_it_is_in_the_clear(home: Home) -> None:
    content = file_of(home).read_bytes()
    assert stat.S_IMODE(file_of(home).stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of(home).parent.stat().st_mode) == 0o700
    for text in (b"illness", b"gout", b"1000", *(name.encode() for name in NAMES), *some_version().people.tolist()):
        assert text not in content


@pytest.mark.parametrize("place", [0, 20, 40, 300, -1])
def test_a_changed_byte_is_noticed(home: Home, place: int) -> None:
    content = bytearray(file_of(home).read_bytes())
    content[place] ^= 1
    file_of(home).write_bytes(content)
    with pytest.raises(IntegrityBroken, match=DAMAGED) as broken:
        kept(home, "people", CANDIDATE)
    assert "{unmeasured: REASON} beside its bounds" in broken.value.cure


def blocks_of(content: bytes) -> list[bytes]:
    """The line that names the format, then block by block with its length."""
    blocks, at = [content[: content.index(b"\n") + 1]], content.index(b"\n") + 1
    while at < len(content):
        end = at + 8 + int.from_bytes(content[at : at + 8], "big")
        blocks.append(content[at:end])
        at = end
    return blocks


def test_whatever_is_cut_off_is_noticed(home: Home) -> None:
    """Inside a block and between two of them: before the first, and before the last."""
    content = file_of(home).read_bytes()
    blocks = blocks_of(content)
    between = [sum(len(block) for block in blocks[:number]) for number in range(len(blocks))]
    for length in (*range(0, len(content), 7), *between):
        file_of(home).write_bytes(content[:length])
        with pytest.raises(IntegrityBroken, match=DAMAGED):
            kept(home, "people", CANDIDATE)


def test_blocks_cannot_change_places(home: Home) -> None:
    blocks = blocks_of(file_of(home).read_bytes())
    blocks[3], blocks[4] = blocks[4], blocks[3]
    file_of(home).write_bytes(b"".join(blocks))
    with pytest.raises(IntegrityBroken, match=DAMAGED):
        kept(home, "people", CANDIDATE)


def test_another_candidates_dataset_or_home_is_refused(home: Home, tmp_path: Path) -> None:
    stranger = Home.open(tmp_path / "stranger")
    for folder, name in ((home.series / "people", OTHER), (home.series / "visits", CANDIDATE), (stranger.series / "people", CANDIDATE)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file_of(home).read_bytes())
    for there, dataset, candidate in ((home, "people", OTHER), (home, "visits", CANDIDATE), (stranger, "people", CANDIDATE)):
        with pytest.raises(IntegrityBroken, match="Restore the folder series/"):
            kept(there, dataset, candidate)


def test_what_is_dropped_is_gone_and_half_a_file_with_it(home: Home) -> None:
    (home.series / "people" / f"{OTHER}.1a2b3c4d.draft").write_bytes(b"half")
    assert kept_candidates(home, "people") == (CANDIDATE,)
    assert [path.name for path in (home.series / "people").iterdir()] == [CANDIDATE]
    assert (drop(home, "people", CANDIDATE), drop(home, "people", CANDIDATE)) == (True, False)
    assert (kept_candidates(home, "people"), kept_candidates(home, "nothing"), kept_datasets(home)) == ((), (), ("people",))


def test_a_folder_that_cannot_be_written_is_said(home: Home) -> None:
    folder = home.series / "visits"
    folder.write_text("a file where the folder belongs")
    with pytest.raises(StoreUnavailable, match="could not be kept"):
        keep(home, "visits", CANDIDATE, some_version())
