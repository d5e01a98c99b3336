"""A table of visits, as an export has it, becomes a release of people, with bounds on what attacks may gain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headgate as hg
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


def of_people(project: Any, gates: str) -> None:
    project.write_source(visits())
    project.write_policy(gates=gates)
    changed(
        project.policy,
        ("attributes:", ROWS),
        ("note:      {role: dropped}", VISITS),
        ("[0, 200000], unique", '[0, 200000], decimal: ",", unique'),
    )


@pytest.mark.long
def test_visits_become_people_and_an_attack_that_gains_too_much_refuses_their_release(project: Any) -> None:
    """Nothing ran `rows` and `gates.attack` from the source to the verdict."""
    of_people(project, ", attack: {homogeneity: 0.9, proximity: 0}")
    refused = project.run("release", project.policy)
    assert refused.code == 3, refused.err
    assert "omebody who guesses where most values of a person's group lie" in " ".join(refused.err.split()), refused.err
    assert "Cure: " in refused.err
    assert "gates.attack.proximity" in " ".join(refused.err.split())


@pytest.mark.long
def test_visits_become_a_release_of_people_that_is_published_read_and_asked(project: Any) -> None:
    of_people(project, ", attack: {homogeneity: 0.9, background_join: 0.9}")
    released = project.run("release", project.policy, "--json").json
    assert released["rows"] == 240
    for approver in ("alice", "bob"):
        assert project.run("approve", released["candidate"], "--key", project.keys[approver], "--reason", "read").code == 0
    folder = Path(project.run("publish", released["candidate"], "--json").json["folder"])
    assert project.run("verify", folder).code == 0
    tables = {column: name for name, table in hg.read(folder).items() for column in table.sensitive}
    visited = project.run("estimate", folder, "mean", "--of", "visits", "--json").json
    assert visited["expected"] == 2.0  # one, two and three visits, of a third of the people each
    assert tables["visits"] == visited["table"]
    earned = project.run("estimate", folder, "mean", "--of", "income", "--json").json
    assert earned["expected"] == pytest.approx(sum(int(row["income"]) for row in people(240)) / 240 + 0.5)
    old = project.run("estimate", folder, "count", "--where", "age >= 60", "--json").json
    assert old["lowest"] <= sum(int(row["age"]) >= 60 for row in people(240)) <= old["highest"]
