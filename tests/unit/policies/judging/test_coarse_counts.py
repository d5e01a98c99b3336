"""Counts of people are published so that they tell of nobody, and never look better than they are."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import pytest

from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.judging.coarse_counts import coarse_counts

BEFORE = 300


def figures(came: int, left: int, changed: int = 0, before: int = BEFORE) -> SeriesFigures:
    """Of a version whose people were in one earlier version but for those who came."""
    stayed = before - left
    alone = ComparedFigures(names=("job",), values=9, people=stayed, linkability=0.5, linkability_any=0.5, candidates=2, changed=changed)
    return SeriesFigures(earlier=("a" * 64,), people=stayed + came, several=stayed, came=came, left=left, compared=(alone,))


@pytest.mark.parametrize("more", [-25, -10, -1, 0, 1, 9, 10, 37])
def test_what_is_told_fits_ten_numbers_of_people_who_left_though_both_versions_rows_are_counted(more: int) -> None:
    """`more` is public: how many rows the later version has more. By brute force over all numbers that fit it."""
    fitting: defaultdict[str, list[int]] = defaultdict(list)
    for left in range(max(0, -more), 140):
        fitting[coarse_counts(figures(left + more, left)).model_dump_json()].append(left)
    whole = [numbers for numbers in fitting.values() if 139 not in numbers]
    assert len(whole) > 5
    assert all(len(numbers) == 10 for numbers in whole)


def test_nothing_looks_better_than_it_is() -> None:
    for came, left, changed in product((0, 1, 9, 10, 11, 55), (0, 1, 9, 10, 11, 55), (0, 1, 9, 10, 11, 60)):
        exact = figures(came, left, changed)
        told = coarse_counts(exact)
        assert (told.came, told.left) >= (came, left)
        assert told.came - told.left == came - left
        assert told.several <= exact.several
        assert told.returning <= exact.returning
        assert told.changed >= exact.changed
        assert (told.changed == 0) is (changed == 0)
        assert told.linkability == exact.linkability


@pytest.mark.parametrize("changed", [1, 4])
def test_where_few_people_are_in_both_somebody_who_changed_is_not_lost(changed: int) -> None:
    """A share of no people would be none, and pass."""
    told = coarse_counts(figures(20, 4, changed, before=9))
    assert (told.several, told.changed) == (1, 1)


def test_who_is_in_two_versions_never_becomes_nobody() -> None:
    """An attack that compares versions gains nothing where nobody is in two: three people in both must not read as none."""
    assert coarse_counts(figures(20, 4, before=7)).several == 1
    assert coarse_counts(figures(20, 7, before=7)).several == 0


def test_an_attribute_that_fewer_people_have_had_before_is_told_in_tens() -> None:
    of_some = figures(30, 30).compared[0].model_copy(update={"people": 127})
    told = coarse_counts(figures(30, 30).model_copy(update={"compared": (of_some,)}))
    assert told.compared[0].people == 120


def test_who_is_in_versions_before_the_last_one_counts_among_the_people_of_whom_some_changed() -> None:
    """The version published last held few people: forty of 953 who changed were told, and refused, as forty of ninety."""
    exact = figures(857, 0, changed=40, before=97)
    earlier = exact.compared[0].model_copy(update={"people": 953})
    told = coarse_counts(exact.model_copy(update={"several": 953, "compared": (earlier,)}))
    assert (told.several, told.compared[0].people, told.compared[0].changed) == (950, 950, 40)


@pytest.mark.parametrize("people", [98, 99, 101, 109])
def test_people_of_an_earlier_version_are_at_least_as_many_as_of_the_last(people: int) -> None:
    exact = figures(0, 0, before=97).model_copy(update={"several": people})
    assert coarse_counts(exact).several == max(people // 10 * 10, 87)


@pytest.mark.parametrize("several", [41, 44, 49])
def test_people_of_whom_only_an_older_version_says_something_are_told_in_tens(several: int) -> None:
    """Where the version published last holds nothing steady, their number stood in the manifest as it is."""
    exact = figures(30, 30).model_copy(update={"several": several, "compared": ()})
    assert coarse_counts(exact).several == 40


@pytest.mark.parametrize(("exact", "most", "least"), [(0, 0, 0), (1, 10, 1), (9, 10, 1), (10, 10, 10), (73, 80, 70), (298, 300, 290)])
def test_people_of_whom_too_much_is_told_are_counted_in_tens(exact: int, most: int, least: int) -> None:
    """A refusal goes to Prefect and MLflow, and people whose value changed are among them."""
    told = coarse_counts(figures(30, 30).model_copy(update={"above": exact, "needed": exact}))
    assert (told.above, told.needed) == (most, least)


def test_of_a_first_version_nothing_is_raised() -> None:
    first = SeriesFigures(people=17, came=17)
    assert coarse_counts(first) == first
