"""Re-identification as its users know it (DEFINITIONS §7): prosecutor, marketer, journalist, and the individual risk of a survey's rows.

The prosecutor knows that the victim is in the table: 1/|group|. The marketer wants as many as possible: the mean over the rows.
The journalist only knows a population that the table was drawn from: 1/(individuals there who fit), counted from a population table
(`headgate.risk.journalist`) or estimated from sampling weights (`individual_risk`). Suppressed rows are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import hyp2f1

from headgate.columns import Codes
from headgate.errors import InputRejected
from headgate.principles.figure import Bound, Figure, Shortfall
from headgate.tolerance import TOLERANCE, exact


@dataclass(frozen=True, eq=False)
class Reidentification:
    """One attacker's chance to name the person behind each row, in the worse reading of "group"."""

    figure: Figure  # per group, at most so much is wanted
    members: Codes  # the group of each row, in the first reading
    mean: float  # over the rows: the marketer's figure; the prosecutor's mean is groups/rows
    at_risk: float | None  # share of rows strictly above the threshold

    @property
    def max(self) -> float:
        return self.figure.value

    @property
    def per_row(self) -> NDArray[np.float64]:
        """By group number."""
        return self.figure.per_group[self.members]

    def short_of(self, required: Any) -> Shortfall:
        """The groups whose risk exceeds what is required."""
        return self.figure.short_of(required)


def reidentification(classes: Sequence[Codes], threshold: Any = None) -> Reidentification:
    """Prosecutor and marketer. Each figure in the worse reading of "group"."""
    sizes = class_sizes(classes)
    return _risks("prosecutor risk", [1.0 / size for size in sizes], sizes, classes[0], threshold)


def journalist(consistent: NDArray[np.int64], classes: Sequence[Codes] | None = None, threshold: Any = None) -> Reidentification:
    """`consistent` counts the individuals of a population who fit each record, as `headgate.risk.disclosure` does. A record that fits
    nobody cannot be linked: 0. Without `classes` every record is a group of its own; with them a group's worst record counts."""
    if len(consistent) == 0:
        raise InputRejected("There are no rows to measure.", "Give a table with rows.")
    risk = np.where(consistent > 0, 1.0 / np.maximum(consistent, 1), 0.0)
    readings = [np.arange(len(risk), dtype=np.int32)] if classes is None else classes
    sizes = class_sizes(readings)
    if any(len(reading) != len(risk) for reading in readings):
        raise InputRejected(f"{len(readings[0])} class numbers for {len(risk)} records.", "Give one class number a record.")
    worst = [np.zeros(len(size)) for size in sizes]
    for figures, reading in zip(worst, readings, strict=True):
        np.maximum.at(figures, reading, risk)
    found = _risks("journalist risk", worst, sizes, readings[0], threshold)
    return Reidentification(found.figure, found.members, float(risk.mean()), None if threshold is None else _above(risk, threshold))


def individual_risk(classes: Sequence[Codes], weights: NDArray[np.float64], threshold: Any = None) -> Reidentification:
    """Benedetti and Franconi (1998), as in μ-Argus: a group of f rows whose sampling weights add up to F̂ has p = f/F̂, its size in the
    population has given f a negative binomial distribution, and the risk is E(1/F | f) = (p^f/f)·₂F₁(f, f; f+1; 1−p).

    Euler's transformation makes that (p/f)·₂F₁(1, 1; f+1; 1−p), which neither overflows nor cancels. Weights below 1 cannot make
    a population smaller than its sample: p is at most 1, where the risk is the prosecutor's 1/f."""
    sizes = class_sizes(classes)
    given = checked_weights(weights, len(classes[0]))
    risks = []
    for reading, size in zip(classes, sizes, strict=True):
        p = np.minimum(size / np.bincount(reading, weights=given), 1.0)
        risks.append(_expected_inverse(size, p))
    return _risks("individual risk", risks, sizes, classes[0], threshold)


def _expected_inverse(size: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each distinct pair of a size and a share is worked out once."""
    pairs, place = np.unique(size + 1j * p, return_inverse=True)
    f, share = pairs.real, pairs.imag
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = share * -np.log(share) / (1.0 - share)  # f = 1 in closed form: the series is slow where p is small
    several = share / f * hyp2f1(1.0, 1.0, f + 1.0, 1.0 - share)
    risk = np.where(share >= 1.0, 1.0 / f, np.where((f == 1) & (share < 0.999), alone, several))
    if not np.isfinite(risk).all():
        raise InputRejected("The individual risk of some rows cannot be computed.", "Check the sampling weights.")
    return np.asarray(np.clip(risk, 0.0, 1.0 / f)[place])


def checked_weights(weights: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """Sampling weights: how many of the population each row stands for."""
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (rows,):
        raise InputRejected(f"{given.size} sampling weights for {rows} rows.", "Give one weight a row.")
    if not (np.isfinite(given) & (given > 0)).all():
        raise InputRejected("Sampling weights must be positive numbers.", "Correct the rows whose weight is missing, 0, negative or infinite.")
    return given


def class_sizes(classes: Sequence[Codes]) -> list[NDArray[np.int64]]:
    """Rows of each class, in each reading; an empty class would have infinite risk, so numbers must have no gaps."""
    if not classes or len(classes[0]) == 0:
        raise InputRejected("There are no rows to measure.", "Give a table with rows.")
    sizes = []
    for reading in classes:
        if len(reading) != len(classes[0]):
            raise InputRejected("The readings of the classes have different numbers of rows.", "Give one class number a row in each.")
        sizes.append(np.bincount(reading) if reading.min() >= 0 else np.zeros(1, dtype=np.int64))
        if (sizes[-1] == 0).any():
            raise InputRejected("Classes must be numbered 0, 1, 2 … without gaps.", "Number them anew, without the suppressed rows.")
    return sizes


def _risks(
    name: str, risks: Sequence[NDArray[np.float64]], sizes: Sequence[NDArray[np.int64]], members: Codes, threshold: Any
) -> Reidentification:
    rows = len(members)
    means = [float(risk @ size) / rows for risk, size in zip(risks, sizes, strict=True)]
    above = None
    if threshold is not None:
        above = max(_above(risk, threshold, size) for risk, size in zip(risks, sizes, strict=True))
    return Reidentification(Figure(name, Bound.AT_MOST, tuple(risks), tuple(sizes)), members, max(means), above)


def _above(risk: NDArray[np.float64], threshold: Any, sizes: NDArray[np.int64] | None = None) -> float:
    """Share of rows strictly above."""
    bound = float(exact(threshold))
    over = ~(risk <= bound + TOLERANCE * max(1.0, abs(bound)))  # risks are at most 1
    return float(np.average(over, weights=sizes))
