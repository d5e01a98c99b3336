"""A published folder as a reader's tables: read as `verify` reads a stranger's version, and parsed within the limits of every table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.released.description import DescribedTable, absent_version, described, insensitive_columns
from headgate.released.released_tables import Release, release_of
from policies.sealed.manifest import Manifest
from tasks.reading.source_csv import open_csv_bytes
from tasks.reading.source_parquet import open_parquet_bytes
from tasks.stores.files import Stored, read_file
from tasks.stores.release_store import WITHDRAWN
from tasks.stores.seal import DATAPACKAGE, MANIFEST, read_manifest
from tasks.tables.coded_cells import JoinedParts, coded_texts
from tasks.verification.read_version import AGAIN, read_version


@dataclass(frozen=True, eq=False)
class ReleasedFolder:
    """`withdrawn`: whoever published it has taken it back, and it should not be used."""

    release: Release
    withdrawn: bool


def read_released(folder: Path) -> ReleasedFolder:
    """Every file has the hash of the manifest. Who signed that is not asked: `verify` does."""
    return read_with_manifest(folder)[1]


def read_with_manifest(folder: Path) -> tuple[Manifest, ReleasedFolder]:
    named = folder.resolve()  # the reader's own way to it may go through links, such as `latest`
    if not named.exists():
        raise absent_version(str(folder))
    if not (named / MANIFEST).is_file():
        raise InputRejected(f"{folder} is not a published version: it has no {MANIFEST}.", "Name a version's folder, such as …/latest.")
    manifest = read_manifest(read_file(named, MANIFEST).content)
    files = read_version(named, manifest)
    changed = [entry.path for entry in manifest.files if entry.path not in files or files[entry.path].sha256 != entry.sha256]
    if changed:
        raise IntegrityBroken(f"{changed[0]} is not the file that was sealed.", AGAIN)
    package = json.loads(files[DATAPACKAGE].content) if DATAPACKAGE in files else None
    release = release_of(described(manifest.model_dump(mode="json")), lambda table: _frame(table, files), insensitive_columns(package))
    return manifest, ReleasedFolder(release, WITHDRAWN in files)


def _frame(table: DescribedTable, files: dict[str, Stored]) -> pd.DataFrame:
    whole = JoinedParts(table.name)
    for file in table.files:
        source = (open_parquet_bytes if file.form == "parquet" else open_csv_bytes)(files[file.path].content, file.path)
        cells = source.read(source.names)
        whole.add(cells, coded_texts(cells, file.path))
    return whole.frame(whole.texts())
