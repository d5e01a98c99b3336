"""What a home remembers of its ledger, and what somebody can do to the database without it noticing."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headgate.core.errors import HeadgateError, IntegrityBroken, StoreUnavailable
from tasks.ledger import remembered_head
from tasks.ledger.chain import START
from tasks.ledger.event_log import Ledger
from tasks.ledger.machine_time import Uptime
from tasks.ledger.remembered_head import HeadMemory
from tasks.ledger.store_sqlite import SqliteStore
from tasks.signing.home_keys import ledger_key
from tests.unit.tasks.ledger.conftest import fill, ingested, started, tamper

BEGAN = datetime(2025, 6, 1, 12, tzinfo=UTC)


@dataclass
class Machine:
    """A machine whose clock can be set, unlike the time since it started."""

    clock: datetime = BEGAN
    seconds: float = 500.0
    boot: str = "first"

    def passes(self, **span: float) -> None:
        self.clock += timedelta(**span)
        self.seconds += timedelta(**span).total_seconds()

    def uptime(self) -> Uptime:
        return Uptime(self.boot, self.seconds)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def kept(tmp_path: Path, machine: Machine) -> Ledger:
    """A ledger of five events, in a file, that its home remembers."""
    memory = HeadMemory(tmp_path / "state", tmp_path / "keys", lambda: 40, machine.uptime)
    ledger_key(memory.keys)
    ledger = Ledger(SqliteStore(tmp_path / "ledger.db"), lambda: machine.clock, memory)
    with ledger.store.writing() as stored:
        memory.begin(stored, machine.clock)
    return fill(ledger)


def uses(ledger: Ledger) -> tuple[Callable[[], object], ...]:
    return ledger.now, ledger.require_remembered, lambda: ledger.append("r9", [started("r9")], 0, "rue")


def refused(ledger: Ledger, because: str) -> None:
    for use in uses(ledger):
        with pytest.raises(IntegrityBroken, match=because) as found:
            use()
        assert found.value.code == 5


def test_after_each_append_the_highest_head_is_remembered(kept: Ledger) -> None:
    assert kept.memory is not None
    for version in (3, 4):
        (entry,) = kept.append("r1", [ingested()], version, "rue")
        remembered = kept.memory.read()
        assert remembered is not None
        assert (remembered.seq, remembered.hash) == (entry.seq, entry.hash)


def test_an_older_ledger_put_back_is_refused(kept: Ledger, tmp_path: Path) -> None:
    older = (tmp_path / "ledger.db").read_bytes()
    kept.append("r1", [ingested()], 3, "rue")
    (tmp_path / "ledger.db").write_bytes(older)
    refused(kept, "has seen event 6 of its ledger, and the ledger does not hold it: an older ledger was put back")


def test_a_ledger_whose_last_event_was_deleted_is_refused(kept: Ledger, tmp_path: Path) -> None:
    tamper(tmp_path / "ledger.db", "DELETE FROM events WHERE seq = 5")
    refused(kept, "has seen event 5 .* last events were deleted")


def test_a_ledger_that_was_started_anew_is_refused(kept: Ledger, tmp_path: Path) -> None:
    (tmp_path / "ledger.db").unlink()
    refused(kept, "has seen event 5 .* started anew")


def test_another_ledger_that_holds_by_itself_is_refused(kept: Ledger, tmp_path: Path) -> None:
    (tmp_path / "ledger.db").unlink()
    other = Ledger(kept.store)
    for number in range(7):
        other.append(f"r{number}", [started(f"r{number}")], 0, "eve")
    other.verify_chain()
    refused(kept, "replaced by another")


def test_an_event_that_does_not_follow_what_is_remembered_is_refused(kept: Ledger, tmp_path: Path) -> None:
    """Behind the remembered head lies what a killed writer had no time to remember: it is checked like the rest."""
    Ledger(kept.store).append("r1", [ingested()], 3, "rue")
    kept.now()
    tamper(tmp_path / "ledger.db", "UPDATE events SET actor = 'eve' WHERE seq = 6")
    refused(kept, "Event 6 was changed")


def test_a_memory_that_is_gone_or_forged_is_refused(kept: Ledger, tmp_path: Path) -> None:
    assert kept.memory is not None
    file, content = kept.memory.file, kept.memory.file.read_bytes()
    file.unlink()
    refused(kept, "remembers none of them")
    for forged in (b"", b"{}", content[:-40], content.replace(b'"sig": "', b'"sig": "00')):
        file.write_bytes(forged)
        refused(kept, "head.dsse.json")
    other = HeadMemory(tmp_path / "other", tmp_path / "other keys", lambda: 40)
    ledger_key(other.keys)
    other.remember(None, BEGAN)
    shutil.copy(other.file, file)
    refused(kept, "signed by another key")


def test_a_lost_key_is_never_made_anew(kept: Ledger, tmp_path: Path) -> None:
    """Nor where both halves are gone: a new key would sign what the lost one vouched for."""
    keys = tmp_path / "keys"
    (keys / "ledger").unlink()
    kept.append("r7", [started("r7")], 0, "rue")  # one event stands that nobody signs for, and no second
    for half in ("ledger", "ledger.pub"):
        (keys / half).unlink(missing_ok=True)
        with pytest.raises(StoreUnavailable, match="is missing: this home had it") as lost:
            kept.append("r8", [started("r8")], 0, "rue")
        assert "Restore the folder of keys" in lost.value.cure
        assert not (keys / "ledger").exists()


def test_a_memory_of_a_new_ledger_is_begun_once_and_never_for_one_with_events(kept: Ledger, tmp_path: Path) -> None:
    assert kept.memory is not None
    new = replace(kept.memory, folder=tmp_path / "new")
    with kept.store.reading() as stored, pytest.raises(IntegrityBroken, match="remembers none"):
        new.begin(stored, BEGAN)
    before = kept.memory.file.read_bytes()
    with kept.store.reading() as stored:
        kept.memory.begin(stored, BEGAN)
    assert kept.memory.file.read_bytes() == before


def test_a_lower_head_never_takes_the_place_of_a_higher_one(kept: Ledger) -> None:
    """Of two who append at once, the slower one remembers last."""
    assert kept.memory is not None
    kept.memory.remember(kept.entries()[2], BEGAN)
    remembered = kept.memory.read()
    assert remembered is not None
    assert remembered.seq == 5


def test_a_head_is_never_remembered_before_its_event_is_on_disk(kept: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at the end of the transaction, a home that remembered too early would refuse its own ledger for ever."""

    @contextmanager
    def killed_before_the_end(self: SqliteStore) -> Iterator[object]:
        with honest(self) as stored:
            yield stored
            raise KeyboardInterrupt

    honest = SqliteStore.writing
    with monkeypatch.context() as patched:
        patched.setattr(SqliteStore, "writing", killed_before_the_end)
        with pytest.raises(KeyboardInterrupt):
            kept.append("r1", [ingested()], 3, "rue")
    assert len(kept.entries()) == 5
    kept.now()


