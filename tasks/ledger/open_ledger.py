"""The one place that chooses what keeps the ledger: the scheme of HEADGATE_DATABASE_URL names the file `store_<scheme>.py` of this room."""

from __future__ import annotations

from typing import cast

from headgate.core.errors import StoreUnavailable
from tasks.ledger.event_log import Ledger
from tasks.ledger.ledger_store import LedgerStore
from tasks.runtime.home import Home
from tasks.runtime.named_modules import module_named


def open_ledger(home: Home) -> Ledger:
    """The ledger of this home, made if it does not exist; refused at once if it cannot be written."""
    store = ledger_store(home.database_url)
    with store.writing():
        return Ledger(store)


def ledger_store(url: str) -> LedgerStore:
    """A URL may hold a password: no message repeats more of it than its scheme."""
    scheme = url.partition(":")[0].partition("+")[0]
    module = module_named("tasks.ledger", "store_", scheme)
    if module is None:
        raise StoreUnavailable(
            "HEADGATE_DATABASE_URL names a database in which headgate cannot keep its ledger.",
            "Write sqlite:////absolute/path/ledger.db, or unset it: then ledger.db in the home is used.",
        )
    return cast(LedgerStore, module.open_store(url))
