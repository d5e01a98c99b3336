"""The one place that chooses what keeps the ledger: the scheme of HEADGATE_DATABASE_URL names the file `store_<scheme>.py` of this room."""

from __future__ import annotations

from functools import partial
from typing import cast

from headgate.core.errors import StoreUnavailable
from tasks.ledger.event_log import Ledger
from tasks.ledger.ledger_store import LedgerStore
from tasks.ledger.remembered_head import HeadMemory
from tasks.runtime.home import Home
from tasks.runtime.named_modules import module_named
from tasks.runtime.operator_settings import longest_gap_days


def open_ledger(home: Home) -> Ledger:
    """The ledger of this home, made if it does not exist; refused at once if it cannot be written."""
    ledger, memory = read_ledger(home), memory_of(home)
    with ledger.store.writing() as stored:
        memory.begin(stored, ledger.clock())
    return ledger


def read_ledger(home: Home) -> Ledger:
    """The ledger of this home as it lies there: nothing is made or written by opening it."""
    return Ledger(ledger_store(home.database_url), memory=memory_of(home))


def memory_of(home: Home) -> HeadMemory:
    return HeadMemory(home.state, home.keys, partial(longest_gap_days, home))


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
