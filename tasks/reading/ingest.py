"""Step 1: the policy's source becomes dictionary-encoded columns. Identifiers and dropped attributes end here.

The source is read part by part, and never lies in memory as it is written. Dropped columns are never parsed. Identifiers are read to prove
that one row is one person; what remains of them is what the outbound expectations compare the published cells with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from headgate.core.columns import Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.household_column import household_column
from headgate.core.spelling import value_text
from headgate.core.units import counted
from headgate.methods.settings import require_households
from policies.attackers.attacker import OwnWeights
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, needs_values
from tasks.reading.arrow_frame import coded_frame, texts_of, trimmed_texts
from tasks.reading.cells_in_file import in_file, people_in_file
from tasks.reading.distinct_cells import untrimmed_texts
from tasks.reading.gathered_cells import check_texts, gathered
from tasks.reading.identifiers import IdentifierValues, check_copies, check_identifiers, texts_of_values
from tasks.reading.one_row_per_person import one_row_per_person
from tasks.reading.open_source import open_source
from tasks.reading.own_weights import columns_read, own_weights
from tasks.reading.prepared_cells import attributes_read, prepared_cells, read_by_value
from tasks.reading.references import LoadedPolicy
from tasks.reading.source import Source, names_instead
from tasks.reading.source_cells import SourceCells


@dataclass(frozen=True, eq=False)
class Ingested:
    """What the steps after it work on. The cells live in memory until the expectations have been checked."""

    table: Table = field(repr=False)
    specs: Mapping[str, ColumnSpec]
    source_digest: str
    cells: SourceCells | None = field(repr=False)
    identifiers: IdentifierValues = field(repr=False)
    own: OwnWeights | None = field(default=None, repr=False)
    source_rows: int = 0  # of which the policy's `rows` may have made fewer

    @property
    def rows(self) -> int:
        return self.table.rows

    def without_cells(self) -> Ingested:
        return replace(self, cells=None)


def ingest(loaded: LoadedPolicy, source: Path | str | None = None) -> Ingested:
    """Reads, checks and encodes. `source` takes the place of the policy's own path."""
    policy = loaded.policy
    weights = columns_read(policy)
    order = () if policy.rows is None else tuple(policy.rows.order or ())
    others = (*weights, *order)
    wanted = [column for name in attributes_read(policy, others) for column in policy.attributes[name].source_columns(name)]
    opened = open_source(policy, loaded.folder, source, wanted)
    _check_columns(policy, opened)
    there = frozenset(opened.names)
    raw = gathered(opened, [column for column in wanted if column in there], read_by_value(policy))
    try:
        cells = prepared_cells(policy, loaded.references, raw, opened.name, others)
        people = cells if policy.rows is None else one_row_per_person(cells, policy, policy.rows, opened.name)
    except CellsRejected as refusal:
        problem = in_file(refusal, opened, policy)
    else:
        for_order = [name for name in order if policy.attributes[name].role is Role.DROPPED and name not in weights]
        try:
            return _ingested(loaded, people.drop_columns(for_order), opened, weights, raw.num_rows)
        except CellsRejected as refusal:
            problem = (
                in_file(refusal, opened, policy) if policy.rows is None else people_in_file(refusal, opened, cells, policy, policy.rows)
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
    present = {name: untrimmed_texts(cells.column(name), name, opened.name) for name in needs_values(policy)}
    specs = column_specs(policy, loaded.references.hierarchies, loaded.references.codes, present)
    for name in kept.column_names:
        check_texts(kept.column(name), name, opened.name)
    table = encode_table(coded_frame(kept, opened.name), specs)
    _check_weights(table)
    check_copies(identifiers, table)
    for name, cells_of in households.items():
        _check_household_copies(name, cells_of, table)
        table = with_household(table, name, cells_of)
        require_households(table, k)
    looked_at = SourceCells(cells, policy, opened.name)
    return Ingested(table, specs, opened.digest, looked_at, IdentifierValues(identifiers), own, source_rows)


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
    there, known = frozenset(present), frozenset(wanted)
    lacking = [name for name in wanted if name not in there and name not in policy.counted]
    unknown = [name for name in present if name not in known]
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
