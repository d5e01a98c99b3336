"""Deployments in plain words. How a real server takes them is in tests/functional/test_deploy.py."""

from __future__ import annotations

from datetime import timedelta

import pytest
from prefect.client.schemas.schedules import CronSchedule, IntervalSchedule

from tasks.runtime.prefect_deployments import Deployment, _schedule, server_named


def test_a_schedule_is_said_as_a_policy_says_it() -> None:
    assert _schedule(CronSchedule(cron="0 3 1 * *", timezone="Europe/Rome")) == {"cron": "0 3 1 * *", "timezone": "Europe/Rome"}
    assert _schedule(IntervalSchedule(interval=timedelta(minutes=1))) == {"interval": 60.0}


def test_a_deployment_has_no_shell_commands_and_one_run_at_a_time() -> None:
    words = Deployment("release", "people", "flows.release.release", "", ("b", "a"), "night", {"interval": 60.0}).words
    assert (words["pull"], words["concurrency_limit"], words["collision_strategy"], words["tags"]) == ([], 1, "ENQUEUE", ["a", "b"])


def test_the_servers_address_is_said_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "https://user:secret@prefect.example/api")
    assert server_named() == "prefect.example/api"
