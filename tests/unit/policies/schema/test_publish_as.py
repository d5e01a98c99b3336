"""What a policy may say of how a number is published."""

from __future__ import annotations

from fractions import Fraction

import pytest

from headgate.core.number_form import NumberForm
from policies.schema.loading import parse_policy
from tests.unit.policies.refused import Case, names_of, require_refused

INCOME = "domain: [0, 1000], weight: 2"
BAD: list[Case] = [
    (INCOME, "unique: yes", 9, ["unique", "'yes'", "accepted"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: integer, unique: accepted}",
        6,
        ["only with role sensitive, insensitive or weight"],
    ),
    (INCOME, "publish_as: {}", 9, ["publish_as", "found nothing", "round: 1000, top: 250000 or bottom: 1000; a top of 0.995 is a share"]),
    (INCOME, "publish_as: {round: 0}", 9, ["publish_as.round", "greater than 0"]),
    (INCOME, "publish_as: {rounded: 10}", 9, ["unknown key 'rounded'", "did you mean round?"]),
    (INCOME, "publish_as: {round: 1000, top: 2500}", 9, ["publish_as.top", "2500", "a multiple of 1000"]),
    (INCOME, "publish_as: {top: 10, bottom: 20}", 9, ["publish_as.bottom", "less than top, 10"]),
    (INCOME, "publish_as: {top: 0.1, bottom: 0.2}", 9, ["publish_as.bottom", "less than top, 0.1"]),
    (INCOME, "domain: [0, 1000], publish_as: {top: 1000}", 9, ["publish_as.top", "inside the domain [0, 1000]", "nobody is beyond"]),
    (INCOME, "publish_as: {round: 100}, nonsensitive: [50]", 9, ["nonsensitive", "'50', which publish_as makes 0"]),
    ("kind: number, " + INCOME, "kind: integer, publish_as: {round: 0.5}", 9, ["publish_as.round", "0.5 with kind integer"]),
    ("kind: number, " + INCOME, "kind: category, publish_as: {round: 5}", 9, ["publish_as", "only with kind number or integer"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, publish_as: {round: 5}}", 6, ["only with role sensitive"]),
    ("age: {role: quasi, kind: integer}", "age: {role: dropped, publish_as: {round: 5}}", 6, ["never published"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def test_a_bound_between_0_and_1_is_a_share_of_the_people(small: str) -> None:
    text = small.replace(INCOME, "domain: [0, 1000], publish_as: {round: 10, top: 0.995, bottom: 50}")
    wanted = parse_policy(text, "small.yaml").attributes["income"].publish_as
    assert wanted is not None
    assert wanted.form == NumberForm(Fraction(10), bottom=Fraction(50))
    assert wanted.declared == {"round": "10", "bottom": "50", "top": "0.995"}
