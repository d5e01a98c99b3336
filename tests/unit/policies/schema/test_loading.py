"""A policy file is read whole, or refused with its line, its key, what was found and what is accepted."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.errors import PolicyInvalid
from policies.schema.loading import MOST_PROBLEMS, parse_policy
from policies.schema.policy import Policy, require_ready
from tests.unit.policies.refused import refusal, require_refused


def test_the_contracts_example_reads_as_it_is_written(example: str) -> None:
    policy = parse_policy(example, "hospital.yaml")
    assert policy.dataset == "hospital-patients"
    assert policy.named(Role.QUASI) == ("age", "sex", "region", "admitted")
    assert policy.named(Role.SENSITIVE) == ("diagnosis", "income", "education", "profile")
    assert policy.named(Role.INSENSITIVE) == ("visit_type",)
    assert policy.source_columns[-5:] == ("p1", "p2", "p3", "visit_type", "notes")
    assert policy.attributes["age"].domain == (Decimal(0), Decimal(110))
    assert policy.attributes["diagnosis"].values == "data/codes.csv"
    assert policy.attributes["profile"].kind is Kind.VECTOR
    assert policy.anonymize.each["income"].epsilon == Decimal("0.05")
    assert policy.gates.closeness == Decimal("0.5")
    assert policy.gates.distinct_l == {"education": Decimal(2)}
    assert policy.gates.disclosure is not None
    assert policy.gates.disclosure.dictionaries[0].on == ("age", "sex", "region")
    assert policy.approval.required == 2
    assert policy.publish.formats == ("csv", "parquet")
    assert policy.schedule is not None
    assert policy.schedule.timezone == "Europe/Rome"
    require_ready(policy)


def test_a_policy_survives_json_and_back(example: str) -> None:
    policy = parse_policy(example, "hospital.yaml")
    assert Policy.model_validate_json(policy.model_dump_json(by_alias=True)) == policy


def test_a_list_among_the_keys_is_reported_in_its_line(small: str) -> None:
    require_refused(small, ("publish:", "- 1\npublish:", 16, ["YAML"]))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("", "an empty file"),
        ("# nothing\n", "nothing but comments"),
        ("- a\n- b\n", "found a list"),
        ("just words\n", "a single value"),
        ("schema: 1\nschema: 1\n", "line 2, schema: found 'schema' a second time (first on line 1)"),
        ("attributes:\n  age: {role: quasi, role: dropped}\n", "line 2, attributes.age.role: found 'role' a second time"),
        ("a: &x 1\nb: *x\n", "line 1: found an anchor or alias"),
        ("a: !!python/object/apply:os.system [ls]\n", "line 1: found a tag"),
        ("a: !!str 1\n", "line 1: found a tag"),
        ("a: 1\n---\nb: 2\n", "line 2: found a second document"),
        ("%YAML 1.1\n---\na: yes\n", "another version of YAML"),
        ("a: [1\n", "YAML 1.2"),
        ("a:\n\t- b\n", "line 2"),
        ("a: \x00\n", "U+0000"),
        ("? [1]\n: 2\n", "a key that is not a word"),
        ("a: " + "[" * 40 + "]" * 40, "more than 30 levels"),
        ("a: " + "x" * 250_001, "at most 250000"),
    ],
)
def test_what_is_no_plain_mapping_is_refused(text: str, phrase: str) -> None:
    assert phrase in refusal(text).message


def test_a_few_problems_are_listed_a_line_each_and_the_rest_counted(small: str) -> None:
    text = small.replace("domain: [0, 1000]", "domain: [1000, 0]").replace("role: dropped", "role: gone").replace("k: 3", "k: 0")
    text = (
        text.replace("linkability: 0.8", "linkability: 2")
        .replace("to: clinic", "to: /")
        .replace("kind: csv", "kind: cvs")
        .replace("schema: 1", "schema: 3")
    )
    lines = refusal(text).message.splitlines()
    assert len(lines) == MOST_PROBLEMS + 1
    assert lines[0].startswith("small.yaml, line 1, schema: found '3'; accepted: 1")
    assert lines[-1] == "… and 2 more."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kind: category}\n  illness", "kind: category, hierarchy: {mask: 2}}\n  illness"),
        ("kind: integer}", "kind: integer, hierarchy: {widths: [5, 10]}}"),
        ("{method: codip*}", "{method: given, tables: [[illness], [income, school]]}"),
        ("{method: codip*}", "{method: given, tables: [['illness=flu', income], ['illness=gout'], [school]]}"),
        ("linkability: 0.8", "linkability: 1, closeness: {illness: 0.5, 'illness=gout': 0.4}, distinct_l: 2"),
        ("{kind: csv, path: clinic.csv}", "{kind: sql, url_env: CLINIC_URL, query: select * from people}"),
        ("{kind: csv, path: clinic.csv}", '{kind: csv, path: ../clinic.csv, separator: "\\t", encoding: latin-1}'),
        ("k: 3,", "k: 3, infeasible: {suppress: 0.01}, distance: {callable: 'proximity.medical:between'},"),
        ("k: 3,", "k: 3, method: full-domain, suppression: 0.05, objective: arx,"),
        ("publish:", "expect: {suite: suite.json, rows: {min: 1, change: 0.2}, missing: {age: 0.1}}\npublish:"),
        ("publish:", "schedule: {cron: '*/5 8-18 * jan,mar mon-fri'}\npublish:"),
    ],
)
def test_every_other_form_of_the_contract_is_read(small: str, old: str, new: str) -> None:
    assert small.count(old) == 1
    parse_policy(small.replace(old, new), "small.yaml")


@pytest.mark.parametrize("text", ['title: "\\ud800"', '"\\ud800": 1', "title: " + "9" * 5000, "title: 1e99999999999999999999"])
def test_text_that_no_file_can_hold_is_refused(small: str, text: str) -> None:
    refusal(f"{small}{text}\n")


def test_messages_show_no_control_characters(small: str) -> None:
    assert "\x1b" not in refusal(small.replace("dataset: clinic", 'dataset: "\\x1b[31mclinic"')).message


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_refused_as_a_policy_and_never_breaks_the_reader(text: str) -> None:
    with pytest.raises(PolicyInvalid):
        parse_policy(text, "noise.yaml")


def test_a_policy_with_more_attributes_than_allowed_is_refused(small: str) -> None:
    allowed = len(parse_policy(small, "small.yaml").attributes)
    parse_policy(small, "small.yaml", allowed)
    with pytest.raises(PolicyInvalid, match=f"found {allowed} attributes; accepted: at most {allowed - 1}") as refused:
        parse_policy(small, "small.yaml", allowed - 1)
    assert "HEADGATE_MAX_ATTRIBUTES" in refused.value.cure


def test_how_long_a_policy_may_be_grows_with_its_attributes(small: str) -> None:
    padded = small + "#" * (250_000 - len(small))
    parse_policy(padded, "small.yaml")
    with pytest.raises(PolicyInvalid, match="at most 250000"):
        parse_policy(padded + "#", "small.yaml")
    parse_policy(padded + "#", "small.yaml", 3_000)


def test_a_data_file_given_as_a_policy_has_its_keys_counted_and_not_told() -> None:
    text = '{"Anna Rossi": {"age": 41},\n "Bert Ito": {"age": 52},\n "title": "x", "Anna Rossi": {"age": 41}}'
    with pytest.raises(PolicyInvalid, match=r"^people\.json, lines 2 to 3: found 2 keys that no policy has") as refused:
        parse_policy(text, "people.json")
    assert not {"Anna", "Rossi", "Bert", "Ito", "age"} & set(re.findall(r"\w+", str(refused.value)))


def test_an_unknown_key_of_what_looks_like_a_policy_is_told(small: str) -> None:
    assert "'datset'" in refusal(small.replace("dataset:", "datset:")).message
