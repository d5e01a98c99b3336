"""A new database of Prefect or MLflow has its tables at once, and they are those that the migrations make."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tasks.runtime import first_tables
from tasks.runtime.first_tables import lay_first_tables, tables_of

PACKAGES = ["prefect", "mlflow"]


def names_of_tables(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_installed_version_has_its_tables(package: str, tmp_path: Path) -> None:
    database = tmp_path / "new.db"
    assert lay_first_tables(package, database)
    assert names_of_tables(database) > {"alembic_version"}
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["new.db"]


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_of_the_machine_on_which_they_were_made_is_in_them(package: str) -> None:
    """Prefect's key of encryption, MLflow's place of artifacts, anything with an identity."""
    said = [line for line in tables_of(package).read_text(encoding="utf-8").splitlines() if line.startswith("INSERT")]
    assert {line.split('"')[1] for line in said} <= {"alembic_version", "workspaces"}


def test_a_database_that_is_there_is_not_touched(tmp_path: Path) -> None:
    database = tmp_path / "prefect.db"
    database.write_bytes(b"")
    assert not lay_first_tables("prefect", database)
    assert database.read_bytes() == b""


def test_of_two_that_begin_at_once_the_second_does_not_replace_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "prefect.db"
    read = Path.read_text

    def meanwhile(path: Path, encoding: str) -> str:
        database.write_bytes(b"of the other")
        return read(path, encoding=encoding)

    monkeypatch.setattr(Path, "read_text", meanwhile)
    assert not lay_first_tables("prefect", database)
    assert database.read_bytes() == b"of the other"
    assert [path.name for path in tmp_path.iterdir()] == ["prefect.db"]


def test_of_another_version_nothing_is_laid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_tables, "version", lambda _package: "99.0")
    assert not lay_first_tables("prefect", tmp_path / "prefect.db")
    assert not lay_first_tables("no-such-package", tmp_path / "other.db")
    assert list(tmp_path.iterdir()) == []


def test_where_a_database_cannot_be_written_its_owner_says_so(tmp_path: Path) -> None:
    assert not lay_first_tables("prefect", tmp_path / "missing" / "prefect.db")
