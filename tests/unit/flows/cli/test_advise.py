"""How advice is shown in the terminal."""

from __future__ import annotations

from fractions import Fraction

import pytest

from flows.cli.advise import _binding_line, _purpose, _united, _unused
from headgate.advice.result import BindingValue, Setting, Tried, TriedDelta
from tasks.advice.advice_suggestions import PROTECT, USEFUL, Suggestion


def setting(k: int, epsilon: float, delta: str) -> Setting:
    return Setting(k, epsilon, None, None, None, None, None, (TriedDelta(Fraction(delta), Tried(True)),))


def test_neighbouring_epsilons_with_the_same_figures_at_every_k_are_one_row() -> None:
    settings = [setting(k, epsilon, "1/2") for epsilon in (0.0, 0.05, 0.1) for k in (5, 10)]
    assert [(epsilons, len(group)) for epsilons, group in _united(settings)] == [("0 to 0.1", 2)]
    changed = [*settings[:4], setting(5, 0.1, "1/2"), setting(10, 0.1, "1/4")]
    assert [epsilons for epsilons, _ in _united(changed)] == ["0 to 0.05", "0.1"]


@pytest.mark.parametrize(
    ("purpose", "bound", "title"),
    [
        (PROTECT, 0.25, "To protect as much as possible with a loss of at most 0.25"),
        (PROTECT, 1.0, "To protect as much as possible (the policy sets no limit on loss)"),
        (USEFUL, 0.6, "To lose as little as possible with δ of at least 0.6"),
    ],
)
def test_a_suggestion_is_headed_by_what_it_is_for(purpose: str, bound: float, title: str) -> None:
    assert _purpose(Suggestion(purpose, bound, None)) == title


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (BindingValue("income", 1021.5, 1, 0.002), "1 row has income: 1021.5 (0.2 %)"),
        (BindingValue("job", "clerk", 4209, 0.14), "4,209 rows have job: clerk (14.0 %)"),
        (BindingValue("diagnosis=flu", 1, 20, 0.1), "20 rows have diagnosis: flu (10.0 %)"),
        (BindingValue("job", None, 20, 0.1), "20 rows have no job (10.0 %)"),
    ],
)
def test_a_value_that_limits_is_told_with_the_rows_that_have_it(value: BindingValue, line: str) -> None:
    assert _binding_line(value) == line


def test_of_the_declared_values_that_no_row_has_the_first_are_named() -> None:
    assert (
        _unused("dx", ("name", "gout"))
        == "Declared values of dx that no row has: name, gout. Remove them from its list if they are not values."
    )
    assert "c0, c1, c2, c3, c4 and 1,995 more." in _unused("dx", tuple(f"c{number}" for number in range(2000)))
