"""What must hold between the parts of a policy, each of which is well formed."""

from __future__ import annotations

import re

import pytest

from policies.schema.coherence import bits_of, problems_of, set_of
from policies.schema.loading import parse_policy
from policies.schema.series_default import with_series
from tests.unit.policies.refused import Case, names_of, refusal, require_refused

BAD: list[Case] = [
    (
        "notes: {role: dropped}",
        "notes: {role: sensitive, kind: vector, columns: [person, p2]}",
        12,
        ["source column 'person'", "identifier"],
    ),
    ("notes: {role: dropped}", "illness=gout: {role: insensitive, kind: integer}", 12, ["bitmap column of 'illness'"]),
    ("notes: {role: dropped}", "group: {role: insensitive, kind: integer}", 12, ["'group'"]),
    ("{method: codip*}", "{method: given, tables: [[income, school]]}", 13, ["no table for 'illness'"]),
    ("{method: codip*}", "{method: given, tables: [[income, school], [illness, income]]}", 13, ["'income' a second time"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, 'illness=gout']]}", 13, ["1 of the 2 values of 'illness'"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, illness], ['illness=gout']]}", 13, ["'illness=gout' a second time"]),
    ("{method: codip*}", "{method: given, tables: [['illness=gout'], [income, school, illness]]}", 13, ["'illness=gout' a second time"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, illness, age]]}", 13, ["'age', which is quasi"]),
    ("{method: codip*}", "{method: given, tables: [[income, school, illness], [ilness]]}", 13, ["'ilness'", "did you mean illness?"]),
    ("k: 3,", "k: 3, each: {incom: {epsilon: 0, delta: 0}},", 14, ["each.incom", "did you mean income?"]),
    ("k: 3,", "k: 3, each: {age: {epsilon: 0, delta: 0}},", 14, ["each.age", "'age', which is quasi"]),
    ("epsilon: 0.1", "epsilon: {income: 5, school: 1, illness: 5000}", 14, ["5000 for 'illness', a set", "0, as a person has a value"]),
    ("epsilon: 0.1", "epsilon: {income: 5, school: 1, 'illness=gout': 1, 'illness=flu': 0}", 14, ["'illness=gout', a set"]),
    ("linkability: 0.8", "linkability: 0.8, closeness: {ward: 1}", 15, ["'ward', which is insensitive"]),
    ("linkability: 0.8", "linkability: 0.8, delta_l: {school: {interval: 1, l: 2}}", 15, ["'school', which is of kind ordinal"]),
    ("linkability: 0.8", "linkability: 0.8, distinct_l: {'illness=cold': 2}", 15, ["'illness=cold', which is not an attribute"]),
    (
        "linkability: 0.8",
        "linkability: 0.8, disclosure: {max: 1, dictionaries: [{path: r.csv, on: [income]}]}",
        15,
        ["not a quasi-identifier"],
    ),
    ("linkability: 0.8", "linkability: 0.8, disclosure: {max: 1, sensitivity: {weights: {notes: 1}}}", 15, ["not published"]),
    (
        "notes: {role: dropped}",
        "w: {role: weight, kind: number}\n  notes: {role: weight, kind: integer}",
        13,
        ["a second attribute with role: weight"],
    ),
    ("notes: {role: dropped}", "h: {role: household}\n  notes: {role: household}", 13, ["a second attribute with role: household"]),
    ("linkability: 0.8", "linkability: 0.8, individual_risk: {max: 0.1}", 15, ["without weights", "role: weight"]),
    (
        "linkability: 0.8",
        "linkability: 0.8, series: {unmeasured: a new study each time}, attack: {series: 0.1}",
        15,
        ["attack.series, and series.unmeasured without a bound"],
    ),
    ("publish:", "keep: {groups: 24 months}\npublish:", 16, ["keep.groups", "unmeasured"]),
    ("publish:", "expect: {missing: {agge: 0.1}}\npublish:", 16, ["expect.missing.agge", "did you mean age?"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def test_a_coherent_policy_has_no_problems(small: str, example: str) -> None:
    assert problems_of(parse_policy(small, "small.yaml")) == []
    assert problems_of(parse_policy(example, "hospital.yaml")) == []


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
    assert parse_policy(small.replace("weight: 2", "weight: 0"), "small.yaml").attributes["income"].weight == 0


def test_a_bitmap_column_belongs_to_the_set_that_has_its_value(small: str) -> None:
    policy = parse_policy(small, "small.yaml")
    assert bits_of("illness", policy.attributes["illness"]) == ("illness=flu", "illness=gout")
    assert [set_of(policy, name) for name in ("illness=gout", "illness=cold", "illness", "income=1")] == ["illness", None, None, None]
    unlisted = parse_policy(small.replace("values: [flu, gout], nonsensitive: [flu]", "values: codes.csv"), "small.yaml")
    assert bits_of("illness", unlisted.attributes["illness"]) is None
    assert set_of(unlisted, "illness=cold") == "illness"  # its code list may have it


@pytest.mark.parametrize(
    ("keys", "phrase"),
    [
        ("{keep: 6}", "6 of 5 attributes; accepted: at most 5"),
        ("{keep: 1, among: [age, ward]}", "'ward'; accepted: a quasi-identifier or sensitive attribute"),
        ("{keep: 1, dictionary: register}", "'register'; accepted: source"),
    ],
)
def test_cells_are_suppressed_among_protected_attributes_against_a_known_dictionary(small: str, keys: str, phrase: str) -> None:
    assert phrase in refusal(small.replace("projection:", f"suppress_cells: {keys}\nprojection:")).message
    parse_policy(small.replace("projection:", "suppress_cells: {keep: 5}\nprojection:"), "small.yaml")


@pytest.mark.parametrize(("tables", "largest"), [("{method: given, tables: [[illness], [income, school]]}", 2), ("{method: single}", None)])
def test_an_insensitive_attribute_goes_to_a_table_that_there_can_be(small: str, tables: str, largest: int | None) -> None:
    """How many tables a set becomes is known only when its values are."""
    text = small.replace("{method: codip*}", tables).replace("ward: {role: insensitive,", "ward: {role: insensitive, table: 3,")
    if largest is None:
        assert parse_policy(text, "small.yaml").attributes["ward"].table == 3
    else:
        assert f"found 3; accepted: a table from 1 to {largest}" in refusal(text).message


def test_an_identifier_is_never_missing(small: str) -> None:
    text = small.replace("publish:", "expect: {missing: {person: 0.1}}\npublish:")
    assert "every person has an identifier" in refusal(text).message
    assert parse_policy(text.replace("0.1}}", "0}}"), "small.yaml").expect.missing["person"] == 0


def test_every_incoherence_is_named(small: str) -> None:
    text = small.replace("linkability: 0.8", "linkability: 0.8, closeness: {ward: 1}").replace(
        "k: 3,", "k: 3, each: {incom: {epsilon: 0, delta: 0}},"
    )
    message = refusal(text).message
    assert "each.incom" in message
    assert "'ward', which is insensitive" in message


def test_where_no_attribute_fits_the_cure_says_so(small: str) -> None:
    made = "notes: {role: insensitive, kind: integer, age: {from: gone, at: 2024-12-31}}"
    text = re.sub(r"  ward: .*\n", "", small).replace("notes: {role: dropped}", made)
    assert "no attribute of this policy fits" in str(refusal(text))


def test_an_attack_on_several_versions_needs_to_know_who_is_who(small: str) -> None:
    text = small.replace("linkability: 0.8", "linkability: 0.8, attack: {series: 0.1}")
    assert with_series(parse_policy(text, "small.yaml"), 0).gates.series is not None  # measured from the first version on
    lacking = text.replace("person: {role: identifier}", "person: {role: dropped}")
    assert lacking != text
    assert "attack.series, and no identifier" in refusal(lacking).message
