"""Ten people in three groups of 3, 3 and 4, whose figures can be counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.core.encode import encode_table
from headgate.core.published_form.published_table import publish_form
from policies.gates.gate import GatedTable
from policies.gates.verdict import Requirement, Verdict
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs
from tests.unit.policies.ten_people import GROUPS, PEOPLE

Edited = Callable[..., Policy]


@pytest.fixture(scope="session")
def asked(narrowed: Edited) -> Callable[..., Policy]:
    """A policy about these people with more keys under `gates:` and `anonymize:`."""

    def make(gates: str = "", anonymize: str = "", utility: str = "") -> Policy:
        return narrowed(
            ("linkability: 0.8", f"linkability: 0.8{gates}"),
            ("delta: 0.5}", f"delta: 0.5{anonymize}}}"),
            ("publish: {to: clinic}", f"publish: {{to: clinic}}{utility}"),
        )

    return make


@pytest.fixture(scope="session")
def table(asked: Callable[..., Policy]) -> Table:
    frame = pd.DataFrame(PEOPLE)
    return encode_table(frame, {name: spec for name, spec in column_specs(asked()).items() if name in frame})


@pytest.fixture(scope="session")
def gated(table: Table) -> Callable[..., GatedTable]:
    def make(groups: Any = GROUPS, composite: Distance | None = None) -> GatedTable:
        published = publish_form(table, np.array(groups, dtype=np.int32), "t", table.sensitive)
        return GatedTable(published, (), composite)

    return make


@pytest.fixture(scope="session")
def verdict() -> Callable[..., Verdict]:
    """A verdict of a gate on table-1, as its requirement and figure give it."""

    def make(gate: Any, measured: float | None, required: str, **place: str) -> Verdict:
        judged: Verdict = gate.verdict(Requirement(gate=gate.name, required=required, **place), "table-1", measured)
        return judged

    return make
