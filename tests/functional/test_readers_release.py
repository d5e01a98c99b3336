"""A release for readers: purpose and licence, published ends of cells, hierarchies, and columns with names that nobody would choose."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
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
    text = text.replace("formats: [csv, parquet]", "formats: [csv, spss, stata, ddi, croissant], bounds: true")
    project.policy.write_text(text, encoding="utf-8")


def require_read_by_statistics_programs(folder: Path, package: dict[str, Any]) -> None:
    """Each of their files holds the cells of the CSV, under the names that the data dictionary gives."""
    resources = [resource for resource in package["resources"] if resource["format"] in ("spss", "stata")]
    assert len(resources) == 2 * len([resource for resource in package["resources"] if resource["format"] == "csv"])
    for resource in resources:
        path = folder / resource["path"]
        reader = pyreadstat.read_sav if resource["format"] == "spss" else pyreadstat.read_dta
        read, said = reader(path, apply_value_formats=True)
        cells = pd.read_csv(path.with_suffix(".csv"), dtype=str, keep_default_na=False)
        fields = resource["schema"]["fields"]
        assert list(read.columns) == [field.get("variable", field["name"]) for field in fields]
        for field, name in zip(fields, read.columns, strict=True):
            label = said.column_names_to_labels[name]
            assert label.startswith(field["name"])
            shown = list(read[name].astype("string").fillna(""))
            if field["type"] in ("integer", "number"):
                assert [cell and float(cell) for cell in shown] == [cell and float(cell) for cell in cells[field["name"]]]
            else:
                assert shown == list(cells[field["name"]])


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
    described_for_machines = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    for file in described_for_machines["distribution"]:
        assert file["sha256"] == hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest()
    assert not (folder / "tables" / "table-1.parquet").exists()
    package: dict[str, Any] = json.loads((folder / "datapackage.json").read_text())
    assert package["licenses"] == [{"name": "CC-BY-4.0"}]
    assert package["hierarchies"]["region"]["paths"][0] == ["north-a", "north", "*"]
    require_read_by_statistics_programs(folder, package)
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
