"""`headgate console`."""

from __future__ import annotations

import importlib
import os
import re
from typing import Annotated

import typer

LOOPBACK = "127.0.0.1"
Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="Listen on this port.")]
Proxy = Annotated[
    str | None,
    typer.Option("--proxy", metavar="ORIGIN", help="People reach the console through a proxy at this address: https://release.example."),
]
ProxyAddress = Annotated[
    list[str] | None,
    typer.Option("--proxy-address", metavar="IP", help="Only this address may connect (default with --proxy: 127.0.0.1 and ::1)."),
]
Invite = Annotated[str | None, typer.Option("--invite", metavar="NAME", help="Print a link that lets this person in, once, and end.")]
Reset = Annotated[
    str | None,
    typer.Option(
        "--reset", metavar="NAME", help="End this person's password, sessions and passkeys, print a link that lets them in anew, and end."
    ),
]
Listen = Annotated[str, typer.Option("--listen", metavar="IP", help="Listen at this address; another than this machine's needs --proxy.")]


def console(
    port: Port = 8321,
    proxy: Proxy = None,
    proxy_address: ProxyAddress = None,
    listen: Listen = LOOPBACK,
    invite: Invite = None,
    reset: Reset = None,
) -> None:
    """Show releases to approvers and auditors in their browsers, until stopped."""
    from flows.terminal.output import console as out
    from flows.terminal.output import write_document
    from headgate.core.errors import InputRejected
    from policies.schema.operator_file import PRINCIPAL
    from tasks.runtime.home import Home

    if proxy is not None and not re.fullmatch(r"https://[a-z0-9.-]+(:[0-9]+)?", proxy):
        raise InputRejected("--proxy is not an origin.", "Write the address that people's browsers show, such as https://release.example.")
    if proxy is None and (proxy_address or listen not in (LOOPBACK, "::1")):
        raise InputRejected(
            "Without a proxy the console listens to this machine alone.",
            "Name what people's browsers show: --proxy https://release.example.",
        )
    if invite is not None and reset is not None:
        raise InputRejected(
            "--invite and --reset were both given.", "Invite people who have no account; reset the access of those who have one."
        )
    let_in = invite if reset is None else reset
    if let_in is not None and not re.fullmatch(PRINCIPAL, let_in):
        named = "--invite" if reset is None else "--reset"
        raise InputRejected(f"{named} is not a name.", "Write it as in the list of signers: letters, digits and . _ @ + -.")
    # No room below the console imports it.
    settings, serving = (importlib.import_module(f"console.{module}") for module in ("console_settings", "serving"))
    chosen = settings.Settings(Home.open(), f"http://localhost:{port}", (f"localhost:{port}",), provider=settings.provider_of(os.environ))
    if proxy is not None:
        chosen = serving.behind(chosen, proxy, tuple(proxy_address or (LOOPBACK, "::1")))
    if let_in is not None:
        write_document(serving.link_for(chosen, let_in, reset is not None) + "\n")
        return
    serving.serve_console(chosen, listen, port, lambda text: out().print(text, soft_wrap=True, highlight=False, markup=False))
