"""The paper's experiments: the table they run on, how vulnerability is counted, and that the page shows the numbers of the last run."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.census import adults
from benchmarks.papers import xcolor_page as page
from benchmarks.papers.xcolor_runs import (
    FAITHFUL,
    REACHED,
    Setting,
    encoded,
    frequency_l,
    largest_delta,
    largest_frequency_l,
    outcome,
    vulnerability,
    within,
    workers,
)
from headgate.grouping.watch import STOP, Stopped, Watch

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def sample() -> pd.DataFrame:
    return workers(240)


def test_the_census_table_has_the_people_that_the_page_names() -> None:
    """Golden: `zcat census-income.test.gz`, lines with field 0 ≥ 18, and of these with field 39 > 0; the share of the largest
    combination of fields 4, 1 and 39."""
    people = adults()
    assert len(people) == 72_043
    assert int((people["weeks"] > 0).sum()) == 50_324
    assert round(people.groupby(["education", "worker_class", "weeks"]).size().max() / len(people), 4) == 0.1207
    assert not people.isna().any().any()


def test_rows_for_a_smaller_table_are_the_first_of_a_larger_one() -> None:
    pd.testing.assert_frame_equal(workers(500), workers(2_000).iloc[:500])
    assert workers(500)["age"].tolist() != sorted(workers(500)["age"].tolist())


def test_vulnerability_is_the_share_of_groups_that_break_the_promise(sample: pd.DataFrame) -> None:
    """By the definition: each pair compared, in plain numbers."""
    groups = np.random.default_rng(3).integers(0, 12, size=len(sample)).astype(np.int32)
    groups[:12] = range(12)
    epsilons, deltas = ("0.05", "0.15", "0.4"), ("0.5", "0.8", "0.95")
    for p in (1, 2):
        found = vulnerability(encoded(sample), groups, p, epsilons, deltas)
        expected = [[_vulnerable(sample, groups, p, float(e), Fraction(d)) for d in deltas] for e in epsilons]
        np.testing.assert_allclose(found, expected)
        assert len(np.unique(found)) > 3


def _vulnerable(people: pd.DataFrame, groups: np.ndarray, p: int, epsilon: float, delta: Fraction) -> float:
    broken = 0
    sectors = {"Private": 1, "Self-employed-incorporated": 2, "Self-employed-not incorporated": 2, "Without pay": 4, "Never worked": 4}
    widths = [people[name].max() - people[name].min() for name in ("education", "occupation")]
    rows = list(zip(people["education"], people["worker_class"], people["occupation"], strict=True))
    for group in range(12):
        members = [row for row, own in zip(rows, groups, strict=True) if own == group]
        near = [0] * len(members)
        for i, j in itertools.permutations(range(len(members)), 2):
            a, b = members[i], members[j]
            same_sector = sectors.get(a[1], 3 if "government" in a[1] else 4) == sectors.get(b[1], 3 if "government" in b[1] else 4)
            parts = (abs(a[0] - b[0]) / widths[0], 0 if a[1] == b[1] else 0.5 if same_sector else 1, abs(a[2] - b[2]) / widths[1])
            total = sum(weight * part**p for weight, part in zip((0.4, 0.3, 0.3), parts, strict=True)) ** (1 / p)
            near[i] += total <= epsilon + 1e-9
        broken += max(near) > (1 - delta) * (len(members) - 1)
    return broken / 12


def test_the_largest_l_is_that_of_the_whole_table_in_one_group(sample: pd.DataFrame) -> None:
    together = np.zeros(len(sample), dtype=np.int32)
    assert largest_frequency_l(sample) == pytest.approx(frequency_l(sample, together))
    halves = (np.arange(len(sample)) % 2).astype(np.int32)
    assert frequency_l(sample, halves) <= largest_frequency_l(sample)


def test_a_setting_that_is_not_reached_has_a_reason_and_no_error(sample: pd.DataFrame) -> None:
    """Tried in vain, and refuted before it is tried."""
    states = set()
    for epsilon in ("0.1", "1"):
        (failed,) = outcome(sample, encoded(sample), FAITHFUL, Setting(10, epsilon, "0.9"), 30, ["0.25"], 20)
        states.add(failed.state)
        assert failed.reason
        assert (failed.error_mean, failed.error_median, failed.loss, failed.risk) == (None, None, None, None)
    assert len(states - {REACHED}) == 2


def test_the_nearest_delta_is_reached_and_keeps_its_promise(sample: pd.DataFrame) -> None:
    asked = Setting(5, "0.1", "0.9")
    (best,) = largest_delta(sample, encoded(sample), FAITHFUL, asked, 30, 20)
    assert best.state == REACHED
    assert best.risk <= 1 - Fraction(best.setting.delta) + 1e-9
    assert (best.setting.epsilon, best.setting.k) == ("0.1", 5)


def _figures() -> dict:
    return json.loads((DOCS / "paper-xcolor" / "figures.json").read_text(encoding="utf-8"))


def test_the_page_shows_the_numbers_of_the_last_run() -> None:
    text = (DOCS / "paper-xcolor.md").read_text(encoding="utf-8")
    assert page.with_tables(text, page.tables(_figures())) == text


def test_every_chart_of_the_page_is_there() -> None:
    text = (DOCS / "paper-xcolor.md").read_text(encoding="utf-8")
    shown = {part.partition(")")[0] for part in text.split("](")[1:] if part.startswith("paper-xcolor/")}
    assert {path for path in shown if path.endswith(".png")} == {
        f"paper-xcolor/{name}.png" for name in ("figure-4", "figure-5", "figure-6", "growth")
    }
    assert all((DOCS / path).is_file() for path in shown)


def test_an_error_at_fifteen_per_cent_does_not_replicate_the_papers_claim() -> None:
    figures = _figures()
    for outcomes in figures["5"]["panels"].values():
        for one in outcomes:
            if one["error_mean"] is not None:
                one["error_mean"] = 0.1499
    assert all(line.endswith("| yes |") for line in _claims(figures))
    next(one for one in figures["5"]["panels"]["k"] if one["method"] == FAITHFUL and one["error_mean"] is not None)["error_mean"] = 0.15
    assert [line.rpartition("| ")[2] for line in _claims(figures)] == ["**no** |", "yes |"]


def _claims(figures: dict) -> list[str]:
    return [line for line in page.tables(figures).splitlines() if "always below 15 %" in line]


def test_no_run_has_two_outcomes_on_the_page() -> None:
    """One was "stopped" in one table and "not reached" in another: it had taken longer than its patience in one of two runs."""
    figures = _figures()
    states: dict[tuple, set[str]] = {}
    for one in (*figures["settings"]["asked"], *(one for panel in figures["5"]["panels"].values() for one in panel)):
        states.setdefault((one["method"], *one["setting"].values()), set()).add(f"{one['state']}: {one['reason']}")
    assert {run: found for run, found in states.items() if len(found) > 1} == {}


def test_only_a_certificate_says_that_a_setting_cannot_be_kept() -> None:
    figures = _figures()
    kept = {
        one["figure"]: line for one in figures["settings"]["asked"] for line in _lines(figures, f"Figure {one['figure']}: its defaults")
    }
    assert kept["5"].endswith("| not here; nothing is proved |")
    assert kept["6"].endswith("| **no**: proved |")
    for one in figures["settings"]["asked"]:
        one["state"] = "reached"
    assert all(line.endswith("| yes |") for line in _lines(figures, "its defaults can be kept"))


def test_time_that_grows_with_half_the_power_is_not_called_linear() -> None:
    """n^0.5 was "about linear in n: yes"."""
    for power, verdict in ((0.5, "slower than linear"), (1.0, "yes"), (1.4, "**no**")):
        figures = _figures()
        for one in (one for panel in figures["6"]["panels"].values() for one in panel):
            one["seconds"] = one["rows"] ** power
        assert all(line.endswith(f"| {verdict} |") for line in _lines(figures, "time is about linear in n"))


def _lines(figures: dict, part: str) -> list[str]:
    return [line for line in page.tables(figures).splitlines() if part in line]


def test_a_page_without_its_marks_is_not_overwritten() -> None:
    with pytest.raises(ValueError, match="lost its marks"):
        page.with_tables("# A page\n", "tables")


def test_a_run_that_takes_too_long_is_given_up() -> None:
    def forever(watch: Watch) -> str:
        while not watch.state[STOP]:
            pass
        raise Stopped

    assert within(0.05, forever) is None
    assert within(30, lambda watch: "done") == "done"
