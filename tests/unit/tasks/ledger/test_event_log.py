from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headgate.core.errors import Defect, IntegrityBroken, StoreUnavailable, TransitionRefused
from policies.ledger.events import CandidateViewed, moment
from tasks.ledger.chain import START, Entry, entries_from_lines, entries_to_lines, entry_hash
from tasks.ledger.event_log import Ledger
from tasks.ledger.ledger_store import LedgerStore
from tasks.ledger.store_sqlite import SqliteStore
from tests.unit.tasks.ledger.conftest import AT, fill, ingested, started, tamper


def test_what_is_appended_is_read_again_in_its_order(filled: Ledger) -> None:
    assert filled.events_of("r1") == (started(), ingested(), ingested())
    assert [(entry.seq, entry.release, entry.version) for entry in filled.entries()] == [
        (1, "r1", 1), (2, "r2", 1), (3, "r2", 2), (4, "r1", 2), (5, "r1", 3),
    ]  # fmt: skip
    assert filled.events_of("nobody") == ()


def test_a_chain_that_holds_verifies_and_an_empty_one_too(ledger: Ledger) -> None:
    assert ledger.verify_chain() == ()
    assert len(fill(ledger).verify_chain()) == 5


def test_of_two_who_append_at_the_same_moment_one_is_refused(filled: Ledger) -> None:
    with pytest.raises(TransitionRefused) as refusal:
        filled.append("r1", [ingested()], 2, "rue")
    assert refusal.value.refusals[0].rule == "overtaken"
    assert len(filled.entries()) == 5


def test_what_was_begun_is_done_only_while_its_lock_is_held_and_nobody_has_acted_since(filled: Ledger) -> None:
    """Meanwhile nobody writes, and what goes wrong is nobody's fault but the work's own."""
    done: list[str] = []
    with filled.lock("people", "r1") as lock:
        with filled.still_ours(lock, "r1", 3):
            done.append("whole")
        filled.append("r2", [ingested("r2")], 2, "rue")  # another release's
        for problem in (OSError(28, "its own"), StoreUnavailable("its own")):
            with pytest.raises(type(problem), match="its own"), filled.still_ours(lock, "r1", 3):
                raise problem
        with pytest.raises(TransitionRefused, match="stood still"), filled.still_ours(lock, "r1", 2):
            done.append("after an event")
        with pytest.raises(TransitionRefused, match="stood still"), filled.still_ours(replace(lock, holder="another"), "r1", 3):
            done.append("after another took the lock")
    with pytest.raises(TransitionRefused, match="stood still"), filled.still_ours(lock, "r1", 3):
        done.append("without a lock")
    assert done == ["whole"]


def test_many_threads_append_without_losing_or_doubling(ledger: Ledger) -> None:
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


def test_events_are_appended_all_or_none(ledger: Ledger) -> None:
    with pytest.raises(Defect, match="another release"):
        ledger.append("r1", [started(), ingested("r2")], 0, "rue")
    assert ledger.entries() == ()


def test_a_payload_that_says_something_else_than_its_columns_is_found(store: LedgerStore) -> None:
    """Somebody who rewrites the whole tail with good hashes still has to make payload and columns agree."""
    payload = started().model_dump_json()
    fields = (1, "r1", 1, "ingested", AT, "rue", payload, START, START)
    with store.writing() as stored:
        stored.append(Entry(*fields, entry_hash(*fields)), "people")
    with pytest.raises(IntegrityBroken, match="contradicts"):
        Ledger(store).verify_chain()


def test_an_entry_kept_as_being_about_something_else_is_found(path: Path) -> None:
    """What is looked up is kept beside the entry, outside its hash: a candidate could have been hidden, or shown for another."""
    tamper(path, "UPDATE events SET subject = 'others' WHERE seq = 1")
    ledger = Ledger(SqliteStore(path))
    with pytest.raises(IntegrityBroken, match="Event 1 is listed under"):
        ledger.verify_chain()
    with pytest.raises(IntegrityBroken, match="Event 1 is listed under"):
        ledger.about("run_started", "others")


def test_ledger_time_never_runs_backwards(store: LedgerStore) -> None:
    ledger = Ledger(store, lambda: datetime(2025, 6, 1, 11, tzinfo=UTC))
    assert ledger.now() == datetime(2025, 6, 1, 11, tzinfo=UTC)
    ledger.append("r1", [started()], 0, "rue")
    assert ledger.now() == datetime(2025, 6, 1, 12, tzinfo=UTC)
    assert Ledger(store, lambda: datetime(2026, 1, 1, tzinfo=UTC)).now() - ledger.now() > timedelta(days=200)


@pytest.mark.parametrize(("hours", "refused"), [(0.5, False), (1, False), (1.01, True), (24 * 365, True)])
def test_a_clock_that_was_set_back_records_nothing(store: LedgerStore, hours: float, refused: bool) -> None:
    """With the clock set back an expired key could have approved, and the publication under an honest clock believed it."""
    last = moment(fill(Ledger(store)).entries()[-1].at)
    ledger = Ledger(store, lambda: last - timedelta(hours=hours))
    if refused:
        with pytest.raises(StoreUnavailable, match="hours behind the last event") as problem:
            ledger.now()
        assert problem.value.code == 6
    else:
        assert ledger.now() == last


def test_an_entry_keeps_its_reason_whatever_it_holds(ledger: Ledger) -> None:
    name = "zoë\u2028\n\x7f'); DROP TABLE events; --"
    viewed = CandidateViewed(release_id="r1", at=AT, candidate="c" * 64, viewer=name)
    (entry,) = ledger.append("r1", [viewed], 0, name)
    assert ledger.events_of("r1") == (viewed,)
    assert entries_from_lines(entries_to_lines([entry]), "x") == (entry,)
    assert isinstance(entry, Entry)


def test_what_is_appended_is_logged_with_its_dataset_where_a_log_is_asked_for(tmp_path, monkeypatch) -> None:
    ledger = Ledger(SqliteStore(tmp_path / "ledger.db"))
    monkeypatch.setenv("HEADGATE_LOG", f"json:{tmp_path / 'log'}")
    ledger.append("r1", [started()], 0, "rue")
    ledger.append("r1", [ingested()], 1, "rue")
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(line["event"], line["release"], line["dataset"]) for line in lines] == [
        ("run_started", "r1", "people"),
        ("ingested", "r1", "people"),
    ]
