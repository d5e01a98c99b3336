"""What advice says about one projected table. Binding values are data: for the steward's own terminal only."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from headgate.bounds.certificates import Certificate
from headgate.utility.mean_interval import Moments


@dataclass(frozen=True)
class Tried:
    """The result of grouping a table at one (k, ε, δ).

    `reached`: the groups satisfy all limits that the anonymizer enforces. `refused`: the gates that the published form still fails.
    Without groups that satisfy the limits nothing can be measured."""

    reached: bool
    refused: tuple[str, ...] = ()
    reason: str = ""  # why not reached, or why refused; holds no data value
    delta_reached: float | None = None  # 1 − risk
    loss: float | None = None  # NCP
    query_errors: Moments | None = None  # of relative errors of count queries; None: the table has nothing to count
    query_error_median: float | None = None
    linkability: float | None = None
    groups: int = 0
    rows: int = 0

    @property
    def passed(self) -> bool:
        return self.reached and not self.refused

    @property
    def query_error(self) -> float | None:
        """The mean."""
        return None if self.query_errors is None else self.query_errors.mean

    @property
    def query_error_interval(self) -> tuple[float | None, float | None]:
        """The 95 % interval of the mean; an end that is not known is None."""
        low, high = (None, None) if self.query_errors is None else self.query_errors.interval
        return low, high if high is not None and math.isfinite(high) else None


@dataclass(frozen=True)
class TriedDelta:
    """One δ that was tried."""

    delta: Fraction
    tried: Tried


@dataclass(frozen=True)
class Setting:
    """One (k, ε) and the δ it supports.

    `guaranteed`: the largest hundredth at which Lemma 2 promises groups that keep all limits (None: no δ). `reached`: the largest of those
    tried at which groups were found. `possible`: the largest hundredth that no certificate refutes (None: not even δ = 0); between the two
    nobody knows. `in_sample`: a larger δ than `reached` that a sample of the rows reached, at a loss for which the table was not tried."""

    k: int
    epsilon: float
    guaranteed: Fraction | None
    possible: Fraction | None
    certificate: Certificate | None = field(repr=False)  # of the smallest δ that is refuted
    largest_degree: int | None  # Θ; None where counting it would take too long
    bottleneck: float | None  # (1 − 1/k)·δ = 1 − 2Θ/n: the trade between k and δ (Inequality 4, guidance only)
    points: tuple[TriedDelta, ...]  # all that were tried, the largest δ first
    in_sample: Fraction | None = None

    @property
    def best(self) -> TriedDelta | None:
        return next((point for point in self.points if point.tried.reached), None)

    @property
    def frontier(self) -> tuple[TriedDelta, ...]:
        """The settings that were reached, the largest δ first: δ against loss."""
        return tuple(point for point in self.points if point.tried.reached)

    @property
    def reached(self) -> Fraction | None:
        return None if self.best is None else self.best.delta

    @property
    def why_not(self) -> str:
        """Why no δ was reached; empty if one was."""
        if self.best is not None:
            return ""
        if self.points:
            return self.points[-1].tried.reason
        return "" if self.certificate is None else self.certificate.sentence()


@dataclass(frozen=True)
class BindingValue:
    """A sensitive value that many rows have: what limits linkability and δ. `value` is data."""

    attribute: str
    value: Any = field(repr=False)
    rows: int
    share: float


@dataclass(frozen=True)
class TableAdvice:
    """Advice on one projected table."""

    sensitive: tuple[str, ...]
    rows: int
    epsilon_means: tuple[tuple[str, float], ...]  # attribute, and the share of the table's weight that it holds
    settings: tuple[Setting, ...]
    binding: tuple[BindingValue, ...]

    def at(self, k: int, epsilon: float) -> Setting | None:
        return next((setting for setting in self.settings if setting.k == k and setting.epsilon == epsilon), None)

    def to_json(self) -> dict[str, Any]:
        """Plain values that include data: not for logs."""
        binding = [
            {"attribute": entry.attribute, "value": _plain(entry.value), "rows": entry.rows, "share": entry.share} for entry in self.binding
        ]
        return {
            "sensitive": list(self.sensitive),
            "rows": self.rows,
            "weights": dict(self.epsilon_means),
            "settings": [_setting_json(entry) for entry in self.settings],
            "binding": binding,
        }


def _setting_json(setting: Setting) -> dict[str, Any]:
    best = setting.best.tried if setting.best is not None else Tried(False)
    return {
        "k": setting.k,
        "epsilon": setting.epsilon,
        "guaranteed": _number(setting.guaranteed),
        "reached": _number(setting.reached),
        "reached_in_sample": _number(setting.in_sample),
        "possible": _number(setting.possible),
        "refuted_by": None if setting.certificate is None else setting.certificate.sentence(),
        "why_not": setting.why_not,
        "linkability": best.linkability,
        "ncp": best.loss,
        "query_error_mean": best.query_error,
        "query_error_low": best.query_error_interval[0],
        "query_error_high": best.query_error_interval[1],
        "refused_by": list(best.refused),
        "largest_degree": setting.largest_degree,
        "bottleneck": setting.bottleneck,
        "frontier": [point_json(point) for point in setting.frontier],
    }


def point_json(point: TriedDelta) -> dict[str, Any]:
    tried = point.tried
    return {
        "delta": float(point.delta),
        "delta_reached": tried.delta_reached,
        "ncp": tried.loss,
        "query_error_mean": tried.query_error,
        "query_error_low": tried.query_error_interval[0],
        "query_error_high": tried.query_error_interval[1],
        "query_error_median": tried.query_error_median,
        "linkability": tried.linkability,
        "groups": tried.groups,
        "refused_by": list(tried.refused),
    }


def _number(delta: Fraction | None) -> float | None:
    return None if delta is None else float(delta)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(part) for part in value] if isinstance(value, tuple | np.ndarray) else value
