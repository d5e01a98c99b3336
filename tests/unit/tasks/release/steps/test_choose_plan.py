"""Step 4: which tables there are, under names that tell nothing; and why there is no plan, where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headgate.projection.plan import NoPlan
from policies.ledger.events import PlanChosen
from tasks.release.steps.choose_plan import NotPlanned, choose_plan, insensitive_of, sensitive_of
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.transform_source import suppress_cells, transform_source
from tests.unit.tasks.release.finished import Made


def test_a_plan_that_discloses_too_much_is_refused_with_the_step_that_would_be_enough(begin):
    """Thirty of the sixty are of either sex; with their ages they are fewer."""
    made = begin(keep=7, dictionaries=[{"source": True, "on": ["age", "sex"]}], min_candidates=30)
    suppressed = suppress_cells(made.run, made.read, made.dictionaries)
    planned = choose_plan(made.run, transform_source(made.run, made.read, made.dictionaries, suppressed))
    assert isinstance(planned, NotPlanned)
    stopped = made.run.spool.get(planned.stopped)
    assert stopped.why.code == 3
    assert stopped.why.cure.startswith("For this table, one of these steps is enough: suppress age")
    assert stopped.why.required == 30.0
    assert stopped.table is not None
    assert stopped.exposures


def test_tables_have_numbers_for_names_and_every_sensitive_column_is_in_one(finished: Made):
    planned, plan = finished.planned, finished.run.spool.get(finished.planned.plan)
    assert planned.names == ("table-1", "table-2")
    assert [sensitive_of(finished.run, planned, name) for name in planned.names] == list(plan.tables)
    assert sorted(name for names in plan.tables for name in names) == sorted(finished.encoded.table.sensitive)
    assert [insensitive_of(finished.run, planned, name) for name in planned.names] == [("zip",), ()]


def test_the_ledger_hears_of_columns_by_their_number(finished: Made):
    happened, plan = finished.planned.happened, finished.run.spool.get(finished.planned.plan)
    assert happened.kind is PlanChosen
    assert [[plan.columns[number] for number in table] for table in happened.payload["tables"]] == [list(names) for names in plan.tables]
    assert not [name for name in plan.columns if name in repr(happened.payload)]
    assert happened.payload["steps"] == finished.planned.steps == len(plan.steps)


def test_the_plan_keeps_the_policys_bounds_and_says_what_was_tried(finished: Made):
    plan = finished.run.spool.get(finished.planned.plan)
    assert plan.association_loss <= 0.3
    assert plan.information_exposure <= 0.3
    chosen = [step for step in plan.steps if step.passed][-1]
    assert tuple(tuple(plan.columns[number] for number in table) for table in chosen.tables) == plan.tables
    assert {point.tables for point in plan.trade_off if point.method == "codip*"} == set(range(1, 7))


def planned_under(clinic, run_of, **policy):
    """One table of incomes and educations."""
    clinic.policy["attributes"] |= {name: {"role": "dropped"} for name in ("diagnosis", "admitted", "region")}
    clinic.policy["projection"] = {"method": "single"}
    clinic.policy |= policy
    run = run_of(clinic.load())
    return run, choose_plan(run, transform_source(run, ingest_source(run)))


TOO_MUCH = {"k": 6, "epsilon": 0.1, "delta": 0.99}


def test_a_promise_that_no_table_can_keep_is_not_planned_and_says_why(clinic, run_of):
    run, planned = planned_under(clinic, run_of, anonymize=TOO_MUCH)
    assert isinstance(planned, NotPlanned)
    stopped = run.spool.get(planned.stopped)
    assert (stopped.why.code, stopped.table, stopped.verdicts) == (3, None, ())
    assert stopped.why.message.startswith("In every plan tried, 60 rows")
    assert stopped.why.cure


@pytest.mark.parametrize(("delta", "promised"), [(0.99, "0.05"), (0.1, "0.1")])
def test_a_policy_relaxes_delta_to_its_floor_and_only_where_it_cannot_be_kept(clinic, run_of, delta, promised):
    run, planned = planned_under(clinic, run_of, anonymize=TOO_MUCH | {"delta": delta, "infeasible": {"relax": 0.05}})
    assert run.spool.get(planned.promise).required("dissimilarity").required == promised


def test_a_gate_that_the_last_table_fails_is_named_with_its_figures(clinic, run_of):
    run, planned = planned_under(
        clinic, run_of, anonymize={"k": 6}, gates={"linkability": 1, "distinct_l": {"education": 3}, "closeness": {"income": 0.01}}
    )
    assert isinstance(planned, NotPlanned)
    stopped = run.spool.get(planned.stopped)
    assert stopped.why.code == 3
    assert "closeness" in f"{stopped.why} {[verdict.gate for verdict in stopped.verdicts]}"


def test_bounds_on_the_plan_that_cannot_be_kept_together_are_the_reason(clinic, run_of):
    clinic.policy["projection"] = {"association_loss": 0, "join_threat": 0}
    run = run_of(clinic.load())
    planned = choose_plan(run, transform_source(run, ingest_source(run)))
    assert isinstance(planned, NotPlanned)
    why = run.spool.get(planned.stopped).why
    assert isinstance(why, NoPlan)
    assert why.code == 3


@pytest.mark.parametrize("seed", [b"seed", b"another"])
def test_the_plan_does_not_depend_on_the_seed(finished: Made, seed):
    again = choose_plan(replace(finished.run, seed=seed), finished.transformed)
    assert finished.run.spool.get(again.plan).tables == finished.run.spool.get(finished.planned.plan).tables
