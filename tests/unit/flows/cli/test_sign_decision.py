"""What every signed decision asks for before anything is opened: a key, and a reason that says something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.cli.sign_decision import require_reason
from headgate.core.errors import InputRejected

COMMANDS = ("approve", "request-changes", "reject")


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_key_nothing_is_signed(command: str, run: Any, tmp_path: Path) -> None:
    refused = run(command, "0123456789ab", "--reason", "read", "--json")
    assert refused.error["code"] == 2
    assert "HEADGATE_KEY" in refused.error["cure"]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("reason", ["", " ", "\n\t"])
def test_a_reason_is_not_blank(command: str, reason: str, run: Any, tmp_path: Path) -> None:
    refused = run(command, "0123456789ab", "--key", tmp_path / "key", "--reason", reason, "--json")
    assert refused.error["code"] == 2
    assert "--reason" in refused.error["cure"]
    with pytest.raises(InputRejected):
        require_reason(reason)
    require_reason(" because ")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_key_is_taken_from_the_environment_and_the_option_goes_before_it(
    command: str, run: Any, world: Any, key_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = world.seal()
    monkeypatch.setenv("HEADGATE_KEY", str(key_file("ann")))
    assert run(command, candidate.id, "--key", key_file("bob"), "--reason", "read", "--json").json["principal"] == "bob"
    other = world.seal()
    assert run(command, other.id, "--reason", "read", "--json").json["principal"] == "ann"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_key_that_others_can_read_or_that_is_none_signs_nothing(command: str, run: Any, world: Any, key_file: Any) -> None:
    candidate, key = world.seal(), key_file("ann")
    key.chmod(0o644)
    assert "can be read" in run(command, candidate.id, "--key", key, "--reason", "read", "--json").error["message"]
    assert run(command, candidate.id, "--key", key.with_name("none"), "--reason", "read", "--json").error["code"] == 2
