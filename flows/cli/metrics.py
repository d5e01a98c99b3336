"""`headgate metrics`."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Annotated

import typer

Port = Annotated[
    int | None, typer.Option("--port", min=1, max=65535, help="Answer on this port, at /metrics, until stopped.", show_default=False)
]
Listen = Annotated[
    str,
    typer.Option(
        "--listen", metavar="IP", help="The address to listen on; one that other machines can reach needs HEADGATE_METRICS_TOKEN."
    ),
]


def metrics(port: Port = None, listen: Listen = "127.0.0.1") -> None:
    """Show figures of the home in the format of Prometheus: once on stdout, or on a port, as `headgate serve --metrics-port` does."""
    import threading

    from prometheus_client import generate_latest

    from flows.metrics_process import TOKEN
    from flows.terminal.output import console, write_document
    from tasks.ledger.open_ledger import found_ledger
    from tasks.metrics.home_metrics import HomeMetrics
    from tasks.metrics.metrics_server import answering, bound
    from tasks.runtime.home import Home
    from tasks.runtime.parent_watch import end_with_server

    home, token = Home.read(), os.environ.get(TOKEN, "").strip()
    made = HomeMetrics.of(home)
    if port is None:
        found_ledger(home)
        made.read_through()
        write_document(generate_latest(made.registry()).decode())
        return
    end_with_server()
    with answering(bound(listen, port, token), made.registry(), token):
        console().print(f"Metrics of {home.root}: http://{listen}:{port}/metrics; press Ctrl-C to stop.", soft_wrap=True)
        with suppress(KeyboardInterrupt):  # as a service manager stops it, too
            made.read_through()
            threading.Event().wait()
