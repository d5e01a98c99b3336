"""Which policies `headgate serve` runs, and where their runs start."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from flows.serve import own_runner, scheduled_policies, settle_in
from headgate.core.errors import InputRejected
from tasks.runtime.home import Home

POLICY = """
schema: 1
dataset: {dataset}
source: {{kind: csv, path: people.csv}}
attributes:
  id: {{role: identifier}}
  age: {{role: quasi, kind: integer, domain: [0, 99]}}
  job: {{role: sensitive, kind: category}}
anonymize: {{k: 5}}
gates: {{linkability: 0.8}}
publish: {{to: people}}
"""
SCHEDULE = 'schedule: {cron: "0 3 1 * *", timezone: Europe/Rome}\n'


def written(folder: Path, name: str, dataset: str, more: str = "") -> Path:
    path = folder / name
    path.write_text(POLICY.format(dataset=dataset) + more, encoding="utf-8")
    return path


def test_a_folder_gives_its_policies_with_a_schedule_in_the_order_of_their_names(tmp_path: Path) -> None:
    written(tmp_path, "b.yaml", "second", SCHEDULE)
    written(tmp_path, "a.yaml", "first", SCHEDULE)
    written(tmp_path, "c.yaml", "by-hand")
    assert [policy.dataset for policy in scheduled_policies([tmp_path])] == ["first", "second"]


def test_a_policy_that_is_named_must_have_a_schedule(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match=r"c\.yaml has no schedule"):
        scheduled_policies([written(tmp_path, "c.yaml", "by-hand")])


def test_a_folder_without_a_schedule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="No policy with a schedule"):
        scheduled_policies([tmp_path])


def test_two_policies_of_one_dataset_are_refused(tmp_path: Path) -> None:
    policies = [written(tmp_path, name, "same", SCHEDULE) for name in ("a.yaml", "b.yaml")]
    with pytest.raises(InputRejected, match="same"):
        scheduled_policies(policies)


def test_runs_start_in_a_folder_of_the_home_and_with_nobodys_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "HEADGATE_KEY": "key", "HEADGATE_KEY_PASSPHRASE": "x"})
    monkeypatch.chdir(tmp_path)
    home = Home.open(tmp_path / "home")
    settle_in(home)
    assert Path.cwd() == home.staging
    assert os.environ["HEADGATE_HOME"] == str(home.root)
    assert not {"HEADGATE_KEY", "HEADGATE_KEY_PASSPHRASE"} & set(os.environ)


def test_what_prefect_is_told_of_a_schedule_names_no_key(tmp_path: Path) -> None:
    from flows.serve import _release_deployment

    (policy,) = scheduled_policies([written(tmp_path, "a.yaml", "people", SCHEDULE)])
    assert _release_deployment(policy).parameters == {"policy": str(policy.path), "if_changed": True, "scheduled": True}


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
