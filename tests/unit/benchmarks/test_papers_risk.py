"""The disclosure-risk paper's experiments: what they run on, by plain counting, and that the page shows the numbers of the last run."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers import risk_page as page
from benchmarks.papers.risk_runs import FORMS, census, losses, people_of, random_rule, rule_of, situations
from headgate.risk.disclosure.decision import agrees, refines

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def people():
    return people_of(600, 5)


def test_losses_are_those_of_the_definition(people) -> None:
    table = census(600).fillna("")
    rows = [tuple(row) for row in table.itertuples(index=False)]
    rule = random_rule(people, 5)
    found = losses(people, people.dictionary(0.5), rule)
    weights = np.stack(list(people.weights.values()), axis=1)
    for i in range(0, 60, 7):
        shown = np.flatnonzero(rule[i])
        assert len(shown) == 5
        consistent = sum(all(other[j] == rows[i][j] for j in shown) for other in rows[:300])
        total = sum(weights[i, j] for j in shown)
        assert found.losses["multiplicative"][i] == pytest.approx(math.exp(total) / consistent)
        assert found.losses["additive"][i] == pytest.approx(total / consistent)
    assert found.unmatched == 0
    assert found.closest >= 1


def test_more_attributes_by_chance_hold_fewer(people) -> None:
    for keep in range(1, 16):
        assert (random_rule(people, keep) <= random_rule(people, keep + 1)).all()
    assert (random_rule(people, 16)).all()
    assert not (rule_of(people, people.dictionary(1.0), "MinRisk", 3) == random_rule(people, 3)).all()


def test_a_dictionary_holds_the_smaller_ones_and_the_records_unless_it_is_drawn(people) -> None:
    sizes = [len(next(iter(people.dictionary(share).values()))) for share in (0.1, 0.5, 1.0)]
    assert sizes == [60, 300, 600]
    for name, column in people.dictionary(0.1).items():
        assert (column.codes == people.own[name].codes).all()
    assert losses(people, people.at_random(0.3), random_rule(people, 16)).unmatched > 0.3


def test_theorem_ones_conditions_hold_where_the_run_says_so(people) -> None:
    seen = set()
    for one in situations(people, 0.1, (0.3, 1.0), 0.2):
        names = list(people.columns)
        assert refines(one.estimate.columns, one.true.columns, one.estimate.keys, one.true.keys, names)
        assert agrees(one.estimate.columns, one.estimate.keys, people.own, people.released, names) == one.kept
        missing = np.mean([column.codes < 0 for column in one.true.columns.values()])
        assert missing == pytest.approx(one.gaps, abs=0.03)
        seen.add((one.kept, one.gaps > 0))
    assert seen == {(True, False), (True, True), (False, False)}


def test_multiplicative_is_above_additive_in_every_record(people) -> None:
    for keep in (0, 1, 16):
        found = losses(people, people.dictionary(0.5), random_rule(people, keep))
        assert (found.losses["multiplicative"] > found.losses["additive"]).all()
    assert list(FORMS) == ["multiplicative", "additive"]


def _figures() -> dict:
    return json.loads((DOCS / "paper-risk" / "figures.json").read_text(encoding="utf-8"))


def test_the_page_shows_the_numbers_of_the_last_run() -> None:
    text = (DOCS / "paper-risk.md").read_text(encoding="utf-8")
    assert page.with_tables(text, page.tables(_figures())) == text


def test_every_chart_of_the_page_is_there() -> None:
    text = (DOCS / "paper-risk.md").read_text(encoding="utf-8")
    shown = {part.partition(")")[0] for part in text.split("](")[1:] if part.startswith("paper-risk/")}
    charts = {"figure-1-left", "figure-1-right", "min-risk", "growth"}
    assert {path for path in shown if path.endswith(".png")} == {f"paper-risk/{name}.png" for name in charts}
    assert all((DOCS / path).is_file() for path in shown)


def test_a_claim_replicates_only_where_every_number_agrees() -> None:
    figures = _figures()
    wanted = {one: verdict for one, _, verdict in page.findings(figures)}
    changed = copy.deepcopy(figures)
    line = next(one for one in changed["left"]["lines"] if one["reading"] == "with the records" and one["rule"] == "random")
    line["risk"][4] = line["risk"][3]
    assert [one for one, _, verdict in page.findings(changed) if verdict != wanted[one]] == [
        f"Figure 1 left: risk falls as the dictionary grows, at every k ({line['form']})"
    ]
    changed = copy.deepcopy(figures)
    point = next(one for one in changed["right"]["points"] if one["kept"])
    point["estimated"] = point["true"] * (1 - 1e-6)
    different = [one for one, _, verdict in page.findings(changed) if verdict != wanted[one]]
    assert "Figure 1 right: all points lie on or above the diagonal" in different
    changed = copy.deepcopy(figures)
    changed["right"]["preconditions"][0]["agrees"] = False
    assert [one for one, _, verdict in page.findings(changed) if verdict != wanted[one]] == [
        "Figure 1 right: all points lie on or above the diagonal"
    ]
    changed = copy.deepcopy(figures)
    changed["left"]["closest"] = 0.0
    assert [one for one, _, verdict in page.findings(changed) if verdict != wanted[one]] == [
        "Multiplicative sensitivity is always above additive"
    ]


def test_time_that_grows_faster_than_in_proportion_is_no_replication() -> None:
    figures = _figures()
    for power, verdict in ((0.9, "yes"), (1.3, "**no**")):
        for one in figures["growth"]["points"]:
            one["seconds"] = one["value"] ** power
        assert page.findings(figures)[-1][2] == verdict


def test_a_page_without_its_marks_is_not_overwritten() -> None:
    with pytest.raises(ValueError, match="lost its marks"):
        page.with_tables("# A page\n", "tables")
