"""`headgate serve [POLICY|FOLDER]...`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import EngineName, Scheduler, Verbose

if TYPE_CHECKING:
    from flows.schedules.scheduled_policies import Scheduled
    from flows.service.listen import Listener
    from tasks.runtime.home import Home


def serve(
    policies: Annotated[list[Path] | None, typer.Argument(metavar="[POLICY|FOLDER]...", help="Policies, or folders of policies.")] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Your SSH private key: registers the policies as they are now, so that they may run. Needed once."),
    ] = None,
    register: Annotated[bool, typer.Option("--register", help="Register the policies with --key, and exit.")] = False,
    engine: EngineName = None,
    scheduler: Scheduler = None,
    metrics_port: Annotated[
        int | None,
        typer.Option("--metrics-port", min=1, max=65535, help="Answer Prometheus on this port, on this machine only.", show_default=False),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Run every registered policy on its schedule, publish approved candidates, and answer at HEADGATE_SOCKET, until stopped."""
    from flows.metrics_process import metrics_answered
    from flows.notice_watch import take_addresses
    from flows.schedules.deployed_here import require_not_deployed
    from flows.schedules.scheduled_policies import not_registered, register_policies, scheduled_policies
    from flows.serve import serve_policies, settle_in
    from flows.service.listen import listening, requests_answered
    from flows.terminal.current_folder import here
    from flows.terminal.output import console, print_error
    from headgate.core.errors import InputRejected
    from tasks.cluster.engine_choice import chosen_engine
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten
    from tasks.service.socket_place import socket_path

    chosen_engine(engine, scheduler).hand_down()
    home, path = Home.open(), socket_path()
    scheduled = scheduled_policies(policies or ([] if path else [here()]), required=path is None or register)
    if key is not None:
        register_policies(home, scheduled, key)
    elif register:
        raise InputRejected("No key was given.", "Give the SSH private key of somebody who may run releases with --key.")
    if register:
        console().print(f"Registered: {', '.join(policy.dataset for policy in scheduled)}.", soft_wrap=True)
        return
    for refusal in not_registered(home, scheduled, required=path is None):
        print_error(refusal)
    scheduled = [replace(policy, loaded=None) for policy in scheduled]  # what was read of them is needed no more
    settle_in(home)
    notices = take_addresses(home)
    quieten(home, verbose)
    with (
        listening(path) as listener,
        metrics_answered(metrics_port),
        prefect_api(scheduling=True),
        requests_answered(home, listener),
    ):
        require_not_deployed(home)
        _announce(home, scheduled, listener)
        serve_policies(scheduled, notices)


def _announce(home: Home, scheduled: list[Scheduled], listener: Listener | None) -> None:
    from prefect.settings import PREFECT_API_URL

    from flows.terminal.output import console
    from tasks.signing.home_keys import home_fingerprint

    out = console()
    policies = "1 policy" if len(scheduled) == 1 else f"{len(scheduled)} policies"
    out.print(f"Serving {policies if scheduled else 'no schedule'} from {home.root}; press Ctrl-C to stop.", soft_wrap=True)
    for policy in scheduled:
        out.print(f"  {policy.dataset}: {policy.schedule.cron} ({policy.schedule.timezone}), {policy.path.name}", soft_wrap=True)
    if listener is not None:
        group = listener.group[0]
        out.print(f"Requests: {listener.path} (group {group}), for the home {home_fingerprint(home.keys)}", soft_wrap=True)
    own = " (this process and its runs only: it has a password)" if not os.environ.get("PREFECT_API_URL") else ""
    out.print(f"Prefect API: {PREFECT_API_URL.value()}{own}", soft_wrap=True)
