"""A new version together with those before, for the people who are in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_column
from headgate.series.kept_version import KeptVersion
from headgate.series.with_earlier import together, with_earlier
from tests.unit.headgate.series.by_definition import Drawn, by_definition, random_series
from tests.unit.headgate.series.kept_drawn import kept

STEADY = ("illness", "pay")


def measured(series: Sequence[Drawn], harmless: frozenset[str] = frozenset(), steady: Sequence[str] = STEADY):
    versions = [kept(version, seed, harmless) for seed, version in enumerate(series)]
    *earlier, (new, own) = versions
    return with_earlier([version for version, _ in earlier], new, own, steady)


def only_of(series: Sequence[Drawn], people: set[int]) -> list[Drawn]:
    """The groups stay as they were."""
    return [Drawn(version.people, version.tables) for version in series if people & set(version.people)]


@pytest.mark.parametrize("seed", range(80))
def test_figures_of_the_new_versions_people_are_those_of_the_definition(seed: int) -> None:
    series = random_series(seed)
    harmless = frozenset({"v0"}) if seed % 3 == 0 else frozenset()
    risk, people = measured(series, harmless), sorted(series[-1].people)
    assert risk is not None
    for measure in risk.measures:
        held = only_of(series, set(people))
        right = by_definition(held, measure.names, harmless, known=len(held) - 1)
        in_it = [people[number] for number in measure.people]
        expected = [person for person in right.linkability if person in people]
        assert sorted(in_it) == sorted(expected)
        for figure, exactly in (
            (measure.linkability, right.linkability),
            (measure.linkability_any, right.linkability_any),
            (measure.candidates, right.candidates),
        ):
            found = dict(zip(in_it, measure.by_person(figure).tolist(), strict=True))
            assert found == {person: float(exactly.get(person, np.inf)) for person in in_it}
        assert measure.told == len(right.told & set(in_it))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_neither_codes_nor_the_order_of_rows_matter(seed: int) -> None:
    series = random_series(seed, versions=3)
    one = [kept(version, 1) for version in series]
    other = [kept(version, 2) for version in series]
    figures = []
    for *earlier, (new, own) in (one, other):
        risk = with_earlier([version for version, _ in earlier], new, own, STEADY)
        assert risk is not None
        figures.append([(measure.names, measure.linkability.value, measure.candidates.value, measure.told) for measure in risk.measures])
    assert figures[0] == figures[1]


def test_who_is_in_no_earlier_version_has_the_figures_of_their_group() -> None:
    """Nobody in common: the versions are not compared."""
    people = {person: {"illness": f"v{person % 2}", "pay": 0} for person in range(4)}
    others = {person: {"illness": "v9", "pay": 9} for person in range(10, 14)}
    drawn = [Drawn(who, {("illness",): dict.fromkeys(who, 0)}) for who in (others, people)]
    (new, own), (old, _) = kept(drawn[1], 0), kept(drawn[0], 0)
    assert len(together([old], new, own, STEADY)) == 1
    risk = with_earlier([old], new, own, STEADY)
    assert risk is not None
    assert (risk.linkability, risk.measures[0].several) == (0.5, 0)


def test_attributes_that_change_are_not_compared() -> None:
    series = random_series(3)
    risk = measured(series, steady=["illness"])
    assert risk is not None
    assert {measure.names for measure in risk.measures} == {("illness",)}
    assert measured(series, steady=[]) is None


def test_what_is_sensitive_in_one_version_is_sensitive() -> None:
    people = {person: {"illness": "flu", "pay": 0} for person in range(4)}
    drawn = Drawn(people, {("illness",): dict.fromkeys(people, 0)})
    (old, _), (new, own) = kept(drawn, 0), kept(drawn, 1, frozenset({"flu"}))
    alone, both = with_earlier([], new, own, STEADY), with_earlier([old], new, own, STEADY)
    assert alone is not None
    assert both is not None
    assert (alone.linkability, both.linkability) == (0.0, 1.0)


def test_values_are_compared_by_a_distance_if_they_are_encoded() -> None:
    """Incomes 100 and 101 are alike, 100 and 900 are not: in common both people may have 100 or 101."""

    def drawn(pays: dict[int, int]) -> Drawn:
        return Drawn({person: {"illness": "v", "pay": pay} for person, pay in pays.items()}, {("pay",): dict.fromkeys(pays, 0)})

    (old, _), (new, own) = kept(drawn({0: 100, 1: 101, 2: 900}), 0), kept(drawn({0: 100, 1: 101, 3: 500}), 1)

    def encode(name: str, texts: Sequence[str]) -> Column:
        return encode_column(pd.Series(list(texts), dtype="str"), ColumnSpec(name, Kind.NUMBER, Role.SENSITIVE, domain=(0, 1000)))

    near = with_earlier([old], new, own, ["pay"], Distance(), "0.1", encode)
    far = with_earlier([old], new, own, ["pay"], Distance(), "0", encode)
    assert near is not None
    assert far is not None
    assert (near.risk, far.risk) == (1.0, 0.0)


def test_people_are_found_by_their_pseudonyms() -> None:
    version = KeptVersion(np.array([b"b", b"d", b"f"]), ())
    assert version.places_of(np.array([b"a", b"d", b"f", b"z"])).tolist() == [-1, 1, 2, -1]
    assert KeptVersion(np.array([], dtype="S1"), ()).places_of(np.array([b"a"])).tolist() == [-1]
