"""Files of SPSS and Stata give the table that a CSV of them would give."""

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
PROGRAMS = {
    "spss": ("clinic.sav", pyreadstat.write_sav, "an SPSS file", "SPSS"),
    "stata": ("clinic.dta", pyreadstat.write_dta, "a Stata file", "Stata"),
}


@pytest.fixture(params=PROGRAMS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(clinic, kind: str) -> Path:
    """The clinic's rows with numbers, days and a labelled code."""
    frame = pd.DataFrame(clinic.rows)
    for name in ("age", "income"):
        frame[name] = pd.to_numeric(frame[name])
    frame["sex"] = frame["sex"].map({word: float(number) for number, word in SEXES.items()})
    frame["admitted"] = [datetime.date.fromisoformat(day) for day in frame["admitted"]]
    name, write, *_ = PROGRAMS[kind]
    write(frame, clinic.folder / name, variable_value_labels={"sex": SEXES})
    return clinic.folder / name


def test_it_gives_the_same_table_as_a_csv_of_it(clinic, path: Path, kind: str) -> None:
    plain = ingest(clinic.load())
    clinic.policy["source"] = {"kind": kind, "path": path.name, "labels": True}
    declared, in_its_place = ingest(clinic.load()), ingest(clinic.load(), path)
    for name in plain.table.columns:
        assert decoded(declared.table, name) == decoded(plain.table, name), name
        assert decoded(in_its_place.table, name) == decoded(plain.table, name), name
    clinic.policy["source"] = {"kind": kind, "path": path.name}
    assert set(decoded(ingest(clinic.load()).table, "sex")) == {"1", "2"}


def test_it_is_recognized_by_init_and_check(clinic, path: Path, kind: str) -> None:
    profile = profile_table(path, clinic.folder)
    assert f"source: {{kind: {kind}, path: {path.name}}}" in draft_policy(profile)
    assert read_any_table(path, ["age"])["age"].tolist() == [int(row["age"]) for row in clinic.rows]


def test_a_mistaken_kind_names_the_right_one(clinic, path: Path, kind: str, refusal) -> None:
    clinic.policy["source"] = {"kind": "csv", "path": path.name}
    problem, (_, _, words, program) = refusal(lambda: ingest(clinic.load())), PROGRAMS[kind]
    assert (problem.message, problem.cure) == (f"The source {path.name} is {words}.", f"Use kind: {kind}.")
    clinic.policy["source"] = {"kind": kind, "path": "clinic.csv"}
    problem = refusal(lambda: ingest(clinic.load()))
    assert (problem.message, problem.cure) == (f"The source clinic.csv is not a file of {program}.", "If it is text, use kind: csv.")
