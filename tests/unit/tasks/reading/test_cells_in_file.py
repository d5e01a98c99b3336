"""Refused cells as the person who has the file finds them, also where `rows` chose among them."""

from __future__ import annotations

import json

import pytest

from headgate.core.errors import LINE, PERSON, CellsRejected
from tasks.reading.ingest import ingest
from tests.unit.tasks.clinic import csv_text


@pytest.fixture
def visits(clinic):
    """Every patient comes twice, and pays another amount each time."""
    rows = [row | {"income": f"{place},5 EUR", "visit": str(turn)} for place, row in enumerate(clinic.rows) for turn in (1, 2)]
    clinic.policy["attributes"] |= {"visit": {"role": "dropped"}}
    clinic.policy["attributes"]["income"] |= {"decimal": ",", "unit": "EUR", "domain": [0, 200]}
    return clinic, rows


def refusal_of(clinic, rows, rule: str) -> CellsRejected:
    clinic.policy["rows"] = {"per": "patient_id", "income": rule, **({"order": "visit"} if rule == "last" else {})}
    (clinic.folder / "clinic.csv").write_text(csv_text(rows), encoding="utf-8")
    (clinic.folder / "policy.yaml").write_text(json.dumps(clinic.policy), encoding="utf-8")
    with pytest.raises(CellsRejected) as refused:
        ingest(clinic.load())
    return refused.value


@pytest.mark.parametrize("rule", ["last", "max", "sum"])
def test_a_cell_that_rows_chose_is_shown_where_it_stands_and_as_it_stands(visits, rule):
    """A person's refused visit was told by the line of the first one, and the cell without its decimal comma and its unit."""
    clinic, rows = visits
    rows[7]["income"] = "900,25 EUR"
    refusal = refusal_of(clinic, rows, rule)
    shown = (refusal.place, refusal.numbers, refusal.cells)
    assert shown == ((PERSON, (8,), ("903.75",)) if rule == "sum" else (LINE, (9,), ("900,25 EUR",)))
