"""Step 1: the policy's source becomes dictionary-encoded columns. Identifiers and dropped attributes end here.

Dropped columns are never parsed. Identifiers are read to prove that one row is one person; what remains of them is an in-memory
set that the outbound expectations compare the published cells with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute
from numpy.typing import NDArray

from headgate.core.columns import Column, Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.household_column import household_column
from headgate.core.spelling import value_text
from headgate.core.units import counted
from headgate.methods.settings import require_households
from policies.attackers.attacker import OwnWeights
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, needs_values
from tasks.reading.arrow_frame import frame_of, holds_lists, texts_of, trimmed_texts
from tasks.reading.cells_in_file import in_file, people_in_file
from tasks.reading.one_row_per_person import one_row_per_person
from tasks.reading.open_source import open_source
from tasks.reading.own_weights import columns_read, own_weights
from tasks.reading.prepared_cells import attributes_read, prepared_cells
from tasks.reading.references import LoadedPolicy
from tasks.reading.source import Source, names_instead

COINCIDENCE = 10  # rows whose cell may equal the row's identifier by chance; by chance one is expected at most


class IdentifierValues:
    """The identifiers of the source: who each row is, and which texts are one of them. Nothing of it is shown or written."""

    def __init__(self, columns: Mapping[str, pa.ChunkedArray]) -> None:
        self._texts = {name: cells.combine_chunks() for name, cells in columns.items()}

    def of(self, name: str) -> NDArray[np.object_] | None:
        """One of the identifiers, row by row and without blanks around it; None if the source has no identifier of that name."""
        return compute.utf8_trim_whitespace(self._texts[name]).to_numpy(zero_copy_only=False) if name in self._texts else None

    def among(self, texts: Sequence[str]) -> set[str]:
        cells = pa.array(texts, type=pa.string())
        identifying: set[str] = set()
        for known in self._texts.values():
            identifying.update(cells.filter(compute.is_in(cells, value_set=known)).to_pylist())
        return identifying

    def __repr__(self) -> str:
        return f"IdentifierValues({len(self._texts)} columns)"


@dataclass(frozen=True, eq=False)
class Ingested:
    """What the steps after it work on. The frame and the identifiers live in memory until the expectations have been checked."""

    table: Table = field(repr=False)
    specs: Mapping[str, ColumnSpec]
    source_digest: str
    frame_for_expectations: pd.DataFrame = field(repr=False)
    identifiers: IdentifierValues = field(repr=False)
    own: OwnWeights | None = field(default=None, repr=False)
    source_rows: int = 0  # of which the policy's `rows` may have made fewer

    @property
    def rows(self) -> int:
        return self.table.rows

    def without_frame(self) -> Ingested:
        """A slice of no rows would keep the whole frame in memory."""
        return replace(self, frame_for_expectations=pd.DataFrame())


def ingest(loaded: LoadedPolicy, source: Path | str | None = None) -> Ingested:
    """Reads, checks and encodes. `source` takes the place of the policy's own path."""
    policy = loaded.policy
    opened = open_source(policy, loaded.folder, source)
    _check_columns(policy, opened)
    weights = columns_read(policy)
    order = () if policy.rows is None else tuple(policy.rows.order or ())
    others = (*weights, *order)
    wanted = [column for name in attributes_read(policy, others) for column in policy.attributes[name].source_columns(name)]
    raw = opened.read([column for column in wanted if column in opened.names])
    try:
        cells = prepared_cells(policy, loaded.references, raw, opened.name, others)
        people = cells if policy.rows is None else one_row_per_person(cells, policy, policy.rows, opened.name)
    except CellsRejected as refusal:
        problem = in_file(refusal, opened, raw, policy)
    else:
        for_order = [name for name in order if policy.attributes[name].role is Role.DROPPED and name not in weights]
        try:
            return _ingested(loaded, people.drop_columns(for_order), opened, weights, raw.num_rows)
        except CellsRejected as refusal:
            problem = (
                in_file(refusal, opened, raw, policy)
                if policy.rows is None
                else people_in_file(refusal, opened, raw, cells, policy, policy.rows)
            )
    raise problem


