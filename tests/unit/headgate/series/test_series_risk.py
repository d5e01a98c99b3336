from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import headgate as hg
from tests.unit.headgate.series.by_definition import Drawn, as_frames, by_definition, few, random_series

SEEDS = st.integers(0, 2**32 - 1)


def measured(series: Sequence[Drawn], **options: Any) -> Any:
    return hg.series(as_frames(series), person="id", sensitive=["illness", "pay"], **options)


def one_table(*versions: tuple[list[int], list[Any]], **options: Any) -> Any:
    """One group per version, of these people with these values."""
    frames = [(pd.DataFrame({"id": people, "value": values}), [0] * len(people)) for people, values in versions]
    return hg.series(frames, person="id", sensitive=["value"], **options)


def test_the_golden_series_have_the_figures_of_the_definition() -> None:
    """DEFINITIONS §11, Golden: linkability 1 and candidates 1; 1/3, 3; 1/2, 2; 1, 1."""
    ill = one_table(([0, 1, *range(10, 18)], ["HIV"] * 2 + ["flu"] * 8), ([0, 1, *range(20, 28)], ["HIV"] * 2 + ["cold"] * 8))
    same = one_table(([0, 1, 2], list("abc")), ([0, 1, 2], list("abc")))
    other = one_table(([0, 1, 2], list("abc")), ([0, 1, 3], list("abd")))
    income = one_table(([0, *range(1, 10)], list(range(100, 110))), ([0, *range(11, 20)], [100, *range(201, 210)]))
    assert [(one.linkability, one.candidates) for one in (ill, same, other, income)] == [(1, 1), (1 / 3, 3), (1 / 2, 2), (1, 1)]
    assert ill.per_person.loc[[0, 10], "linkability"].tolist() == [1.0, 0.8]


@pytest.mark.parametrize("seed", range(120))
def test_figures_are_those_of_the_definition(seed: int) -> None:
    series = random_series(seed)
    harmless = ["v0"] if seed % 3 == 0 else []
    epsilon = Fraction(1, 4) if seed % 2 else Fraction(1, 2)
    result = measured(series, epsilon=epsilon, nonsensitive={"illness": harmless}, kinds={"illness": "category", "pay": "integer"})
    pays = [values["pay"] for version in series for values in version.people.values()]
    width = max(pays) - min(pays)

    def near_pay(a: Any, b: Any) -> Fraction:
        return Fraction(abs(a - b), width) if width else Fraction(0)

    distances = {
        ("illness", "pay"): lambda a, b: (a[0] != b[0]) / Fraction(2) + near_pay(a[1], b[1]) / 2 <= epsilon,
        ("illness",): lambda a, b: (a != b) <= epsilon,
        ("pay",): lambda a, b: near_pay(a[0], b[0]) <= epsilon,
    }
    assert {measure.names for measure in result.measures} >= {("illness",), ("pay",)}
    people = list(dict.fromkeys(person for version in series for person in version.people))
    for measure in result.measures:
        right = by_definition(series, measure.names, frozenset(harmless), distances[measure.names])
        numbered = [people[number] for number in measure.people]
        assert set(numbered) == set(right.linkability)
        for figure, expected in (
            (measure.linkability, right.linkability),
            (measure.linkability_any, right.linkability_any),
            (measure.candidates, right.candidates),
            (measure.risk, right.risk),
        ):
            found = dict(zip(numbered, measure.by_person(figure).tolist(), strict=True))
            assert found == {person: float(expected.get(person, np.inf)) for person in numbered}  # type: ignore[attr-defined]
        assert measure.told == len(right.told)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_adding_a_version_lowers_no_linkability_over_any_versions(seed: int) -> None:
    series = random_series(seed, versions=5)
    _, two, three, *_ = results = [measured(series[:number]) for number in range(1, 6)]
    before, after = two.per_person["linkability"], three.per_person["linkability"]
    assert (after.loc[before.index] >= before).all()  # up to three versions, singles, pairs and all are every set
    for fewer, more in pairwise(results):
        assert more.linkability_any >= fewer.linkability_any
        assert (more.candidates or 99) <= (fewer.candidates or 99)


