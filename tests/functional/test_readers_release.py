"""A release for readers: purpose and licence, published ends of cells, hierarchies, and columns with names that nobody would choose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import headgate as hg
from tests.functional.conftest import Project, people

NASTY = {"age": 'age "now", in | years', "income": "größe low", "education": "age"}


def described(project: Project) -> None:
    rows = people()
    project.write_source([{NASTY.get(name, name): cell for name, cell in row.items()} for row in rows])
    text = project.write_policy(
        more="about: {purpose: Teaching, recipients: Anybody, licence: CC-BY-4.0, period: 2024, contact: data@clinic.example}\n"
    ).read_text(encoding="utf-8")
    for name, nasty in NASTY.items():
        text = text.replace(f"  {name}: ", f"  {json.dumps(nasty, ensure_ascii=False)}: ", 1)
    project.policy.write_text(text.replace("formats: [csv, parquet]", "formats: [csv, ddi], bounds: true"), encoding="utf-8")


@pytest.mark.long
def test_a_release_tells_its_readers_what_they_need(project: Project, tmp_path: Path) -> None:
    described(project)
    candidate = str(project._release()["candidate"])
    shown = project.run("show", candidate).out
    assert shown.index("Purpose: Teaching") < shown.index("Recipients: Anybody") < shown.index("Licence: CC-BY-4.0")
    for approver in ("alice", "bob"):
        assert project.run("approve", candidate, "--key", project.keys[approver], "--reason", "read").code == 0
    folder = Path(project.run("publish", candidate, "--json").json["folder"])
    assert project.run("verify", folder).code == 0
    codebook = (folder / "ddi.xml").read_text(encoding="utf-8")
    assert "Teaching" in codebook
    assert "größe low" in codebook
    assert not (folder / "tables" / "table-1.parquet").exists()
    package: dict[str, Any] = json.loads((folder / "datapackage.json").read_text())
    assert package["licenses"] == [{"name": "CC-BY-4.0"}]
    assert package["hierarchies"]["region"]["paths"][0] == ["north-a", "north", "*"]
    age = NASTY["age"]
    for name, table in hg.read(folder).items():
        assert table.parts[age] == {"low": f"{age} low", "high": f"{age} high"}
        cells = pd.read_csv(folder / "tables" / f"{name}.csv", dtype=str)
        ends = cells[age].str.extract(r"^\[(\d+)\.\.(\d+)\]$")
        assert (ends[0].fillna(cells[age]) == cells[f"{age} low"]).all()
        assert (table.frame[f"{age} high"].astype(str) == ends[1].fillna(cells[age])).all()
    found = project.run("estimate", folder, "count", "--where", '"age ""now"", in | years" >= 40 and region == north', "--json").json
    assert 0 < found["lowest"] <= found["expected"] <= found["highest"] < 300
    assert project.run("estimate", folder, "mean", "--of", "größe low").code == 0
