"""The gate on discernibility."""

from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.gates.discernibility import Discernibility
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge_table
from policies.sealed.specs import promise_of
from tests.unit.claimed import required

GATE = Discernibility()


def test_the_policy_bounds_the_sum_of_squares(asked, table) -> None:
    assert list(GATE.requirements(asked(", discernibility: 34").gates, table)) == [required("discernibility", 34)]
    assert list(GATE.requirements(asked().gates, table)) == []
    with pytest.raises(PolicyInvalid, match=r"gates\.discernibility"):
        asked(", discernibility: 0")


@pytest.mark.parametrize(("bound", "suppressed", "passed"), [("34", 0, True), ("33", 0, False), ("34", 1, False), ("45", 1, True)])
def test_a_suppressed_row_counts_as_many_as_there_are(asked, table, gated, bound: str, suppressed: int, passed: bool) -> None:
    """3² + 3² + 4² = 34; with a row suppressed of 11, 11 more."""
    promise = promise_of(asked(f", discernibility: {bound}"), table)
    figures = measure_table(promise, gated().published, (), suppressed=suppressed)
    (verdict,) = [one for one in judge_table(promise, figures) if one.gate == "discernibility"]
    assert verdict.measured == 34 + 11 * suppressed
    assert verdict.passed is passed


def test_a_merged_table_may_pass_where_a_part_did_not() -> None:
    assert GATE.monotone(required("discernibility", 34)) is False


def test_a_refusal_says_what_is_summed(verdict) -> None:
    said = "In table-1, the sum of squared group sizes is 3,400; at most 34 is allowed."
    assert GATE.refusal(verdict(GATE, 3400.0, "34")) == said
