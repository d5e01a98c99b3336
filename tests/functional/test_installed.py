"""The wheel holds the product and nothing else, and the command is the installed one wherever it is run."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_wheel_holds_the_packages_and_nothing_else(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"headgate", "policies", "tasks", "flows", "console"}
    for needed in (
        "policies/shipped/hospital-patients.yaml",
        "policies/shipped/census-income.yaml",
        "policies/shipped/census_income/data/census.parquet",
        "policies/shipped/census_income/ATTRIBUTION.md",
        "policies/shipped/hospital_patients/data/patients.csv.gz",
        "tasks/reporting/templates/candidate.html.j2",
        "tasks/reporting/templates/page.css",
        "tasks/reporting/candidate_page/regulators.yaml",
        "flows/cli/__init__.py",
        "console/static/console.css",
        "console/templates/frame.html.j2",
        "headgate/py.typed",
    ):
        assert needed in names
    assert not [name for name in names if name.endswith((".nbi", ".nbc", ".pyc"))]


@pytest.mark.long
def test_a_folder_with_flows_of_its_own_does_not_get_in_the_way(project: Any, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    for package in ("flows", "tasks", "policies", "headgate", "console"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text("raise ImportError('not ours')\n", encoding="utf-8")
    outcome = project.spawned("release", project.policy, "--json", cwd=folder)
    assert outcome.code == 0, outcome.err


@pytest.mark.long
def test_the_demo_runs_to_its_end_twice_in_the_same_place(tmp_path: Path) -> None:
    headgate = str(Path(sys.executable).with_name("headgate"))
    for _ in range(2):
        demo = subprocess.run([headgate, "demo", "--home", str(tmp_path / "a demo")], capture_output=True, text=True, timeout=280)
        assert demo.returncode == 0, demo.stderr
        assert "Published as version" in demo.stdout
        assert "origin proven" in demo.stdout
        assert "Refused" in demo.stderr
        assert "Traceback" not in demo.stderr
