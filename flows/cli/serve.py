"""`headgate serve [POLICY|FOLDER]...`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Verbose

if TYPE_CHECKING:
    from flows.serve import Scheduled
    from tasks.runtime.home import Home


def serve(
    policies: Annotated[list[Path] | None, typer.Argument(metavar="[POLICY|FOLDER]...", help="Policies, or folders of policies.")] = None,
    verbose: Verbose = False,
) -> None:
    """Run every policy on its schedule, and publish approved candidates, until stopped."""
    from flows.serve import require_runner, scheduled_policies, serve_policies, settle_in
    from flows.terminal.current_folder import here
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten

    home = Home.open()
    scheduled = scheduled_policies(policies or [here()])
    require_runner(home, scheduled)
    settle_in(home)
    quieten(home, verbose)
    with prefect_api(scheduling=True):
        _announce(home, scheduled)
        serve_policies(scheduled)


def _announce(home: Home, scheduled: list[Scheduled]) -> None:
    from prefect.settings import PREFECT_API_URL

    from flows.terminal.output import console

    out = console()
    policies = "1 policy" if len(scheduled) == 1 else f"{len(scheduled)} policies"
    out.print(f"Serving {policies} from {home.root}; press Ctrl-C to stop.", soft_wrap=True)
    for policy in scheduled:
        out.print(f"  {policy.dataset}: {policy.schedule.cron} ({policy.schedule.timezone}), {policy.path.name}", soft_wrap=True)
    own = " (this process and its runs only: it has a password)" if not os.environ.get("PREFECT_API_URL") else ""
    out.print(f"Prefect API: {PREFECT_API_URL.value()}{own}", soft_wrap=True)
