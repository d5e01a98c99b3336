"""δ-disclosure privacy (Brickell, Shmatikov 2008; DEFINITIONS §5): max |ln(p_E(v)/p(v))| over the values v of the released table.

The paper's v runs over all of S, not over the values of the class: a value that the table holds and a class does not has p_E = 0 and
makes the class's figure infinite, since learning that somebody does *not* have v is what the absolute value is there for. That is
`figure`. The reading over the values that occur in the class (ARX, pyCANON) stands beside as `present`; it never exceeds it.

Only sensitive values count. A class without any of them has nothing to protect in `present`, but in `figure` it misses each of the
table's: it is the one class of which the attacker learns that nobody is concerned.
The paper asks for less than δ; a figure equal to δ is taken as met, since measured logarithms meet nothing exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.counting.class_counts import Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class DeltaDisclosure:
    figure: Figure  # δ; infinite where a class lacks a value
    present: Figure
    figure_all: Figure  # over all values, sensitive or not
    present_all: Figure


def delta_disclosure(counted: Counted) -> DeltaDisclosure:
    everything = np.ones_like(counted.column.sensitive)
    disclosure, present = _figures(counted, counted.column.sensitive)
    disclosure_all, present_all = _figures(counted, everything)
    return DeltaDisclosure(
        counted.figure_all("delta disclosure", Bound.AT_MOST, disclosure),
        counted.figure("delta disclosure of present values", Bound.AT_MOST, present),
        counted.figure_all("delta disclosure", Bound.AT_MOST, disclosure_all),
        counted.figure_all("delta disclosure of present values", Bound.AT_MOST, present_all),
    )


def _figures(counted: Counted, flags: NDArray[np.bool_]) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    totals = counted.totals()
    wanted = int((flags & (totals > 0)).sum())
    disclosure, present = [], []
    for counts in counted.readings:
        flagged = flags[counts.codes]
        logs = np.abs(np.log(counts.shares / (totals[counts.codes] / totals.sum())))
        most = np.maximum.reduceat(np.where(flagged, logs, 0.0), counts.starts[:-1])
        flagged_values = np.add.reduceat(flagged.astype(np.int64), counts.starts[:-1])
        present.append(most)
        disclosure.append(np.where(flagged_values < wanted, np.inf, most))
    return disclosure, present
