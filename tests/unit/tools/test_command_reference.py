"""The command reference is what the command line declares of itself."""

from __future__ import annotations

from flows.cli import COMMANDS
from tools.command_reference import command_list, command_options, commands


def test_every_command_is_listed_in_the_order_of_the_help() -> None:
    names = [name for name, _, _ in commands()]
    assert names[: len(COMMANDS)] == [command.__name__.replace("_", "-") for command in COMMANDS]
    assert names[len(COMMANDS) :] == ["audit list", "audit show", "audit verify", "audit cosign", "audit export", "policy digest"]
    assert [f"`{name}" in command_list() for name in names] == [True] * len(names)


def test_every_option_stands_under_its_command() -> None:
    release = command_options().split("### `headgate release POLICY`")[1].split("### ")[0]
    for option in ("--source", "--key", "--if-changed", "--json", "--verbose"):
        assert f"`{option}" in release, option
    assert "HEADGATE_KEY" in release


def test_a_bar_in_a_name_does_not_break_the_table() -> None:
    assert "serve [POLICY\\|FOLDER]..." in command_list()
