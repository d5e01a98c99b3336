"""How long a query may take, and how its result is fetched: some rows at a time, since it may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tasks.runtime.waiting_time import seconds_in

if TYPE_CHECKING:
    from sqlalchemy import Connection

SECONDS_VARIABLE = "HEADGATE_QUERY_SECONDS"
ROWS_AT_ONCE = 10_000

Part = tuple[tuple[str, ...], Sequence[Sequence[Any]]]  # the names of the columns, and some rows


def query_seconds() -> float:
    """How long a query may take: HEADGATE_QUERY_SECONDS, or an hour."""
    return seconds_in(SECONDS_VARIABLE, 3600)


def parts_as_sent(connection: Connection, query: str) -> Iterator[Part]:
    result = connection.execution_options(stream_results=True).exec_driver_sql(query)
    if result.returns_rows:
        names = tuple(map(str, result.keys()))
        yield names, ()
        for rows in result.partitions(ROWS_AT_ONCE):
            yield names, rows
