"""Between steps 5 and 6: once it is known which cells are published, a bound that the policy gives as a share becomes the number that these
cells alone give. What was grouped by the number of all cells is written, and measured, by that one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headgate.core.columns import MISSING
from policies.sealed.numbers import numbers_by_published_rows
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.transform_source import Transformed
from tasks.release.work import Work, where_data_lies


@where_data_lies
def resolve_shares(run: Work, read: SourceRead, transformed: Transformed, agreed: Agreed) -> Transformed:
    encoded, ingested = run.spool.get(transformed.encoded), run.spool.get(read.ingested)
    table, original, rows = encoded.table, encoded.original, np.flatnonzero(run.spool.get(agreed.kept))
    numbers = numbers_by_published_rows(run.policy, ingested.table, ingested.specs, table, rows)
    if not numbers:
        return transformed
    gone = {name: table[name].codes == MISSING for name in numbers}
    shown = {name: replace(column, codes=np.where(gone[name], np.int32(MISSING), column.codes)) for name, column in numbers.items()}
    table = replace(table, columns={**table.columns, **shown})
    original = replace(original, columns={**original.columns, **numbers})
    again = replace(encoded, table=table, original=original)
    return replace(transformed, encoded=run.spool.put(again), columns=run.spool.put(table))
