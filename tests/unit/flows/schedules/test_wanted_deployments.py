"""What a Prefect server should have for the policies of a home."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from flows.schedules.scheduled_policies import scheduled_policies
from flows.schedules.wanted_deployments import made_by, wanted_deployments
from tests.unit.flows.schedules.test_scheduled_policies import SCHEDULE, written


def test_each_policy_has_one_and_two_more_do_the_work_of_serve(tmp_path: Path) -> None:
    written(tmp_path, "b.yaml", "second", SCHEDULE)
    written(tmp_path, "a.yaml", "first", SCHEDULE)
    wanted = wanted_deployments(scheduled_policies([tmp_path]), "SHA256:here", "night")
    assert [one.full_name for one in wanted] == [
        "release/first",
        "release/second",
        "publish-approved/publish-approved",
        "start-missed/start-missed",
    ]
    assert {one.pool for one in wanted} == {"night"}
    assert all(made_by("SHA256:here") in one.tags and "headgate" in one.tags for one in wanted)
    assert wanted[0].schedule == {"cron": "0 3 1 * *", "timezone": "Europe/Rome"}
    assert wanted[0].parameters == {"policy": str(tmp_path / "a.yaml"), "if_changed": True, "scheduled": True}


def test_a_shipped_policy_is_named_as_every_machine_knows_it() -> None:
    (release, *_others) = wanted_deployments(scheduled_policies([Path("shipped:hospital-patients")]))
    assert release.parameters["policy"] == "shipped:hospital-patients"
    assert release.tags == ("headgate", "hospital-patients")  # no home's


def test_runs_call_nobody_tell_the_server_nothing_of_their_logs_and_wait_for_it() -> None:
    environments = {tuple(one.environment.items()) for one in wanted_deployments(scheduled_policies([Path("shipped:hospital-patients")]))}
    (environment,) = environments
    assert dict(environment) == {
        "DO_NOT_TRACK": "true",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "GX_ANALYTICS_ENABLED": "false",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
        "PREFECT_CLIENT_MAX_RETRIES": "7",
    }


@pytest.mark.slow
def test_each_names_a_flow_that_is_called_so() -> None:
    for one in wanted_deployments(scheduled_policies([Path("shipped:hospital-patients")])):
        module, _, name = one.entrypoint.rpartition(".")
        assert getattr(importlib.import_module(module), name).name == one.flow


def test_how_often_the_queue_is_looked_at_is_the_operators_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_PUBLISH_SECONDS", "5")
    publishing = wanted_deployments(scheduled_policies([Path("shipped:hospital-patients")]))[1]
    assert publishing.schedule == {"interval": 5.0}


def test_runs_that_look_for_work_do_not_pile_up() -> None:
    """With a queue looked at every 5 seconds and runs of 6, a worker tried to start more and more of them, and no release began."""
    release, *looking = wanted_deployments(scheduled_policies([Path("shipped:hospital-patients")]))
    assert [one.words["collision_strategy"] for one in looking] == ["CANCEL_NEW", "CANCEL_NEW"]
    assert release.words["collision_strategy"] == "ENQUEUE"
