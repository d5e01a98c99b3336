"""What a manifest says of the published tables, as far as reading their cells needs it. A manifest may be a stranger's: what is not of the
expected form is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.domain_column import domain_column
from headgate.core.published_form.file_parts import MOST_PARTS, table_paths

FORMS = ("parquet", "csv")  # in the order in which they are preferred: Parquet keeps types
DATAPACKAGE = "datapackage.json"
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
AS_IN_THE_SOURCE = ("insensitive", "weight")
AGAIN = "Fetch the folder again, and let `headgate verify` check it."
LATEST = "latest"


def absent_version(folder: str) -> InputRejected:
    """`latest` is gone where every version was withdrawn, so it cannot be what helps."""
    if folder.replace("\\", "/").rstrip("/").rpartition("/")[2] == LATEST:
        return InputRejected(
            f"{folder} names no version: none was published, or all were withdrawn.",
            "Name the folder of a version that exists, such as …/1.",
        )
    return InputRejected(f"{folder} does not exist.", "Name a version's folder, such as …/latest.")


@dataclass(frozen=True)
class TableFile:
    """A sealed file of a table: a whole table, or a part of one."""

    path: str
    form: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class DescribedTable:
    """`files` hold the table in one format, in the order of its parts."""

    name: str
    rows: int
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    files: tuple[TableFile, ...]


@dataclass(frozen=True, eq=False)
class Description:
    """`quasi` by name: a domain without rows. `bounds`: the published columns with the ends of their cells. `sensitive`: how each column is
    read. `numbers`: what is promised of how numbers were rounded and coded. `people`: whether a row is known to be a person."""

    dataset: str
    title: str
    release: str
    suppressed: int
    people: bool
    quasi: Mapping[str, Column]
    bounds: Mapping[str, tuple[str, str]]
    sensitive: Mapping[str, ColumnSpec]
    numbers: Mapping[str, Mapping[str, Any]]
    weight: str | None  # the insensitive column that says how many people each row stands for
    tables: tuple[DescribedTable, ...]
    package: TableFile | None  # the data dictionary


def described(manifest: Mapping[str, Any]) -> Description:
    """IntegrityBroken where the manifest is not one that this version reads."""
    try:
        return _described(manifest)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise IntegrityBroken("manifest.json is not a manifest that this version reads.", AGAIN) from None


def _described(manifest: Mapping[str, Any]) -> Description:
    promise = manifest["promise"]
    files = [_file(entry) for entry in manifest["files"]]
    package = next((file for file in files if file.path == DATAPACKAGE), None)
    quasi = [_domain(each) for each in promise["quasi"]]
    specs = [_spec(each) for each in promise["sensitive"]]
    return Description(
        dataset=_text(manifest["dataset"]),
        title=_text(manifest["title"]),
        release=_text(manifest["release_id"]),
        suppressed=_number(manifest["suppressed"]),
        people=promise.get("people_checked") is True,
        quasi={column.name: column for column in quasi},
        bounds={each["name"]: (_text(each["bounds"][0]), _text(each["bounds"][1])) for each in promise["quasi"] if each.get("bounds")},
        sensitive={spec.name: spec for spec in specs},
        numbers={each["name"]: dict(each["published_as"]) for each in promise["sensitive"] if each.get("published_as")},
        weight=None if promise.get("weight") is None else _text(promise["weight"]["name"]),
        tables=tuple(_table(each, files) for each in manifest["tables"]),
        package=package,
    )


def insensitive_columns(package: Mapping[str, Any] | None) -> dict[str, ColumnSpec]:
    """How the data dictionary says that columns which are published as in the source are read. Without it they are texts."""
    try:
        resources = [] if package is None else package["resources"]
        fields = [field for resource in resources for field in resource["schema"]["fields"] if field["role"] in AS_IN_THE_SOURCE]
        return {
            field["name"]: ColumnSpec(_text(field["name"]), Kind(field["kind"]), Role.INSENSITIVE, levels=_texts(field.get("levels") or ()))
            for field in fields
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        raise IntegrityBroken(f"{DATAPACKAGE} is not a data dictionary that this version reads.", AGAIN) from None


def _table(said: Mapping[str, Any], files: Sequence[TableFile]) -> DescribedTable:
    name = _text(said["name"])
    if not re.fullmatch(_NAME, name):
        raise ValueError
    rows, parts = _number(said["rows"]), tuple(_number(rows) for rows in said.get("parts", ()))
    if parts and not (1 < len(parts) <= MOST_PARTS and sum(parts) == rows):
        raise ValueError
    listed = {file.path: file for file in files}
    for form in FORMS:
        paths = table_paths(name, form, len(parts))
        if any(path in listed for path in paths):
            absent = [path for path in paths if path not in listed]
            if absent:
                raise IntegrityBroken(f"The manifest does not list {absent[0]}.", AGAIN)
            chosen = tuple(listed[path] for path in paths)
            return DescribedTable(name, rows, _texts(said["sensitive"]), _texts(said["insensitive"]), chosen)
    raise IntegrityBroken(f"The manifest lists no file of {name}.", AGAIN)


def _file(entry: Mapping[str, Any]) -> TableFile:
    path = _text(entry["path"])
    return TableFile(path, path.rsplit(".", 1)[-1], _text(entry["sha256"]), _number(entry["bytes"]))


def _domain(said: Mapping[str, Any]) -> Column:
    kind = Kind(said["kind"])
    if not kind.rules.single:
        raise ValueError
    return domain_column(_text(said["name"]), kind, _ends(said), _texts(said["values"]), [_texts(row) for row in said["hierarchy"]])


def _spec(said: Mapping[str, Any]) -> ColumnSpec:
    name, rows = _text(said["name"]), [_texts(row) for row in said["hierarchy"]]
    return ColumnSpec(
        name,
        Kind(said["kind"]),
        Role.SENSITIVE,
        domain=_ends(said),
        levels=_texts(said["levels"]),
        declared=_texts(said["declared"]),
        hierarchy=Hierarchy.from_rows(rows, name) if rows else None,
        separator=_text(said["separator"]),
        metric=said["metric"],
        components=_texts(said["components"]),
        origin=said["origin"],
    )


def _ends(said: Mapping[str, Any]) -> tuple[float, float] | None:
    if said["domain"] is None:
        return None
    low, high = said["domain"]
    return float(low), float(high)


def _text(said: Any) -> str:
    if not isinstance(said, str):
        raise TypeError
    return said


def _texts(said: Any) -> tuple[str, ...]:
    return tuple(_text(each) for each in said)


def _number(said: Any) -> int:
    if not isinstance(said, int) or isinstance(said, bool) or said < 0:
        raise TypeError
    return said
