"""Thirty people under the small policy, which has a gate on disclosure here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs


@pytest.fixture
def policy(narrowed: Callable[..., Policy]) -> Policy:
    return narrowed(("linkability: 0.8", "linkability: 0.8, disclosure: {max: 0.4}"))


@pytest.fixture
def table(policy: Policy) -> Table:
    frame = pd.DataFrame({"age": np.arange(30), "income": np.arange(30) % 10 * 100.0, "school": np.resize(["low", "middle", "high"], 30)})
    return encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame})
