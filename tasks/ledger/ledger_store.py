"""What a database must do to keep a ledger. A new one is one more file of this room, named after the scheme of its URL: `store_sqlite.py`.

A store keeps entries and locks as they are given. It knows no rule but one: entries are only ever appended. What an entry must hold,
which version is expected and who may hold a lock is decided outside of it (event_log.py, dataset_lock.py). tests/unit/tasks/ledger/
test_ledger_store.py holds what every store must pass.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from headgate.core.errors import Defect
from tasks.ledger.chain import Entry
from tasks.ledger.wanted_events import Wanted

LAST = "\U0010ffff"  # sorts after whatever else a subject may go on with


@dataclass(frozen=True)
class LockRow:
    """Who holds a dataset: `holder` is a random name of this one lock, `beat` the last sign of life in seconds since 1970."""

    dataset: str
    release: str
    holder: str
    machine: str
    process: int
    started: str
    beat: float


class LedgerTransaction(Protocol):
    """One consistent view of the ledger, which nobody else changes meanwhile."""

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        """As stored, in the order of the ledger; of one release where it is named."""
        ...

    def last(self, release: str | None = None) -> Entry | None:
        """The newest entry of the ledger, or of one release."""
        ...

    def entries_from(self, seq: int) -> tuple[Entry, ...]:
        """This entry and all after it, in the order of the ledger."""
        ...

    def following(self, seq: int, most: int) -> tuple[tuple[Entry, str], ...]:
        """Of the entries from this one on the first `most`, each with what it is said to be about, in the order of the ledger."""
        ...

    def about(self, type: str, subject: str, prefix: bool = False) -> Iterator[Entry]:
        """The entries of a type that are about a subject, or about one that begins so: newest first, read as they are taken."""
        ...

    def beginning(self, prefix: str) -> tuple[str, ...]:
        """The releases whose ids begin so, in the order of their ids."""
        ...

    def subjects(self) -> tuple[str, ...]:
        """What every entry is said to be about, in the order of the ledger."""
        ...

    def having(self, type: str, lacking: Collection[str]) -> tuple[Entry, ...]:
        """The entries of one type of releases that have none of the other types, in the order of the ledger."""
        ...

    def first(self, release: str) -> Entry | None:
        """The event with which a release began."""
        ...

    def at(self, seq: int) -> Entry | None:
        """The event of this number."""
        ...

    def listed(self, wanted: Wanted, before: int | None, most: int) -> tuple[Entry, ...]:
        """The newest that are wanted, at most so many, newest first; of those before this number where one is given. Of what is wanted in
        time, others of about that time may be among them."""
        ...

    def append(self, entry: Entry, subject: str) -> None:
        """`subject` is kept for look-ups alone: it is no part of the entry and proves nothing.

        IntegrityBroken unless `seq` is the ledger's next and `version` the release's next: (release, version) is unique."""
        ...

    def lock_of(self, dataset: str) -> LockRow | None: ...

    def set_lock(self, lock: LockRow) -> None:
        """Takes the place of the dataset's lock."""
        ...

    def remove_lock(self, dataset: str) -> None: ...


class NothingStored:
    """A ledger that nobody has begun, as readers see it."""

    def entries(self, release: str | None = None) -> tuple[Entry, ...]:
        return ()

    def entries_from(self, seq: int) -> tuple[Entry, ...]:
        return ()

    def following(self, seq: int, most: int) -> tuple[tuple[Entry, str], ...]:
        return ()

    def last(self, release: str | None = None) -> Entry | None:
        return None

    def about(self, type: str, subject: str, prefix: bool = False) -> Iterator[Entry]:
        return iter(())

    def beginning(self, prefix: str) -> tuple[str, ...]:
        return ()

    def subjects(self) -> tuple[str, ...]:
        return ()

    def having(self, type: str, lacking: Collection[str]) -> tuple[Entry, ...]:
        return ()

    def first(self, release: str) -> Entry | None:
        return None

    def at(self, seq: int) -> Entry | None:
        return None

    def listed(self, wanted: Wanted, before: int | None, most: int) -> tuple[Entry, ...]:
        return ()

    def append(self, entry: Entry, subject: str) -> None:
        raise _only_read()

    def lock_of(self, dataset: str) -> LockRow | None:
        return None

    def set_lock(self, lock: LockRow) -> None:
        raise _only_read()

    def remove_lock(self, dataset: str) -> None:
        raise _only_read()


def _only_read() -> Defect:
    return Defect("Tried to write in a ledger that was opened for reading.", "This is a defect of headgate; please report it.")


class LedgerStore(Protocol):
    """One ledger, opened for each use, so that threads and processes may share it. What cannot be used is StoreUnavailable; what was
    changed by another hand is IntegrityBroken."""

    def reading(self) -> AbstractContextManager[LedgerTransaction]:
        """Nothing is written."""
        ...

    def writing(self) -> AbstractContextManager[LedgerTransaction]:
        """The only writer while it lasts. All that was written is kept at the end, on disk; after an exception nothing is."""
        ...

    def weaknesses(self) -> tuple[str, ...]:
        """What the database does not protect the ledger from, though it could; in sentences."""
        ...
