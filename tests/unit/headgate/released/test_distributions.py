"""How far a column moved between two releases: against counting by hand, and against each cell replaced by all that it covers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.released.distributions import Moved, Spread, beside, moved
from tests.unit.headgate.released.tiny_releases import release


def between(name: str, before: dict[str, list[Any]], after: dict[str, list[Any]]) -> Moved | None:
    old, new = (release(**columns)["table-1"] for columns in (before, after))
    return moved(old.spread(name), new.spread(name))


def columns(name: str, *cells: Any) -> dict[str, list[Any]]:
    beside = "eye" if name != "eye" else "age"
    return {name: list(cells), beside: ["blue" if beside == "eye" else "1"] * len(cells)}


def test_a_release_has_not_moved_from_itself() -> None:
    same = between("town", columns("town", "t1", "north", "*", ""), columns("town", "t1", "north", "*", ""))
    assert same is not None
    assert same.total_variation == 0


def test_a_generalized_cell_is_spread_over_what_it_covers() -> None:
    found = between("town", columns("town", "north", "north"), columns("town", "t1", "t2", "t3", "t3"))
    assert found == Moved(0.5, "t3", 0.0, 0.5)


def test_cells_that_are_missing_are_a_place_of_their_own() -> None:
    assert between("eye", columns("eye", "blue", "{|brown}"), columns("eye", "blue", "")) == Moved(0.5, "missing", 0.0, 0.5)


def test_numbers_are_compared_by_stretches_and_days_are_named() -> None:
    ages = between("age", columns("age", "[0..1]", "4"), columns("age", "0", "1", "4", "4"))
    assert ages is not None
    assert ages.total_variation == 0
    days = between("seen", columns("seen", "2024-01-01"), columns("seen", "2024-01-02"))
    assert days == Moved(1.0, "2024-01-01", 1.0, 0.0)
    income = between("income", {"age": ["1"] * 2, "income": [0, 100]}, {"age": ["1"] * 2, "income": [100, 100]})
    assert income == Moved(0.5, "0 to 5", 0.5, 0.0)


def test_a_bit_of_a_set_and_a_component_of_a_vector_can_be_compared() -> None:
    bits = between("ill=flu", {"age": ["1"] * 2, "ill=flu": [0, 1]}, {"age": ["1"] * 2, "ill=flu": [1, 1]})
    assert bits == Moved(0.5, "has it", 0.5, 1.0)
    mood = {"age": ["1", "1"], "m1": [0.1, 0.2], "m2": [0.3, 0.3]}
    same = between("m1", mood, mood)
    assert same is not None
    assert same.total_variation == 0


def test_numbers_and_words_cannot_be_compared() -> None:
    numbers, words = release(age=["1"])["table-1"].spread("age"), release(eye=["blue"])["table-1"].spread("eye")
    assert moved(numbers, words) is None


@pytest.mark.parametrize(("unit", "far"), [("number", 1.7e308), ("number", -1.7e308), ("date", 1e9)])
def test_what_lies_beyond_all_reckoning_ends_no_comparison(unit: str, far: float) -> None:
    """A release with numbers near the largest of all would have ended as a defect."""
    places, rows = np.array([far, 0.0]), np.array([1.0, 1.0])
    spread = Spread(unit, places, places, rows, {}, 0.0)
    assert moved(spread, spread) is None


CELLS = {"[0..1]": (0, 1), "[2..5]": (2, 3, 4, 5), "[0..4]": (0, 1, 2, 3, 4), "*": (0, 1, 2, 3, 4, 5), "": (None,)} | {
    str(age): (age,) for age in range(6)
}


def shares(cells: list[str]) -> dict[int | None, float]:
    counted: Counter[int | None] = Counter()
    for cell in cells:
        for value in CELLS[cell]:
            counted[value] += 1 / len(CELLS[cell]) / len(cells)
    return counted


@given(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=6), st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=6))
def test_a_column_of_few_whole_numbers_moves_as_counted_by_hand(before: list[str], after: list[str]) -> None:
    found = between("age", columns("age", *before), columns("age", *after))
    old, new = shares(before), shares(after)
    change = {value: new.get(value, 0) - old.get(value, 0) for value in {*old, *new}}
    assert found is not None
    assert found.total_variation == pytest.approx(sum(map(abs, change.values())) / 2, abs=1e-12)
    assert abs(found.after - found.before) == pytest.approx(max(map(abs, change.values())), abs=1e-12)


def test_a_source_beside_what_is_published_is_told_coarsely() -> None:
    """Of 100 rows in steps of 10: one person at 'green' is among all others, and 44 blue ones are told as 40."""
    source = columns("eye", *["blue"] * 44, *["brown"] * 55, "green")
    published = columns("eye", *["blue"] * 50, *["brown"] * 50)
    old, new = (release(**each)["table-1"].spread("eye") for each in (source, published))
    both = beside(old, new, 10)
    assert both is not None
    told = {place: (round(was, 12), round(now, 12)) for place, was, now in both.places}
    assert told == {"blue": (0.4, 0.5), "brown": (0.6, 0.5), "all others": (0.0, 0.0)}
    assert both.total_variation == pytest.approx(0.06)


def test_of_very_many_places_the_largest_are_told() -> None:
    spread = Spread("", np.empty(0), np.empty(0), np.empty(0), {f"v{place}": 100.0 - place for place in range(60)}, 0.0)
    both = beside(spread, spread, 1, most=5)
    assert both is not None
    assert [place for place, *_ in both.places] == ["v0", "v1", "v2", "v3", "v4", "all others"]
    assert both.total_variation == 0
    assert beside(spread, Spread("number", *[np.ones(1)] * 3, {}, 0.0), 1) is None
