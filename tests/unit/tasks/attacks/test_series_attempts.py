"""The attack on several versions as a release tries it: on whom, against whom as a control, and what is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from headgate.core.columns import MISSING
from headgate.series.kept_version import kept_version
from headgate.series.with_earlier import together
from tasks.attacks.attempts import Attempt, Finished, gains_of
from tasks.attacks.series_attempts import CONTROL, FEWEST, KnownSeries, try_series
from tests.unit.headgate.attacks.planted import Row, Small, small
from tests.unit.tasks.attacks.test_attempts import promise_of

STEADY = ("illness", "job")


def ward(people: int, seed: int) -> list[Row]:
    """Each age has a most frequent illness of its own; jobs say nothing."""
    draw = np.random.default_rng(seed)
    illnesses = np.where(draw.random(people) < 0.6, np.arange(people) % 3, draw.integers(0, 3, people))
    return [(20 + 20 * (i % 3), "f", "abc"[int(illnesses[i])], "xy"[int(draw.integers(2))]) for i in range(people)]


def by_age(rows: Sequence[Row]) -> list[int]:
    ages = sorted({row[0] for row in rows})
    return [ages.index(row[0]) for row in rows]


def known(
    versions: Sequence[tuple[Small, Sequence[int]]], outsiders: Sequence[Row] = (), steady: Sequence[str] = STEADY, told: int = 1000
) -> KnownSeries:
    """Versions oldest first, each with whose records its rows are."""
    kept = [
        kept_version(np.array([b"%16d" % who for who in people]), [(case.published[0], np.arange(len(people)))])
        for case, people in versions
    ]
    *earlier, (new, own) = kept
    last = versions[-1][0]
    out = small([*last.rows, *outsiders], [0] * (len(last.rows) + len(outsiders))).table.take(
        np.arange(len(last.rows), len(last.rows) + len(outsiders))
    )
    return KnownSeries(together([version for version, _ in earlier], new, own, steady), out.columns, told)


def finished(case: Small) -> Finished:
    return Finished(promise_of(), tuple(case.published), {}, case.table, case.table, ())


def tried(series: KnownSeries, case: Small, most: int = 1000) -> tuple[Attempt, ...]:
    return try_series(series, finished(case), most, np.random.default_rng(1))


def guess_of_two_equal_groups(values: Sequence[str], rows: Sequence[str]) -> str:
    """By definition: (c/n)² / π, ties to the more frequent value, then to the first."""
    here, whole = Counter(values), Counter(rows)
    return min(here, key=lambda value: (-round(here[value] ** 2 / whole[value], 9), -here[value], -whole[value], value))


def test_each_steady_attribute_is_guessed_and_people_of_no_version_are_the_control() -> None:
    """Everybody of one age is in one group in both versions, so a guess follows from the age: of those in the versions, and of others."""
    rows, others = ward(90, 1), ward(FEWEST + 20, 2)
    case = small(rows, by_age(rows))
    found = tried(known([(case, range(90)), (case, range(90))], others), case)
    assert [(one.attack, one.key, one.where) for one in found] == [("Series", "series", "t0")] * 2
    guesses = {
        age: guess_of_two_equal_groups([row[2] or "" for row in rows if row[0] == age], [row[2] or "" for row in rows])
        for age in (20, 40, 60)
    }
    right, outside = (sum(row[2] == guesses[row[0]] for row in some) for some in (rows, others))
    illness = found[0].success
    assert illness is not None
    assert (illness.people, illness.right) == (90, right)
    assert illness.right_overall == Counter(row[2] for row in rows).most_common(1)[0][1]
    assert f"Of 120 people who are in no version, the same guesses are right for {100 * outside / 120:.1f} %" in found[0].remark
    assert [gain.attack for gain in gains_of(found)] == ["series", "series"]


@pytest.mark.parametrize("outsiders", [0, 1, FEWEST - 1])
def test_too_few_people_for_a_control_are_said_with_how_many_are_needed(outsiders: int) -> None:
    rows = ward(30, 1)
    case = small(rows, by_age(rows))
    *_, note = tried(known([(case, range(30)), (case, range(30))], ward(outsiders, 2)), case)
    assert (note.attack, note.success) == (CONTROL, None)
    there = f"but only {outsiders} can be looked for." if outsiders else "but there is nobody."
    assert note.sentence == (
        "t0: No control of the attack on several versions was possible: at least 100 people are needed who are known to be in no version, "
        f"{there}"
    )
    assert gains_of([note]) == ()  # an attack that was tried is not taken for one that was not


def test_whose_record_fits_nowhere_is_no_control() -> None:
    """An age that no group covers: nobody would look for these people anywhere."""
    rows, others = ward(30, 1), [(90, "f", "a", "x")] * (FEWEST + 5)
    case = small(rows, by_age(rows))
    found = tried(known([(case, range(30)), (case, range(30))], others), case)
    assert found[-1].attack == CONTROL
    assert "there is nobody" in found[-1].remark


def test_an_outsider_takes_the_place_of_somebody_in_both_versions_in_a_group_that_fits() -> None:
    """Those of 20 come to the new version, and those of 60 left: only the groups of 40 have somebody who is in both."""
    rows, others = ward(90, 1), ward(3 * FEWEST, 2)
    old, new = ([row for row in rows if row[0] != age] for age in (20, 60))
    whose = [[i for i, row in enumerate(rows) if row[0] != age] for age in (20, 60)]
    cases = [small(some, by_age(some)) for some in (old, new)]
    found = tried(known(list(zip(cases, whose, strict=True)), others), cases[1])
    assert found[0].success is not None
    assert found[0].success.people == 30
    assert f"Of {FEWEST} people who are in no version" in found[0].remark


def test_a_value_that_the_new_version_lacks_is_nobodys_guess_and_missing_is_a_value() -> None:
    rows, others = ward(30, 1), [(20, "f", None, "x"), (20, "f", "z", "x")] * FEWEST
    ill: list[Row] = [(age, sex, None if age == 20 else illness, job) for age, sex, illness, job in rows]
    case = small(ill, by_age(ill))
    found = tried(known([(case, range(30)), (case, range(30))], others), case)
    assert "Of 200 people who are in no version, the same guesses are right for 50.0 %" in found[0].remark


def test_no_more_people_are_attacked_than_asked_and_then_they_are_a_sample() -> None:
    rows = ward(60, 3)
    case = small(rows, by_age(rows))
    series = known([(case, range(60)), (case, range(60))], ward(FEWEST, 2))
    for most, drawn in ((7, True), (60, False)):
        found = tried(series, case, most)
        assert {(one.success.people, one.drawn) for one in found if one.success is not None} == {(most, drawn)}


def test_no_more_people_are_attacked_than_are_said_to_be_in_several_versions() -> None:
    """The manifest said that at least 40 people were in both versions and, in its attacks, "of 49 people", which is the exact number: one
    person had left."""
    rows = ward(60, 3)
    case = small(rows, by_age(rows))
    found = tried(known([(case, range(1, 61)), (case, range(60))], told=40), case)
    assert {(one.success.people, one.drawn) for one in found if one.success is not None} == {(40, True)}
    assert "59" not in " ".join(one.sentence for one in found)


def test_what_one_version_alone_publishes_is_not_guessed_and_the_first_version_nothing() -> None:
    rows = ward(30, 3)
    case = small(rows, by_age(rows))
    alone = replace(case.published[0], sensitive={"job": case.published[0].sensitive["job"]})
    before = replace(case, published=[alone])
    found = tried(known([(before, range(30)), (case, range(30))]), case)
    assert ["'job'" in one.success.guess for one in found if one.success is not None] == [True]
    assert tried(known([(case, range(30))]), case) == ()
    assert tried(known([(case, range(30)), (case, range(30, 60))]), case) == ()  # nobody is in both
    assert tried(known([(case, range(30)), (case, range(30))], steady=["job"]), case)[0].who.endswith("is right about 'job'")


def test_of_a_set_the_value_with_most_to_gain_stands_for_all() -> None:
    """Bit by bit a set would be told a hundred times."""
    rows = ward(30, 3)
    case = small(rows, by_age(rows))
    bits = {name: replace(column, origin="ills") for name, column in case.published[0].sensitive.items()}
    bits["job"] = replace(bits["job"], sensitive=np.zeros(len(bits["job"].values) + 1, dtype=bool))
    turned = replace(case, published=[replace(case.published[0], sensitive={"job": bits["job"], "illness": bits["illness"]})])
    found = tried(known([(turned, range(30)), (turned, range(30))]), turned)
    assert ["'illness'" in one.success.guess for one in found if one.success is not None] == [True]


def test_no_value_of_anybody_is_in_what_is_said() -> None:
    rows: list[Row] = [
        (age, sex, {"a": "anthrax", "b": "botulism", "c": "cholera"}[illness or "a"], job) for age, sex, illness, job in ward(60, 3)
    ]
    case = small(rows, by_age(rows))
    assert case.table["illness"].codes.min() != MISSING
    for one in tried(known([(case, range(60)), (case, range(60))], [*rows, *rows]), case):
        assert not any(value in f"{one.sentence} {one.who}" for value in ("anthrax", "botulism", "cholera"))
