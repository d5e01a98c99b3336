"""Singling out by all that is published, not by quasi-identifiers alone (DEFINITIONS §12)."""

from __future__ import annotations

import numpy as np

from headgate.core.columns import Column
from headgate.core.distinct import places
from headgate.core.published_form.published_table import PublishedTable


def unique_rows(published: PublishedTable) -> float:
    """The share of rows that no other row equals in all columns but the group number: whoever knows as much of a person finds their row."""
    columns = (*published.sensitive.values(), *published.insensitive.values())
    place = places([*(cells.codes for cells in published.cells.values()), *(column.codes for column in columns)])
    return float((np.bincount(place) == 1).sum() / published.rows)


def unique_values(column: Column, without: int = 0) -> float:
    """The share of its values, missing ones aside, that occur once in the table; at best, if so many rows may be left out."""
    counts = column.counts()[:-1]
    once, present = int((counts == 1).sum()), int(counts.sum())
    gone = min(without, once)
    return (once - gone) / max(present - gone, 1)
