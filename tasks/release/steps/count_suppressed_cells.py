"""Between steps 5 and 6: of the cells that MinRisk took out, those of published rows are told. A count over all rows would say, beside the
published ones, which cells of those people it took out who are suppressed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tasks.reading.prepare import as_published
from tasks.reading.suppress_cells import suppressed_cells
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.transform_source import CellsSuppressed
from tasks.release.work import Work, where_data_lies


@where_data_lies
def count_suppressed_cells(run: Work, read: SourceRead, suppressed: CellsSuppressed, agreed: Agreed) -> CellsSuppressed:
    rows = np.flatnonzero(run.spool.get(agreed.kept))
    before, after = as_published(run.policy, run.spool.get(read.ingested)), run.spool.get(suppressed.table)
    return replace(suppressed, cells=suppressed_cells(before.take(rows), after.take(rows)))
