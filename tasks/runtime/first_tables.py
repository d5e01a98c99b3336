"""The tables of a new SQLite database of Prefect or MLflow, laid at once: their own migrations make them in some hundred steps, which costs
a first release seconds of the processor.

`new_databases/NAME-VERSION.sql` is what the migrations of exactly that version make (`python -m tools.make_first_tables`). With any other
version installed nothing is laid, and the migrations do it all. A database that is there already is not touched.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FOLDER = Path(__file__).with_name("new_databases")


def tables_of(package: str) -> Path:
    """Where the tables of the installed version are, if this release of headgate has them."""
    try:
        installed = version(package)
    except PackageNotFoundError:
        installed = "none"
    return FOLDER / f"{package}-{installed}.sql"


def lay_first_tables(package: str, database: Path) -> bool:
    """Whether they were laid. Whatever is in the way, the package itself makes its tables, or says what is wrong."""
    file = tables_of(package)
    if database.exists() or not file.exists():
        return False
    unfinished = database.with_name(f".{database.name}-{secrets.token_hex(6)}")
    with suppress(OSError, sqlite3.Error):
        try:
            unfinished.touch(0o600)
            with closing(sqlite3.connect(unfinished)) as connection:
                connection.executescript(file.read_text(encoding="utf-8"))
            os.link(unfinished, database)  # which never replaces what somebody else has made meanwhile
        finally:
            unfinished.unlink(missing_ok=True)
        return True
    return False
