"""What Alembic runs: on the connection that it was given, inside the transaction that is open there."""

from __future__ import annotations

from alembic import context

from tasks.ledger.postgresql_schema import METADATA, SCHEMA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, version_table_schema=SCHEMA)
context.run_migrations()
