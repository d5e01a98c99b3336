"""The hospital's files are what the generator makes, and the people in them are plausible."""

from __future__ import annotations

import gzip
from importlib.resources import files
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from headgate.core.hierarchy import Hierarchy
from tools.shipped.hospital_patients import generate
from tools.shipped.hospital_patients.health import CODES, NONE
from tools.shipped.hospital_patients.livelihood import EDUCATION, INCOME_DOMAIN, JOBS

DATA = files("policies.shipped") / "hospital_patients" / "data"


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    return pd.read_csv(BytesIO(DATA.joinpath("patients.csv.gz").read_bytes()), compression="gzip", dtype=str)


@pytest.fixture(scope="module")
def register() -> pd.DataFrame:
    return pd.read_csv(BytesIO(DATA.joinpath("register.csv.gz").read_bytes()), compression="gzip", dtype=str)


@pytest.mark.slow
def test_the_generator_makes_exactly_the_files_that_are_kept() -> None:
    made = generate.files()
    assert set(made) == {entry.name for entry in DATA.iterdir()}
    for name, content in made.items():
        kept = DATA.joinpath(name).read_bytes()
        assert (gzip.decompress(kept) if name.endswith(".gz") else kept) == content, name


def test_compressed_files_carry_no_time_and_no_file_name() -> None:
    for name in ("patients.csv.gz", "register.csv.gz"):
        head = DATA.joinpath(name).read_bytes()[:10]
        assert head[3] == 0, "flags: no name, no comment"
        assert head[4:8] == b"\0\0\0\0", "time"


@pytest.mark.slow
def test_writing_twice_gives_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    folders = [tmp_path_factory.mktemp("generated") for _ in range(2)]
    for folder in folders:
        generate.write(folder)
    for name in generate.files():
        assert folders[0].joinpath(name).read_bytes() == folders[1].joinpath(name).read_bytes()


def test_all_files_together_are_small() -> None:
    assert sum(len(entry.read_bytes()) for entry in DATA.iterdir()) < 1_500_000


def test_each_row_is_one_person_with_identifiers_of_their_own(patients: pd.DataFrame) -> None:
    assert len(patients) == 20_000
    assert tuple(patients.columns) == generate.PATIENT_COLUMNS
    assert patients["patient_id"].is_unique
    assert patients["insurance_number"].is_unique
    assert patients["insurance_number"].str.fullmatch(r"\d{10}").all()


def test_values_are_inside_what_is_declared(patients: pd.DataFrame) -> None:
    assert patients["age"].astype(int).between(18, 100).all()
    assert set(patients["sex"]) == {"female", "male"}
    assert patients["admitted"].between("2024-01-01", "2024-12-31").all()
    assert patients["income"].dropna().astype(int).between(*INCOME_DOMAIN).all()
    assert set(patients["education"].dropna()) == set(EDUCATION)
    assert set(patients["job"].dropna()) == set(JOBS)
    codes = {code for cell in patients["diagnosis"].dropna() for code in cell.split("|")}
    assert codes == {*CODES, NONE}


def test_none_is_never_said_together_with_a_code(patients: pd.DataFrame) -> None:
    cells = patients["diagnosis"].dropna()
    assert not (cells.str.contains(NONE, regex=False) & cells.str.contains("|", regex=False)).any()


def test_some_cells_are_missing_but_no_age_sex_or_date(patients: pd.DataFrame) -> None:
    blank = patients.isna().mean()
    for name, share in generate.MISSING_SHARE.items():
        assert blank[name] == pytest.approx(share, abs=0.004), name
    assert blank[["patient_id", "insurance_number", "age", "sex", "admitted"]].sum() == 0


def test_the_regions_are_a_tree_of_24_districts_in_6_provinces_in_3_areas(patients: pd.DataFrame) -> None:
    rows = [line.split(";") for line in DATA.joinpath("region.csv").read_text("utf-8").splitlines()]
    tree = Hierarchy.from_rows(rows, "region")
    assert [len(np.unique(tree.nodes[:, level])) for level in range(4)] == [24, 6, 3, 1]
    assert set(patients["region"].dropna()) == set(tree.leaves)


def test_conditions_depend_on_age_and_on_what_runs_in_the_family(patients: pd.DataFrame) -> None:
    age = patients["age"].astype(int)
    has = patients["diagnosis"].str.split("|", regex=False)
    runs_in_families = {"hypertension": "cardiovascular", "diabetes": "diabetes", "cancer": "cancer", "depression": "mental-illness"}
    for code, family in runs_in_families.items():
        held = has.map(lambda cell, code=code: code in cell, na_action="ignore").astype(float)
        if code != "depression":
            assert held[age >= 70].mean() > 2 * held[age < 40].mean(), code
        assert held[patients["family_history"] == family].mean() > 1.2 * held[patients["family_history"] == "none"].mean(), code


def test_schooling_leads_to_the_job_and_the_job_to_the_income(patients: pd.DataFrame) -> None:
    income = patients["income"].astype(float)
    assert income[patients["job"] == "management"].median() > 2 * income[patients["job"] == "hospitality"].median()
    schooled = patients["education"].isin(["bachelor", "master"])
    assert schooled[patients["job"] == "teaching"].mean() > 3 * schooled[patients["job"] == "construction"].mean()


def test_no_condition_is_so_common_that_it_could_not_be_hidden(patients: pd.DataFrame) -> None:
    """At δ = 0.6 and k = 10 a group holds at most 4 who share a sensitive yes: what is held by over 40 % of all fits nowhere."""
    has = patients["diagnosis"].str.get_dummies("|").drop(columns=NONE)
    assert has.mean().max() < 0.4


def test_the_register_lists_60_000_people_and_shares_no_key_with_the_patients(patients: pd.DataFrame, register: pd.DataFrame) -> None:
    assert tuple(register.columns) == ("register_number", "age", "sex", "region")
    assert len(register) == 60_000
    assert register["register_number"].is_unique
    assert not set(register["register_number"]) & (set(patients["patient_id"]) | set(patients["insurance_number"]))
    assert 0 < register["region"].isna().mean() < 0.02
    assert register["age"].dropna().astype(int).between(17, 100).all()


def test_almost_every_patient_is_found_in_the_register(patients: pd.DataFrame, register: pd.DataFrame) -> None:
    known = ["age", "sex", "region"]
    listed = register.dropna().groupby(known).size().rename("listed").reset_index()
    treated = patients.dropna(subset=known).groupby(known).size().rename("treated").reset_index()
    both = treated.merge(listed, on=known, how="left").fillna({"listed": 0})
    assert both[["treated", "listed"]].min(axis=1).sum() > 0.97 * both["treated"].sum()
