"""What is asked of a series where the policy says nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from headgate.core.errors import InputRejected, PolicyInvalid
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.schema.series_default import with_series

TEXT = """\
schema: 1
dataset: clinic
source: {{kind: csv, path: clinic.csv}}
{person}
attributes:
  {identifiers}
  age: {{role: quasi, kind: integer, domain: [0, 100]}}
  illness: {{role: sensitive, kind: category}}
  visit: {{role: sensitive, kind: set, values: [a, b], changes: true}}
anonymize: {{k: 2{anonymize}}}
gates: {{linkability: 0.7{gates}}}
publish: {{to: clinic}}
{schedule}
"""
ONE, TWO = "id: {role: identifier}", "id: {role: identifier}\n  other: {role: identifier}"
MONTHLY = 'schedule: {cron: "0 3 1 * *"}'


def policy(**given: Any) -> Policy:
    parts = {"person": "", "identifiers": ONE, "anonymize": "", "gates": "", "schedule": ""} | given
    return parse_policy(TEXT.format(**parts), "policy.yaml")


@pytest.mark.parametrize(("given", "versions"), [({}, 1), ({"schedule": MONTHLY}, 0), ({"identifiers": TWO, "person": "person: other"}, 3)])
def test_what_one_version_promises_holds_for_all_together(given: dict[str, Any], versions: int) -> None:
    asked = with_series(policy(**given), versions).gates.series
    assert asked is not None
    assert (asked.linkability, asked.candidates, asked.risk, asked.changed) == (Decimal("0.7"), None, None, Decimal("0.05"))


def test_a_dataset_that_is_published_once_is_no_series() -> None:
    assert with_series(policy(), 0).gates.series is None


def test_what_the_policy_says_counts() -> None:
    said = policy(gates=", series: {candidates: 3}", schedule=MONTHLY)
    assert with_series(said, 2) is said
    accepted = policy(gates=", series: {unmeasured: the people are others each year}", identifiers="age2: {role: dropped}")
    assert with_series(accepted, 2) is accepted


def test_without_an_identifier_a_second_version_is_refused_before_any_work() -> None:
    nobody = policy(identifiers="age2: {role: dropped}")
    assert with_series(nobody, 0) is nobody
    with pytest.raises(InputRejected, match="has been published before, and without an identifier nobody can say") as refused:
        with_series(nobody, 1)
    assert "unmeasured: REASON" in refused.value.cure
    with pytest.raises(InputRejected, match="has been published before"):
        with_series(policy(identifiers=TWO), 1)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"identifiers": "age2: {role: dropped}", "schedule": MONTHLY}, "a schedule, and no identifier"),
        ({"identifiers": TWO, "schedule": MONTHLY}, "a schedule, and nothing that says which of the identifiers is a person"),
        ({"identifiers": TWO, "gates": ", series: {linkability: 1}"}, "a series gate, and nothing that says which"),
        ({"person": "person: age"}, "'age', which is not an identifier"),
        ({"gates": ", series: {risk: 0.5}"}, "series.risk without anonymize.epsilon"),
        ({"identifiers": "age2: {role: dropped}", "anonymize": ", series: sticky"}, "groups that are kept, and nobody known"),
        ({"anonymize": ", method: full-domain, series: sticky"}, "series: sticky with method full-domain"),
        ({"anonymize": ", variant: faithful, series: sticky"}, "series: sticky with method xcolor"),
        ({"anonymize": ", series: loose"}, "series"),
    ],
)
def test_a_policy_whose_series_cannot_be_measured_is_not_accepted(given: dict[str, Any], found: str) -> None:
    with pytest.raises(PolicyInvalid, match="policy.yaml") as refused:
        policy(**given)
    assert found in refused.value.message


def test_a_schedule_may_say_why_its_series_is_not_measured() -> None:
    policy(identifiers="age2: {role: dropped}", schedule=MONTHLY, gates=", series: {unmeasured: nobody is numbered}")


def test_an_attribute_that_is_a_new_fact_in_each_version_is_not_steady() -> None:
    read = policy()
    assert (read.is_steady("illness"), read.is_steady("visit=a"), read.is_steady("age"), read.is_steady("unknown")) == (
        True,
        False,
        False,
        False,
    )
    with pytest.raises(PolicyInvalid, match="'changes' with role quasi"):
        parse_policy(
            TEXT.format(person="", identifiers=ONE, anonymize="", gates="", schedule="").replace("100]}", "100], changes: true}"), "p"
        )
