"""The attack on several versions against pure Python, and the people who are in none."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.attacks.series_guessing import Outsiders, fitting_row, held_out, series_guessing
from headgate.core.errors import InputRejected
from headgate.series.series_risk import series_risk
from tests.unit.headgate.attacks.planted import drawn
from tests.unit.headgate.series.by_definition import as_frames, random_series

SENSITIVE = ["illness", "pay"]


def guessed_by_definition(groups: list[Counter[Any]], total: Counter[Any]) -> tuple[Any, Any]:
    """From all versions, and from one; values are tuples whose order is that of the domain, a missing cell first."""
    every = sum(total.values())
    shares = [(count / group.total(), value) for group in groups for value, count in group.items()]
    single = min((value for share, value in shares if math.isclose(share, max(shares)[0])), key=lambda value: (-total[value], value))
    common = [value for value in total if all(group[value] for group in groups)]
    if not common:
        return single, single

    def score(value: Any) -> float:
        return math.prod(group[value] / group.total() for group in groups) / (total[value] / every) ** (len(groups) - 1)

    best = max(map(score, common))
    ties = [value for value in common if math.isclose(score(value), best)]
    return min(ties, key=lambda value: (-min(group[value] for group in groups), -total[value], value)), single


@pytest.mark.parametrize("seed", range(60))
def test_guesses_are_those_of_the_definition(seed: int) -> None:
    series = random_series(seed, versions=3)
    tables = [(version, groups) for version in series for names, groups in version.tables.items() if "illness" in names]
    key = {
        value: (0, "") if value is None else (1, value)
        for version in series
        for value in [None, *(p["illness"] for p in version.people.values())]
    }
    total = Counter(key[version.people[person]["illness"]] for version, groups in tables for person in groups)
    right = right_single = right_overall = attacked = 0
    most = min(total, key=lambda value: (-total[value], value), default=None)
    for person in {person for version in series for person in version.people}:
        held = [(version, groups) for version, groups in tables if person in groups]
        if len(held) < 2:
            continue
        counters = [
            Counter(key[version.people[mate]["illness"]] for mate in groups if groups[mate] == groups[person]) for version, groups in held
        ]
        guess, single = guessed_by_definition(counters, total)
        truth = key[held[-1][0].people[person]["illness"]]
        attacked, right, right_single = attacked + 1, right + (guess == truth), right_single + (single == truth)
        right_overall += truth == most
    result = hg.series(as_frames(series), person="id", sensitive=SENSITIVE)
    if attacked == 0:
        with pytest.raises(InputRejected, match="somebody to attack"):
            series_guessing(result.versions, ["illness"])
        return
    found = series_guessing(result.versions, ["illness"])
    assert (found.success.people, found.success.right, found.success.right_overall) == (attacked, right, right_overall)
    assert (found.from_one.people, found.from_one.right, found.from_one.right_overall) == (attacked, right_single, right_overall)
    measured = next(each for each in result.measures if each.names == ("illness",))
    each = result.per_person  # over all measures: nobody's is below that of one attribute
    assert found.predicted <= each["linkability"].max() + 1e-9
    assert measured.several == attacked


def versions_of(*groups: list[int]) -> Any:
    frame = pd.DataFrame({"id": range(12), "illness": list("abcabcabcabc")})
    return hg.series([(frame, numbers) for numbers in groups], person="id", sensitive=["illness"]).versions


def test_two_versions_tell_what_neither_tells_alone() -> None:
    """In each version a group holds two values equally often; two groups of a person share one of them."""
    versions = versions_of([0, 0, 1, 0, 0, 1, 2, 1, 1, 2, 1, 1], [0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1])
    found = series_guessing(versions, ["illness"])
    assert found.success.share > found.from_one.share > found.success.share_overall
    assert found.sentence().startswith("Series: an attacker who guesses 'illness' from all versions is right for ")
    assert "guessing from the whole table instead, for 33.3 %" in found.sentence()
    assert "From one version, 'illness' is guessed rightly for " in found.remark()
    assert found.who("table 1") == "somebody who compares a person's groups in several versions of table 1 is right about 'illness'"


def test_only_those_who_are_asked_for_are_attacked_and_predicted() -> None:
    """The guesses are those that all versions give; a sample of the people only says how often they are right."""
    versions = versions_of([0, 0, 1, 0, 0, 1, 2, 1, 1, 2, 1, 1], [0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1])
    whole = series_guessing(versions, ["illness"])
    each = [series_guessing(versions, ["illness"], people=np.array([person])) for person in range(12)]
    assert sum(one.success.right for one in each) == whole.success.right
    measured = series_risk(versions).measures[0]
    assert [one.predicted for one in each] == measured.by_person(measured.linkability_all).tolist()
    assert np.mean([one.predicted for one in each]) == pytest.approx(whole.predicted)
    assert {one.success.people for one in each} == {1}


def test_what_is_right_of_people_in_no_version_is_not_a_leak() -> None:
    """In this population group 0 is ill with a, group 1 with b and group 2 with c, whoever is published."""
    groups = [0, 1, 2] * 4
    versions = versions_of(groups, groups)
    like_all = Outsiders(np.array([0, 4, 8]), {"illness": np.array([0, 1, 2], dtype=np.int32)})
    unlike = Outsiders(like_all.like, {"illness": np.array([1, 2, 7], dtype=np.int32)})
    nowhere = Outsiders(np.array([3, -1]), {"illness": np.array([0, 0], dtype=np.int32)})
    found = [series_guessing(versions, ["illness"], some) for some in (like_all, unlike)]
    assert [one.leak for one in found] == [0.0, 1.0]
    assert "chance may explain the difference" in found[0].remark()
    assert "the other 100.0 percentage points are what the versions give away" in found[1].remark()
    one = series_guessing(versions, ["illness"], nowhere)
    assert one.outsiders is not None
    assert one.outsiders.people == 1
    assert "Of 1 person who is in no version" in one.remark()


def test_an_outsider_is_looked_for_only_where_somebody_is_attacked() -> None:
    """A person of one version alone has one group, and 12 is nobody."""
    own = {"illness": np.array([0], dtype=np.int32)}
    versions = versions_of([0] * 12, [0] * 11 + [-1])
    for number in (11, 12):
        with pytest.raises(InputRejected, match="in the groups of nobody who is attacked"):
            series_guessing(versions, ["illness"], Outsiders(np.array([number]), own))


def test_groups_that_are_the_same_in_both_versions_leak_what_one_gives_away() -> None:
    """Everybody's values are drawn by group alone. Those who are held out have them from the same draw, and are looked for in the groups
    of others there: what is guessed of them is as often right, up to chance and to the own value that counts in one's own group."""
    generator = np.random.default_rng(4)
    groups = np.repeat(np.arange(60), 40)
    illness = np.where(generator.random(2400) < 0.6, groups % 5, generator.integers(0, 5, 2400))
    out = held_out(2400, 0.25, 3)
    frame = pd.DataFrame({"id": np.arange(2400), "illness": illness})[~out]
    both = hg.series([(frame, groups[~out]), (frame, groups[~out])], person="id", sensitive=["illness"])
    numbers = np.arange((~out).sum())
    like = np.array([generator.choice(numbers[groups[~out] == group]) for group in groups[out]])
    found = series_guessing(both.versions, ["illness"], Outsiders(like, {"illness": illness[out].astype(np.int32)}))
    assert found.outsiders is not None
    assert found.outsiders.people == 600
    assert abs(found.leak or 0.0) < 0.06
    assert found.success.gain > 0.35


