"""The one place that chooses what keeps the ledger: the scheme of HEADGATE_DATABASE_URL names the file `store_<scheme>.py` of this room."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import cast

from headgate.core.errors import StoreUnavailable
from tasks.ledger.event_log import Ledger
from tasks.ledger.ledger_store import LedgerStore, NothingStored
from tasks.ledger.remembered_head import HeadMemory
from tasks.runtime.home import Home
from tasks.runtime.named_modules import module_named
from tasks.runtime.operator_settings import longest_gap_days
from tasks.signing.home_keys import lacks_ledger_key


def open_ledger(home: Home) -> Ledger:
    """The ledger of this home, made if it does not exist; refused at once if it cannot be written."""
    ledger, memory = read_ledger(home), memory_of(home)
    with ledger.store.writing() as stored:
        memory.begin(stored, ledger.clock())
    return ledger


def read_ledger(home: Home) -> Ledger:
    """The ledger of this home as it lies there: nothing is made or written by opening it."""
    return Ledger(ledger_store(home.database_url), memory=memory_of(home))


def found_ledger(home: Home) -> Ledger:
    """The same, of a home that has one: a mistyped home, or one whose ledger is lost, would look like one without releases. Where a head is
    remembered, whoever checks the ledger finds that it is gone."""
    ledger = read_ledger(home)
    with ledger.store.reading() as stored:
        begun = not isinstance(stored, NothingStored)
    if not begun and not memory_of(home).file.exists():
        raise StoreUnavailable(
            f"There is no ledger in {home.root}.",
            "Set HEADGATE_HOME to the home that has it, or restore it from a backup. A new home gets its ledger with its first release.",
        )
    return ledger


def home_with_ledger() -> Home:
    """For commands about what is there already: where there is no ledger, no home is made either."""
    found_ledger(Home.read())
    return Home.open()


@dataclass(frozen=True)
class LookedAt:
    """A home in which somebody looks at what is not published. `unrecorded`: why no event can say that they did; empty where one will."""

    home: Home
    ledger: Ledger
    unrecorded: str = ""


def home_to_look_at() -> LookedAt:
    """A copy of a home, or one that is mounted for reading only, is read as it is. Whoever can write records that they looked."""
    home = Home.read()
    ledger = found_ledger(home)
    unrecorded = _why_unrecorded(home)
    if unrecorded:
        return LookedAt(home, ledger, unrecorded)
    home = Home.open()
    return LookedAt(home, open_ledger(home))


def _why_unrecorded(home: Home) -> str:
    if not all(os.access(path, os.W_OK) for path in (home.root, home.ledger, home.state) if path.exists()):
        return f"the home {home.root} cannot be written"
    if lacks_ledger_key(home.keys):
        return f"{home.keys} has no private key of the ledger"
    return ""


def memory_of(home: Home) -> HeadMemory:
    return HeadMemory(home.state, home.keys, partial(longest_gap_days, home.root))


def ledger_store(url: str) -> LedgerStore:
    """A URL may hold a password: no message repeats more of it than its scheme."""
    scheme = url.partition(":")[0].partition("+")[0]
    module = module_named("tasks.ledger", "store_", scheme)
    if module is None:
        raise StoreUnavailable(
            "HEADGATE_DATABASE_URL names a database in which headgate cannot keep its ledger.",
            "Write postgresql://USER:PASSWORD@HOST/DATABASE or sqlite:////absolute/path/ledger.db, or unset it: then ledger.db in the "
            "home is used.",
        )
    return cast(LedgerStore, module.open_store(url))
