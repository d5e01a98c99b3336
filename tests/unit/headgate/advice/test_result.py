"""What a setting says of the δ that were tried."""

from __future__ import annotations

from fractions import Fraction

import pytest

from headgate.advice.result import BindingValue, Setting, TableAdvice, Tried, TriedDelta
from headgate.utility.mean_interval import Moments


def setting(*points: tuple[str, Tried], certificate: object = None) -> Setting:
    tried = tuple(TriedDelta(Fraction(delta), outcome) for delta, outcome in points)
    return Setting(10, 0.1, Fraction("0.2"), Fraction("0.9"), certificate, 7, 0.5, tried)  # type: ignore[arg-type]


REACHED = Tried(True, delta_reached=0.61, loss=0.3, query_errors=Moments(100, 0.2), linkability=0.4, groups=5, rows=60)
REFUSED = Tried(True, refused=("closeness:income",), loss=0.1)
NOT = Tried(False, reason="Lower δ.")


def test_the_largest_delta_reached_is_the_best_and_the_frontier_leaves_out_what_was_not() -> None:
    advice = setting(("0.8", NOT), ("0.6", REACHED), ("0.3", NOT), ("0", REFUSED))
    assert advice.reached == Fraction("0.6")
    assert [point.delta for point in advice.frontier] == [Fraction("0.6"), 0]
    assert advice.why_not == ""
    assert [tried.passed for tried in (REACHED, REFUSED, NOT)] == [True, False, False]


def test_where_nothing_is_reached_the_smallest_delta_says_why() -> None:
    advice = setting(("0.8", Tried(False, reason="other")), ("0.3", NOT))
    assert (advice.reached, advice.best, advice.why_not) == (None, None, "Lower δ.")
    assert setting().why_not == ""


def test_json_holds_the_figures_of_the_best_and_the_values_that_bind() -> None:
    best = setting(("0.6", REACHED))
    advice = TableAdvice(("income",), 60, (("income", 1.0),), (best,), (BindingValue("income", 1200, 30, 0.5),))
    document = advice.to_json()
    (written,) = document["settings"]
    assert (written["k"], written["guaranteed"], written["reached"], written["possible"]) == (10, 0.2, 0.6, 0.9)
    assert (written["ncp"], written["linkability"], written["query_error_mean"]) == (0.3, 0.4, 0.2)
    assert written["frontier"] == [
        {
            "delta": 0.6,
            "delta_reached": 0.61,
            "ncp": 0.3,
            "query_error_mean": 0.2,
            "query_error_low": 0.2,
            "query_error_high": 0.2,
            "query_error_median": None,
            "linkability": 0.4,
            "groups": 5,
            "refused_by": [],
        }
    ]
    assert document["binding"] == [{"attribute": "income", "value": 1200, "rows": 30, "share": 0.5}]
    assert advice.at(10, 0.1) is best
    assert advice.at(5, 0.1) is None


@pytest.mark.parametrize("value", ["a diagnosis", 1200])
def test_a_binding_value_is_in_no_text_form(value: object) -> None:
    assert str(value) not in repr(BindingValue("illness", value, 3, 0.1))
