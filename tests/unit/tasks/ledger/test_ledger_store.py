"""What every store of a ledger must do. The one in memory passes too: the Protocol asks for all that is needed, and for no more."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from headgate.core.errors import HeadgateError, IntegrityBroken
from tasks.ledger.chain import Entry, entry_hash
from tasks.ledger.ledger_store import LedgerStore, LockRow
from tasks.ledger.wanted_events import Wanted


def entry(seq: int, release: str, version: int, payload: str = "{}") -> Entry:
    fields = (seq, release, version, "run_started", "2025-06-01T12:00:00+00:00", "rue", payload, "x", "y")
    return Entry(*fields, entry_hash(*fields))


FIRST, SECOND, THIRD = entry(1, "r1", 1), entry(2, "r2", 1), entry(3, "r1", 2)
ABOUT = {FIRST: "people", SECOND: "people", THIRD: "people and more"}
LOCK = LockRow("people", "r1", "holder", "machine", 12, "3.45", 1000.5)


def append(store: LedgerStore, *entries: Entry) -> None:
    with store.writing() as stored:
        for one in entries:
            stored.append(one, ABOUT.get(one, ""))


def test_a_new_ledger_is_empty(store: LedgerStore) -> None:
    with store.reading() as stored:
        assert (stored.entries(), stored.last(), stored.last("r1"), stored.lock_of("people")) == ((), None, None, None)


def test_entries_come_back_as_they_were_given_in_the_order_of_the_ledger(store: LedgerStore) -> None:
    append(store, FIRST, SECOND, THIRD)
    with store.reading() as stored:
        assert stored.entries() == (FIRST, SECOND, THIRD)
        assert stored.entries("r1") == (FIRST, THIRD)
        assert stored.entries("nobody") == ()


def test_heads_are_the_newest_of_the_ledger_and_of_a_release(store: LedgerStore) -> None:
    append(store, FIRST, SECOND, THIRD)
    with store.reading() as stored:
        assert (stored.last(), stored.last("r1"), stored.last("r2"), stored.last("nobody")) == (THIRD, THIRD, SECOND, None)


def test_entries_are_found_by_what_they_are_about_newest_first(store: LedgerStore) -> None:
    append(store, FIRST, SECOND, THIRD)
    with store.reading() as stored:
        assert tuple(stored.about("run_started", "people")) == (SECOND, FIRST)
        assert tuple(stored.about("run_started", "people", prefix=True)) == (THIRD, SECOND, FIRST)
        assert tuple(stored.about("run_started", "peop", prefix=True)) == (THIRD, SECOND, FIRST)
        assert tuple(stored.about("run_started", "people and", prefix=True)) == (THIRD,)
        assert next(iter(stored.about("run_started", "people"))) == SECOND
        for type, subject in (("run_started", "peop"), ("sealed", "people"), ("run_started", ""), ("run_started", "people%")):
            assert tuple(stored.about(type, subject)) == ()
        assert stored.subjects() == ("people", "people", "people and more")


def test_entries_are_read_a_few_at_a_time(store: LedgerStore) -> None:
    with store.reading() as stored:
        assert stored.following(0, 5) == ()
    append(store, FIRST, SECOND, THIRD)
    with store.reading() as stored:
        assert stored.following(0, 2) == ((FIRST, "people"), (SECOND, "people"))
        assert stored.following(3, 2) == ((THIRD, "people and more"),)
        assert stored.following(4, 2) == ()


def test_the_first_event_of_a_release_and_any_by_its_number(store: LedgerStore) -> None:
    append(store, FIRST, SECOND, THIRD)
    with store.reading() as stored:
        assert [stored.first(release) for release in ("r1", "r2", "nobody")] == [FIRST, SECOND, None]
        assert [stored.at(seq) for seq in (0, 1, 3, 4)] == [None, FIRST, THIRD, None]


def test_events_are_listed_by_what_is_wanted_newest_first(store: LedgerStore) -> None:
    begun = [replace(FIRST, at="2025-06-01T12:00:00+00:00"), replace(SECOND, at="2025-06-02T12:00:00+00:00")]
    seen = []
    for seq, actor in enumerate("abab", 3):
        seen.append(replace(entry(seq, "r1", seq - 1), type="viewed", actor=actor, at=f"2025-06-{seq:02}T12:00:00+00:00"))
    with store.writing() as stored:
        for one, subject in ((begun[0], "people"), (begun[1], "clinic"), *((one, "") for one in seen)):
            stored.append(one, subject)

    def found(before: int | None = None, most: int = 10, **wanted: str) -> list[int]:
        with store.reading() as stored:
            return [one.seq for one in stored.listed(Wanted(**wanted), before, most)]

    assert found() == [6, 5, 4, 3, 2, 1]
    assert (found(before=5, most=2), found(before=1), found(most=1)) == ([4, 3], [], [6])
    assert (found(dataset="people"), found(dataset="clinic"), found(dataset="none")) == ([6, 5, 4, 3, 1], [2], [])
    assert (found(release="r2"), found(actor="a"), found(type="run_started")) == ([2], [5, 3], [2, 1])
    assert found(dataset="people", actor="b", type="viewed", release="r1", before=6) == [4]
    assert found(actor="a", dataset="clinic") == []
    assert found(actor="a' OR '1'='1") == []
    assert found(since="2025-06-03T11:00:00+00:00", until="2025-06-05T11:00:00+00:00") == [4, 3]
    assert found(since="2025-06-09T00:00:00+00:00") == found(until="2025-05-01T00:00:00+00:00") == []


def test_releases_are_found_by_how_their_ids_begin(store: LedgerStore) -> None:
    append(store, FIRST, SECOND, THIRD, entry(4, "s1", 1))
    with store.reading() as stored:
        assert [stored.beginning(prefix) for prefix in ("r", "r1", "s", "1", "r11", "_1")] == [("r1", "r2"), ("r1",), ("s1",), (), (), ()]


def test_releases_that_have_one_event_and_lack_others_are_found(store: LedgerStore) -> None:
    ended = replace(entry(4, "r2", 2), type="published")
    append(store, FIRST, SECOND, replace(THIRD, type="ingested"), ended)
    with store.reading() as stored:
        for type, lacking, releases in (
            ("run_started", ["published", "withdrawn"], ("r1",)),
            ("run_started", ["withdrawn"], ("r1", "r2")),
            ("run_started", [], ("r1", "r2")),
            ("sealed", ["published"], ()),
        ):
            found = stored.having(type, lacking)
            assert tuple(one.release for one in found) == releases
            assert all(one in stored.entries() and one.type == type for one in found)


def test_a_transaction_sees_what_it_has_written_itself(store: LedgerStore) -> None:
    with store.writing() as stored:
        stored.append(FIRST, "")
        assert stored.last() == FIRST
        stored.append(SECOND, "")
        assert stored.entries() == (FIRST, SECOND)


@pytest.mark.parametrize(
    "wrong",
    [entry(3, "r1", 1), entry(3, "r1", 3), entry(2, "r1", 2), entry(4, "r1", 2), entry(1, "r3", 1)],
    ids=["version again", "version after a gap", "place again", "place after a gap", "first place again"],
)
def test_nothing_is_written_over_or_beyond_a_gap(store: LedgerStore, wrong: Entry) -> None:
    append(store, FIRST, SECOND)
    with pytest.raises(IntegrityBroken):
        append(store, wrong)
    with store.reading() as stored:
        assert stored.entries() == (FIRST, SECOND)


def test_an_exception_leaves_nothing_of_a_transaction(store: LedgerStore) -> None:
    append(store, FIRST)

    def break_off() -> None:
        with store.writing() as stored:
            stored.append(SECOND, "")
            stored.set_lock(LOCK)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    with store.reading() as stored:
        assert stored.entries() == (FIRST,)
        assert stored.lock_of("people") is None


def test_a_reader_s_view_does_not_change_under_its_eyes(store: LedgerStore) -> None:
    append(store, FIRST)
    with store.reading() as stored:
        before = stored.entries()
        writer = threading.Thread(target=append, args=(store, SECOND))
        writer.start()
        writer.join(0.05)
        assert stored.entries() == before
    writer.join()
    with store.reading() as stored:
        assert stored.entries() == (FIRST, SECOND)


def test_there_is_one_writer_at_a_time(store: LedgerStore) -> None:
    """Each reads the head and appends after it: two who could do so at once would take one place twice."""
    refused: list[HeadgateError] = []

    def work(release: str) -> None:
        for version in range(1, 9):
            try:
                with store.writing() as stored:
                    last = stored.last()
                    stored.append(entry(1 if last is None else last.seq + 1, release, version), "")
            except HeadgateError as problem:
                refused.append(problem)

    threads = [threading.Thread(target=work, args=(f"r{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not refused
    with store.reading() as stored:
        assert [one.seq for one in stored.entries()] == list(range(1, 33))


@pytest.mark.parametrize("payload", ["", "{}", "zoë\u2028\n'); DROP TABLE events; --", "\\x00 \x7f", "x" * 100_000])
def test_a_payload_keeps_every_character(store: LedgerStore, payload: str) -> None:
    kept = entry(1, "r1", 1, payload)
    append(store, kept)
    with store.reading() as stored:
        assert stored.last() == kept


def test_a_lock_is_set_replaced_and_removed_by_its_dataset(store: LedgerStore) -> None:
    with store.writing() as stored:
        stored.set_lock(LOCK)
        stored.set_lock(replace(LOCK, dataset="other", release="r2"))
        assert stored.lock_of("people") == LOCK
    with store.writing() as stored:
        stored.set_lock(replace(LOCK, beat=2000.25))
    with store.writing() as stored:
        assert stored.lock_of("people") == replace(LOCK, beat=2000.25)
        stored.remove_lock("people")
        stored.remove_lock("nobody's")
    with store.reading() as stored:
        assert stored.lock_of("people") is None
        assert stored.lock_of("other") == replace(LOCK, dataset="other", release="r2")
