"""What a policy that names Mondrian asks of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of
from tests.unit.claimed import required
from tests.unit.policies.jobs.alone import try_alone

CLOSE = required("closeness", "0.08", "income")


@pytest.fixture
def policy(narrowed: Callable[..., Policy]) -> Policy:
    return narrowed(("k: 3,", "k: 3, method: mondrian,"))


@pytest.fixture
def table(policy: Policy) -> Table:
    """Income rises with age, so that a group of near ages is far from the table."""
    age = np.arange(120) % 60
    income = age // 6 * 50.0 + np.arange(120) // 60 * 450.0
    frame = pd.DataFrame({"age": age, "income": income, "school": np.resize(["low", "middle", "high"], 120)})
    return encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})


def test_mondrian_cuts_only_where_the_gates_on_closeness_and_distinct_values_hold(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).requiring(CLOSE, required("distinct_l", 3, "school"))
    mondrian = try_alone(policy.anonymize, table, promise, "income", "school")
    assert mondrian.passed
    other = policy.anonymize.model_copy(update={"method": "xcolor"})
    xcolor = try_alone(other, table, promise, "income", "school")
    assert "closeness of income" in [verdict.name for verdict in xcolor.refused]


def test_gates_on_attributes_of_other_tables_are_no_conditions_here(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).requiring(CLOSE)
    school, income = (try_alone(policy.anonymize, table, promise, name).partition for name in ("school", "income"))
    assert school.count > income.count


def test_strict_is_the_default_and_relaxed_cuts_divide_equal_quasi_identifiers(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table)
    counts = {}
    for strict in (None, True, False):
        settings = policy.anonymize.model_copy(update={"strict": strict})
        groups = try_alone(settings, table, promise, "school").partition.groups
        counts[strict] = pd.Series(groups).groupby(table["age"].codes).nunique().max()
    assert counts[None] == counts[True] == 1
    assert counts[False] == 2
