"""Prefect, MLflow and Great Expectations: quiet by default, never calling out, everything under the home."""

from __future__ import annotations

import os

from tasks.runtime.home import Home

NO_TELEMETRY = {
    "DO_NOT_TRACK": "true",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "GX_ANALYTICS_ENABLED": "false",
}
NOT_TO_THE_SERVER = {"PREFECT_LOGGING_TO_API_ENABLED": "false", "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false"}


def quieten(home: Home, verbose: bool = False) -> None:
    """Sets the environment before any of them is imported. What the operator has set is kept, except that telemetry is always off."""
    os.environ.update(NO_TELEMETRY, PREFECT_HOME=os.environ.get("PREFECT_HOME") or str(home.prefect))
    if verbose:
        os.environ["HEADGATE_VERBOSE"] = "1"
    quietest = "INFO" if verbose else "CRITICAL"
    defaults = {
        "PREFECT_LOGGING_LEVEL": quietest,
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": quietest,
        "PREFECT_INTERNAL_LOGGING_LEVEL": "ERROR" if verbose else "CRITICAL",
        **NOT_TO_THE_SERVER,
        "PREFECT_SERVER_LOGGING_LEVEL": "ERROR" if verbose else "CRITICAL",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        "PREFECT_API_REQUEST_TIMEOUT": "30",
        "PREFECT_CLIENT_MAX_RETRIES": "2",
        "PREFECT_CLIENT_RETRY_EXTRA_CODES": "500",  # a database that somebody else is still closing, answered once
        "MPLCONFIGDIR": str(home.root / "matplotlib"),
        "GIT_PYTHON_REFRESH": "quiet",
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
