"""The source's cells as the policy says that they are written, before anything else sees them: numbers with a point, days as YYYY-MM-DD,
codes as words; and what is made from them, such as an age from a birth date. Each distinct text is read once."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from headgate.core.columns import Role
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.units import counted
from policies.intake.age_at import AgeAt
from policies.intake.recoding import Recoding, Unmapped
from policies.intake.rule import UNREAD, Read, Rule, Unread
from policies.intake.written_days import WrittenDays
from policies.intake.written_numbers import WrittenNumbers
from policies.schema.attribute import Attribute
from policies.schema.intake_keys import forms_of, span_of
from policies.schema.policy import Policy
from tasks.formats.cell_texts import ALL, SOME, typed_in
from tasks.reading.arrow_frame import holds_lists
from tasks.reading.distinct_cells import NONE, Places, coded_texts, distinct_texts, in_order
from tasks.reading.references import References
from tasks.runtime.wording import inside

Way = Callable[[str], tuple[Read, Rule]]  # from a text to what it is read as, by the rule that read it last


def attributes_read(policy: Policy, others: Sequence[str] = ()) -> list[str]:
    """Those whose columns a release reads: all that are not dropped, what these are made from, and the others that are named."""
    origins = {attribute.origin for attribute in policy.attributes.values()}
    return [
        name
        for name, attribute in policy.attributes.items()
        if attribute.origin is None and (attribute.role is not Role.DROPPED or name in origins or name in others)
    ]


def read_by_value(policy: Policy) -> list[str]:
    """Columns of the source of which nothing matters but the numbers that their cells are."""
    if policy.rows is not None:
        return []
    origins = {attribute.origin for attribute in policy.attributes.values()}
    plain = {
        name: attribute
        for name, attribute in policy.attributes.items()
        if attribute.kind is not None and attribute.kind.rules.storage in ("number", "integer") and attribute.hierarchy is None
        if name not in origins and attribute.origin is None and _way_of(attribute, pa.string(), False) is None
    }
    return [column for name, attribute in plain.items() for column in attribute.read_columns(name)]


def prepared_cells(policy: Policy, references: References, cells: pa.Table, where: str, others: Sequence[str] = ()) -> pa.Table:
    """One column for each column that encoding reads, and for the others that are named."""
    columns: dict[str, pa.ChunkedArray] = {}
    refusals: list[CellsRejected] = []
    for name, attribute in policy.attributes.items():
        made = name in policy.counted and name not in cells.column_names  # a column that `rows` makes
        if (attribute.role is not Role.DROPPED or name in others) and not made:
            try:
                columns |= attribute_cells(policy, references, cells, name, where)
            except CellsRejected as refusal:
                refusals.append(refusal)
    if refusals:
        raise _with_others(refusals)
    return pa.table(columns)


def _with_others(refusals: Sequence[CellsRejected]) -> CellsRejected:
    """The first, and how many cells of other columns cannot be read either, so that they are corrected in one go."""
    first, counts = refusals[0], {refusal.column: len(refusal.rows) for refusal in refusals}
    others = [f"{counted(number, 'cell')} of '{name}'" for name, number in counts.items() if name != first.column]
    listed = f"{', '.join(others[:-1])} and {others[-1]}" if len(others) > 1 else "".join(others)
    also = f" Look at {listed} too: `headgate check TABLE --lines COLUMN --policy POLICY` lists them." if others else ""
    return CellsRejected(first.column, first.wrong, first.cure + also, first.rows, first.cells)


def attribute_cells(policy: Policy, references: References, cells: pa.Table, name: str, where: str) -> dict[str, pa.ChunkedArray]:
    """The columns of one attribute."""
    attribute = policy.attributes[name]
    if attribute.origin is not None:
        origin = policy.attributes[attribute.origin]
        source = read_cells(cells, origin, attribute.origin, where)
        return {name: _made(source, attribute, name, references.regions.get(name, {}), where)}
    return {column: read_cells(cells, attribute, column, where) for column in attribute.read_columns(name)}


def read_cells(source: pa.Table, attribute: Attribute, column: str, where: str) -> pa.ChunkedArray:
    """One column of the source."""
    cells, typed = source.column(column), typed_in(source, column)
    if typed == SOME and (attribute.decimal or attribute.thousands or attribute.date):
        raise InputRejected(
            f"Column '{column}' of {inside(where)} holds numbers or days of the file's own beside texts.",
            "Make all its cells texts, or all of them numbers or days.",
        )
    if attribute.empty is not None or (attribute.map is not None and attribute.is_set):
        return _sets(cells, attribute, column, where)
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    way = _way_of(attribute, kind, typed == ALL)
    return cells if way is None else _each(cells, way, column, where)


def _made(cells: pa.ChunkedArray, attribute: Attribute, name: str, table: Mapping[str, str], where: str) -> pa.ChunkedArray:
    rules: list[Rule] = []
    if attribute.age is not None:
        rules.append(AgeAt(attribute.age.origin, datetime.date.fromisoformat(attribute.age.at)))
    if attribute.region is not None:
        table_of = f"the table {attribute.region.path}"
        rules.append(Recoding(table, attribute.unmapped or Unmapped.REFUSE, table_of, "`unmapped: missing`"))
    if attribute.bands is not None:
        rules.append(attribute.bands.rule)
    origin = attribute.origin or name
    return _each(cells, lambda text: _through(rules, text), origin, where)


def _way_of(attribute: Attribute, kind: pa.DataType, typed: bool) -> Way | None:
    """None where the cells stay as they are. Numbers and days that have a type of their own in the file are read already."""
    text = not typed and not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_temporal(kind)
    )
    written: list[Rule] = []
    if text and (attribute.decimal or attribute.thousands or attribute.unit):
        written.append(WrittenNumbers(attribute.decimal or ".", attribute.thousands, attribute.unit or ()))
    if text and attribute.date:
        written.append(WrittenDays(tuple(forms_of(attribute.date)), span_of(attribute.domain)))
    banded: list[Rule] = [attribute.bands.rule] if attribute.bands is not None else []
    table = attribute.map
    if table is None:
        return (lambda text: _through([*written, *banded], text)) if written or banded else None
    recoding = Recoding(table, attribute.unmapped or Unmapped.REFUSE)

    def way(text: str) -> tuple[Read, Rule]:
        """What the map gives is written as headgate writes it."""
        found = recoding.read(text)
        if not isinstance(found, str):
            return found, recoding
        rules = banded if text in table else [*written, *banded]
        return _through(rules, found) if rules else (found, recoding)

    return way


def _through(rules: Sequence[Rule], text: str) -> tuple[Read, Rule]:
    found: Read = text
    for rule in rules:
        found = rule.read(text)
        if not isinstance(found, str):
            return found, rule
        text = found
    return found, rules[-1]


def _each(cells: pa.ChunkedArray, way: Way, column: str, where: str) -> pa.ChunkedArray:
    """Every distinct text once. The rule that most cells fall foul of is the one that is told."""
    codes, texts = distinct_texts(cells, column, where)
    read = [way(text) for text in texts]
    if any(isinstance(found, Unread) for found, _ in read):
        raise _refusal(codes, texts, [rule if isinstance(found, Unread) else None for found, rule in read], column)
    return coded_texts(*in_order(codes, [found if isinstance(found, str) else None for found, _ in read]))


def _refusal(codes: Places, texts: Sequence[str], failed: Sequence[Rule | None], column: str) -> CellsRejected:
    sentences = {rule.wrong: rule for rule in failed if rule is not None}
    rows = {
        sentence: np.flatnonzero(np.array([rule is not None and rule.wrong == sentence for rule in failed] + [False])[codes])
        for sentence in sentences
    }
    most = max(rows, key=lambda sentence: len(rows[sentence]))
    return CellsRejected(column, most, sentences[most].cure, rows[most].tolist(), [texts[code] for code in codes[rows[most]]])


def _sets(cells: pa.ChunkedArray, attribute: Attribute, column: str, where: str) -> pa.ChunkedArray:
    """Members are recoded one by one; a missing set is the empty one where the policy says so."""
    mark = attribute.separator or "|"
    recoding = None if attribute.map is None else Recoding(attribute.map, attribute.unmapped or Unmapped.REFUSE)
    if holds_lists(cells.type):
        return _lists(cells, recoding, attribute.empty == "none", column)
    if recoding is not None:
        cells = _each(cells, lambda text: _members(text, mark, recoding), column, where)
    codes, texts = distinct_texts(cells, column, where)
    if attribute.empty == "none":
        codes = np.where(codes == NONE, np.int32(len(texts)), codes)
    return coded_texts(*in_order(codes, [*texts, mark]))


def _members(text: str, mark: str, recoding: Recoding) -> tuple[Read, Rule]:
    """A set of which every member is missing is the empty set."""
    read = [recoding.read(part.strip()) for part in text.split(mark) if part.strip()]
    if any(isinstance(part, Unread) for part in read):
        return UNREAD, recoding
    return mark.join(dict.fromkeys(part for part in read if isinstance(part, str))) or mark, recoding


def _lists(cells: pa.ChunkedArray, recoding: Recoding | None, none: bool, column: str) -> pa.ChunkedArray:
    """The same for cells that are lists in the file."""
    listed = [[] if cell is None and none else cell for cell in cells.to_pylist()]
    if recoding is not None:
        read = [None if cell is None else [recoding.read(str(part).strip()) for part in cell if part is not None] for cell in listed]
        wrong = [row for row, cell in enumerate(read) if cell is not None and UNREAD in cell]
        if wrong:
            raise CellsRejected(column, recoding.wrong, recoding.cure, wrong, ["|".join(map(str, listed[row])) for row in wrong])
        listed = [None if cell is None else [part for part in cell if part is not None] for cell in read]
    texts = [None if cell is None else [str(part) for part in cell if part is not None] for cell in listed]
    return pa.chunked_array([pa.array(texts, type=pa.list_(pa.string()))])
