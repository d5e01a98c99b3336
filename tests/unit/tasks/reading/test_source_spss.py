from __future__ import annotations

import datetime
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from policies.drafting.policy_draft import draft_policy
from tasks.profiling.profile_table import profile_table
from tasks.reading.any_table import read_any_table
from tasks.reading.ingest import ingest
from tests.unit.tasks.clinic import decoded

SEXES = {1: "male", 2: "female"}


@pytest.fixture
def path(clinic) -> Path:
    """The clinic's rows with numbers, days and a labelled code."""
    frame = pd.DataFrame(clinic.rows)
    for name in ("age", "income"):
        frame[name] = pd.to_numeric(frame[name])
    frame["sex"] = frame["sex"].map({word: float(number) for number, word in SEXES.items()})
    frame["admitted"] = [datetime.date.fromisoformat(day) for day in frame["admitted"]]
    path = clinic.folder / "clinic.sav"
    pyreadstat.write_sav(frame, path, variable_value_labels={"sex": SEXES}, missing_ranges={"sex": [9]})
    return path


def test_it_gives_the_same_table_as_a_csv_of_it(clinic, path: Path) -> None:
    plain = ingest(clinic.load())
    clinic.policy["source"] = {"kind": "spss", "path": path.name, "labels": True}
    declared, in_its_place = ingest(clinic.load()), ingest(clinic.load(), path)
    for name in plain.table.columns:
        assert decoded(declared.table, name) == decoded(plain.table, name), name
        assert decoded(in_its_place.table, name) == decoded(plain.table, name), name
    clinic.policy["source"] = {"kind": "spss", "path": path.name}
    assert set(decoded(ingest(clinic.load()).table, "sex")) == {"1", "2"}


def test_it_is_recognized_by_init_and_check(clinic, path: Path) -> None:
    profile = profile_table(path, clinic.folder)
    assert "source: {kind: spss, path: clinic.sav}" in draft_policy(profile)
    assert read_any_table(path, ["age"])["age"].tolist() == [int(row["age"]) for row in clinic.rows]


def test_a_mistaken_kind_names_the_right_one(clinic, path: Path, refusal) -> None:
    clinic.policy["source"] = {"kind": "csv", "path": path.name}
    problem = refusal(lambda: ingest(clinic.load()))
    assert (problem.message, problem.cure) == ("The source clinic.sav is an SPSS file.", "Use kind: spss.")
    clinic.policy["source"] = {"kind": "spss", "path": "clinic.csv"}
    problem = refusal(lambda: ingest(clinic.load()))
    assert (problem.message, problem.cure) == ("The source clinic.csv is not a file of SPSS.", "If it is text, use kind: csv.")
