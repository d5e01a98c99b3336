"""How the source writes its cells: which keys go together, and what they may hold."""

from __future__ import annotations

from decimal import Decimal

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.digest import policy_digest
from policies.schema.loading import parse_policy
from policies.schema.policy import files_of
from tests.unit.policies.refused import Case, names_of, require_refused

AGE = "age: {role: quasi, kind: integer}"
INCOME = "domain: [0, 1000], weight: 2"
ZIP = "zip: {role: quasi, kind: category}"
NOTES = "notes: {role: dropped}"
SCHOOL = "kind: ordinal, levels: [low, middle, high]"

BAD: list[Case] = [
    (INCOME, "decimal: ';'", 9, ["attributes.income.decimal", "';'"]),
    (INCOME, "thousands: '.'", 9, ["another mark than decimal: '.'; write `decimal` too where it is a comma"]),
    (INCOME, "decimal: ',', thousands: ','", 9, ["another mark than decimal: ','"]),
    (INCOME, "unit: kg2", 9, ["attributes.income.unit", "without digits"]),
    (INCOME, "unit: [kg, kg]", 9, ["a list without repeated values"]),
    (INCOME, "date: '%d.%m.%Y'", 9, ["'date' with kind number", "only with kind date"]),
    (INCOME, "empty: none", 9, ["'empty' only with kind set"]),
    (INCOME, "map: {a: b}, unmapped: keep", 9, ["attributes.income.map.a: found 'b'", "a number, or null for a missing cell"]),
    (INCOME, "map: {}", 9, ["what is found and what it means"]),
    (INCOME, "map: {a: }", 9, ["nothing after the colon"]),
    (INCOME, "unmapped: keep", 9, ["only beside map or region"]),
    (INCOME, "map: {a: null}, unmapped: drop", 9, ["'drop'", "refuse, keep or missing"]),
    (AGE, "age: {role: quasi, kind: integer, decimals: ','}", 6, ["unknown key 'decimals'", "did you mean decimal?"]),
    (AGE, "age: {role: quasi, kind: date, date: '%d.%m'}", 6, ["attributes.age.date", 'such as "%d.%m.%Y"']),
    (AGE, "age: {role: quasi, kind: date, date: '%d.%m.%y'}", 6, ["needs a domain of less than 100 years", "%Y; or domain:"]),
    (AGE, "age: {role: quasi, kind: date, date: '%d.%m.%y', domain: [1900-01-01, 2024-12-31]}", 6, ["less than 100 years"]),
    (AGE, "age: {role: quasi, kind: date, map: {x: 31.12.2024}, unmapped: keep}", 6, ["a day written YYYY-MM-DD, or null"]),
    (AGE, "age: {role: quasi, kind: integer, bands: [0, 18, 65]}", 6, ["'bands' only with kind ordinal"]),
    (SCHOOL, "kind: ordinal, levels: [a], bands: [0, 1, 2]", 10, ["one of them: bands are the levels"]),
    (SCHOOL, "kind: ordinal, bands: [0, 2, 1]", 10, ["attributes.school.bands", "bounds that ascend"]),
    (SCHOOL, "kind: ordinal, bands: [0, 2]", 10, ["bounds that ascend"]),
    (SCHOOL, "kind: ordinal, bands: [0, many]", 10, ["bounds that ascend"]),
    (SCHOOL, "kind: ordinal, bands: {low: [0, 2], high: [3, 4]}", 10, ["a band begins where the one before it ends"]),
    (SCHOOL, "kind: ordinal, bands: {low: 0, high: 3}", 10, ["bounds that ascend"]),
    (SCHOOL, "kind: ordinal, levels: [low], decimal: ','", 10, ["kind ordinal and without bands"]),
    (SCHOOL, "kind: ordinal, levels: [low], map: {a: hig}", 10, ["'hig', which is not among the values"]),
    (ZIP, "zip: {role: quasi, kind: category, region: {from: postcode, path: a.csv, key: a, value: b}}", 7, ["not an attribute", "notes"]),
    (ZIP, "zip: {role: quasi, kind: category, region: {from: income, path: a.csv, key: a, value: b}}", 7, ["which is sensitive"]),
    (ZIP, "zip: {role: quasi, kind: category, region: {from: person, path: a.csv, key: a, value: b}}", 7, ["which is identifier"]),
    (ZIP, "zip: {role: quasi, kind: category, region: {from: zip, path: a.csv, key: a, value: b}}", 7, ["zip"]),
    (ZIP, "zip: {role: quasi, kind: category, region: {from: notes, path: a.csv, key: a}}", 7, ["the key 'value', which is required"]),
    (
        ZIP,
        "zip: {role: quasi, kind: category, map: {a: b}, region: {from: notes, path: a.csv, key: a, value: b}}",
        7,
        ["'map' beside 'region'", "'map' in 'notes', from which it is made"],
    ),
    (
        ZIP,
        "zip: {role: quasi, kind: category, unmapped: keep, region: {from: notes, path: a.csv, key: a, value: b}}",
        7,
        ["'keep' with region"],
    ),
    (
        AGE,
        "age: {role: quasi, kind: integer, age: {from: notes, at: 31.12.2024}}",
        6,
        ["attributes.age.age.at", "a day written YYYY-MM-DD"],
    ),
    (AGE, "age: {role: quasi, kind: number, age: {from: notes, at: 2024-12-31}}", 6, ["'age' only with kind integer or ordinal"]),
    (NOTES, "notes: {role: dropped, date: '%d.%m.%Y'}", 12, ["'date' on an attribute that is never published, nor read for another"]),
    (NOTES, "notes: {role: dropped, decimal: ','}", 12, ["'decimal' on an attribute that is never published"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def test_what_fits_together_is_a_policy(small: str) -> None:
    text = small
    for old, new in (
        (AGE, "age: {role: quasi, kind: ordinal, age: {from: notes, at: 2024-12-31}, bands: {young: [0, 40], old: [40, 110]}}"),
        (ZIP, "zip: {role: quasi, kind: category, region: {from: ward, path: a.csv, key: a, value: b}, unmapped: missing}"),
        ("ward: {role: insensitive, kind: category}", "ward: {role: dropped, map: {x: null}, unmapped: keep}"),
        (INCOME, "decimal: ',', thousands: '.', unit: [EUR, €], map: {n/a: null, none: 0}, unmapped: keep"),
        (SCHOOL, "kind: ordinal, levels: [low, high], map: {1: low, 2: high, 9: null}"),
        (NOTES, "notes: {role: dropped, date: ['%d.%m.%y', '%Y-%m-%d'], domain: [1926-01-01, 2024-12-31]}"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    policy = parse_policy(text, "small.yaml")
    assert policy.attributes["age"].level_names == ("young", "old")
    assert policy.attributes["age"].bands is not None
    assert policy.attributes["age"].bands.bounds == (Decimal(0), Decimal(40), Decimal(110))
    assert policy.attributes["school"].map == {"1": "low", "2": "high", "9": None}
    assert policy.attributes["income"].unit == ("EUR", "€")
    assert policy.source_columns == ("person", "illness", "income", "school", "ward", "notes")
    assert "a.csv" in files_of(policy).values()


def test_the_digest_covers_the_table_of_regions_and_every_key(small: str) -> None:
    made = small.replace(ZIP, "zip: {role: quasi, kind: category, region: {from: notes, path: a.csv, key: a, value: b}}")
    banded = small.replace(SCHOOL, "kind: ordinal, bands: [0, 1, 2]")
    digests = {
        policy_digest(parse_policy(made, "small.yaml"), {"a.csv": 64 * "0"}),
        policy_digest(parse_policy(made, "small.yaml"), {"a.csv": 64 * "1"}),
        policy_digest(parse_policy(made.replace("a.csv", "b.csv"), "small.yaml"), {"b.csv": 64 * "1"}),
        policy_digest(parse_policy(made.replace("value: b", "value: c"), "small.yaml"), {"a.csv": 64 * "1"}),
        policy_digest(parse_policy(banded, "small.yaml"), {}),
        policy_digest(parse_policy(banded.replace("[0, 1, 2]", "[0, 1, 3]"), "small.yaml"), {}),
        policy_digest(parse_policy(small.replace(INCOME, "decimal: ','"), "small.yaml"), {}),
    }
    assert len(digests) == 6  # the file's name does not count


def test_a_null_means_something_in_a_map_only(small: str) -> None:
    with pytest.raises(PolicyInvalid, match="nothing after the colon"):
        parse_policy(small.replace(INCOME, "weight: null"), "small.yaml")
