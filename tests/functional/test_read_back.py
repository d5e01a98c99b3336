"""What proves a release real: another process reads it back from the Prefect API, MLflow and the ledger, with the manifest's figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from policies.gates.verdict import Verdict
from policies.sealed.promise import Promise

READER = """
import asyncio, json, sqlite3, sys
from pathlib import Path

home, release_id, steps = Path(sys.argv[1]), sys.argv[2], set(json.loads(sys.argv[3]))


async def prefect():
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName, ArtifactFilter, ArtifactFilterKey
    async with get_client() as client:
        runs = await client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[f"release {release_id}"])))
        for _ in range(600):  # states of tasks travel as events, which the server writes down a little later
            tasks = await client.read_task_runs(flow_run_filter=FlowRunFilter(id={"any_": [runs[0].id]}))
            if steps <= {task.name for task in tasks} and all(task.state_name == "Completed" for task in tasks):
                break
            await asyncio.sleep(0.1)
        artifacts = await client.read_artifacts(artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=[f"gates-{release_id}"])))
        return {
            "flows": [(run.name, run.state_name) for run in runs],
            "parameters": runs[0].parameters,
            "tasks": sorted((task.name, task.state_name) for task in tasks),
            "gates": json.loads(artifacts[0].data),
        }


def mlflow():
    from mlflow.tracking import MlflowClient
    client = MlflowClient(f"sqlite:///{home / 'mlflow.db'}")
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    parent = client.search_runs(experiments, f"tags.release_id = '{release_id}'")[0]
    children = client.search_runs(experiments, f"tags.`mlflow.parentRunId` = '{parent.info.run_id}'")
    def artifacts(run):
        return sorted(item.path for folder in client.list_artifacts(run.info.run_id) for item in
                      (client.list_artifacts(run.info.run_id, folder.path) if folder.is_dir else [folder]))
    return {
        "run": parent.info.run_id,
        "params": parent.data.params,
        "metrics": parent.data.metrics,
        "tags": parent.data.tags,
        "artifacts": artifacts(parent),
        "children": {child.info.run_name: child.data.metrics for child in children},
    }


def ledger():
    with sqlite3.connect(home / "ledger.db") as connection:
        rows = connection.execute("SELECT payload FROM events WHERE release = ? ORDER BY seq", (release_id,))
        return [json.loads(row[0]) for row in rows]


print(json.dumps({"prefect": asyncio.run(prefect()), "mlflow": mlflow(), "ledger": ledger()}))
"""


@pytest.fixture(scope="module")
def kept() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return []


@pytest.fixture
def read_back(
    project: Any, prefect_server: str, kept: list[tuple[dict[str, Any], dict[str, Any]]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of one release, for all tests here."""
    if not kept:
        kept.append(found_again(project, prefect_server))
    return kept[0]


def steps_of(manifest: dict[str, Any]) -> set[str]:
    whole = {"ingest", "expect", "transform", "plan", "compare-versions", "attack", "judge", "track", "candidate", "audit"}
    return whole | {
        f"{step} {table['name']}" for step in ("anonymize", "write", "expect-published", "gate") for table in manifest["tables"]
    }


def found_again(project: Any, prefect_server: str) -> tuple[dict[str, Any], dict[str, Any]]:
    released = project.released()
    manifest = json.loads((Path(released["folder"]) / "manifest.json").read_bytes())
    result = subprocess.run(
        [sys.executable, "-c", READER, str(project.home), released["release"], json.dumps(sorted(steps_of(manifest)))],
        env={**os.environ, "PREFECT_API_URL": prefect_server},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1]), manifest


def test_another_process_finds_the_manifest_s_figures_in_prefect_mlflow_and_the_ledger(
    read_back: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    found, manifest = read_back
    tables = [table["name"] for table in manifest["tables"]]

    names = [name for name, _state in found["prefect"]["tasks"]]
    assert found["prefect"]["flows"] == [[f"release {manifest['release_id']}", "Completed"]]
    assert set(names) == steps_of(manifest)
    assert {state for _name, state in found["prefect"]["tasks"]} == {"Completed"}
    gates = found["prefect"]["gates"]
    told = [(gate["gate"], gate["table"], gate["measured"], gate["required"], gate["passed"]) for gate in gates]
    verdicts = [Verdict.model_validate(verdict) for verdict in manifest["verdicts"]]
    assert told == [(v.key, v.table, v.measured, v.required, v.passed) for v in verdicts]
    assert [(gate["bound"], gate["comparison"]) for gate in gates] == [(v.bound, v.comparison) for v in verdicts]
    numbers = {name: f"column {place}" for place, name in enumerate(manifest["plan"]["columns"])}
    bits = {attribute["name"] for attribute in manifest["promise"]["sensitive"] if attribute.get("origin") is not None}
    assert [gate["of"] for gate in gates] == [numbers[v.attribute] if v.attribute in bits else v.attribute or "" for v in verdicts]
    assert any(gate["of"] for gate in gates)
    places = [(gate["gate"], gate["table"], gate["of"]) for gate in gates]
    assert len(set(places)) == len(places)

    mlflow = found["mlflow"]
    assert mlflow["run"] == manifest["mlflow_run_id"]
    assert mlflow["params"]["policy_digest"] == manifest["policy_digest"]
    assert mlflow["params"]["seed_commitment"] == manifest["seed_commitment"]
    assert mlflow["params"]["source_hmac"] == manifest["source_hmac"]
    assert mlflow["params"]["k"] == str(Promise.model_validate(manifest["promise"]).k)
    assert mlflow["metrics"]["association_loss"] == manifest["plan"]["association_loss"]
    assert mlflow["metrics"]["information_exposure"] == manifest["plan"]["information_exposure"]
    assert mlflow["metrics"]["query_error_mean"] == manifest["utility"]["query_error_mean"]
    assert sorted(mlflow["children"]) == sorted(tables)
    for table in manifest["tables"]:
        metrics = mlflow["children"][table["name"]]
        of_gates = {one["figure"]: one["value"] for one in table["measured"] if not one["of"]}
        for figure in ("k", "risk", "ncp", "linkability", "groups", "query_error_mean", "reidentification_max"):
            assert metrics[figure] == (of_gates | table)[figure], figure
    assert any(path.endswith(".svg") for path in mlflow["artifacts"])
    assert any(path.endswith("gates.json") for path in mlflow["artifacts"])

    kinds = [event["event"] for event in found["ledger"]]
    order = ["run_started", "ingested", "expected", "planned", "anonymized", "expected", "gated", "tracked", "sealed"]
    assert [kind for place, kind in enumerate(kinds) if place == 0 or kinds[place - 1] != kind] == order
    sealed, gated = found["ledger"][-1], next(event for event in found["ledger"] if event["event"] == "gated")
    assert sealed["policy_digest"] == manifest["policy_digest"]
    assert gated["verdicts"] == gated["passed"] == len(manifest["verdicts"])
    planned = next(event for event in found["ledger"] if event["event"] == "planned")
    assert planned["association_loss"] is planned["information_exposure"] is None  # of all rows they would tell of those left out
    assert [event["groups"] for event in found["ledger"] if event["event"] == "anonymized"] == [t["groups"] for t in manifest["tables"]]


def test_prefect_is_told_ids_and_paths_only(read_back: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found, manifest = read_back
    assert set(found["prefect"]["parameters"]) == {"policy", "key", "if_changed", "release_id", "scheduled"}
    assert found["prefect"]["parameters"]["release_id"] == manifest["release_id"]
