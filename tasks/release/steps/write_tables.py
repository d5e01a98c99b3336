"""Step 6, its beginning: the published form of one table, generalized, shuffled and written; and read back, once, for all that follows.

What leaves this step is files, and their cells as they were read. The gates know nothing of the partition.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from headgate.core.published_form.bounds import with_bounds
from headgate.core.published_form.published_table import order_of_rows, publish_form
from policies.jobs.spool import Reference
from policies.ledger.events import TableAnonymized
from policies.sealed.published_values import published_values
from policies.sealed.specs import domains_of
from tasks.release.run import Happened, Run
from tasks.release.steps.anonymize_tables import Agreed, GroupedTable
from tasks.release.steps.choose_plan import Planned, insensitive_of, sensitive_of
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.whose_records import asks_whose
from tasks.release.work import Work, where_data_lies
from tasks.tables.read_published import PinnedFile, ReadBack, read_back
from tasks.tables.spooled_stage import Pieces, SpooledStage, unpack
from tasks.tables.write import write_published


@dataclass(frozen=True)
class Written:
    """The files of one table. `people` says whose record each row is, if people are known by an identifier, weigh their own
    records, or have weights or households. Since it could undo the shuffle, it lies in the spool and nowhere else."""

    table: str
    released: int  # rows that it must hold
    files: tuple[PinnedFile, ...]
    read: Reference[ReadBack]
    people: Reference[NDArray[np.int64]] | None
    happened: Happened
    spooled: Mapping[str, Pieces] = field(default_factory=dict)  # what a worker has written, until it lies in the release's folder

    @property
    def parts(self) -> tuple[int, ...]:
        """Rows of each part, where it has parts."""
        rows = tuple(file.rows for file in self.files if file.format == self.files[0].format)
        return rows if len(rows) > 1 else ()


def write_table(run: Run, transformed: Transformed, planned: Planned, agreed: Agreed, grouped: GroupedTable) -> Written:
    written = publish_table(run, transformed, planned, agreed, grouped)
    unpack(written.spooled, run.spool, run.stage)
    return replace(written, spooled={})


@where_data_lies
def publish_table(run: Work, transformed: Transformed, planned: Planned, agreed: Agreed, grouped: GroupedTable) -> Written:
    encoded, kept = run.spool.get(transformed.encoded), run.spool.get(agreed.kept)
    partition = run.spool.get(grouped.partition)
    sensitive, insensitive = sensitive_of(run, planned, grouped.table), insensitive_of(run, planned, grouped.table)
    own = encoded.table.only((*encoded.table.quasi, *sensitive, *insensitive))
    table = published_values(run.policy, own.kept(kept))  # what only suppressed rows hold would show in what `*` stands for
    published = publish_form(table, partition.groups, grouped.table, sensitive, insensitive, partition.levels)
    promise = run.spool.get(planned.promise)
    ends = {quasi.name: quasi.bounds for quasi in promise.quasi if quasi.bounds is not None}
    if ends:
        published = with_bounds(published, ends, domains_of(promise))
    seed = secrets.randbits(128)
    wanted = run.policy.publish
    files = write_published(published, run.stage, wanted.tables, seed, wanted.rows_per_part)
    people = None
    if run.policy.person_column is not None or asks_whose(encoded):
        people = run.spool.put(np.flatnonzero(kept)[partition.groups >= 0][order_of_rows(published, seed)])
    rows = table.rows
    del own, table, published  # what is read back takes as much
    read, pinned = read_back(run.stage, files)
    payload = {  # no risk: it was counted with bounds that all rows gave, and the manifest holds that of what is published
        "table": planned.names.index(grouped.table) + 1,
        "groups": partition.count,
        "suppressed": agreed.suppressed,
        "reached": partition.reached,
    }
    spooled = run.stage.files if isinstance(run.stage, SpooledStage) else {}
    return Written(grouped.table, rows, pinned, run.spool.put(read), people, Happened(TableAnonymized, payload), spooled)
