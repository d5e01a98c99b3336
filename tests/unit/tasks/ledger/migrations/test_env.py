from __future__ import annotations

import pytest

from tasks.ledger.event_log import Ledger
from tasks.ledger.store_postgresql import open_store
from tests.unit.postgresql import execute
from tests.unit.tasks.ledger.conftest import fill


@pytest.mark.slow
def test_the_revision_is_kept_beside_the_ledger_and_nothing_runs_twice(database: str) -> None:
    ledger = fill(Ledger(open_store(database)))
    assert execute(database, "SELECT version_num FROM headgate.alembic_version") == [("0001",)]
    ledger.append("r3", [], 0, "rue")
    assert len(ledger.entries()) == 5
