from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from headgate.core.errors import PublicationFailed
from tasks.stores.release_store import NOT_OURS, latest_file
from tasks.stores.store_folder import FolderSeries, FolderStore

FILES = {"head.json": b"{}", "tables/table-1.csv": b"a\n1\n"}


def placed(series: FolderSeries, number: int) -> Path:
    series.prepare()
    with series.begin(number, "c" * 64) as draft:
        for path, content in FILES.items():
            draft.write(path, content)
        assert draft.place()
    return series.version(number)


@pytest.fixture
def series(tmp_path: Path) -> FolderSeries:
    return FolderStore(tmp_path / "releases").series("people")


def test_a_version_is_a_folder_that_nobody_may_write_to_and_latest_a_link(series: FolderSeries) -> None:
    folder = placed(series, 1)
    series.point_latest(1)
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == set(FILES)
    assert (folder / "head.json").stat().st_mode & 0o777 == 0o444
    assert os.readlink(series.folder / "latest") == "1"


def test_what_a_killed_run_left_is_cleared_by_the_next_run_of_that_version(series: FolderSeries) -> None:
    series.prepare()
    own, others = f".publishing-1-{'c' * 64}-dead", {f".publishing-11-{'c' * 64}-alive", f".publishing-1-{'d' * 64}-alive"}
    for name in (own, *others):
        (series.folder / name).mkdir()
    (series.folder / ".latest-dead").symlink_to("1")
    placed(series, 1)
    assert {path.name for path in series.folder.iterdir()} == {*others, "1"}


def test_only_folders_that_hold_a_version_are_targets(tmp_path: Path, series: FolderSeries) -> None:
    store = FolderStore(tmp_path / "releases")
    placed(series, 1)
    (store.root / "other" / "2024").mkdir(parents=True)
    (store.root / ".hidden" / "1").mkdir(parents=True)
    (store.root / ".hidden" / "1" / "head.json").write_text("{}")
    (store.root / "linked").mkdir()
    (store.root / "linked" / "1").symlink_to(series.version(1))
    assert store.targets() == {"people"}
    assert store.series("other").versions() == store.series("other").numbers() == ()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_readers_can_read_what_is_published_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        series = FolderStore(tmp_path / "store").series("people")
        placed(series, 1)
    finally:
        os.umask(before)
    places = [tmp_path / "store", *(tmp_path / "store").rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in places}
    assert modes == {(True, 0o755), (False, 0o444)}


@pytest.mark.parametrize("target", ["../1", "one", "007", "1/x"])
def test_a_latest_that_names_no_version_is_not_ours(series: FolderSeries, target: str) -> None:
    series.prepare()
    (series.folder / "latest").symlink_to(target)
    assert series.latest() == NOT_OURS


@pytest.mark.parametrize(
    "said", ['{"version": "one"}', '{"version": 1}', '{"version": 1, "path": "../others/1"}', '{"version": true, "path": "1"}', ""]
)
def test_a_file_that_leads_elsewhere_is_not_ours(series: FolderSeries, said: str) -> None:
    series.prepare()
    (series.folder / "latest.json").write_text(said)
    assert series.latest() == NOT_OURS


def test_what_only_some_readers_follow_names_no_version_for_all(series: FolderSeries) -> None:
    """A link and a file that disagree, and a folder beside a file that says the right number."""
    placed(series, 1)
    placed(series, 2)
    link, file = series.folder / "latest", series.folder / "latest.json"
    file.write_bytes(latest_file(1))
    link.symlink_to("1")
    assert series.latest() == 1
    link.unlink()
    link.symlink_to("2")
    assert series.latest() == NOT_OURS
    series.point_latest(2)
    assert (series.latest(), file.exists()) == (2, False)
    link.unlink()
    shutil.copytree(series.version(2), link)
    assert series.latest() == NOT_OURS
    file.write_bytes(latest_file(1))
    assert series.latest() == NOT_OURS


def test_a_latest_that_is_a_folder_is_not_replaced(series: FolderSeries) -> None:
    placed(series, 1)
    (series.folder / "latest").mkdir()
    with pytest.raises(PublicationFailed, match="not a link that headgate made"):
        series.point_latest(1)


def test_where_links_do_not_work_a_file_names_the_latest(world) -> None:
    series = FolderSeries(world.home.releases, "people")
    series.folder.mkdir(parents=True)
    (series.folder / "latest.json").write_bytes(latest_file(3))
    assert series.latest() == 3
    series.point_latest(4)
    assert series.latest() == 4
    series.point_latest(None)
    assert list(series.folder.iterdir()) == []


def test_where_a_link_is_a_failure_to_make_the_next_is_no_reason_for_a_file(series: FolderSeries, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some readers would follow the old link, and others the file."""
    series.prepare()
    series.point_latest(1)

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(os, "symlink", broken)
        with pytest.raises(OSError, match="Input/output"):
            series.point_latest(2)
    assert (series.latest(), (series.folder / "latest.json").exists()) == (1, False)
    series.point_latest(2)
    assert series.latest() == 2
