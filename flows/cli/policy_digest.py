"""`headgate policy …`: a policy file by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.terminal.exit_codes import reported


def digest(policy: Annotated[Path, typer.Argument(help="The policy file, with the files that it names beside it.")]) -> None:
    """Print a policy's digest, by which events, manifests and signatures name it. The files that it names count; its comments do not."""
    from flows.policy_files import resolve_policy
    from flows.terminal.output import results
    from tasks.reading.references import load_policy

    results().print(load_policy(resolve_policy(policy)).digest, soft_wrap=True, highlight=False)


policy_app = typer.Typer(help="Compare a policy file with what was released under it.", no_args_is_help=True)
policy_app.command("digest")(reported(digest))
