"""Publication and withdrawal killed before each of the system calls they make, in a forked process, then run again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.ledger.event_log import Ledger
from tasks.ledger.store_sqlite import SqliteStore
from tasks.publication.publish_version import publish
from tasks.publication.withdraw import withdraw
from tasks.runtime.home import Home
from tasks.stores.store_folder import FolderSeries
from tasks.verification.audit import examine_audit, verify_audit
from tasks.verification.verify import verify_folder

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]
CALLS = frozenset(
    {"os.rename", "os.mkdir", "os.link", "os.symlink", "os.remove", "os.rmdir", "os.chmod", "sqlite3.connect", "shutil.rmtree"}
)


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Runs `work` in a child that dies, without any clean-up, before its `number`-th write. False if it ended first."""
    child = os.fork()
    if child == 0:
        seen = 0

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            writes = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
            if writes or event in CALLS:
                seen += 1
                if seen == number:
                    os._exit(9)

        sys.addaudithook(watch)
        try:
            work()
        except BaseException:  # noqa: BLE001 - a child must not run on into pytest
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 9


def visible(series: FolderSeries) -> list[int]:
    return [int(path.name) for path in series.folder.iterdir() if path.name.isdigit()] if series.folder.exists() else []


@pytest.mark.long
def test_a_publication_killed_anywhere_shows_nothing_or_all_of_a_version_and_is_finished_by_publishing_again(world, tmp_path: Path) -> None:
    world.published()
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    kills, before_the_rename, after_the_rename = 0, 0, 0
    for number in range(1, 400):
        home = Home.open(tmp_path / "killed")
        shutil.rmtree(home.root)
        shutil.copytree(world.home.root, home.root, symlinks=True)
        ledger, series = Ledger(SqliteStore(home.ledger), world.clock), FolderSeries(home.releases, "people")
        if not killed_at(number, lambda home=home, ledger=ledger: publish(home, ledger, candidate.id)):
            break
        kills += 1
        shown = visible(series)
        assert shown in ([1], [1, 2], [2, 1])
        before_the_rename += 2 not in shown
        after_the_rename += 2 in shown
        for version in shown:
            if version == 2:
                verify_folder(series.version(version))
        assert series.latest() in (1, 2)
        assert series.latest() == 1 or 2 in shown
        assert examine_audit(home, ledger).faults == ()
        made = publish(home, ledger, candidate.id)
        assert made.version == 2
        assert series.latest() == 2
        assert sorted(path.name for path in series.folder.iterdir()) == ["1", "2", "latest"]
        assert verify_audit(home, ledger).versions == 2
        assert [release.state for release in _releases(ledger)] == ["superseded", "published"]
    else:
        pytest.fail("the publication never ended")
    assert kills > 25
    assert before_the_rename > 10
    assert after_the_rename > 5


@pytest.mark.long
def test_a_withdrawal_killed_anywhere_is_finished_by_withdrawing_again(world, tmp_path: Path) -> None:
    world.published()
    world.published()
    kills = 0
    for number in range(1, 100):
        home = Home.open(tmp_path / "killed")
        shutil.rmtree(home.root)
        shutil.copytree(world.home.root, home.root, symlinks=True)
        ledger, series = Ledger(SqliteStore(home.ledger), world.clock), FolderSeries(home.releases, "people")

        def work(home: Home = home, ledger: Ledger = ledger) -> object:
            return withdraw(home, ledger, "release-2", world.keys["ann"], "a mistake")

        if not killed_at(number, work):
            break
        kills += 1
        assert examine_audit(home, ledger).faults == ()
        work()
        assert series.latest() == 1
        assert sorted(path.name for path in series.folder.iterdir()) == ["1", "2", "latest"]
        assert verify_folder(series.version(2)).withdrawn
        verify_audit(home, ledger)
    else:
        pytest.fail("the withdrawal never ended")
    assert kills > 8


def _releases(ledger: Ledger):
    from tasks.ledger.history import read_whole

    return read_whole(ledger).releases()
