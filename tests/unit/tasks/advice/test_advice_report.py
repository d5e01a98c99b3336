"""The page of advice can be handed on: it counts the values that bind, and names none."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from headgate.advice.binding import binding_sentence, smallest_bounds
from headgate.advice.result import Setting, Tried, TriedDelta
from headgate.utility.mean_interval import Moments
from tasks.advice.advice_report import MANY_ATTRIBUTES, frontier_points, render_advice
from tasks.advice.policy_advice import Advice


def test_the_page_says_what_binds_without_its_values(advice: Advice) -> None:
    bounds = smallest_bounds(advice.tables[0].settings)
    assert bounds
    page = render_advice(advice)
    for bound in bounds:
        shown, named = (binding_sentence(bound, with_values=with_values) for with_values in (False, True))
        assert shown != named
        assert shown in page
        assert named not in page


def test_the_page_says_whether_the_policy_passes_and_what_to_write(advice: Advice) -> None:
    page = render_advice(advice)
    assert "The policy is refused as it stands" in page
    assert "satisfy the policy as it stands" not in page
    snippets = [suggestion.snippet for suggestion in advice.suggestions if suggestion.tried is not None]
    assert snippets
    assert all(snippet in page for snippet in snippets)
    passing = render_advice(replace(advice, passes=True, reason=""))
    assert "satisfy the policy as it stands" in passing
    assert "refused as it stands" not in passing


def test_the_page_fetches_nothing_and_has_a_section_for_each_table(advice: Advice) -> None:
    page = render_advice(replace(advice, tables=advice.tables * 2))
    assert not re.search(r"https?://|<script|<link|src=", page)
    assert [name for name in ("table-1", "table-2", "table-3") if f'id="{name}"' in page] == ["table-1", "table-2"]
    assert page.count("<svg") == 4


def test_a_table_where_nothing_was_reached_says_why_and_has_no_frontier(advice: Advice) -> None:
    (table,) = advice.tables
    unreached = tuple(
        replace(
            setting,
            points=(
                TriedDelta(
                    Fraction(0),
                    Tried(False, reason="Too few rows."),
                ),
            ),
        )
        for setting in table.settings
    )
    page = render_advice(replace(advice, tables=(replace(table, settings=unreached),)))
    assert "No k and ε reached any δ. Too few rows." in page
    assert page.count("<svg") == 1
    assert "No k and ε reached any δ" not in render_advice(advice)


def test_many_attributes_are_counted_and_few_are_named(advice: Advice) -> None:
    (table,) = advice.tables
    names = tuple(f"attribute {number}" for number in range(MANY_ATTRIBUTES + 1))
    assert f"{len(names)} sensitive attributes." in render_advice(replace(advice, tables=(replace(table, sensitive=names),)))
    assert "attribute 0, attribute 1." in render_advice(replace(advice, tables=(replace(table, sensitive=names[:2]),)))


def test_the_points_that_are_drawn_are_those_reached_at_the_epsilon_shown() -> None:
    reached, missed = Tried(True, loss=0.2, query_errors=Moments(100, 0.1)), Tried(False)

    def setting(k: int, epsilon: float) -> Setting:
        points = (TriedDelta(Fraction(3, 4), missed), TriedDelta(Fraction(1, 2), reached))
        return Setting(k, epsilon, None, None, None, None, None, points)

    points = frontier_points([setting(5, 0.1), setting(10, 0.1), setting(5, 0.2)], "0.1")
    assert [(point.k, point.epsilon, point.delta, point.loss, point.query_error) for point in points] == [
        (5, "0.1", 0.5, 0.2, 0.1),
        (10, "0.1", 0.5, 0.2, 0.1),
    ]
