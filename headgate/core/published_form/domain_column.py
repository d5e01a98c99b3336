"""A quasi-identifier's domain, as a manifest describes it: a column without rows, which is what reading generalized cells needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Kind
from headgate.core.hierarchy import Hierarchy


def domain_column(
    name: str,
    kind: Kind,
    domain: tuple[float, float] | None = None,
    listed: Sequence[str] = (),
    paths: Sequence[Sequence[str]] = (),
) -> Column:
    """`listed`: the values in domain order, where the kind is not numeric and there is no hierarchy. `paths`: the hierarchy's rows."""
    none, codes = np.ones(1, dtype=bool), np.empty(0, dtype=np.int32)
    hierarchy = Hierarchy.from_rows(paths, name) if paths else None
    values: NDArray[Any] = np.array(listed, dtype=object) if hierarchy is None else hierarchy.leaves
    if kind.numeric:
        values = values.astype(np.float64)
    return Column(name, kind, codes, values, np.resize(none, len(values) + 1), kind.rules.domain_of(values, domain), hierarchy)
