"""A backup is made while others write, costs what is new, and is whole or none."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from tasks.backup import make_backup, stored_objects
from tasks.backup.last_backup import last_backup
from tasks.backup.opened_backup import backup_names


def test_a_backup_holds_the_whole_home_and_a_restored_one_goes_on(kept: Any, below: Any) -> None:
    world = kept.world
    world.published()
    candidate = world.seal()
    with closing(sqlite3.connect(world.home.root / "console.db")) as accounts:
        accounts.execute("CREATE TABLE accounts (name TEXT)")
        accounts.commit()
    made = kept.back_up()
    assert (made.manifest.seq, last_backup(world.home).seq) == (world.ledger.last().seq, made.manifest.seq)
    restored = kept.restore()
    assert kept.whole(restored) == made.manifest.seq
    passing = ("ledger.db", "state/head.dsse.json", "state/backup.json", "console.db")
    held = {path: content for path, content in below(restored.home).items() if path not in passing}
    assert held == {path: content for path, content in below(world.home.root).items() if path not in passing}
    after = kept.world_of(restored)
    after.approve(candidate, "ann", "bob")
    assert after.publish(candidate).version == 2
    assert (restored.home / "releases" / "people" / "latest").resolve().name == "2"


def test_the_next_backup_costs_what_is_new(kept: Any) -> None:
    kept.world.published()
    first = kept.back_up()
    again = kept.back_up()
    assert (again.copied, again.written, again.manifest.files) == (0, 0, first.manifest.files)
    before = {path: path.stat().st_ino for path in (kept.target / "objects").rglob("*") if path.is_file()}
    candidate = kept.world.seal()
    new = kept.back_up()
    after = {path: path.stat().st_ino for path in (kept.target / "objects").rglob("*") if path.is_file()}
    assert {path: after.get(path) for path in before} == before
    changed = {file.path for file in new.manifest.files} - {file.path for file in first.manifest.files}
    assert {path.split("/")[1] for path in changed if path.startswith("candidates/")} == {candidate.id}
    assert new.copied < len(first.manifest.objects)


def test_a_file_that_has_not_changed_is_not_read_again(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.world.published()
    kept.back_up()
    read: list[str] = []
    pieces = make_backup._pieces
    monkeypatch.setattr(make_backup, "_pieces", lambda listed: read.append(listed.path) or pieces(listed))
    kept.back_up()
    assert [path for path in read if not path.startswith("keys/")] == []


@pytest.mark.parametrize("point", [1, 2, 5, 9, 14])
def test_killed_at_any_moment_there_is_no_backup_and_the_next_one_completes_it(
    kept: Any, point: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends at the n-th rename of a content, without a word to anybody."""
    kept.world.published()
    done = 0
    rename = os.rename

    def killed(before: Any, after: Any) -> None:
        nonlocal done
        done += 1
        if done == point:
            raise SystemExit
        rename(before, after)

    monkeypatch.setattr(stored_objects.os, "rename", killed)
    with pytest.raises(SystemExit):
        kept.back_up()
    monkeypatch.undo()
    assert backup_names(kept.target) == ()
    (kept.target / "objects" / ".draft-left").write_bytes(b"half")
    kept_before = {path: path.stat().st_ino for path in (kept.target / "objects").glob("??/*")}
    made = kept.back_up()
    assert {path: path.stat().st_ino for path in kept_before} == kept_before
    assert not list((kept.target / "objects").glob(".draft*"))
    assert kept.whole(kept.restore()) == made.manifest.seq


def test_without_its_signature_a_backup_is_none(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(make_backup, "replace_file", killed)
    with pytest.raises(SystemExit):
        kept.back_up()
    monkeypatch.undo()
    assert len(list((kept.target / "backups").iterdir())) == 1
    assert backup_names(kept.target) == ()
    with pytest.raises(InputRejected, match="no complete backup"):
        kept.restore()
    assert kept.back_up().name in backup_names(kept.target)


def test_what_is_begun_while_it_is_made_is_not_in_it(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release is sealed, approved and published after the home was listed, and what lay there goes on as it was."""
    kept.world.published()
    collect, at = make_backup._collect, kept.world.ledger.last().seq
    later: list[Any] = []

    def meanwhile(*arguments: Any) -> Any:
        if not later:
            later.append(kept.world.published())
        return collect(*arguments)

    monkeypatch.setattr(make_backup, "_collect", meanwhile)
    made = kept.back_up()
    assert made.manifest.seq == at
    assert [file.path for file in made.manifest.files if later[0].release.candidate in file.path] == []
    restored = kept.restore(accept_loss=False)
    assert kept.whole(restored) == at
    assert (restored.home / "releases" / "people" / "latest").resolve().name == "1"


def test_a_file_that_goes_away_meanwhile_makes_it_begin_again(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.world.published()
    extra = kept.world.home.root / "comments" / "passing"
    extra.parent.mkdir()
    extra.write_text("a")
    collect = make_backup._collect

    def gone(*arguments: Any) -> Any:
        extra.unlink(missing_ok=True)
        return collect(*arguments)

    monkeypatch.setattr(make_backup, "_collect", gone)
    made = kept.back_up()
    assert "comments/passing" not in {file.path for file in made.manifest.files}
    assert kept.whole(kept.restore())


def test_a_ledger_that_fell_back_is_not_backed_up(kept: Any) -> None:
    older = kept.world.home.ledger.read_bytes()
    kept.world.seal()
    kept.back_up()
    kept.world.home.ledger.write_bytes(older)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        kept.back_up()
    kept.world.ledger.remember_anew()  # by somebody who may
    with pytest.raises(IntegrityBroken, match="The newest backup in the target holds event 8"):
        kept.back_up()


def test_nobody_who_could_open_the_keys_means_no_backup(kept: Any) -> None:
    with pytest.raises(InputRejected, match="Nobody is named"):
        kept.back_up(recipients=[])
    (kept.world.home.root / "operator.yaml").write_text(f'backup: {{recipients: ["{kept.recipient}"]}}\n')
    assert kept.back_up(recipients=[]).recipients == (kept.world.keys["stranger"].fingerprint,)


def test_a_link_in_the_home_is_refused(kept: Any, tmp_path: Path) -> None:
    (kept.world.home.root / "comments").mkdir()
    (kept.world.home.root / "comments" / "link").symlink_to(tmp_path / "opener")
    with pytest.raises(HeadgateError, match="a link or a special file"):
        kept.back_up()


def test_the_accounts_of_a_home_of_any_name_are_those_of_that_home(kept: Any, tmp_path: Path) -> None:
    """SQLite reads `#`, `?` and `%41` in an address as something else."""
    odd = tmp_path / "home #2?%41"
    shutil.copytree(kept.world.home.root, odd, symlinks=True)
    with closing(sqlite3.connect(odd / "console.db")) as accounts:
        accounts.execute("CREATE TABLE accounts (name TEXT)")
        accounts.commit()
    world = kept.world_of(SimpleNamespace(home=odd))
    make_backup.back_up(world.home, world.ledger, kept.target, [kept.recipient])
    with closing(sqlite3.connect(kept.restore().home / "console.db")) as accounts:
        assert accounts.execute("SELECT COUNT(*) FROM accounts").fetchone() == (0,)
