"""The command line, one file per command. A command parses its arguments, calls tasks or a flow, and prints what came of it.

What a command needs is imported when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from flows.cli import (
    abandon,
    advise,
    approve,
    attack,
    audit,
    backup,
    check,
    console,
    demo,
    deploy,
    diff,
    doctor,
    estimate,
    explore,
    init,
    metrics,
    notify,
    policy_digest,
    publish,
    purge,
    read,
    reject,
    release,
    releases,
    request_changes,
    restore,
    resume,
    serve,
    show,
    statement,
    verify,
    withdraw,
)
from flows.service.ask import here_or_served
from flows.terminal.current_folder import step_aside
from flows.terminal.exit_codes import reported, run_application
from flows.terminal.output import write_any_sign

COMMANDS = (
    init.init,
    release.release,
    advise.advise,
    explore.explore,
    check.check,
    show.show,
    attack.attack,
    statement.statement,
    approve.approve,
    request_changes.request_changes,
    reject.reject,
    publish.publish,
    releases.releases,
    diff.diff,
    withdraw.withdraw,
    resume.resume,
    abandon.abandon,
    purge.purge,
    verify.verify,
    read.read,
    estimate.estimate,
    serve.serve,
    deploy.deploy,
    console.console,
    notify.notify,
    metrics.metrics,
    doctor.doctor,
    backup.backup,
    restore.restore,
    demo.demo,
)

app = typer.Typer(
    name="headgate",
    help="Releases microdata safely: a table about people goes in; published tables, each with a proof of what it protects, come out.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"headgate {version('headgate')}")
        raise typer.Exit


@app.callback()
def headgate(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Without a command, show what there is."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for command in COMMANDS:
    app.command(command.__name__.replace("_", "-"))(reported(here_or_served(command)))
app.add_typer(audit.audit_app, name="audit")
app.add_typer(policy_digest.policy_app, name="policy")


def main(arguments: list[str] | None = None) -> None:
    """The entry point of the command `headgate`. It leaves the current folder first.

    Nearly all objects of a process belong to imported modules, which stay. Python's garbage collector would search them again and again:
    that costs a release more than a second, and another at exit.
    """
    step_aside()
    write_any_sign()
    gc.set_threshold(50_000, 20, 20)
    code = run_application(app, sys.argv[1:] if arguments is None else arguments)
    gc.freeze()
    sys.exit(code)
