"""`publish_as` of a draft: how a number becomes less of a fingerprint, and its domain a measure of what is alike."""

from __future__ import annotations

import math
from collections.abc import Iterator

from headgate.core.columns import Kind, Role
from policies.drafting.column_roles import Guess
from policies.drafting.table_profile import ColumnProfile

SMALLEST_GROUP = 10
TOPS = (0.995, 0.99, 0.98, 0.95, 0.9)  # the share of the people up to whose number a long tail is published as it is
LARGE = 100  # weights up to which tenths may matter


def published_as(column: ColumnProfile, guess: Guess, people: int) -> list[str]:
    """`people`: at most so many have a number in it."""
    if guess.role is Role.WEIGHT:
        return [f"round: {decimal_of(_fine_step(column, guess.kind is Kind.INTEGER))}"]
    if guess.kind not in (Kind.NUMBER, Kind.INTEGER) or guess.role is not Role.SENSITIVE:
        return []
    coded = [f"round: {decimal_of(column.step)}"] if column.step is not None else []
    top = _top(column, people)
    return coded if top is None else [*coded, f"top: {top}"]


def said_of_coding(column: ColumnProfile, guess: Guess, people: int) -> Iterator[str]:
    coded = published_as(column, guess, people)
    if guess.role is Role.WEIGHT:
        yield "A rare weight is as good as a name to whoever knows it: publish_as rounds it. Choose how coarsely."
    elif coded and column.step is not None:
        yield "So many different numbers single people out: publish_as rounds them. Choose how coarsely."
    if column.tail is None or guess.role is not Role.SENSITIVE:
        return
    yield f"The largest value is {column.tail:,.0f} times the 99th percentile; ε is a share of the domain, so most others are alike."
    if (column.least or 0) > 0:
        yield "scale: log compares by ratios instead; its domain must begin above 0."
    top = _top(column, people)
    if top is not None:
        yield f"publish_as makes the largest {1 - top:.1%} one value (top). Choose where."
    else:
        yield "These are too few people for a top by their share, as at least k must lie beyond it: publish_as: {top: …} with a number."


def decimal_of(number: float) -> str:
    return f"{number:f}".rstrip("0").rstrip(".")


def _top(column: ColumnProfile, people: int) -> float | None:
    """The largest share that leaves enough people beyond it, where there is a tail; equal numbers at the bound need some room."""
    present = min(column.present, people)
    return next((top for top in TOPS if round(present * (1 - top), 6) >= 2 * SMALLEST_GROUP), None) if column.tail is not None else None


def _fine_step(column: ColumnProfile, whole: bool) -> float:
    """Of 1, 2, 5, 10 and so on, or their tenths, the largest that is at most a tenth of the smallest weight: no weight then changes by more
    than a twentieth. Weights on a coarser grid stay on it. Whole and large ones stay whole, as long as none becomes 0."""
    least = column.least or 1.0
    size = 10.0 ** math.floor(math.log10(least / 10))
    step = float(max(size * times for times in (1, 2, 5) if size * times <= least / 10 * (1 + 1e-9)))
    step = max(step, column.grid or 0.0)
    large = least > 0.5 and (column.greatest or 0.0) >= LARGE
    return max(step, 1.0) if whole or large else step
