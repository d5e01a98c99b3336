"""All cells of a column that a policy or a kind refuses, with their lines."""

from __future__ import annotations

import json

import pytest

from headgate.core.errors import PERSON, InputRejected
from tasks.profiling.refused_cells import refused_by_kind, refused_by_policy

TABLE = "id;born;cost;sex;p1;p2\n" + "".join(
    f"{row};0{1 + row % 9}.01.19{50 + row};{row},5 EUR;{1 + row % 2};0.25;0.75\n" for row in range(40)
)
POLICY = {
    "schema": 1,
    "dataset": "t",
    "source": {"kind": "csv", "path": "absent.csv", "separator": ";"},
    "attributes": {
        "id": {"role": "identifier"},
        "born": {"role": "dropped", "date": "%d.%m.%Y"},
        "age": {"role": "quasi", "kind": "integer", "age": {"from": "born", "at": "2024-12-31"}, "hierarchy": {"widths": [5]}},
        "cost": {"role": "sensitive", "kind": "number", "decimal": ",", "unit": "EUR", "domain": [0, 30]},
        "sex": {"role": "quasi", "kind": "category", "map": {"1": "f", "2": "m"}},
        "mix": {"role": "sensitive", "kind": "vector", "columns": ["p1", "p2"]},
    },
    "anonymize": {"k": 2},
    "gates": {"linkability": 1},
    "publish": {"to": "t"},
}


@pytest.fixture
def table(tmp_path):
    def write(*replacements: tuple[str, str]):
        text = TABLE
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        (tmp_path / "p.yaml").write_text(json.dumps(POLICY), encoding="utf-8")
        return tmp_path / "t.csv", tmp_path / "p.yaml"

    return write


def listed(refusal):
    return None if refusal is None else list(zip(refusal.numbers, refusal.cells, strict=True))


@pytest.mark.parametrize(
    ("column", "old", "new", "cells"),
    [
        ("cost", "1955;5,5 EUR", "1955;5,5 USD", [(7, "5,5 USD")]),
        ("sex", "1957;7,5 EUR;2", "1957;7,5 EUR;3", [(9, "3")]),
        ("born", "08.01.1957", "31.02.1957", [(9, "31.02.1957")]),
        ("age", "08.01.1957", "31.02.1957", [(9, "31.02.1957")]),
        ("born", "08.01.1957", "08.01.2057", [(9, "08.01.2057")]),  # as what is made from it
        ("id", "\n7;", "\n8;", [(10, "8")]),
        ("id", "\n7;", "\n;", [(9, "")]),
        ("p2", "\n7;08.01.1957;7,5 EUR;2;0.25;0.75", "\n7;08.01.1957;7,5 EUR;2;0.25;x", [(9, "x")]),
        ("mix", "\n7;08.01.1957;7,5 EUR;2;0.25;0.75", "\n7;08.01.1957;7,5 EUR;2;y;0.75", [(9, "y")]),
    ],
)
def test_what_a_policy_refuses_of_a_column_is_listed_with_its_lines(table, column, old, new, cells):
    path, policy = table((old, new))
    assert listed(refused_by_policy(path, column, policy)) == cells


def test_cells_outside_the_domain_are_all_listed(table):
    path, policy = table()
    assert listed(refused_by_policy(path, "cost", policy)) == [(row + 2, f"{row},5 EUR") for row in range(30, 40)]


VISITS = """id;at;cost;dx
a;01.02.2024;99,5 EUR;x
b;01.02.2024;1,5 EUR;x
a;02.02.2024;20 EUR;y
b;03.02.2024;88 EUR;z
b;02.02.2024;8 EUR;x
c;02.02.2024;7 EUR;x
"""


