"""Step 3: multi-valued attributes become bitmap columns, and with them it is known what the release promises of each column."""

from __future__ import annotations

from headgate.projection.bitmap import bitmap_table
from policies.specs import promise_of
from tasks.workbench import Workbench, present


def transform(bench: Workbench) -> int:
    """The number of sensitive columns after the transformation."""
    ingested = present(bench.ingested, "encoded source")
    bench.table = bitmap_table(ingested.table, ingested.specs)
    bench.promise = promise_of(bench.loaded.policy, bench.table)
    return len(bench.table.sensitive)
