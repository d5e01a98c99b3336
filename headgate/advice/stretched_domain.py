"""Where a few values stretch the domain of a number, ε is a share of a width that hardly anybody needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.core.columns import Column
from headgate.core.distance import Distance
from headgate.core.scale import Scale
from headgate.principles.dissimilarity import dissimilarity

MOST_PEOPLE = 0.99  # of those who have a number
STRETCHED = 4.0  # times as wide as that many need, and more


@dataclass(frozen=True)
class StretchedDomain:
    """`times`: how much wider the domain is than the narrower stretch, from one of its ends, that 99 % of the numbers lie in. `alike`: the
    largest share of the other people that one person is alike to."""

    times: float
    from_low_end: bool
    alike: float


def stretched_domain(column: Column, epsilon: Any) -> StretchedDomain | None:
    """None where most numbers take up a good part of the domain, or where they are compared by ratios."""
    counts = column.counts()[:-1]
    if not column.kind.numeric or column.domain is None or column.scale is Scale.LOG or column.width <= 0 or counts.sum() < 2:
        return None
    (low, high), values = column.domain, column.values.astype(np.float64)
    rows = np.cumsum(counts)
    most = values[np.searchsorted(rows, np.ceil(MOST_PEOPLE * rows[-1]))]
    least = values[np.searchsorted(rows, np.floor((1 - MOST_PEOPLE) * rows[-1]), side="right")]
    needed, from_low_end = min((most - low, True), (high - least, False))
    if needed <= 0 or column.width < STRETCHED * needed:
        return None
    everybody = np.zeros(len(column), dtype=np.int32)
    alike = dissimilarity([column], [everybody], Distance(weights={column.name: 1.0}), epsilon).risk_all
    return StretchedDomain(column.width / needed, from_low_end, alike)