@pytest.fixture
def visits(tmp_path):
    def write(rows: dict[str, object], text: str = VISITS):
        kinds = {
            "id": {"role": "identifier"},
            "at": {"role": "dropped", **({"date": "%d.%m.%Y"} if "order" in rows else {})},
            "cost": {"role": "sensitive", "kind": "number", "decimal": ",", "unit": "EUR", "domain": [0, 30]},
            "dx": {"role": "sensitive", "kind": "set", "values": ["x", "y"], "separator": "+"},
            "visits": {"role": "quasi", "kind": "integer", "domain": [1, 2]},
        }
        policy = POLICY | {"attributes": kinds, "rows": {"per": "id", "dx": "union", "visits": "count", **rows}}
        (tmp_path / "p.yaml").write_text(json.dumps(policy), encoding="utf-8")
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        return tmp_path / "t.csv", tmp_path / "p.yaml"

    return write


@pytest.mark.parametrize(
    ("rules", "cells"),
    [({"order": "at", "cost": "last"}, [(5, "88 EUR")]), ({"cost": "max"}, [(2, "99,5 EUR"), (5, "88 EUR")]), ({"cost": "min"}, None)],
)
def test_a_column_is_judged_as_a_release_judges_it_which_is_after_rows(visits, rules, cells):
    """`--lines` listed cells of visits that `rows` leaves out, and showed 88 where the file holds "88 EUR"."""
    table, policy = visits(rules)
    assert listed(refused_by_policy(table, "cost", policy)) == cells


def test_what_is_made_of_several_rows_is_placed_where_the_person_begins(visits):
    table, policy = visits({"cost": "sum"})
    refusal = refused_by_policy(table, "cost", policy)
    assert (refusal.place, listed(refusal)) == (PERSON, [(2, "119.5"), (3, "97.5")])
    assert listed(refused_by_policy(table, "dx", policy)) == [(3, "x+z")]
    assert listed(refused_by_policy(table, "visits", policy)) == [(3, "3")]


def test_repeated_identifiers_are_right_where_rows_makes_people_of_them_and_missing_ones_are_not(visits):
    table, policy = visits({"cost": "min"})
    assert refused_by_policy(table, "id", policy) is None
    table, policy = visits({"cost": "min"}, VISITS.replace("a;02", ";02"))
    assert listed(refused_by_policy(table, "id", policy)) == [(4, "")]
    table, policy = visits({"order": "at", "cost": "last"}, VISITS.replace("03.02", "33.02"))
    with pytest.raises(InputRejected, match="`rows` needs it before 'cost' can be judged") as refused:
        refused_by_policy(table, "cost", policy)
    assert "--lines at" in refused.value.cure


def test_a_column_of_which_nothing_is_refused_has_no_list(table):
    path, policy = table()
    assert [refused_by_policy(path, column, policy) for column in ("id", "born", "age", "sex", "mix", "p1")] == [None] * 6


def test_without_a_policy_the_cells_are_those_that_are_not_as_most_are(table):
    path, _ = table(("\n7;08.01.1957;7,5 EUR", "\n7;?;7.5 EUR"))
    assert listed(refused_by_kind(path, "born", None)) == [(9, "?")]
    assert listed(refused_by_kind(path, "cost", None)) == [(9, "7.5 EUR")]
    refused = refused_by_kind(path, "cost", "number")
    assert len(refused.rows) == 40
    assert "declare" not in refused.cure  # in which policy?
    assert "--kind cost=number, integer or date" in refused.cure
    assert refused_by_kind(path, "sex", None) is None
    path.write_text("icd\nI10\nE11\n", encoding="utf-8")
    assert refused_by_kind(path, "icd", None) is None


def test_what_cannot_be_asked_is_refused(table):
    path, policy = table()
    for ask in (
        lambda: refused_by_policy(path, "absent", policy),
        lambda: refused_by_kind(path, "absent", None),
        lambda: refused_by_kind(path, "sex", "category"),
    ):
        with pytest.raises(InputRejected) as refusal:
            ask()
        assert refusal.value.cure


def test_a_column_that_the_policy_drops_is_not_called_right(table):
    """Nothing is read of it, so that nothing of it is refused either."""
    file, policy = table()
    written = json.loads(policy.read_text(encoding="utf-8"))
    written["attributes"]["sex"] = {"role": "dropped"}
    policy.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(InputRejected, match="The policy drops 'sex'") as refused:
        refused_by_policy(file, "sex", policy)
    assert "--kind" in refused.value.cure
    assert refused_by_policy(file, "born", policy) is None  # the age is made from it
