"""One table tried on its own."""

from __future__ import annotations

from headgate.core.columns import Table
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, TableOutcome, Workplace, try_table
from policies.schema.anonymization import Anonymize
from policies.sealed.promise import Promise


def try_alone(settings: Anonymize, table: Table, promise: Promise, *names: str) -> TableOutcome:
    spool = MemorySpool()
    return try_table(TableJob(names, spool.put(table), promise, settings, seed=b"seed"), Workplace(spool))
