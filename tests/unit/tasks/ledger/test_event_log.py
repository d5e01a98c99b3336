from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headgate.core.errors import Defect, HeadgateError, IntegrityBroken, StoreUnavailable, TransitionRefused
from policies.ledger.events import CandidateViewed, RunStarted, SourceIngested
from policies.sealed.manifest import Signer
from tasks.ledger.chain import (
    Entry,
    check_chain,
    check_own_chain,
    entries_from_lines,
    entries_to_lines,
    head_of,
    signed_head,
    verify_head,
)
from tasks.ledger.event_log import SqliteLedger, open_ledger

AT = "2025-06-01T12:00:00+00:00"


def started(release: str = "r1", at: str = AT) -> RunStarted:
    return RunStarted(
        release_id=release,
        at=at,
        dataset="people",
        policy_digest="a" * 64,
        runner=Signer(principal="rue", fingerprint="f"),
        product="headgate",
    )


def ingested(release: str = "r1", rows: int = 10) -> SourceIngested:
    return SourceIngested(release_id=release, at=AT, rows=rows, columns=4, source_hmac="b" * 64)


@pytest.fixture
def ledger(tmp_path: Path) -> SqliteLedger:
    return open_ledger(tmp_path / "ledger.db")


@pytest.fixture
def filled(ledger: SqliteLedger) -> SqliteLedger:
    ledger.append("r1", [started()], 0, "rue")
    ledger.append("r2", [started("r2"), ingested("r2")], 0, "rue")
    ledger.append("r1", [ingested(), ingested()], 1, "rue")
    return ledger