def _ingested(loaded: LoadedPolicy, cells: pa.Table, opened: Source, weights: Sequence[str], source_rows: int) -> Ingested:
    """`cells`: one row per person, read as the policy says that they are written."""
    policy = loaded.policy
    identifiers = {name: texts_of(cells.column(name), name, opened.name) for name in policy.named(Role.IDENTIFIER)}
    check_identifiers(identifiers)
    k = policy.anonymize.k
    if cells.num_rows < k:
        few = f"{opened.name} has {counted(cells.num_rows, 'row')}, fewer than k = {k:,}."
        raise InputRejected(few, "Give more rows, or lower k in the policy.")
    own = own_weights(loaded, cells, opened.name)
    households = {name: trimmed_texts(cells.column(name), name, opened.name) for name in policy.named(Role.HOUSEHOLD)}
    kept = cells.drop_columns([*identifiers, *households, *weights])
    present = {name: texts_of(cells.column(name), name, opened.name).unique().drop_null().to_pylist() for name in needs_values(policy)}
    specs = column_specs(policy, loaded.references.hierarchies, loaded.references.codes, present)
    table = encode_table(frame_of(kept, opened.name), specs)
    _check_weights(table)
    _check_copies(identifiers, table)
    for name, cells_of in households.items():
        _check_household_copies(name, cells_of, table)
        table = with_household(table, name, cells_of)
        require_households(table, k)
    frame = expectation_frame(cells, policy, opened.name)
    return Ingested(table, specs, opened.digest, frame, IdentifierValues(identifiers), own, source_rows)


def _check_weights(table: Table) -> None:
    """Nobody stands for no people, and for how many a row without a weight stands is not known."""
    if table.weight is None:
        return
    column = table[table.weight]
    weights = np.append(column.values.astype(np.float64), np.nan)[column.codes]
    rows = np.flatnonzero(~(weights > 0))
    if len(rows):
        cure = "Give every row a positive weight, or leave rows without one out of the source."
        cells = ["" if np.isnan(weights[row]) else value_text(weights[row]) for row in rows]
        raise CellsRejected(column.name, ("is missing, 0 or negative", "are missing, 0 or negative"), cure, rows.tolist(), cells)


def with_household(table: Table, name: str, texts: pa.ChunkedArray) -> Table:
    """The table, which now knows who lives together, by number: the texts end here."""
    codes = texts.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int32)
    return replace(table, columns={**table.columns, name: household_column(name, codes)}, household=name)


def _check_household_copies(name: str, texts: pa.ChunkedArray, table: Table) -> None:
    """Refuses a published attribute that is the household itself under another name."""
    cells = texts.to_numpy(zero_copy_only=False)
    for column in table.columns.values():
        if column.kind.rules.components or len(column.values) < 2:
            continue
        written = np.array([*texts_of_values(column), None], dtype=object)[column.codes]
        if bool((written == cells).all()):
            raise InputRejected(
                f"Column '{column.name}' equals household '{name}' in every row.",
                "Who lives together is never published: give the column role: dropped.",
            )


def _check_columns(policy: Policy, source: Source) -> None:
    """The policy's columns and the data's are the same set: none is missing, and none is published because nobody thought of it."""
    wanted, present = policy.source_columns, source.names
    lacking = [name for name in wanted if name not in present and name not in policy.counted]
    unknown = [name for name in present if name not in wanted]
    if lacking:
        hint = names_instead(present, wanted, lacking[0])
        raise InputRejected(
            f"{source.name} lacks {_columns(lacking)} of the policy.", f"Correct the name in the policy or in the data. {hint}"
        )
    made = next((name for name in unknown if name in policy.attributes), None)
    if made is not None:
        raise InputRejected(
            f"{source.name} has a column '{made}', which the policy makes from '{policy.attributes[made].origin}'.",
            "Give the attribute that is made another name, and the column a role.",
        )
    if unknown:
        raise InputRejected(
            f"{source.name} has {_columns(unknown)} that the policy does not mention.",
            "A column is never published by default: give it a role (dropped, if it must not be published).",
        )


def _columns(names: Sequence[str]) -> str:
    return f"column {_listed(names)}" if len(names) == 1 else f"{len(names)} columns ({_listed(names)})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:6]) + (" …" if len(names) > 6 else "")


def check_identifiers(identifiers: Mapping[str, pa.ChunkedArray]) -> None:
    """Every identifier is present and unique: each alone, not all together."""
    for name, cells in identifiers.items():
        keys = trimmed_texts(cells, name, "the source")
        blank = keys.null_count
        if blank:
            cure = "Give every row an identifier: each row is one person."
            raise _identifier_rejected(f"Identifier '{name}' is missing in {counted(blank, 'row')}", name, cells, keys.is_null(), cure)
        repeated = len(keys) - len(compute.unique(keys))
        if repeated:
            raise _identifier_rejected(
                f"Identifier '{name}' is repeated in {repeated:,} of {len(cells):,} rows",
                name,
                cells,
                _repeated(keys),
                f"Let the policy make one row per person, such as rows: {{per: {name}, order: visit_date, income: last}}. "
                "Only a column that does not number people may be dropped: without an identifier nobody checks that a row is a person, "
                "and whoever has ten rows counts as ten people.",
            )


