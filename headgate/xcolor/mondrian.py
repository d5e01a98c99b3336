"""Mondrian (LeFevre, DeWitt, Ramakrishnan): cut the widest quasi-identifier at its median while both sides may stand.

XColor's baseline: with frequency l, no sensitive value makes up more than 1/l of a group."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from headgate.columns import Table
from headgate.errors import InputRejected
from headgate.tolerance import exact
from headgate.xcolor.anonymize import anonymize
from headgate.xcolor.limits import NeighbourhoodLimit, linkability
from headgate.xcolor.partition import Partition, Variant, XColorSettings


def mondrian(
    table: Table, sensitive: Sequence[str], k: int, seed: int, limits: Sequence[NeighbourhoodLimit] = (), frequency: Any = None
) -> Partition:
    """Groups of at least k, each within the limits; `frequency`: |E|/max count ≥ l for every sensitive attribute."""
    found = list(limits)
    if frequency is not None:
        least = exact(frequency)
        if least < 1:
            raise InputRejected(f"Frequency l = {frequency} asks for nothing.", "Give l ≥ 1.")
        found += [linkability(column, Fraction(1) / least, f"frequency l of {column.name}") for column in table.select(sensitive)]
    return anonymize(table, sensitive, XColorSettings(k, tuple(found), Variant.MONDRIAN), seed)
