"""`headgate serve` on a real Prefect server, after its machine was off while a schedule came due."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.schedules.missed_runs import CHECK_SECONDS
from tests.functional.test_serve import PATIENCE_SECONDS, releases, waited_for

DAYS = timedelta(days=3)


def registered_days_ago(project: Any, policy: Path) -> None:
    """By the steward, when the machine's clock said so."""
    from policies.sealed.manifest import Signer
    from tasks.approval.kept_policies import keep_policy
    from tasks.approval.registered_policies import register
    from tasks.reading.references import load_policy
    from tasks.release.run import scheduled_policy
    from tasks.runtime.home import Home
    from tasks.signing.keys import load_key

    home, key, loaded = Home.open(project.home), load_key(project.keys["steward"]), load_policy(policy)
    then = replace(ledger_of(project), clock=lambda: datetime.now(UTC) - DAYS, memory=None)
    keep_policy(home, loaded)
    register(home, then, scheduled_policy(loaded), Signer(principal="steward", fingerprint=key.fingerprint), key)


def ledger_of(project: Any) -> Any:
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home

    return open_ledger(Home.open(project.home))


def served(project: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "HEADGATE_PUBLISH_SECONDS": "3", "PREFECT_HOME": str(project.home / "prefect")}
    for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING"):
        environment.pop(name)
    return project.in_background("serve", project.policy, environment={**environment, "PREFECT_RUNNER_POLL_FREQUENCY": "2"})


def flow_runs(project: Any, flow: str) -> list[str]:
    """Their states, as Prefect's server has them."""
    asked = (
        "SELECT flow_run.state_type FROM flow_run JOIN flow ON flow.id = flow_run.flow_id WHERE flow.name = ? AND start_time IS NOT NULL"
    )
    database = project.home / "prefect" / "prefect.db"
    if not database.exists():
        return []
    with sqlite3.connect(database) as prefect:
        try:
            return [row[0] for row in prefect.execute(asked, (flow,))]
        except sqlite3.OperationalError:  # its tables are being made
            return []


def ended(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=PATIENCE_SECONDS)[1]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_what_came_due_while_the_machine_was_off_runs_once_when_it_is_back(project: Any) -> None:
    """Prefect drops what comes due after `serve` was stopped: a monthly release was late by a month, and nobody was told. The daily moment
    passed three times; it has one run. At first somebody releases by hand: the run waits."""
    hour = datetime.now(UTC) - timedelta(hours=2)
    policy = project.write_policy(more=f'person: person\nschedule: {{cron: "{hour.minute} {hour.hour} * * *", timezone: UTC}}\n')
    registered_days_ago(project, policy)
    (planned,) = project.run("releases", "--calendar", "--json").json["runs"]
    assert planned["missed"] == hour.replace(second=0, microsecond=0).isoformat()
    first = served(project)
    try:
        with ledger_of(project).lock("patients", "by-hand"):  # before it has begun to look
            waited_for(lambda: flow_runs(project, "publish-approved"), first)  # its first look at schedules came before that
            assert releases(project) == []
        waited_for(lambda: [one for one in releases(project) if one["state"] == "awaiting_approval"], first)
        waited_for(lambda: "COMPLETED" in flow_runs(project, "release"), first)
        time.sleep(CHECK_SECONDS + 5)  # it has looked again since
    finally:
        said = ended(first)
    assert said.count("waits until release by-hand has ended.") == said.count(", which did not begin.") == 1
    assert "Traceback" not in said
    assert [one["state"] for one in releases(project)] == ["awaiting_approval"]
    assert flow_runs(project, "release") == ["COMPLETED"]
    (planned,) = project.run("releases", "--calendar", "--json").json["runs"]
    assert (planned["missed"], planned["last"]["state"]) == (None, "awaiting_approval")
