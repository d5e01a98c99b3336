"""What all tables of a release together lose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from policies.gates.figures import ReleaseUtility


def utility_of(tables: Sequence[tuple[int, float]], errors: ArrayLike, suppressed_share: float = 0.0) -> ReleaseUtility:
    """`tables`: rows and NCP of each; the loss is that of all their rows. `errors`: of the count queries of all tables, or the mean of each
    table that has something to count; where none has, the error is not known."""
    rows, known = sum(rows for rows, _ in tables), np.asarray(errors, dtype=np.float64)
    return ReleaseUtility(
        query_error_mean=float(known.mean()) if known.size else None,
        query_error_median=float(np.median(known)) if known.size else None,
        ncp=sum(ncp * rows for rows, ncp in tables) / rows,
        suppressed_share=suppressed_share,
    )