def _repeated(keys: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which rows have an identifier that a row above has."""
    again = np.ones(len(keys), dtype=bool)
    again[np.unique(keys.combine_chunks().dictionary_encode().indices.to_numpy(), return_index=True)[1]] = False
    return pa.chunked_array([pa.array(again)])


def _identifier_rejected(sentence: str, name: str, cells: pa.ChunkedArray, wrong: pa.ChunkedArray, cure: str) -> CellsRejected:
    rows = np.flatnonzero(wrong.to_numpy())
    return CellsRejected(name, ("", ""), cure, rows.tolist(), cells.take(pa.array(rows)).fill_null("").to_pylist(), sentence=sentence)


def _check_copies(identifiers: Mapping[str, pa.ChunkedArray], table: Table) -> None:
    """Refuses a published attribute that contains the identifiers themselves.

    If a column were independent of a unique identifier, at most one row in expectation would have equal cells in both. So many equal
    rows, or all rows, are no coincidence."""
    for name, cells in identifiers.items():
        known = compute.utf8_trim_whitespace(cells).combine_chunks()
        rows = np.arange(table.rows)
        for column in table.columns.values():
            if column.kind.rules.components:
                continue
            # Identifiers are unique, so a value stands in one row at most: the row whose identifier it is.
            place = compute.index_in(pa.array(texts_of_values(column), type=pa.string()), value_set=known).fill_null(-1).to_numpy()
            same = np.append(place, -1)[column.codes] == rows
            equal, present = int(same.sum()), int((column.codes >= 0).sum())
            # Sorted numbers beside numbered rows may run along for a while: there a hundredth of the rows is the measure.
            chance = max(COINCIDENCE, table.rows // 100) if column.kind.numeric else COINCIDENCE
            if equal >= chance or (equal == present > 0 and len(column.values) > 1):
                raise InputRejected(
                    f"Column '{column.name}' equals identifier '{name}' in {counted(equal, 'row')}.",
                    "Identifiers are never published: give the column role: identifier or dropped.",
                )


def texts_of_values(column: Column) -> list[str]:
    """As they are written in a file. A set is written by its own separator."""
    if column.kind is Kind.SET:
        return [column.separator.join(value) or column.separator for value in column.values]
    if column.kind is Kind.DATE:
        return [str(day) for day in column.values.astype("datetime64[D]")]
    return [value_text(value) for value in column.values]


def expectation_frame(cells: pa.Table, policy: Policy, where: str) -> pd.DataFrame:
    """The frame that expectations check: the source's cells without blanks around them, as numbers and days where the policy says so.

    It is built from the cells and not from the encoded columns, because expectations must not depend on the code that they check."""
    columns: dict[str, pd.Series] = {}
    for name, attribute in policy.attributes.items():
        for column in attribute.read_columns(name) if attribute.role is not Role.DROPPED else ():
            texts = _trimmed(cells.column(column), column, attribute.separator or "|", where)
            stored = attribute.kind.rules.storage if attribute.kind is not None else "string"
            if stored in ("number", "integer"):
                columns[column] = _numbers(texts)
            elif stored == "date":
                columns[column] = _days(texts, column)
            else:
                columns[column] = texts.to_pandas().astype("str")
    return pd.DataFrame(columns, index=pd.RangeIndex(cells.num_rows))


def _trimmed(cells: pa.ChunkedArray, name: str, separator: str, where: str) -> pa.ChunkedArray:
    if holds_lists(cells.type):
        joined = [
            None if cell is None else separator.join(str(part) for part in cell if part is not None) or separator
            for cell in cells.to_pylist()
        ]
        return pa.chunked_array([pa.array(joined, type=pa.string())])
    return trimmed_texts(cells, name, where)


def _numbers(texts: pa.ChunkedArray) -> pd.Series:
    codes, distinct = pd.factorize(pd.Series(pd.arrays.ArrowExtensionArray(texts)))
    numbers = pd.to_numeric(pd.Series(np.asarray(distinct, dtype=object)), errors="coerce").to_numpy(dtype=np.float64)
    return pd.Series(np.append(numbers, np.nan)[codes])


def _days(texts: pa.ChunkedArray, name: str) -> pd.Series:
    days = pd.to_datetime(texts.to_pandas(), format="ISO8601", errors="coerce").dt.tz_localize(None)
    if days.notna().any() and not (days.min() >= pd.Timestamp.min and days.max() <= pd.Timestamp.max):
        raise InputRejected(f"Column '{name}' has days before 1678 or after 2262.", "Leave unknown days empty; declare a domain.")
    return pd.Series(days.astype("datetime64[ns]"))
