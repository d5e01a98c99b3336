"""A survey of households with weights, from the policy to the published folder: what is published, measured, refused and left unsaid."""

from __future__ import annotations

import base64
import csv
import json
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytestmark = pytest.mark.long

FAMILIES = 400


def survey(project: Any, gates: str = "", rounded: str = "", tables: str = "") -> list[dict[str, str]]:
    """Families of 1 to 6, who live in one region; every person stands for some hundred. Some do not say where they live."""
    draw = random.Random(11)
    with project.source.open(encoding="utf-8", newline="") as stream:
        names = list(next(csv.reader(stream)))
    rows: list[dict[str, str]] = []
    for family in range(FAMILIES):
        region = draw.choice(["north-a", "north-b", "south-a", "south-b"])
        weight = draw.uniform(40, 400)
        for _ in range(draw.choice([1, 1, 2, 2, 3, 4, 5, 6])):
            number = len(rows)
            row = {
                "person": f"p{number:05}",
                "insurance": f"i{number:05}",
                "age": str(draw.randint(0, 90)),
                "sex": draw.choice("fm"),
                "region": region,
                "diagnosis": draw.choice(["flu", "asthma", "diabetes", "none", "none"]),
                "income": str(draw.randrange(0, 200_000, 500)),
                "education": draw.choice(["primary", "secondary", "tertiary"]),
                "note": "",
                "hh_key": f"HH{family:04}" if draw.random() > 0.03 else "",
                "wgt": f"{weight:.4f}",
            }
            rows.append(row)
    project.write_source([{name: row[name] for name in (*names, "hh_key", "wgt")} for row in rows])
    project.write_policy(gates=gates)
    text = project.policy.read_text(encoding="utf-8")
    more = f"  hh_key:    {{role: household}}\n  wgt:       {{role: weight, kind: number{rounded}{tables}}}\n"
    project.policy.write_text(text.replace("projection:", f"{more}projection:", 1), encoding="utf-8")
    return rows


def test_groups_hold_k_households_weights_are_rounded_and_no_key_of_a_household_is_published(project: Any) -> None:
    rows = survey(project, gates=", individual_risk: {max: 0.05, mean: 0.01}", rounded=", publish_as: {round: 5}")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err + outcome.out
    gates = defaultdict(list)
    for verdict in outcome.json["gates"]:
        gates[verdict["gate"], verdict["bound"]].append(verdict)
    tables = outcome.json["tables"]
    assert len(gates["households", None]) == len(gates["individual_risk", "max"]) == len(tables)
    assert all(verdict["measured"] >= 5 for verdict in gates["households", None])
    folder = Path(outcome.json["folder"])
    frames = {table["name"]: pd.read_csv(folder / table["path"], dtype=str, keep_default_na=False) for table in tables}
    weighed = [name for name, frame in frames.items() if "wgt" in frame]
    assert len(weighed) == 1
    published = sorted(int(weight) for weight in frames[weighed[0]]["wgt"])
    assert published == sorted(5 * round(float(row["wgt"]) / 5) for row in rows)
    # E[1/F | f] of a large group is near 1/(f/p); the bound below holds for every group
    for (gate, bound), verdicts in gates.items():
        if (gate, bound) == ("individual_risk", "max"):
            assert all(0 < verdict["measured"] < 0.05 for verdict in verdicts)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".parquet")
    readable = re.sub(rb"base64,([A-Za-z0-9+/=]+)", lambda packed: base64.b64decode(packed[1]), everything)  # where any word may stand
    assert not re.search(rb"HH\d{4}", readable)
    described = json.loads((folder / "datapackage.json").read_bytes())["resources"]
    fields = {field["name"]: field for resource in described for field in resource["schema"]["fields"]}
    assert fields["wgt"]["role"] == "weight"
    assert "multiples of 5" in fields["wgt"]["description"]
    assert "hh_key" not in fields
    assert "people of k households" in (folder / "report.html").read_text(encoding="utf-8")
    for name in ("alice", "bob"):
        assert project.run("approve", outcome.json["candidate"], "--key", project.keys[name], "--reason", "read").code == 0
    assert project.run("publish", outcome.json["candidate"], "--json").code == 0
    verified = project.run("verify", project.home / "releases" / "patients" / "1", "--json")
    assert verified.code == 0, verified.err
    unchecked = "\n".join(verified.json["not_measured"])
    others = sorted(set(frames) - set(weighed))
    assert all(f"households of {name}, which rests on who lives together" in unchecked for name in frames)
    assert all(f"individual_risk of {name}, which rests on the weights" in unchecked for name in others)
    assert f"individual_risk of {weighed[0]}" not in unchecked


def test_a_risk_that_is_too_high_and_weights_that_are_none_are_refused_with_their_cure(project: Any) -> None:
    survey(project, gates=", individual_risk: {max: 0.0001}")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    assert "the chance to name somebody in the population by a row is" in outcome.json["error"]["message"]
    text = project.source.read_text(encoding="utf-8")
    project.source.write_text(re.sub(r",[0-9.]+$", ",0", text, count=3, flags=re.MULTILINE), encoding="utf-8")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 2
    message = outcome.json["error"]["message"]
    assert "wgt" in message


def test_fewer_households_than_k_are_refused_before_anything_is_grouped(project: Any) -> None:
    rows = survey(project)
    with project.source.open(encoding="utf-8", newline="") as stream:
        names = next(csv.reader(stream))
    project.write_source([{name: row[name] if name != "hh_key" else "one" for name in names} for row in rows])
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 2
    assert "1 household cannot make a group of k = 5" in outcome.json["error"]["message"]
