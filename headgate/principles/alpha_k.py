"""(α, k)-anonymity (Wong, Li, Fu, Wang 2006): in every class a sensitive value has at most the share α, and every class k rows.

α = max count/|E|. The paper names one sensitive value; here each one is. `alpha_all` is the figure over all values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.counting.class_counts import Counted
from headgate.counting.figure import Bound, Figure


@dataclass(frozen=True, eq=False)
class AlphaK:
    alpha: Figure
    alpha_all: Figure
    k: Figure  # of every class, whatever values it holds

    def holds(self, alpha: Any, k: int) -> bool:
        return self.alpha.short_of(alpha).met and self.k.short_of(k).met


def alpha_k(counted: Counted) -> AlphaK:
    sensitive = counted.column.sensitive
    return AlphaK(
        counted.figure("alpha", Bound.AT_MOST, [counts.largest(sensitive) / counts.sizes for counts in counted.readings]),
        counted.figure_all("alpha", Bound.AT_MOST, [counts.largest() / counts.sizes for counts in counted.readings]),
        counted.figure_all("k", Bound.AT_LEAST, [sizes.astype(np.float64) for sizes in counted.sizes]),
    )
