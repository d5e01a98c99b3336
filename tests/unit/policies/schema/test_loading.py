"""A policy file is read whole, or refused with its line, its key, what was found and what is accepted."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import example as explicit
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.errors import PolicyInvalid
from policies.schema.anonymization import Relax, Suppress
from policies.schema.attribute import Mask, Widths
from policies.schema.loading import MOST_PROBLEMS, parse_policy
from policies.schema.policy import Policy, require_ready
from policies.words.fields import decimal_text


def refusal(text: str) -> PolicyInvalid:
    with pytest.raises(PolicyInvalid) as caught:
        parse_policy(text, "small.yaml")
    assert caught.value.cure
    assert "pydantic" not in str(caught.value)
    return caught.value


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


# One line a case: what replaces what in the small policy, the line it is reported on, and phrases of the message.
BAD = [
    ("dataset: clinic", "datset: clinic", 2, ["datset", "unknown key", "did you mean dataset?"]),
    ("dataset: clinic", "dataset: Clinic Data", 2, ["dataset", "'Clinic Data'"]),
    ("schema: 1", "schema: 2", 1, ["schema", "found '2'", "accepted: 1"]),
    ("schema: 1", "", 1, ["schema", "required"]),
    ("kind: csv", "kind: cvs", 3, ["source.kind", "'cvs'", "did you mean csv?"]),
    ("kind: csv, ", "", 3, ["source", "no 'kind'"]),
    ("{kind: csv, path: clinic.csv}", "clinic.csv", 3, ["source", "a mapping"]),
    ("path: clinic.csv", "path: clinic.csv, separator: ';;'", 3, ["source.separator", "at most 1 character"]),
    ("path: clinic.csv", "path: clinic.csv, encoding: utf-9", 3, ["source.encoding", "'utf-9'", "text encoding"]),
    ("{kind: csv, path: clinic.csv}", "{kind: sql, url: 'db://u:p@h'}", 3, ["source.url", "unknown key", "url_env"]),
    ("{kind: csv, path: clinic.csv}", "{kind: sql, url_env: DB}", 3, ["query", "required"]),
    ("age: {role: quasi,", "age: {role: qasi,", 6, ["attributes.age.role", "'qasi'", "did you mean quasi?"]),
    ("kind: integer", "kind: intger", 6, ["attributes.age.kind", "'intger'", "did you mean integer?"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi}", 6, ["no kind for a quasi attribute"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: set}", 6, ["a set cannot be a quasi-identifier"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: vector, columns: [a, b]}",
        6,
        ["a vector cannot be a quasi-identifier"],
    ),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, weight: 2}", 6, ["weight", "only with role sensitive"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, levels: [a]}", 6, ["levels", "only with kind ordinal"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [9, 0]}", 6, ["domain", "the least value first"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [0.5, 9]}", 6, ["domain", "whole numbers"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [0, 9, 10]}", 6, ["domain"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, domain: [0, .inf]}", 6, ["domain"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, domain: [0, 9]}", 6, ["domain", "YYYY-MM-DD"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, domain: [2024-02-30, 2024-03-01]}", 6, ["domain", "YYYY-MM-DD"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, hierarchy: a.csv}", 6, ["hierarchy", "only with kind"]),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: number, hierarchy: {widths: [5]}}", 6, ["widths only on kind integer"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: integer, hierarchy: {widths: [5, 12]}}",
        6,
        ["multiple of the one before"],
    ),
    ("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: integer, hierarchy: {mask: 2}}", 6, ["a mask only on kind category"]),
    (
        "age: {role: quasi, kind: integer}",
        "age: {role: quasi, kind: integer, hierarchy: {width: [5]}}",
        6,
        ["hierarchy", "{widths: [5, 10]}"],
    ),
    ("person: {role: identifier}", "person: {role: identifier, kind: integer}", 5, ["never published", "only role: identifier"]),
    ("values: [flu, gout], nonsensitive: [flu]", "separator: ';'", 8, ["a sensitive set without its values"]),
    ("values: [flu, gout]", "values: [flu, flu]", 8, ["a list without repeated values"]),
    ("values: [flu, gout]", "values: [flu, gout], values_from: {path: a, key: b}", 8, ["one of them"]),
    ("nonsensitive: [flu]", "nonsensitive: [fly]", 8, ["'fly', which is not among the values", "did you mean flu?"]),
    ("nonsensitive: [flu]", "absent: yes", 8, ["absent", "'yes'"]),
    ("domain: [0, 1000], weight: 2", "weight: -1", 9, ["weight", "greater than or equal to 0"]),
    ("domain: [0, 1000], weight: 2", "nonsensitive: [nothing]", 9, ["nonsensitive", "a number"]),
    ("domain: [0, 1000], weight: 2", "separator: ';'", 9, ["separator", "only with kind set"]),
    ("school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}", "school: {role: sensitive, kind: ordinal}", 10, ["levels"]),
    ("notes: {role: dropped}", "notes: {role: sensitive, kind: vector}", 12, ["columns"]),
    ("notes: {role: dropped}", "notes: {role: sensitive, kind: vector, columns: [p1]}", 12, ["at least two columns"]),
    ("notes: {role: dropped}", "notes: {role: sensitive, kind: vector, columns: [p1, p2], distance: l2}", 12, ["distance", "'l2'"]),
    (
        "notes: {role: dropped}",
        "notes: {role: sensitive, kind: vector, columns: [person, p2]}",
        12,
        ["source column 'person'", "identifier"],
    ),
    ("notes: {role: dropped}", "illness=gout: {role: insensitive, kind: integer}", 12, ["bitmap column of 'illness'"]),
    ("notes: {role: dropped}", "group: {role: insensitive, kind: integer}", 12, ["'group'"]),
    ("ward: {role: insensitive, kind: category}", "ward: {role: insensitive, kind: category, table: 0}", 11, ["table"]),
    ("{method: codip*}", "{method: codip}", 13, ["projection.method", "'codip'", "did you mean codip*?"]),
    ("{method: codip*}", "{method: codip*, association_loss: 1.5}", 13, ["association_loss", "less than or equal to 1"]),
    ("{method: codip*}", "{method: given}", 13, ["without 'tables'"]),
    ("{method: codip*}", "{method: single, tables: [[income]]}", 13, ["only with method given"]),
    ("{method: codip*}", "{method: given, tables: [[income, school]]}", 13, ["no table for 'illness'"]),
    ("{method: codip*}", "{method: given, tables: [[income, school], [illness, income]]}", 13, ["'income' a second time"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, 'illness=gout']]}", 13, ["1 of the 2 values of 'illness'"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, illness], ['illness=gout']]}", 13, ["'illness=gout' a second time"]),
    ("{method: codip*}", "{method: given, tables: [['illness=gout'], [income, school, illness]]}", 13, ["'illness=gout' a second time"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, illness, age]]}", 13, ["'age', which is quasi"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, illness], [ilness]]}", 13, ["'ilness'", "did you mean illness?"]),
    ("k: 3,", "k: 1,", 14, ["anonymize.k", "found '1'", "greater than or equal to 2"]),
    ("k: 3,", "k: '3',", 14, ["anonymize.k", "a whole number"]),
    ("k: 3,", "k: 2.5,", 14, ["anonymize.k", "found '2.5'"]),
    ("k: 3,", "k: true,", 14, ["anonymize.k", "found 'true'"]),
    ("k: 3,", "", 14, ["k", "required"]),
    ("epsilon: 0.1", "epsilon: -0.1", 14, ["anonymize.epsilon", "greater than or equal to 0"]),
    ("epsilon: 0.1", "epsilon: some", 14, ["anonymize.epsilon", "'some'", "a number"]),
    ("epsilon: 0.1", "epsilon: .nan", 14, ["anonymize.epsilon"]),
    ("delta: 0.5", "delta: 1.1", 14, ["anonymize.delta", "less than or equal to 1"]),
    (", delta: 0.5", "", 14, ["'epsilon' without 'delta'"]),
    ("k: 3,", "k: 3, method: xcolour,", 14, ["anonymize.method", "did you mean xcolor?"]),
    ("k: 3,", "k: 3, method: mondrian, variant: blocks,", 14, ["'variant' only with method xcolor"]),
    ("k: 3,", "k: 3, suppression: 0.1,", 14, ["'suppression' only with method full-domain"]),
    ("k: 3,", "k: 3, infeasible: ignore,", 14, ["infeasible", "{suppress: share of rows}"]),
    ("k: 3,", "k: 3, infeasible: {suppress: 2},", 14, ["infeasible.suppress", "less than or equal to 1"]),
    ("k: 3,", "k: 3, infeasible: {relax: 0.9},", 14, ["relax", "at most delta, 0.5"]),
    # δ of `each` is never relaxed: a floor above the composite's δ would have raised it, and one for `each` alone was refused by the gates.
    ("k: 3,", "k: 3, each: {income: {epsilon: 0, delta: 0.8}}, infeasible: {relax: 0.7},", 14, ["relax", "at most delta, 0.5"]),
    (
        "epsilon: 0.1, delta: 0.5}",
        "each: {income: {epsilon: 0, delta: 0.8}}, infeasible: {relax: 0.7}}",
        14,
        ["without a δ to relax", "epsilon and delta"],
    ),
    ("k: 3,", "k: 3, distance: {p: 0.5},", 14, ["distance.p", "greater than or equal to 1"]),
    ("k: 3,", "k: 3, distance: {combine: max},", 14, ["distance.combine", "lp or min"]),
    ("k: 3,", "k: 3, distance: {callable: os.system},", 14, ["distance.callable"]),
    ("k: 3,", "k: 3, distance: {callable: 'mine:f', p: 2},", 14, ["a callable alone"]),
    ("k: 3,", "k: 3, each: {incom: {epsilon: 0, delta: 0}},", 14, ["each.incom", "did you mean income?"]),
    ("k: 3,", "k: 3, each: {age: {epsilon: 0, delta: 0}},", 14, ["each.age", "'age', which is quasi"]),
    ("linkability: 0.8", "closeness: 0.5", 15, ["linkability", "required"]),
    ("linkability: 0.8", "linkability: 0", 15, ["linkability", "greater than 0"]),
    ("linkability: 0.8", "linkability: 80 %", 15, ["linkability", "'80 %'", "a number"]),
    ("linkability: 0.8", "linkability: 0.8, closeness:", 15, ["closeness", "nothing after the colon"]),
    ("linkability: 0.8", "linkability: 0.8, closeness: {ward: 1}", 15, ["'ward', which is insensitive"]),
    ("linkability: 0.8", "linkability: 0.8, delta_l: {school: {interval: 1, l: 2}}", 15, ["'school', which is a ordinal"]),
    ("linkability: 0.8", "linkability: 0.8, delta_l: {income: {interval: -1, l: 2}}", 15, ["interval", "greater than or equal to 0"]),
    ("linkability: 0.8", "linkability: 0.8, delta_l: {income: {interval: 1, l: 0.5}}", 15, ["delta_l.income.l"]),
    ("linkability: 0.8", "linkability: 0.8, distinct_l: {'illness=cold': 2}", 15, ["'illness=cold', which is not an attribute"]),
    ("linkability: 0.8", "linkability: 0.8, disclosure: {dictionaries: []}", 15, ["a disclosure gate without a bound"]),
    (
        "linkability: 0.8",
        "linkability: 0.8, disclosure: {max: 1, dictionaries: [{path: r.csv, on: [income]}]}",
        15,
        ["not a quasi-identifier"],
    ),
    ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 1, sensitivity: {weights: {notes: 1}}}", 15, ["not published"]),
    ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 1, sensitivity: {weights: {}}}", 15, ["sensitivity.weights"]),
    ("linkability: 0.8", "linkability: 0.8, reidentification: {}", 15, ["without a bound"]),
    ("to: clinic", "to: ../elsewhere", 16, ["publish.to", "no '..'"]),
    ("to: clinic", "to: /srv", 16, ["publish.to", "not absolute"]),
    ("to: clinic", "to: a/../b", 16, ["publish.to"]),
    ("to: clinic", "to: clinic, formats: [csv, xlsx]", 16, ["publish.formats", "'xlsx'"]),
    ("to: clinic", "to: clinic, formats: []", 16, ["publish.formats"]),
    ("publish:", "approval: {required: 0}\npublish:", 16, ["approval.required", "greater than or equal to 1"]),
    ("publish:", "schedule: {cron: 0 25 * * *}\npublish:", 16, ["schedule.cron", "hour"]),
    ("publish:", "schedule: {cron: 0 3 1 * *, timezone: Europe/Rom}\npublish:", 16, ["schedule.timezone", "Europe/Rome"]),
    ("publish:", "utility: {dimensions: 0}\npublish:", 16, ["utility.dimensions", "greater than or equal to 1"]),
    ("publish:", "expect: {rows: {min: 5, max: 4}}\npublish:", 16, ["expect.rows.min", "at most max"]),
    ("publish:", "expect: {missing: {agge: 0.1}}\npublish:", 16, ["expect.missing.agge", "did you mean age?"]),
    ("publish:", "- 1\npublish:", 16, ["YAML"]),
]


@pytest.mark.parametrize(("old", "new", "line", "phrases"), BAD, ids=[case[1][:60] or f"without {case[0]}" for case in BAD])
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, old: str, new: str, line: int, phrases: list[str]) -> None:
    assert small.count(old) == 1
    message = refusal(small.replace(old, new)).message
    for phrase in phrases:
        assert phrase in message
    assert re.search(rf"small\.yaml, line {line}\b", message), message


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
        ("a: \x00\n", "a character that YAML does not allow"),
        ("? [1]\n: 2\n", "a key that is not a word"),
        ("a: " + "[" * 40 + "]" * 40, "more than 30 levels"),
        ("a: " + "x" * 1_000_001, "at most 1000000"),
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
    ("role", "phrase"),
    [("quasi", "no quasi-identifier"), ("sensitive", "no sensitive attribute")],
)
def test_a_policy_without_quasi_identifiers_or_sensitive_attributes_protects_nothing(small: str, role: str, phrase: str) -> None:
    text = re.sub(rf"  \w+: {{role: {role}.*}}\n", "", small)
    assert phrase in refusal(text).message


def test_weight_zero_everywhere_leaves_nothing_to_compare(small: str) -> None:
    text = small.replace("weight: 2", "weight: 0").replace("[flu]}", "[flu], weight: 0}").replace("high]}", "high], weight: 0}")
    assert "weight 0 for every sensitive attribute" in refusal(text).message


def test_numbers_among_values_keep_their_spelling(small: str) -> None:
    policy = parse_policy(
        small.replace("values: [flu, gout], nonsensitive: [flu]", "values: [010, 1.50, 0x1F], nonsensitive: [010]"), "small.yaml"
    )
    assert policy.attributes["illness"].values == ("010", "1.50", "0x1F")
    assert policy.attributes["illness"].nonsensitive == ("010",)


def test_missing_can_be_declared_non_sensitive(small: str) -> None:
    policy = parse_policy(small.replace("nonsensitive: [flu]", "nonsensitive: [flu, null]"), "small.yaml")
    assert policy.attributes["illness"].nonsensitive == ("flu", None)


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


def test_forms_keep_their_meaning(small: str) -> None:
    policy = parse_policy(small.replace("kind: integer}", "kind: integer, hierarchy: {widths: [5, 10]}}"), "small.yaml")
    assert policy.attributes["age"].hierarchy == Widths(widths=(5, 10))
    policy = parse_policy(small.replace("k: 3,", "k: 3, infeasible: {suppress: 0.01},"), "small.yaml")
    assert policy.anonymize.infeasible == Suppress(suppress=Decimal("0.01"))
    policy = parse_policy(small.replace("k: 3,", "k: 3, infeasible: {relax: 0.50},"), "small.yaml")
    assert policy.anonymize.infeasible == Relax(relax=Decimal("0.5"))
    assert Mask(mask=2).mask == 2


def test_a_draft_reads_but_cannot_be_released(small: str) -> None:
    for text in (
        small.replace("dataset: clinic", "dataset: clinic\ndraft: true"),
        small.replace("{role: dropped}", "{role: dropped, guess: true}"),
    ):
        policy = parse_policy(text, "small.yaml")
        with pytest.raises(PolicyInvalid, match="draft") as caught:
            require_ready(policy)
        assert "guess: true" in caught.value.cure


@settings(max_examples=60, deadline=None)
@given(st.decimals(min_value=0, max_value=1, places=12, allow_nan=False))
@explicit(Decimal("0.10"))
@explicit(Decimal("1E-7"))
def test_a_decimal_stays_the_number_a_person_wrote(number: Decimal) -> None:
    text = decimal_text(number)
    assert Decimal(text) == number
    assert re.fullmatch(r"0|1|0\.\d*[1-9]", text)


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
