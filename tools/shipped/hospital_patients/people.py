"""Who lives in the country, and which of them went to hospital. Every draw is a uniform number compared with shares.

Only `Generator.random` of PCG64 is used: its stream is fixed, while numpy may change how it draws from named distributions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.shipped.hospital_patients.country import shares

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

INHABITANTS = 60_000
PATIENTS = 20_000
OLDEST, YOUNGEST = 100, 18
SEXES = ("female", "male")


@dataclass(frozen=True, eq=False)
class People:
    """One row per person: years of age, place in SEXES, place in the list of districts."""

    age: Places
    sex: Places
    district: Places

    def __len__(self) -> int:
        return len(self.age)

    def take(self, rows: Places) -> People:
        return People(self.age[rows], self.sex[rows], self.district[rows])


class Draws:
    """A seeded source of uniform numbers, with the few ways of choosing that the generator needs."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def uniform(self, size: int) -> Numbers:
        return self._generator.random(size)

    def bell(self, size: int) -> Numbers:
        """Mean 0, variance 1: the sum of twelve uniform numbers less six."""
        return np.asarray(self._generator.random((size, 12)).sum(axis=1) - 6.0)

    def happens(self, probability: Numbers | float, size: int) -> NDArray[np.bool_]:
        return np.asarray(self.uniform(size) < probability)

    def one_of(self, weights: Numbers, size: int) -> Places:
        """A place per row, by weights that are either the same for all rows (1-d) or given row by row (2-d)."""
        rows = np.broadcast_to(weights, (size, weights.shape[-1]))
        cumulated = np.cumsum(rows, axis=1)
        target = self.uniform(size)[:, None] * cumulated[:, -1:]
        return np.asarray((cumulated <= target).sum(axis=1), dtype=np.int64)

    def order(self, size: int) -> Places:
        """A random order of `size` rows."""
        return np.argsort(self.uniform(size), kind="stable")

    def sample(self, weights: Numbers, size: int) -> Places:
        """Rows drawn without replacement, each with a chance that grows with its weight (Efraimidis and Spirakis)."""
        return np.sort(np.argsort(np.log(1.0 - self.uniform(len(weights))) / -weights, kind="stable")[:size])


def age_pyramid() -> Numbers:
    """Adults by year of age: level until 55, then falling to nothing at 100."""
    years = np.arange(YOUNGEST, OLDEST + 1, dtype=np.float64)
    young = 0.85 + 0.15 * np.clip((years - 18) / 20, 0, 1)
    old = np.clip((104 - years) / 49, 0, 1) ** 1.3
    return np.asarray(young * np.where(years <= 55, 1.0, old))


def inhabitants(draws: Draws) -> People:
    """Adults of the country. Women live longer, and the coast is older than the midlands."""
    district = draws.one_of(np.array(shares(), dtype=np.float64), INHABITANTS)
    coast = (district >= 16).astype(np.float64)
    years = np.arange(YOUNGEST, OLDEST + 1, dtype=np.float64)
    tilt = 1.0 + coast[:, None] * 0.008 * (years[None, :] - 50)
    age = YOUNGEST + draws.one_of(age_pyramid()[None, :] * tilt, INHABITANTS)
    female = 0.5 + 0.004 * np.clip(age - 60.0, 0.0, 40.0).astype(np.float64)
    sex = np.where(draws.happens(female, INHABITANTS), 0, 1)
    return People(age, sex.astype(np.int64), district)


def in_hospital(draws: Draws, people: People) -> Places:
    """The rows of those who were admitted: the chance grows with age, and births make it higher for younger women."""
    age = people.age.astype(np.float64)
    births = np.where((people.sex == 0) & (age >= 22) & (age <= 40), 0.5, 0.0)
    return draws.sample(0.6 + births + 2.2 * (np.clip(age - 30, 0, 60) / 60) ** 1.5, PATIENTS)
