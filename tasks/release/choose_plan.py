"""Step 4: which sensitive attributes are published together. The search asks of every table it considers whether it can be
anonymized and passes its gates; only if no plan can do it as asked may the policy's `infeasible` option weaken what is asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from headgate.core.errors import RequirementNotMet
from headgate.core.published import publish_form
from headgate.methods.settings import Otherwise
from headgate.projection.baseline import trade_off
from headgate.projection.plan import NoPlan, Projection
from policies.gates.attackers import attackers_of, threats
from policies.gates.verdict import Verdict
from policies.judging.checkplan import Checked, TableCheck, infeasible_of, relaxed, search_plan
from policies.judging.exposure import Exposure, exposures, with_cures
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge, refusal_of
from policies.sealed.manifest import Alternative, Plan, PlanStep
from tasks.release.workbench import Workbench, present
from tasks.reporting.measured_tables import MeasuredTable
from tasks.runtime.callables import callable_distance

LAST_TRIED = "last tried"  # as its report calls it


def choose_plan(bench: Workbench) -> int:
    """The number of plans tried."""
    policy, table, promise = bench.loaded.policy, present(bench.table, "encoded source"), present(bench.promise, "promise")
    bench.distance = callable_distance(promise)
    original, ingested = present(bench.original, "encoded source"), present(bench.ingested, "encoded source")
    encoded = {} if bench.dictionaries is None else bench.dictionaries.encoded
    bench.attackers = attackers_of(policy.gates.disclosure, original, encoded, ingested.own)
    check = TableCheck(
        table,
        promise,
        policy.anonymize,
        policy.gates.disclosure,
        bench.attackers,
        bench.seed,
        bench.distance,
        report=bench.working,
        stopping=bench.stopping,
    )
    try:
        found = search_plan(policy, table, check, check.promise)
    except NoPlan as nothing:
        option = infeasible_of(policy.anonymize)
        if option.otherwise is Otherwise.FAIL:
            stopped = why_no_plan(check, nothing)
            bench.tried, bench.verdicts, bench.exposures[LAST_TRIED] = stopped.table, stopped.verdicts, stopped.exposures
            raise stopped.why from None
        check = replace(check, infeasible=option, tried={})
        found = search_plan(policy, table, check, check.promise)
        bench.promise = relaxed(promise, option)
    bench.check = check
    bench.kept = np.ones(table.rows, dtype=bool)
    bench.plan = _plan(found, check)
    return len(found.steps)


@dataclass(frozen=True, eq=False)
class Stopped:
    """Why no plan was found, and the last table that was tried, measured once more for the report: None where no gate refused it."""

    why: RequirementNotMet
    table: MeasuredTable | None = None
    verdicts: tuple[Verdict, ...] = ()
    exposures: tuple[Exposure, ...] = ()


def why_no_plan(check: TableCheck, nothing: NoPlan) -> Stopped:
    """What spoke against the last table that failed: merging came no further than that, so its cure is the one that helps."""
    failed = {names: tried for names, tried in check.tried.items() if not tried.passed}
    if not failed or nothing.measured != 0.0:
        return Stopped(nothing)
    names, last = list(failed.items())[-1]
    where = "in every plan tried" if len({_against(tried) for tried in failed.values()}) == 1 else "in the last plan tried"
    if last.refused:
        return _refused_by_gates(check, names, last, where)
    return Stopped(last.partition.refusal(where))


def _refused_by_gates(check: TableCheck, names: frozenset[str], tried: Checked, where: str) -> Stopped:
    """The table is made once more, to say which single step would be enough. While advising its groups are not kept."""
    groups = tried.partition.groups
    if len(groups) != check.table.rows:
        return Stopped(refusal_of(tried.refused, where))
    columns = [name for name in check.table.sensitive if name in names]
    published = publish_form(check.table, groups, LAST_TRIED, columns, levels=tried.partition.levels)
    found = threats(check.attackers, published, np.flatnonzero(groups >= 0))
    promise = relaxed(check.promise, check.infeasible)
    figures = measure_table(promise, published, found, suppressed=tried.partition.suppressed, distance=check.distance)
    verdicts = judge(promise, (figures,))
    exposed = () if check.disclosure is None else exposures(published, found, check.disclosure)
    if check.disclosure is not None:
        verdicts = with_cures(verdicts, exposed, check.disclosure)
    table = MeasuredTable(figures, np.bincount(published.group))
    return Stopped(refusal_of([verdict for verdict in verdicts if not verdict.passed], where), table, verdicts, exposed)


def _against(tried: Checked) -> tuple[str, ...]:
    return (tried.refused[0].name,) if tried.refused else tried.partition.broken


def _plan(found: Projection, check: TableCheck) -> Plan:
    columns = check.table.select(check.table.sensitive)
    return Plan(
        method=found.method,
        tables=found.tables,
        columns=found.columns,
        association_loss=found.association_loss,
        information_exposure=found.information_exposure,
        steps=tuple(PlanStep(**asdict(step)) for step in found.steps),
        bound=found.bound,
        trade_off=tuple(Alternative(**asdict(point)) for point in trade_off(columns)),
        naive_closeness=check.naive_closeness(),
    )
