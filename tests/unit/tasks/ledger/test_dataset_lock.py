from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from headgate.core.errors import TransitionRefused
from tasks.ledger.dataset_lock import (
    DEAD_AFTER_SECONDS,
    Process,
    _started,
    acquire,
    dataset_lock,
    holder_of,
    let_go,
    still_held,
    this_process,
)
from tasks.ledger.ledger_store import LedgerStore
from tasks.ledger.store_sqlite import SqliteStore


def test_a_second_release_of_the_same_dataset_is_refused_while_the_first_runs(store: LedgerStore) -> None:
    with dataset_lock(store, "people", "r1") as lock:
        assert lock.taken_from is None
        with pytest.raises(TransitionRefused, match="r1 of dataset people is running") as refusal, dataset_lock(store, "people", "r2"):
            pass
        assert refusal.value.code == 4
        assert refusal.value.cure
        with dataset_lock(store, "other", "r3"):
            pass
    with dataset_lock(store, "people", "r2") as lock:
        assert lock.taken_from is None


def test_a_lock_is_let_go_when_its_release_breaks(store: LedgerStore) -> None:
    with pytest.raises(ZeroDivisionError), dataset_lock(store, "people", "r1"):
        raise ZeroDivisionError
    with dataset_lock(store, "people", "r2"):
        pass


def test_the_lock_of_a_process_that_died_is_taken_over_and_its_release_named(tmp_path: Path) -> None:
    script = (
        "import os, sys, time; from pathlib import Path; from tasks.ledger.dataset_lock import acquire, this_process;"
        "from tasks.ledger.store_sqlite import SqliteStore;"
        "acquire(SqliteStore(Path(sys.argv[1])), 'people', 'r1', this_process(), time.time()); os._exit(9)"
    )
    store, root = SqliteStore(tmp_path / "ledger.db"), Path(__file__).resolve().parents[4]
    ended = subprocess.run([sys.executable, "-c", script, str(store.path)], check=False, cwd=root)
    assert ended.returncode == 9
    with dataset_lock(store, "people", "r2") as lock:
        assert lock.taken_from == "r1"


def test_a_later_process_with_the_same_number_is_not_the_holder(store: LedgerStore) -> None:
    here = this_process()
    acquire(store, "people", "r1", replace(here, started="12345"), time.time())
    assert acquire(store, "people", "r2", here, time.time()).taken_from == "r1"


def test_a_holder_on_another_machine_counts_while_it_beats(store: LedgerStore) -> None:
    far, here = Process("elsewhere", 1, "1"), this_process()
    lock = acquire(store, "people", "r1", far, 1000.0)
    with pytest.raises(TransitionRefused):
        acquire(store, "people", "r2", here, 1000.0 + DEAD_AFTER_SECONDS - 1)
    assert still_held(store, lock, 2000.0)
    with pytest.raises(TransitionRefused):
        acquire(store, "people", "r2", here, 2000.0 + DEAD_AFTER_SECONDS - 1)
    taken = acquire(store, "people", "r2", here, 2000.0 + DEAD_AFTER_SECONDS)
    assert taken.taken_from == "r1"
    assert not still_held(store, lock, 3000.0)
    let_go(store, lock)
    assert still_held(store, taken, 3000.0)


@pytest.mark.parametrize("beat", [-DEAD_AFTER_SECONDS, 3601.0, 10.0**12, float("inf")])
def test_a_live_process_that_does_not_beat_now_holds_nothing(store: LedgerStore, beat: float) -> None:
    """Process 1 always runs; a lock in its name, or a beat from the future, blocked a dataset for ever."""
    first = Process(this_process().machine, 1, _started(1))
    acquire(store, "people", "r1", first, 1e6 + beat)
    assert acquire(store, "people", "r2", this_process(), 1e6).taken_from == "r1"


def test_who_has_a_dataset_is_known_while_their_process_lives(store: LedgerStore) -> None:
    assert holder_of(store, "people") is None
    with dataset_lock(store, "people", "r1"):
        assert holder_of(store, "people") == "r1"
    acquire(store, "people", "r2", replace(this_process(), number=2**22 + 1), time.time())
    assert holder_of(store, "people") is None


def test_a_process_whose_start_is_not_known_holds_nothing(store: LedgerStore) -> None:
    """The start of a process that has ended is not known either."""
    acquire(store, "people", "r1", replace(this_process(), number=2**22 + 1, started=""), 1e6)
    assert acquire(store, "people", "r2", this_process(), 1e6).taken_from == "r1"


def test_the_same_process_number_elsewhere_is_another_process(store: LedgerStore) -> None:
    """In another container the number of a running release is nobody's, and its lock was taken from it."""
    inside = replace(this_process(), machine=this_process().machine + "elsewhere", number=2**22 + 1)
    acquire(store, "people", "r1", inside, 1e6)
    with pytest.raises(TransitionRefused):
        acquire(store, "people", "r2", this_process(), 1e6 + 1)
    assert os.readlink("/proc/self/ns/pid") in this_process().machine


def test_a_holder_beats_while_it_works(store: LedgerStore) -> None:
    def beat() -> float:
        with store.reading() as stored:
            return stored.lock_of("people").beat

    with dataset_lock(store, "people", "r1", beat_seconds=0.02):
        first = beat()
        deadline = time.monotonic() + 60
        while beat() == first:
            assert time.monotonic() < deadline
            time.sleep(0.02)
