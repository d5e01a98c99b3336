"""What tasks/runtime/new_databases/ holds: the tables that Prefect's and MLflow's own migrations make in a new SQLite database.

`python -m tools.make_first_tables` after either was updated; with `--check`, only says whether they are those of the installed versions.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tasks.runtime.first_tables import FOLDER, tables_of

# MLflow makes its first experiment when it opens a store that has none: it says where artifacts are.
LEFT_OUT = ('INSERT INTO "experiments"',)


def dumped(database: Path) -> str:
    """All that the migrations have made, as SQL."""
    with closing(sqlite3.connect(database)) as connection:
        statements = [statement for statement in connection.iterdump() if not statement.startswith(LEFT_OUT)]
    return "".join(f"{line.rstrip()}\n" for statement in statements for line in statement.splitlines())


def unordered(tables: str) -> list[str]:
    """Indexes, and the constraints of a table, come in another order each time."""
    return sorted(line.rstrip(",") for line in tables.splitlines())


def prefect_tables(scratch: Path) -> str:
    from prefect.server.database import provide_database_interface

    asyncio.run(provide_database_interface().create_db())
    return dumped(scratch / "prefect.db")


def mlflow_tables(scratch: Path) -> str:
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    database = scratch / "mlflow.db"
    SqlAlchemyStore(f"sqlite:///{database}", (scratch / "artifacts").as_uri()).engine.dispose()
    return dumped(database)


def main(check: bool) -> int:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        os.environ.update(PREFECT_HOME=folder, DO_NOT_TRACK="true", MLFLOW_DISABLE_TELEMETRY="true", MLFLOW_LOGGING_LEVEL="CRITICAL")
        made = {tables_of("prefect"): prefect_tables(scratch), tables_of("mlflow"): mlflow_tables(scratch)}
    if check:
        stale = [
            file.name for file, text in made.items() if not file.exists() or unordered(file.read_text(encoding="utf-8")) != unordered(text)
        ]
        sys.stderr.write("".join(f"{name} is not what the migrations make: run python -m tools.make_first_tables.\n" for name in stale))
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for left in set(FOLDER.iterdir()) - set(made):
        left.unlink()
    for file, text in made.items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
