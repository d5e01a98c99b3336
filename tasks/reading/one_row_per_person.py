"""Several rows of a person become one, as the policy's `rows` says, before anything else looks at the table.

Each cell that is chosen is a cell of the source, so that it is read as if the person had had this row alone; unions, sums and counts are
made. What the policy says nothing of must be the same in all rows of a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from headgate.core.columns import Kind, Role
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.spelling import value_text
from headgate.core.units import counted
from policies.schema.attribute import Attribute
from policies.schema.policy import Policy
from policies.schema.rows_key import RowsKey, Rule
from policies.words.fields import decimal_text
from tasks.reading.arrow_frame import holds_lists
from tasks.reading.distinct_cells import distinct_texts
from tasks.rows.choosing import Chosen, by_order, extreme, members, most_frequent, sums
from tasks.rows.people import NONE, People, people_of, ranks
from tasks.runtime.wording import inside

MOST_NAMED = 6  # columns in a message
MADE = (Rule.UNION, Rule.SUM, Rule.COUNT)  # of all rows of a person
PLACE = "\0row"  # no column of a source is called so
Codes = NDArray[np.int64]


def row_of_each_person(cells: pa.Table, policy: Policy, rows: RowsKey, name: str, where: str) -> Codes | None:
    """In which row of the source the cell of each person stands, NONE for people without one; None if it is made of several rows."""
    rule = rows.rules.get(name)
    if rule in MADE or name not in policy.attributes:
        return None
    table = _Table(cells.append_column(PLACE, pa.array(np.arange(cells.num_rows))), policy, where)
    people = table.people(rows.per)
    codes = table.codes(name, policy.attributes[name])
    chosen = table.combined(name, [PLACE], rule, codes, people, table.order(rows, people))
    return np.asarray(chosen[PLACE].fill_null(NONE).to_numpy(), dtype=np.int64)


def one_row_per_person(cells: pa.Table, policy: Policy, rows: RowsKey, where: str) -> pa.Table:
    """`cells`: the columns that were read, as the policy says that they are written. The result has one row per person, in the order of
    their first rows."""
    table = _Table(cells, policy, where)
    people = table.people(rows.per)
    order = table.order(rows, people)
    made: dict[str, pa.ChunkedArray | pa.Array] = {}
    varying: dict[str, int] = {}
    for name, attribute in policy.attributes.items():
        rule = rows.rules.get(name)
        columns = [column for column in attribute.read_columns(name) if column in cells.column_names]
        if rule is Rule.COUNT:
            made[name] = table.count(name, people)
        elif columns:
            codes = table.codes(name, attribute)
            if rule is None and (attribute.role is not Role.DROPPED or name not in (rows.order or ())):
                varying[name] = people.varying(codes.of_row)
            made.update(table.combined(name, columns, rule, codes, people, order))
    _refuse_varying({name: number for name, number in varying.items() if number}, policy, where)
    return pa.table({name: made[name] for name in (*cells.column_names, *(name for name in made if name not in cells.column_names))})


def _refuse_varying(varying: Mapping[str, int], policy: Policy, where: str) -> None:
    identifiers = [name for name in varying if policy.attributes[name].role is Role.IDENTIFIER]
    if identifiers:
        name = identifiers[0]
        raise InputRejected(
            f"'{name}' differs between the rows of {counted(varying[name], 'person', 'people')} in {inside(where)}: "
            "it numbers rows or cases, not people.",
            "Give it role: dropped.",
        )
    if varying:
        listed = ", ".join(f"'{name}' (of {counted(number, 'person', 'people')})" for name, number in [*varying.items()][:MOST_NAMED])
        more = f" and {counted(len(varying) - MOST_NAMED, 'other attribute')}" if len(varying) > MOST_NAMED else ""
        raise InputRejected(
            f"Rows of a person differ in attributes for which `rows` has no rule: {listed}{more}.",
            "Give each a rule in `rows`: union (sets), first, last, min, max, sum, count or mode; or role: dropped.",
        )


@dataclass(frozen=True, eq=False)
class _Codes:
    """Equal codes are equal cells; the greater the code, the greater the cell. `values`: of each code."""

    of_row: Codes
    values: Sequence[object]


@dataclass(frozen=True, eq=False)
class _Table:
    cells: pa.Table
    policy: Policy
    where: str

    def people(self, per: str) -> People:
        keys = self._encoded(per)[0]
        if (keys == NONE).any():
            without = np.flatnonzero(keys == NONE).tolist()
            sentence = f"Identifier '{per}' is missing in {counted(len(without), 'row')}"
            cure = "Give every row the identifier of its person."
            raise CellsRejected(per, ("", ""), cure, without, [""] * len(without), sentence=sentence)
        return people_of(keys)

    def order(self, rows: RowsKey, people: People) -> Codes:
        """The place of each row among those of all people. Rows of a person with several rows must have one."""
        if rows.order is None:
            return np.zeros(self.cells.num_rows, dtype=np.int64)
        place = ranks([self._order_key(name) for name in rows.order])
        without = np.unique(people.of_row[(place == NONE) & (people.sizes()[people.of_row] > 1)])
        if len(without):
            raise InputRejected(
                f"The rows of {counted(len(without), 'person', 'people')} cannot be put in order: {' or '.join(map(repr, rows.order))} "
                "is missing in some.",
                "Fill in these cells, order by another column, or choose rules that need no order.",
            )
        return place

    def _order_key(self, name: str) -> Codes:
        attribute = self.policy.attributes[name]
        if attribute.kind is not None:
            return self.codes(name, attribute).of_row
        codes, distinct = self._encoded(name)
        values = pd.to_numeric(pd.Series(distinct, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
        if np.isnan(values).any():
            values = min(values, _moments(distinct), key=lambda read: int(np.isnan(read).sum()))
        wrong = np.isnan(values)
        if wrong.any():
            cells = int(np.append(wrong, False)[codes].sum())
            be = "is neither a number nor a date" if cells == 1 else "are neither numbers nor dates"
            raise InputRejected(
                f"{counted(cells, 'cell')} of '{name}', by which rows are put in order, {be}.", "Write numbers, or dates as YYYY-MM-DD."
            )
        return _ranked(codes, values).of_row

    def codes(self, name: str, attribute: Attribute) -> _Codes:
        """By value: 7 and 7.0 are one number, a|b and b|a one set."""
        columns = attribute.read_columns(name)
        if len(columns) > 1:
            return self._combined_codes(columns)
        cells = self.cells.column(columns[0])
        if holds_lists(cells.type):
            return _of_sets([None if cell is None else frozenset(map(value_text, _present(cell))) for cell in cells.to_pylist()])
        codes, distinct = self._encoded(columns[0])
        kind = attribute.kind
        if kind is Kind.SET:
            parts = [frozenset(part.strip() for part in text.split(attribute.separator or "|")) - {""} for text in distinct]
            return _of_sets([*parts, None], codes)
        if kind is not None and kind.numeric:
            values = kind.rules.parsed(codes.astype(np.int32), np.array(distinct, dtype=object), name)  # type: ignore[attr-defined]
            return _ranked(codes, values, distinct)
        levels = {level: place for place, level in enumerate(attribute.level_names or ())}
        return _ranked(codes, np.array([levels.get(text, len(levels)) for text in distinct], dtype=np.int64), distinct, also=distinct)

    def _combined_codes(self, columns: Sequence[str]) -> _Codes:
        """Of a vector: missing where one of its columns is."""
        keys = [self._encoded(column)[0] for column in columns]
        return _Codes(ranks(keys), ())

    def count(self, name: str, people: People) -> pa.Array:
        if name not in self.cells.column_names:
            return pa.array(people.sizes())
        return pa.array(people.present(self._encoded(name)[0]))

    def _encoded(self, column: str) -> tuple[Codes, list[str]]:
        codes, distinct = distinct_texts(self.cells.column(column), column, self.where)
        return codes.astype(np.int64), distinct

    def combined(
        self, name: str, columns: Sequence[str], rule: Rule | None, codes: _Codes, people: People, order: Codes
    ) -> dict[str, pa.ChunkedArray | pa.Array]:
        if rule is Rule.SUM:
            totals = sums(people, codes.of_row, [_decimal(value) for value in codes.values])
            return {name: pa.array([None if each is None else decimal_text(each) for each in totals], pa.string())}
        if rule is Rule.UNION:
            return {name: self._union(name, codes, people)}
        chosen = CHOICES[rule](people, codes.of_row, order) if rule is not None else Chosen(people.any_row(codes.of_row))
        if chosen.tied:
            by = " and ".join(map(repr, self.policy.rows.order or ())) if self.policy.rows is not None else ""
            raise InputRejected(
                f"For {counted(chosen.tied, 'person', 'people')} it is not clear which value of '{name}' is the {rule}: "
                f"several of their rows have equal {by}.",
                "Add a column that decides, such as order: [visit_date, visit_number]; or choose another rule.",
            )
        rows = pa.array(chosen.rows, mask=chosen.rows == NONE)
        return {column: self.cells.column(column).take(rows) for column in columns}

    def _union(self, name: str, codes: _Codes, people: People) -> pa.Array:
        united = members(people, codes.of_row, [value for value in codes.values if isinstance(value, frozenset)])
        if holds_lists(self.cells.column(name).type):
            return pa.array([None if each is None else sorted(each) for each in united], pa.list_(pa.string()))
        mark = self.policy.attributes[name].separator or "|"
        return pa.array([None if each is None else mark.join(sorted(each)) or mark for each in united], pa.string())


CHOICES: Mapping[Rule, Callable[[People, Codes, Codes], Chosen]] = {
    Rule.FIRST: lambda people, codes, order: by_order(people, codes, order, last=False),
    Rule.LAST: lambda people, codes, order: by_order(people, codes, order, last=True),
    Rule.MIN: lambda people, codes, _: extreme(people, codes, largest=False),
    Rule.MAX: lambda people, codes, _: extreme(people, codes, largest=True),
    Rule.MODE: lambda people, codes, _: most_frequent(people, codes),
}


def _ranked(
    codes: Codes, values: NDArray[np.float64] | NDArray[np.int64], shown: Sequence[object] = (), also: Sequence[str] | None = None
) -> _Codes:
    """New codes in the order of the values; `also` parts those that are equal. `shown`: a cell of each."""
    keys = pd.DataFrame({"value": values, **({"also": also} if also is not None else {})})
    order = keys.sort_values(list(keys.columns), kind="stable").index.to_numpy()
    ordered = keys.iloc[order]
    changes = (
        np.append(False, (ordered.iloc[1:].to_numpy() != ordered.iloc[:-1].to_numpy()).any(axis=1)) if len(keys) else np.zeros(0, bool)
    )
    place = np.full(len(keys) + 1, NONE, dtype=np.int64)
    place[order] = np.cumsum(changes)
    firsts = order[np.append(True, changes[1:])] if len(keys) else order
    return _Codes(place[codes], [shown[first] for first in firsts] if len(shown) else ())


def _of_sets(sets: Sequence[frozenset[str] | None], codes: Codes | None = None) -> _Codes:
    """The last of `sets` stands for missing ones where codes are given."""
    known = sorted({each for each in sets if each is not None}, key=sorted)
    place = {each: code for code, each in enumerate(known)}
    numbered = np.array([NONE if each is None else place[each] for each in sets], dtype=np.int64)
    return _Codes(numbered if codes is None else numbered[codes], known)


def _moments(distinct: Sequence[str]) -> NDArray[np.float64]:
    """Days and moments as numbers; NaN for what is neither."""
    stamps = pd.to_datetime(pd.Series(list(distinct), dtype=object), format="ISO8601", errors="coerce", utc=True)
    seconds = stamps.astype("datetime64[us, UTC]").astype("int64").to_numpy() / 1e6
    return np.where(stamps.isna().to_numpy(), np.nan, seconds)


def _present(parts: Sequence[object]) -> list[object]:
    return [part for part in parts if part is not None]


def _decimal(text: object) -> Decimal:
    try:
        return Decimal(str(text))
    except InvalidOperation:
        return Decimal(repr(float(str(text))))
