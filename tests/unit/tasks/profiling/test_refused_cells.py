"""All cells of a column that a policy or a kind refuses, with their lines."""

from __future__ import annotations

import json

import pytest

from headgate.core.errors import InputRejected
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
        ("born", "08.01.1957", "08.01.2057", [(9, "2057-01-08")]),  # as what is made from it
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
    assert listed(refused_by_policy(path, "cost", policy)) == [(row + 2, f"{row}.5") for row in range(30, 40)]


def test_a_column_of_which_nothing_is_refused_has_no_list(table):
    path, policy = table()
    assert [refused_by_policy(path, column, policy) for column in ("id", "born", "age", "sex", "mix", "p1")] == [None] * 6


def test_without_a_policy_the_cells_are_those_that_are_not_as_most_are(table):
    path, _ = table(("\n7;08.01.1957;7,5 EUR", "\n7;?;7.5 EUR"))
    assert listed(refused_by_kind(path, "born", None)) == [(9, "?")]
    assert listed(refused_by_kind(path, "cost", None)) == [(9, "7.5 EUR")]
    assert len(refused_by_kind(path, "cost", "number").rows) == 40
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
