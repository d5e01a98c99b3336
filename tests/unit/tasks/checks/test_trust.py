"""Who may read and write the files of trust, and whose keys end."""

from __future__ import annotations

import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.checks.finding import Situation, Status
from tasks.checks.trust import check_keys, check_rights, check_signers


def test_a_key_that_others_can_read_is_a_failure(situation: Situation, world: Any) -> None:
    world.seal()
    assert [found.status for found in check_rights(situation)] == [Status.OK]
    (world.home.keys / "ledger").chmod(0o640)
    (found,) = check_rights(situation)
    assert (found.status, "keys/ledger" in found.message) == (Status.FAILURE, True)


def test_files_of_trust_that_others_can_write_are_a_failure(situation: Situation, world: Any) -> None:
    world.home.signers.chmod(0o666)
    (world.home.root / "operator.yaml").symlink_to("/etc/passwd")
    assert [found.status for found in check_rights(situation)] == [Status.FAILURE] * 2


def test_a_spool_and_a_socket_are_looked_at_where_they_are_named(
    situation: Situation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADGATE_SPOOL", str(tmp_path / "nowhere"))
    monkeypatch.setenv("HEADGATE_SOCKET", str(tmp_path / "s"))
    spool, nobody = check_rights(situation)
    assert (spool.status, nobody.status) == (Status.FAILURE, Status.WARNING)
    monkeypatch.delenv("HEADGATE_SPOOL")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        assert [found.status for found in check_rights(situation)] == [Status.OK]


def test_names_that_no_line_has_are_warned_of(situation: Situation, world: Any) -> None:
    assert [found.status for found in check_signers(situation)] == [Status.OK]
    (world.home.root / "operator.yaml").write_text("runners: [ghost]\n")
    (found,) = check_signers(situation)
    assert (found.status, "ghost" in found.message) == (Status.WARNING, True)
    world.home.signers.unlink()
    assert [found.status for found in check_signers(situation)] == [Status.OK]  # a new home
    assert [found.status for found in check_keys(situation)] == [Status.OK]


def test_who_cannot_sign_any_more_and_who_soon_cannot_is_named(situation: Situation, world: Any) -> None:
    now = world.ledger.now()
    soon, past = (f'valid-before="{now + timedelta(days=days):%Y%m%d%H%M%SZ}"' for days in (10, -1))
    assert [found.status for found in check_keys(situation)] == [Status.OK]
    world.write_signers(world.line("runner"), world.line("ann", options=soon), world.line("bob", options=past), world.line("cyd"))
    world.revoke("cyd")
    ended, ending = check_keys(situation)
    assert "No key of bob, cyd counts now" in ended.message
    assert ending.message == "A key of ann expires within 30 days."
    (world.home.root / "operator.yaml").write_text("runners: [bob]\n")
    assert next(iter(check_keys(situation))).status is Status.FAILURE