def test_a_fourth_version_can_lower_linkability_but_not_over_any_versions() -> None:
    """Three versions leave a, a and b: 2/3. All four leave a and b, and no pair leaves as much as 2/3; but somebody who has only the first
    three is as certain as before."""
    three = [list("aabcd"), list("aabce"), list("aabde")]
    versions = [(list(range(i * 10, i * 10 + 5)), values) for i, values in enumerate(three)]
    versions = [([0, *people[1:]], values) for people, values in versions]
    alone = one_table(*versions)
    raised = one_table(*versions, ([0, *range(41, 45)], list("abfgh")))
    assert (alone.linkability, alone.linkability_any) == (2 / 3, 2 / 3)
    assert raised.per_person.loc[0, "linkability"] < 2 / 3
    assert raised.linkability_any == 2 / 3


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(0, 4))
def test_equal_versions_change_nothing(seed: int, again: int) -> None:
    series = random_series(seed)
    once, twice = measured(series, epsilon="0.3"), measured([*series, series[again % len(series)]], epsilon="0.3")
    assert once.per_person.drop(columns="versions").equals(twice.per_person.drop(columns="versions"))
    assert (once.linkability_any, once.told) == (twice.linkability_any, twice.told)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_versions_does_not_matter(seed: int, random: Any) -> None:
    series = random_series(seed)
    order = random.sample(series, len(series))
    first, second = measured(series, epsilon="0.3"), measured(order, epsilon="0.3")
    assert first.per_person.sort_index().equals(second.per_person.sort_index())
    assert (first.linkability_any, first.told) == (second.linkability_any, second.told)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
@example(3)
def test_numbers_of_groups_and_order_of_rows_mean_nothing(seed: int) -> None:
    draw, frames = np.random.default_rng(seed), as_frames(random_series(seed))
    mixed = []
    for frame, tables in frames:
        rows, names = draw.permutation(len(frame)), draw.permutation(100)
        renamed = {key: [int(names[group]) if group >= 0 else -1 for group in np.array(groups)[rows]] for key, groups in tables.items()}
        mixed.append((frame.iloc[rows].set_axis(draw.permutation(len(frame))), renamed))
    first, second = (hg.series(some, person="id", sensitive=["illness", "pay"]) for some in (frames, mixed))
    assert first.per_person.sort_index().equals(second.per_person.sort_index())


def test_whose_value_changed_is_certain_where_a_group_tells_it() -> None:
    """In version 2 the person's group has no flu: the value changed, and comparing the groups tells it. Where both groups hold
    the old and the new value, it does not."""
    told = one_table(([0, 1, 2], ["flu", "cold", "gout"]), ([0, 3, 4], ["cold", "gout", "gout"]))
    assert told.per_person.loc[0, ["linkability", "candidates"]].tolist() == [1.0, 1]
    assert (told.told, told.measures[0].changed) == (1, 1)
    hidden = one_table(([0, 1, 2], ["flu", "cold", "gout"]), ([0, 3, 4], ["cold", "flu", "gout"]))
    assert (hidden.told, hidden.measures[0].changed, hidden.linkability) == (0, 1, 1 / 3)


def test_people_in_one_version_have_the_figures_of_their_group() -> None:
    one = one_table(([0, 1, 2, 3], list("aabc")))
    assert one.per_person.to_dict("list") == {"versions": [1] * 4, "linkability": [0.5] * 4, "candidates": [3] * 4}
    assert one.measures[0].several == 0


def test_a_required_number_of_candidates_is_capped_at_the_values_there_are() -> None:
    bits = one_table(([0, 1, 2, 3], [0, 1, 0, 1]), ([0, 1, 2, 3], [0, 1, 0, 1]))
    assert bits.candidates == 2
    assert bits.measures[0].candidates.short_of(5).met


def test_where_nothing_is_sensitive_nobody_has_candidates_to_count() -> None:
    none = one_table(([0, 1], ["no", "no"]), ([0, 1], ["no", "no"]), nonsensitive={"value": ["no"]})
    assert (none.linkability, none.candidates) == (0.0, None)
    assert none.per_person["candidates"].isna().all()
    assert none.measures[0].linkability_all.value == 1.0


def test_a_shortfall_counts_people_not_chains() -> None:
    ill = one_table(([0, 1, 2, 3], ["HIV", "HIV", "flu", "cold"]), ([0, 1, 8, 9], ["HIV", "HIV", "a", "b"]))
    short = ill.measures[0].linkability.short_of("0.6")
    assert (len(short.groups), short.people) == (1, 2)


def test_single_pairs_and_all_are_the_sets_of_versions() -> None:
    assert few([0, 1, 2, 3]) == [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (0, 1, 2, 3)]
