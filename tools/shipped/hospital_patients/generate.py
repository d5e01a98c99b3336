"""Makes the files of the hospital-patients policy, always the same: `python -m tools.shipped.hospital_patients.generate`.

Nobody in them exists. The patients' file has one row per person; the register lists everybody in the country, the patients
among them, with the small errors that registers have, and shares no key with the patients' file.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.shipped.hospital_patients import country
from tools.shipped.hospital_patients.health import CODES, FAMILY_HISTORY, NONE, diagnoses, family_histories
from tools.shipped.hospital_patients.livelihood import EDUCATION, JOBS, MANUAL, education_levels, incomes, jobs
from tools.shipped.hospital_patients.people import SEXES, Draws, People, Places, in_hospital, inhabitants

SEED = 20_240_101
FIRST_DAY = date(2024, 1, 1)
DAYS = 366
MISSING_SHARE = {"region": 0.005, "diagnosis": 0.005, "family_history": 0.03, "job": 0.008, "income": 0.02, "education": 0.015}
PATIENT_COLUMNS = (
    *("patient_id", "insurance_number", "age", "sex", "region", "admitted"),
    *("diagnosis", "family_history", "job", "income", "education"),
)

Cells = Sequence[str]


def files() -> dict[str, bytes]:
    """Every data file by name, uncompressed where the name ends in .gz."""
    draws = Draws(SEED)
    everybody = inhabitants(draws)
    admitted = in_hospital(draws, everybody)
    admitted = admitted[draws.order(len(admitted))]
    return {
        "region.csv": _text(country.hierarchy(), ";"),
        "codes.csv": _text([(code,) for code in (*CODES, NONE)]),
        "patients.csv.gz": _table(_patients(draws, everybody.take(admitted))),
        "register.csv.gz": _table(_register(draws, everybody)),
    }


def write(folder: Path) -> None:
    for name, content in files().items():
        compressed = gzip.compress(content, compresslevel=9, mtime=0) if name.endswith(".gz") else content
        (folder / name).write_bytes(compressed)


def _patients(draws: Draws, people: People) -> Mapping[str, Cells]:
    size = len(people)
    family = family_histories(draws, people)
    education = education_levels(draws, people)
    job = jobs(draws, people, education)
    income = incomes(draws, people, education, job)
    manual_work = np.isin(job, MANUAL).astype(np.float64)
    poverty = (income < 14_000).astype(np.float64)
    cells: dict[str, Cells] = {
        "patient_id": [f"P{number:05d}" for number in range(1, size + 1)],
        "insurance_number": _insurance_numbers(draws, size),
        **_identity(people),
        "admitted": [(FIRST_DAY + timedelta(days=int(day))).isoformat() for day in _admissions(draws, size)],
        "diagnosis": diagnoses(draws, people, family, manual_work, poverty),
        "family_history": [FAMILY_HISTORY[place] for place in family],
        "job": [JOBS[place] for place in job],
        "income": [str(int(amount)) for amount in income],
        "education": [EDUCATION[place] for place in education],
    }
    for name, share in MISSING_SHARE.items():
        cells[name] = _blanked(cells[name], draws.happens(share, size))
    return {name: cells[name] for name in PATIENT_COLUMNS}


def _register(draws: Draws, people: People) -> Mapping[str, Cells]:
    """Ages of an older census day, people who have moved since, and blanks; in an order of its own."""
    size = len(people)
    age = people.age - draws.happens(0.03, size)
    elsewhere = draws.one_of(np.array(country.shares(), dtype=np.float64), size)
    district = np.where(draws.happens(0.02, size), elsewhere, people.district)
    listed = People(age, people.sex, district).take(draws.order(size))
    cells: dict[str, Cells] = {"register_number": [f"R{number:05d}" for number in range(1, size + 1)], **_identity(listed)}
    cells["age"] = _blanked(cells["age"], draws.happens(0.004, size))
    cells["region"] = _blanked(cells["region"], draws.happens(0.01, size))
    return cells


def _identity(people: People) -> dict[str, Cells]:
    names = country.districts()
    return {
        "age": [str(years) for years in people.age],
        "sex": [SEXES[place] for place in people.sex],
        "region": [names[place] for place in people.district],
    }


def _admissions(draws: Draws, size: int) -> Places:
    """Days of the year: more in winter, fewer at week-ends."""
    days = np.arange(DAYS)
    season = 1.0 + 0.25 * np.cos(2 * np.pi * (days - 20) / DAYS)
    weekday = (days + FIRST_DAY.weekday()) % 7
    return draws.one_of(season * np.where(weekday >= 5, 0.45, 1.0), size)


def _insurance_numbers(draws: Draws, size: int) -> Cells:
    """Ten digits, no two alike: what is drawn twice is drawn again."""
    numbers = np.floor(1e9 + draws.uniform(size) * 9e9).astype(np.int64)
    while len(np.unique(numbers)) < size:
        repeated = np.setdiff1d(np.arange(size), np.unique(numbers, return_index=True)[1])
        numbers[repeated] = np.floor(1e9 + draws.uniform(len(repeated)) * 9e9).astype(np.int64)
    return [str(number) for number in numbers]


def _blanked(cells: Cells, here: NDArray[np.bool_]) -> Cells:
    return ["" if blank else cell for cell, blank in zip(cells, here.tolist(), strict=True)]


def _table(columns: Mapping[str, Cells]) -> bytes:
    return _text([tuple(columns), *zip(*columns.values(), strict=True)])


def _text(rows: Iterable[Sequence[str]], separator: str = ",") -> bytes:
    page = io.StringIO()
    csv.writer(page, delimiter=separator, lineterminator="\n").writerows(rows)
    return page.getvalue().encode("utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data")
