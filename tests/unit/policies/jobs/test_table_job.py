"""What one try of a table answers, and that a job is nothing but its values: it can be pickled, and gives the same outcome anywhere."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.core.encode import encode_table
from headgate.grouping.watch import Stopped
from headgate.methods.settings import Infeasible
from policies.attackers.attacker import attackers_of
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import Queries, TableJob, Workplace, relaxed, try_table
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of
from tests.unit.claimed import required
from tests.unit.policies.jobs.alone import try_alone


def test_a_relaxed_delta_is_promised_as_its_floor_and_nothing_else_changes(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table)
    assert relaxed(promise, Infeasible()) == promise
    assert relaxed(promise, Infeasible.of({"suppress": "0.1"})) == promise
    weaker = relaxed(promise, Infeasible.of({"relax": "0.25"}))
    assert weaker.required("dissimilarity") == required("dissimilarity", "0.25", epsilon="0.1", asked="0.5")
    assert weaker.requiring(*promise.of("dissimilarity")) == promise


def test_a_table_that_can_be_grouped_is_still_refused_by_its_gates(policy: Policy, table: Table) -> None:
    """The partition is reached under every limit that it knows of; closeness is none of them."""
    promise = promise_of(policy, table).without("disclosure")
    assert try_alone(policy.anonymize, table, promise, "income").passed
    outcome = try_alone(policy.anonymize, table, promise.requiring(required("closeness", "0.0001", "income")), "income")
    assert outcome.partition.reached
    assert [(verdict.gate, verdict.attribute) for verdict in outcome.refused] == [("closeness", "income")]
    assert not outcome.passed
    assert "closeness of income" in outcome.reason


def test_whole_levels_keep_the_window_reading_of_delta_l(policy: Policy, table: Table) -> None:
    """Only the definition could be asked of them, which is stricter."""
    window = required("delta_l", "3", "income", interval="100", reading="window")
    levels = policy.anonymize.model_copy(update={"method": "full-domain", "epsilon": None, "delta": None, "variant": None})
    promise = promise_of(policy, table).without("disclosure").without("dissimilarity").without("linkability")
    assert try_alone(levels, table, promise, "income").passed
    outcome = try_alone(levels, table, promise.requiring(window), "income")
    assert outcome.passed
    assert outcome.figures is not None
    assert outcome.figures.figure("delta_l_window", "income") >= 3


def test_the_closeness_of_everything_in_one_table_is_the_largest_of_its_groups(policy: Policy, table: Table) -> None:
    """Incomes and schools are lines: the distance is the mean difference of cumulated shares, counted here in pure Python."""
    outcome = try_alone(policy.anonymize, table, promise_of(policy, table).without("disclosure"), *table.sensitive)
    groups = outcome.partition.groups.tolist()
    largest = 0.0
    for name in ("income", "school"):
        codes, steps = table[name].codes.tolist(), len(table[name].values) - 1
        for group in set(groups):
            held = [code for code, own in zip(codes, groups, strict=True) if own == group]
            apart = [
                abs(sum(code <= place for code in held) / len(held) - sum(code <= place for code in codes) / len(codes))
                for place in range(steps)
            ]
            largest = max(largest, sum(apart) / steps)
    assert outcome.closeness == pytest.approx(largest)
    assert largest > 0


def test_everything_in_one_table_has_no_closeness_where_no_groups_are_reached(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).without("disclosure").requiring(required("linkability", "0.01"))
    outcome = try_alone(policy.anonymize, table, promise, *table.sensitive)
    assert not outcome.partition.reached
    assert outcome.closeness is None


def test_a_job_holds_no_cell_of_the_source(policy: Policy, table: Table) -> None:
    """An attacker who holds the source stood in every job with all of its quasi-identifiers."""
    spool, promise = MemorySpool(), promise_of(policy, table)
    attackers = spool.put(attackers_of(policy.gates.disclosure, table, {}))
    job = TableJob(("income",), spool.put(table), promise, policy.anonymize, attackers, b"seed")
    assert b"numpy" not in pickle.dumps(job)


def test_a_job_that_was_pickled_has_the_same_outcome(policy: Policy, table: Table) -> None:
    spool, promise = MemorySpool(), promise_of(policy, table)
    attackers = spool.put(attackers_of(policy.gates.disclosure, table, {}))
    job = TableJob(("income",), spool.put(table), promise, policy.anonymize, attackers, b"seed")
    job = replace(job, queries=Queries(spool.put(table), policy.utility, 7))
    here, there = (try_table(one, Workplace(spool)) for one in (job, pickle.loads(pickle.dumps(job))))
    assert here.figures == there.figures
    assert here.partition.groups.tolist() == there.partition.groups.tolist()
    assert here.query_errors == there.query_errors is not None
    assert here.refused == there.refused


def test_a_job_says_where_its_columns_are_and_holds_none_of_them(policy: Policy, table: Table) -> None:
    spool = MemorySpool()
    job = TableJob(("income",), spool.put(table), promise_of(policy, table), policy.anonymize, seed=b"seed")
    more = encode_table(
        pd.DataFrame({"age": np.arange(3000) % 30, "income": np.arange(3000) % 10 * 100.0}),
        {name: spec for name, spec in column_specs(policy).items() if name in ("age", "income")},
    )
    assert len(pickle.dumps(job)) == len(pickle.dumps(replace(job, columns=spool.put(more))))


def test_groups_follow_from_seed_and_attributes_not_from_their_order(policy: Policy, table: Table) -> None:
    spool = MemorySpool()
    job = TableJob(("income", "school"), spool.put(table), promise_of(policy, table), policy.anonymize, seed=b"seed")
    assert job.group_seed == job.about(("school", "income")).group_seed != job.about(("school",)).group_seed
    assert job.group_seed != replace(job, seed=b"other").group_seed


def test_only_the_rows_that_are_left_are_grouped_and_nothing_is_measured(policy: Policy, table: Table) -> None:
    spool = MemorySpool()
    job = TableJob(("income",), spool.put(table), promise_of(policy, table), policy.anonymize, seed=b"seed")
    outcome = try_table(replace(job, rows=spool.put(np.arange(20))), Workplace(spool))
    assert len(outcome.partition.groups) == 20
    assert outcome.figures is None
    light = try_table(replace(job, light=True), Workplace(spool))
    assert len(light.partition.groups) == 0
    assert light.figures is not None


def test_a_callable_distance_ends_at_the_next_pair_once_the_run_is_to_stop(policy: Policy, table: Table) -> None:
    """A slow distance was asked about all pairs, in a thread that hears no Ctrl-C: the run outlived SIGTERM by minutes."""
    spool, pairs = MemorySpool(), []
    place = Workplace(spool, lambda _promise: Distance(function=stopping_at_the_third))

    def stopping_at_the_third(a: object, b: object) -> float:
        pairs.append((a, b))
        if len(pairs) == 3:
            place.stopping.set()
        return float(a != b)

    job = TableJob(("income", "school"), spool.put(table), promise_of(policy, table).without("disclosure"), policy.anonymize, seed=b"seed")
    with pytest.raises(Stopped):
        try_table(job, place)
    assert len(pairs) == 3
