"""What all tables of a release together lose."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np
from numpy.typing import ArrayLike

from policies.gates.figures import ReleaseUtility

TOLD = Context(prec=3, rounding=ROUND_CEILING)


def as_told(error: float) -> float:
    """To three digits, upwards. Errors are shares of counts in the source: to the last digit their mean tells what was counted, and with it
    the values of people who are in no table."""
    return float(TOLD.create_decimal(Decimal(repr(error)))) if np.isfinite(error) else error


def utility_of(tables: Sequence[tuple[int, float]], errors: ArrayLike, suppressed_share: float = 0.0) -> ReleaseUtility:
    """`tables`: rows and NCP of each; the loss is that of all their rows. `errors`: of the count queries of all tables, or the mean of each
    table that has something to count; where none has, the error is not known."""
    rows, known = sum(rows for rows, _ in tables), np.asarray(errors, dtype=np.float64)
    return ReleaseUtility(
        query_error_mean=as_told(float(known.mean())) if known.size else None,
        query_error_median=as_told(float(np.median(known))) if known.size else None,
        ncp=sum(ncp * rows for rows, ncp in tables) / rows,
        suppressed_share=suppressed_share,
    )
