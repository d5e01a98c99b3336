from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, IntegrityBroken, StoreUnavailable
from tasks.ledger import store_sqlite
from tasks.ledger.event_log import Ledger
from tasks.ledger.ledger_store import LockRow
from tasks.ledger.store_sqlite import SqliteStore, definitions_of
from tests.unit.tasks.ledger.conftest import ingested


@pytest.mark.parametrize("statement", ["UPDATE events SET actor = 'eve'", "DELETE FROM events WHERE seq = 5", "DELETE FROM events"])
def test_the_database_itself_refuses_to_change_or_delete(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_the_database_itself_refuses_to_replace_or_to_leave_a_gap(path: Path) -> None:
    connection = sqlite3.connect(path)
    for verb, seq, version in (("REPLACE", 5, 3), ("INSERT", 9, 4), ("INSERT", 6, 9), ("INSERT OR REPLACE", 1, 1)):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(f"{verb} INTO events VALUES (?, 'r1', ?, 't', 'a', 'eve', '{{}}', 'x', 'y', 'z', '')", (seq, version))
    connection.close()


def test_removed_guards_are_found(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TRIGGER events_no_update")
    connection.close()
    with pytest.raises(IntegrityBroken, match="guards"):
        Ledger(SqliteStore(path)).entries()


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TRIGGER events_no_delete", "CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT 1; END"),
        ("DROP TRIGGER events_no_delete", "CREATE TRIGGER events_no_delete BEFORE DELETE ON locks BEGIN SELECT 1; END"),
        ("CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM locks; END",),
        ("CREATE VIEW more AS SELECT * FROM events",),
        ("CREATE TABLE more (a)",),
        ("CREATE INDEX more ON events (actor)",),
        ("ALTER TABLE events ADD COLUMN more TEXT",),
    ],
)
def test_guards_of_the_right_name_that_do_nothing_and_foreign_ones_are_found(path: Path, statements: tuple[str, ...]) -> None:
    """An empty trigger of the right name would have let every event be deleted."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()
    for use in (Ledger(SqliteStore(path)).entries, Ledger(SqliteStore(path)).now):
        with pytest.raises(IntegrityBroken, match="guards"):
            use()


def test_the_ledger_file_is_private(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [path.name for path in path.parent.iterdir()] == ["file.db"]


def test_a_file_that_is_no_ledger_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is not a database, but it is long enough to look like one" * 40)
    with pytest.raises(StoreUnavailable, match="not a ledger") as refusal:
        Ledger(SqliteStore(tmp_path / "text.db")).entries()
    assert refusal.value.cure
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE things (a)")
    other.commit()
    other.close()
    with pytest.raises(StoreUnavailable, match="is another program's database"):
        Ledger(SqliteStore(tmp_path / "other.db")).entries()
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreUnavailable):
        Ledger(SqliteStore(tmp_path / "folder.db")).entries()


def test_a_damaged_ledger_is_refused_in_words(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(bytes(content))
    with pytest.raises(HeadgateError) as refusal:
        Ledger(SqliteStore(path)).verify_chain()
    assert refusal.value.code in (5, 6)
    assert "backup" in refusal.value.cure


def test_a_newer_ledger_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(StoreUnavailable, match="format 2"):
        Ledger(SqliteStore(path)).entries()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_ledger_that_cannot_be_written_is_refused(path: Path) -> None:
    path.chmod(0o400)
    path.parent.chmod(0o500)
    with pytest.raises(StoreUnavailable):
        Ledger(SqliteStore(path)).append("r1", [ingested()], 3, "rue")
    path.parent.chmod(0o700)


def test_readers_make_nothing(tmp_path: Path) -> None:
    ledger = Ledger(SqliteStore(tmp_path / "home" / "ledger.db"))
    assert (ledger.entries(), ledger.verify_chain(), ledger.events_of("r1")) == ((), (), ())
    assert list(tmp_path.iterdir()) == []


UNFINISHED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("INSERT INTO locks SELECT hex(randomblob(40)), 'r', hex(randomblob(4000)), 'm', 1, 's', 1.0 FROM events AS a, events")
os._exit(9)
"""


def test_a_ledger_whose_writer_was_killed_is_read_from_a_copy_and_left_as_it_is(path: Path) -> None:
    """The journal of an unfinished commit has to be rolled back, which a reader must not do to the file itself."""
    before = Ledger(SqliteStore(path)).entries()
    subprocess.run([sys.executable, "-c", UNFINISHED, str(path)], check=False)
    journal = path.with_name(path.name + "-journal")
    assert journal.stat().st_size > 512
    kept = (path.read_bytes(), journal.read_bytes())
    assert Ledger(SqliteStore(path)).entries() == before
    assert (path.read_bytes(), journal.read_bytes()) == kept
    Ledger(SqliteStore(path)).append("r1", [ingested()], 3, "rue")
    assert not journal.exists()


def test_a_foreign_trigger_is_found_whatever_it_is_called(path: Path) -> None:
    """One whose name began with sqlite_ swallowed rejections that their signers were told were recorded."""
    text = "CREATE TRIGGER sqlite_x BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_x', 'events', 0, ?)", (text,))
    with pytest.raises(IntegrityBroken, match="guards"):
        Ledger(SqliteStore(path)).entries()


def test_a_row_that_the_database_swallows_is_not_recorded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TRIGGER more BEFORE INSERT ON locks BEGIN SELECT RAISE(IGNORE); END")
    monkeypatch.setattr(store_sqlite, "_expected", lambda: definitions(path))
    lock = LockRow("people", "release", "holder", "machine", 1, "now", 1.0)
    with pytest.raises(IntegrityBroken, match="did not keep it"), SqliteStore(path).writing() as stored:
        stored.set_lock(lock)


def definitions(path: Path) -> frozenset[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return store_sqlite.definitions_of(connection)


def test_a_ledger_of_an_earlier_version_is_read_as_it_is_and_gets_its_index_when_it_is_written(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "ledger.db")
    with store.writing():
        pass
    with closing(sqlite3.connect(store.path)) as earlier:
        earlier.execute("DROP INDEX events_by_actor")

    def has_it() -> bool:
        with closing(sqlite3.connect(store.path)) as connection:
            return any(name == "events_by_actor" for _, name, _ in definitions_of(connection))

    with store.reading() as stored:
        assert stored.last() is None
    assert not has_it()
    with store.writing():
        pass
    assert has_it()
