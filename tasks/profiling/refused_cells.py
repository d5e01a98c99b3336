"""Which cells of one column a policy, or a kind, refuses: all of them, with their lines, for the person who has the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.frame_specs import absent_column
from policies.schema.attribute import Attribute
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, needs_values
from policies.words.fields import choices
from tasks.profiling.written_forms import seen_in
from tasks.reading.any_table import open_any
from tasks.reading.arrow_frame import frame_of, texts_of
from tasks.reading.cells_in_file import in_file, people_in_file
from tasks.reading.identifiers import check_identifiers
from tasks.reading.one_row_per_person import one_row_per_person
from tasks.reading.open_source import open_source
from tasks.reading.prepared_cells import attribute_cells, attributes_read, read_cells
from tasks.reading.references import LoadedPolicy, load_policy
from tasks.reading.source import Source

KINDS = tuple(kind for kind in Kind if kind.numeric)  # that refuse a cell without being told more


def refused_by_policy(table: Path, column: str, policy: Path) -> CellsRejected | None:
    """The first thing that is wrong with the column: as it is read, or as what is made from it. None if nothing is."""
    loaded = load_policy(policy)
    names = list(_attributes_of(loaded.policy, column))
    if not names:
        known = dict.fromkeys((*loaded.policy.source_columns, *loaded.policy.attributes))
        raise InputRejected(f"The policy has no attribute '{column}'.", f"Name one of its attributes: {choices(known, column)}.")
    read = set(attributes_read(loaded.policy)) | {name for name in names if loaded.policy.attributes[name].origin is not None}
    if not read & {*names}:
        raise InputRejected(
            f"The policy drops '{column}', so nothing is read of it.", "Give --kind in place of --policy, or another role in the policy."
        )
    source = open_source(loaded.policy, loaded.folder, table)
    refusals = (_refusal_of(loaded, source, column, name) for name in names)
    return next((refusal for refusal in refusals if refusal is not None), None)


def refused_by_kind(table: Path, column: str, word: str | None) -> CellsRejected | None:
    """Without a kind: what most cells are, written as most are. Texts are refused by no kind."""
    source = open_any(table).source
    if column not in source.names:
        raise absent_column(column, source.names, "the table")
    cells = source.read((column,))
    attribute = _seen(cells.column(column), column, source.name) if word is None else Attribute(role=Role.SENSITIVE, kind=_kind_of(word))
    if attribute is None or attribute.kind is None:
        return None
    kind = attribute.kind
    try:
        read = pa.table({column: read_cells(cells, attribute, column, source.name)})
        encode_column(frame_of(read, source.name)[column], ColumnSpec(column, kind, Role.SENSITIVE))
    except CellsRejected as refusal:
        cure = f"Correct the cells, or say what they are: --kind {column}={choices(KINDS)}. A policy says more: --policy POLICY."
        return in_file(refusal, source, None, every=True).cured_by(cure)
    return None


def _seen(cells: pa.ChunkedArray, column: str, where: str) -> Attribute | None:
    seen = seen_in(texts_of(cells, column, where).unique().drop_null().to_pylist())
    written, days = seen.written, None
    if written.years is not None:
        days = tuple(f"{year:04d}-{day}" for year, day in zip(written.years, ("01-01", "12-31"), strict=True))
    keys = {"decimal": written.decimal, "thousands": written.thousands, "unit": written.units, "date": written.dates, "domain": days}
    if seen.look == "text":
        return None
    return Attribute.model_validate(
        {"role": Role.SENSITIVE, "kind": Kind(seen.look), **{key: given for key, given in keys.items() if given}}
    )


def _kind_of(word: str) -> Kind:
    if word not in KINDS:
        raise InputRejected(
            f"'{word}' is not a kind that refuses a cell by itself.", f"Write {choices(KINDS, word)}; others need --policy."
        )
    return Kind(word)


def _attributes_of(policy: Policy, column: str) -> Iterator[str]:
    """The attribute of a column or of this name, and those that are made from it."""
    for name, attribute in policy.attributes.items():
        if column == name or column in attribute.source_columns(name) or attribute.origin == column:
            yield name


def _refusal_of(loaded: LoadedPolicy, source: Source, column: str, name: str) -> CellsRejected | None:
    """As a release would read one attribute, and choose among a person's rows."""
    policy, attribute, rows = loaded.policy, loaded.policy.attributes[name], loaded.policy.rows
    beside = [] if rows is None else [other for other in dict.fromkeys((rows.per, *(rows.order or ()))) if other != name]
    wanted = [other for each in (name, *beside) for other in _columns_of(policy, each, source)]
    raw = source.read(tuple(dict.fromkeys(wanted)))
    cells: dict[str, pa.ChunkedArray] = {}
    for other in beside:
        cells |= _beside(loaded, raw, column, other, source.name)
    try:
        if _columns_of(policy, name, source):
            cells |= attribute_cells(policy, loaded.references, raw, name, source.name)
        people = pa.table(cells) if rows is None else one_row_per_person(pa.table(cells), policy, rows, source.name)
    except CellsRejected as refusal:
        return in_file(refusal, source, policy, every=True)
    try:
        _encode_attribute(loaded, people, name, attribute, source.name)
    except CellsRejected as refusal:
        if rows is None:
            return in_file(refusal, source, policy, every=True)
        return people_in_file(refusal, source, pa.table(cells), policy, rows, every=True)
    return None


def _columns_of(policy: Policy, name: str, source: Source) -> tuple[str, ...]:
    """Of the source; none for a count that `rows` makes."""
    attribute = policy.attributes[name]
    wanted = attribute.source_columns(name) or (attribute.origin or name,)
    lacking = next((column for column in wanted if column not in source.names), None)
    if lacking is not None and name in policy.counted:
        return ()
    if lacking is not None:
        raise absent_column(lacking, source.names, "the table")
    return wanted


def _beside(loaded: LoadedPolicy, raw: pa.Table, column: str, name: str, where: str) -> dict[str, pa.ChunkedArray]:
    """What makes one row per person: it must be readable before anything can be said of another column."""
    try:
        return attribute_cells(loaded.policy, loaded.references, raw, name, where)
    except CellsRejected as refusal:
        sentence = f"{refusal.sentence}, and `rows` needs it before '{column}' can be judged."
    raise InputRejected(sentence, f"Look at that column first: --lines {name}.")


def _encode_attribute(loaded: LoadedPolicy, people: pa.Table, name: str, attribute: Attribute, where: str) -> None:
    if attribute.role is Role.IDENTIFIER:
        check_identifiers({name: texts_of(people.column(name), name, where)})
    if attribute.kind is None:
        return
    alone = loaded.policy.model_copy(update={"attributes": {name: attribute}})
    present = {each: texts_of(people.column(each), each, where).unique().drop_null().to_pylist() for each in needs_values(alone)}
    spec = column_specs(alone, loaded.references.hierarchies, loaded.references.codes, present)[name]
    frame = frame_of(people, where)
    encode_column(frame[list(spec.components)] if spec.components else frame[name], spec)
