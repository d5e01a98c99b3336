"""Events, locks and the guards that keep events append-only."""

from __future__ import annotations

from alembic import op

from tasks.ledger.postgresql_schema import REVISION, create

revision = REVISION
down_revision = None


def upgrade() -> None:
    create(op.get_bind())
