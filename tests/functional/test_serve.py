"""`headgate serve` on a real local Prefect server: a schedule of seconds releases, people are told and approve, and what they approved is
published."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.free_port import free_port
from tests.unit.tasks.notification.conftest import Webhook, webhook

__all__ = ["webhook"]
PATIENCE_SECONDS = 300  # on a machine that does much else


def waited_for(found: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        answer = found()
        if answer:
            return answer
        time.sleep(0.5)
    raise AssertionError("nothing happened in time")


def releases(project: Any) -> list[dict[str, Any]]:
    return list(project.run("releases", "--json").json["releases"]) if (project.home / "ledger.db").exists() else []


def completed_runs(project: Any) -> set[str]:
    """Names of flow runs, as Prefect's server has them: a little later than the ledger."""
    with sqlite3.connect(project.home / "prefect" / "prefect.db") as prefect:
        return {row[0] for row in prefect.execute("SELECT name FROM flow_run WHERE state_type = 'COMPLETED'")}


def run_by_a_schedule(project: Any) -> bool:
    """The person who registered the policy stands in the manifest, and the machine's key beside it."""
    manifest = json.loads((project.home / "releases" / "patients" / "latest" / "manifest.json").read_text())
    return bool(manifest["machine"]) and manifest["runner"]["principal"] == "steward"


def answers_to_a_stranger(served: int, metrics: int) -> dict[str, int]:
    """Status codes of Prefect's server for somebody without the password, in a session where cookies and headers of a browser could be
    sent. `metrics`: the port of another."""
    children = {child.pid for child in psutil.Process(served).children(recursive=True)}  # some are runs, which end meanwhile
    ports = {one.laddr.port for one in psutil.net_connections("inet") if one.status == "LISTEN" and one.pid in children} - {metrics}
    answers = {}
    for port in ports:
        from_elsewhere = {"Origin": "https://evil.example"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=from_elsewhere, timeout=PATIENCE_SECONDS) as client:
            for path in ("/api/flow_runs/filter", "/api/deployments/"):
                answers[path] = client.post(path, json={}).status_code
            answers["/api/admin/settings"] = client.get("/api/admin/settings").status_code
    return answers


def told(webhook: Webhook) -> Counter[str]:
    """Which messages came how often, by what they say first."""
    return Counter(str(said["title"]) for said in webhook.got)


def measured(port: int) -> set[str]:
    """The lines of the metrics about releases and queues."""
    try:
        lines = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_SECONDS).text.splitlines()
    except httpx.TransportError:  # not yet
        return set()
    return {line for line in lines if line.startswith(("headgate_releases{", "headgate_queue_length{"))}


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_schedule_releases_people_are_told_and_approve_and_it_is_published(project: Any, tmp_path: Path, webhook: Webhook) -> None:
    """In between `serve` is stopped, the home is moved, and `serve` is started there. Each message comes once."""
    operator = project.home / "operator.yaml"
    operator.write_text(operator.read_text() + 'notify: [{to: "env:TELL_OPS", kinds: [candidate-waits, published]}]\n')
    project.write_policy(more='person: person\nschedule: {cron: "* * * * * */5", timezone: Europe/Rome}\n')
    flows = tmp_path / "elsewhere" / "flows"
    flows.mkdir(parents=True)
    (flows / "__init__.py").write_text("raise ImportError('the wrong flows')\n", encoding="utf-8")
    port = free_port()
    environment = {
        **os.environ,
        "TELL_OPS": webhook.url,
        "HEADGATE_PUBLISH_SECONDS": "3",
        "PREFECT_HOME": str(project.home / "prefect"),
        "PREFECT_RUNNER_POLL_FREQUENCY": "2",
    }
    environment.pop("PREFECT_API_URL")
    environment.pop("PREFECT_API_AUTH_STRING")
    serve = ("serve", project.folder, "--metrics-port", str(port))
    process = project.in_background(*serve, "--key", project.keys["steward"], environment=environment, cwd=flows.parent)
    try:
        first = waited_for(lambda: [one for one in releases(project) if one["state"] == "awaiting_approval"], process)[0]
        waited_for(lambda: [one for one in releases(project) if one["state"] == "nothing_new"], process)
        stranger = answers_to_a_stranger(process.pid, port)
        waited_for(lambda: webhook.got, process)
        waiting = measured(port)
    finally:
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PATIENCE_SECONDS)[1]
    former, project.home = project.home, tmp_path / "moved"
    former.rename(project.home)
    environment["PREFECT_HOME"] = str(project.home / "prefect")
    for approver in ("alice", "bob"):
        key = project.keys[approver]
        assert project.run("approve", first["candidate"], "--key", key, "--reason", "as every month").code == 0
    process = project.in_background(*serve, environment=environment, cwd=flows.parent)
    try:
        waited_for(lambda: [one for one in releases(project) if one["state"] == "published"], process)
        waited_for(lambda: len(webhook.got) > 1, process)
        published = waited_for(lambda: measured(port), process)
        runs = waited_for(
            lambda: {name for name in completed_runs(project) if name.startswith("publish ")} and completed_runs(project), process
        )
    finally:
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert told(webhook) == {"[headgate] patients: a candidate waits for approval": 1, "[headgate] patients: a version was published": 1}
    assert len(set(webhook.keys)) == 2
    assert {'headgate_releases{dataset="patients",state="awaiting_approval"} 1.0', 'headgate_queue_length{queue="approval"} 1.0'} <= waiting
    assert {'headgate_releases{dataset="patients",state="published"} 1.0', 'headgate_queue_length{queue="approval"} 0.0'} <= published
    assert "s3cr3t" not in said + err
    assert "Traceback" not in said
    assert "Traceback" not in err
    assert "Serving 1 policy" in err
    assert run_by_a_schedule(project)
    assert stranger == {"/api/flow_runs/filter": 401, "/api/deployments/": 401, "/api/admin/settings": 401}
    assert project.run("verify", project.home / "releases" / "patients" / "latest").code == 0
    assert project.run("audit", "verify").code == 0
    assert not former.exists()
    assert {one["candidate"] for one in releases(project)} == {first["candidate"], None}
    with sqlite3.connect(project.home / "prefect" / "prefect.db") as prefect:
        schedules = [json.loads(row[0]) for row in prefect.execute("SELECT schedule FROM deployment_schedule")]
    assert {"cron": "* * * * * */5", "timezone": "Europe/Rome", "day_or": True} in schedules
    assert "release policy" in runs


