"""Step 3: multi-valued attributes become bitmap columns, and with them it is known what the release promises of each column. Before it,
where the policy asks for them: what attackers may hold is read, and MinRisk takes cells out."""

from __future__ import annotations

from headgate.projection.bitmap import bitmap_table
from policies.sealed.specs import promise_of
from tasks.reading.dictionaries import Dictionaries, encode_dictionaries
from tasks.reading.suppress_cells import suppress, suppressed_cells
from tasks.release.workbench import Workbench, present


def read_dictionaries(bench: Workbench) -> int:
    """The number of dictionaries that attackers may hold beside the source."""
    bench.dictionaries = encode_dictionaries(bench.loaded, present(bench.ingested, "encoded source").table)
    return len(bench.dictionaries.encoded)


def suppress_cells(bench: Workbench) -> int:
    """The number of cells that MinRisk takes out. What they were is known to attackers still, and to the count queries."""
    ingested = present(bench.ingested, "encoded source")
    bench.after_suppression = suppress(bench.loaded.policy, ingested.table, bench.dictionaries or Dictionaries(), ingested.own)
    bench.suppressed_cells = suppressed_cells(ingested.table, bench.after_suppression)
    return sum(bench.suppressed_cells.values())


def transform(bench: Workbench) -> int:
    """The number of sensitive columns after the transformation."""
    ingested, after = present(bench.ingested, "encoded source"), bench.after_suppression
    bench.original = bitmap_table(ingested.table, ingested.specs)
    bench.table = bench.original if after is None else bitmap_table(after, ingested.specs)
    bench.promise = promise_of(bench.loaded.policy, bench.table)
    return len(bench.table.sensitive)
