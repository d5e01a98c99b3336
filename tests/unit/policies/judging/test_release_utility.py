"""The loss of a release is that of all rows of its tables; its error is that of the queries that could be counted."""

from __future__ import annotations

import pytest

from policies.gates.figures import ReleaseFigures
from policies.gates.verdict import Requirement
from policies.judging.release_utility import as_told, utility_of
from policies.judging.verdicts import judge_whole
from policies.sealed.promise import Promise


def test_tables_count_by_their_rows() -> None:
    utility = utility_of([(30, 0.1), (10, 0.5)], [0.1, 0.2, 0.6], suppressed_share=0.25)
    assert utility.ncp == pytest.approx((30 * 0.1 + 10 * 0.5) / 40)
    assert (utility.query_error_mean, utility.query_error_median) == (pytest.approx(0.3), 0.2)
    assert utility.suppressed_share == 0.25


def test_an_error_that_could_not_be_measured_is_not_zero_and_does_not_pass() -> None:
    utility = utility_of([(10, 0.5)], [])
    assert utility.query_error_mean is utility.query_error_median is None
    promise = Promise(requirements=(Requirement(gate="utility", bound="max_error", required="1"),), quasi=(), sensitive=())
    assert [verdict.passed for verdict in judge_whole(promise, ReleaseFigures(utility))] == [False]


@pytest.mark.parametrize(
    ("error", "told"), [(0.0, 0.0), (0.1, 0.1), (0.08139869281, 0.0814), (0.1004, 0.101), (12.3456, 12.4), (1e-9, 1e-9)]
)
def test_errors_are_told_to_three_digits_upwards(error: float, told: float) -> None:
    """To the last digit, their denominators were counts of the source, people who were suppressed among them."""
    assert as_told(error) == told
