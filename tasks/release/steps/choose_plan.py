"""Step 4 chooses which sensitive attributes are published together. For every table that it considers, the search tries whether the
table can be anonymized and passes its gates. Only if no plan satisfies the policy may the policy's `infeasible` option weaken the
requirements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

import numpy as np

from headgate.core.columns import Table
from headgate.core.errors import RequirementNotMet
from headgate.core.published_form.published_table import publish_form
from headgate.methods.partition import ADVISE, Partition
from headgate.methods.settings import Otherwise
from headgate.projection.plan import NoPlan, Projection
from policies.attackers.attacker import Attacker, threats
from policies.gates.beside import Beside
from policies.gates.verdict import Verdict
from policies.jobs.former_groups import FormerGroups
from policies.jobs.plan_search import TableCheck, search_plan
from policies.jobs.spool import Reference
from policies.jobs.table_job import TableJob, TableOutcome, infeasible_of, relaxed
from policies.judging.exposure import Exposure, exposures, with_cures
from policies.judging.measure import measure_closely
from policies.judging.verdicts import judge_table, refusal_of
from policies.ledger.events import PlanChosen
from policies.schema.requirements import Gates
from policies.sealed.manifest import Plan, PlanStep
from policies.sealed.promise import Promise
from policies.sealed.specs import insensitive_tables
from tasks.reading.prepare import PreparedSource
from tasks.release.run import Happened
from tasks.release.steps.transform_source import Transformed
from tasks.release.work import Work, where_data_lies
from tasks.reporting.measured_tables import LAST_TRIED, MeasuredTable
from tasks.runtime.callables import callable_distance


@dataclass(frozen=True)
class Planned:
    """`job` has the final requirements on every table, `promise` what the release promises; `groups` are those that the search made."""

    steps: int
    names: tuple[str, ...]  # table-1, table-2 …: names of attributes or values have no place in paths and logs
    plan: Reference[Plan]
    promise: Reference[Promise]
    job: Reference[TableJob]
    groups: tuple[Reference[Partition], ...]
    happened: Happened


@dataclass(frozen=True)
class NotPlanned:
    stopped: Reference[PlanRefusal]


@dataclass(frozen=True, eq=False)
class PlanRefusal:
    """Why no plan passed, and the last table that was tried, measured once more for the report: None where no gate refused it."""

    why: RequirementNotMet
    table: MeasuredTable | None = None
    verdicts: tuple[Verdict, ...] = ()
    exposures: tuple[Exposure, ...] = ()


@where_data_lies
def choose_plan(run: Work, transformed: Transformed, former: Reference[FormerGroups] | None = None) -> Planned | NotPlanned:
    """`former`: the groups of earlier versions that are to be kept together."""
    encoded, policy = run.spool.get(transformed.encoded), run.policy
    job = TableJob((), transformed.columns, encoded.promise, policy.anonymize, transformed.attackers, run.seed, former=former)
    option = infeasible_of(policy.anonymize)
    ways = [job] if option.otherwise is Otherwise.FAIL else [job, replace(job, infeasible=option)]
    for way in ways:
        check = TableCheck(way, run.engine)
        try:
            return _planned(run, encoded, check, search_plan(policy, encoded.table, check, job.promise))
        except NoPlan as nothing:
            stopped = nothing
    return NotPlanned(run.spool.put(why_no_plan(check, encoded.table, encoded.attackers, policy.gates, stopped)))


def _planned(run: Work, encoded: PreparedSource, check: TableCheck, projection: Projection) -> Planned:
    number = {name: place for place, name in enumerate(projection.columns)}
    payload = {
        "method": projection.method,
        "tables": tuple(tuple(number[name] for name in names) for names in projection.tables),
        "steps": len(projection.steps),
    }
    return Planned(
        len(projection.steps),
        tuple(f"table-{place}" for place in range(1, len(projection.tables) + 1)),
        run.spool.put(_plan(projection, check, encoded.table)),
        run.spool.put(relaxed(encoded.promise, check.job.infeasible)),  # not what the job says was promised: gates trust no job
        run.spool.put(check.job),
        tuple(run.spool.put(check(names).partition) for names in projection.tables),
        Happened(PlanChosen, payload),
    )


def sensitive_of(run: Work, planned: Planned, name: str) -> tuple[str, ...]:
    return run.spool.get(planned.plan).tables[planned.names.index(name)]


def insensitive_of(run: Work, planned: Planned, name: str) -> tuple[str, ...]:
    return insensitive_tables(run.policy, len(planned.names))[planned.names.index(name)]


def why_no_plan(
    check: TableCheck, table: Table, attackers: Iterable[Attacker], gates: Gates, nothing: NoPlan, otherwise: str = ADVISE
) -> PlanRefusal:
    """What spoke against the last table that failed: merging came no further than that, so its cure is the one that helps."""
    failed = {names: tried for names, tried in check.tried.items() if not tried.passed}
    if not failed or nothing.measured != 0.0:
        return PlanRefusal(nothing)
    names, last = list(failed.items())[-1]
    where = "in every plan tried" if len({_against(tried) for tried in failed.values()}) == 1 else "in the last plan tried"
    if last.refused:
        return _refused_by_gates(check.job, attackers, gates, table, names, last, where)
    return PlanRefusal(last.partition.refusal(where, otherwise, infeasible_of(check.job.settings)))


def _refused_by_gates(
    job: TableJob,
    attackers: Iterable[Attacker],
    gates: Gates,
    table: Table,
    names: frozenset[str],
    tried: TableOutcome,
    where: str,
) -> PlanRefusal:
    """The table is made once more, to say which single step would be enough. While advising its groups are not kept."""
    groups, promise = tried.partition.groups, job.promised
    if len(groups) != table.rows:
        return PlanRefusal(refusal_of(tried.refused, where))
    columns = [name for name in table.sensitive if name in names]
    published = publish_form(table, groups, LAST_TRIED, columns, levels=tried.partition.levels)
    kept = np.flatnonzero(groups >= 0)
    learned = threats(attackers, published, kept)
    measured = measure_closely(
        promise,
        published,
        learned,
        suppressed=tried.partition.suppressed,
        distance=callable_distance(promise),
        beside=Beside.of(table, kept),
    )
    exposed = exposures(published, learned, gates)
    verdicts = with_cures(judge_table(promise, measured.figures), exposed, gates)
    shown = MeasuredTable(measured.figures, np.bincount(published.group))
    return PlanRefusal(refusal_of([verdict for verdict in verdicts if not verdict.passed], where), shown, verdicts, exposed)


def _against(tried: TableOutcome) -> tuple[str, ...]:
    return (tried.refused[0].name,) if tried.refused else tried.partition.broken


def _plan(projection: Projection, check: TableCheck, table: Table) -> Plan:
    """The plan with its figures of all rows; those of the published ones are known later (promise_published.py). The closeness of all in
    one table is included only if the search has tried that table; it is not measured for this alone."""
    whole = check.tried.get(frozenset(table.sensitive))
    return Plan(
        method=projection.method,
        tables=projection.tables,
        columns=projection.columns,
        association_loss=projection.association_loss,
        information_exposure=projection.information_exposure,
        steps=tuple(PlanStep(**asdict(step)) for step in projection.steps),
        bound=projection.bound,
        naive_closeness=None if whole is None else whole.closeness,
    )
