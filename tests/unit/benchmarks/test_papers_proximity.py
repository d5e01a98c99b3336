"""The figures of the (δ, l) and the general-proximity paper, redone: what is transcribed is what is measured; the page follows the run."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from benchmarks.papers import proximity_page as page
from benchmarks.papers.proximity_runs import (
    CHECKS,
    DEFINITION,
    EXAMPLES,
    WINDOW,
    by_definition,
    disease_distances,
    diversities,
    risks_of_diseases,
    small_groups,
    theorem_1,
)

DOCS = Path(__file__).resolve().parents[3] / "docs"


def _figures() -> dict:
    return json.loads((DOCS / "paper-proximity" / "figures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("reading", [DEFINITION, WINDOW])
@pytest.mark.parametrize("delta", [0, 0.5, 1, 1.5])
def test_the_algorithm_the_measure_and_brute_force_agree(reading: str, delta: float) -> None:
    groups = list(small_groups(4, 5))
    measured = diversities(groups, delta)[reading]
    for group, found in zip(groups, measured, strict=True):
        assert CHECKS[reading](group, delta) == found == by_definition(group, delta, reading)


def test_the_papers_examples_have_the_golden_figures() -> None:
    """DEFINITIONS §5 and §3."""
    found = diversities(list(EXAMPLES.values()), 7.5)
    assert found[DEFINITION] == pytest.approx([2, 1, 2, 4 / 3])
    assert found[WINDOW] == pytest.approx([2, 1.5, 2, 2])
    assert diversities(list(EXAMPLES.values()), 15)["(ε, m)"] == pytest.approx([2, 1, 2, 4 / 3])
    assert risks_of_diseases(["0.1"])[0]["risk"] == [0.75, 0.0]
    assert disease_distances()[1, 3] == pytest.approx(0.1)


def test_theorem_1_holds_for_small_groups() -> None:
    assert theorem_1(3, 4, (0, 1))["wrong"] == 0


def test_the_page_shows_the_numbers_of_the_last_run() -> None:
    text = (DOCS / "paper-proximity.md").read_text(encoding="utf-8")
    assert page.with_tables(text, page.tables(_figures())) == text


def test_every_chart_of_the_page_is_there() -> None:
    text = (DOCS / "paper-proximity.md").read_text(encoding="utf-8")
    shown = {part.partition(")")[0] for part in text.split("](")[1:] if part.startswith("paper-proximity/")}
    charts = {"salaries", "census", "checking", "diseases"}
    assert {path for path in shown if path.endswith(".png")} == {f"paper-proximity/{name}.png" for name in charts}
    assert all((DOCS / path).is_file() for path in shown)


def test_a_claim_replicates_only_where_every_number_agrees() -> None:
    figures = _figures()
    wanted = {one: verdict for one, _, verdict in page.findings(figures)}

    def others(changed: dict) -> list[str]:
        return [one for one, _, verdict in page.findings(changed) if verdict != wanted[one]]

    changed = copy.deepcopy(figures)
    changed["checking"]["monotone"]["falls"]["window"] = 1
    assert others(changed) == ["(δ, l): the union of two groups has no smaller l than both (window)"]
    changed = copy.deepcopy(figures)
    changed["diseases"]["theorem_1"]["wrong"] = 1
    assert others(changed) == ["General proximity, Theorem 1"]
    changed = copy.deepcopy(figures)
    for one in changed["checking"]["seconds"]:
        one["seconds"] = one["rows"] ** 1.3
    assert others(changed) == ["(δ, l), Figure 3 takes O(|E|)"]


def test_a_page_without_its_marks_is_not_overwritten() -> None:
    with pytest.raises(ValueError, match="lost its marks"):
        page.with_tables("# A page\n", "tables")