def prefect_states(project: Any, name: str) -> set[str]:
    database = project.home / "prefect" / "prefect.db"
    if not database.exists():
        return set()
    with sqlite3.connect(database) as prefect:
        try:
            return {row[0] for row in prefect.execute("SELECT state_type FROM flow_run WHERE name = ?", (name,))}
        except sqlite3.OperationalError:  # its tables are being made
            return set()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_run_that_was_cut_off_with_its_service_does_not_keep_the_next_from_starting(project: Any) -> None:
    """The next `serve` started nothing: the run's place was taken for ever. SIGTERM is answered by ending, in silence."""
    project.write_policy(more='person: person\nschedule: {cron: "* * * * * */5", timezone: Europe/Rome}\n')
    environment = {**os.environ, "PREFECT_HOME": str(project.home / "prefect"), "PREFECT_RUNNER_POLL_FREQUENCY": "2"}
    environment.pop("PREFECT_API_URL")
    environment.pop("PREFECT_API_AUTH_STRING")
    arguments = ("serve", project.folder, "--key", project.keys["steward"])
    first = project.in_background(*arguments, environment=environment)
    try:
        waited_for(lambda: "RUNNING" in prefect_states(project, "release policy"), first)
    finally:
        first.kill()
        first.communicate(timeout=PATIENCE_SECONDS)
    assert prefect_states(project, "release policy") >= {"RUNNING"}
    second = project.in_background(*arguments, environment=environment)
    try:
        waited_for(lambda: [one for one in releases(project) if one["state"] == "awaiting_approval"], second)
        waited_for(lambda: prefect_states(project, "release policy") >= {"COMPLETED"}, second)
    finally:
        second.send_signal(signal.SIGTERM)
        out, err = second.communicate(timeout=PATIENCE_SECONDS)
    assert (second.returncode, out) == (0, ""), err
    assert "CRASHED" in prefect_states(project, "release policy")
    lines = err.splitlines()
    assert lines[0].startswith("Serving 1 policy")
    said = [line for line in lines if not line.startswith(("Serving ", "  patients: ", "Prefect API: "))]
    assert [line for line in said if not re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  patients: run [0-9a-f]{16}", line)] == []
    assert any(re.search(r": candidate [0-9a-f]{12} awaits approval\.$", line) for line in said)


def test_a_folder_without_a_schedule_is_said_so(project: Any) -> None:
    outcome = project.run("serve", project.folder)
    assert outcome.code == 2
    assert "schedule" in outcome.err


def test_two_policies_of_one_dataset_are_not_served(project: Any) -> None:
    text = project.write_policy(more='person: person\nschedule: {cron: "0 3 1 * *"}\n').read_text(encoding="utf-8")
    (project.folder / "again.yaml").write_text(text, encoding="utf-8")
    outcome = project.run("serve", project.folder)
    assert outcome.code == 2
    assert "patients" in outcome.err


@pytest.mark.long
def test_the_deployments_file_registers_every_shipped_policy(tmp_path: Path) -> None:
    """With Prefect's own command, from the project's root, as docs/guide-operator.md says."""
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import PrefectServer
    from tasks.runtime.quiet import quieten

    root = Path(__file__).resolve().parents[2]
    before = dict(os.environ)
    os.environ.pop("PREFECT_API_URL", None)
    os.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    try:
        quieten(Home(tmp_path))
        server = PrefectServer.start(scheduling=True)
        environment = {**os.environ, **server.environment()}
    finally:
        os.environ.clear()
        os.environ.update(before)
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]
    try:
        for command in (
            ["work-pool", "create", "--type", "process", "headgate"],
            ["deploy", "--all", "--prefect-file", "deployments/prefect.yaml"],
        ):
            done = subprocess.run([*prefect, *command], cwd=root, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
            assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.stop()
    with sqlite3.connect(tmp_path / "prefect" / "prefect.db") as database:
        found = {row[0]: row[1] for row in database.execute("SELECT name, entrypoint FROM deployment")}
    assert found == {
        "hospital-patients": "flows.release.release",
        "publish-approved": "flows.publish.publish_approved",
        "start-missed": "flows.start_missed.start_missed",
    }
