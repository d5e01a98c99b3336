"""Where the runs of `headgate serve` start, and what Prefect is told of them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.schedules.scheduled_policies import scheduled_policies
from flows.schedules.wanted_deployments import publish_deployment, release_deployment
from flows.serve import own_runner, settle_in
from tasks.runtime.home import Home
from tasks.runtime.prefect_deployments import told
from tests.unit.flows.schedules.test_scheduled_policies import SCHEDULE, written

ROOT = Path(__file__).resolve().parents[3]


def test_runs_start_in_a_folder_of_the_home_and_with_nobodys_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "HEADGATE_KEY": "key", "HEADGATE_KEY_PASSPHRASE": "x"})
    monkeypatch.chdir(tmp_path)
    home = Home.open(tmp_path / "home")
    settle_in(home)
    assert Path.cwd() == home.staging
    assert os.environ["HEADGATE_HOME"] == str(home.root)
    assert not {"HEADGATE_KEY", "HEADGATE_KEY_PASSPHRASE"} & set(os.environ)


def test_what_prefect_is_told_of_a_schedule_names_no_key(tmp_path: Path) -> None:
    (policy,) = scheduled_policies([written(tmp_path, "a.yaml", "people", SCHEDULE)])
    said = told(release_deployment(policy))
    assert said["parameters"] == {"policy": str(policy.path), "if_changed": True, "scheduled": True}
    assert (said["name"], said["entrypoint"], "work_pool_name" in said) == ("people", "flows.release.release", False)
    assert [(each.schedule.cron, each.schedule.timezone) for each in said["schedules"]] == [("0 3 1 * *", "Europe/Rome")]


def test_the_queue_that_publishes_runs_where_there_is_something_to_do_and_once_at_a_time() -> None:
    said = told(publish_deployment())
    assert (said["concurrency_limit"], "concurrency_options" in said, said["schedules"]) == (1, False, [])


def test_what_is_served_is_not_imported_by_who_serves_it(tmp_path: Path) -> None:
    """A run imports what it needs in a process of its own; this one stays small for months."""
    written(tmp_path, "a.yaml", "people", SCHEDULE)
    program = (
        "import sys; from pathlib import Path; from flows.schedules.scheduled_policies import *; from flows.serve import *;"
        "from flows.schedules.wanted_deployments import *;"
        f"(policy,) = scheduled_policies([Path({str(tmp_path)!r})]);"
        "from tasks.runtime.prefect_deployments import told;"
        "made = [told(one) for one in (release_deployment(policy), publish_deployment())];"
        "import flows.schedules.missed_runs, flows.notice_watch, flows.publish_watch;"
        "print(*(one['entrypoint'] for one in made), *(name for name in sys.modules if name in ('flows.release', 'matplotlib', 'mlflow')))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout.split() == ["flows.release.release", "flows.publish.publish_approved"]


def test_what_is_served_is_there_under_the_name_that_prefect_is_told() -> None:
    from prefect.flows import load_flow_from_entrypoint

    made = publish_deployment()
    assert load_flow_from_entrypoint(made.entrypoint).name == made.flow


def test_what_prefect_keeps_of_its_runs_lies_in_the_home_and_in_no_folder_that_other_accounts_share(tmp_path: Path) -> None:
    """Where another account had made /tmp/runner_storage, `serve` ended."""
    home = Home.open(tmp_path / "home")
    assert own_runner(home)._tmp_dir.is_relative_to(home.root)


class Watch:
    """Goes on until it is cancelled."""

    said: str = ""

    async def watch(self) -> None:
        self.said = "began"
        try:
            await asyncio.sleep(60)
        finally:
            self.said = "ended"


class Runner:
    """In the place of Prefect's: it serves until its first watch has begun."""

    def __init__(self, *watches: Watch) -> None:
        self.watches = watches

    async def start(self) -> None:
        while any(watch.said != "began" for watch in self.watches):
            await asyncio.sleep(0.01)


def test_while_schedules_are_served_missed_runs_and_messages_are_looked_after() -> None:
    from flows.serve import _until_stopped

    watches = Watch(), Watch()
    asyncio.run(_until_stopped(Runner(*watches), *watches))  # type: ignore[arg-type]
    assert [watch.said for watch in watches] == ["ended", "ended"]
