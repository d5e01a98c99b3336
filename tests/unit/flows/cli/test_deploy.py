"""`headgate deploy` without a server: what is refused before one is asked, and the file. tests/functional/test_deploy.py has a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.flows.schedules.test_scheduled_policies import SCHEDULE, written


def test_without_a_server_that_is_named_nothing_is_deployed(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    outcome = run("deploy", written(tmp_path, "a.yaml", "people", SCHEDULE), "--json")
    assert outcome.code == 2
    assert "PREFECT_API_URL" in outcome.error["cure"]
    assert not (tmp_path / "home").exists()


def test_a_policy_without_a_schedule_is_refused(run: Any, tmp_path: Path) -> None:
    assert run("deploy", written(tmp_path, "a.yaml", "people")).code == 2


def test_the_file_is_written_and_compared(run: Any, tmp_path: Path) -> None:
    policy, file = written(tmp_path, "a.yaml", "people", SCHEDULE), tmp_path / "prefect.yaml"
    missing = run("deploy", policy, "--file", file, "--diff", "--json")
    assert (missing.code, file.exists()) == (3, False)
    assert missing.error["message"] == "prefect.yaml does not match the policies."
    assert run("deploy", policy, "--file", file, "--json").json == {"file": str(file), "written": True}
    assert f"policy: {policy}" in file.read_text(encoding="utf-8")
    again = run("deploy", policy, "--file", file, "--diff")
    assert (again.code, again.out) == (0, f"{file}: it matches the policies.\n")
    assert run("deploy", policy, "--file", file).code == 0
    written(tmp_path, "a.yaml", "people", SCHEDULE.replace("0 3", "0 4"))
    assert run("deploy", policy, "--file", file, "--diff").code == 3
