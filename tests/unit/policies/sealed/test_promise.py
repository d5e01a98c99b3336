"""A promise holds each bound once, finds it again, and exchanges it without forgetting another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from policies.gates.verdict import Requirement
from policies.judging.alike_in_words import alike_in
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tests.unit.claimed import proximity, required

AGE = QuasiIdentifier(name="age", kind="integer", domain=(0.0, 99.0))
JOB = SensitiveAttribute(name="job", kind="category", nonsensitive=("none", None))

requirements = st.builds(
    Requirement,
    gate=st.sampled_from(["k", "closeness", "disclosure"]),
    attribute=st.sampled_from([None, "job", "income"]),
    dictionary=st.sampled_from([None, "register"]),
    bound=st.sampled_from([None, "max", "mean"]),
    required=st.sampled_from(["2", "0.5", "1"]),
    settings=st.sampled_from([{}, {"epsilon": "0.10"}]),
)
distinct = st.lists(requirements, max_size=6, unique_by=lambda requirement: requirement.place).map(tuple)


def promise(*of: Requirement) -> Promise:
    return Promise(requirements=of, quasi=(AGE,), sensitive=(JOB,))


@settings(max_examples=60, deadline=None)
@given(distinct)
def test_a_promise_survives_json_with_every_decimal_as_a_person_wrote_it(of: tuple[Requirement, ...]) -> None:
    assert Promise.model_validate_json(promise(*of).model_dump_json()) == promise(*of)


@settings(max_examples=60, deadline=None)
@given(distinct, requirements)
def test_exchanging_a_requirement_leaves_every_other_as_it_was(of: tuple[Requirement, ...], other: Requirement) -> None:
    changed = promise(*of).requiring(other).requirements
    assert [kept for kept in changed if kept.place != other.place] == [kept for kept in of if kept.place != other.place]
    assert [kept for kept in changed if kept.place == other.place] == [other]


@settings(max_examples=60, deadline=None)
@given(distinct, st.sampled_from(["k", "closeness"]), st.sampled_from([None, "job"]))
def test_what_is_taken_out_is_that_gate_on_that_attribute(of: tuple[Requirement, ...], gate: str, attribute: str | None) -> None:
    left = promise(*of).without(gate, attribute).requirements
    assert list(left) == [kept for kept in of if not (kept.gate == gate and kept.attribute == attribute)]


def test_without_values_how_many_levels_there_are_is_left_and_not_which() -> None:
    school = SensitiveAttribute(name="school", kind="ordinal", levels=("low", "high"))
    town = SensitiveAttribute(
        name="town", kind="category", declared=("Alba", "Bra"), hierarchy=(("Alba", "south", "*"), ("Bra", "north", "*"))
    )
    place = QuasiIdentifier(name="place", kind="category", values=("Alba", "Bra"), hierarchy=(("Alba", "*"), ("Bra", "*")))
    whole = Promise(requirements=(required("k", "2"), proximity("0.5", "0.5")), quasi=(AGE, place), sensitive=(JOB, school, town))
    bare = whole.without_values()
    assert not any(value in bare.model_dump_json() for value in ("low", "high", "Alba", "Bra", "south", "north"))
    assert [each.name for each in (*bare.quasi, *bare.sensitive)] == ["age", "place", "job", "school", "town"]
    assert bare.requirements == whole.requirements
    assert alike_in(bare, ("school", "town")) == alike_in(whole, ("school", "town")) != ()


def test_the_same_bound_twice_is_refused() -> None:
    """Judged by one of the two, a table could pass that the other refuses."""
    with pytest.raises(ValidationError, match="a bound is promised twice"):
        promise(required("closeness", "0.5", "job"), required("closeness", "0.9", "job"))
    assert len(promise(required("closeness", "0.5", "job"), required("closeness", "0.5", "income")).requirements) == 2


def test_a_requirement_is_found_by_its_gate_attribute_and_bound() -> None:
    both, alone = proximity("0.1", "0.5"), proximity("0", "0.3", "job")
    largest = Requirement(gate="reidentification", bound="max", required="0.2")
    made = promise(both, alone, largest)
    assert made.of("dissimilarity") == (both, alone)
    assert (made.required("dissimilarity"), made.required("dissimilarity", "job")) == (both, alone)
    assert made.required("reidentification", bound="max") == largest
    assert made.required("reidentification") is made.required("linkability") is None


def test_the_smallest_group_is_what_the_gate_k_requires_and_otherwise_a_person() -> None:
    assert promise(required("k", 5), required("distinct_l", 7, "job")).k == 5
    assert promise().k == 1


@pytest.mark.parametrize("keys", [{"combine": "max"}, {"power": float("nan")}, {"unknown": 1}, {"quasi": [{"name": "age"}]}])
def test_a_promise_has_no_place_for_anything_else(keys: dict[str, object]) -> None:
    whole = promise().model_dump(mode="json")
    assert Promise.model_validate(whole) == promise()
    with pytest.raises(ValidationError):
        Promise.model_validate({**whole, **keys})


def test_a_kind_that_does_not_exist_is_refused_where_a_strangers_manifest_is_read() -> None:
    """Previously it was read, and measuring the claims then broke."""
    for of in (SensitiveAttribute, QuasiIdentifier):
        with pytest.raises(ValidationError):
            of.model_validate({"name": "job", "kind": "categosy"})
