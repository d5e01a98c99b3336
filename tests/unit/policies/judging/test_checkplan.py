"""What the search for a plan may take for granted, and what is promised after a setting was relaxed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.methods.settings import Infeasible
from policies.gates.verdict import Requirement
from policies.judging.checkplan import TableCheck, relaxed
from policies.judging.method_limits import monotone
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of
from tests.unit.claimed import proximity, required

Edited = Callable[..., Policy]


@pytest.fixture
def policy(edited: Edited) -> Policy:
    return edited(
        ("  illness: {role: sensitive, kind: set, values: [flu, gout], nonsensitive: [flu]}\n", ""),
        ("  ward: {role: insensitive, kind: category}\n", ""),
        ("  zip: {role: quasi, kind: category}\n", ""),
        ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 0.4}"),
    )


@pytest.fixture
def table(policy: Policy) -> Table:
    frame = pd.DataFrame({"age": np.arange(30), "income": np.arange(30) % 10 * 100.0, "school": np.resize(["low", "middle", "high"], 30)})
    return encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})


def test_only_promises_on_single_attributes_are_monotone(policy: Policy, table: Table) -> None:
    """DEFINITIONS §6: composite (ε, δ) is not, so a plan that fails may not end the search."""
    promise = promise_of(policy, table)
    assert promise.required("dissimilarity") is not None
    single = promise.without("dissimilarity").without("disclosure")
    assert monotone(single)
    assert monotone(single.requiring(proximity("0.1", "0.5", "income")))
    assert not monotone(promise.without("disclosure"))
    assert not monotone(promise.without("dissimilarity"))
    for bound in ("max", "mean"):  # no search looks at it, and a table with more attributes may get larger groups
        assert not monotone(single.requiring(Requirement(gate="reidentification", bound=bound, required="0.1")))


def test_a_relaxed_delta_is_promised_as_its_floor_and_nothing_else_changes(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table)
    assert relaxed(promise, Infeasible()) == promise
    assert relaxed(promise, Infeasible.of({"suppress": "0.1"})) == promise
    weaker = relaxed(promise, Infeasible.of({"relax": "0.25"}))
    assert weaker.required("dissimilarity") == proximity("0.1", "0.25")
    assert weaker.requiring(*promise.of("dissimilarity")) == promise


def test_a_table_that_can_be_grouped_is_still_refused_by_its_gates(policy: Policy, table: Table) -> None:
    """The partition is reached under every limit that it knows of; closeness is none of them."""
    promise = promise_of(policy, table).without("disclosure")
    check = TableCheck(table, promise, policy.anonymize, None, (), b"seed")
    assert check(("income",)).passed
    strict = TableCheck(table, promise.requiring(required("closeness", "0.0001", "income")), policy.anonymize, None, (), b"seed")
    found = strict.checked(("income",))
    assert found.partition.reached
    assert [(verdict.gate, verdict.attribute) for verdict in found.refused] == [("closeness", "income")]
    assert not found.passed
    assert "closeness of income" in strict(("income",)).reason


def test_the_closeness_of_everything_in_one_table_is_the_largest_of_its_groups(policy: Policy, table: Table) -> None:
    """Incomes and schools are lines: the distance is the mean difference of cumulated shares, counted here in pure Python."""
    check = TableCheck(table, promise_of(policy, table).without("disclosure"), policy.anonymize, None, (), b"seed")
    groups = check.checked(table.sensitive).partition.groups.tolist()
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
    assert check.naive_closeness() == pytest.approx(largest)
    assert largest > 0


def test_everything_in_one_table_has_no_closeness_where_no_groups_are_reached(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).without("disclosure").requiring(required("linkability", "0.01"))
    check = TableCheck(table, promise, policy.anonymize, None, (), b"seed")
    assert not check.checked(table.sensitive).partition.reached
    assert check.naive_closeness() is None
