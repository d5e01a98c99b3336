"""A policy that would be whole but for one thing said twice, by reference or under a tag: read leniently it would pass."""

from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_policy


def test_the_small_policy_is_whole(small: str) -> None:
    assert parse_policy(small, "small.yaml").anonymize.k == 3


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{k: 3, epsilon", "{k: 2, k: 3, epsilon", "a second time"),
        ("{k: 3, epsilon", "{k: 3, k: 3, epsilon", "a second time"),
        ("gates: {linkability: 0.8}", "gates: {linkability: 0.8}\ngates: {linkability: 1}", "a second time"),
        ("kind: category}\n  notes", "kind: &kind category}\n  notes", "anchor or alias"),
        ("to: clinic", "to: &to clinic, formats: [csv]", "anchor or alias"),
        ("k: 3", "k: !!int '3'", "a tag"),
        ("dataset: clinic", "dataset: !!str clinic", "a tag"),
    ],
)
def test_nothing_is_said_twice_by_reference_or_under_a_tag(small: str, old: str, new: str, said: str) -> None:
    assert small.count(old) == 1
    with pytest.raises(PolicyInvalid, match=said):
        parse_policy(small.replace(old, new), "small.yaml")


def test_a_key_of_one_section_may_stand_in_another(small: str) -> None:
    """`k` and `kind` are keys of many sections; only twice in one mapping is twice."""
    assert parse_policy(small.replace("k: 3, ", "k: 3, each: {income: {epsilon: 0.2, delta: 0.1}}, "), "small.yaml").anonymize.each
