"""The privacy figures of any table, without a policy: `headgate check` and `headgate.check`.

Kinds follow the dtype: numbers are `number` with the observed range as domain, everything else is `category`. All values are
sensitive. A missing quasi-identifier is a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from headgate.columns import Codes, Column, Kind, Role
from headgate.distance import Distance
from headgate.distinct import distinct_rows
from headgate.encode import encode_column
from headgate.errors import InputRejected
from headgate.inferred import absent_column, inferred_spec
from headgate.principles.class_counts import count
from headgate.principles.closeness import closeness
from headgate.principles.delta_l import delta_l
from headgate.principles.dissimilarity import dissimilarity
from headgate.principles.diversity import diversity
from headgate.principles.epsilon_m import epsilon_m
from headgate.principles.k_anonymity import k_anonymity
from headgate.risk.reidentification import reidentification
from headgate.tolerance import exact
from headgate.utility.loss import discernibility


@dataclass(frozen=True)
class ReidentificationFigures:
    max: float
    mean: float


@dataclass(frozen=True)
class DeltaLFigures:
    interval: float
    definition: float
    window: float


@dataclass(frozen=True)
class EpsilonMFigures:
    epsilon: float
    m: float


@dataclass(frozen=True)
class AttributeFigures:
    """None where the option was not given or the kind has no such figure."""

    distinct_l: int
    frequency_l: float
    entropy_l: float
    closeness: float
    delta_l: DeltaLFigures | None = None
    epsilon_m: EpsilonMFigures | None = None


@dataclass(frozen=True)
class ProximityFigures:
    epsilon: float
    risk: float
    delta: float | None = None
    vulnerable_groups: int | None = None
    vulnerability: float | None = None


@dataclass(frozen=True)
class CheckResult:
    rows: int
    groups: int
    k: int
    mean_group: float
    discernibility: int
    reidentification: ReidentificationFigures
    sensitive: Mapping[str, AttributeFigures]
    proximity: ProximityFigures | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that `check --json` prints; what was not measured is absent."""
        found: dict[str, Any] = _plain(self)
        return found


def check(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    epsilon: Any = None,
    delta: Any = None,
    interval: Any = None,
    group: str | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
) -> CheckResult:
    """Groups are by quasi-identifier values, or by the column `group`. In a published table, where every group has one combination of
    quasi-identifiers, both readings are measured and the worse counts."""
    _check_names(frame, quasi, sensitive, group)
    if delta is not None and epsilon is None:
        raise InputRejected("δ without ε says nothing.", "Give ε too.")
    classes = _classes(frame, quasi, group)
    columns = [_column(frame, name, kinds or {}, hierarchies or {}) for name in sensitive]
    size = k_anonymity(classes)
    risk = reidentification(classes)
    proximity = None
    if epsilon is not None:
        near = dissimilarity(columns, classes, Distance(), epsilon, delta)
        proximity = ProximityFigures(near.epsilon, near.risk, near.delta, near.vulnerable_groups, near.vulnerability)
    return CheckResult(
        len(frame),
        size.groups,
        size.k,
        size.mean_group,
        discernibility(classes),
        ReidentificationFigures(risk.max, risk.mean),
        {column.name: _figures(column, classes, epsilon, interval) for column in columns},
        proximity,
    )


def _figures(column: Column, classes: Sequence[Codes], epsilon: Any, interval: Any) -> AttributeFigures:
    counted = count(column, classes)
    varied = diversity(counted)
    near = within = None
    if column.kind.numeric and interval is not None:
        found = delta_l(counted, interval)
        near = DeltaLFigures(found.interval, found.definition.value, found.window.value)
    if column.kind.numeric and epsilon is not None:
        measured = epsilon_m(counted, float(exact(epsilon)) * column.width)
        within = EpsilonMFigures(measured.epsilon, measured.m)
    return AttributeFigures(varied.distinct_l, varied.frequency_l, varied.entropy_l, closeness(counted).t, near, within)


def _check_names(frame: pd.DataFrame, quasi: Sequence[str], sensitive: Sequence[str], group: str | None) -> None:
    names = [str(name) for name in frame.columns]
    asked = [*quasi, *sensitive, *([group] if group is not None else [])]
    for name in asked:
        if names.count(name) > 1:
            raise InputRejected(f"The table has {names.count(name)} columns named '{name}'.", "Rename them.")
        if name not in names:
            raise absent_column(name, names, "the table")
        if asked.count(name) > 1:
            raise InputRejected(f"Column '{name}' is named twice.", "A column is quasi-identifier, sensitive or group, once.")
    if not quasi and group is None:
        raise InputRejected("There is no quasi-identifier.", "Name at least one, or the column that says the group.")
    if not sensitive:
        raise InputRejected("There is no sensitive attribute.", "Name at least one.")
    if len(frame) == 0:
        raise InputRejected("The table has no rows.", "Give a table with rows.")


def _classes(frame: pd.DataFrame, quasi: Sequence[str], group: str | None) -> list[Codes]:
    by_values = distinct_rows(np.stack([_cell_codes(frame[name]) for name in quasi], axis=1))[1] if quasi else None
    if group is None:
        return [] if by_values is None else [by_values]
    if frame[group].isna().any():
        raise InputRejected(f"{int(frame[group].isna().sum())} rows have no group in '{group}'.", "Give every row a group.")
    by_group = _cell_codes(frame[group])
    if by_values is None:
        return [by_group]
    pairs = int(distinct_rows(np.stack([by_group, by_values], axis=1))[1].max()) + 1
    return [by_group, by_values] if pairs == int(by_group.max()) + 1 else [by_group]


def _cell_codes(cells: pd.Series) -> Codes:
    """Equal cells alike, by position; the missing ones are one value."""
    return pd.factorize(cells, use_na_sentinel=True)[0].astype(np.int32)


def _column(frame: pd.DataFrame, name: str, kinds: Mapping[str, str], hierarchies: Mapping[str, Any]) -> Column:
    spec = inferred_spec(frame[name], name, Role.SENSITIVE, kinds, hierarchies)
    if spec.kind is Kind.VECTOR:
        raise InputRejected(f"'{name}' is one column, not a vector.", "Check vectors under a policy, which names their components.")
    return encode_column(frame[name], spec)


def _plain(found: Any) -> Any:
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items()}
    if hasattr(found, "__dataclass_fields__"):
        return {name: _plain(getattr(found, name)) for name in found.__dataclass_fields__ if getattr(found, name) is not None}
    return found
