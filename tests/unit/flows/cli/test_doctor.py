"""`headgate doctor`: how ledger and clock stand, and what only the operator confirms."""

from __future__ import annotations

import grp
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.ledger.machine_time import machine_uptime
from tasks.signing.home_keys import home_fingerprint


def test_a_new_home_has_nothing_to_say(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.checks import machine

    monkeypatch.setattr(machine, "LOCK", Path("/dev/null"))
    monkeypatch.setattr(machine, "requires", lambda _: [])
    said = run("doctor")
    assert (said.code, said.err) == (0, "")
    assert "ledger    It has no event yet; it is the one this home has seen." in said.out


def test_every_check_has_a_line_and_the_worst_decides_the_exit_code(run: Any, world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.checks import every_check

    checks = tuple(check for check in every_check.CHECKS if check[0] != "versions")
    monkeypatch.setattr(every_check.findings, "__defaults__", (checks, 15.0))
    world.seal()
    assert run("doctor").code == 0
    (world.home.root / "operator.yaml").write_text("runners: [ghost, runner]\n")
    said = run("doctor")
    assert (said.code, "warning  signers   operator.yaml names ghost" in said.out) == (3, True)
    (world.home.root / "operator.yaml").write_text("backup: {every: 1d}\n")
    report = run("doctor", "--json")
    assert (report.code, report.error["message"]) == (6, "1 check failed: backup.")
    assert set(report.json) == {"home", "events", "last_event", "now", "clock", "ledger", "signers", "series", "socket", "checks", "error"}
    by_name = {check["name"]: check for check in report.json["checks"]}
    assert set(by_name["backup"]) == {"name", "status", "message", "cure"}
    assert (by_name["chain"]["status"], by_name["chain"]["cure"]) == ("ok", None)
    world.home.ledger.write_bytes(b"")
    assert run("doctor", "--json").code == 5


def test_after_a_long_gap_nothing_is_written_until_the_clock_is_confirmed(run: Any, world: Any) -> None:
    """As if the world's last event were 500 days old: the machine's clock comes back after that."""
    world.clock.moment -= timedelta(days=500)
    world.ledger.remember_anew()
    candidate = world.seal()
    refused = run("show", candidate.id, "--json")
    assert (refused.code, "--confirm-clock" in refused.error["cure"]) == (6, True)
    report = run("doctor", "--json").json
    assert report["events"] == 8
    assert report["clock"].startswith("The ledger was last written 49")
    assert report["ledger"] is None
    assert run("releases").code == 0
    confirmed = run("doctor", "--confirm-clock")
    assert (confirmed.code, ": consistent with the ledger." in confirmed.out) == (0, True)
    assert run("show", candidate.id).code == 0


def test_a_clock_set_forward_for_one_command_writes_nothing(run: Any, world: Any) -> None:
    """The home remembers that its clock was right at this second of the machine's own time; then the clock says two hours more."""
    candidate = world.seal()
    world.ledger.memory.file.unlink()
    replace(world.ledger.memory, uptime=machine_uptime).remember(world.ledger.entries()[-1], world.clock() - timedelta(hours=2))
    if machine_uptime() is None:
        return
    before = world.ledger.entries()
    refused = run("show", candidate.id, "--json")
    assert (refused.code, "was set forward by 2 hours" in refused.error["message"]) == (6, True)
    assert world.ledger.entries() == before


def test_a_ledger_that_was_lost_and_restored_older_counts_only_when_the_operator_says_so(run: Any, world: Any) -> None:
    candidate = world.seal()
    older = world.home.ledger.read_bytes()
    assert run("show", candidate.id).code == 0
    world.home.ledger.write_bytes(older)
    assert run("show", candidate.id).code == 5
    assert "an older ledger was put back" in run("doctor").out
    assert run("doctor", "--confirm-clock").code == 5
    assert run("doctor", "--accept-ledger").code == 0
    assert run("show", candidate.id).code == 0
    world.ledger.memory.file.unlink()
    assert run("show", candidate.id).code == 5
    assert run("doctor", "--accept-ledger").code == 0
    assert run("show", candidate.id).code == 0


@pytest.mark.long
@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
def test_a_clock_set_by_faketime_lets_no_expired_key_approve_and_leaves_nothing_behind(run: Any, world: Any, key_file: Any) -> None:
    """In processes of their own, whose clock is really another."""
    candidate, now = world.seal(), datetime.now(UTC)
    expired = f'valid-before="{now - timedelta(minutes=10):%Y%m%d%H%M%SZ}"'
    world.write_signers(world.line("runner"), world.line("ann", options=expired), world.line("bob"))
    approve = ("approve", candidate.id, "--reason", "read the report", "--json", "--key")
    assert run(*approve, key_file("ann")).error["code"] == 4
    before = world.ledger.entries()
    assert at(now - timedelta(minutes=30), *approve, key_file("ann")) == 4  # within the hour, the ledger's own time counts
    assert at(now - timedelta(days=3), *approve, key_file("ann")) == 6
    assert at(datetime(2099, 1, 1, tzinfo=UTC), "show", candidate.id) == 6
    assert world.ledger.entries() == before
    assert run("show", candidate.id).code == 0
    assert run(*approve, key_file("bob")).code == 0


def at(present: datetime, *arguments: object) -> int:
    """The exit code of a command for which it is that moment."""
    command = ["faketime", f"{present:%Y-%m-%d %H:%M:%S}", sys.executable, "-m", "flows.cli", *map(str, arguments)]
    root = Path(__file__).resolve().parents[4]
    return subprocess.run(command, env={**os.environ, "TZ": "UTC", "PYTHONPATH": str(root)}, capture_output=True, timeout=120).returncode


def test_the_socket_is_looked_at_where_one_is_named(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("doctor", "--json").json["socket"] is None
    place, group = tmp_path / "s", grp.getgrgid(tmp_path.stat().st_gid).gr_name
    monkeypatch.setenv("HEADGATE_SOCKET", str(place))
    assert f"socket  {place}. Nothing is there: `headgate serve` makes it." in run("doctor").out
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        place.chmod(0o666)
        listener.listen()
        said = run("doctor").out
        assert f"socket  {place}. Group {group}, mode 0666, which should be 0660. `headgate serve` answers there. Those who" in said
        assert f"know this home as {home_fingerprint(tmp_path / 'home' / 'keys')}." in said
        place.chmod(0o660)
        assert run("doctor", "--json").json["socket"] == {"path": str(place), "mode": "0660", "group": group, "listening": True}
    assert f"Group {group}, mode 0660. Nobody answers there: start `headgate serve`." in run("doctor").out
