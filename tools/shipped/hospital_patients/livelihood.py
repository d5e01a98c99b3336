"""Education, job and income of the invented patients: each depends on the one before, and on age."""

from __future__ import annotations

import numpy as np

from tools.shipped.hospital_patients.people import Draws, Numbers, People, Places

EDUCATION = ("primary", "lower-secondary", "upper-secondary", "post-secondary", "bachelor", "master")
WORK = (
    "agriculture",
    "construction",
    "manufacturing",
    "transport",
    "retail",
    "hospitality",
    "office",
    "care",
    "teaching",
    "technical",
    "finance",
    "management",
)
JOBS = (*WORK, "unemployed", "at-home", "student", "retired")
MANUAL = (0, 1, 2, 3, 5)
INCOME_DOMAIN = (0, 200_000)

# weight of each kind of work by education, and what it pays in a year
_WORK_BY_EDUCATION = np.array(
    [
        [18, 16, 20, 10, 12, 12, 3, 8, 0, 1, 0, 0],
        [10, 14, 19, 12, 16, 12, 6, 9, 0, 2, 0, 0],
        [5, 9, 14, 9, 17, 8, 16, 11, 1, 6, 2, 2],
        [3, 5, 8, 5, 12, 5, 20, 14, 4, 15, 5, 4],
        [1, 2, 3, 2, 7, 3, 18, 10, 18, 16, 11, 9],
        [1, 1, 1, 1, 3, 1, 9, 9, 22, 18, 17, 17],
    ],
    dtype=np.float64,
)
_PAY = np.array([21, 27, 29, 28, 23, 20, 31, 25, 35, 41, 48, 62, 11, 9, 8, 19], dtype=np.float64) * 1000


def education_levels(draws: Draws, people: People) -> Places:
    """Younger people went to school longer; so did those of the midlands, a little."""
    old = np.clip((people.age - 25.0) / 60, 0, 1)[:, None]
    young = np.array([3.0, 12, 38, 17, 18, 12])
    aged = np.array([27.0, 30, 25, 8, 7, 3])
    weights = young * (1 - old) + aged * old
    midlands = ((people.district >= 8) & (people.district < 16))[:, None]
    weights = np.where(midlands, weights * np.array([0.9, 0.95, 1.0, 1.05, 1.15, 1.2]), weights)
    weights = np.where((people.age < 22)[:, None], weights * np.array([1, 1.4, 1.6, 0.8, 0.1, 0.0]), weights)
    return draws.one_of(weights, len(people))


def jobs(draws: Draws, people: People, education: Places) -> Places:
    """Work by education, farms in the uplands; the young may be students, the old are mostly retired."""
    size = len(people)
    age = people.age.astype(np.float64)
    work = _WORK_BY_EDUCATION[education].copy()
    work[:, 0] *= np.where(people.district < 8, 1.8, 0.8)
    work[:, [1, 3]] *= np.where(people.sex == 1, 1.7, 0.4)[:, None]
    work[:, [7, 8]] *= np.where(people.sex == 0, 1.6, 0.6)[:, None]
    job = draws.one_of(work, size)
    job = np.where(draws.happens(np.where(education < 2, 0.12, 0.06), size), len(WORK), job)
    job = np.where(draws.happens(np.where(people.sex == 0, 0.10, 0.02), size), len(WORK) + 1, job)
    studying = np.where(age < 22, 0.5, np.where(age < 27, 0.22, 0.0))
    job = np.where(draws.happens(studying, size), len(WORK) + 2, job)
    retired = np.where(age < 58, 0.0, np.where(age < 62, 0.15, np.where(age < 67, 0.5, np.where(age < 72, 0.85, 0.97))))
    return np.asarray(np.where(draws.happens(retired, size), len(WORK) + 3, job), dtype=np.int64)


def incomes(draws: Draws, people: People, education: Places, job: Places) -> Numbers:
    """Pay of the job, more for schooling and years of work, with a long upper tail. People round what
    they earn: to thousands, from 60,000 on to five thousands."""
    age = people.age.astype(np.float64)
    years = 1.0 + 0.35 * np.clip((age - 22) / 33, 0, 1) * (job < len(WORK))
    pay = _PAY[job] * (0.8 + 0.12 * education) * years
    amount = pay * np.exp(0.65 * draws.bell(len(people)))
    step = np.where(amount < 60_000, 1_000, 5_000)
    return np.clip(np.round(amount / step) * step, *INCOME_DOMAIN)
