"""The steps that make or upgrade a ledger's schema in PostgreSQL, run by Alembic."""
