"""What a reader's program would notice of a new version: columns and files that are gone, and columns that hold something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headgate.core.columns import Kind
from headgate.core.published_form.file_parts import TABLE_FILE, TABLES
from headgate.core.units import counted
from policies.sealed.manifest import Manifest
from policies.sealed.promise import Promise, PublishedAs
from policies.words.frozen import Frozen

QUASI = "quasi"


class ReaderChange(Frozen):
    """`breaks`: a program that reads what was there before would fail, or take one thing for another. `table` and `column` are
    empty where it is about a file."""

    table: str
    column: str
    sentence: str
    breaks: bool


@dataclass(frozen=True)
class _Column:
    """What the manifest says of a published column. `known`: the values or nodes that are declared, where any are."""

    role: str
    kind: str = ""
    known: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    published_as: PublishedAs | None = None


def reader_changes(before: Manifest, after: Manifest) -> tuple[ReaderChange, ...]:
    """What breaks stands first."""
    changes = [*_files(before, after), *_tables(before, after)]
    return tuple(sorted(changes, key=lambda change: not change.breaks))


def _files(before: Manifest, after: Manifest) -> Iterator[ReaderChange]:
    old, new = ({name for entry in manifest.files if (name := _file(entry.path))} for manifest in (before, after))
    for path in sorted(old - new):
        yield ReaderChange(table="", column="", sentence=f"{path} is gone.", breaks=True)
    for path in sorted(new - old):
        yield ReaderChange(table="", column="", sentence=f"{path} is new.", breaks=False)


def _file(path: str) -> str:
    """All parts of a table are one name to readers, however many there are; "" for what is no table's."""
    match = TABLE_FILE.fullmatch(path)
    if match is None:
        return ""
    table, part, ending = match.groups()
    return path if part is None else f"{TABLES}{table}/part-*.{ending}"


def _tables(before: Manifest, after: Manifest) -> Iterator[ReaderChange]:
    old, new = ({table.name: _columns(manifest, table.name) for table in manifest.tables} for manifest in (before, after))
    known, still = ({column for columns in tables.values() for column in columns} for tables in (old, new))
    for column in (name for name, _ in _quasi(before.promise) if name not in still):  # they were in every table
        yield ReaderChange(table="", column=column, sentence=f"{column} is in no table any more.", breaks=True)
    for table in (name for name in new if name in old):
        for column, was in old[table].items():
            if was.role == QUASI and column not in still:
                continue
            now = new[table].get(column)
            if now is None:
                place = next((name for name, columns in new.items() if column in columns), None)
                where = "is in no table any more" if place is None else f"has moved to {place}"
                yield ReaderChange(table=table, column=column, sentence=f"{column} {where}.", breaks=True)
            elif now != was:
                for said, broken in _other(column, was, now):
                    yield ReaderChange(table=table, column=column, sentence=said, breaks=broken)
        for column in (name for name in new[table] if name not in known):
            yield ReaderChange(table=table, column=column, sentence=f"{column} is new.", breaks=False)


def _other(name: str, was: _Column, now: _Column) -> Iterator[tuple[str, bool]]:
    if was.role != now.role:
        yield f"{name} was {was.role}, and is {now.role} now.", True
    if was.kind != now.kind and was.kind and now.kind:
        yield f"{name} was of kind {was.kind}, and is of kind {now.kind} now.", True
    if was.levels != now.levels:
        yield f"{name} has other levels, or the same in another order.", True
    gone, added = set(was.known) - set(now.known), set(now.known) - set(was.known)
    if gone and now.known:
        yield f"{name} may no longer hold {counted(len(gone), 'value')} that it could hold before.", False
    if added and was.known:
        yield f"{name} may hold {counted(len(added), 'value')} that it could not hold before.", False
    if was.published_as != now.published_as:
        yield f"The numbers of {name} are rounded or coded differently.", False


def _columns(manifest: Manifest, table: str) -> dict[str, _Column]:
    """Those of one table by their names in the file."""
    promise, figures = manifest.promise, next(each for each in manifest.tables if each.name == table)
    columns = dict(_quasi(promise))
    for attribute in (attribute for attribute in promise.sensitive if attribute.name in figures.sensitive):
        known = (*attribute.declared, *(label for row in attribute.hierarchy for label in row))
        said = _Column("sensitive", attribute.kind, tuple(dict.fromkeys(known)), attribute.levels, attribute.published_as)
        columns |= dict.fromkeys(attribute.components or (attribute.name,), said)
    weight = promise.weight
    for name in figures.insensitive:
        columns[name] = _Column("weight", published_as=weight.published_as) if weight and weight.name == name else _Column("insensitive")
    return columns


def _quasi(promise: Promise) -> Iterator[tuple[str, _Column]]:
    for attribute in promise.quasi:
        nodes = tuple(dict.fromkeys(label for row in attribute.hierarchy for label in row))
        levels, values = (attribute.values, ()) if attribute.kind == Kind.ORDINAL else ((), attribute.values)
        yield attribute.name, _Column(QUASI, attribute.kind, nodes or values, levels)
        yield from ((name, _Column(QUASI, attribute.kind)) for name in attribute.bounds or ())
