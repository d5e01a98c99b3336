"""Prefect, MLflow and Great Expectations are quiet, and call nobody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tasks.runtime.home import Home
from tasks.runtime.quiet import quieten


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    variables: dict[str, str] = {}
    monkeypatch.setattr(os, "environ", variables)
    return variables


def test_telemetry_is_off_whatever_was_set(environment: dict[str, str], tmp_path: Path) -> None:
    environment.update(DO_NOT_TRACK="false", PREFECT_SERVER_ANALYTICS_ENABLED="true", MLFLOW_DISABLE_TELEMETRY="false")
    quieten(Home(tmp_path))
    assert environment["DO_NOT_TRACK"] == environment["MLFLOW_DISABLE_TELEMETRY"] == "true"
    assert environment["PREFECT_SERVER_ANALYTICS_ENABLED"] == environment["GX_ANALYTICS_ENABLED"] == "false"


def test_what_the_operator_has_set_is_kept(environment: dict[str, str], tmp_path: Path) -> None:
    environment.update(PREFECT_HOME="/elsewhere", PREFECT_LOGGING_LEVEL="DEBUG")
    quieten(Home(tmp_path))
    assert (environment["PREFECT_HOME"], environment["PREFECT_LOGGING_LEVEL"]) == ("/elsewhere", "DEBUG")


def test_everything_else_lies_in_the_home(environment: dict[str, str], tmp_path: Path) -> None:
    quieten(Home(tmp_path))
    assert environment["PREFECT_HOME"] == str(tmp_path / "prefect")
    assert environment["MPLCONFIGDIR"] == str(tmp_path / "matplotlib")
    assert environment["PREFECT_LOGGING_LEVEL"] == "CRITICAL"


def test_verbose_shows_the_log(environment: dict[str, str], tmp_path: Path) -> None:
    quieten(Home(tmp_path), verbose=True)
    assert (environment["PREFECT_LOGGING_LEVEL"], environment["HEADGATE_VERBOSE"]) == ("INFO", "1")
