"""The shipped policies are whole: they parse, they fit their data, and what they call harmless is there and says why."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files
from io import BytesIO

import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.methods.settings import Otherwise
from policies.jobs.table_job import infeasible_of
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy, files_of, require_ready
from policies.shipped import SHIPPED, shipped_policy

FOLDER = files("policies.shipped")


@pytest.fixture(params=SHIPPED)
def policy(request: pytest.FixtureRequest) -> Policy:
    return parse_policy(shipped_policy(request.param).read_text("utf-8"), f"{request.param}.yaml")


@pytest.fixture
def source(policy: Policy) -> pd.DataFrame:
    content = BytesIO((FOLDER / policy.source.path).read_bytes())
    if policy.source.kind == "parquet":
        return pd.read_parquet(content)
    return pd.read_csv(content, compression="gzip", dtype=str, keep_default_na=False, na_values=[""])


def test_a_shipped_policy_is_no_draft(policy: Policy) -> None:
    require_ready(policy)


def test_every_shipped_policy_is_listed_and_every_listed_one_is_shipped() -> None:
    assert {entry.name for entry in FOLDER.iterdir() if entry.name.endswith(".yaml")} == {f"{name}.yaml" for name in SHIPPED}


def test_every_file_a_policy_names_lies_beside_it(policy: Policy) -> None:
    for place, path in files_of(policy).items():
        assert (FOLDER / path).is_file(), place


def test_the_policy_and_the_source_have_the_same_columns(policy: Policy, source: pd.DataFrame) -> None:
    assert set(policy.source_columns) == set(source.columns)


@pytest.mark.slow
def test_what_is_called_non_sensitive_occurs_in_the_data(policy: Policy, source: pd.DataFrame) -> None:
    for name in policy.named(Role.SENSITIVE):
        attribute = policy.attributes[name]
        cells = source[name].dropna().astype(str)
        present = set(cells.str.split(attribute.separator or "|", regex=False).explode() if attribute.kind is Kind.SET else cells)
        assert {value for value in attribute.nonsensitive if value is not None} <= present, name


@pytest.mark.slow
def test_every_sensitive_attribute_still_protects_something(policy: Policy, source: pd.DataFrame) -> None:
    for name in policy.named(Role.SENSITIVE):
        attribute = policy.attributes[name]
        cells = source[name].dropna().astype(str)
        present = set(cells.str.split(attribute.separator or "|", regex=False).explode() if attribute.kind is Kind.SET else cells) - {""}
        assert present - set(attribute.nonsensitive), name


def test_a_shipped_policy_promises_what_a_cautious_custodian_would(policy: Policy) -> None:
    assert policy.anonymize.k >= 10
    assert policy.anonymize.delta is not None
    infeasible = infeasible_of(policy.anonymize)
    assert infeasible.otherwise is not Otherwise.RELAX
    assert infeasible.suppressible <= Fraction("0.02")
    assert policy.gates.linkability <= 0.8
    assert policy.gates.reidentification is not None
    assert policy.utility.max_error is not None
    assert policy.approval.required >= 2
