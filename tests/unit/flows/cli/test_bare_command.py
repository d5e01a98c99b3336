"""`headgate` without a command."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any


def test_without_a_command_it_shows_what_there_is(run: Any) -> None:
    """It was "Not accepted", with exit code 2."""
    outcome = run()
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: headgate")
    assert "Draft a policy" in outcome.out


def test_it_says_its_version(run: Any) -> None:
    outcome = run("--version")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"headgate {version('headgate')}\n", "")


def test_an_unknown_command_or_option_is_bad_input_still(run: Any) -> None:
    assert run("relaese").code == 2
    assert run("--verison").code == 2
