"""Step 4: which sensitive attributes are published together. The search asks of every table it considers whether it can be
anonymized and passes its gates; only if no plan can do it as asked may the policy's `infeasible` option weaken what is asked."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from headgate.errors import RequirementNotMet
from headgate.projection.baseline import trade_off
from headgate.projection.plan import NoPlan, Projection
from headgate.published import publish_form
from headgate.xcolor.certificates import EVERY
from headgate.xcolor.partition import Otherwise, Partition, Variant
from policies.attackers import attackers_of, threats
from policies.checkplan import Checked, TableCheck, infeasible_of, relaxed, search_plan
from policies.disclosure import DISCLOSURE
from policies.exposure import exposures, with_cures
from policies.manifest import Alternative, Plan, PlanStep, Verdict
from tasks.callables import callable_distance
from tasks.workbench import Workbench, present


def choose_plan(bench: Workbench) -> int:
    """The number of plans tried."""
    policy, table, promise = bench.loaded.policy, present(bench.table, "encoded source"), present(bench.promise, "promise")
    bench.distance = callable_distance(promise)
    original, ingested = present(bench.original, "encoded source"), present(bench.ingested, "encoded source")
    encoded = {} if bench.dictionaries is None else bench.dictionaries.encoded
    bench.attackers = attackers_of(policy, original, encoded, ingested.own)
    check = TableCheck(
        table, promise, policy.anonymize, policy.gates.disclosure, bench.attackers, bench.seed, bench.distance, report=bench.working
    )
    try:
        found = search_plan(policy, table, check, check.promise)
    except NoPlan as nothing:
        option = infeasible_of(policy.anonymize)
        if option.otherwise is Otherwise.FAIL:
            raise why_no_plan(check, nothing) from None
        check = replace(check, infeasible=option, tried={})
        found = search_plan(policy, table, check, check.promise)
        bench.promise = relaxed(promise, option)
    bench.check = check
    bench.kept = np.ones(table.rows, dtype=bool)
    bench.plan = _plan(found, check)
    return len(found.steps)


def why_no_plan(check: TableCheck, nothing: NoPlan) -> RequirementNotMet:
    """What spoke against the last table that failed: merging came no further than that, so its cure is the one that helps."""
    failed = {names: tried for names, tried in check.tried.items() if not tried.passed}
    if not failed or nothing.measured != 0.0:
        return nothing
    names, last = list(failed.items())[-1]
    where = "every plan tried" if len({_against(tried) for tried in failed.values()}) == 1 else "the last plan tried"
    if last.refused:
        gate = _with_step(check, names, last)
        return RequirementNotMet(gate.gate, gate.measured, gate.required, gate.remedy, where)
    found = last.partition
    if found.variant is Variant.FULL_DOMAIN:
        return found.refusal(where)
    return RequirementNotMet("The number of rows too similar to others of their group", float(found.rows_over), 0.0, _cure(found), where)


def _with_step(check: TableCheck, names: frozenset[str], tried: Checked) -> Verdict:
    """A table that discloses too much is made once more, to try what one step would buy. While advising its groups are not kept."""
    gate, groups = tried.refused[0], tried.partition.groups
    if gate.kind != DISCLOSURE or check.disclosure is None or len(groups) != check.table.rows:
        return gate
    columns = [name for name in check.table.sensitive if name in names]
    published = publish_form(check.table, groups, gate.table, columns, levels=tried.partition.levels)
    found = exposures(published, threats(check.attackers, published, np.flatnonzero(groups >= 0)), check.disclosure)
    return with_cures([gate], found)[0]


def _against(tried: Checked) -> tuple[str, ...]:
    return (tried.refused[0].gate,) if tried.refused else tried.partition.broken


def _cure(found: Partition) -> str:
    """Linkability is not had by another ε or δ."""
    proof = found.certificate
    if proof is None or proof.refutes != EVERY or not proof.limit.startswith("linkability"):
        return found.remedy()
    return (
        f"No partition can do it: {proof.sentence()} Raise gates.linkability, list a value that is no secret under `nonsensitive`, "
        "or run `headgate advise`."
    )


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
