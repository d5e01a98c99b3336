"""The shipped hospital policy releases three months, each measured together with those before it; and a third month in which some people
were put into other groups is refused, although every table by itself is as good as before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.published_form.published_table import PublishedTable, publish_form
from tasks.release.steps import write_tables

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
PAIRS = 25
POLICY = Path(__file__).parents[2] / "policies" / "shipped" / "hospital-patients.yaml"


@pytest.fixture
def hospital(project: Any, tmp_path: Path) -> Path:
    """The policy as a steward has it, with a source for each month: 2 % have left and 2 % have come since the month before."""
    folder = tmp_path / "hospital"
    folder.mkdir()
    shutil.copy2(POLICY, folder)
    shutil.copytree(POLICY.with_name("hospital_patients"), folder / "hospital_patients")
    there = pd.read_csv(folder / "hospital_patients" / "data" / "patients.csv.gz", dtype=str)
    draw, everybody = np.random.default_rng(11), there
    for month in range(1, 4):
        there.to_csv(folder / f"month-{month}.csv.gz", index=False)
        coming = everybody.iloc[draw.choice(len(everybody), 400, replace=False)].copy()
        coming["patient_id"] = [f"N{month}{number:05}" for number in range(400)]
        coming["insurance_number"] = [f"{month}{number:09}" for number in range(400)]
        there = pd.concat([there[draw.random(len(there)) >= 0.02], coming])
    return folder


def release(project: Any, hospital: Path, month: int) -> Any:
    return project.run("release", hospital / POLICY.name, "--source", hospital / f"month-{month}.csv.gz", "--json")


def publish(project: Any, candidate: str) -> None:
    for approver in ("alice", "bob"):
        assert project.run("approve", candidate, "--key", project.keys[approver], "--reason", "read").code == 0
    outcome = project.run("publish", candidate)
    assert outcome.code == 0, outcome.err


def exchanging_some(table: Table, groups: Any, name: str, sensitive: Any, *rest: Any) -> PublishedTable:
    """In pairs, people with the same values exchange their groups, in the table with the income: every group has the values that it had."""
    if "income" in sensitive:
        groups = groups.copy()
        frame = pd.DataFrame({column: table[column].codes for column in sensitive})
        exchanged = 0
        for _, alike in frame[(frame["income"] >= 0) & (groups >= 0)].groupby(list(sensitive)):
            one, other = alike.index[0], alike.index[-1]
            if groups[one] != groups[other] and exchanged < PAIRS:
                groups[one], groups[other] = groups[other], groups[one]
                exchanged += 1
        assert exchanged == PAIRS
    return publish_form(table, groups, name, sensitive, *rest)


def test_three_months_are_published_and_a_forged_one_is_refused(project: Any, hospital: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for month in (1, 2):
        outcome = release(project, hospital, month)
        assert outcome.code == 0, outcome.err
        publish(project, outcome.json["candidate"])
    with monkeypatch.context() as patched:
        patched.setattr(write_tables, "publish_form", exchanging_some)
        forged = release(project, hospital, 3)
    assert forged.code == 3, forged.out
    refused = [gate for gate in forged.json["gates"] if not gate["passed"]]
    assert [(gate["gate"], gate["bound"]) for gate in refused] == [("series", "linkability")]
    assert forged.json["error"]["message"].startswith(
        "Given this version, alone or together with those published before, an attacker can be"
    )

    fair = release(project, hospital, 3)
    assert fair.code == 0, fair.err
    manifest = json.loads((Path(fair.json["folder"]) / "manifest.json").read_bytes())
    series = manifest["series"]
    assert len(series["earlier"]) == len(manifest["known_versions"]) == 2
    assert (series["above"], series["sticky"], series["by_default"]) == (0, True, False)
    assert series["several"] >= 0.95 * series["people"]
    assert manifest["suppressed"] <= 0.02 * manifest["rows"]
    publish(project, fair.json["candidate"])
    assert sorted(path.name for path in (project.home / "releases" / "hospital-patients").iterdir()) == ["1", "2", "3", "latest"]
    assert len(list((project.home / "series" / "hospital-patients").iterdir())) == 3
