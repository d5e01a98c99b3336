"""Step 4: which sensitive attributes are published together. The search asks of every table it considers whether it can be
anonymized and passes its gates; only if no plan can do it as asked may the policy's `infeasible` option weaken what is asked."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from headgate.errors import RequirementNotMet
from headgate.projection.baseline import trade_off
from headgate.projection.plan import NoPlan, Projection
from headgate.xcolor.certificates import EVERY
from headgate.xcolor.partition import Otherwise, Partition, Variant
from policies.checkplan import Checked, TableCheck, infeasible_of, relaxed, search_plan
from policies.manifest import Alternative, Plan, PlanStep
from policies.measure import attackers_of
from tasks.callables import callable_distance
from tasks.dictionaries import encode_dictionaries
from tasks.workbench import Workbench, present


def choose_plan(bench: Workbench) -> int:
    """The number of plans tried."""
    policy, table, promise = bench.loaded.policy, present(bench.table, "encoded source"), present(bench.promise, "promise")
    bench.distance = callable_distance(promise)
    dictionaries = encode_dictionaries(bench.loaded.references.dictionaries, table)
    bench.attackers = attackers_of(policy, table, dictionaries)
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
    failed = [tried for tried in check.tried.values() if not tried.passed]
    if not failed or nothing.measured != 0.0:
        return nothing
    last = failed[-1]
    where = "every plan tried" if len({_against(tried) for tried in failed}) == 1 else "the last plan tried"
    if last.refused:
        gate = last.refused[0]
        return RequirementNotMet(gate.gate, gate.measured, gate.required, gate.remedy, where)
    found = last.partition
    if found.variant is Variant.FULL_DOMAIN:
        return RequirementNotMet("The number of valid choices of levels", 0.0, 1.0, found.remedy(), where)
    return RequirementNotMet("The number of rows too similar to others of their group", float(found.rows_over), 0.0, _cure(found), where)


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
