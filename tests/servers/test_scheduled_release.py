"""A scheduled release through a whole installation: deployed, run by a worker, approved by two people in their browsers, published."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.browser.conftest import Site, Visitor
from tests.servers.conftest import Installation, write_policies
from tests.servers.processes import Server, answers, wait_until

pytestmark = pytest.mark.long
SOON = timedelta(seconds=130)  # until which everything is deployed
LATE = timedelta(seconds=60)


def releases(installation: Installation) -> list[dict[str, Any]]:
    answer = installation.run("releases", "--json")
    return list(json.loads(answer.stdout)["releases"]) if answer.returncode == 0 else []


def in_state(installation: Installation, state: str) -> dict[str, str]:
    """The candidates in this state, by their datasets."""
    return {one["dataset"]: one["candidate"] for one in releases(installation) if one["state"] == state}


def all_began(installation: Installation) -> bool:
    return {one["dataset"] for one in releases(installation)} >= {"health", "work"}


def fetched(installation: Installation, prefix: str, folder: Path) -> Path:
    """What a data user fetches from the object store, with nothing but the rights to read."""
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=installation.environment["AWS_ENDPOINT_URL"],
        aws_access_key_id="reader",
        aws_secret_access_key="reader",
        region_name="us-east-1",
    )
    for listed in client.list_objects_v2(Bucket="open-data", Prefix=f"published/{prefix}/")["Contents"]:
        path = folder / listed["Key"].removeprefix("published/")
        path.parent.mkdir(parents=True, exist_ok=True)
        client.download_file("open-data", listed["Key"], str(path))
    return folder / prefix


@pytest.mark.timeout(900)
def test_a_schedule_runs_people_agree_in_their_browsers_and_it_is_published(
    installation: Installation, site: Site, worker: Server, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    # Everybody makes a passkey; the operator adds the lines that were read out.
    anna, bert = visit("anna"), visit("bert")
    for person in (anna, bert):
        person.sign_in()
    lines = [person.add_passkey() for person in (anna, bert)]
    site.home.signers.write_text(site.home.signers.read_text() + "".join(f"{line}\n" for line in lines))

    # The steward registers and deploys; the worker runs both policies when their minute comes.
    policies = write_policies(installation.folder / "policies", ("health", "work"), due=SOON)
    key = site.home.root.parent / "keys" / "steward"
    deployed = installation.run("deploy", policies, "--key", key, "--json")
    assert deployed.returncode == 0, deployed.stderr
    assert installation.run("deploy", policies, "--diff").returncode == 0
    due = datetime.now(UTC) + SOON + LATE
    wait_until(lambda: all_began(installation) or datetime.now(UTC) > due, "the schedule's moment comes")
    if not all_began(installation):  # the moment came before Prefect knew of it, as on a busy machine: it is made up for
        start_run(installation, "start-missed/start-missed")
    wait_until(lambda: in_state(installation, "awaiting_approval").keys() == {"health", "work"}, "both policies come to a candidate")
    candidates = in_state(installation, "awaiting_approval")

    # Prefect shows the gates with their direction, and links to the candidate; MLflow has the figures; strangers see neither.
    artifacts = prefect(installation, "artifacts/filter", {})
    gates = next(json.loads(one["data"]) for one in artifacts if one["type"] == "table")
    assert {"at least", "at most"} == {row["comparison"] for row in gates}
    assert all({"gate", "required", "measured", "passed"} <= row.keys() for row in gates)
    links = {link for one in artifacts if one["type"] == "markdown" for link in re.findall(r"https?://[^\s)]+", one["data"])}
    assert links == {f"{site.url}/candidates/{candidate}" for candidate in candidates.values()}
    assert answers(f"{installation.environment['PREFECT_API_URL']}/admin/version", 401)
    assert answers(f"{installation.environment['MLFLOW_TRACKING_URI']}/api/2.0/mlflow/experiments/get?experiment_id=0", 401)

    # Both read and sign each candidate, with passkeys, and the queue publishes.
    for candidate in candidates.values():
        for person in (anna, bert):
            person.decide(candidate, "Approve", "The figures are right.")
            person.sign()
    wait_until(lambda: in_state(installation, "published").keys() == {"health", "work"}, "both are published")

    trust = ("--signers", str(site.home.signers), "--ledger-key", str(site.home.keys / "ledger.pub"))
    folder = fetched(installation, "health/1", tmp_path)
    verified = installation.run("verify", folder, *trust, "--json")
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["origin"] == "origin proven"
    ((rows,),) = installation.postgresql.execute("open_data", 'SELECT count(*) FROM releases."work/latest/table-1"')
    assert rows == 300
    assert installation.run("audit", "verify").returncode == 0
    assert anna.said == bert.said == []


def prefect(installation: Installation, path: str, body: dict[str, Any], status: int = 200) -> Any:
    user, _, password = installation.environment["PREFECT_API_AUTH_STRING"].partition(":")
    answer = httpx.post(f"{installation.environment['PREFECT_API_URL']}/{path}", json=body, auth=(user, password), timeout=30)
    assert answer.status_code == status, answer.text
    return answer.json()


def start_run(installation: Installation, deployment: str) -> str:
    flow, _, name = deployment.partition("/")
    body = {"deployments": {"name": {"any_": [name]}}, "flows": {"name": {"any_": [flow]}}}
    (found,) = prefect(installation, "deployments/filter", body)
    return str(prefect(installation, f"deployments/{found['id']}/create_flow_run", {}, 201)["id"])
