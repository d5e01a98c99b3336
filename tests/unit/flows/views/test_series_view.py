"""In the terminal, what was left out stands out, and the worst comparisons come first."""

from __future__ import annotations

import pytest

from flows.terminal.output import results
from flows.views.series_view import MOST, show_series
from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Verdict

VERDICT = Verdict(gate="series", bound="linkability", table="", comparison="at most", measured=0.4, required=0.5, passed=True)


def shown(capsys: pytest.CaptureFixture[str], figures: SeriesFigures) -> str:
    show_series(results(), figures, [VERDICT], {"a" * 64: "version 1 of 2026-01-01"})
    return capsys.readouterr().out


def test_it_names_the_version_the_bound_and_the_comparisons(capsys: pytest.CaptureFixture[str]) -> None:
    lines = tuple(
        ComparedFigures(names=(f"column {place}",), values=9, people=400, linkability=0.4, linkability_any=0.4, candidates=3, changed=10)
        for place in range(MOST + 2)
    )
    said = shown(capsys, SeriesFigures(earlier=("a" * 64,), people=500, several=400, came=100, left=20, compared=lines))
    assert "Together with the versions before" in said
    assert "version 1 of 2026-01-01" in said
    assert "passed: Given this version, alone or together with those published before" in said
    assert "3 of 9" in said
    assert "≤ 10" in said
    assert "… and 2 more comparisons" in said


def test_the_reason_why_nothing_was_compared_is_there_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    said = shown(capsys, SeriesFigures(not_measured=2, unmeasured="The groups were\x1b purged.", people=9, came=9))
    assert "“The groups were� purged.”" in said
