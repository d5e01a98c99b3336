from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken
from tasks.ledger.chain import (
    check_chain,
    check_own_chain,
    entries_from_lines,
    entries_to_lines,
    entry_hash,
    head_of,
    signed_head,
    verify_head,
)
from tasks.ledger.event_log import Ledger
from tasks.ledger.store_sqlite import SqliteStore
from tests.unit.tasks.ledger.conftest import AT, started, tamper


def test_export_is_one_line_an_event_and_reads_back(filled: Ledger) -> None:
    text = entries_to_lines(filled.entries())
    assert len(text.splitlines()) == 5
    assert json.loads(text.splitlines()[0])["type"] == "run_started"
    assert entries_from_lines(text, "export") == filled.entries()
    check_chain(entries_from_lines(text, "export"))


@pytest.mark.parametrize("line", ["{}", "1", "nope", '{"seq": "1"}', "[" * 10_000])
def test_lines_that_are_no_events_are_refused(line: str) -> None:
    with pytest.raises(IntegrityBroken, match="line 1"):
        entries_from_lines(line + "\n", "x")


def test_a_key_given_twice_in_a_line_is_refused(filled: Ledger) -> None:
    """One reader would take the first, another the last."""
    line = entries_to_lines(filled.entries()[:1])
    for old, new in (("{", '{"actor": "somebody else", '), ('"payload": "{', '"payload": "{\\"dataset\\": \\"other\\", ')):
        assert line.count(old) >= 1
        with pytest.raises(IntegrityBroken, match="line 1"):
            entries_from_lines(line.replace(old, new, 1), "x")


def test_half_a_character_in_an_event_is_refused(filled: Ledger) -> None:
    """JSON can write it, but it has no bytes that a hash could cover."""
    line = entries_to_lines(filled.entries()[:1])
    entries_from_lines(line, "x")
    with pytest.raises(IntegrityBroken, match="line 1"):
        entries_from_lines(line.replace('"actor": "', '"actor": "\\ud800'), "x")


def test_own_events_prove_themselves_without_the_others(filled: Ledger) -> None:
    own = filled.entries("r1")
    assert check_own_chain(own, "r1") == own[-1]
    for forged in (own[1:], (own[0], own[2]), own[::-1], (*own, filled.entries("r2")[0]), ()):
        with pytest.raises(IntegrityBroken):
            check_own_chain(forged, "r1")


def test_a_signed_head_names_the_end_of_the_chain(filled: Ledger, keys) -> None:
    last = filled.entries()[-1]
    content, envelope = signed_head(last, keys["runner"])
    head, signed = verify_head(content, envelope)
    assert (head, signed.fingerprint) == (head_of(last), keys["runner"].fingerprint)
    other, _ = signed_head(filled.entries()[0], keys["runner"])
    for broken in (other, content.replace(b'"seq":5', b'"seq":4'), b"{}"):
        with pytest.raises(IntegrityBroken):
            verify_head(broken, envelope)


@pytest.mark.parametrize("column", ["release", "type", "at", "actor", "payload", "release_previous", "previous", "hash"])
def test_a_changed_row_is_found(path: Path, column: str) -> None:
    tamper(path, f"UPDATE events SET {column} = {column} || 'x' WHERE seq = 3")
    with pytest.raises(IntegrityBroken) as found:
        Ledger(SqliteStore(path)).verify_chain()
    assert "3" in found.value.message or "4" in found.value.message
    assert found.value.cure


def test_a_deleted_and_an_inserted_row_are_found(path: Path) -> None:
    tamper(path, "DELETE FROM events WHERE seq = 2")
    with pytest.raises(IntegrityBroken, match="Event 2 is missing"):
        Ledger(SqliteStore(path)).verify_chain()
    tamper(
        path,
        "INSERT INTO events SELECT 2, 'r2', 1, type, at, actor, payload, release_previous, previous, 'q', '' FROM events WHERE seq = 1",
    )
    with pytest.raises(IntegrityBroken, match="Event 2"):
        Ledger(SqliteStore(path)).verify_chain()


def test_a_row_changed_with_its_own_hash_made_anew_is_found_by_its_follower(path: Path) -> None:
    old = Ledger(SqliteStore(path)).entries()[2]
    new = entry_hash(3, "r2", 2, old.type, old.at, "eve", old.payload, old.release_previous, old.previous)
    tamper(path, f"UPDATE events SET actor = 'eve', hash = '{new}' WHERE seq = 3")
    with pytest.raises(IntegrityBroken, match="Event 4 does not follow"):
        Ledger(SqliteStore(path)).verify_chain()


def test_the_hash_of_an_entry_is_what_the_docstring_says(filled: Ledger) -> None:
    """By hand from the definition: each field in UTF-8 with its length, in the order of the columns."""
    first = filled.entries()[0]
    text = b""
    for field in ("headgate entry 1", "1", "r1", "1", "run_started", AT, "rue", started().model_dump_json(), "0" * 64, "0" * 64):
        text += str(len(field.encode())).encode() + b":" + field.encode() + b","
    assert first.hash == hashlib.sha256(text).hexdigest()
    second = filled.entries()[3]
    assert second.previous == filled.entries()[2].hash
    assert second.release_previous == first.hash
