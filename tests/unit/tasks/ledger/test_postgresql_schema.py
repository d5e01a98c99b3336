from __future__ import annotations

import pytest
from sqlalchemy import create_engine

from tasks.ledger.event_log import Ledger
from tasks.ledger.postgresql_schema import EVENTS, LOCKS, definitions_of, exists, expected
from tasks.ledger.store_postgresql import open_store
from tests.unit.tasks.ledger.conftest import fill


def test_every_column_index_trigger_and_function_is_expected_by_what_it_does() -> None:
    kinds = [kind for kind, _, _ in expected()]
    assert {kind: kinds.count(kind) for kind in kinds} == {"table": 2, "column": 18, "index": 5, "trigger": 3, "function": 2}
    assert len(EVENTS.columns) + len(LOCKS.columns) == 18


@pytest.mark.slow
def test_what_was_made_is_what_is_expected(database: str) -> None:
    engine = create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        assert (exists(connection), definitions_of(connection)) == (False, frozenset())
    fill(Ledger(open_store(database)))
    with engine.connect() as connection:
        assert exists(connection)
        assert definitions_of(connection) == expected()
    engine.dispose()
