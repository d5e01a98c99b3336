"""`headgate init TABLE`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from flows.terminal.options import Output, TableFile


def init(table: TableFile, output: Output = None) -> None:
    """Draft a policy for TABLE. Guesses are marked; confirm them before the first release."""
    from flows.terminal.current_folder import as_named, here
    from flows.terminal.output import console
    from policies.schema.policy_draft import draft_policy
    from tasks.reading.profile import profile_table

    text = draft_policy(profile_table(table, here() if output is None else output.parent))
    if output is None:
        sys.stdout.write(text)
        return
    _write_draft(output, text)
    named = as_named(output)
    console().print(f"Drafted {named}. Confirm its guesses, then: headgate advise {shlex.quote(str(named))}", soft_wrap=True)


def _write_draft(output: Path, text: str) -> None:
    """With the usual permissions of a file that people edit. Never over another file: it may hold the confirmed policy."""
    from headgate.core.errors import InputRejected
    from tasks.runtime.boundary import reason_of

    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        if isinstance(problem, FileExistsError) and output.exists():
            raise InputRejected(
                f"{output} exists already; a draft never replaces a file.", "Name another file, or remove that one."
            ) from None
        raise InputRejected(f"{output} cannot be written ({reason_of(problem)}).", "Name another file with -o.") from None
