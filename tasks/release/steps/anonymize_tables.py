"""Step 5: each projected table gets the groups that the search for a plan has made. Rows that one table suppresses leave the others; then
all tables are grouped again, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import RequirementNotMet
from headgate.methods.partition import Partition
from policies.jobs.spool import Reference
from tasks.release.steps.choose_plan import Planned, sensitive_of
from tasks.release.steps.transform_source import Transformed
from tasks.release.work import Work, where_data_lies

Groups = tuple[Reference[Partition], ...]  # of every table, in the order of the plan


@dataclass(frozen=True)
class Agreed:
    """The rows that all tables still release. `lent`: the part of the share of rows that may be suppressed which a single table may use.
    `settled`: no table suppressed anybody who is still in another."""

    kept: Reference[NDArray[np.bool_]]
    suppressed: int = 0
    lent: Fraction = Fraction(1)
    settled: bool = False


@dataclass(frozen=True)
class GroupedTable:
    table: str
    suppressed: int
    partition: Reference[Partition]


@where_data_lies
def release_everybody(run: Work, transformed: Transformed) -> Agreed:
    """Before any table has suppressed a row."""
    return Agreed(run.spool.put(np.ones(run.spool.get(transformed.columns).rows, dtype=bool)))


@where_data_lies
def regroup_tables(run: Work, planned: Planned, agreed: Agreed) -> Groups:
    """What the search has made is for all rows, and for the share of them that a table alone may suppress."""
    job, kept = run.spool.get(planned.job), run.spool.get(agreed.kept)
    rows = None if kept.all() else run.spool.put(np.flatnonzero(kept))
    again = replace(job, lent=agreed.lent, rows=rows, judged=False)
    outcomes = run.engine.map([again.about(sensitive_of(run, planned, table)) for table in planned.names])
    return tuple(run.spool.put(outcome.partition) for outcome in outcomes)


@where_data_lies
def anonymize_table(run: Work, planned: Planned, agreed: Agreed, groups: Groups, table: str) -> GroupedTable:
    """`groups`: those of every table of the plan, made of the rows that are left."""
    job, kept = run.spool.get(planned.job), run.spool.get(agreed.kept)
    reference = groups[planned.names.index(table)]
    partition = run.spool.get(reference)
    # A table that is left too little to suppress has all rows at −1: then tables cannot agree, and try again with less each.
    if not (job.method.suppresses and agreed.lent > 0 and not kept.all()):
        partition.require(table)
    return GroupedTable(table, int(partition.suppressed), reference)


@where_data_lies
def agree_on_suppression(run: Work, planned: Planned, agreed: Agreed, grouped: Sequence[GroupedTable]) -> Agreed:
    """Suppressed rows leave every table, or comparing tables would tell who they are. The share allowed is of the input rows and counts
    all tables together."""
    kept, job = run.spool.get(agreed.kept), run.spool.get(planned.job)
    still = kept.copy()
    for table in grouped:
        still[np.flatnonzero(kept)[run.spool.get(table.partition).groups < 0]] = False
    if still.sum() == kept.sum():
        return replace(agreed, settled=True)
    gone, share = int((~still).sum()), job.suppression
    if gone <= share * len(still):
        return replace(agreed, kept=run.spool.put(still), suppressed=gone)
    if job.method.suppresses and agreed.lent > 0:
        # Each table may have used the whole share. With a part of it each they do not exceed it at once; with none nobody is suppressed.
        part = Fraction(1, len(grouped)) if agreed.lent == 1 and len(grouped) > 1 else Fraction(0)
        return Agreed(run.spool.put(np.ones(len(still), dtype=bool)), lent=part)
    where = "suppression" if job.method.suppresses else "infeasible: {suppress: …}"
    remedy = f"Allow a larger share in {where}, or none, or lower δ, ε or k."
    suppressed, most = gone / len(still), float(share)
    sentence = f"All tables together would suppress {100 * suppressed:.6g} % of the rows; at most {100 * most:.6g} % may be."
    raise RequirementNotMet(sentence, remedy, "suppression", suppressed, most)
