"""The census file is the UCI file's test part, read as the CODIP paper reads it."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.hierarchy import Hierarchy
from tools.shipped.census_income.convert import converted, household_status, write

DATA = files("policies.shipped") / "census_income" / "data"
# The first two lines of census-income.test, as UCI gives them out.
FIRST_LINES = (
    "38, Private, 6, 36, 1st 2nd 3rd or 4th grade, 0, Not in universe, Married-civilian spouse present, Manufacturing-durable goods, "
    "Machine operators assmblrs & inspctrs, White, Mexican (Mexicano), Female, Not in universe, Not in universe, Full-time schedules, "
    "0, 0, 0, Joint one under 65 & one 65+, Not in universe, Not in universe, Spouse of householder, Spouse of householder, 1032.38, "
    "?, ?, ?, Not in universe under 1 year old, ?, 4, Not in universe, Mexico, Mexico, Mexico, "
    "Foreign born- Not a citizen of U S , 0, Not in universe, 2, 12, 95, - 50000.",
    "44, Self-employed-not incorporated, 37, 12, Associates degree-occup /vocational, 0, Not in universe, "
    "Married-civilian spouse present, Business and repair services, Professional specialty, White, All other, Female, "
    "Not in universe, Not in universe, PT for econ reasons usually PT, 0, 0, 2500, Joint both under 65, Not in universe, "
    "Not in universe, Spouse of householder, Spouse of householder, 1462.33, ?, ?, ?, Not in universe under 1 year old, ?, 1, "
    "Not in universe, United-States, United-States, United-States, Native- Born in the United States, 0, Not in universe, 2, 26, 95, "
    "- 50000.",
)
QUASI = ["age", "race", "sex", "citizenship"]
CATEGORIES = ["worker_class", "education", "industry", "employment_status", "business_status", "salary_class", "occupation"]
AMOUNTS = ["wage_per_hour", "dividend", "capital_gain", "capital_loss"]


@pytest.fixture(scope="module")
def census() -> pd.DataFrame:
    return pd.read_parquet(BytesIO(DATA.joinpath("census.parquet").read_bytes()))


def test_all_99762_records_are_kept_with_the_columns_of_the_paper(census: pd.DataFrame) -> None:
    assert len(census) == 99_762
    assert set(census.columns) == {"record", *QUASI, *CATEGORIES, *AMOUNTS, "household_status"}
    assert census["record"].is_unique
    assert not census.isna().any(axis=None)


def test_the_file_is_under_2_mb_and_names_its_source_and_licence() -> None:
    assert len(DATA.joinpath("census.parquet").read_bytes()) < 2_000_000
    attribution = (files("policies.shipped") / "census_income" / "ATTRIBUTION.md").read_text("utf-8")
    assert "CC BY 4.0" in attribution
    assert "10.24432/C5N30T" in attribution


def test_the_class_shares_are_those_of_the_ucis_own_description(census: pd.DataFrame) -> None:
    """census-income.names gives 93.80 % and 6.20 % for the test part."""
    assert census["salary_class"].value_counts(normalize=True).round(4).to_dict() == {"- 50000.": 0.938, "50000+.": 0.062}


def test_the_first_lines_of_the_source_are_the_first_rows(census: pd.DataFrame) -> None:
    made = converted(FIRST_LINES).to_pandas()
    assert made.astype(str).to_dict("records") == census.head(2).astype(str).to_dict("records")
    assert made.loc[1, "dividend"] == "1"
    assert made.loc[0, "citizenship"] == "Foreign born- Not a citizen of U S"


def test_a_line_of_another_file_is_refused_without_quoting_it() -> None:
    with pytest.raises(ValueError, match="1 lines do not have 42 fields") as refusal:
        converted(["39, State-gov, 77516"])
    assert "State-gov" not in str(refusal.value)


@pytest.mark.parametrize(
    ("marital", "household", "status"),
    [
        ("Married-civilian spouse present", "Spouse of householder", "married"),
        ("Never married", "Child <18 never marr not in subfamily", "under18|descendent"),
        ("Never married", "Child 18+ never marr Not in a subfamily", "descendent"),
        ("Never married", "Grandchild <18 never marr child of subfamily RP", "under18|descendent|subfamily"),
        ("Never married", "Child under 18 of RP of unrel subfamily", "under18|subfamily"),
        ("Divorced", "RP of unrelated subfamily", "subfamily"),
        ("Separated", "Householder", "|"),
        ("Widowed", "Nonfamily householder", "|"),
        ("Married-spouse absent", "Other Rel 18+ ever marr RP of subfamily", "married|subfamily"),
    ],
)
def test_household_status_follows_from_two_fields_of_the_source(marital: str, household: str, status: str) -> None:
    assert household_status(marital, household) == status


def test_under18_says_nothing_that_the_age_does_not_say(census: pd.DataFrame) -> None:
    """Why the policy may call it non-sensitive: 99.7 % of all rows follow from the age alone."""
    minor = census["household_status"].str.contains("under18", regex=False)
    assert ((census["age"] < 18) | ~minor).all()
    assert ((census["age"] < 18) == minor).mean() == pytest.approx(0.997, abs=0.0005)


def test_somebody_in_none_of_the_four_states_has_an_empty_set_and_not_a_missing_one(census: pd.DataFrame) -> None:
    spec = ColumnSpec("household_status", Kind.SET, Role.SENSITIVE, declared=("married", "under18", "descendent", "subfamily"))
    column = encode_column(census["household_status"], spec)
    assert (column.codes >= 0).all()
    empty = [tuple(cell) for cell in column.values].index(())
    assert (column.codes == empty).sum() == (census["household_status"] == "|").sum() > 20_000


def test_amounts_are_cut_to_nothing_and_something(census: pd.DataFrame) -> None:
    for name in AMOUNTS:
        assert set(census[name]) == {"0", "1"}, name


def test_the_citizenship_tree_covers_the_data(census: pd.DataFrame) -> None:
    rows = [line.split(";") for line in DATA.joinpath("citizenship.csv").read_text("utf-8").splitlines()]
    tree = Hierarchy.from_rows(rows, "citizenship")
    assert tree.height == 2
    assert set(tree.leaves) == set(census["citizenship"])


def test_the_parquet_bytes_hold_no_index_and_no_foreign_metadata(tmp_path: Path) -> None:
    write(converted(FIRST_LINES), tmp_path / "two.parquet")
    for path in (tmp_path / "two.parquet", BytesIO(DATA.joinpath("census.parquet").read_bytes())):
        metadata = pq.ParquetFile(path).metadata
        assert metadata.metadata is None