def test_a_rare_value_in_all_groups_beats_the_formula() -> None:
    """Both groups hold a rare value once and the common one twice: the formula says 2/3. But a rare value that is in both groups is hardly
    there by chance, so whoever weighs by what is common guesses it, and is right. Where that happens to more people than chance explains,
    the attack says so."""
    people, first, second, values = [], [], [], []
    for pair in range(60):
        people += [f"rare{pair}", f"x{pair}", f"y{pair}"]
        values += [f"r{pair}", "common", "common"]
        first += [pair] * 3
        second += [pair, (pair + 1) % 60, (pair + 2) % 60]
    frame = pd.DataFrame({"id": people, "illness": values})
    both = hg.series([(frame, first), (frame, second)], person="id", sensitive=["illness"])
    found = series_guessing(both.versions, ["illness"])
    assert found.predicted < 1
    assert found.beats_formula == (found.success.interval[0] > found.predicted)
    rare = both.per_person.loc["rare0", "linkability"]
    assert rare == pytest.approx(2 / 3)
    assert found.success.right == 180  # every rare value is guessed, though the formula gives it 1/3; and every common one
    assert found.beats_formula
    assert "the attack beats it" in found.remark()


def test_attributes_that_no_version_publishes_together_are_refused() -> None:
    with pytest.raises(InputRejected, match="No version publishes these attributes in one table"):
        series_guessing(versions_of([0] * 12, [0] * 12), ["illness", "pay"])


def test_people_are_held_out_by_seed() -> None:
    one, same, other = (held_out(100, 0.2, seed) for seed in (1, 1, 2))
    assert one.sum() == 20
    assert (one == same).all()
    assert (one != other).any()


@pytest.mark.parametrize("seed", range(12))
def test_an_outsider_is_looked_for_in_a_row_that_fits(seed: int) -> None:
    case = drawn(seed, 1)
    (published,) = case.published
    found = fitting_row(published, case.table.columns, seed)
    assert found.tolist() == fitting_row(published, case.table.columns, seed).tolist()
    for person in range(len(case.rows)):
        fits = case.fits(0, person)
        assert found[person] in fits or (found[person] == -1 and not fits)


def test_each_row_that_fits_is_as_likely_as_the_others() -> None:
    people = hg.table(pd.DataFrame({"age": [30] * 3000, "illness": list("abc") * 1000}), quasi=["age"], sensitive=["illness"])
    published = hg.publish_form(people.take(np.arange(3)), np.array([0, 0, 1], dtype=np.int32), "t", ["illness"])
    assert np.bincount(fitting_row(published, people.columns, 5)) == pytest.approx([1000] * 3, abs=120)
