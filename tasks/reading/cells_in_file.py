"""A refusal of cells that were read, or chosen among a person's rows, as whoever has the file finds them: its lines, its cells."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headgate.core.errors import CellsRejected
from policies.schema.policy import Policy
from policies.schema.rows_key import RowsKey
from tasks.reading.arrow_frame import holds_lists, texts_of
from tasks.reading.distinct_cells import distinct_texts
from tasks.reading.one_row_per_person import row_of_each_person
from tasks.reading.source import Source
from tasks.rows.people import NONE


def in_file(refusal: CellsRejected, opened: Source, policy: Policy | None, every: bool = False) -> CellsRejected:
    """With the cells as the file holds them, and its lines."""
    return opened.located(_as_written(refusal, opened, policy), every)


def people_in_file(
    refusal: CellsRejected, opened: Source, cells: pa.Table, policy: Policy, rows: RowsKey, every: bool = False
) -> CellsRejected:
    """The same where `rows` are those of people. What was made of several rows has no cell in the file: the person begins in the line."""
    name = _attribute_of(policy, refusal.column)
    chosen = row_of_each_person(cells, policy, rows, name, opened.name)
    begin = _first_rows(cells, rows, opened.name)
    if chosen is None:
        return opened.located(_moved(refusal, begin), every, people=True)
    return in_file(_moved(refusal, np.where(chosen == NONE, begin, chosen)), opened, policy, every)


def _moved(refusal: CellsRejected, place: NDArray[np.int64]) -> CellsRejected:
    """The same cells of the rows at which they stand, in the order of these."""
    rows = place[list(refusal.rows)]
    order = np.argsort(rows, kind="stable")
    shown = [refusal.cells[each] for each in order]
    return CellsRejected(refusal.column, refusal.wrong, refusal.cure, rows[order].tolist(), shown, sentence=refusal.sentence)


def _first_rows(cells: pa.Table, rows: RowsKey, where: str) -> NDArray[np.int64]:
    codes, _ = distinct_texts(cells.column(rows.per), rows.per, where)
    return np.sort(np.unique(codes, return_index=True)[1])


def _attribute_of(policy: Policy, column: str) -> str:
    """Whose column it is."""
    return next((name for name, attribute in policy.attributes.items() if column in attribute.read_columns(name)), column)


def _as_written(refusal: CellsRejected, opened: Source, policy: Policy | None) -> CellsRejected:
    """`map`, `decimal`, `date` and what is made from another column show a cell as nobody finds it in the file, which is read again."""
    attribute = None if policy is None else policy.attributes.get(refusal.column)
    column = refusal.column if attribute is None or attribute.origin is None else attribute.origin
    if column not in opened.names:
        return refusal
    cells = opened.read([column]).column(column)
    if holds_lists(cells.type):
        return refusal
    shown = texts_of(cells.take(pa.array(refusal.rows, pa.int64())), column, opened.name).fill_null("").to_pylist()
    return CellsRejected(refusal.column, refusal.wrong, refusal.cure, refusal.rows, shown, sentence=refusal.sentence)
