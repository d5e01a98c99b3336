"""`scale: log` and an ε in units of its own, from the policy to the folder that anybody can verify."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.functional.test_full_domain import changed

INCOME = "income:    {role: sensitive, kind: number, domain: [0, 200000], unique: accepted}"
ON_LOG = INCOME.replace("unique", "publish_as: {round: 100, bottom: 20000}, scale: log, unique")


@pytest.mark.long
@pytest.mark.parametrize(
    ("epsilon", "alike", "units"),
    [
        ("0.05", "of the domain 20,000 to 200,000, on the log scale", {}),
        ("{income: 0.1, education: 0, diagnosis: none}", "within 10 % of each other (ε 0.1, in its own units)", {"units": "own"}),
    ],
)
def test_what_is_released_by_ratios_or_in_own_units_verifies(project: Any, epsilon: str, alike: str, units: dict[str, str]) -> None:
    changed(project.policy, (INCOME, ON_LOG), ("epsilon: 0.05", f"epsilon: {epsilon}"), ("delta: 0.4", "delta: 0.3"))
    if not units:
        changed(project.policy, ("projection: {method: codip*, association_loss: 1, join_threat: 0.9}", "projection: {method: separate}"))
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    shown = project.run("show", outcome.json["candidate"])
    assert "Values of income are alike within" in " ".join(shown.out.split())
    assert alike in " ".join(shown.out.split())
    folder = project.home / "candidates" / outcome.json["candidate"]
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (income,) = (attribute for attribute in manifest["promise"]["sensitive"] if attribute["name"] == "income")
    assert income["scale"] == "log"
    settings = [one["settings"] for one in manifest["promise"]["requirements"] if one["gate"] == "dissimilarity"]
    assert all(one.get("units") == units.get("units") for one in settings)
    (described,) = (
        column
        for resource in json.loads((folder / "datapackage.json").read_bytes())["resources"]
        if resource["format"] == "csv"
        for column in resource["schema"]["fields"]
        if column["name"] == "income"
    )
    assert described["scale"] == "log"
    assert "on the log scale" in (folder / "report.html").read_text("utf-8") or units
    for name in ("alice", "bob"):
        assert project.run("approve", outcome.json["candidate"], "--key", project.keys[name], "--reason", "read").code == 0
    assert project.run("publish", outcome.json["candidate"], "--json").code == 0
    verified = project.run("verify", project.home / "releases" / "patients" / "1", "--json")
    assert verified.code == 0, verified.err
