"""datapackage.json: what the published files are, for people and for the Frictionless tools. One model, written once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from headgate.core.published_form.file_parts import TABLE_FILE
from policies.schema.policy import Policy
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from policies.words.frozen import Frozen
from tasks.reporting.data_dictionary import FieldDescription, data_dictionary
from tasks.tables.read_published import PinnedFile

MEDIA_TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "spss": "application/x-spss-sav",
    "stata": "application/x-stata-dta",
}
PLAIN_FORMATS = {"parquet": "apache-parquet"}  # by its usual name, frictionless reads it as a table, and then finds no bytes and no hash
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")  # of the standard: GPL-2.0+ is none
READING = (
    "Rows stand in a random order, and a group number means nothing outside its table. Cells are published as they are: a spreadsheet may "
    "take one that begins with = + - or @ for a formula, so import columns as text."
)


class TableSchema(Frozen):
    fields: tuple[FieldDescription, ...]
    missing_values: tuple[str, ...] = Field(default=("",), alias="missingValues")


class ResourcePart(Frozen):
    """One file of a resource in parts."""

    path: str
    bytes: int
    hash: str
    rows: int


class Resource(Frozen):
    """A CSV is a tabular resource. A file of another format is a plain file to the Frictionless tools, since it carries its own types;
    the schema beside it is the data dictionary all the same.

    Of a table in parts, `path` lists them in their order; `bytes` and `hash` are of the parts one after the other, with the header of the
    first CSV only, as these tools join them."""

    name: str
    type: str | None = None
    title: str
    path: str | tuple[str, ...]
    profile: str
    format: str
    mediatype: str
    encoding: str | None = None
    bytes: int
    hash: str
    rows: int | None = None
    parts: tuple[ResourcePart, ...] | None = None
    table_schema: TableSchema | None = Field(default=None, alias="schema")

    @property
    def files(self) -> tuple[ResourcePart, ...]:
        """Every file of it."""
        if self.parts is not None:
            return self.parts
        return (ResourcePart(path=str(self.path), bytes=self.bytes, hash=self.hash, rows=self.rows or 0),)

    @property
    def table(self) -> str:
        """The name of the table that it holds."""
        match = TABLE_FILE.fullmatch(self.files[0].path)
        return "" if match is None else match[1]


class License(Frozen):
    """`name` is an identifier, such as CC-BY-4.0; of a licence in words, `title` holds the words."""

    name: str
    title: str | None = None


class Contributor(Frozen):
    title: str
    role: str = "contact"
    roles: tuple[str, ...] = ("contactPoint",)


class PublishedHierarchy(Frozen):
    """The paths from a value to everything, one per row; `lowest` is the level of the first column. A hierarchy that was made from values
    begins above them."""

    lowest: int
    paths: tuple[tuple[str, ...], ...]


class DataPackage(Frozen):
    """In the second version of the standard; what tools of the first look for stands beside what the second renamed.

    `version` is the policy's, or else the day: the number of the publication is not known when the candidate is sealed, since another
    candidate may be published first. The attestation has it. `changes` is the policy's too; changes.json has what was measured."""

    schema_of_standard: str = Field(default="https://datapackage.org/profiles/2.0/datapackage.json", alias="$schema")
    profile: str = "data-package"
    name: str
    title: str
    version: str
    description: str
    created: str
    licenses: tuple[License, ...] | None = None
    contributors: tuple[Contributor, ...] | None = None
    citation: str | None = None
    period: str | None = None
    purpose: str | None = None
    recipients: str | None = None
    controls: str | None = None
    changes: str | None = None
    hierarchies: dict[str, PublishedHierarchy] | None = None
    resources: tuple[Resource, ...]


@dataclass(frozen=True)
class TableEntry:
    """One published table as the package describes it."""

    name: str
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    files: tuple[PinnedFile, ...]


def package_json(package: DataPackage) -> bytes:
    """datapackage.json."""
    return package.model_dump_json(by_alias=True, exclude_none=True, indent=2).encode() + b"\n"


def package_of(policy: Policy, promise: Promise, tables: Sequence[TableEntry], created: str) -> DataPackage:
    """Describes the tables' files. `created` is UTC in ISO 8601."""
    about = policy.about
    return DataPackage(
        name=policy.dataset,
        title=policy.title or policy.dataset,
        version=about.version or created[:10],
        description=READING,
        created=created,
        licenses=None if about.licence is None else (_license(about.licence),),
        contributors=None if about.contact is None else (Contributor(title=about.contact),),
        citation=about.citation,
        period=about.period,
        purpose=about.purpose,
        recipients=about.recipients,
        controls=about.controls,
        changes=about.changes,
        hierarchies=_hierarchies(policy, promise) or None,
        resources=tuple(_resource(files, table, policy, promise) for table in tables for files in _by_format(table.files)),
    )


def _license(said: str) -> License:
    return License(name=said) if _IDENTIFIER.fullmatch(said) else License(name="other", title=said)


def _hierarchies(policy: Policy, promise: Promise) -> dict[str, PublishedHierarchy]:
    """Those of a file hold what the policy declares. One that was made from values tells them only as far as published cells may: its
    values are left out."""
    listed = {}
    columns: tuple[QuasiIdentifier | SensitiveAttribute, ...] = (*promise.quasi, *promise.sensitive)
    for column in columns:
        if not column.hierarchy:
            continue
        attribute = policy.attributes.get(column.name)
        lowest = 0 if attribute is not None and isinstance(attribute.hierarchy, str) else 1
        paths = tuple(dict.fromkeys(path[lowest:] for path in column.hierarchy))
        listed[column.name] = PublishedHierarchy(lowest=lowest, paths=paths)
    return listed


def _by_format(files: Sequence[PinnedFile]) -> list[list[PinnedFile]]:
    return [[file for file in files if file.format == form] for form in dict.fromkeys(file.format for file in files)]


def _resource(files: Sequence[PinnedFile], table: TableEntry, policy: Policy, promise: Promise) -> Resource:
    """`files`: the parts in their order."""
    file, last = files[0], files[-1]
    tabular = file.format == "csv"
    parts = tuple(ResourcePart(path=part.path, bytes=part.bytes, hash=f"sha256:{part.sha256}", rows=part.rows) for part in files)
    whole = last if last.joined is None else last.joined
    return Resource(
        name=table.name if tabular else f"{table.name}-{file.format}",
        type="table" if tabular else None,
        title=", ".join(table.sensitive),
        path=file.path if len(files) == 1 else tuple(part.path for part in files),
        profile="tabular-data-resource" if tabular else "data-resource",
        format=PLAIN_FORMATS.get(file.format, file.format),
        mediatype=MEDIA_TYPES[file.format],
        encoding="utf-8" if tabular else None,
        bytes=whole.bytes,
        hash=f"sha256:{whole.sha256}",
        rows=sum(part.rows for part in files) if tabular else None,
        parts=parts if len(files) > 1 else None,
        schema=TableSchema(fields=data_dictionary(policy, promise, table.sensitive, table.insensitive)),
    )
