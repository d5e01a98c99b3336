"""The files of a published table: one, or parts where it has more rows than one file should hold.

Which rows share a part says nothing: they are dealt out in an order that a keyed hash gives (`order_of_rows`)."""

from __future__ import annotations

import re

from headgate.core.errors import InputRejected

TABLES = "tables/"
ROWS_PER_PART = 1_000_000
MOST_PARTS = 10_000
TABLE_FILE = re.compile(r"tables/([^/]+?)(?:/part-(\d{5}))?\.([a-z]+)")  # the table, the part and the format


def sizes_of_parts(rows: int, most: int = ROWS_PER_PART) -> tuple[int, ...]:
    """As few parts as can be, none of them empty, that differ by one row at most."""
    parts = max(1, -(-rows // most))
    if parts > MOST_PARTS:
        raise InputRejected(
            f"A table of {rows:,} rows would be published in more than {MOST_PARTS:,} parts.",
            f"Set publish.rows_per_part to at least {-(-rows // MOST_PARTS):,}.",
        )
    fewer, more = divmod(rows, parts)
    return tuple(fewer + (part < more) for part in range(parts))


def table_paths(table: str, ending: str, parts: int) -> tuple[str, ...]:
    """Where a table lies in one format, in the order of its parts; a table of one part is one file."""
    if parts <= 1:
        return (f"{TABLES}{table}.{ending}",)
    return tuple(f"{TABLES}{table}/part-{part:05}.{ending}" for part in range(parts))
