"""Which combinations of published cells carry the most risk: patterns, which many people share, and never the people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.core.distinct import distinct_rows
from headgate.core.published_form.published_table import PublishedTable
from headgate.risk.disclosure.decision import shares_of_risk
from headgate.risk.disclosure.expected_loss import DisclosureRisk


@dataclass(frozen=True)
class Pattern:
    """One combination of published cells on the fields that a dictionary shares."""

    cells: tuple[str, ...]
    records: int
    candidates: float  # |ρ|
    loss: float  # the largest ℓ of its records
    share: float  # of the whole risk


def riskiest(published: PublishedTable, fields: Sequence[str], risk: DisclosureRisk, most: int = 10) -> tuple[Pattern, ...]:
    """Those with the largest loss first; of equal ones that with more records. Patterns that risk nothing are left out."""
    distinct, place = distinct_rows(np.stack([published.cells[name].codes for name in fields], axis=1))
    records = np.bincount(place, minlength=len(distinct))
    largest = np.zeros(len(distinct))
    np.maximum.at(largest, place, risk.per_record)
    carried = np.bincount(place, weights=shares_of_risk(risk.per_record), minlength=len(distinct))
    first = np.zeros(len(distinct), dtype=np.int64)
    first[place] = np.arange(len(place))
    chosen = [number for number in np.lexsort((-records, -largest))[:most] if largest[number] > 0]
    return tuple(
        Pattern(
            tuple(str(published.cells[name].texts[code]) for name, code in zip(fields, distinct[number], strict=True)),
            int(records[number]),
            float(risk.consistent[first[number]]),
            float(largest[number]),
            float(carried[number]),
        )
        for number in chosen
    )
