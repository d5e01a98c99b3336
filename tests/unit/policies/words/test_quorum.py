"""Who must agree. The oracle tries every way to give places to people."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.words.quorum import MOST_OF_A_ROLE, Quorum, fill_roles, in_words

ROLES = st.sampled_from(["law", "methods", "press"])
DEMANDS = st.dictionaries(ROLES, st.integers(1, 2), max_size=3)
PEOPLE = st.dictionaries(st.sampled_from("abcde"), st.sets(ROLES).map(tuple), max_size=5)


def most_filled(roles: dict[str, int], people: dict[str, tuple[str, ...]]) -> int:
    """Every order of the people, with enough nobodies, before the places in their order."""
    places = [role for role, number in roles.items() for _ in range(number)]
    seats = [*people, *[""] * len(places)]
    return max(
        sum(1 for person, place in zip(order, places, strict=True) if place in people.get(person, ()))
        for order in set(permutations(seats, len(places)))
    )


@given(DEMANDS, PEOPLE)
def test_as_many_places_are_filled_as_any_assignment_fills(roles: dict[str, int], people: dict[str, tuple[str, ...]]) -> None:
    filled = fill_roles(roles, people)
    assert all(role in people[person] for person, role in filled.items())
    assert not Counter(filled.values()) - Counter(roles)
    assert len(filled) == most_filled(roles, people)


@given(DEMANDS, PEOPLE, st.integers(0, 6))
def test_a_quorum_is_met_by_enough_people_of_whom_different_ones_fill_its_roles(
    roles: dict[str, int], people: dict[str, tuple[str, ...]], approvals: int
) -> None:
    met = len(people) >= approvals and most_filled(roles, people) == sum(roles.values())
    assert (not Quorum(approvals, roles).missing(people)) is met


@given(DEMANDS, PEOPLE, st.integers(0, 6))
def test_what_is_missing_is_as_many_people_as_must_still_agree(
    roles: dict[str, int], people: dict[str, tuple[str, ...]], approvals: int
) -> None:
    open_places = sum(roles.values()) - most_filled(roles, people)
    assert Quorum(approvals, roles).missing(people).total() == max(open_places, approvals - len(people))


@given(DEMANDS, DEMANDS, st.integers(1, 6), st.integers(1, 6))
def test_a_floor_only_raises(roles: dict[str, int], others: dict[str, int], approvals: int, floor: int) -> None:
    raised = Quorum(approvals, roles).raised_to(Quorum(floor, others))
    assert raised.approvals >= max(approvals, floor, sum(raised.roles.values()))
    assert raised.roles == {role: max(roles.get(role, 0), others.get(role, 0)) for role in {*roles, *others}}
    assert raised.raised_to(Quorum(floor, others)) == raised


def test_nobody_fills_two_roles_and_who_can_fill_two_makes_room() -> None:
    roles = {"law": 1, "methods": 1}
    assert Quorum(1, roles).missing({"ann": ("law", "methods"), "bob": ()}) == {"methods": 1}
    assert fill_roles(roles, {"ann": ("law", "methods"), "bob": ("law",)}) == {"ann": "methods", "bob": "law"}


def test_what_is_missing_is_said_in_words() -> None:
    assert in_words(Quorum(2, {"law": 1}).missing({})) == "1 more person with the role law and 1 other person"
    assert in_words(Quorum(2, {"law": 1}).missing({"ann": ()})) == "1 more person with the role law"
    assert in_words(Quorum(4, {"law": 1}).missing({"ann": ("law",)})) == "3 more people"
    assert in_words(Quorum(2).missing({"ann": ()})) == "1 more person"
    assert not Quorum(1).missing({"ann": ()})


@pytest.mark.timeout(20)
def test_the_largest_question_that_a_manifest_can_ask_is_answered() -> None:
    names = [f"r{number}" for number in range(20)]
    people = {f"p{number:03}": names for number in range(400)}
    assert len(fill_roles(dict.fromkeys(names, MOST_OF_A_ROLE), people)) == 400
