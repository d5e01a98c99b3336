"""Turns a column of cells into a dictionary-encoded Column."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from headgate.core.calendar_parts import YEAR_BANDS
from headgate.core.columns import Column, Kind, Role, Table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.scale import Scale
from headgate.core.spelling import require_told_apart

THREADS, MANY_ROWS = 4, 100_000  # columns at once, and the rows from which that is worth it


@dataclass(frozen=True)
class ColumnSpec:
    """What a policy (or a dtype) says about one attribute."""

    name: str
    kind: Kind
    role: Role
    domain: tuple[float, float] | None = None
    levels: tuple[str, ...] = ()  # ordinals, lowest first
    declared: tuple[str, ...] = ()  # categories and sets: the only values allowed, where the policy lists them
    hierarchy: Hierarchy | None = None
    separator: str = "|"
    nonsensitive: frozenset[str | None] = field(default_factory=frozenset)  # None stands for a missing cell
    absent_sensitive: bool = False  # sets: is *not* having a value sensitive too
    weight: float = 1.0
    metric: str | None = None
    components: tuple[str, ...] = ()  # vectors: the source columns
    origin: str | None = None  # bitmap columns: the set attribute they come from
    year_bands: tuple[int, ...] = YEAR_BANDS  # dates: years per level between a year and everything
    scale: Scale = Scale.LINEAR  # numbers: whether they are compared by difference or by ratio


def encode_column(cells: pd.Series | pd.DataFrame, spec: ColumnSpec) -> Column:
    """Cells are taken by position; index labels mean nothing. Refuses what the spec does not allow, without naming a value."""
    rules = spec.kind.rules
    codes, values, hierarchy = rules.encode(cells, spec)
    if values.dtype == object:
        texts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
        require_told_apart((text for text in texts if isinstance(text, str)), spec.name)
    sensitive = np.ones(len(values) + 1, dtype=bool)
    sensitive[:-1] = rules.sensitive(values, spec)
    sensitive[-1] = None not in spec.nonsensitive
    return Column(
        spec.name,
        spec.kind,
        codes.astype(np.int32),
        values,
        sensitive,
        rules.domain(codes, values, spec),
        hierarchy,
        spec.weight,
        spec.metric,
        origin=spec.origin,
        components=spec.components,
        separator=spec.separator,
        year_bands=spec.year_bands,
        scale=spec.scale,
    )


def encode_table(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> Table:
    """All attributes that are kept, in the order of the specs."""
    kept = [spec for spec in specs.values() if spec.role in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE, Role.WEIGHT)]
    cells: list[pd.Series | pd.DataFrame] = []
    for spec in kept:
        wanted = list(spec.components) if spec.kind.rules.components else [spec.name]
        lacking = [name for name in wanted if name not in frame.columns]
        if lacking:
            raise InputRejected(f"Column '{lacking[0]}' is not in the data.", "Correct the name in the policy or in the data.")
        cells.append(frame[wanted] if spec.kind.rules.components else frame[spec.name])
    with ThreadPoolExecutor(THREADS if len(frame) >= MANY_ROWS else 1) as pool:
        columns = {spec.name: column for spec, column in zip(kept, pool.map(encode_column, cells, kept), strict=True)}

    def names(*roles: Role) -> tuple[str, ...]:
        return tuple(spec.name for spec in kept if spec.role in roles)

    beside = names(Role.INSENSITIVE, Role.WEIGHT)
    return Table(columns, names(Role.QUASI), names(Role.SENSITIVE), beside, next(iter(names(Role.WEIGHT)), None))
