"""The values that bind: which ones, how many rows have them, and what δ they leave room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headgate.advice.result import BindingValue, Setting
from headgate.advice.rungs import delta_text
from headgate.bounds.certificates import Certificate, Reason
from headgate.core.columns import Table

MOST = 3  # values named per attribute
NAMED = 3  # values of a certificate that are shown


def binding_values(table: Table, sensitive: Sequence[str], most: int = MOST) -> tuple[BindingValue, ...]:
    """The most frequent sensitive values of each attribute, the largest share first."""
    binding = []
    for column in table.select(sensitive):
        counts = np.where(column.sensitive, column.counts(), 0)
        for code in np.argsort(-counts, kind="stable")[:most].tolist():
            if counts[code] > 0:
                value = None if code == len(column.values) else column.values[code]
                binding.append(BindingValue(column.name, value, int(counts[code]), float(counts[code]) / table.rows))
    return tuple(sorted(binding, key=lambda entry: -entry.rows))


def binding_sentence(setting: Setting, with_values: bool) -> str:
    """Why no partition exists above the δ that is possible. Larger groups do not help: what holds for groups of k or more holds for
    larger groups too. `with_values` shows data."""
    certificate = setting.certificate
    if certificate is None:
        return ""
    where = f"at k = {setting.k} or more and ε = {setting.epsilon:g}"
    if setting.possible is None:
        bound = f"no partition exists {where}, whatever δ is ({certificate.limit})"
    else:
        bound = f"no partition exists above δ = {delta_text(setting.possible)} {where}"
    return f"{_concerned(certificate, with_values)}: {bound}."


def smallest_bounds(settings: Sequence[Setting]) -> list[Setting]:
    """For each ε, the smallest k for which δ is bounded. The bound also holds for all larger k. Equal bounds are listed once."""
    smallest: dict[float, Setting] = {}
    for setting in sorted(settings, key=lambda setting: setting.k):
        if setting.certificate is not None:
            smallest.setdefault(setting.epsilon, setting)
    bounds: dict[tuple[int, object], Setting] = {}
    for setting in smallest.values():
        bounds.setdefault((setting.k, setting.possible), setting)
    return list(bounds.values())


def _concerned(certificate: Certificate, with_values: bool) -> str:
    if certificate.reason is Reason.DISSIMILAR:
        named_values = f" ({_named(certificate)})" if with_values and certificate.values else ""
        return f"A row{named_values} has no more than {certificate.rows:,} rows that are dissimilar to it; {certificate.bound:,} are needed"
    share = f"{certificate.rows:,} rows, {100 * certificate.share:.1f} %,"
    shared = "share one value" if len(certificate.values) == 1 else "have values that are similar to each other"
    if with_values and certificate.values:
        return f"{share} {shared} ({_named(certificate)})"
    return f"{share} {shared} of {_attributes(certificate.columns)}"


def _attributes(columns: Sequence[str]) -> str:
    return ", ".join(columns) if len(columns) <= NAMED else f"{len(columns)} attributes"


def _named(certificate: Certificate) -> str:
    """`education: Bachelors`; of many values the first few, of values of several attributes the first."""
    most = NAMED if len(certificate.columns) == 1 else 1
    shown = "; ".join(_value_text(certificate.columns, value) for value in certificate.values[:most])
    return shown + (", among others" if len(certificate.values) > most else "")


def _value_text(columns: Sequence[str], value: Any) -> str:
    """A set that became bits (`attribute=value`) is shown as the values it has."""
    shown: dict[str, list[str]] = {}
    for name, cell in zip(columns, [value] if len(columns) == 1 else value, strict=True):
        attribute, bit, member = name.partition("=")
        if not bit or len(columns) == 1:
            shown[name] = [_text(cell)]
        elif cell is None or _text(cell) == "1":
            shown.setdefault(attribute, []).append(member if cell is not None else _text(cell))
        else:
            shown.setdefault(attribute, [])
    return ", ".join(f"{name}: {' and '.join(dict.fromkeys(texts)) or '–'}" for name, texts in shown.items())


def _text(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)
