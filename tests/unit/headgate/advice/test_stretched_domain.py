"""Where a tail stretches the domain of a number."""

from __future__ import annotations

import pandas as pd
import pytest

from headgate.advice.stretched_domain import stretched_domain
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.scale import Scale


def incomes(values: list[float], domain: tuple[float, float] | None = None, scale: Scale = Scale.LINEAR) -> Column:
    return encode_column(pd.Series(values), ColumnSpec("income", Kind.NUMBER, Role.SENSITIVE, domain=domain, scale=scale))


def test_a_domain_many_times_as_wide_as_its_99th_percentile_is_said_with_who_is_alike() -> None:
    """By hand: 0 to 98 and one 3,920. 99 of 100 lie up to 98, and 3,920 is 40 times that. Within ε 0.02, which is 78.4,
    49 is alike to the other 98."""
    found = stretched_domain(incomes([*range(99), 3920]), "0.02")
    assert found is not None
    assert (found.times, found.from_low_end) == (40.0, True)
    assert found.alike == pytest.approx(98 / 99)
    mirrored = stretched_domain(incomes([3920 - value for value in [*range(99), 3920]]), "0.02")
    assert mirrored is not None
    assert (mirrored.times, mirrored.from_low_end) == (40.0, False)


def test_nothing_is_said_of_numbers_that_fill_their_domain_or_are_compared_by_ratios() -> None:
    assert stretched_domain(incomes(list(range(100))), "0.1") is None
    assert stretched_domain(incomes([*range(1, 100), 3920], (1, 3920), Scale.LOG), "0.1") is None
    assert stretched_domain(incomes([5.0] * 10), "0.1") is None
    assert stretched_domain(incomes([5.0]), "0.1") is None
    assert stretched_domain(incomes(list(range(100)), (0, 1000)), "0.1") is not None  # as it is declared
