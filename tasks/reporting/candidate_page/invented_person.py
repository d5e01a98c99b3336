"""Before and after, without anybody's row: a person who is made up from what is published most often."""

from __future__ import annotations

import numpy as np

from headgate.core.distinct import distinct_rows
from headgate.core.published_form.bounds import cell_ends
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedTable
from policies.sealed.promise import Promise
from policies.sealed.specs import domains_of
from tasks.reporting.candidate_page.page_content import Example

MOST_LOOKED_AT = 50  # combinations of cells


def invented_person(published: PublishedTable, promise: Promise) -> Example | None:
    """Of the combinations of cells that most rows have, the one with most coarse cells, and the middle of what each covers: made from the
    published cells alone. None for a table without quasi-identifiers."""
    names = tuple(published.cells)
    if not names or not published.rows:
        return None
    distinct, place = distinct_rows(np.stack([published.cells[name].codes for name in names], axis=1))
    people = np.bincount(place)
    domains = domains_of(promise)
    readers = [CellReader(domains[name]) for name in names]
    commonest = np.argsort(-people, kind="stable")[:MOST_LOOKED_AT]
    shown = [
        tuple(str(published.cells[name].texts[code]) for name, code in zip(names, distinct[number], strict=True)) for number in commonest
    ]
    coarse = [sum(_is_coarse(text, reader) for text, reader in zip(cells, readers, strict=True)) for cells in shown]
    chosen = int(np.argmax(coarse))  # of equal ones the first, which most rows have
    cells = shown[chosen]
    invented = tuple(_middle(text, reader) for text, reader in zip(cells, readers, strict=True))
    return Example(columns=names, invented=invented, published=cells, people=int(people[commonest[chosen]]))


def _is_coarse(text: str, reader: CellReader) -> bool:
    """Whether a cell covers several values."""
    if reader.column.kind.numeric:
        ends = cell_ends(text, reader)
        return ends is not None and ends[0] < ends[1]
    return int(reader.covers(text)[:-1].sum()) > 1


def _middle(text: str, reader: CellReader) -> str:
    """Of what a cell covers; "" for a missing cell."""
    column = reader.column
    if column.kind.numeric:
        ends = cell_ends(text, reader)
        middle = None if ends is None else sum(ends) / 2
        return "" if middle is None else str(column.kind.rules.cell_text(np.floor(middle) if column.kind.rules.whole else middle))
    places = np.flatnonzero(reader.covers(text)[:-1])
    return str(column.kind.rules.texts(column)[int(places[len(places) // 2])]) if len(places) else ""
