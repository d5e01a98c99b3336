"""A home is restored whole or not at all, with its modes and its ledger."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.backup import restore_home
from tasks.backup.backup_target import only_user
from tasks.backup.make_backup import back_up
from tasks.ledger.open_ledger import read_ledger
from tasks.runtime.home import Home
from tasks.verification.audit import verify_audit
from tasks.verification.check_up import accept_ledger


def test_without_the_operators_key_a_home_is_restored_that_signs_nothing(kept: Any) -> None:
    kept.world.published()
    kept.back_up()
    restored = kept.restore(key=None)
    assert {path.name for path in (restored.home / "keys").iterdir()} <= {"ledger.pub", "runner.pub", "own"}
    home = Home.read(restored.home)
    assert verify_audit(home, read_ledger(home)).versions == 1
    with pytest.raises(StoreUnavailable, match=r"keys/\w+ is missing: this home had it"):
        kept.world_of(restored).published()


def test_a_home_that_is_not_empty_is_left_alone(kept: Any, below: Any) -> None:
    kept.back_up()
    before = below(kept.world.home.root)
    with pytest.raises(InputRejected, match="is not empty"):
        kept.restore("home")
    assert below(kept.world.home.root) == before
    (kept.folder / "link").symlink_to(kept.folder / "nowhere")
    with pytest.raises(InputRejected, match="is not a folder"):
        kept.restore("link")


@pytest.mark.parametrize("point", [1, 4, 12, 25])
def test_killed_while_it_restores_it_leaves_no_home_and_the_same_command_completes_it(
    kept: Any, point: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.world.published()
    made = kept.back_up()
    write, done = restore_home._write, 0

    def killed(*arguments: Any) -> None:
        nonlocal done
        done += 1
        if done == point:
            raise SystemExit
        write(*arguments)

    monkeypatch.setattr(restore_home, "_write", killed)
    with pytest.raises(SystemExit):
        kept.restore()
    monkeypatch.undo()
    assert not (kept.folder / "restored").exists()
    assert kept.whole(kept.restore()) == made.manifest.seq


def test_two_restores_to_one_place_never_mix_and_none_goes_into_the_target(kept: Any) -> None:
    """Each from a target of its own: the later one removed what the earlier one was writing, which then wrote on into the later one's."""
    kept.back_up()
    with only_user(kept.folder), pytest.raises(StoreUnavailable, match="Another command uses"):
        kept.restore()
    assert not list(kept.folder.glob("*restor*"))
    with pytest.raises(InputRejected, match="in the backup's own folder"):
        kept.restore("target/home")


def test_what_is_given_up_is_given_up_by_the_operator_alone(kept: Any) -> None:
    """Restored although a version came out later: nothing is written until the operator accepts it, and takes that version away."""
    kept.world.published()
    kept.back_up()
    later = kept.world.published()
    restored = kept.restore(published=[later.folder], accept_loss=True)
    world = kept.world_of(restored)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        world.seal()
    accept_ledger(world.home, world.ledger)
    assert world.published().version == 2


def test_what_is_given_up_without_keys_is_given_up_by_nobody_who_brings_them_later(kept: Any) -> None:
    """`age -d` gives the keys without headgate. The home remembered the backup's own end, and went on as if nothing was lost."""
    kept.world.published()
    kept.back_up()
    later = kept.world.published()
    restored = kept.restore(key=None, published=[later.folder], accept_loss=True)
    shutil.copytree(kept.world.home.keys, restored.home / "keys", dirs_exist_ok=True)
    with pytest.raises(IntegrityBroken, match="remembers none of them"):
        kept.world_of(restored)
    home = Home.read(restored.home)
    assert accept_ledger(home, read_ledger(home)) == restored.verified.manifest.seq
    assert kept.world_of(restored).ledger.last().seq == restored.verified.manifest.seq


def test_a_backup_of_the_right_kind_is_restored_with_the_modes_it_had(kept: Any) -> None:
    kept.world.published()
    kept.back_up()
    home = kept.restore().home
    assert [path for path in (home, *home.iterdir()) if stat.S_IMODE(path.lstat().st_mode) & 0o077 and path.name != "releases"] == [
        path for path in home.iterdir() if path.name == "signers" and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert stat.S_IMODE((home / "keys" / "ledger").stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "releases" / "people" / "1" / "manifest.json").stat().st_mode) == 0o444


@pytest.mark.slow
def test_a_ledger_moves_between_databases_and_one_that_outlived_its_home_stays(
    kept: Any, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From SQLite into PostgreSQL, which goes on; then only the home is lost; then back into SQLite."""
    kept.world.published()
    first = kept.back_up()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    restored = kept.restore()
    assert not (restored.home / "ledger.db").exists()
    assert kept.whole(restored) == first.manifest.seq
    moved = kept.world_of(restored)
    moved.seal()
    last = moved.ledger.last().seq
    again = kept.restore("again")
    assert (again.database, read_ledger(Home.read(again.home)).last().seq) == (last, last)
    target = tmp_path / "from postgresql"
    assert back_up(moved.home, moved.ledger, target, [kept.recipient]).manifest.seq == last
    monkeypatch.delenv("HEADGATE_DATABASE_URL")
    assert kept.whole(kept.restore("back", target=target)) == last


@pytest.mark.slow
def test_a_database_with_another_ledger_is_left_alone(kept: Any, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.world.seal()
    older = kept.back_up().name
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    kept.world_of(kept.restore()).seal()
    monkeypatch.delenv("HEADGATE_DATABASE_URL")
    kept.world.published()
    kept.back_up()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    with pytest.raises(IntegrityBroken, match="is not among them"):
        kept.restore("other")
    assert kept.restore("again", name=older).database
