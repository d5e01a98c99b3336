"""The census table of the benchmarks: the adults of Census-Income (KDD), test part, in the order of the source.

The shipped `census.parquet` holds most of it; `census_more.parquet` beside this file adds three fields that no shipped policy needs:
7 marital stat, 39 weeks worked in year and 3 detailed occupation recode. It was made by
`python benchmarks/census.py census-income.test.gz`, from the file that UCI gives out (CC BY 4.0, see ATTRIBUTION.md of the shipped table).
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd

ADULT = 18  # years
SHIPPED = ["age", "sex", "race", "citizenship", "education", "worker_class"]
MORE = {"marital": 7, "weeks": 39, "occupation": 3}
MORE_PATH = Path(__file__).parent / "census_more.parquet"

EDUCATION = (
    "Less than 1st grade",
    "1st 2nd 3rd or 4th grade",
    "5th or 6th grade",
    "7th and 8th grade",
    "9th grade",
    "10th grade",
    "11th grade",
    "12th grade no diploma",
    "High school graduate",
    "Some college but no degree",
    "Associates degree-occup /vocational",
    "Associates degree-academic program",
    "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)",
    "Prof school degree (MD DDS DVM LLB JD)",
    "Doctorate degree(PhD EdD)",
)  # from the lowest up; "Children" have none

SECTORS = {
    "Private": "private",
    "Self-employed-incorporated": "self-employed",
    "Self-employed-not incorporated": "self-employed",
    "Federal government": "public",
    "State government": "public",
    "Local government": "public",
    "Without pay": "unpaid",
    "Never worked": "unpaid",
    "Not in universe": "unpaid",
}


def adults() -> pd.DataFrame:
    """72,043 people aged 18 or more. `occupation` is the code of one of 46 occupations, 0 for none."""
    shipped = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    people = pd.concat([pd.read_parquet(str(shipped), columns=SHIPPED), pd.read_parquet(MORE_PATH)], axis=1)
    return people[people["age"] >= ADULT].reset_index(drop=True)


def keep_more(source: Path) -> None:
    fields = pd.read_csv(source, header=None, skipinitialspace=True, usecols=list(MORE.values()))
    more = pd.DataFrame({name: fields[field] for name, field in MORE.items()})
    more.astype({"weeks": "int8", "occupation": "int8"}).to_parquet(MORE_PATH, index=False, compression="zstd")


if __name__ == "__main__":
    keep_more(Path(sys.argv[1]))
