"""The oracle goes through the rows of each person by the definition of the rule."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.errors import InputRejected
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from tasks.reading.ingest import ingest
from tasks.reading.one_row_per_person import one_row_per_person
from tests.unit.tasks.clinic import csv_text, decoded

LEVELS = ["primary", "secondary", "tertiary"]
KINDS = {
    "sex": {"role": "quasi", "kind": "category"},
    "age": {"role": "quasi", "kind": "integer"},
    "day": {"role": "quasi", "kind": "date"},
    "school": {"role": "quasi", "kind": "ordinal", "levels": LEVELS},
    "cost": {"role": "sensitive", "kind": "number"},
    "dx": {"role": "sensitive", "kind": "set", "values": ["a", "b", "c"]},
    "visits": {"role": "sensitive", "kind": "integer"},
}
CELLS = {
    "sex": ["f", "m", "f ", " ", None],
    "age": ["7", "7.0", "12", "9", None],
    "day": ["2024-01-09", "2023-12-31", "2024-01-10", None],
    "school": ["tertiary", "primary", None],
    "cost": ["0.1", "0.2", "-3", "1e3", None],
    "dx": ["a", "b|a", "a|b", "|", None],
}


def policy_of(rows: dict[str, object], **attributes: dict[str, object]) -> Policy:
    content = {
        "schema": 1,
        "dataset": "visits",
        "source": {"kind": "csv", "path": "visits.csv"},
        "rows": rows,
        "attributes": {"id": {"role": "identifier"}, "at": {"role": "dropped"}, **KINDS, **attributes},
        "anonymize": {"k": 2},
        "gates": {"linkability": 1},
        "publish": {"to": "visits"},
    }
    return parse_policy(json.dumps(content), "policy.yaml")


def combined(rows: dict[str, object], table: dict[str, list[str | None]], **attributes: dict[str, object]) -> list[dict[str, object]]:
    policy = policy_of(rows, **attributes)
    assert policy.rows is not None
    read = [name for name in table if name != "at" or "at" in (policy.rows.order or ())]
    cells = pa.table({name: pa.array(table[name], pa.string()) for name in read})
    return one_row_per_person(cells, policy, policy.rows, "The source visits.csv").to_pylist()


def value(name: str, text: str | None) -> object:
    """What a cell means; None if it is missing."""
    text = (text or "").strip()
    if text == "":
        return None
    if name == "dx":
        return frozenset(text.split("|")) - {""}
    if name == "school":
        return LEVELS.index(text)
    return Decimal(text) if name in ("age", "cost") else datetime.date.fromisoformat(text) if name == "day" else text


TABLES = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from("xyz"), "at": st.integers(0, 5), **{n: st.sampled_from(c) for n, c in CELLS.items()}}),
    min_size=1,
    max_size=8,
    unique_by=lambda row: (row["id"], row["at"]),
)


@given(TABLES, st.data())
def test_a_row_of_a_person_holds_what_the_rules_say(rows, data) -> None:
    allowed = {
        "sex": ["first", "last", "mode"],
        "age": ["first", "last", "min", "max", "sum", "mode"],
        "day": ["first", "last", "min", "max", "mode"],
        "school": ["last", "min", "max", "mode"],
        "cost": ["last", "min", "max", "sum", "mode"],
        "dx": ["union", "first", "last"],
    }
    rules = {name: data.draw(st.sampled_from(words)) for name, words in allowed.items()}
    order = {"order": "at"} if {"first", "last"} & {*rules.values()} else {}
    table = {name: [str(row[name]) if name == "at" else row[name] for row in rows] for name in rows[0]}
    found = combined({"per": "id", **order, **rules, "visits": "count"}, table)
    assert [row["id"] for row in found] == list(dict.fromkeys(row["id"] for row in rows))
    for made in found:
        own = sorted((row for row in rows if row["id"] == made["id"]), key=lambda row: row["at"])
        assert made["visits"] == len(own)
        for name, rule in rules.items():
            cells = [value(name, row[name]) for row in own]
            assert value(name, made[name]) == expected(rule, cells), (name, rule)


def expected(rule: str, cells: list) -> object:
    present = [cell for cell in cells if cell is not None]
    if not present or (rule == "sum" and len(present) < len(cells)):
        return None
    if rule == "union":
        return frozenset().union(*present)
    if rule == "mode":
        return min(present, key=lambda cell: (-present.count(cell), cell))
    return {"first": present[0], "last": present[-1], "min": None, "max": None, "sum": None}[rule] or {
        "min": min,
        "max": max,
        "sum": sum,
        "first": lambda cells: cells[0],
        "last": lambda cells: cells[-1],
    }[rule](present)


PLAIN: dict[str, list[str | None]] = {
    "id": ["x", "y", " x"],
    "at": ["1", "1", "2"],
    "sex": ["f", "m", None],
    "age": ["7", "8", "7.0"],
    "day": ["2024-01-01"] * 3,
    "school": ["primary"] * 3,
    "cost": ["1", "2", "1"],
    "dx": ["a|b", "a", "b|a"],
}


def test_what_is_the_same_in_all_rows_of_a_person_needs_no_rule() -> None:
    """By value, and a missing cell beside a present one is no other value. Blanks around an identifier make nobody else."""
    found = combined({"per": "id", "visits": "count"}, PLAIN)
    assert [(row["sex"], value("age", str(row["age"])), value("dx", str(row["dx"])), row["visits"]) for row in found] == [
        ("f", 7, {"a", "b"}, 2),
        ("m", 8, {"a"}, 1),
    ]


@pytest.mark.parametrize(
    ("rows", "change", "said", "cure"),
    [
        ({}, {"sex": ["f", "m", "m"], "age": ["1", "2", "3"]}, "'sex' (of 1 person), 'age' (of 1 person)", "a rule in `rows`: union"),
        (
            {"order": "at", "age": "last"},
            {"at": ["1", "1", "1"], "age": ["1", "2", "3"]},
            "For 1 person it is not clear which value of 'age' is the last: several",
            "order: [",
        ),
        ({"order": "at", "age": "last"}, {"at": ["1", "1", None]}, "The rows of 1 person cannot be put in order", "Fill in"),
        ({"order": "at", "age": "last"}, {"at": ["1", "CANARY", "3"]}, "1 cell of 'at', by which rows are put in order", "YYYY-MM-DD"),
        ({"order": "day", "age": "last"}, {"day": ["2024-01-01", "2024-01-01", "2024-01-02"]}, "'day' (of 1 person)", "a rule"),
        ({"cost": "sum"}, {"cost": ["1", "CANARY", "1"]}, "of 'cost'", "1234.5"),
        ({}, {"id": ["x", None, "x"]}, "Identifier 'id' is missing in 1 row", "identifier of its person"),
    ],
)
def test_what_is_not_said_is_refused_with_how_many_people_it_concerns(rows, change, said, cure) -> None:
    with pytest.raises(InputRejected) as refusal:
        combined({"per": "id", "visits": "count", **rows}, {**PLAIN, **change})
    assert said in refusal.value.message
    assert cure in refusal.value.cure
    assert "CANARY" not in str(refusal.value)


def test_another_identifier_that_differs_numbers_rows() -> None:
    table = {**PLAIN, "visit": ["1", "2", "3"]}
    with pytest.raises(InputRejected, match="'visit' differs between the rows of 1 person") as refusal:
        combined({"per": "id", "visits": "count"}, table, visit={"role": "identifier"})
    assert refusal.value.cure == "Give it role: dropped."


def test_rows_with_equal_places_in_the_order_may_have_equal_cells_and_a_second_column_decides() -> None:
    table = {**PLAIN, "at": ["1", "1", "1"], "cost": ["5", "6", "5.0"]}
    assert combined({"per": "id", "visits": "count", "order": "at", "cost": "last"}, table)[0]["cost"] in ("5", "5.0")
    table |= {"cost": ["5", "6", "7"], "line": ["2", "1", "1"]}
    found = combined({"per": "id", "visits": "count", "order": ["at", "line"], "cost": "last"}, table, line={"role": "dropped"})
    assert found[0]["cost"] == "5"


def test_a_column_that_the_source_has_is_counted_by_its_cells() -> None:
    assert [row["visits"] for row in combined({"per": "id", "visits": "count"}, {**PLAIN, "visits": ["z", None, " "]})] == [1, 0]


def test_lists_and_vectors_are_combined_too() -> None:
    vector = {"role": "sensitive", "kind": "vector", "columns": ["p1", "p2"]}
    policy = policy_of({"per": "id", "order": "at", "dx": "union", "p": "last", "visits": "count"}, p=vector)
    assert policy.rows is not None
    lists = pa.array([["a", None], ["b|c"], []], pa.list_(pa.string()))
    cells = pa.table({**PLAIN, "dx": lists, "p1": [0.1, 0.2, 0.3], "p2": pa.array([0.9, 0.8, None])})
    found = one_row_per_person(cells, policy, policy.rows, "The source").to_pylist()
    assert [row["dx"] for row in found] == [["a"], ["b|c"]]
    assert [(row["p1"], row["p2"]) for row in found] == [(0.1, 0.9), (0.2, 0.8)]  # the last row with both


def test_a_table_of_visits_is_released_as_one_of_people(clinic) -> None:
    """Every person's row, split into three visits, comes back; expectations and k see people, and `values_from` of a set goes on."""
    plain = ingest(clinic.load())
    visits = []
    for row in clinic.rows:
        for visit, part in enumerate((row["diagnosis"].split("|") * 3)[:3]):
            visits.append({**row, "diagnosis": part, "income": row["income"] if visit == 1 else "", "notes": f"{visit}"})
    clinic.write_source(csv_text(visits).encode())
    (clinic.folder / "dx.csv").write_text("dx\nasthma\nflu\nnone\nstroke\n", encoding="utf-8")
    attributes = clinic.policy["attributes"]
    del attributes["diagnosis"]["values"]
    attributes["diagnosis"]["values_from"] = {"path": "dx.csv", "key": "dx"}
    attributes["visits"] = {"role": "sensitive", "kind": "integer"}
    clinic.policy["rows"] = {"per": "patient_id", "order": "notes", "diagnosis": "union", "income": "last", "visits": "count"}
    found = ingest(clinic.load())
    assert (found.rows, found.source_rows, found.cells.rows) == (60, 180, 60)
    for name in plain.table.columns:
        assert decoded(found.table, name) == decoded(plain.table, name), name
    assert set(decoded(found.table, "visits")) == {3}
