"""`headgate publish CANDIDATE`."""

from __future__ import annotations

import shlex

from flows.terminal.options import CandidateId, Json, Verbose


def publish(candidate: CandidateId, json: Json = False, verbose: Verbose = False) -> None:
    """Publish an approved candidate: atomic, write-once, `latest` last."""
    from flows.terminal.output import print_json, results
    from tasks.ledger.history import VISIBLE, read_history
    from tasks.ledger.open_ledger import open_ledger
    from tasks.publication.targets import open_targets
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten
    from tasks.stores.seal import find_candidate

    home = Home.open()
    ledger = open_ledger(home)
    full_id = find_candidate(home.candidates, candidate)
    quieten(home, verbose)
    stopped: KeyboardInterrupt | None = None
    try:
        with prefect_api():
            from flows import publish as flow

            flow.publish(full_id)
    except KeyboardInterrupt as stop:
        stopped = stop
    release = read_history(ledger).find(full_id)
    if stopped is not None and release.state not in VISIBLE:
        raise stopped
    folder = open_targets(home).series(release.target).address(release.version)
    if json:
        print_json({"candidate": full_id, "state": str(release.state), "version": release.version, "folder": folder})
        return
    results().print(f"Published as version {release.version}: {folder}", soft_wrap=True)
    here = "" if "://" not in folder else "  # in a copy of it"
    results().print(f"  headgate verify {shlex.quote(folder)}{here}", soft_wrap=True)
