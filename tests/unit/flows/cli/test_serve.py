"""`headgate serve`: what it will run is looked at before a server is started, and said on stderr."""

from __future__ import annotations

import grp
import os
from pathlib import Path
from typing import Any

import pytest

from flows import serve as schedules
from flows.schedules.scheduled_policies import Scheduled
from tasks.signing.home_keys import home_fingerprint
from tests.unit.flows.schedules.test_scheduled_policies import SCHEDULE, written


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, without_server: None, tmp_path: Path, world: Any, key_folder: Path) -> list[list[Scheduled]]:
    """What would be served until stopped. Serving changes folder and environment; the test's own come back."""
    calls: list[list[Scheduled]] = []
    monkeypatch.setattr(schedules, "serve_policies", lambda policies, notices: calls.append(policies))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.chdir(tmp_path)
    return calls


def test_every_policy_with_a_schedule_is_served_and_named(
    run: Any, served: list[list[Scheduled]], tmp_path: Path, key_folder: Path
) -> None:
    for name in ("b", "a"):
        written(tmp_path, f"{name}.yaml", f"{name}-people", SCHEDULE)
    written(tmp_path, "c.yaml", "by-hand")
    outcome = run("serve", "--key", key_folder / "runner")
    assert (outcome.code, outcome.out) == (0, "")
    assert [policy.dataset for policy in served[0]] == ["a-people", "b-people"]
    lines = outcome.err.splitlines()
    assert lines[0] == f"Serving 2 policies from {tmp_path / 'home'}; press Ctrl-C to stop."
    assert lines[1:3] == ["  a-people: 0 3 1 * * (Europe/Rome), a.yaml", "  b-people: 0 3 1 * * (Europe/Rome), b.yaml"]
    assert lines[3].startswith("Prefect API: ")


def test_runs_start_in_the_home_and_policies_are_found_from_there(
    run: Any, served: list[list[Scheduled]], tmp_path: Path, key_folder: Path
) -> None:
    written(tmp_path, "a.yaml", "people", SCHEDULE)
    assert "Serving 1 policy from" in run("serve", "a.yaml", "--key", key_folder / "runner").err
    assert Path.cwd() == tmp_path / "home" / "staging"
    assert served[0][0].path == tmp_path / "a.yaml"


def test_a_schedule_that_nobody_may_run_is_not_served(
    run: Any, served: list[list[Scheduled]], world: Any, tmp_path: Path, key_folder: Path
) -> None:
    written(tmp_path, "a.yaml", "people", SCHEDULE)
    assert run("serve", "a.yaml", "--register").code == 2
    outcome = run("serve", "a.yaml")
    assert (outcome.code, outcome.out, served) == (4, "", [])
    assert "nobody has registered the policy of people" in outcome.err
    world.write_signers(world.line("ann"), world.line("bob"))
    outcome = run("serve", "a.yaml", "--key", key_folder / "runner")
    assert (outcome.code, outcome.out, served) == (4, "", [])
    assert world.keys["runner"].public in outcome.err


def test_what_was_registered_once_is_served_without_anybodys_key(
    run: Any, served: list[list[Scheduled]], tmp_path: Path, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "a.yaml", "people", SCHEDULE)
    outcome = run("serve", "a.yaml", "--key", key_folder / "runner", "--register")
    assert (outcome.code, outcome.err, served) == (0, "Registered: people.\n", [])
    assert run("releases", "--calendar", "--json").json["runs"][0]["schedule"] == {"cron": "0 3 1 * *", "timezone": "Europe/Rome"}
    monkeypatch.setenv("HEADGATE_KEY", str(key_folder / "bob"))
    assert run("serve", "a.yaml").code == 0
    assert len(served) == 1
    assert "HEADGATE_KEY" not in os.environ


def test_a_policy_that_was_changed_since_is_refused_aloud_and_the_others_are_served(
    run: Any, served: list[list[Scheduled]], tmp_path: Path, key_folder: Path
) -> None:
    for name in ("a", "b"):
        written(tmp_path, f"{name}.yaml", f"{name}-people", SCHEDULE)
    assert run("serve", tmp_path, "--key", key_folder / "runner", "--register").code == 0
    written(tmp_path, "b.yaml", "b-people", SCHEDULE.replace("Rome", "Berlin"))
    outcome = run("serve", tmp_path)
    assert outcome.code == 0
    assert "the policy of b-people has changed since runner registered it" in outcome.err
    assert "--register" in outcome.err
    assert len(served[0]) == 2  # it runs again as soon as it is registered again


@pytest.mark.parametrize("name", ["by-hand.yaml", "absent.yaml", "nothing"])
def test_what_has_no_schedule_is_bad_input_and_nothing_is_served(
    run: Any, served: list[list[Scheduled]], tmp_path: Path, name: str
) -> None:
    (tmp_path / "nothing").mkdir()
    written(tmp_path, "by-hand.yaml", "by-hand")
    outcome = run("serve", name)
    assert (outcome.code, outcome.out, served) == (2, "", [])
    assert "Cure: " in outcome.err


def test_a_socket_is_served_though_no_policy_has_a_schedule_and_is_gone_afterwards(
    run: Any, served: list[list[Scheduled]], world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o755)
    place, group = tmp_path / "run" / "s", grp.getgrgid(os.getegid()).gr_name
    os.environ |= {"HEADGATE_SOCKET": str(place), "HEADGATE_SOCKET_GROUP": group}
    modes: list[int] = []
    monkeypatch.setattr(schedules, "serve_policies", lambda policies, notices: modes.append(place.stat().st_mode & 0o777))
    (tmp_path / "none").mkdir()
    outcome = run("serve", tmp_path / "none")
    assert (outcome.code, modes) == (0, [0o660]), outcome.err
    assert outcome.err.splitlines()[0] == f"Serving no schedule from {tmp_path / 'home'}; press Ctrl-C to stop."
    home = home_fingerprint(tmp_path / "home" / "keys")
    assert outcome.err.splitlines()[1] == f"Requests: {place} (group {group}), for the home {home}"
    assert not place.exists()


def test_a_socket_whose_group_is_not_there_is_refused_before_a_server_is_started(
    run: Any, served: list[list[Scheduled]], tmp_path: Path
) -> None:
    os.environ |= {"HEADGATE_SOCKET": str(tmp_path / "s"), "HEADGATE_SOCKET_GROUP": "no-such-group"}
    (tmp_path / "none").mkdir()
    outcome = run("serve", tmp_path / "none")
    assert (outcome.code, served) == (2, [])
    assert "The group no-such-group does not exist" in outcome.err
