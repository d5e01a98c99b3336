"""A suppressed person is told by nothing: not by the end of a domain, a list of values or a node of a hierarchy that only they have."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.functional.canaries import CANARY, places_with

AGE, INCOME = "7391648", "9173648"  # nobody else is nearly so old or so rich


@pytest.mark.parametrize(
    "income",
    [
        pytest.param("kind: number", marks=pytest.mark.slow),
        pytest.param("kind: number, publish_as: {round: 100, top: 0.9}", marks=pytest.mark.long),
    ],
)
def test_what_only_a_suppressed_person_has_is_nowhere_in_the_release(project: Any, income: str) -> None:
    text = project.policy.read_text(encoding="utf-8")
    for old, new in (
        ("kind: integer, domain: [0, 110]", "kind: integer, hierarchy: {widths: [10, 20]}"),
        ("kind: category, hierarchy: region.csv", "kind: category, hierarchy: {mask: 3}"),
        ("kind: number, domain: [0, 200000]", income),
        ("method: xcolor, k: 5, epsilon: 0.05, delta: 0.4", "method: full-domain, k: 5, suppression: 0.1"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    project.policy.write_text(text, encoding="utf-8")
    with project.source.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    rows[3].update(age=AGE, sex=f"{CANARY}City", region=f"{CANARY}-region", income=INCOME)
    project.write_source(rows)

    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["suppressed"] >= 1
    candidate = outcome.json["candidate"]
    for name in ("alice", "bob"):
        assert project.run("approve", candidate, "--key", project.keys[name], "--reason", "read").code == 0
    published = project.run("publish", candidate, "--json")
    assert published.code == 0, published.err
    places = [Path(outcome.json["folder"]), Path(published.json["folder"])]
    assert [path for word in (CANARY, AGE, INCOME) for path in places_with(word, places, [outcome.out, published.out])] == []
    assert places_with("person-00003", [project.folder], []) != []
    verified = project.run("verify", places[1], "--signers", project.home / "signers", "--json")
    assert verified.code == 0, verified.err
