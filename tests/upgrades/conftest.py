"""Prefect's server, as the functional tests have it, and a database."""

from tests.functional.conftest import flows_database, prefect_server, quiet_environment
from tests.unit.postgresql import database, postgresql

__all__ = ["database", "flows_database", "postgresql", "prefect_server", "quiet_environment"]
