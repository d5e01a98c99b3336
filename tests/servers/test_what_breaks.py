"""What happens to an installation: a database that is restarted, a server that is gone for a minute, two runs at once, a wrong password.
The ledger says what came of each release; nothing is released twice, and nothing is left that keeps the next from running."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from policies.words.cron_moments import CronMoments
from tests.browser.conftest import Site
from tests.servers.conftest import Installation, write_people, write_policies
from tests.servers.processes import Server, wait_until
from tests.servers.test_scheduled_release import prefect, releases, start_run

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
GONE_SECONDS = 60


@pytest.fixture
def steward(site: Site) -> Path:
    return site.home.root.parent / "keys" / "steward"


@pytest.fixture(scope="module")
def policies(installation: Installation) -> Path:
    """Due long after these tests."""
    return write_policies(installation.folder / "more policies", ("visits", "jobs"), due=timedelta(hours=12))


def of_dataset(installation: Installation, dataset: str) -> list[dict[str, Any]]:
    return [one for one in releases(installation) if one["dataset"] == dataset]


def in_background(installation: Installation, *command: str | Path) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-m", "flows.cli", *map(str, command)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(arguments, env=installation.environment, cwd=installation.folder, **pipes)


def test_a_database_that_is_restarted_leaves_a_release_that_ended_or_went_on(
    installation: Installation, site: Site, policies: Path, steward: Path
) -> None:
    """PostgreSQL keeps the ledger, Prefect's runs and MLflow's at once."""
    write_people(policies / "visits.csv", 11)
    before = len(of_dataset(installation, "visits"))
    run = in_background(installation, "release", policies / "visits.yaml", "--key", steward, "--json")
    wait_until(lambda: len(of_dataset(installation, "visits")) > before or run.poll() is not None, "the release begins")
    installation.postgresql.restart()
    out, err = run.communicate(timeout=300)
    assert run.returncode in (0, 6), err
    assert "Traceback" not in err
    if run.returncode == 6:
        wait_until(lambda: installation.run("audit", "verify").returncode == 0, "the ledger can be read again")
        again = installation.run("release", policies / "visits.yaml", "--key", steward, "--json")
        assert again.returncode == 0, again.stderr
    assert installation.run("audit", "verify").returncode == 0
    assert json.loads(out)


def test_a_server_that_is_gone_for_a_minute_costs_no_release(
    installation: Installation, site: Site, policies: Path, worker: Server, steward: Path
) -> None:
    write_people(policies / "jobs.csv", 12)
    assert installation.run("deploy", policies, "--key", steward).returncode == 0
    before = {one["release"] for one in of_dataset(installation, "jobs")}
    start_run(installation, "release/jobs")

    def begun() -> list[dict[str, Any]]:
        return [one for one in of_dataset(installation, "jobs") if one["release"] not in before]

    wait_until(begun, "the run begins")
    installation.prefect.stop()
    time.sleep(GONE_SECONDS)
    installation.prefect.start()
    wait_until(lambda: begun()[0]["state"] not in ("running",), "the run has an end in the ledger")
    assert len(begun()) == 1
    assert begun()[0]["state"] == "awaiting_approval"
    assert installation.run("audit", "verify").returncode == 0


def test_two_runs_at_once_come_to_one_candidate(
    installation: Installation, site: Site, policies: Path, worker: Server, steward: Path
) -> None:
    write_people(policies / "jobs.csv", 13)
    assert installation.run("deploy", policies, "--key", steward).returncode == 0
    before = {one["release"] for one in of_dataset(installation, "jobs")}
    runs = [start_run(installation, "release/jobs") for _ in range(2)]

    def ended() -> bool:
        body = {"flow_runs": {"id": {"any_": runs}}}
        return {one["state_type"] for one in prefect(installation, "flow_runs/filter", body)} == {"COMPLETED"}

    wait_until(ended, "both runs end well")
    came = sorted(one["state"] for one in of_dataset(installation, "jobs") if one["release"] not in before)
    assert came == ["awaiting_approval", "nothing_new"]


@pytest.fixture
def small_disk(site: Site) -> Iterator[Path]:
    """The worker's tables and its candidate on their way are on a disk of their own, with room for the tables only."""
    place = site.home.staging
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k,mode=700", "small", str(place)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield place
    finally:
        while place.is_mount():
            subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_full_in_the_middle_ends_the_run_and_the_next_one_comes_to_a_candidate(
    installation: Installation, site: Site, policies: Path, worker: Server, steward: Path, small_disk: Path
) -> None:
    write_people(policies / "jobs.csv", 15)
    assert installation.run("deploy", policies, "--key", steward).returncode == 0
    before = {one["release"] for one in of_dataset(installation, "jobs")}

    def since() -> list[str]:
        return [one["state"] for one in of_dataset(installation, "jobs") if one["release"] not in before and one["state"] != "running"]

    run = start_run(installation, "release/jobs")
    wait_until(since, "the run has an end in the ledger")
    assert since() == ["failed"]
    body = {"flow_runs": {"id": {"any_": [run]}}}
    wait_until(lambda: prefect(installation, "flow_runs/filter", body)[0]["state_type"] == "FAILED", "Prefect knows of the end")
    said = prefect(installation, "flow_runs/filter", body)[0]["state"]["message"]
    assert "No space left on device" in said
    assert list(small_disk.iterdir()) == []
    subprocess.run(["umount", str(small_disk)], check=True)
    start_run(installation, "release/jobs")
    wait_until(lambda: "awaiting_approval" in since(), "the next run comes to a candidate")
    assert installation.run("audit", "verify").returncode == 0


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("HEADGATE_DATABASE_URL", "The ledger's database refuses the name or the password."),
        ("PREFECT_API_AUTH_STRING", "refuses the name or the password."),
        ("MLFLOW_TRACKING_PASSWORD", "refuses the name or the password"),
    ],
)
def test_a_wrong_password_is_said_by_the_server_that_refuses_it(
    installation: Installation, site: Site, policies: Path, steward: Path, variable: str, said: str
) -> None:
    write_people(policies / "visits.csv", 14)
    wrong = re.sub(r"(?<=:)[0-9a-f]{24}|^[0-9a-f]{24}$", "wrong", installation.environment[variable])
    assert wrong != installation.environment[variable]
    outcome = installation.run("release", policies / "visits.yaml", "--key", steward, "--json", **{variable: wrong})
    assert outcome.returncode == 6, outcome.stderr
    assert said in json.loads(outcome.stdout)["error"]["message"]
    assert "wrong" not in outcome.stderr


@pytest.mark.parametrize("day", [datetime(2027, 3, 28, tzinfo=UTC), datetime(2027, 10, 31, tzinfo=UTC)], ids=["spring", "autumn"])
def test_three_oclock_comes_once_on_both_days_on_which_the_clock_jumps(day: datetime) -> None:
    """By Prefect's scheduler and by the ledger's rule alike."""
    import asyncio

    from prefect.server.schemas.schedules import CronSchedule

    scheduled = asyncio.run(CronSchedule(cron="0 3 * * *", timezone="Europe/Rome").get_dates(3, start=day - timedelta(hours=12)))
    moments, moment = [], day - timedelta(hours=12)
    for _ in scheduled:
        moment = CronMoments(cron="0 3 * * *", timezone="Europe/Rome").first_after(moment)
        moments.append(moment)
    assert [date.astimezone(UTC) for date in scheduled] == [one.astimezone(UTC) for one in moments]
    assert sum(one.astimezone(moments[0].tzinfo).date() == day.date() for one in moments) == 1
