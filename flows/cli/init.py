"""`headgate init TABLE`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from flows.terminal.options import Output


def init(
    table: Annotated[
        Path | None, typer.Argument(metavar="[TABLE]", help="A CSV, Parquet, Excel, SPSS or Stata file; with --home, a folder.")
    ] = None,
    output: Output = None,
    new_home: Annotated[bool, typer.Option("--home", help="Make a home instead, with operator.yaml and signers to fill in.")] = False,
) -> None:
    """Draft a policy for TABLE. Guesses are marked; confirm them before the first release. With --home, make a home."""
    from headgate.core.errors import InputRejected

    if new_home:
        _make_home(table)
    elif table is None:
        raise InputRejected("No table was given.", "Name a CSV, Parquet, Excel, SPSS or Stata file; or make a home with --home.")
    else:
        _draft(table, output)


def _make_home(folder: Path | None) -> None:
    from flows.terminal.output import console
    from tasks.runtime.new_home import make_home

    home, made = make_home(folder)
    console().print(f"Home {home.root}", soft_wrap=True)
    for path in made:
        console().print(f"  made {path}: read it and fill it in", soft_wrap=True)


def _draft(table: Path, output: Path | None) -> None:
    from flows.terminal.current_folder import as_named, here
    from flows.terminal.output import console, write_document
    from policies.drafting.column_roles import guessed_roles
    from policies.drafting.draft_remarks import remarks_on
    from policies.drafting.policy_draft import draft_policy
    from tasks.profiling.profile_table import profile_table

    profile = profile_table(table, here() if output is None else output.parent)
    text = draft_policy(profile)
    if output is None:
        write_document(text)
        return
    _write_draft(output, text)
    named = as_named(output)
    for remark in remarks_on(profile, guessed_roles(profile.columns)):
        console().print(f"Look at this first: {remark}", soft_wrap=True)
    console().print(f"Drafted {named}. Confirm its guesses, then: headgate advise {shlex.quote(str(named))}", soft_wrap=True)


def _write_draft(output: Path, text: str) -> None:
    """With the usual permissions of a file that people edit. Never over another file: it may hold the confirmed policy."""
    from headgate.core.errors import InputRejected
    from tasks.runtime.boundary import reason_of

    try:
        if not output.parent.exists():
            raise InputRejected(f"The folder {output.parent} does not exist.", "Make the folder first, or correct the path after -o.")
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        if isinstance(problem, FileExistsError) and output.exists():
            raise InputRejected(
                f"{output} exists already; a draft never replaces a file.", "Name another file, or remove that one."
            ) from None
        raise InputRejected(f"{output} cannot be written ({reason_of(problem)}).", "Name another file with -o.") from None
