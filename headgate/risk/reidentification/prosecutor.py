"""Re-identification risk as practitioners define it (DEFINITIONS §7): prosecutor, marketer, journalist, and the individual risk of a
survey's rows.

The prosecutor knows that the person is in the table: 1/|group|. The marketer wants to name as many people as possible: the mean over the
rows. The journalist knows only the population that the table was drawn from: 1/(individuals there who match), counted in a population table
(`headgate.risk.reidentification.journalist`) or estimated from sampling weights (`individual_risk`). Suppressed rows are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import dividing
from headgate.core.errors import InputRejected
from headgate.counting.class_counts import class_sizes
from headgate.counting.figure import Bound, Figure, Shortfall

MOST_PEOPLE = 10**12  # no population is larger


@dataclass(frozen=True, eq=False)
class Reidentification:
    """The chance with which one kind of attacker names the person behind each row, in the worse reading of "group"."""

    figure: Figure  # per group, at most so much is wanted
    members: Codes  # the group of each row, in the first reading
    mean: float  # over the rows: the marketer's figure; the prosecutor's mean is groups/rows
    at_risk: float | None  # share of rows strictly above the threshold

    @property
    def max(self) -> float:
        return self.figure.value

    @property
    def per_row(self) -> NDArray[np.float64]:
        """The risk of each row's group, by group number."""
        return self.figure.per_group[self.members]

    def short_of(self, required: Any) -> Shortfall:
        """The groups whose risk exceeds the required maximum."""
        return self.figure.short_of(required)


def reidentification(classes: Sequence[Codes], threshold: Any = None) -> Reidentification:
    """The prosecutor's and the marketer's risk, each in the worse reading of "group"."""
    sizes = sizes_of_readings(classes)
    means = [len(size) / len(classes[0]) for size in sizes]
    return _measured("prosecutor risk", [1.0 / size for size in sizes], sizes, classes[0], means, threshold)


def journalist(consistent: NDArray[np.int64], classes: Sequence[Codes] | None = None, threshold: Any = None) -> Reidentification:
    """The journalist's risk. `consistent` counts the individuals of a population who match each record, as `expected_loss` does. A
    record that matches nobody cannot be linked, so its risk is 0. Without `classes`, every record is a group of its own; with them, the
    worst record of a group counts."""
    if len(consistent) == 0:
        raise InputRejected("The table has no rows to measure.", "Give a table with rows.")
    risk = np.where(consistent > 0, 1.0 / np.maximum(consistent, 1), 0.0)
    readings = [np.arange(len(risk), dtype=np.int32)] if classes is None else classes
    sizes = sizes_of_readings(readings)
    if any(len(reading) != len(risk) for reading in readings):
        raise InputRejected(f"{len(readings[0])} class numbers for {len(risk)} records.", "Give one class number per record.")
    worst = [np.zeros(len(size)) for size in sizes]
    for figures, reading in zip(worst, readings, strict=True):
        np.maximum.at(figures, reading, risk)
    return _measured("journalist risk", worst, sizes, readings[0], [float(risk.mean())], threshold)


def individual_risk(classes: Sequence[Codes], weights: NDArray[np.float64], threshold: Any = None) -> Reidentification:
    """Benedetti and Franconi (1998), as in μ-Argus. A group of f rows whose sampling weights add up to F̂ has p = f/F̂. Its size in the
    population, given f, has a negative binomial distribution, and the risk is E(1/F | f) = (p^f/f)·₂F₁(f, f; f+1; 1−p).

    Weights below 1 cannot make a population smaller than its sample: p is at most 1, and then the risk is the prosecutor's 1/f."""
    sizes = sizes_of_readings(classes)
    given = checked_weights(weights, len(classes[0]))
    risks = []
    for reading, size in zip(classes, sizes, strict=True):
        people = np.maximum(np.bincount(reading, weights=given), size)
        risks.append(_expected_inverse(size, size / people))
    means = [float(np.average(risk, weights=size)) for risk, size in zip(risks, sizes, strict=True)]
    return _measured("individual risk", risks, sizes, classes[0], means, threshold)


@dividing
def _expected_inverse(size: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """By Euler's transformation the risk is (p/f)·₂F₁(1, 1; f+1; q) = p·I(f), q = 1−p, I(f) = ∫₀¹ (1−t)^(f−1)/(1−qt) dt.

    Small p and f: I(1) = −ln p/q and q·I(f+1) = 1/f − p·I(f), which damps errors by p/q. Otherwise the series, whose terms then fall fast.
    (A library's ₂F₁ has no number for f = 200, p = 0.001.)"""
    out = np.empty(len(size))
    for group in range(len(size)):
        f, p = size[group], share[group]
        q = 1.0 - p
        if p < 0.5 and f < 20:
            integral = -np.log(p) / q
            for i in range(1, f):
                integral = (1.0 / i - p * integral) / q
            out[group] = p * integral
        else:
            total, term, k = 0.0, 1.0, 0
            while term > 1e-17 * total:
                total += term
                k += 1
                term *= k * q / (f + k)
            out[group] = p / f * total
    return out


def checked_weights(weights: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """Sampling weights: how many people of the population each row stands for. Refuses weights that are not positive numbers."""
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputRejected("Sampling weights must be numbers.", "Give one number per row.") from None
    if given.shape != (rows,):
        raise InputRejected(f"{given.size} sampling weights for {rows} rows.", "Give one weight per row.")
    if not ((given > 0) & (given <= MOST_PEOPLE)).all():
        raise InputRejected("A sampling weight is not a positive number of people.", "Correct the missing, 0, negative or infinite ones.")
    return given


def sizes_of_readings(classes: Sequence[Codes]) -> list[NDArray[np.int64]]:
    """The rows of each class, in each reading. An empty class would have infinite risk, so class numbers must have no gaps."""
    if not classes or len(classes[0]) == 0:
        raise InputRejected("The table has no rows to measure.", "Give a table with rows.")
    if any(len(reading) != len(classes[0]) for reading in classes):
        raise InputRejected("The readings of the classes have different numbers of rows.", "Give one class number per row in each reading.")
    return [class_sizes(reading) for reading in classes]


def _measured(
    name: str,
    risks: Sequence[NDArray[np.float64]],
    sizes: Sequence[NDArray[np.int64]],
    members: Codes,
    means: Sequence[float],
    threshold: Any,
) -> Reidentification:
    figure = Figure(name, Bound.AT_MOST, tuple(risks), tuple(sizes))
    above = None if threshold is None else figure.short_of(threshold).people / len(members)
    return Reidentification(figure, members, max(means), above)
