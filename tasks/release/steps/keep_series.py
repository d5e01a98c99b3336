"""Between steps 4 and 6, where a dataset has versions already: which groups are to be kept together, and who is left out because the
versions together would tell too much of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Codes, Column
from headgate.methods.sticky.leaving_out import Measure, NewTable, TooMany, leave_out
from headgate.series.above_promise import linkability_by_person
from headgate.series.kept_version import CodedValues, KeptTable, KeptVersion, Pseudonyms
from headgate.series.with_earlier import Encode, with_earlier
from policies.jobs.former_groups import FormerGroups, FormerTable
from policies.jobs.spool import Reference
from policies.jobs.table_job import infeasible_of, what_to_group
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import Agreed, GroupedTable
from tasks.release.steps.choose_plan import Planned, sensitive_of
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.work import Work, where_data_lies
from tasks.runtime.callables import callable_distance
from tasks.series.known_versions import KnownVersion, known_versions
from tasks.series.value_coding import coding_of

Kept = Reference[tuple[KnownVersion, ...]]


@dataclass(frozen=True)
class LeftOut:
    """`needed`: how many people would have to be left out at least, if those are more than may be; then nobody is."""

    agreed: Agreed
    grouped: tuple[GroupedTable, ...]
    needed: int = 0


def former_groups(run: Run, read: SourceRead) -> Reference[FormerGroups] | None:
    """None where the policy keeps no groups together, or nobody was published before."""
    if run.policy.anonymize.series is None or read.people is None or not run.versions:
        return None
    known = _known(run)
    if not known:
        return None
    kept = run.spool.put(known)
    former = groups_before(run, read.people, kept)
    run.spool.drop(kept)
    return former


@where_data_lies
def groups_before(run: Work, people: Reference[Pseudonyms], kept: Kept) -> Reference[FormerGroups]:
    whose, known = run.spool.get(people), run.spool.get(kept)
    return run.spool.put(FormerGroups(tuple(former_tables(version.version, whose) for version in known)))


def leave_out_told(run: Run, read: SourceRead, planned: Planned, agreed: Agreed, grouped: Sequence[GroupedTable]) -> LeftOut:
    """Whoever the versions together would tell more of than the policy allows, as far as it lets rows be left out. The gate judges what is
    published all the same."""
    unchanged, key, settings = LeftOut(agreed, tuple(grouped)), run.policy.gates.series, run.policy.anonymize
    if key is None or key.linkability is None or read.people is None or not run.versions or not settings.chosen.keeps_groups:
        return unchanged
    spare = int(infeasible_of(settings).suppressible * read.rows) - agreed.suppressed
    known = _known(run)
    if spare <= 0 or not known:
        return unchanged
    kept = run.spool.put(known)
    left_out = leave_out_by_known(run, read.people, planned, agreed, tuple(grouped), kept, spare)
    run.spool.drop(kept)
    return left_out


@where_data_lies
def leave_out_by_known(
    run: Work,
    people: Reference[Pseudonyms],
    planned: Planned,
    agreed: Agreed,
    grouped: tuple[GroupedTable, ...],
    versions: Kept,
    spare: int,
) -> LeftOut:
    """`spare`: how many people may be left out at most."""
    unchanged, job, known, key = LeftOut(agreed, grouped), run.spool.get(planned.job), run.spool.get(versions), run.policy.gates.series
    if key is None or key.linkability is None:
        return unchanged
    kept = run.spool.get(agreed.kept)
    rows = np.flatnonzero(kept)
    table, distance, tables = run.spool.get(job.columns), callable_distance(run.spool.get(planned.promise)), []
    for each in grouped:
        sensitive = sensitive_of(run, planned, each.table)
        left, settings = what_to_group(job.about(sensitive), table, rows, distance)
        tables.append(NewTable(job.method, left, sensitive, settings, run.spool.get(each.partition)))
    encode = coding_of(run.spool.get(planned.promise), None)
    measure = _measure(run, known, run.spool.get(people)[rows], tables, encode)
    came_to = leave_out(tables, measure, key.linkability, Fraction(spare, len(rows)), job.group_seed)
    if isinstance(came_to, TooMany):
        return replace(unchanged, needed=came_to.rows)
    if not came_to.rows.any():
        return unchanged
    still = kept.copy()
    still[rows[came_to.rows]] = False
    out = int(came_to.rows.sum())
    again = tuple(
        GroupedTable(each.table, out, run.spool.put(replace(partition.require(each.table), groups=partition.groups[~came_to.rows])))
        for each, partition in zip(grouped, came_to.partitions, strict=True)
    )
    return LeftOut(replace(agreed, kept=run.spool.put(still), suppressed=int((~still).sum())), again)


def _known(run: Run) -> tuple[KnownVersion, ...]:
    key = run.policy.gates.series
    return known_versions(run.home, run.policy.dataset, run.versions, accepted=key is not None and key.unmeasured is not None)


def former_tables(version: KeptVersion, people: Pseudonyms) -> tuple[FormerTable, ...]:
    at = version.places_of(people)
    groups = (np.append(table.groups[0], np.int32(MISSING))[at] for table in version.tables)
    return tuple(FormerTable(frozenset(table.columns), of) for table, of in zip(version.tables, groups, strict=True))


def _measure(run: Work, known: Sequence[KnownVersion], people: Pseudonyms, tables: Sequence[NewTable], encode: Encode) -> Measure:
    earlier = [version.version for version in known]
    columns = [new.table.select(new.sensitive) for new in tables]
    steady = [column.name for table in columns for column in table if run.policy.is_steady(column.name)]

    def measure(groups: Sequence[Codes]) -> NDArray[np.float64]:
        there = np.flatnonzero(groups[0] >= 0)
        order = there[np.argsort(people[there], kind="stable")]
        kept = tuple(_table(own[order], table, order) for own, table in zip(groups, columns, strict=True))
        theirs = [{name: values.codes for name, values in table.columns.items()} for table in kept]
        risk = with_earlier(earlier, KeptVersion(people[order], kept), theirs, steady, encode=encode)
        out = np.zeros(len(people))
        if risk is not None:
            out[order] = linkability_by_person(risk, len(order))
        return out

    return measure


def _table(groups: Codes, columns: Sequence[Column], rows: NDArray[np.int64]) -> KeptTable:
    return KeptTable((groups,), (groups,), {column.name: CodedValues.of(column.take(rows)) for column in columns})
