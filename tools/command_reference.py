"""The commands and their options, as the command line itself declares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from flows.cli import app


def commands() -> Iterator[tuple[str, Any, typer.Context]]:
    """Every command with its full name, in the order of `headgate --help`."""
    group = typer.main.get_command(app)
    yield from _inside(group, "", group.context_class(group, info_name="headgate"))


def _inside(group: Any, prefix: str, context: Any) -> Iterator[tuple[str, Any, typer.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = command.context_class(command, info_name=name, parent=context)
        if hasattr(command, "list_commands"):
            yield from _inside(command, f"{prefix}{name} ", inner)
        else:
            yield f"{prefix}{name}", command, inner


def command_list() -> str:
    rows = [f"| `{_usage(name, command)}` | {_cell(command.help.split('.')[0])} |" for name, command, _ in commands()]
    return "\n".join(["| Command | What it does |", "|---|---|", *rows, ""])


def command_options() -> str:
    sections = []
    for name, command, context in commands():
        rows = [f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in _records(command, context)]
        table = ["| | |", "|---|---|", *rows, ""] if rows else []
        sections.append("\n".join([f"### `headgate {_usage(name, command)}`", "", command.help, "", *table]))
    return "\n".join(sections)


def _usage(name: str, command: Any) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    return " ".join([name, *(_cell(param.metavar or param.name.upper()) for param in arguments)])


def _records(command: Any, context: typer.Context) -> list[tuple[str, str]]:
    records = [param.get_help_record(context) for param in command.params]
    return [record for record in records if record is not None]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
