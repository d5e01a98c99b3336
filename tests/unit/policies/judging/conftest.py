"""Ten people under a policy that has nearly every gate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.published_form.published_table import PublishedTable, publish_form
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs
from tests.unit.policies.ten_people import GROUPS, PEOPLE


@pytest.fixture
def policy(narrowed: Callable[..., Policy]) -> Policy:
    return narrowed(
        ("delta: 0.5}", "delta: 0.5, each: {school: {epsilon: 0, delta: 0.2}}}"),
        (
            "linkability: 0.8",
            "linkability: 0.8, closeness: {school: 0.5}, distinct_l: {school: 5}, delta_l: {income: {interval: 10, l: 1.5}},"
            " reidentification: {max: 0.34, mean: 0.3}, disclosure: {mean: 0.3, max: 0.34}",
        ),
    )


@pytest.fixture
def table(policy: Policy) -> Table:
    frame = pd.DataFrame(PEOPLE)
    return encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})


@pytest.fixture
def published(table: Table) -> PublishedTable:
    return publish_form(table, np.array(GROUPS, dtype=np.int32), "t1", table.sensitive)
