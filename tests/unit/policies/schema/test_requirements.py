"""What must hold of the tables, who must agree, and where and when they are published."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from policies.schema.loading import parse_policy
from policies.schema.requirements import ApprovalKey, Gates, PublishKey, ScheduleKey, UtilityKey
from policies.words.quorum import Quorum
from tests.unit.policies.refused import Case, names_of, require_refused

BAD: list[Case] = [
    ("linkability: 0.8", "closeness: 0.5", 15, ["linkability", "required"]),
    ("linkability: 0.8", "linkability: 0", 15, ["linkability", "greater than 0"]),
    ("linkability: 0.8", "linkability: 80 %", 15, ["linkability", "'80 %'", "a number"]),
    ("linkability: 0.8", "linkability: 0.8, closeness:", 15, ["closeness", "nothing after the colon"]),
    ("linkability: 0.8", "linkability: 0.8, delta_l: {income: {interval: -1, l: 2}}", 15, ["interval", "greater than or equal to 0"]),
    ("linkability: 0.8", "linkability: 0.8, delta_l: {income: {interval: 1, l: 0.5}}", 15, ["delta_l.income.l"]),
    ("linkability: 0.8", "linkability: 0.8, disclosure: {dictionaries: []}", 15, ["a disclosure gate without a bound"]),
    ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 1, sensitivity: {weights: {}}}", 15, ["sensitivity.weights"]),
    ("linkability: 0.8", "linkability: 0.8, reidentification: {}", 15, ["without a bound"]),
    ("to: clinic", "to: ../elsewhere", 16, ["publish.to", "one plain name"]),
    ("to: clinic", "to: /srv", 16, ["publish.to", "one plain name"]),
    ("to: clinic", "to: people/.publishing-3-x", 16, ["publish.to", "one plain name"]),
    ("to: clinic", "to: clinic, formats: [csv, xlsx]", 16, ["publish.formats", "'xlsx'"]),
    ("to: clinic", "to: clinic, formats: []", 16, ["publish.formats"]),
    ("to: clinic", "to: clinic, formats: [ddi]", 16, ["publish.formats", "csv, parquet or both"]),
    ("to: clinic", "to: clinic, formats: [spss, stata, croissant]", 16, ["publish.formats", "csv, parquet or both"]),
    ("to: clinic", "to: clinic, not_before: {cron: 30 9 * * 2 0}", 16, ["publish.not_before.cron", "five fields"]),
    ("to: clinic", "to: clinic, not_before: {cron: '@daily'}", 16, ["publish.not_before.cron", "five fields"]),
    ("to: clinic", "to: clinic, not_before: {cron: 30 9 * * 2, timezone: Rome}", 16, ["publish.not_before.timezone"]),
    ("publish:", "approval: {required: 0}\npublish:", 16, ["approval.required", "greater than or equal to 1"]),
    ("publish:", "approval: {expires_days: 36501}\npublish:", 16, ["approval.expires_days", "36500"]),
    ("publish:", "utility: {queries: 1000001}\npublish:", 16, ["utility.queries", "1000000"]),
    ("publish:", "approval: {blind: 1}\npublish:", 16, ["approval.blind"]),
    ("publish:", "approval: {roles: {law: 0}}\npublish:", 16, ["approval.roles.law", "greater than or equal to 1"]),
    ("publish:", "approval: {roles: {Law: 1}}\npublish:", 16, ["approval.roles"]),
    ("publish:", "schedule: {cron: 0 25 * * *}\npublish:", 16, ["schedule.cron", "hour"]),
    ("publish:", "schedule: {cron: 0 3 1 * *, timezone: Europe/Rom}\npublish:", 16, ["schedule.timezone", "Europe/Rome"]),
    ("publish:", "utility: {dimensions: 0}\npublish:", 16, ["utility.dimensions", "greater than or equal to 1"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def test_files_for_statistics_programs_are_made_from_those_that_are_measured() -> None:
    key = PublishKey(to="clinic", formats=("stata", "ddi", "parquet", "spss", "croissant"))
    assert (key.tables, key.labelled) == (("parquet",), ("stata", "spss"))


def test_what_is_not_said_has_its_default(small: str) -> None:
    policy = parse_policy(small, "small.yaml")
    assert policy.approval == ApprovalKey(required=1, roles={}, signers=None, expires_days=None, blind=False)
    assert policy.publish.formats == ("csv", "parquet")
    assert policy.schedule is None
    utility = policy.utility
    assert (utility.queries, utility.dimensions, utility.sensitive_dimensions, utility.selectivity) == (1000, 3, 2, Decimal("0.1"))
    assert (utility.max_error, utility.max_loss) == (None, None)


def test_linkability_is_the_gate_that_no_policy_leaves_out() -> None:
    assert Gates.model_validate({"linkability": 1}).linkability == 1
    with pytest.raises(ValidationError, match="linkability"):
        Gates.model_validate({})


def test_a_policy_asks_for_roles_beside_the_number() -> None:
    assert ApprovalKey.model_validate({"required": 2, "roles": {"data-protection": 1}}).quorum == Quorum(2, {"data-protection": 1})


@pytest.mark.parametrize("number", [0, -1, 1.0, "2", True])
def test_approvals_are_counted_in_whole_people_and_at_least_one(number: object) -> None:
    for key in ("required", "expires_days"):
        with pytest.raises(ValidationError):
            ApprovalKey.model_validate({key: number})


def test_a_format_stands_once() -> None:
    assert PublishKey.model_validate({"to": "a", "formats": ["parquet"]}).formats == ("parquet",)
    with pytest.raises(ValueError, match="a format listed twice; accepted: each format once"):
        PublishKey.model_validate({"to": "a", "formats": ["csv", "csv"]})


def test_a_schedule_is_in_universal_time_unless_it_says_otherwise() -> None:
    assert ScheduleKey.model_validate({"cron": "0 3 1 * *"}).timezone == "UTC"
    with pytest.raises(ValidationError):
        ScheduleKey.model_validate({"cron": "0 3 1 * *", "timezone": "Mars/Olympus"})


@pytest.mark.parametrize(
    "keys", [{"queries": 0}, {"sensitive_dimensions": -1}, {"selectivity": 0}, {"selectivity": "1.1"}, {"max_loss": -1}]
)
def test_queries_select_something(keys: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        UtilityKey.model_validate(keys)
    assert UtilityKey.model_validate({"sensitive_dimensions": 0}).sensitive_dimensions == 0


def test_rows_per_part_is_a_whole_number_of_rows() -> None:
    assert PublishKey(to="a").rows_per_part == 1_000_000
    assert PublishKey.model_validate({"to": "a", "rows_per_part": 7}).rows_per_part == 7
    for wrong in (0, -1, 1.5, "10", True, None):
        with pytest.raises(ValueError, match="rows_per_part"):
            PublishKey.model_validate({"to": "a", "rows_per_part": wrong})
