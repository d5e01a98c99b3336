"""`headgate deploy` at a real Prefect server: what is missing is made, what differs is set right, what somebody else made is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

SCHEDULE = 'person: person\nschedule: {{cron: "{cron}", timezone: Europe/Rome}}\n'


@pytest.fixture
def client(project: Any) -> Iterator[Any]:
    """Prefect's own, at the same server; nothing is there but what the test makes."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        yield client
        for deployment in client.read_deployments():
            client.delete_deployment(deployment.id)


def deployed(project: Any, *options: str, cron: str = "0 3 1 * *") -> Any:
    project.write_policy(more=SCHEDULE.format(cron=cron))
    return project.run("deploy", project.policy, *options)


def actions(outcome: Any) -> dict[str, str]:
    return {one["deployment"]: one["action"] for one in outcome.json["deployments"]}


def test_what_is_missing_is_made_and_then_there_is_nothing_to_do(project: Any, client: Any) -> None:
    everything = {"release/patients", "publish-approved/publish-approved", "start-missed/start-missed"}
    would = deployed(project, "--diff", "--json", "--key", str(project.keys["steward"]))
    assert (would.code, actions(would)) == (3, dict.fromkeys(everything, "create"))
    assert client.read_deployments() == []
    assert "nobody has registered the policy of patients" in would.err  # --diff changes nothing, also here
    did = deployed(project, "--json", "--key", str(project.keys["steward"]))
    assert (did.code, actions(did)) == (0, dict.fromkeys(everything, "create")), did.err
    again = deployed(project, "--diff", "--json")
    assert (again.code, actions(again), again.err) == (0, dict.fromkeys(everything, "same"), "")
    release = client.read_deployment_by_name("release/patients")
    (schedule,) = release.schedules
    assert (schedule.schedule.cron, schedule.schedule.timezone, schedule.active) == ("0 3 1 * *", "Europe/Rome", True)
    assert release.parameters == {"policy": str(project.policy), "if_changed": True, "scheduled": True}
    assert (release.work_pool_name, release.global_concurrency_limit.limit) == ("headgate", 1)
    assert client.read_work_pool("headgate").type == "process"


def test_what_differs_is_said_key_by_key_and_set_right(project: Any, client: Any) -> None:
    from prefect.client.schemas.actions import DeploymentUpdate

    assert deployed(project).code == 0
    before = client.read_deployment_by_name("release/patients")
    pull = [{"prefect.deployments.steps.run_shell_script": {"script": "true"}}]
    client.update_deployment(before.id, DeploymentUpdate(pull_steps=pull, tags=before.tags))
    would = deployed(project, "--diff", "--json", cron="0 4 1 * *")
    (change,) = [one for one in would.json["deployments"] if one["differences"]]
    assert (would.code, change["deployment"], change["action"]) == (3, "release/patients", "update")
    assert [(one["key"], one["server"], one["wanted"]) for one in change["differences"]] == [
        (
            "schedules",
            [{"cron": "0 3 1 * *", "timezone": "Europe/Rome", "active": True}],
            [{"cron": "0 4 1 * *", "timezone": "Europe/Rome", "active": True}],
        ),
        ("pull", pull, []),
    ]
    assert deployed(project, cron="0 4 1 * *").code == 0
    after = client.read_deployment_by_name("release/patients")
    assert (after.id, [one.schedule.cron for one in after.schedules], after.pull_steps) == (before.id, ["0 4 1 * *"], [])


def test_what_somebody_paused_stays_paused(project: Any, client: Any) -> None:
    assert deployed(project).code == 0
    client.pause_deployment(client.read_deployment_by_name("release/patients").id)
    outcome = deployed(project, cron="0 4 1 * *")
    assert "release/patients: changed (it is paused at the server, and stays so)" in outcome.out
    assert client.read_deployment_by_name("release/patients").paused


def test_what_somebody_else_made_is_refused_and_nothing_is_changed(project: Any, client: Any) -> None:
    flow = client.create_flow_from_name("release")
    theirs = client.create_deployment(flow, "patients", entrypoint="their.flow", tags=["headgate", "headgate:SHA256:another-home"])
    for options in (("--json",), ("--diff", "--json")):
        outcome = deployed(project, *options)
        assert (outcome.code, actions(outcome)["release/patients"]) == (4, "refused")
        assert "the deployment release/patients at Prefect's server was not made by this home" in outcome.json["error"]["message"]
    (there,) = client.read_deployments()
    assert (there.id, there.entrypoint) == (theirs, "their.flow")


def test_what_is_not_named_any_more_stays_until_it_is_pruned(project: Any, client: Any) -> None:
    assert deployed(project).code == 0
    text = project.policy.read_text(encoding="utf-8").replace("dataset: patients", "dataset: others").replace("to: patients", "to: others")
    project.policy.write_text(text, encoding="utf-8")
    left = project.run("deploy", project.policy, "--json")
    assert (left.code, actions(left)["release/patients"], actions(left)["release/others"]) == (0, "leave", "create")
    would = project.run("deploy", project.policy, "--diff", "--prune", "--json")
    assert (would.code, actions(would)["release/patients"]) == (3, "remove")
    assert project.run("deploy", project.policy, "--prune").code == 0
    assert {one.name for one in client.read_deployments()} == {"others", "publish-approved", "start-missed"}
