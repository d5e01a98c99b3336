"""The policy as a whole: its own keys, what it knows of its attributes and files, and when it may be released."""

from __future__ import annotations

import pytest

from headgate.core.columns import Role
from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy, files_of, require_ready
from tests.unit.policies.refused import Case, names_of, require_refused

BAD: list[Case] = [
    ("dataset: clinic", "datset: clinic", 2, ["datset", "unknown key", "did you mean dataset?"]),
    ("dataset: clinic", "dataset: Clinic Data", 2, ["dataset", "'Clinic Data'"]),
    ("schema: 1", "schema: 2", 1, ["schema", "found '2'", "accepted: 1"]),
    ("schema: 1", "", 1, ["schema", "required"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def test_attributes_are_found_by_their_role_in_the_order_of_the_file(small: str) -> None:
    policy = parse_policy(small, "small.yaml")
    assert policy.named(Role.QUASI) == ("age", "zip")
    assert policy.named(Role.SENSITIVE) == ("illness", "income", "school")
    assert policy.sets == ("illness",)


def test_a_vector_stands_for_its_own_columns_of_the_source(small: str) -> None:
    policy = parse_policy(
        small.replace("notes: {role: dropped}", "notes: {role: sensitive, kind: vector, columns: [p1, p2]}"), "small.yaml"
    )
    assert policy.source_columns == ("person", "age", "zip", "illness", "income", "school", "ward", "p1", "p2")


def test_a_set_that_is_not_sensitive_makes_no_bitmap(small: str) -> None:
    policy = parse_policy(small.replace("ward: {role: insensitive, kind: category}", "ward: {role: dropped}"), "small.yaml")
    assert policy.sets == ("illness",)
    assert parse_policy(small.replace("kind: set, values: [flu, gout], nonsensitive: [flu]", "kind: category"), "small.yaml").sets == ()


def test_every_file_that_a_policy_names_is_listed_with_its_place_but_the_source_is_not(small: str) -> None:
    text = (
        small.replace("zip: {role: quasi, kind: category}", "zip: {role: quasi, kind: category, hierarchy: zip.csv}")
        .replace("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, hierarchy: {widths: [5]}}")
        .replace("values: [flu, gout], nonsensitive: [flu]", "values_from: {path: codes.csv, key: code}")
        .replace("ward: {role: insensitive, kind: category}", "ward: {role: insensitive, kind: category, values: wards.csv}")
        .replace(
            "linkability: 0.8",
            "linkability: 0.8, disclosure: {max: 1, dictionaries: [{path: r.csv, on: [age]}, {source: true, on: [zip]}]}",
        )
        .replace("publish:", "expect: {suite: suite.json}\napproval: {signers: signers}\npublish:")
    )
    assert files_of(parse_policy(text, "small.yaml")) == {
        ("expect", "suite"): "suite.json",
        ("attributes", "zip", "hierarchy"): "zip.csv",
        ("attributes", "illness", "values_from", "path"): "codes.csv",
        ("attributes", "ward", "values"): "wards.csv",
        ("gates", "disclosure", "dictionaries", 0, "path"): "r.csv",
        ("approval", "signers"): "signers",
    }
    assert files_of(parse_policy(small, "small.yaml")) == {}


def test_a_draft_reads_but_cannot_be_released(small: str) -> None:
    for text in (
        small.replace("dataset: clinic", "dataset: clinic\ndraft: true"),
        small.replace("{role: dropped}", "{role: dropped, guess: true}"),
    ):
        policy = parse_policy(text, "small.yaml")
        with pytest.raises(PolicyInvalid, match="draft") as caught:
            require_ready(policy)
        assert "guess: true" in caught.value.cure


def test_the_guesses_that_are_left_are_named(small: str) -> None:
    text = small.replace("{role: dropped}", "{role: dropped, guess: true}").replace("kind: integer}", "kind: integer, guess: true}")
    with pytest.raises(PolicyInvalid, match="2 of its attributes are unconfirmed guesses: age, notes"):
        require_ready(parse_policy(text, "small.yaml"))


def test_a_confirmed_policy_is_ready_and_survives_json(small: str) -> None:
    policy = parse_policy(small, "small.yaml")
    require_ready(policy)
    assert Policy.model_validate_json(policy.model_dump_json(by_alias=True)) == policy
