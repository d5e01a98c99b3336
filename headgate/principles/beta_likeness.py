"""β-likeness (Cao, Karras 2012; DEFINITIONS §5): how much likelier a value is in a class than in the released table.

basic: gain(v) = (p_E − p)/p ≤ β for every value with p_E > p.   enhanced: gain(v) ≤ min(β, −ln p), so that a frequent value cannot
become a certain one: the figure is the least β under which it holds, infinite where −ln p itself is exceeded and no β helps.

Only gains count: a value that is rarer in a class than in the table is not a threat in this model. `…_all` is over all values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.tolerance import TOLERANCE
from headgate.counting.class_counts import ClassCounts, Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class BetaLikeness:
    basic: Figure
    enhanced: Figure
    basic_all: Figure
    enhanced_all: Figure


def beta_likeness(counted: Counted) -> BetaLikeness:
    everything = np.ones_like(counted.column.sensitive)
    basic, enhanced = _figures(counted, counted.column.sensitive)
    basic_all, enhanced_all = _figures(counted, everything)
    return BetaLikeness(
        counted.figure("basic beta", Bound.AT_MOST, basic),
        counted.figure("enhanced beta", Bound.AT_MOST, enhanced),
        counted.figure_all("basic beta", Bound.AT_MOST, basic_all),
        counted.figure_all("enhanced beta", Bound.AT_MOST, enhanced_all),
    )


def _figures(counted: Counted, flags: NDArray[np.bool_]) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    basic, enhanced = [], []
    totals = counted.totals()
    for counts in counted.readings:
        shares = totals[counts.codes] / totals.sum()
        gain = np.where(flags[counts.codes], np.maximum(counts.shares / shares - 1.0, 0.0), 0.0)
        cap = -np.log(shares)
        beyond = gain > cap + TOLERANCE * np.maximum(1.0, np.maximum(gain, cap))
        basic.append(_largest(counts, gain))
        enhanced.append(_largest(counts, np.where(beyond, np.inf, gain)))
    return basic, enhanced


def _largest(counts: ClassCounts, entries: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.maximum.reduceat(entries, counts.starts[:-1]))
