"""Before and after, without anybody's row: a person who is made up from what is published most often."""

from __future__ import annotations

import numpy as np

from headgate.core.columns import Column
from headgate.core.distinct import distinct_rows
from headgate.core.published_form.bounds import cell_ends
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedTable
from policies.sealed.promise import Promise
from policies.sealed.specs import domains_of
from tasks.reporting.candidate_page.page_content import Example


def invented_person(published: PublishedTable, promise: Promise) -> Example | None:
    """The combination of cells that most rows have, and the middle of what each of its cells covers: computed from the published cells
    alone. None for a table without quasi-identifiers."""
    names = tuple(published.cells)
    if not names or not published.rows:
        return None
    distinct, place = distinct_rows(np.stack([published.cells[name].codes for name in names], axis=1))
    people = np.bincount(place)
    commonest = distinct[int(people.argmax())]
    cells = tuple(str(published.cells[name].texts[code]) for name, code in zip(names, commonest, strict=True))
    domains = domains_of(promise)
    invented = tuple(_middle(text, domains[name]) for name, text in zip(names, cells, strict=True))
    return Example(columns=names, invented=invented, published=cells, people=int(people.max()))


def _middle(text: str, column: Column) -> str:
    """Of what a cell covers; "" for a missing cell."""
    reader = CellReader(column)
    if column.kind.numeric:
        ends = cell_ends(text, reader)
        middle = None if ends is None else sum(ends) / 2
        return "" if middle is None else str(column.kind.rules.cell_text(np.floor(middle) if column.kind.rules.whole else middle))
    places = np.flatnonzero(reader.covers(text)[:-1])
    return str(column.kind.rules.texts(column)[int(places[len(places) // 2])]) if len(places) else ""
