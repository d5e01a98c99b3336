"""A table of visits, as an export has it, becomes a release of people, with bounds on what attacks may gain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.conftest import people
from tests.functional.test_full_domain import changed

ROWS = "rows: {per: person, order: visit, diagnosis: union, income: last, education: max, visits: count}\nattributes:"
VISITS = "note:      {role: dropped}\n  visit:     {role: dropped}\n  visits:    {role: sensitive, kind: integer, domain: [1, 3]}"


def visits() -> list[dict[str, str]]:
    """One to three rows per person, with decimal commas. Only the last income lies in the domain: without `rows` the table is refused."""
    rows = []
    for number, row in enumerate(people(240)):
        for visit in range(1 + number % 3):
            last = visit == number % 3
            rows.append(row | {"visit": str(visit), "income": f"{row['income']},50" if last else "900000,00"})
    return rows


@pytest.mark.long
def test_visits_become_people_and_an_attack_that_gains_too_much_refuses_their_release(project: Any) -> None:
    """Nothing ran `rows` and `gates.attack` from the source to the verdict."""
    project.write_source(visits())
    project.write_policy(gates=", attack: {homogeneity: 0.9, proximity: 0}")
    changed(
        project.policy,
        ("attributes:", ROWS),
        ("note:      {role: dropped}", VISITS),
        ("[0, 200000], unique", '[0, 200000], decimal: ",", unique'),
    )
    refused = project.run("release", project.policy)
    assert refused.code == 3, refused.err
    assert "omebody who guesses where most values of a person's group lie" in " ".join(refused.err.split()), refused.err
    assert "Cure: " in refused.err
    assert "gates.attack.proximity" in " ".join(refused.err.split())
