"""datapackage.json: what the published files are, for people and for the Frictionless tools. One model, written once.

The data dictionary says of every column its role, kind, domain and levels, and for a quasi-identifier how its cells are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from headgate.core.columns import BIT, GROUP, Kind
from policies.schema.policy import Policy
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from policies.words.frozen import Frozen
from tasks.tables.read_published import PinnedFile

MEDIA_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
ESCAPES = "Empty is missing; in a set, an empty first member is. The signs | { } [ \\ inside a value follow a backslash."
READING = (
    "Rows stand in a random order, and a group number means nothing outside its table. Cells are published as they are: a spreadsheet may "
    "take one that begins with = + - or @ for a formula, so import columns as text."
)


class Constraints(Frozen):
    required: bool | None = None
    minimum: float | int | str | None = None
    maximum: float | int | str | None = None
    enum: tuple[str | int, ...] | None = None


class FieldDescription(Frozen):
    """A column, in the words of Table Schema and, below, in ours."""

    name: str
    type: str
    description: str
    constraints: Constraints | None = None
    role: str
    kind: str | None = None
    domain: tuple[str, str] | None = None
    levels: tuple[str, ...] | None = None
    hierarchy_levels: int | None = None
    origin: str | None = None


class TableSchema(Frozen):
    fields: tuple[FieldDescription, ...]
    missing_values: tuple[str, ...] = Field(default=("",), alias="missingValues")


class Resource(Frozen):
    """A CSV is a tabular resource. A Parquet file is a plain file to the Frictionless tools, since it carries its own types; the
    schema beside it is the data dictionary all the same."""

    name: str
    type: str
    title: str
    path: str
    profile: str
    format: str
    mediatype: str
    encoding: str | None = None
    bytes: int
    hash: str
    rows: int | None = None
    table_schema: TableSchema | None = Field(default=None, alias="schema")


class DataPackage(Frozen):
    profile: str = "data-package"
    name: str
    title: str
    description: str
    created: str
    resources: tuple[Resource, ...]


@dataclass(frozen=True)
class TableEntry:
    """One published table as the package describes it."""

    name: str
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    files: tuple[PinnedFile, ...]


def datapackage(policy: Policy, promise: Promise, tables: Sequence[TableEntry], created: str) -> bytes:
    """Describes the tables' files. `created` is UTC in ISO 8601."""
    package = DataPackage(
        name=policy.dataset,
        title=policy.title or policy.dataset,
        description=READING,
        created=created,
        resources=tuple(_resource(file, table, policy, promise) for table in tables for file in table.files),
    )
    return package.model_dump_json(by_alias=True, exclude_none=True, indent=2).encode() + b"\n"


def _resource(file: PinnedFile, table: TableEntry, policy: Policy, promise: Promise) -> Resource:
    tabular = file.format == "csv"
    return Resource(
        name=table.name if tabular else f"{table.name}-{file.format}",
        type="table" if tabular else "file",
        title=", ".join(table.sensitive),
        path=file.path,
        profile="tabular-data-resource" if tabular else "data-resource",
        format=file.format,
        mediatype=MEDIA_TYPES[file.format],
        encoding="utf-8" if tabular else None,
        bytes=file.bytes,
        hash=f"sha256:{file.sha256}",
        rows=file.rows if tabular else None,
        schema=TableSchema(fields=_fields(policy, promise, table)),
    )


def _fields(policy: Policy, promise: Promise, table: TableEntry) -> tuple[FieldDescription, ...]:
    """The data dictionary of one table, in the order of its columns."""
    sensitive = {attribute.name: attribute for attribute in promise.sensitive}
    fields = [_quasi(identifier) for identifier in promise.quasi]
    for name in table.sensitive:
        fields += _sensitive(sensitive[name])
    fields += [_insensitive(policy, name) for name in table.insensitive]
    group = "Rows of one group cannot be told apart by their quasi-identifiers. The number is random."
    return (*fields, FieldDescription(name=GROUP, type="integer", description=group, constraints=Constraints(required=True), role="group"))


def _quasi(identifier: QuasiIdentifier) -> FieldDescription:
    kind = Kind(identifier.kind)
    notation = kind.rules.notation
    if identifier.hierarchy:
        spans = ", where [low..high] is every number between" if kind.numeric else ""
        notation = f"a value or a node of the hierarchy{spans}, or * for everything"
    return FieldDescription(
        name=identifier.name,
        type="string",
        description=f"Generalized: {notation}. {ESCAPES}",
        role="quasi",
        kind=kind,
        domain=_ends(kind, identifier.domain),
        levels=identifier.values or None,
        hierarchy_levels=len(identifier.hierarchy[0]) if identifier.hierarchy else None,
    )


def _ends(kind: Kind, domain: tuple[float, float] | None) -> tuple[str, str] | None:
    if domain is None or not kind.numeric:
        return None
    low, high = (kind.rules.cell_text(end) for end in domain)
    return low, high


def _sensitive(attribute: SensitiveAttribute) -> list[FieldDescription]:
    kind = Kind(attribute.kind)
    if kind.rules.components:
        of = f"One component of '{attribute.name}'."
        return [FieldDescription(name=name, type="number", description=of, role="sensitive", kind=kind) for name in attribute.components]
    if attribute.origin is not None:
        value = attribute.name.removeprefix(attribute.origin + BIT)
        return [
            FieldDescription(
                name=attribute.name,
                type="integer",
                description=f"1 if '{attribute.origin}' holds '{value}', else 0.",
                constraints=Constraints(enum=(0, 1)),
                role="sensitive",
                kind=kind,
                origin=attribute.origin,
            )
        ]
    listed = attribute.levels or attribute.declared or tuple(row[0] for row in attribute.hierarchy)
    return [
        _plain(
            attribute.name,
            "sensitive",
            kind,
            _ends(kind, attribute.domain),
            listed,
            len(attribute.hierarchy[0]) if attribute.hierarchy else None,
        )
    ]


def _insensitive(policy: Policy, name: str) -> FieldDescription:
    attribute = policy.attributes[name]
    kind = attribute.kind or Kind.CATEGORY
    ends = None if attribute.domain is None else tuple(str(end) for end in attribute.domain)
    listed = attribute.listed_values or () if kind.rules.single else ()
    return _plain(name, "insensitive", kind, (ends[0], ends[1]) if ends else None, listed, None)


def _plain(name: str, role: str, kind: Kind, ends: tuple[str, str] | None, listed: tuple[str, ...], levels: int | None) -> FieldDescription:
    bounds: dict[str, Any] = {}
    if ends is not None:
        read = {"integer": int, "number": float}.get(kind.rules.storage, str)
        low, high = (read(end) for end in ends)
        bounds = {"minimum": low, "maximum": high}
    if listed:
        bounds["enum"] = listed
    return FieldDescription(
        name=name,
        type=kind.rules.storage,
        description="As in the source." if role == "sensitive" else "As in the source; tells nothing about the person by itself.",
        constraints=Constraints(**bounds) if bounds else None,
        role=role,
        kind=kind,
        domain=ends,
        levels=listed if "levels" in kind.rules.keys else None,
        hierarchy_levels=levels,
    )