def tamper(path: Path, *statements: str) -> None:
    """What somebody with the file and SQLite can do: the triggers dropped, the rows changed, the triggers put back."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in guards:
        connection.execute(sql)
    connection.execute("COMMIT")
    connection.close()


def test_what_is_appended_is_read_again_in_its_order(filled: SqliteLedger) -> None:
    assert filled.events_of("r1") == (started(), ingested(), ingested())
    assert [(entry.seq, entry.release, entry.version) for entry in filled.entries()] == [
        (1, "r1", 1), (2, "r2", 1), (3, "r2", 2), (4, "r1", 2), (5, "r1", 3),
    ]  # fmt: skip
    assert filled.events_of("nobody") == ()


def test_the_hash_of_an_entry_is_what_the_docstring_says(filled: SqliteLedger) -> None:
    """By hand from the definition: each field in UTF-8 with its length, in the order of the columns."""
    first = filled.entries()[0]
    text = b""
    for field in ("headgate entry 1", "1", "r1", "1", "run_started", AT, "rue", started().model_dump_json(), "0" * 64, "0" * 64):
        text += str(len(field.encode())).encode() + b":" + field.encode() + b","
    assert first.hash == hashlib.sha256(text).hexdigest()
    second = filled.entries()[3]
    assert second.previous == filled.entries()[2].hash
    assert second.release_previous == first.hash


def test_a_chain_that_holds_verifies_and_an_empty_one_too(filled: SqliteLedger, tmp_path: Path) -> None:
    assert len(filled.verify_chain()) == 5
    assert open_ledger(tmp_path / "other.db").verify_chain() == ()


@pytest.mark.parametrize("statement", ["UPDATE events SET actor = 'eve'", "DELETE FROM events WHERE seq = 5", "DELETE FROM events"])
def test_the_database_itself_refuses_to_change_or_delete(filled: SqliteLedger, statement: str) -> None:
    connection = sqlite3.connect(filled.path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_the_database_itself_refuses_to_replace_or_to_leave_a_gap(filled: SqliteLedger) -> None:
    connection = sqlite3.connect(filled.path)
    for verb, seq, version in (("REPLACE", 5, 3), ("INSERT", 9, 4), ("INSERT", 6, 9), ("INSERT OR REPLACE", 1, 1)):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(f"{verb} INTO events VALUES (?, 'r1', ?, 't', 'a', 'eve', '{{}}', 'x', 'y', 'z')", (seq, version))
    connection.close()


@pytest.mark.parametrize("column", ["release", "type", "at", "actor", "payload", "release_previous", "previous", "hash"])
def test_a_changed_row_is_found(filled: SqliteLedger, column: str) -> None:
    tamper(filled.path, f"UPDATE events SET {column} = {column} || 'x' WHERE seq = 3")
    with pytest.raises(IntegrityBroken) as found:
        filled.verify_chain()
    assert "3" in found.value.message or "4" in found.value.message
    assert found.value.cure


def test_a_deleted_and_an_inserted_row_are_found(filled: SqliteLedger) -> None:
    tamper(filled.path, "DELETE FROM events WHERE seq = 2")
    with pytest.raises(IntegrityBroken, match="Event 2 is missing"):
        filled.verify_chain()
    tamper(
        filled.path,
        "INSERT INTO events SELECT 2, 'r2', 1, type, at, actor, payload, release_previous, previous, 'q' FROM events WHERE seq = 1",
    )
    with pytest.raises(IntegrityBroken, match="Event 2"):
        filled.verify_chain()


def test_a_row_changed_with_its_own_hash_made_anew_is_found_by_its_follower(filled: SqliteLedger) -> None:
    from tasks.ledger.chain import entry_hash

    old = filled.entries()[2]
    new = entry_hash(3, "r2", 2, old.type, old.at, "eve", old.payload, old.release_previous, old.previous)
    tamper(filled.path, f"UPDATE events SET actor = 'eve', hash = '{new}' WHERE seq = 3")
    with pytest.raises(IntegrityBroken, match="Event 4 does not follow"):
        filled.verify_chain()


def test_removed_guards_are_found(filled: SqliteLedger) -> None:
    connection = sqlite3.connect(filled.path, isolation_level=None)
    connection.execute("DROP TRIGGER events_no_update")
    connection.close()
    with pytest.raises(IntegrityBroken, match="guards"):
        filled.entries()


def test_of_two_who_append_at_the_same_moment_one_is_refused(filled: SqliteLedger) -> None:
    with pytest.raises(TransitionRefused) as refusal:
        filled.append("r1", [ingested()], 2, "rue")
    assert refusal.value.refusals[0].rule == "overtaken"
    assert len(filled.entries()) == 5


def test_many_threads_append_without_losing_or_doubling(ledger: SqliteLedger) -> None:
    refused: list[str] = []

    def work(number: int) -> None:
        for version in range(8):
            try:
                ledger.append(f"r{number % 2}", [started(f"r{number % 2}")], version, "rue")
            except TransitionRefused:
                refused.append("again")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = ledger.verify_chain()
    assert len(entries) + len(refused) == 32
    assert {entry.release for entry in entries} == {"r0", "r1"}


def test_events_are_appended_all_or_none(ledger: SqliteLedger) -> None:
    with pytest.raises(Defect, match="another release"):
        ledger.append("r1", [started(), ingested("r2")], 0, "rue")
    assert ledger.entries() == ()


def test_a_payload_that_says_something_else_than_its_columns_is_found(ledger: SqliteLedger) -> None:
    """Somebody who rewrites the whole tail with good hashes still has to make payload and columns agree."""
    from tasks.ledger.chain import START, entry_hash

    payload = started().model_dump_json()
    digest = entry_hash(1, "r1", 1, "ingested", AT, "rue", payload, START, START)
    tamper(ledger.path, f"INSERT INTO events VALUES (1, 'r1', 1, 'ingested', '{AT}', 'rue', '{payload}', '{START}', '{START}', '{digest}')")
    with pytest.raises(IntegrityBroken, match="contradicts"):
        ledger.verify_chain()


def test_ledger_time_never_runs_backwards(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "l.db", lambda: datetime(2025, 6, 1, 11, tzinfo=UTC))
    assert ledger.now() == datetime(2025, 6, 1, 11, tzinfo=UTC)
    ledger.append("r1", [started()], 0, "rue")
    assert ledger.now() == datetime(2025, 6, 1, 12, tzinfo=UTC)
    assert SqliteLedger(ledger.path, lambda: datetime(2026, 1, 1, tzinfo=UTC)).now() - ledger.now() > timedelta(days=200)


def test_export_is_one_line_an_event_and_reads_back(filled: SqliteLedger) -> None:
    text = entries_to_lines(filled.entries())
    assert len(text.splitlines()) == 5
    assert json.loads(text.splitlines()[0])["type"] == "run_started"
    assert entries_from_lines(text, "export") == filled.entries()
    check_chain(entries_from_lines(text, "export"))


@pytest.mark.parametrize("line", ["{}", "1", "nope", '{"seq": "1"}', "[" * 10_000])
def test_lines_that_are_no_events_are_refused(line: str) -> None:
    with pytest.raises(IntegrityBroken, match="line 1"):
        entries_from_lines(line + "\n", "x")


def test_own_events_prove_themselves_without_the_others(filled: SqliteLedger) -> None:
    own = filled.entries("r1")
    assert check_own_chain(own, "r1") == own[-1]
    for forged in (own[1:], (own[0], own[2]), own[::-1], (*own, filled.entries("r2")[0]), ()):
        with pytest.raises(IntegrityBroken):
            check_own_chain(forged, "r1")


def test_a_signed_head_names_the_end_of_the_chain(filled: SqliteLedger, keys) -> None:
    last = filled.entries()[-1]
    content, envelope = signed_head(last, keys["runner"])
    head, signed = verify_head(content, envelope)
    assert (head, signed.fingerprint) == (head_of(last), keys["runner"].fingerprint)
    other, _ = signed_head(filled.entries()[0], keys["runner"])
    for broken in (other, content.replace(b'"seq":5', b'"seq":4'), b"{}"):
        with pytest.raises(IntegrityBroken):
            verify_head(broken, envelope)


def test_the_ledger_file_is_private(ledger: SqliteLedger) -> None:
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert [path.name for path in ledger.path.parent.iterdir()] == ["ledger.db"]


def test_a_file_that_is_no_ledger_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is not a database, but it is long enough to look like one" * 40)
    with pytest.raises(StoreUnavailable, match="not a ledger") as refusal:
        open_ledger(tmp_path / "text.db")
    assert refusal.value.cure
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE things (a)")
    other.commit()
    other.close()
    with pytest.raises(StoreUnavailable, match="something else"):
        open_ledger(tmp_path / "other.db")
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreUnavailable):
        open_ledger(tmp_path / "folder.db")


def test_a_damaged_ledger_is_refused_in_words(filled: SqliteLedger) -> None:
    content = bytearray(filled.path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    filled.path.write_bytes(bytes(content))
    with pytest.raises(HeadgateError) as refusal:
        filled.verify_chain()
    assert refusal.value.code in (5, 6)
    assert "backup" in refusal.value.cure


def test_a_newer_ledger_is_refused(ledger: SqliteLedger) -> None:
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(StoreUnavailable, match="form 2"):
        ledger.entries()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_ledger_that_cannot_be_written_is_refused(filled: SqliteLedger) -> None:
    filled.path.chmod(0o400)
    filled.path.parent.chmod(0o500)
    with pytest.raises(StoreUnavailable):
        filled.append("r1", [ingested()], 3, "rue")
    filled.path.parent.chmod(0o700)


def test_an_entry_keeps_its_reason_whatever_it_holds(ledger: SqliteLedger) -> None:
    name = "zoë\u2028\n\x00'); DROP TABLE events; --"
    viewed = CandidateViewed(release_id="r1", at=AT, candidate="c" * 64, viewer=name)
    (entry,) = ledger.append("r1", [viewed], 0, name)
    assert ledger.events_of("r1") == (viewed,)
    assert entries_from_lines(entries_to_lines([entry]), "x") == (entry,)
    assert isinstance(entry, Entry)
