"""Prefect's server, as the functional tests have it."""

from tests.functional.conftest import flows_database, prefect_server, quiet_environment

__all__ = ["flows_database", "prefect_server", "quiet_environment"]
