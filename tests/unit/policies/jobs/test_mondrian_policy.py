"""What a policy that names Mondrian asks of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, TableOutcome, Workplace, try_table
from policies.schema.anonymization import Anonymize
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from policies.sealed.specs import column_specs, promise_of
from tests.unit.claimed import required

Edited = Callable[..., Policy]
CLOSE = required("closeness", "0.08", "income")


@pytest.fixture
def policy(edited: Edited) -> Policy:
    return edited(
        ("  illness: {role: sensitive, kind: set, values: [flu, gout], nonsensitive: [flu]}\n", ""),
        ("  ward: {role: insensitive, kind: category}\n", ""),
        ("  zip: {role: quasi, kind: category}\n", ""),
        ("k: 3,", "k: 3, method: mondrian,"),
    )


@pytest.fixture
def table(policy: Policy) -> Table:
    """Income rises with age, so that a group of near ages is far from the table."""
    age = np.arange(120) % 60
    income = age // 6 * 50.0 + np.arange(120) // 60 * 450.0
    frame = pd.DataFrame({"age": age, "income": income, "school": np.resize(["low", "middle", "high"], 120)})
    return encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})


def tried(settings: Anonymize, table: Table, promise: Promise, *names: str) -> TableOutcome:
    spool = MemorySpool()
    return try_table(TableJob(names, spool.put(table), promise, settings, seed=b"seed"), Workplace(spool))


def test_mondrian_cuts_only_where_the_gates_on_closeness_and_distinct_values_hold(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).requiring(CLOSE, required("distinct_l", 3, "school"))
    mondrian = tried(policy.anonymize, table, promise, "income", "school")
    assert mondrian.passed
    other = policy.anonymize.model_copy(update={"method": "xcolor"})
    xcolor = tried(other, table, promise, "income", "school")
    assert "closeness of income" in [verdict.name for verdict in xcolor.refused]


def test_gates_on_attributes_of_other_tables_are_no_conditions_here(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table).requiring(CLOSE)
    school, income = (tried(policy.anonymize, table, promise, name).partition for name in ("school", "income"))
    assert school.count > income.count


def test_strict_is_the_default_and_relaxed_cuts_divide_equal_quasi_identifiers(policy: Policy, table: Table) -> None:
    promise = promise_of(policy, table)
    counts = {}
    for strict in (None, True, False):
        settings = policy.anonymize.model_copy(update={"strict": strict})
        groups = tried(settings, table, promise, "school").partition.groups
        counts[strict] = pd.Series(groups).groupby(table["age"].codes).nunique().max()
    assert counts[None] == counts[True] == 1
    assert counts[False] == 2


def test_strict_belongs_to_mondrian(edited: Edited) -> None:
    assert edited(("k: 3,", "k: 3, method: mondrian, strict: false,")).anonymize.strict is False
    for keys in ("strict: true,", "method: xcolor, strict: false,"):
        with pytest.raises(Exception, match="'strict' only with method mondrian"):
            edited(("k: 3,", f"k: 3, {keys}"))
