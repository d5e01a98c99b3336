"""Bounds for all sensitive attributes, or for those that are named."""

from __future__ import annotations

from decimal import Decimal

import pytest

from headgate.core.columns import Kind
from headgate.core.errors import PolicyInvalid
from policies.gates.per_attribute import bounds_by_column, published_columns


def test_a_number_stands_for_the_kinds_that_the_measure_has(table) -> None:
    assert list(bounds_by_column(table, Decimal("0.50"))) == [("income", "0.5"), ("school", "0.5")]
    assert list(bounds_by_column(table, Decimal(1), (Kind.ORDINAL,))) == [("school", "1")]
    assert list(bounds_by_column(table, {"school": Decimal(2)})) == [("school", "2")]
    assert list(bounds_by_column(table, None)) == []


def test_a_name_that_is_no_column_is_refused(table) -> None:
    assert published_columns(table, "income") == ("income",)
    with pytest.raises(PolicyInvalid, match="'age' is not a sensitive column"):
        published_columns(table, "age")