def test_killed_before_the_head_was_remembered_the_next_writer_goes_on(kept: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept.memory is not None

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(remembered_head, "replace_file", killed)
        with pytest.raises(KeyboardInterrupt):
            kept.append("r1", [ingested()], 3, "rue")
    assert len(kept.entries()) == 6
    kept.append("r1", [ingested()], 4, "rue")
    remembered = kept.memory.read()
    assert remembered is not None
    assert remembered.seq == 7


def test_where_nothing_can_be_remembered_one_event_stands_and_no_second_is_written(kept: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(remembered_head, "replace_file", full)
    kept.append("r1", [ingested()], 3, "rue")
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        kept.append("r1", [ingested()], 4, "rue")
    assert len(kept.entries()) == 6


def test_many_who_append_at_once_leave_the_highest_head_remembered(kept: Ledger) -> None:
    assert kept.memory is not None
    problems: list[HeadgateError] = []

    def work(number: int) -> None:
        for version in range(5):
            try:
                kept.append(f"t{number}", [started(f"t{number}")], version, "rue")
                kept.now()
            except HeadgateError as problem:
                problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    remembered = kept.memory.read()
    assert remembered is not None
    assert (problems, remembered.seq, len(kept.entries())) == ([], 25, 25)


def test_what_is_remembered_holds_figures_of_the_machine_and_no_more(kept: Ledger) -> None:
    import base64

    assert kept.memory is not None
    said = json.loads(base64.b64decode(json.loads(kept.memory.file.read_bytes())["payload"]))
    assert said["predicate"].keys() == {"seq", "hash", "clock", "boot", "seconds"}
    assert said["subject"] == [{"name": "head", "digest": {"sha256": kept.entries()[-1].hash}}]
    assert said["predicate"]["hash"] != START


def test_a_clock_set_forward_writes_nothing_and_the_ledgers_time_stays(kept: Ledger, machine: Machine) -> None:
    """Set to 2099 for one `show`, it made everything expire for ever."""
    machine.passes(days=3)
    honest, machine.clock = machine.clock, datetime(2099, 1, 1, tzinfo=UTC)
    for use in (kept.now, lambda: kept.append("r1", [ingested()], 3, "rue")):
        with pytest.raises(StoreUnavailable, match="was set forward by"):
            use()
    machine.clock = honest
    assert kept.now() == BEGAN + timedelta(days=3)


def test_many_small_steps_forward_add_up(kept: Ledger, machine: Machine) -> None:
    machine.clock += timedelta(minutes=50)
    kept.append("r1", [ingested()], 3, "rue")
    machine.clock += timedelta(minutes=50)
    with pytest.raises(StoreUnavailable, match="was set forward by 2 hours"):
        kept.append("r1", [ingested()], 4, "rue")


def test_after_a_restart_time_is_measured_from_the_next_write(kept: Ledger, machine: Machine) -> None:
    machine.passes(days=20)
    machine.boot, machine.seconds = "second", 10.0
    kept.append("r1", [ingested()], 3, "rue")
    machine.passes(hours=5)
    kept.append("r1", [ingested()], 4, "rue")
    machine.clock += timedelta(hours=2)
    with pytest.raises(StoreUnavailable, match="was set forward by 2 hours"):
        kept.now()


def test_after_a_long_gap_the_operator_confirms_the_clock(kept: Ledger, machine: Machine) -> None:
    assert kept.memory is not None
    machine.boot, machine.seconds = "second", 10.0
    machine.clock += timedelta(days=41)
    with pytest.raises(StoreUnavailable, match="last written 41 days ago"):
        kept.append("r1", [ingested()], 3, "rue")
    kept.memory.remember(kept.entries()[-1], machine.clock, anew=True)
    kept.append("r1", [ingested()], 3, "rue")
