"""Whether published ends of cells are those of the cells beside them: the reader's side of `publish.bounds`.

Shares no code with headgate.core.published_form.bounds, which makes the ends: only the syntax of cells and of the calendar.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from headgate.core.calendar_parts import calendar_span, format_day
from headgate.core.cells import Everything, Interval, Missing, Single, format_number, parse_cell
from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from policies.sealed.promise import Promise, QuasiIdentifier

Pair = tuple[str | None, str | None]


def wrong_ends(texts: Mapping[str, pa.ChunkedArray | pa.Array], promise: Promise) -> dict[str, int]:
    """By quasi-identifier, the rows whose low or high is not that of the cell; `texts` holds the published columns as text."""
    counted = {}
    for quasi in promise.quasi:
        if quasi.bounds is None:
            continue
        beside = pa.table({"cell": texts[quasi.name], "low": texts[quasi.bounds[0]], "high": texts[quasi.bounds[1]]})
        distinct = beside.group_by(["cell", "low", "high"]).aggregate([([], "count_all")]).to_pylist()
        rows = sum(row["count_all"] for row in distinct if (row["low"], row["high"]) != ends_of(row["cell"] or "", quasi))
        if rows:
            counted[quasi.name] = rows
    return counted


def ends_of(text: str, quasi: QuasiIdentifier) -> Pair | None:
    """As they should be written; None for a text that is no cell."""
    try:
        cell = parse_cell(text)
    except InputRejected:
        return None
    match cell:
        case Missing():
            return None, None
        case Everything():
            return _domain(quasi)
        case Single(label):
            return _under(label, quasi) or _of_part(label, label, quasi)
        case Interval(low, high):
            return _of_part(low, high, quasi, text)
    return None


def _domain(quasi: QuasiIdentifier) -> Pair | None:
    if quasi.kind is Kind.ORDINAL:
        levels = _levels(quasi)
        return levels[0], levels[-1]
    return None if quasi.domain is None else _numbers(quasi.domain, quasi)


def _under(label: str, quasi: QuasiIdentifier) -> Pair | None:
    """The least and the greatest value of those whose path has the node."""
    leaves = [path[0] for path in quasi.hierarchy if label in path]
    if not leaves:
        return None
    if quasi.kind is Kind.ORDINAL:
        ranks = sorted(_levels(quasi).index(leaf) for leaf in leaves)
        return _levels(quasi)[ranks[0]], _levels(quasi)[ranks[-1]]
    numbers = [float(leaf) for leaf in leaves]
    return _numbers((min(numbers), max(numbers)), quasi)


def _of_part(low: str, high: str, quasi: QuasiIdentifier, text: str = "") -> Pair | None:
    if quasi.kind is Kind.ORDINAL:
        return low, high
    if quasi.kind is Kind.DATE:
        span = calendar_span(text or low)
        return None if span is None else (format_day(span[0]), format_day(span[1]))
    try:
        return _numbers((float(low), float(high)), quasi)
    except ValueError:
        return None


def _numbers(ends: tuple[float, float], quasi: QuasiIdentifier) -> Pair:
    low, high = ((format_day(int(end)) if quasi.kind is Kind.DATE else format_number(end)) for end in ends)
    return low, high


def _levels(quasi: QuasiIdentifier) -> list[str]:
    return [path[0] for path in quasi.hierarchy] if quasi.hierarchy else list(quasi.values)
