"""What all tables of a release together lose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from headgate.utility.mean_interval import Moments
from policies.gates.figures import ReleaseUtility

TOLD, TOLD_DOWN = (Context(prec=3, rounding=rounding) for rounding in (ROUND_CEILING, ROUND_FLOOR))


def as_told(error: float, to: Context = TOLD) -> float:
    """To three digits, upwards. Errors are shares of counts in the source: to the last digit their mean tells what was counted, and with it
    the values of people who are in no table."""
    return float(to.create_decimal(Decimal(repr(error)))) if math.isfinite(error) else error


def errors_as_told(errors: Moments | None, median: float | None) -> dict[str, float | None]:
    """The fields of figures that tell of count queries: the mean, its interval and the median. An end that is not known is left out."""
    if errors is None or median is None:
        return {}
    low, high = errors.interval
    return {
        "query_error_mean": as_told(errors.mean),
        "query_error_low": as_told(low, TOLD_DOWN),
        "query_error_high": as_told(high) if math.isfinite(high) else None,
        "query_error_median": as_told(median),
    }


def utility_of(
    tables: Sequence[tuple[int, float]], errors: Moments | None, median: float | None, suppressed_share: float = 0.0
) -> ReleaseUtility:
    """`tables`: rows and NCP of each; the loss is that of all their rows. `errors` and `median`: of the count queries of all tables that
    have something to count; where none has, the error is not known."""
    rows = sum(rows for rows, _ in tables)
    return ReleaseUtility(
        **errors_as_told(errors, median),
        ncp=sum(ncp * rows for rows, ncp in tables) / rows,
        suppressed_share=suppressed_share,
    )
