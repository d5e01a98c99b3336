"""Step 3: multi-valued attributes become bitmap columns, and with them it is known what the release promises of each column."""

from __future__ import annotations

from dataclasses import replace

from headgate.projection.bitmap import bitmap_table
from policies.specs import promise_of
from tasks.dictionaries import encode_dictionaries
from tasks.suppress_cells import suppress, suppressed_cells
from tasks.workbench import Workbench, present


def suppress_cells(bench: Workbench) -> int:
    """The number of cells that MinRisk takes out. What they were is known to attackers still, and to the count queries."""
    ingested = present(bench.ingested, "encoded source")
    bench.registers = encode_dictionaries(bench.loaded, ingested.table)
    after = suppress(bench.loaded.policy, ingested.table, bench.registers, ingested.own)
    bench.source_table, bench.ingested = ingested.table, replace(ingested, table=after)
    bench.suppressed_cells = suppressed_cells(ingested.table, after)
    return sum(bench.suppressed_cells.values())


def transform(bench: Workbench) -> int:
    """The number of sensitive columns after the transformation."""
    ingested = present(bench.ingested, "encoded source")
    bench.table = bitmap_table(ingested.table, ingested.specs)
    bench.original = bench.table if bench.source_table is None else bitmap_table(bench.source_table, ingested.specs)
    bench.promise = promise_of(bench.loaded.policy, bench.table)
    return len(bench.table.sensitive)
